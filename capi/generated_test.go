// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

func TestCoreFunctionsFillTheTable(t *testing.T) {
	t.Parallel()
	functions := capi.Functions(capi.SectionCore)
	require.GreaterOrEqual(t, len(functions), 138)
	for i, f := range functions {
		assert.EqualValues(t, 40+8*i, f.Offset, f.Name)
		assert.Equal(t, capi.SectionCore, f.Section, f.Name)
	}
}

func TestEveryFunctionIsInItsSection(t *testing.T) {
	t.Parallel()
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			assert.Equal(t, s, f.Section, f.Name)
			switch {
			case s == capi.SectionProfiler:
				assert.Equal(t, capi.ErrorsProfiler, f.Errors, f.Name)
			default:
				assert.Equal(t, capi.ErrorsPJRT, f.Errors, f.Name)
			}
		}
	}
	assert.Empty(t, capi.Functions(capi.SectionExtension(capi.ExtensionTypeProfiler)), "the profiler's table is a section of its own")
	assert.Empty(t, capi.Functions(255))
}

func TestFunctionsOfASectionAreInTheOrderOfTheirSlots(t *testing.T) {
	t.Parallel()
	for _, s := range capi.Sections() {
		last := uintptr(0)
		for _, f := range capi.Functions(s) {
			assert.Greater(t, f.Offset, last, f.Name)
			last = f.Offset
		}
	}
}

// The layouts are proven when the package's tests are compiled, on any system. This test compiles
// them with copies of files in which structs are laid out differently than in C.
func TestAStructWithAnotherLayoutDoesNotCompile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for name, edit := range map[string]func(text string) string{
		"zz_core_args.go": func(text string) string {
			text = strings.Replace(text, "type EventSetArgs struct {\n", "type EventSetArgs struct {\n\tOdd byte\n", 1)
			before, after, _ := strings.Cut(text, "type ClientDestroyArgs struct {\n")
			return before + "type ClientDestroyArgs struct {\n" + strings.Replace(after, "\n}\n", "\n\tOdd byte\n}\n", 1)
		},
		"zz_ext_gpu.go": func(text string) string {
			return strings.Replace(text, "\tAPIVersion int32\n", "\tOdd [2]uint64\n\tAPIVersion int32\n", 1)
		},
	} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		path, err := filepath.Abs(name)
		require.NoError(t, err)
		overlay.Replace[path] = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(overlay.Replace[path], []byte(edit(string(text))), 0o644))
	}
	list, err := json.Marshal(overlay)
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, list, 0o644))
	out, err := exec.Command("go", "test", "-c", "-o", os.DevNull, "-overlay", file, "-gcflags=-e", ".").CombinedOutput()
	require.Error(t, err)
	for _, want := range []string{
		"[unsafe.Sizeof(x)]byte{} (value of type [56]byte) as [48]byte value in argument to EventSetArgs\n",
		"[unsafe.Offsetof(x.StructSize)]byte{} (value of type [8]byte) as [0]byte value in argument to EventSetArgs\n",
		"[unsafe.Sizeof(x)]byte{} (value of type [32]byte) as [24]byte value in argument to ClientDestroyArgs\n",
		"[unsafe.Offsetof(x.HandlerInstantiate)]byte{} (value of type [48]byte) as [32]byte value in argument to GPURegisterCustomCallArgs\n",
	} {
		assert.Contains(t, string(out), want)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n")[1:] {
		assert.Regexp(t, `_layout_test\.go:\d+:\d+: cannot use .* value in argument to (EventSetArgs|ClientDestroyArgs|GPURegisterCustomCallArgs)$`, line)
	}
}

func TestDescriptorsSayWhatIsSpecialAboutAFunction(t *testing.T) {
	t.Parallel()
	create := new(capi.ClientCreateArgs).Function()
	assert.Equal(t, []capi.Span{{64, 8}}, create.Zero)
	assert.Equal(t, 61, create.GatedSince)

	destroy := new(capi.ErrorDestroyArgs).Function()
	assert.True(t, destroy.Void)

	// The program is memory of the caller, although the header marks it as out.
	assert.Empty(t, new(capi.ExecutableOptimizedProgramArgs).Function().Zero)
	assert.Empty(t, new(capi.TransfersClientCrossHostSendBuffersArgs).Function().Zero)

	// A field that keeps an output alive is an output too, whether or not it is marked.
	assert.Equal(t, []capi.Span{{24, 32}}, new(capi.ExecutableSerializeArgs).Function().Zero)
	assert.Equal(t, []capi.Span{{56, 40}}, new(capi.TritonCompileArgs).Function().Zero)

	execute := new(capi.LoadedExecutableExecuteArgs).Function()
	require.Len(t, execute.Nested, 1)
	assert.Equal(t, "PJRT_ExecuteOptions", execute.Nested[0].Struct)
	gated := func(g capi.Gate) bool { return g.Name == "num_custom_options" }
	assert.True(t, slices.ContainsFunc(execute.Nested[0].Gated, gated))
	assert.False(t, execute.Pure)

	assert.True(t, new(capi.EventIsReadyArgs).Function().Pure)
	for _, f := range capi.Functions(capi.SectionCore) {
		if f.Pure {
			assert.False(t, f.Void, f.Name)
			assert.NotEmpty(t, f.Zero, "%s is pure but has no out fields", f.Name)
		}
	}
}

func TestUnionsHoldOneMemberAtATime(t *testing.T) {
	t.Parallel()
	var v capi.NamedValue
	text := byte('x')
	v.SetStringValue(&text)
	assert.Same(t, &text, v.StringValue())
	v.SetInt64Value(-5)
	assert.EqualValues(t, -5, v.Int64Value())
	v.SetFloatValue(2.5)
	assert.EqualValues(t, 2.5, v.FloatValue())
	v.SetInt64Value(-1)
	v.SetBoolValue(true)
	assert.True(t, v.BoolValue())
	assert.Equal(t, [1]uint64{1}, v.Value, "the bytes of the previous member are gone")
	list := []int64{1, 2}
	v.SetInt64ArrayValue(&list[0])
	assert.Same(t, &list[0], v.Int64ArrayValue())

	var l capi.BufferMemoryLayout
	l.Tiled().NumTiles = 7
	assert.EqualValues(t, 7, l.Layout[6])
	l.Strides().NumByteStrides = 3
	assert.EqualValues(t, 3, l.Layout[3])
	assert.EqualValues(t, 3, l.Tiled().MinorToMajorSize, "the two members share their bytes")
	assert.EqualValues(t, 7, l.Tiled().NumTiles)
}
