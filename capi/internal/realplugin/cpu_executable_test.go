// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

func cpuExecutable(t *testing.T) {
	r := newRig(t)
	exe := r.compile(t, pairProgram, oneDevice)
	e := r.executable(t, exe)
	name := do(t, r.plugin, capi.ExecutableNameArgs{Executable: e})
	assert.Equal(t, "pair", raw(name.ExecutableName, name.ExecutableNameSize))
	assert.EqualValues(t, 1, do(t, r.plugin, capi.ExecutableNumReplicasArgs{Executable: e}).NumReplicas)
	assert.EqualValues(t, 1, do(t, r.plugin, capi.ExecutableNumPartitionsArgs{Executable: e}).NumPartitions)
	assert.EqualValues(t, 2, do(t, r.plugin, capi.ExecutableNumOutputsArgs{Executable: e}).NumOutputs)
	assert.Zero(t, do(t, r.plugin, capi.ExecutableSizeOfGeneratedCodeInBytesArgs{Executable: e}).SizeInBytes)
	types := do(t, r.plugin, capi.ExecutableOutputElementTypesArgs{Executable: e})
	assert.Equal(t, []capi.BufferType{capi.BufferTypeS32, capi.BufferTypeS32}, capi.Slice(types.OutputTypes, types.NumOutputTypes))
	dims := do(t, r.plugin, capi.ExecutableOutputDimensionsArgs{Executable: e})
	require.EqualValues(t, 2, dims.NumOutputs)
	assert.Equal(t, []uintptr{2, 0}, capi.Slice(dims.DimSizes, 2))
	assert.Equal(t, []int64{2, 3}, capi.Slice(dims.Dims, 2))
	print := do(t, r.plugin, capi.ExecutableFingerprintArgs{Executable: e})
	assert.NotEmpty(t, raw(print.ExecutableFingerprint, print.ExecutableFingerprintSize))
	fails(t, r.plugin, capi.LoadedExecutableFingerprintArgs{Executable: exe}, capi.ErrorCodeUnimplemented, "use PJRT_Executable_Fingerprint instead")
	if byAge(t, ages(false, false, true)) {
		kinds := do(t, r.plugin, capi.ExecutableOutputMemoryKindsArgs{Executable: e})
		assert.Equal(t, []string{"device", "device"}, texts(kinds.MemoryKinds, kinds.MemoryKindSizes, kinds.NumOutputs))
	} else {
		fails(t, r.plugin, capi.ExecutableOutputMemoryKindsArgs{Executable: e}, capi.ErrorCodeUnimplemented, "GetOutputMemoryKinds is not supported.")
	}
	if byAge(t, ages(true, false, false)) {
		cost := do(t, r.plugin, capi.ExecutableGetCostAnalysisArgs{Executable: e})
		properties := attributes(cost.Properties, cost.NumProperties)
		assert.Equal(t, float32(7), properties["flops"], "%v", properties)
	} else {
		fails(t, r.plugin, capi.ExecutableGetCostAnalysisArgs{Executable: e}, capi.ErrorCodeUnimplemented, "")
	}
	stats := do(t, r.plugin, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e})
	assert.EqualValues(t, 28, stats.ArgumentSizeInBytes)
	assert.EqualValues(t, 28+16, stats.OutputSizeInBytes, "with the table of the two outputs")

	devices := do(t, r.plugin, capi.LoadedExecutableAddressableDevicesArgs{Executable: exe})
	assert.Equal(t, r.devices[:1], capi.Slice(devices.AddressableDevices, devices.NumAddressableDevices))
	a := do(t, r.plugin, capi.LoadedExecutableGetDeviceAssignmentArgs{Executable: exe})
	assignment := capi.Bytes(a.SerializedBytes, a.SerializedBytesSize)
	a.SerializedDeviceAssignmentDeleter.Call(a.SerializedDeviceAssignment)
	// A DeviceAssignmentProto of one replica, one computation, device 0.
	assert.Equal(t, []byte{0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 0}, assignment)

	optimized := &capi.Program{StructSize: capi.ProgramSize}
	do(t, r.plugin, capi.ExecutableOptimizedProgramArgs{Executable: e, Program: optimized})
	require.NotZero(t, optimized.CodeSize)
	code := make([]byte, optimized.CodeSize)
	optimized.Code, _ = first(code)
	do(t, r.plugin, capi.ExecutableOptimizedProgramArgs{Executable: e, Program: optimized})
	assert.Equal(t, "hlo_with_config", raw(optimized.Format, optimized.FormatSize))
	assert.Contains(t, string(code), "multiply")
}

func cpuDeletedExecutable(t *testing.T) {
	r := newRig(t)
	exe := r.compile(t, addProgram, oneDevice)
	assert.False(t, do(t, r.plugin, capi.LoadedExecutableIsDeletedArgs{Executable: exe}).IsDeleted)
	do(t, r.plugin, capi.LoadedExecutableDeleteArgs{Executable: exe})
	// Older plugins accept the call and do nothing.
	assert.Equal(t, byAge(t, ages(false, false, true)), do(t, r.plugin, capi.LoadedExecutableIsDeletedArgs{Executable: exe}).IsDeleted)
}

func cpuExecute(t *testing.T) {
	r := newRig(t)
	exe := r.compile(t, addProgram, oneDevice)
	a, b := r.upload(t, 0, []float32{1, 2, 3, 4}), r.upload(t, 0, []float32{10, 20, 30, 40})
	defer r.destroy(t, a, b)
	out := newExecution(exe, 1, []*capi.Buffer{a, b}).run(t, r)[0][0]
	assert.Equal(t, []float32{11, 22, 33, 44}, download[float32](t, r, out))
	r.destroy(t, out)

	context := do(t, r.plugin, capi.ExecuteContextCreateArgs{}).Context
	require.NotNil(t, context)
	x := newExecution(exe, 1, []*capi.Buffer{b, b})
	x.options.Context = context
	x.options.LaunchID = 5
	x.args.DeviceCompleteEvents = nil
	do(t, r.plugin, x.args)
	assert.Equal(t, []float32{20, 40, 60, 80}, download[float32](t, r, x.outputs[0][0]))
	r.destroy(t, x.outputs[0][0])
	do(t, r.plugin, capi.ExecuteContextDestroyArgs{Context: context})

	// Compiled to run where the caller says: field 4 of the options.
	portable := r.compile(t, addProgram, append([]byte{0x20, 1}, oneDevice...))
	c := r.upload(t, 2, []float32{1, 1, 1, 1})
	x = newExecution(portable, 1, []*capi.Buffer{c, c})
	x.args.ExecuteDevice = r.devices[2]
	out = x.run(t, r)[0][0]
	assert.Equal(t, []float32{2, 2, 2, 2}, download[float32](t, r, out))
	assert.Same(t, r.devices[2], do(t, r.plugin, capi.BufferDeviceArgs{Buffer: out}).Device)
	r.destroy(t, out, c)
}

func cpuExecuteOnTwoDevices(t *testing.T) {
	r := newRig(t)
	exe := r.compile(t, sumProgram, twoReplicas)
	e := r.executable(t, exe)
	assert.EqualValues(t, 2, do(t, r.plugin, capi.ExecutableNumReplicasArgs{Executable: e}).NumReplicas)
	a, b := r.upload(t, 0, []float32{1, 2, 3, 4}), r.upload(t, 1, []float32{10, 20, 30, 40})
	defer r.destroy(t, a, b)
	for _, out := range newExecution(exe, 1, []*capi.Buffer{a}, []*capi.Buffer{b}).run(t, r) {
		assert.Equal(t, []float32{11, 22, 33, 44}, download[float32](t, r, out[0]))
		r.destroy(t, out[0])
	}
	fails(t, r.plugin, newExecution(exe, 1, []*capi.Buffer{a}).args, capi.ErrorCodeInvalidArgument,
		"Attempted to execute with 1 argument lists when local device count is 2")
}

// deletedOrDonated is the error about an argument that is gone.
func deletedOrDonated(t *testing.T) string {
	return byAge(t, ages("buffer has been deleted or donated", "Buffer has been deleted or donated.", "Buffer has been deleted or donated."))
}

func cpuExecuteErrors(t *testing.T) {
	r := newRig(t)
	exe := r.compile(t, addProgram, oneDevice)
	a, short, elsewhere := r.upload(t, 0, []float32{1, 2, 3, 4}), r.upload(t, 0, []float32{1, 2, 3}), r.upload(t, 1, []float32{1, 2, 3, 4})
	deleted := r.upload(t, 0, []float32{1, 2, 3, 4})
	do(t, r.plugin, capi.BufferDeleteArgs{Buffer: deleted})
	defer r.destroy(t, a, short, elsewhere, deleted)
	for name, c := range map[string]struct {
		arguments []*capi.Buffer
		text      string
	}{
		"number": {[]*capi.Buffer{a}, byAge(t, ages(
			"Execution supplied 1 buffers but compiled program expected 2 buffers",
			"Execution supplied 1 buffers but compiled program expected 2 buffers",
			"Execution supplied 1 arguments but compiled program expected 2"))},
		"size": {[]*capi.Buffer{a, short}, byAge(t, ages(
			"expected parameter 1 of size 16 but got buffer with incompatible size 12",
			"expected parameter 1 of size 16 (f32[4]{0}) but got buffer with incompatible size 12 (f32[3]{0})",
			"expected parameter 1 of size 16 (f32[4]{0}) but got buffer with incompatible size 12 (f32[3]{0})"))},
		"deleted": {[]*capi.Buffer{deleted, a}, deletedOrDonated(t)},
		"device":  {[]*capi.Buffer{a, elsewhere}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			x := newExecution(exe, 1, c.arguments)
			fails(t, r.plugin, x.args, capi.ErrorCodeInvalidArgument, c.text)
			assert.Nil(t, x.outputs[0][0])
		})
	}
}

func cpuCompileErrors(t *testing.T) {
	r := newRig(t)
	fails(t, r.plugin, r.compileArgs("module {", oneDevice), capi.ErrorCodeUnknown, "Failed to parse using StableHLO")
	fails(t, r.plugin, r.compileArgs(addProgram, []byte{0xff}), capi.ErrorCodeInvalidArgument, "failed to deserialize CompileOptionsProto")
	fails(t, r.plugin, r.compileArgs(addProgram, []byte{0x1a, 4, 0x20, 9, 0x28, 1}), capi.ErrorCodeInvalidArgument, "No matching device found")
	args := r.compileArgs(addProgram, oneDevice)
	args.Program.Format, args.Program.FormatSize = capi.StringData("x")
	fails(t, r.plugin, args, capi.ErrorCodeInvalidArgument, "Unknown program format 'x'.")
}

func cpuSerialize(t *testing.T) {
	r := newRig(t)
	e := r.executable(t, r.compile(t, addProgram, oneDevice))
	s := do(t, r.plugin, capi.ExecutableSerializeArgs{Executable: e})
	bytes := capi.Bytes(s.SerializedBytes, s.SerializedBytesSize)
	s.SerializedExecutableDeleter.Call(s.SerializedExecutable)
	assert.Greater(t, len(bytes), 1000)

	args := capi.ExecutableDeserializeAndLoadArgs{Client: r.client}
	args.SerializedExecutable, args.SerializedExecutableSize = capi.BytesData(bytes)
	again := do(t, r.plugin, args).LoadedExecutable
	a := r.upload(t, 0, []float32{1, 2, 3, 4})
	out := newExecution(again, 1, []*capi.Buffer{a, a}).run(t, r)[0][0]
	assert.Equal(t, []float32{2, 4, 6, 8}, download[float32](t, r, out))
	r.destroy(t, a, out)
	do(t, r.plugin, capi.LoadedExecutableDestroyArgs{Executable: again})

	args.SerializedExecutableSize /= 2
	fails(t, r.plugin, args, byAge(t, ages(capi.ErrorCodeInternal, capi.ErrorCodeInternal, capi.ErrorCodeInvalidArgument)), "")
}

func cpuDonation(t *testing.T) {
	r := newRig(t)
	exe := r.compile(t, donateProgram, oneDevice)
	a := r.upload(t, 0, []float32{1, 2, 3, 4})
	where := do(t, r.plugin, capi.BufferUnsafePointerArgs{Buffer: a}).BufferPointer
	out := newExecution(exe, 1, []*capi.Buffer{a}).run(t, r)[0][0]
	assert.Equal(t, []float32{2, 4, 6, 8}, download[float32](t, r, out))
	assert.Equal(t, where, do(t, r.plugin, capi.BufferUnsafePointerArgs{Buffer: out}).BufferPointer, "in place")
	assert.True(t, do(t, r.plugin, capi.BufferIsDeletedArgs{Buffer: a}).IsDeleted)
	fails(t, r.plugin, newExecution(exe, 1, []*capi.Buffer{a}).args, capi.ErrorCodeInvalidArgument, deletedOrDonated(t))
	r.destroy(t, a, out)

	b := r.upload(t, 0, []float32{1, 2, 3, 4})
	x := newExecution(exe, 1, []*capi.Buffer{b})
	x.options.NonDonatableInputIndices, x.options.NumNonDonatableInputIndices = first([]int64{0})
	out = x.run(t, r)[0][0]
	assert.False(t, do(t, r.plugin, capi.BufferIsDeletedArgs{Buffer: b}).IsDeleted)
	assert.Equal(t, []float32{1, 2, 3, 4}, download[float32](t, r, b))
	r.destroy(t, b, out)
}
