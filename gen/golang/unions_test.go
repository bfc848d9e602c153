// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/model"
)

// position returns a struct without a name at an offset, of two numbers.
func position(offset int64, dir model.Dir) model.Field {
	return model.Field{Anonymous: "struct", Offset: offset, Size: 8, Dir: dir, Doc: "Where it is.", Fields: []model.Field{
		{Name: "left", Type: "int", Kind: "int", Base: "int", Offset: offset, Size: 4},
		{Name: "top", Type: "float", Kind: "float", Base: "float", Offset: offset + 4, Size: 4},
	}}
}

func TestFieldsOfStructsWithoutANameAreFields(t *testing.T) {
	t.Parallel()
	given := core(func(h *model.Header) {
		h.Structs[0].Fields[2] = model.Field{Anonymous: "struct", Offset: 16, Size: 8, Fields: []model.Field{position(16, model.DirOut)}}
	})
	files, err := generate(given)
	require.NoError(t, err)
	assert.Contains(t, files["zz_core_args.go"], `	Client     *Client // client
	// left (out): Where it is.
	Left  int32
	Top   float32 // top (out)
	Value int64   // value (out)
`)
	assert.NotContains(t, files["zz_core_args.go"], "SetLeft")
	assert.Contains(t, files["zz_functions.go"], "Zero: []Span{{Offset: 16, Size: 17}}", "a function fills them, as the struct's comment says")
	assert.Contains(t, files["describe/zz_describe.go"], `{Name: "left", Offset: 16, Size: 4, Kind: Int, Elem: 4, Dir: Out},`)
	assert.Contains(t, files["zz_core_layout_test.go"], "[unsafe.Offsetof(x.Left)]byte{}")
	assert.Len(t, given.Structs[0].Fields, 5, "the caller's header remains as it is")
}

func TestMembersOfAUnionAreAloneUnlessAStructHasThem(t *testing.T) {
	t.Parallel()
	either := model.Field{Anonymous: "union", Offset: 0, Size: 16, Fields: []model.Field{
		{Name: "whole", Kind: "float", Base: "double", Size: 8},
		position(0, model.DirNone),
		{Anonymous: "struct", Size: 16, Fields: []model.Field{
			{Name: "number", Kind: "int", Base: "int64_t", Size: 8},
			{Anonymous: "union", Offset: 8, Size: 8, Fields: []model.Field{
				{Name: "word", Kind: "int", Base: "int32_t", Offset: 8, Size: 4},
				{Anonymous: "union", Offset: 8, Size: 8, Fields: []model.Field{{Name: "text", Kind: "pointer", Base: "char", Ptr: 1, Offset: 8, Size: 8}}},
			}},
		}},
	}}
	files, err := generate(core(func(h *model.Header) {
		h.Structs = append(h.Structs, model.Struct{Name: "PJRT_Either", Role: model.RoleStruct, Size: 16, Align: 8, Fields: []model.Field{either}})
	}))
	require.NoError(t, err)
	text := files["zz_core_structs.go"]
	for _, want := range []string{
		"Union [2]uint64\n",
		"func (u *Either) SetWhole(value float64) {\n\tu.Union = [2]uint64{}\n\t*(*float64)(unsafe.Pointer(&u.Union)) = value\n}",
		"func (u *Either) SetTop(value float32) {\n\t*(*float32)(unsafe.Add(unsafe.Pointer(&u.Union), 4)) = value\n}",
		"func (u *Either) SetNumber(value int64) {\n\t*(*int64)(unsafe.Pointer(&u.Union)) = value\n}",
		"func (u *Either) SetWord(value int32) {\n\t*(*[8]byte)(unsafe.Add(unsafe.Pointer(&u.Union), 8)) = [8]byte{}\n",
		"func (u *Either) SetText(value *byte) {\n\t*(*[8]byte)(unsafe.Add(unsafe.Pointer(&u.Union), 8)) = [8]byte{}\n",
		"// SetTop sets PJRT_Either.top and leaves the rest of the union as it is.\n",
		"// SetWord makes PJRT_Either.word the member in use.\n",
	} {
		assert.Contains(t, text, want)
	}
	assert.Contains(t, files["describe/zz_describe.go"], `{Name: "whole", Offset: 0, Size: 8, Kind: Float, Elem: 8},
		{Name: "left", Offset: 0, Size: 4, Kind: Int, Elem: 4},
		{Name: "top", Offset: 4, Size: 4, Kind: Float, Elem: 4},
		{Name: "number", Offset: 0, Size: 8, Kind: Int, Elem: 8},
`)
}

// A union has the alignment of its members, whatever its place and its size.
func TestUnionsHaveTheAlignmentOfTheirMembers(t *testing.T) {
	t.Parallel()
	array := func(base string, n, size int64) model.Field {
		return model.Field{Name: "x_" + base, Kind: "array", Base: base, Array: []int64{n}, Offset: 8, Size: size}
	}
	callback := model.Field{Name: "call", Kind: "fnptr", Offset: 8, Size: 8, Sig: &model.Signature{Ret: "void"}}
	for want, members := range map[string][]model.Field{
		"[8]byte":   {array("char", 8, 8)},
		"[4]uint16": {array("char", 8, 8), array("int16_t", 4, 8)},
		"[2]uint32": {array("char", 8, 8), array("float", 2, 8)},
		"[1]uint64": {array("char", 8, 8), callback},
	} {
		files, err := generate(core(func(h *model.Header) {
			h.Structs = append(h.Structs, model.Struct{Name: "PJRT_Either", Role: model.RoleStruct, Size: 16, Align: 8, Fields: []model.Field{
				{Name: "before", Kind: "int", Base: "int64_t", Size: 8},
				{Anonymous: "union", Offset: 8, Size: 8, Fields: members},
			}})
		}))
		require.NoError(t, err)
		assert.Regexp(t, `\tUnion +\Q`+want+`\E\n`, files["zz_core_structs.go"])
		if want == "[1]uint64" {
			assert.Contains(t, files["zz_core_callbacks.go"], "type EitherCall uintptr")
		}
	}
}
