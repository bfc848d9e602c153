// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
)

// crashes lists calls in which the plugin ends the process. No Go program can prevent that after
// making the call, so callers must check their input. Each runs in a separate process. The parent
// must see it die, which shows that these tests notice crashes.
var crashes = map[string]struct {
	call func(t *testing.T, r *rig)
	want string // in what the child prints
}{
	"a buffer is destroyed twice": {func(t *testing.T, r *rig) {
		b := r.upload(t, 0, []float32{1})
		for range 4 {
			r.destroy(t, b)
		}
	}, ""},
	"a client is used after its end": {func(t *testing.T, r *rig) {
		do(t, r.plugin, capi.ClientDestroyArgs{Client: r.client})
		for range 100 {
			do(t, r.plugin, hostBuffer(r, capi.BufferTypeF32, []float32{1}, 1))
		}
	}, ""},
	"a getter of no object": {func(t *testing.T, r *rig) {
		do(t, r.plugin, capi.BufferElementTypeArgs{})
	}, "SIGSEGV"},
	"a null buffer is an argument": {func(t *testing.T, r *rig) {
		exe := do(t, r.plugin, r.compileArgs(addProgram, oneDevice)).Executable
		do(t, r.plugin, newExecution(exe, 1, []*capi.Buffer{nil, nil}).args)
	}, "SIGSEGV"},
	"compile options without replicas": {func(t *testing.T, r *rig) {
		do(t, r.plugin, r.compileArgs(addProgram, nil))
	}, "Check failed: replica_count > 0"},
	"a buffer without a type": {func(t *testing.T, r *rig) {
		do(t, r.plugin, hostBuffer(r, capi.BufferTypeInvalid, []float32{1}, 1))
	}, "SIGABRT"},
	"a type that the plugin does not know": {func(t *testing.T, r *rig) {
		do(t, r.plugin, hostBuffer(r, capi.BufferTypeF6E2M3FN, []float32{1}, 1))
	}, ""},
	"strides for other dimensions": {func(t *testing.T, r *rig) {
		args := hostBuffer(r, capi.BufferTypeF32, []float32{1, 2}, 2)
		args.ByteStrides, args.NumByteStrides = first([]int64{4, 4})
		do(t, r.plugin, args)
	}, "SIGABRT"},
	"the error of a pending event": {func(t *testing.T, r *rig) {
		e, _ := r.pendingEvent(t)
		do(t, r.plugin, capi.EventErrorArgs{Event: e})
	}, "Check failed: event->future.IsReady()"},
	"an option of another type": {func(t *testing.T, r *rig) {
		connect(t, r.plugin, capi.Attribute{Name: "cpu_device_count", Value: "two"})
	}, "bad_variant_access"},
	"transfer metadata that is not a string": {func(t *testing.T, r *rig) {
		_, m := r.pendingBuffer(t, 1)
		v, err := capi.NewNamedValues([]capi.Attribute{{Name: "n", Value: int64(1)}})
		assert.NoError(t, err)
		args := capi.AsyncHostToDeviceTransferManagerAddMetadataArgs{TransferManager: m}
		args.TransferMetadata, args.NumMetadata = v.Data()
		do(t, r.plugin, args)
	}, "bad_variant_access"},
	"the contents of a view of nothing": {func(t *testing.T, r *rig) {
		args := capi.ClientCreateViewOfDeviceBufferArgs{Client: r.client, Device: r.devices[0], ElementType: capi.BufferTypeF32}
		args.Dims, args.NumDims = first([]int64{4})
		_ = download[float32](t, r, do(t, r.plugin, args).Buffer)
	}, ""},
}

// refused lists what plugins of some ages take, or refuse with an error: by the minor version of
// the API, what the child prints.
var refused = map[string]map[int]string{
	"the contents of a view of nothing":    {115: "UNIMPLEMENTED: AllocateForDelinearizationAsync is not supported"},
	"an option of another type":            {115: "INVALID_ARGUMENT: Option passed to PJRT_Client_Create with name cpu_device_count has type index 0"},
	"a type that the plugin does not know": {115: survived}, // they know it
	"strides for other dimensions":         {115: "INVALID_ARGUMENT: dims and input_striding must have equal sizes, got 1 and 2"},
}

func TestWhatCrashesThePlugin(t *testing.T) {
	for name, c := range crashes {
		t.Run(name, func(t *testing.T) {
			if inChild(t) {
				r := newRig(t)
				t.Log("the child is ready")
				c.call(t, r)
				t.Log(survived)
				return
			}
			t.Parallel()
			_, minor := cpu(t).table.Version()
			out, err := child(t)
			if want, ok := refused[name][minor]; ok {
				assert.Contains(t, out, "the child is ready")
				assert.Contains(t, out, want)
				return
			}
			assert.Error(t, err)
			assert.NotContains(t, out, survived)
			assert.Contains(t, out, "the child is ready")
			assert.NotContains(t, out, "--- FAIL")
			assert.Contains(t, out, c.want)
		})
	}
}
