// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package describe_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

func TestEveryFunctionIsDescribed(t *testing.T) {
	t.Parallel()
	n := 0
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			n++
			d := describe.Of(f)
			require.NotNil(t, d, f.Name)
			assert.Equal(t, f.Name, d.Name)
			assert.Same(t, d, describe.ByName(f.Name))
			assert.Equal(t, f.Size != 0, d.Args.Sized, f.Name)
			if f.Size != 0 {
				assert.Equal(t, f.Size, d.Args.Size, f.Name)
			}
		}
	}
	assert.Len(t, describe.Functions(), n)
	assert.Nil(t, describe.ByName("PJRT_No_Such"))
}

func TestFieldsAgreeWithTheSpansThatCallsClear(t *testing.T) {
	t.Parallel()
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			out := make(map[uintptr]bool)
			for _, z := range f.Zero {
				for at := z.Offset; at < z.Offset+z.Size; at++ {
					out[at] = true
				}
			}
			for _, field := range describe.Of(f).Args.Fields {
				if out[field.Offset] {
					assert.NotEqual(t, describe.In, field.Dir, "%s.%s", f.Name, field.Name)
				}
				if field.Dir == describe.In {
					assert.False(t, out[field.Offset], "%s.%s", f.Name, field.Name)
				}
			}
		}
	}
}

func TestFieldsNameWhatExists(t *testing.T) {
	t.Parallel()
	var check func(s *describe.Struct, fields []describe.Field)
	check = func(s *describe.Struct, fields []describe.Field) {
		for _, f := range fields {
			name := s.Name + "." + f.Name
			assert.LessOrEqual(t, f.Offset+f.Size, s.Size, name)
			for _, c := range f.Counts {
				if c != "" {
					require.NotNil(t, s.Field(c), name)
					assert.Contains(t, []describe.Kind{describe.Int, describe.Uint}, s.Field(c).Kind, name)
					assert.Zero(t, s.Field(c).Depth, name)
				}
			}
			if f.Sizes != "" {
				require.NotNil(t, s.Field(f.Sizes), name)
				assert.Equal(t, 1, s.Field(f.Sizes).Depth, name)
			}
			switch f.Kind {
			case describe.Record:
				require.NotNil(t, f.Struct, name)
			case describe.Enumerator:
				require.NotNil(t, f.Enum, name)
				assert.NotEmpty(t, f.Enum.Values, name)
			case describe.Handle:
				assert.NotEmpty(t, f.Type, name)
			case describe.Union:
				assert.NotEmpty(t, f.Members, name)
				check(s, f.Members)
			}
		}
	}
	for _, f := range describe.Functions() {
		check(f.Args, f.Args.Fields)
	}
	check(describe.StructByName("PJRT_NamedValue"), describe.StructByName("PJRT_NamedValue").Fields)
}

func TestSizesThatSomeVersionHadAreRight(t *testing.T) {
	t.Parallel()
	create := describe.ByName("PJRT_Client_Create").Args
	for size, want := range map[uintptr]bool{
		0: false, 8: true, 16: true, 20: false, 72: true, 75: false, 80: true, 88: true,
		96: true, 1000: true, // newer callers
	} {
		assert.Equal(t, want, create.SizeOK(size), size)
	}
	stats := describe.ByName("PJRT_Device_MemoryStats").Args
	assert.True(t, stats.SizeOK(185), "without the padding at the end")
	assert.True(t, stats.SizeOK(192), "with it")
	assert.False(t, stats.SizeOK(186))
}

func TestWhoDestroys(t *testing.T) {
	t.Parallel()
	buffer := describe.Destroys("PJRT_Buffer_Destroy")
	require.NotNil(t, buffer)
	assert.Equal(t, "PJRT_Buffer", buffer.Type)
	assert.Nil(t, describe.Destroys("PJRT_Buffer_Delete"))
	for function, fields := range map[string]map[string]bool{
		"PJRT_Client_BufferFromHostBuffer":              {"buffer": true, "done_with_host_buffer": true},
		"PJRT_Client_Devices":                           {"devices": false},
		"PJRT_Client_TopologyDescription":               {"topology": false},
		"PJRT_TopologyDescription_Create":               {"topology": true},
		"PJRT_LoadedExecutable_GetExecutable":           {"executable": true},
		"PJRT_Layouts_PJRT_Executable_GetOutputLayouts": {"layouts": false},
		"PJRT_Layouts_PJRT_Buffer_MemoryLayout":         {"layout": true},
	} {
		for field, want := range fields {
			f := describe.ByName(function).Args.Field(field)
			require.NotNil(t, f, field)
			assert.Equal(t, want, describe.Owns(function, f), "%s.%s", function, field)
		}
	}
}
