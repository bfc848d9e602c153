// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

func TestArgsThatAreTooSmallAreRefused(t *testing.T) {
	tab := table(t, everything())
	checked := 0
	for _, f := range allFunctions() {
		if f.Size == 0 || f.Void {
			continue
		}
		for _, size := range []uintptr{0, 8, f.Size - 1} {
			w := new(words)
			w[0] = size
			e := refused(t, rawCall(t, tab, f, w.args()))
			assert.Equal(t, capi.ErrorCodeInvalidArgument, e.Code, "%s: %d", f.Name, size)
			assert.Contains(t, e.Message, fmt.Sprintf("struct_size is %d, and in API 0.%d the struct has %d bytes", size, capi.APIMinor, f.Size))
			assert.Contains(t, e.Message, f.Name)
		}
		for _, size := range []uintptr{f.Size, f.Size + 1, f.Size + 64, ^uintptr(0)} {
			w := new(words)
			w[0] = size
			if h := rawCall(t, tab, f, w.args()); h != nil {
				assert.NotContains(t, refused(t, h).Message, "struct_size", "%s: %d", f.Name, size)
			}
		}
		checked++
	}
	assert.Greater(t, checked, 250)
}

func TestFunctionsWithoutAResultIgnoreArgsThatAreTooSmall(t *testing.T) {
	called := false
	tab := table(t, &serve.Plugin{
		PhaseCompile: &serve.PhaseCompileExtension{PhaseCompileDestroyCompiler: func(*capi.PhaseCompileDestroyCompilerArgs) { called = true }},
	})
	var c capi.Call[capi.PhaseCompileDestroyCompilerArgs]
	_, err := c.Raw(tab)
	require.NoError(t, err)
	assert.False(t, called)
	require.NoError(t, c.Do(tab))
	assert.True(t, called)
}

func TestNullArgsAreRefused(t *testing.T) {
	tab := table(t, everything())
	for _, f := range allFunctions() {
		if h := rawCall(t, tab, f, nil); !f.Void {
			assert.Equal(t, capi.ErrorCodeInvalidArgument, refused(t, h).Code, f.Name)
		}
	}
}

func TestAnOlderCallersArgsAreReadAndWrittenAsFarAsTheyGo(t *testing.T) {
	tab := table(t, &serve.Plugin{Minor: 112, DeviceMemoryStats: func(a *capi.DeviceMemoryStatsArgs) error {
		assert.EqualValues(t, 185, a.StructSize)
		assert.EqualValues(t, 0, a.PeakAllocatedBytes, "the caller has no such field")
		a.BytesInUse = 123
		a.PeakAllocatedBytes = 456
		return nil
	}})
	const mark = ^uintptr(0)
	w := new(words)
	for i := range w {
		w[i] = mark
	}
	w[0], w[1], w[2] = 185, 0, 0
	require.Nil(t, rawCall(t, tab, (*capi.DeviceMemoryStatsArgs)(nil).Function(), w.args()))
	assert.EqualValues(t, 123, (*capi.DeviceMemoryStatsArgs)(w.args()).BytesInUse)
	for i := 192 / 8; i < len(w); i++ {
		assert.Equal(t, mark, w[i], "word %d, which is not part of the caller's struct", i)
	}
	for _, b := range unsafe.Slice((*byte)(unsafe.Add(w.args(), 185)), 7) {
		assert.EqualValues(t, 0xff, b, "after the end of the caller's struct")
	}
}

func TestOptionsOfAnOlderCallerAreFilledUp(t *testing.T) {
	const size81 = 112
	options := new(words)
	for i := range options {
		options[i] = ^uintptr(0) // memory after the caller's options
	}
	theirs := (*capi.ExecuteOptions)(options.args())
	*theirs = capi.ExecuteOptions{StructSize: size81, LaunchID: 7}
	for i := size81 / 8; i < len(options); i++ {
		options[i] = ^uintptr(0)
	}
	called := false
	p := &serve.Plugin{Minor: 81, LoadedExecutableExecute: func(a *capi.LoadedExecutableExecuteArgs) error {
		called = true
		assert.EqualValues(t, 7, a.Options.LaunchID)
		assert.Nil(t, a.Options.MultiSliceConfig)
		assert.Zero(t, a.Options.NumHLOOutputCallbacks)
		a.Options.LaunchID = 8
		return nil
	}}
	tab := table(t, p)
	args := &capi.LoadedExecutableExecuteArgs{StructSize: capi.LoadedExecutableExecuteArgsSize, Options: theirs}
	require.Nil(t, rawCall(t, tab, args.Function(), unsafe.Pointer(args)))
	assert.True(t, called)
	assert.Same(t, theirs, args.Options, "the caller's pointer must come back")
	assert.EqualValues(t, 8, theirs.LaunchID)
	assert.Equal(t, ^uintptr(0), options[size81/8], "after the caller's options")
	theirs.LaunchID = 7

	theirs.StructSize = 88
	e := refused(t, rawCall(t, tab, args.Function(), unsafe.Pointer(args)))
	assert.Equal(t, capi.ErrorCodeInvalidArgument, e.Code)
	assert.Contains(t, e.Message, "options of PJRT_LoadedExecutable_Execute: struct_size is 88, and in API 0.81 the struct has 112 bytes")
	p.Minor = 76
	require.Nil(t, rawCall(t, table(t, p), args.Function(), unsafe.Pointer(args)))
}

func TestCallersOlderThanThePluginAreServedIfAsked(t *testing.T) {
	p := &serve.Plugin{
		Callers: serve.OldestMinor,
		DeviceMemoryStats: func(a *capi.DeviceMemoryStatsArgs) error {
			a.BytesInUse, a.PeakAllocatedBytes = 123, 456
			return nil
		},
		LoadedExecutableExecute: func(a *capi.LoadedExecutableExecuteArgs) error {
			assert.Zero(t, a.Options.Context, "a field that the caller does not have")
			return nil
		},
		DevicePoisonExecution: func(a *capi.DevicePoisonExecutionArgs) error {
			assert.Zero(t, a.NumPayload)
			return nil
		},
	}
	tab := table(t, p)
	w := new(words)
	for i := range w {
		w[i] = ^uintptr(0)
	}
	w[0], w[1], w[2] = 185, 0, 0
	stats := (*capi.DeviceMemoryStatsArgs)(nil).Function()
	require.Nil(t, rawCall(t, tab, stats, w.args()))
	assert.EqualValues(t, 123, (*capi.DeviceMemoryStatsArgs)(w.args()).BytesInUse)
	assert.Equal(t, ^uintptr(0), w[192/8], "after the caller's struct")

	options := new(words)
	for i := range options {
		options[i] = ^uintptr(0)
	}
	*(*capi.ExecuteOptions)(options.args()) = capi.ExecuteOptions{StructSize: 72, Context: (*capi.ExecuteContext)(options.args())}
	args := &capi.LoadedExecutableExecuteArgs{StructSize: capi.LoadedExecutableExecuteArgsSize,
		Options: (*capi.ExecuteOptions)(options.args())}
	require.Nil(t, rawCall(t, tab, args.Function(), unsafe.Pointer(args)))

	// A function newer than the callers counts as having its first version.
	poison := &capi.DevicePoisonExecutionArgs{StructSize: 49, NumPayload: 9}
	require.Nil(t, rawCall(t, tab, poison.Function(), unsafe.Pointer(poison)))

	for size, call := range map[uintptr]func(size uintptr) *capi.ErrorHandle{
		184: func(size uintptr) *capi.ErrorHandle { w[0] = size; return rawCall(t, tab, stats, w.args()) },
		71: func(size uintptr) *capi.ErrorHandle {
			args.Options.StructSize = size
			return rawCall(t, tab, args.Function(), unsafe.Pointer(args))
		},
		48: func(size uintptr) *capi.ErrorHandle {
			poison.StructSize = size
			return rawCall(t, tab, poison.Function(), unsafe.Pointer(poison))
		},
	} {
		e := refused(t, call(size))
		assert.Equal(t, capi.ErrorCodeInvalidArgument, e.Code)
		assert.Contains(t, e.Message, fmt.Sprintf("struct_size is %d, and in API 0.57 the struct has %d bytes", size, size+1))
		assert.Regexp(t, fmt.Sprintf(`, and (%d|%d|%d) in API 0\.%d: .* this plugin of API 0\.%[4]d supports`,
			capi.DeviceMemoryStatsArgsSize, capi.ExecuteOptionsSize, capi.DevicePoisonExecutionArgsSize, capi.APIMinor), e.Message)
	}
	p.Callers = 0
	tab = table(t, p)
	w[0] = 185
	refused(t, rawCall(t, tab, stats, w.args()))
}

// TestAnUnderstatedSizeIsNotAShortStruct is about PJRT_Plugin_Attributes, whose
// size constant left num_attributes out until API 0.71.
func TestAnUnderstatedSizeIsNotAShortStruct(t *testing.T) {
	p := &serve.Plugin{Minor: 70, PluginAttributes: func(a *capi.PluginAttributesArgs) error {
		a.NumAttributes = 3
		return nil
	}}
	args := &capi.PluginAttributesArgs{StructSize: 24}
	require.Nil(t, rawCall(t, table(t, p), args.Function(), unsafe.Pointer(args)))
	assert.EqualValues(t, 3, args.NumAttributes)
	p.Minor = 71
	assert.Equal(t, capi.ErrorCodeInvalidArgument, refused(t, rawCall(t, table(t, p), args.Function(), unsafe.Pointer(args))).Code)
}
