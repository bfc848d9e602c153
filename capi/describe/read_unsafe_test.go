// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package describe_test

import (
	"encoding/json"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

func view[A any](args *A, size uintptr) describe.View {
	f := any(args).(capi.Arguments).Function()
	return describe.NewView(describe.Of(f).Args, unsafe.Pointer(args), size)
}

func text(format describe.Format, v describe.View, dir describe.Dir) string {
	return string(format.Append(nil, v, dir))
}

func upload() *capi.ClientBufferFromHostBufferArgs {
	dims := []int64{2, 3}
	return &capi.ClientBufferFromHostBufferArgs{
		StructSize: capi.ClientBufferFromHostBufferArgsSize,
		Client:     describe.PointerOf[capi.Client](0x1000), Type: capi.BufferTypeF32,
		Dims: &dims[0], NumDims: 2, Data: unsafe.Pointer(&[]float32{1, 2, 3, 4, 5, 6}[0]),
		Buffer: describe.PointerOf[capi.Buffer](0x2000),
	}
}

func TestACallIsWrittenAsText(t *testing.T) {
	t.Parallel()
	a := upload()
	v := view(a, a.StructSize)
	in := text(describe.Format{}, v, describe.In)
	assert.Regexp(t, `^client=0x1000, data=0x[0-9a-f]+, type=F32, dims=\[2, 3\], host_buffer_semantics=ImmutableOnlyDuringCall, device=null, memory=null$`, in)
	assert.Equal(t, "done_with_host_buffer=null, buffer=0x2000", text(describe.Format{}, v, describe.Out))
}

func TestACallIsWrittenAsJSON(t *testing.T) {
	t.Parallel()
	a := upload()
	var in map[string]any
	require.NoError(t, json.Unmarshal([]byte("{"+text(describe.Format{JSON: true}, view(a, a.StructSize), describe.In)+"}"), &in))
	assert.Equal(t, "0x1000", in["client"])
	assert.Equal(t, "F32", in["type"])
	assert.Equal(t, []any{2.0, 3.0}, in["dims"])
	assert.Equal(t, 2.0, in["num_dims"])
	assert.Nil(t, in["device_layout"])
}

func TestAShorterStructHasFewerFields(t *testing.T) {
	t.Parallel()
	a := upload()
	assert.Regexp(t, `^client=0x1000, data=0x[0-9a-f]+, type=F32$`, text(describe.Format{}, view(a, 40), describe.In))
	assert.Empty(t, text(describe.Format{}, view(a, 0), describe.In))
	assert.Empty(t, text(describe.Format{}, view(a, 40), describe.Out))
}

func TestNestedStructsTextsAndUnionsAreWritten(t *testing.T) {
	t.Parallel()
	code, size := capi.StringData("module {}")
	format, formatSize := capi.StringData("mlir")
	binary := []byte{1, 2, 0xff, 4}
	compile := &capi.ClientCompileArgs{
		StructSize:     capi.ClientCompileArgsSize,
		Program:        &capi.Program{StructSize: capi.ProgramSize, Code: code, CodeSize: size, Format: format, FormatSize: formatSize},
		CompileOptions: &binary[0], CompileOptionsSize: 4,
	}
	assert.Equal(t, `client=null, program={code="module {}", format="mlir"}, compile_options=<4 bytes 0102ff04>`,
		text(describe.Format{}, view(compile, compile.StructSize), describe.In))
	assert.Contains(t, text(describe.Format{MaxText: 4}, view(compile, compile.StructSize), describe.In), `code="modu... 9 bytes"`)

	options, err := capi.NewNamedValues([]capi.Attribute{{Name: "n", Value: int64(7)}, {Name: "s", Value: "x"}, {Name: "l", Value: []int64{1, 2}}})
	require.NoError(t, err)
	create := &capi.ClientCreateArgs{StructSize: capi.ClientCreateArgsSize}
	create.CreateOptions, create.NumOptions = options.Data()
	assert.Equal(t, `create_options=[{name="n", type=Int64, value=7}, {name="s", type=String, value="x"}, {name="l", type=Int64List, value=[1, 2]}]`,
		text(describe.Format{}, view(create, create.StructSize), describe.In))
}

func TestListsOfListsFollowTheirCounts(t *testing.T) {
	t.Parallel()
	b := func(n uintptr) *capi.Buffer { return describe.PointerOf[capi.Buffer](n) }
	rows := [][]*capi.Buffer{{b(1), b(2)}, {b(3), b(4)}}
	lists := []**capi.Buffer{&rows[0][0], &rows[1][0]}
	outs := [][]*capi.Buffer{{b(5)}, {b(6)}}
	outLists := []**capi.Buffer{&outs[0][0], &outs[1][0]}
	a := &capi.LoadedExecutableExecuteArgs{
		StructSize: capi.LoadedExecutableExecuteArgsSize, NumDevices: 2, NumArgs: 2,
		ArgumentLists: &lists[0], OutputLists: &outLists[0],
	}
	v := view(a, a.StructSize)
	assert.Contains(t, text(describe.Format{Inner: 1}, v, describe.In), "argument_lists=[[0x1, 0x2], [0x3, 0x4]]")
	assert.Contains(t, text(describe.Format{Inner: 1}, v, describe.Out), "output_lists=[[0x5], [0x6]]")
	var got []uintptr
	for _, s := range v.Slots(v.Struct.Field("argument_lists"), 0) {
		got = append(got, s.Get())
	}
	assert.Equal(t, []uintptr{1, 2, 3, 4}, got)
	v.Slots(v.Struct.Field("argument_lists"), 0)[2].Set(9)
	assert.Equal(t, b(9), rows[1][0])
}

func TestALongListIsCut(t *testing.T) {
	t.Parallel()
	dims := make([]int64, 20)
	a := upload()
	a.Dims, a.NumDims = &dims[0], 20
	assert.Contains(t, text(describe.Format{MaxList: 2}, view(a, a.StructSize), describe.In), "dims=[0, 0, ... 18 more]")
	assert.Contains(t, text(describe.Format{MaxList: 2, JSON: true}, view(a, a.StructSize), describe.In), `"dims":[0,0,"... 18 more"]`)
}

func TestMemoryThatAFunctionFillsIsNotReadBefore(t *testing.T) {
	t.Parallel()
	// Everything except code is garbage.
	p := &capi.Program{StructSize: capi.ProgramSize, FormatSize: 1 << 60, Format: (*byte)(unsafe.Pointer(new(int)))}
	a := &capi.ExecutableOptimizedProgramArgs{StructSize: capi.ExecutableOptimizedProgramArgsSize, Program: p}
	v := view(a, a.StructSize)
	assert.Regexp(t, `^executable=null, program=0x[0-9a-f]+$`, text(describe.Format{}, v, describe.In))
	p.CodeSize = 12
	assert.Equal(t, "program={code_size=12}", text(describe.Format{}, v, describe.Out))
}

func TestHostDataIsFoundWhereverItLies(t *testing.T) {
	t.Parallel()
	data := []float32{1, 2, 3, 4, 5, 6}
	bytesOf := func(x ...float32) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 4*len(x)) }
	for name, c := range map[string]struct {
		first   int
		strides []int64
		data    []byte // HostData
		array   []byte // HostArray
	}{
		"dense":      {0, nil, bytesOf(1, 2, 3, 4, 5, 6), bytesOf(1, 2, 3, 4, 5, 6)},
		"row major":  {0, []int64{12, 4}, bytesOf(1, 2, 3, 4, 5, 6), bytesOf(1, 2, 3, 4, 5, 6)},
		"transposed": {0, []int64{4, 8}, bytesOf(1, 2, 3, 4, 5, 6), bytesOf(1, 3, 5, 2, 4, 6)},
		"backwards":  {2, []int64{12, -4}, nil, bytesOf(3, 2, 1, 6, 5, 4)},
		"broadcast":  {0, []int64{0, 4}, nil, bytesOf(1, 2, 3, 1, 2, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := upload()
			a.Data = unsafe.Pointer(&data[c.first])
			if c.strides != nil {
				a.ByteStrides, a.NumByteStrides = &c.strides[0], uintptr(len(c.strides))
			}
			v := view(a, a.StructSize)
			assert.Equal(t, c.data, v.HostData())
			assert.Equal(t, c.array, v.HostArray())
		})
	}
}
