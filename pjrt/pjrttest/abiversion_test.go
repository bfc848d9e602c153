// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions/executables"
	"github.com/purepjrt/purepjrt/extensions/tpu"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// versions returns the versions of a new plugin's runtime and of an executable that it compiled.
func versions(t *testing.T, opts pjrttest.Options) (w *world, runtime, executable executables.ABIVersion) {
	t.Helper()
	w = start(t, opts)
	exe := w.compile(t, "identity", "() -> ()", nil)
	defer exe.Close()
	runtime, err := executables.RuntimeABIVersion(w.c)
	require.NoError(t, err)
	executable, err = executables.ABIVersionOf(exe.Executable)
	require.NoError(t, err)
	return w, runtime, executable
}

func TestARuntimeRunsExecutablesOfItsPlatformAndVersion(t *testing.T) {
	t.Parallel()
	w, runtime, executable := versions(t, pjrttest.Options{})
	assert.NotZero(t, runtime.Platform)
	assert.Equal(t, runtime.Platform, executable.Platform)
	for name, c := range map[string]struct {
		of  pjrttest.Options
		why string // empty if they fit
	}{
		"the same plugin, started again": {pjrttest.Options{}, ""},
		"one with more devices":          {pjrttest.Options{Devices: 4, Attributes: []pjrt.Attribute{{Name: "x", Value: int64(1)}}}, ""},
		"another version":                {pjrttest.Options{PlatformVersion: "pjrttest 2"}, `platform version "pjrttest 2", but the runtime has "pjrttest 1"`},
		"another platform":               {pjrttest.Options{PlatformName: "toy"}, "the platform with the id"},
	} {
		_, otherRuntime, otherExecutable := versions(t, c.of)
		assert.Equal(t, c.of.PlatformName == "", otherRuntime.Platform == runtime.Platform, name)
		for _, err := range []error{
			executables.RuntimeRuns(w.p.Plugin(), runtime, otherExecutable), executables.RuntimeReplaces(w.p.Plugin(), runtime, otherRuntime),
		} {
			if c.why == "" {
				assert.NoError(t, err, name)
				continue
			}
			assert.ErrorIs(t, err, pjrt.ErrFailedPrecondition, name)
			assert.ErrorContains(t, err, c.why, name)
		}
	}
	require.NoError(t, executables.RuntimeRuns(w.p.Plugin(), runtime, executable))
	for name, proto := range map[string][]byte{
		"nothing": nil, "garbage": {0xff, 0xff}, "cut off": runtime.Proto[:len(runtime.Proto)-1],
		"a field too many": append(append([]byte(nil), runtime.Proto...), 0x18, 1),
	} {
		garbage := executables.ABIVersion{Platform: runtime.Platform, Proto: proto}
		assert.ErrorIs(t, executables.RuntimeRuns(w.p.Plugin(), runtime, garbage), pjrt.ErrInvalidArgument, name)
		assert.ErrorIs(t, executables.RuntimeRuns(w.p.Plugin(), garbage, executable), pjrt.ErrInvalidArgument, name)
	}
	settled(t, w.p)
}

func TestMetadataNamesTheProgram(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	var all []string
	for _, name := range []string{"identity", "double"} {
		exe := w.compile(t, name, "(%a: tensor<1xf32>) -> tensor<1xf32>", nil)
		m, err := executables.Metadata(exe.Executable)
		require.NoError(t, err)
		again, err := executables.Metadata(exe.Executable)
		require.NoError(t, err)
		assert.Equal(t, m, again)
		assert.Contains(t, string(m), name)
		all = append(all, string(m))
		require.NoError(t, exe.Close())
	}
	assert.NotEqual(t, all[0], all[1])
	settled(t, w.p)
}

func TestTheLatestCallbackOfAClientIsCalled(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{})
	other, err := w.p.Plugin().NewClient(w.ctx, nil)
	require.NoError(t, err)
	var calls []string
	note := func(name string) func(error) { return func(err error) { calls = append(calls, name+": "+err.Error()) } }
	require.NoError(t, tpu.InvokeFatal(w.c, pjrt.ErrInternal), "nothing is registered")
	require.NoError(t, tpu.OnFatal(w.c, note("first")))
	require.NoError(t, tpu.OnFatal(w.c, note("second")))
	require.NoError(t, tpu.OnFatal(other, note("other")))
	require.NoError(t, tpu.OnSliceFailure(w.c, func(why tpu.SliceFailure) { calls = append(calls, why.String()) }))
	require.NoError(t, tpu.InvokeFatal(w.c, &pjrt.Error{Code: pjrt.ErrDataLoss, Message: "the bits are gone"}))
	require.NoError(t, tpu.InvokeSliceFailure(w.c, capi.CallbackTPUSliceFailureTypeInitError))
	require.Len(t, calls, 2)
	assert.Contains(t, calls[0], "second: ")
	assert.Contains(t, calls[0], "the bits are gone")
	assert.Equal(t, capi.CallbackTPUSliceFailureTypeInitError.String(), calls[1])
	require.NoError(t, other.Close())
	settled(t, w.p)
}
