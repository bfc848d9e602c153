// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/capi/shim"
)

// layered is a plugin with an extension.
func layered(t *testing.T) *capi.Table {
	t.Helper()
	p := &serve.Plugin{
		Minor:            81,
		PluginInitialize: func(*capi.PluginInitializeArgs) error { return nil },
		Layouts: &serve.LayoutsExtension{
			LayoutsMemoryLayoutDestroy: func(*capi.LayoutsMemoryLayoutDestroyArgs) error { return nil },
		},
	}
	table, err := p.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { _ = table.Close() })
	return table.Capi()
}

func functionNamed(t *testing.T, name string) *capi.Function {
	t.Helper()
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			if f.Name == name {
				return f
			}
		}
	}
	t.Fatalf("there is no function %s", name)
	return nil
}

func TestWhatIsAbsentIsNotInTheTable(t *testing.T) {
	real := layered(t)
	destroy := functionNamed(t, "PJRT_Layouts_MemoryLayout_Destroy")
	layouts := capi.SectionExtension(capi.ExtensionTypeLayouts)
	require.True(t, real.Has(destroy))

	_, table := watch(t, shim.Config{Absent: []string{"Client_Lookup*", "PJRT_Layouts_MemoryLayout_Destroy"}}, real)
	table, err := capi.NewTable(table.API())
	require.NoError(t, err)
	for _, f := range capi.Functions(capi.SectionCore) {
		lookup := f.Name == "PJRT_Client_LookupDevice" || f.Name == "PJRT_Client_LookupAddressableDevice"
		assert.Equal(t, real.Has(f) && !lookup, table.Has(f), f.Name)
	}
	assert.True(t, table.HasSection(layouts), "the extension stays")
	assert.False(t, table.Has(destroy))
	assert.True(t, real.Has(destroy), "the plugin itself stays as it is")

	_, table = watch(t, shim.Config{Absent: []string{"Layouts"}}, real)
	table, err = capi.NewTable(table.API())
	require.NoError(t, err)
	assert.False(t, table.HasSection(layouts))
	assert.True(t, real.HasSection(layouts))
}

func TestAMinorMakesThePluginOlder(t *testing.T) {
	real := serveFake(t, &fake{})
	_, table := watch(t, shim.Config{Minor: 70}, real)
	table, err := capi.NewTable(table.API())
	require.NoError(t, err)
	_, minor := table.Version()
	assert.Equal(t, 70, minor)
	for _, f := range capi.Functions(capi.SectionCore) {
		assert.Equal(t, f.Since <= 70, table.Has(f), f.Name)
	}

	// Only the table ends earlier.
	real = layered(t)
	_, table = watch(t, shim.Config{Minor: 70}, real)
	table, err = capi.NewTable(table.API())
	require.NoError(t, err)
	require.NoError(t, table.ExtensionsErr())
	assert.True(t, table.Has(functionNamed(t, "PJRT_Layouts_MemoryLayout_Destroy")))

	s, err := shim.New(shim.Config{Minor: 82})
	require.NoError(t, err)
	_, err = s.Wrap(real)
	assert.ErrorContains(t, err, "the plugin has API 0.81: it cannot be made to look like 0.82")
}

// An older client passes shorter args, and reads no more than them.
func TestAnOlderClientsArgsAreFilledUp(t *testing.T) {
	var sizes, options []uintptr
	p := &serve.Plugin{Minor: 81}
	served, err := p.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { _ = served.Close() })
	create, execute := (*capi.ClientCreateArgs)(nil).Function(), (*capi.LoadedExecutableExecuteArgs)(nil).Function()
	wrapped, err := serve.Wrap(served.Capi(),
		serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
			sizes = append(sizes, c.Size())
			assert.Zero(t, a.KVTryGetUserArg)
			a.Client = describe.PointerOf[capi.Client](16)
		}),
		serve.Around(func(_ *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
			options = append(options, a.Options.StructSize)
			assert.EqualValues(t, 7, a.Options.LaunchID)
		}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = wrapped.Close() })
	_, table := watch(t, shim.Config{Grow: true}, wrapped.Capi())

	c := &capi.Call[capi.ClientCreateArgs]{}
	c.Args.StructSize = 72 // of API 0.60
	c.Args.KVTryGetUserArg = 5
	_, err = c.Raw(table)
	require.NoError(t, err)
	assert.Equal(t, []uintptr{create.Size}, sizes)
	assert.EqualValues(t, 16, describe.HandleOf(c.Args.Client))
	assert.EqualValues(t, 72, c.Args.StructSize, "the client's size stays")
	assert.EqualValues(t, 5, c.Args.KVTryGetUserArg, "nothing is written after it")

	x := &capi.Call[capi.LoadedExecutableExecuteArgs]{}
	inner := &capi.ExecuteOptions{StructSize: 88, LaunchID: 7}
	x.Args.StructSize, x.Args.Options = execute.Size, inner
	_, err = x.Raw(table)
	require.NoError(t, err)
	assert.Equal(t, []uintptr{capi.ExecuteOptionsSize}, options)
	assert.Same(t, inner, x.Args.Options)
	assert.EqualValues(t, 88, inner.StructSize)
}
