// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// layoutText returns a layout as text, and destroys it.
func layoutText(t *testing.T, p *plugin, l *capi.LayoutsMemoryLayout) string {
	t.Helper()
	require.NotNil(t, l)
	s := do(t, p, capi.LayoutsMemoryLayoutSerializeArgs{Layout: l})
	text := raw(s.SerializedBytes, s.SerializedBytesSize)
	s.SerializedLayoutDeleter.Call(s.SerializedLayout)
	do(t, p, capi.LayoutsMemoryLayoutDestroyArgs{Layout: l})
	return text
}

// executableLayouts returns a list of layouts, which belongs to the executable, as text.
func executableLayouts(t *testing.T, p *plugin, list **capi.LayoutsMemoryLayout, n uintptr) []string {
	t.Helper()
	var texts []string
	for _, l := range capi.Slice(list, n) {
		s := do(t, p, capi.LayoutsMemoryLayoutSerializeArgs{Layout: l})
		texts = append(texts, raw(s.SerializedBytes, s.SerializedBytesSize))
		s.SerializedLayoutDeleter.Call(s.SerializedLayout)
	}
	return texts
}

// registrations makes unique names, because the plugin never forgets a name.
var registrations atomic.Int64

func TestExtensionsOfTheCPUPlugin(t *testing.T) {
	r := newRig(t)
	require.NoError(t, r.table.ExtensionsErr())
	sizes := make(map[capi.ExtensionType]uintptr)
	for _, x := range r.table.Extensions() {
		sizes[x.Type] = x.Size
	}
	want := map[capi.ExtensionType]uintptr{
		capi.ExtensionTypePhaseCompile: 64, capi.ExtensionTypeFFI: 48,
		capi.ExtensionTypeMemoryDescriptions: 40, capi.ExtensionTypeLayouts: byAge(t, ages[uintptr](72, 80, 80)),
	}
	if byAge(t, ages(false, true, true)) {
		want[capi.ExtensionTypeShardings] = 40
	}
	if byAge(t, ages(false, false, true)) {
		want[capi.ExtensionTypeXLATransform] = 56
	}
	assert.Equal(t, want, sizes)

	t.Run("layouts", func(t *testing.T) {
		b := r.upload(t, 0, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
		defer r.destroy(t, b)
		assert.Equal(t, "{1,0}", layoutText(t, r.plugin, do(t, r.plugin, capi.LayoutsBufferMemoryLayoutArgs{Buffer: b}).Layout))
		dims, n := first([]int64{2, 3, 4})
		assert.Equal(t, "{2,1,0}", layoutText(t, r.plugin, do(t, r.plugin, capi.LayoutsClientGetDefaultLayoutArgs{
			Client: r.client, Type: capi.BufferTypeF32, Dims: dims, NumDims: n,
		}).Layout))
		topology := do(t, r.plugin, capi.ClientTopologyDescriptionArgs{Client: r.client}).Topology
		assert.Equal(t, "{2,1,0}", layoutText(t, r.plugin, do(t, r.plugin, capi.LayoutsTopologyGetDefaultLayoutArgs{
			TopologyDescription: topology, Type: capi.BufferTypeF32, Dims: dims, NumDims: n,
		}).Layout))
		e := r.executable(t, r.compile(t, pairProgram, oneDevice))
		out := do(t, r.plugin, capi.LayoutsExecutableGetOutputLayoutsArgs{Executable: e})
		assert.Equal(t, []string{"{1,0}", "{}"}, executableLayouts(t, r.plugin, out.Layouts, out.NumOutputs))
		if byAge(t, ages(false, true, true)) {
			in := do(t, r.plugin, capi.LayoutsExecutableGetParameterLayoutsArgs{Executable: e})
			assert.Equal(t, []string{"{1,0}", "{}"}, executableLayouts(t, r.plugin, in.Layouts, in.NumParameters))
			return
		}
		_, err := try(r.plugin, capi.LayoutsExecutableGetParameterLayoutsArgs{Executable: e})
		assert.EqualError(t, err, "PJRT_Layouts_PJRT_Executable_GetParameterLayouts: UNIMPLEMENTED: the plugin (API 0.81) offers the extension Layouts without this function, which came with API 0.93")
	})
	t.Run("memory descriptions", func(t *testing.T) {
		d := do(t, r.plugin, capi.DeviceGetDescriptionArgs{Device: r.devices[0]}).DeviceDescription
		assert.Zero(t, do(t, r.plugin, capi.DeviceDescriptionMemoryDescriptionsArgs{DeviceDescription: d}).NumMemoryDescriptions)
	})
	t.Run("phases", func(t *testing.T) {
		// The node exists, but its function pointers are null.
		_, err := try(r.plugin, capi.PhaseCompileGetCompilerArgs{})
		var e *capi.Error
		require.ErrorAs(t, err, &e)
		assert.True(t, e.Missing)
		assert.Contains(t, e.Message, "offers the extension PhaseCompile without this function")
	})
	t.Run("ffi", func(t *testing.T) {
		args := capi.FFITypeRegisterArgs{TypeInfo: new(capi.FFITypeInfo)}
		args.TypeName, args.TypeNameSize = capi.StringData(fmt.Sprintf("purepjrt_realplugin_type_%d", registrations.Add(1)))
		id := do(t, r.plugin, args).TypeID
		assert.NotZero(t, id)
		context := do(t, r.plugin, capi.ExecuteContextCreateArgs{}).Context
		do(t, r.plugin, capi.FFIUserDataAddArgs{Context: context, UserData: capi.FFIUserData{TypeID: id, Data: 7}})
		fails(t, r.plugin, capi.FFIUserDataAddArgs{Context: context, UserData: capi.FFIUserData{TypeID: id, Data: 8}},
			capi.ErrorCodeInternal, "already exists")
		do(t, r.plugin, capi.ExecuteContextDestroyArgs{Context: context})
		handler := capi.FFIRegisterHandlerArgs{}
		handler.TargetName, handler.TargetNameSize = capi.StringData("purepjrt_realplugin_target")
		handler.PlatformName, handler.PlatformNameSize = capi.StringData("Host")
		fails(t, r.plugin, handler, capi.ErrorCodeInvalidArgument, "")
	})
	_, minor := r.table.Version()
	for _, x := range []interface{ Function() *capi.Function }{
		new(capi.TPUTopologyChipCountArgs), new(capi.MegascaleCreateAOTConfigArgs), new(capi.ProfilerCreateArgs),
	} {
		err := r.table.Lacks(x.Function())
		assert.ErrorContains(t, err, fmt.Sprintf("the plugin (API 0.%d) does not offer the extension", minor), x.Function().Name)
	}
}
