// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi/internal/gentest"
)

func TestGeneratedDeclarationsAgreeWithTheMeasuredHeaders(t *testing.T) {
	t.Parallel()
	facts := gentest.Facts(t, "..", APIMinor, func(path string) bool {
		return !strings.HasPrefix(path, "xla/ffi/")
	})
	gentest.Run(t, &index, facts)
}

func TestCoreFunctionsFillTheTable(t *testing.T) {
	t.Parallel()
	functions := Functions(SectionCore)
	require.Len(t, functions, 138)
	for i, f := range functions {
		assert.EqualValues(t, 40+8*i, f.Offset, f.Name)
		assert.Equal(t, SectionCore, f.Section, f.Name)
	}
}

func TestEveryFunctionIsInItsSection(t *testing.T) {
	t.Parallel()
	count := 0
	for _, s := range Sections() {
		for _, f := range Functions(s) {
			count++
			assert.Equal(t, s, f.Section, f.Name)
			switch {
			case s == SectionProfiler:
				assert.Equal(t, ErrorsProfiler, f.Errors, f.Name)
			default:
				assert.Equal(t, ErrorsPJRT, f.Errors, f.Name)
			}
		}
	}
	assert.Len(t, index.Functions, count)
}

func TestSpansLieInsideTheArguments(t *testing.T) {
	t.Parallel()
	sizes := make(map[string]uintptr)
	for _, f := range index.Functions {
		sizes[f.Name] = f.Args.Size()
	}
	for _, s := range Sections() {
		for _, f := range Functions(s) {
			end := uintptr(0)
			for _, z := range f.Zero {
				assert.GreaterOrEqual(t, z.Offset, end, "%s: spans overlap", f.Name)
				end = z.Offset + z.Size
			}
			assert.LessOrEqual(t, end, sizes[f.Name], f.Name)
			newest := 0
			for _, g := range f.Gated {
				newest = max(newest, g.Since)
				assert.Greater(t, g.Since, max(f.Since, OldestMinor), "%s.%s", f.Name, g.Name)
				assert.LessOrEqual(t, g.Offset+g.Size, sizes[f.Name], "%s.%s", f.Name, g.Name)
			}
			for _, n := range f.Nested {
				for _, g := range n.Gated {
					newest = max(newest, g.Since)
				}
			}
			assert.Equal(t, newest, f.GatedSince, f.Name)
		}
	}
}

func TestDescriptorsSayWhatIsSpecialAboutAFunction(t *testing.T) {
	t.Parallel()
	create := new(ClientCreateArgs).Function()
	assert.Equal(t, []Span{{64, 8}}, create.Zero)
	assert.Equal(t, 61, create.GatedSince)

	destroy := new(ErrorDestroyArgs).Function()
	assert.True(t, destroy.Void)

	// The program is memory of the caller, although the header marks it as out.
	assert.Empty(t, new(ExecutableOptimizedProgramArgs).Function().Zero)
	assert.Empty(t, new(TransfersClientCrossHostSendBuffersArgs).Function().Zero)

	// A field that keeps an output alive is an output too, whether or not it is marked.
	assert.Equal(t, []Span{{24, 32}}, new(ExecutableSerializeArgs).Function().Zero)
	assert.Equal(t, []Span{{56, 40}}, new(TritonCompileArgs).Function().Zero)

	execute := new(LoadedExecutableExecuteArgs).Function()
	require.Len(t, execute.Nested, 1)
	assert.Equal(t, "PJRT_ExecuteOptions", execute.Nested[0].Struct)
	assert.Equal(t, "num_custom_options", execute.Nested[0].Gated[len(execute.Nested[0].Gated)-1].Name)
	assert.False(t, execute.Pure)

	assert.True(t, new(EventIsReadyArgs).Function().Pure)
	for _, f := range Functions(SectionCore) {
		if f.Pure {
			assert.False(t, f.Void, f.Name)
			assert.NotEmpty(t, f.Zero, "%s is pure but has no out fields", f.Name)
		}
	}
}

func TestUnionsHoldOneMemberAtATime(t *testing.T) {
	t.Parallel()
	var v NamedValue
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

	var l BufferMemoryLayout
	l.Tiled().NumTiles = 7
	assert.EqualValues(t, 7, l.Layout[6])
	l.Strides().NumByteStrides = 3
	assert.EqualValues(t, 3, l.Layout[3])
	assert.EqualValues(t, 3, l.Tiled().MinorToMajorSize, "the two members share their bytes")
	assert.EqualValues(t, 7, l.Tiled().NumTiles)
}
