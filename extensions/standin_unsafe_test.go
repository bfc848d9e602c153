// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extensions_test

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// servePlugin returns a Plugin for p that is valid until the end of the test.
func servePlugin(t testing.TB, p *serve.Plugin) *pjrt.Plugin {
	t.Helper()
	p.PluginInitialize = func(*capi.PluginInitializeArgs) error { return nil }
	table, err := p.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { table.Close() })
	plugin, err := raw.Plugin(table.Capi())
	require.NoError(t, err)
	return plugin
}

// everything is a plugin that offers all extensions, but none of their functions.
func everything() *serve.Plugin {
	p := new(serve.Plugin)
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && strings.HasPrefix(f.Type().Elem().PkgPath(), "github.com/purepjrt/purepjrt/capi/serve") {
			f.Set(reflect.New(f.Type().Elem()))
		}
	}
	return p
}

// withExtensions returns a pjrttest plugin that also offers the extensions of p.
func withExtensions(t testing.TB, p *serve.Plugin, opts pjrttest.Options) *pjrttest.Plugin {
	t.Helper()
	for _, x := range raw.Table(servePlugin(t, p)).Extensions() {
		words := make([]uintptr, (x.Size+7)/8)
		node := (*capi.ExtensionBase)(unsafe.Pointer(unsafe.SliceData(words)))
		copy(unsafe.Slice((*byte)(unsafe.Pointer(node)), x.Size), unsafe.Slice((*byte)(unsafe.Pointer(x.Node)), x.Size))
		opts.Nodes = append(opts.Nodes, node)
	}
	return pjrttest.New(t, opts)
}

// handle returns a handle for an object of the stand-in: the address of some memory.
func handle[T any]() *T { return (*T)(unsafe.Pointer(new([2]uintptr))) }
