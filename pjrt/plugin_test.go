// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"os"
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func TestATableBelongsToOnePlugin(t *testing.T) {
	p := plugintest.Plugin(t)
	registered, err := raw.Register("cpu in the process", tableAddress(p))
	require.NoError(t, err)
	assert.Same(t, p, registered)
	again, err := raw.Register("cpu in the process", tableAddress(p))
	require.NoError(t, err)
	assert.Same(t, p, again)
	other, err := raw.Register("the same by another name", tableAddress(p))
	require.NoError(t, err)
	assert.Same(t, p, other)
	for _, name := range []string{"cpu in the process", "the same by another name"} {
		byName, err := pjrt.Open(name)
		require.NoError(t, err)
		assert.Same(t, p, byName)
	}
	table, err := capi.NewTable(raw.Table(p).API())
	require.NoError(t, err)
	fromTable, err := raw.Plugin(table)
	require.NoError(t, err)
	assert.Same(t, p, fromTable)
}

func tableAddress(p *pjrt.Plugin) uintptr { return addressOf(raw.Table(p).API()) }

func addressOf(api *capi.API) uintptr { return reflect.ValueOf(api).Pointer() }

func TestManyGoroutinesOpenAPluginOnce(t *testing.T) {
	s := pjrttest.New(t, pjrttest.Options{})
	wrapped, err := serve.Wrap(s.Table())
	require.NoError(t, err)
	defer wrapped.Close()
	before := s.Calls("PJRT_Plugin_Initialize")
	plugins := make([]*pjrt.Plugin, 16)
	var wg sync.WaitGroup
	for i := range plugins {
		wg.Go(func() { plugins[i], _ = raw.Plugin(wrapped.Capi()) })
	}
	wg.Wait()
	require.NotNil(t, plugins[0])
	for _, p := range plugins {
		assert.Same(t, plugins[0], p)
	}
	assert.Equal(t, before+1, s.Calls("PJRT_Plugin_Initialize"))
}

func TestMisuseOfRegisterIsRefused(t *testing.T) {
	p := plugintest.Plugin(t)
	_, err := raw.Register("taken", tableAddress(p))
	require.NoError(t, err)
	good := tableAddress(p)
	foreign := pjrttest.New(t, pjrttest.Options{})
	old := *foreign.Table().API()
	old.PJRTAPIVersion.MinorVersion = capi.OldestMinor - 1
	cases := map[string]struct {
		name    string
		address uintptr
		want    string
	}{
		"null":        {"x", 0, "no PJRT_Api at the address 0x0"},
		"misaligned":  {"x", good + 1, "no PJRT_Api at the address"},
		"no name":     {"", good, `cannot be registered as ""`},
		"a path":      {"dir/x", good, "must not be empty or look like a path"},
		"a path back": {`dir\x`, good, "must not be empty or look like a path"},
		"too old":     {"x", addressOf(&old), "too old"},
		"name taken":  {"taken", foreign.Address(), "another plugin is registered as taken"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := raw.Register(c.name, c.address)
			require.ErrorContains(t, err, c.want)
			assert.Nil(t, p)
		})
	}
	_, err = raw.Register("taken", foreign.Address())
	require.ErrorIs(t, err, pjrt.ErrAlreadyExists)
	runtime.KeepAlive(&old)
	_, err = raw.Plugin(new(capi.Table))
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = pjrt.Open("registered by nobody")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAFailedInitializationCanBeTriedAgain(t *testing.T) {
	s := pjrttest.New(t, pjrttest.Options{})
	wrapped, err := serve.Wrap(s.Table()) // the stand-in itself is open already
	require.NoError(t, err)
	defer wrapped.Close()
	end := s.Fail("PJRT_Plugin_Initialize", pjrt.ErrAborted, "not now")
	_, err = raw.Plugin(wrapped.Capi())
	require.ErrorIs(t, err, pjrt.ErrAborted)
	end()
	_, err = raw.Plugin(wrapped.Capi())
	require.NoError(t, err)
}

func TestSupportsReportsFunctionsFieldsAndExtensions(t *testing.T) {
	p := plugintest.Plugin(t)
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			assert.Equal(t, raw.Table(p).Has(f), p.Supports(f.Name), f.Name)
		}
	}
	assert.True(t, p.Supports("PJRT_Client_UpdateGlobalProcessInfo"))
	assert.True(t, p.Supports("PJRT_FFI_Register_Handler"), "of an extension")
	old := pjrttest.New(t, pjrttest.Options{Minor: 81}).Plugin()
	assert.False(t, old.Supports("PJRT_Device_GetAttributes"), "too new")
	assert.False(t, p.Supports("PJRT_Triton_Compile"), "of an extension that it lacks")
	assert.False(t, p.Supports("PJRT_Client_create"))
	assert.False(t, p.Supports(""))
}

func TestTheKindOfAPluginComesFromItsAttributes(t *testing.T) {
	p := plugintest.Plugin(t)
	assert.Equal(t, "cpu", p.Kind())
	assert.Equal(t, "", newUnknown(t).Plugin().Kind())

	for _, kind := range []string{"cuda", "rocm"} {
		p := pjrttest.New(t, pjrttest.Options{Attributes: []pjrt.Attribute{{Name: kind + "_version", Value: int64(13)}}})
		assert.Equal(t, kind, p.Plugin().Kind())
	}
}

func TestAPluginIsNamedAfterItsPath(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	p, err := pjrt.Open(path)
	require.NoError(t, err)
	assert.Equal(t, path, p.String())
	assert.Equal(t, path, p.Path())
	assert.Equal(t, "a plugin without a name", newUnknown(t).Plugin().String())
	var none *pjrt.Plugin
	assert.Equal(t, "no plugin", none.String())
	before, a := p.Attributes(), p.Attributes()
	for i := range a {
		if v, ok := a[i].Value.([]int64); ok {
			v[0] = 99
		}
		a[i].Name = "changed"
	}
	assert.Equal(t, before, p.Attributes(), "the attributes are the caller's")
}
