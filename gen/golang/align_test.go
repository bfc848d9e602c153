// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/model"
)

// withAligned returns the header of an extension with the struct Acme_Wide, which C aligns at 32
// bytes, and what the test changes in it.
func withAligned(change func(args, node *model.Struct, h *model.Header)) *model.Header {
	h := acme()
	h.Structs = append([]model.Struct{{Name: "Acme_Wide", Role: model.RoleStruct, Size: 32, Align: 32, Fields: []model.Field{
		{Name: "c", Kind: "int", Base: "char", Size: 1},
	}}}, h.Structs...)
	h.Places["struct Acme_Wide"] = model.Pos{Line: 3, Col: 1}
	change(&h.Structs[1], &h.Structs[2], h)
	return h
}

func TestStructsThatGoMakesAreNotAlignedMoreThanGoCan(t *testing.T) {
	t.Parallel()
	pointer := model.Field{Name: "wide", Kind: "pointer", Base: "Acme_Wide", Ptr: 1, Offset: 8, Size: 8}
	for name, test := range map[string]struct {
		change func(args, node *model.Struct, h *model.Header)
		want   string // empty if it is right
	}{
		"arguments": {
			func(args, _ *model.Struct, _ *model.Header) { args.Size, args.Align = 32, 32 },
			"struct Acme_Do_Args: C aligns it at 32 bytes, and Go aligns what it makes at 8: reduce the alignment of its fields",
		},
		"a field of arguments": {
			func(args, _ *model.Struct, _ *model.Header) {
				args.Size, args.Align = 64, 32
				args.Fields[1] = model.Field{Name: "wide", Kind: "struct", Base: "Acme_Wide", Offset: 32, Size: 32}
				args.Fields = args.Fields[:2]
			},
			"field wide: C aligns Acme_Wide (line 3) at 32 bytes, and Go aligns what it makes at 8: reduce the alignment, or let the field be a " +
				"pointer to a struct that the plugin makes, with the comment // out",
		},
		"an input": {
			func(args, _ *model.Struct, _ *model.Header) { args.Fields[1] = pointer },
			"field wide: C aligns Acme_Wide (line 3) at 32 bytes, and Go, which makes what an input points to, at 8: reduce the alignment, or " +
				"write // out if the plugin makes it",
		},
		"memory of the caller": {
			func(args, _ *model.Struct, _ *model.Header) {
				args.Fields[1] = pointer
				args.Fields[1].Dir = model.DirInOut
			},
			"field wide: C aligns Acme_Wide",
		},
		"an input of a typedef": {
			func(args, _ *model.Struct, h *model.Header) {
				args.Fields[1] = pointer
				args.Fields[1].Base = "Acme_Broad"
				h.Aliases = append(h.Aliases, model.Alias{Name: "Acme_Broad", Type: "Acme_Wide"})
			},
			"field wide: C aligns Acme_Wide",
		},
		"what an input leads to": {
			func(args, _ *model.Struct, h *model.Header) {
				args.Fields[1] = model.Field{Name: "options", Kind: "pointer", Base: "Acme_Options", Ptr: 1, Offset: 8, Size: 8}
				inner := pointer
				inner.Offset = 0
				h.Structs = append(h.Structs, model.Struct{Name: "Acme_Options", Role: model.RoleStruct, Size: 8, Align: 8, Fields: []model.Field{inner}})
			},
			"struct Acme_Do_Args: field options: field wide: C aligns Acme_Wide",
		},
		"an output": {func(args, _ *model.Struct, _ *model.Header) {
			args.Fields[1] = pointer
			args.Fields[1].Dir = model.DirOut
		}, ""},
		"the node": {func(_, node *model.Struct, _ *model.Header) {
			node.Size, node.Align, node.Fields[1].Offset = 64, 32, 32
		}, ""},
		"a struct that nothing needs": {func(_, _ *model.Struct, _ *model.Header) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, _, err := generateOutside(withAligned(test.change))
			if test.want != "" {
				assert.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			assert.Contains(t, string(files[0].Content), "C aligns it at 32 bytes and Go at 8: use pointers to those that C has\n// made, and make none.")
		})
	}
	// Package serve makes the nodes of the extensions that capi knows.
	core, ext := extension(core(nil))
	ext.Structs[1].Align, ext.Structs[1].Size = 64, 64
	_, err := generate(core, ext)
	assert.ErrorContains(t, err, "struct PJRT_Thing_Extension: C aligns it at 64 bytes")
}

// What C aligns more than Go is padded in Go, and not passed to functions.
func TestWhatOnlyPluginsMakeHasItsLayout(t *testing.T) {
	t.Parallel()
	files, _, err := generateOutside(withAligned(func(_, node *model.Struct, h *model.Header) {
		h.Structs = append(h.Structs, model.Struct{Name: "Acme_More", Role: model.RoleStruct, Size: 96, Align: 32, Fields: []model.Field{
			{Name: "a", Kind: "int", Base: "char", Size: 1},
			{Name: "wide", Kind: "struct", Base: "Acme_Wide", Offset: 32, Size: 32},
			{Name: "z", Kind: "int", Base: "int", Offset: 64, Size: 4},
		}})
		h.Callbacks = []model.Func{
			{Name: "Acme_Take", Form: "pointer-to-function", Ret: "void", Params: []model.Param{{Type: "Acme_Wide *", Name: "wide"}}},
			{Name: "Acme_Give", Form: "pointer-to-function", Ret: "Acme_Wide", Params: []model.Param{{Type: "int", Name: "i"}}},
			{Name: "Acme_Lend", Form: "pointer-to-function", Ret: "Acme_Wide *", Params: []model.Param{{Type: "int", Name: "i"}}},
		}
	}))
	require.NoError(t, err)
	text := string(files[0].Content)
	assert.Contains(t, text, "\tA    byte // a\n\t_    [31]byte\n\tWide AcmeWide // wide\n\tZ    int32    // z\n\t_    [28]byte\n")
	assert.NotContains(t, text, "func (f AcmeTake) Call")
	assert.NotContains(t, text, "func (f AcmeGive) Call")
	assert.Contains(t, text, "func (f AcmeLend) Call")
	assert.Contains(t, text, "It has a struct that C aligns more than Go does, so it cannot be called\n// from here.")
}
