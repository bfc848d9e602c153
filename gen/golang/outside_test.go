// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/model"
)

// acme returns the header of an extension with one function.
func acme() *model.Header {
	three := int64(3000)
	return &model.Header{
		Path:   "acme.h",
		Macros: []model.Macro{{Name: "ACME_EXTENSION_TYPE", Value: &three}},
		Structs: []model.Struct{
			{Name: "Acme_Do_Args", Role: model.RoleArgs, Size: 24, Align: 8, HasStructSize: true, Fields: []model.Field{
				{Name: "struct_size", Kind: "int", Base: "size_t", Size: 8},
				{Name: "client", Kind: "pointer", Base: "PJRT_Client", Ptr: 1, Offset: 8, Size: 8, Dir: model.DirOut},
				{Name: "other", Kind: "pointer", Base: "PJRT_Client", Ptr: 1, Offset: 16, Size: 8, Dir: model.DirOut, Doc: "Null if there is no other."},
			}},
			{Name: "Acme_Extension", Role: model.RoleExtension, Size: 32, Align: 8, Fields: []model.Field{
				{Name: "base", Kind: "struct", Base: "PJRT_Extension_Base", Size: 24},
				{Name: "do", Kind: "fnptr", Offset: 24, Size: 8, Sig: &model.Signature{
					Ret: "PJRT_Error *", Params: []model.Param{{Type: "Acme_Do_Args *", Name: "args"}},
				}},
			}},
		},
		Places: map[string]model.Pos{"struct Acme_Extension": {Line: 9, Col: 8}, "Acme_Extension.do": {Line: 11, Col: 4}},
	}
}

func generateOutside(h *model.Header) ([]File, *Extension, error) {
	base := core(func(h *model.Header) {
		h.Structs = append(h.Structs, model.Struct{
			Name: "PJRT_Extension_Base", Role: model.RoleStruct, Size: 24, Align: 8, Fields: []model.Field{
				{Name: "struct_size", Kind: "int", Base: "size_t", Size: 8},
				{Name: "type", Kind: "int", Base: "int", Offset: 8, Size: 4},
				{Name: "next", Kind: "pointer", Base: "void", Ptr: 1, Offset: 16, Size: 8},
			},
		})
	})
	return GenerateExtension(ExtensionInput{
		Package: "capi", Header: h, Known: []*model.Header{base}, Since: func(*model.Header, string) int { return 0 },
	})
}

func TestGenerateExtension(t *testing.T) {
	t.Parallel()
	files, found, err := generateOutside(acme())
	require.NoError(t, err)
	assert.Equal(t, &Extension{Struct: "Acme_Extension", Type: 3000, Functions: 1}, found)
	require.Len(t, files, 2)
	text := string(files[0].Content)
	// A package may have the name of one that it uses.
	assert.Contains(t, text, OutsideMarker+"\n"+OutsideSource+"acme.h, read with the headers of PJRT API 0.90.\n\npackage capi\n")
	assert.Contains(t, text, "\"github.com/purepjrt/purepjrt/capi\"")
	assert.Contains(t, text, "Results: []capi.Result{{Name: \"client\", Offset: 8}}},\n}\n")
	assert.NotContains(t, text, "{Name: \"other\"", "it may be null")
	assert.NotContains(t, text, "Do(", "what the core declares is not declared again")
	again, _, err := generateOutside(acme())
	require.NoError(t, err)
	assert.Equal(t, files, again)
}

func TestErrorsSayWhere(t *testing.T) {
	t.Parallel()
	h := acme()
	h.Structs[1].Fields[1].Sig.Ret = "int"
	_, _, err := generateOutside(h)
	require.EqualError(t, err, "acme.h:11:4: struct Acme_Extension: field do: it returns int, which is not the error type of this table")
	delete(h.Places, "Acme_Extension.do")
	_, _, err = generateOutside(h)
	require.ErrorContains(t, err, "acme.h:9:8: ")
	h.Places = nil
	_, _, err = generateOutside(h)
	require.ErrorContains(t, err, "acme.h:1:1: ")

	_, _, err = GenerateExtension(ExtensionInput{Package: "acme", Header: acme()})
	require.EqualError(t, err, "pjrt_c_api.h is not among the headers")
}

func TestNullInComments(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]bool{
		"": false, "The client.": false, "Null if there is none.": true, "may be NULL": true, "or nullptr.": true, "annulled": false,
	} {
		assert.Equal(t, want, saysNull(doc), doc)
	}
}
