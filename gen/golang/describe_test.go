// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

func TestTheTablesOfDescriptionsNameWhatTheHeadersHave(t *testing.T) {
	t.Parallel()
	const root = "../../third_party/xla"
	paths, err := header.Tree(root)
	require.NoError(t, err)
	fields := make(map[string]bool)
	for _, p := range paths {
		h, err := header.Parse(p, header.Options{IncludeDirs: []string{root}})
		require.NoError(t, err)
		for _, s := range h.Structs {
			for _, f := range s.Fields {
				fields[s.Name+"."+f.Name] = true
			}
		}
	}
	keys := slices.Concat(slices.Collect(maps.Keys(countedBy)), slices.Collect(maps.Keys(sizedBy)), slices.Collect(maps.Keys(undescribed)),
		slices.Collect(maps.Keys(zeroTerminated)), slices.Collect(maps.Keys(filled)), slices.Collect(maps.Keys(countedOut)),
		slices.Collect(maps.Keys(mayBeNull)))
	for _, k := range keys {
		assert.True(t, fields[k], k)
	}
	siblings := func(key string, names ...string) {
		s, _, _ := strings.Cut(key, ".")
		for _, n := range names {
			assert.True(t, n == "" || fields[s+"."+n], "%s: %s", key, n)
		}
	}
	for k, v := range countedBy {
		siblings(k, v...)
	}
	for k, v := range sizedBy {
		siblings(k, v)
	}
}

func TestAFieldIsDescribedByItsType(t *testing.T) {
	t.Parallel()
	files, err := generate(core(func(h *model.Header) {
		args := &h.Structs[0]
		args.Size, args.StructSize.LastField, args.StructSize.Value = 80, "dims", 80
		args.Fields = append(args.Fields,
			model.Field{Name: "name", Type: "const char *", Kind: "pointer", Base: "char", Ptr: 1, Offset: 40, Size: 8},
			model.Field{Name: "name_size", Type: "size_t", Kind: "int", Base: "size_t", Offset: 48, Size: 8},
			model.Field{Name: "user_arg", Type: "void *", Kind: "pointer", Base: "void", Ptr: 1, Offset: 56, Size: 8},
			model.Field{Name: "num_dims", Type: "size_t", Kind: "int", Base: "size_t", Offset: 64, Size: 8, Dir: model.DirOut},
			model.Field{Name: "dims", Type: "int64_t *", Kind: "pointer", Base: "int64_t", Ptr: 1, Offset: 72, Size: 8, Dir: model.DirOut},
		)
	}))
	require.NoError(t, err)
	text := files["describe/zz_describe.go"]
	for _, want := range []string{
		`{Name: "client", Offset: 8, Size: 8, Kind: Handle, Type: "PJRT_Client", Elem: 8},`,
		`{Name: "new_input", Offset: 16, Size: 4, Kind: Int, Elem: 4, Since: 77},`,
		`{Name: "ok", Offset: 32, Size: 1, Kind: Bool, Elem: 1, Dir: Out},`,
		`{Name: "name", Offset: 40, Size: 8, Kind: Text, Elem: 1, Counts: []string{"name_size"}},`,
		`{Name: "user_arg", Offset: 56, Size: 8, Kind: Address},`,
		`{Name: "dims", Offset: 72, Size: 8, Kind: Int, Elem: 8, Depth: 1, Counts: []string{"num_dims"}, Dir: Out},`,
		`{"PJRT_Do", &structDoArgs},`,
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, `"struct_size"`)
}

func TestWhatCannotBeDescribedIsNamed(t *testing.T) {
	t.Parallel()
	for want, field := range map[string]model.Field{
		"pjrt_c_api.h:7:3: struct PJRT_Do_Args: field names: a list of texts, and nothing says where their lengths are: name the field that " +
			"has them in the table sizedBy of gen/golang/describe.go (one called names_sizes would be found)": {Name: "names", Type: "char **", Kind: "pointer", Base: "char", Ptr: 2, Offset: 40, Size: 8},
	} {
		_, err := generate(core(func(h *model.Header) {
			args := &h.Structs[0]
			args.Size, args.StructSize.LastField, args.StructSize.Value = 56, "num_names", 56
			h.Places = map[string]model.Pos{"PJRT_Do_Args.names": {Line: 7, Col: 3}}
			args.Fields = append(args.Fields, field,
				model.Field{Name: "num_names", Type: "size_t", Kind: "int", Base: "size_t", Offset: 48, Size: 8})
		}))
		assert.ErrorContains(t, err, want)
	}
}

func TestLengthsOfTextsAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	for texts, sizes := range map[string]string{
		"names": "names_sizes", "kinds": "kind_sizes", "addresses": "address_sizes", "parts": "parts_lengths", "words": "word_lens",
	} {
		files, err := generate(core(func(h *model.Header) {
			args := &h.Structs[0]
			args.Size, args.StructSize.LastField, args.StructSize.Value = 64, "num_texts", 64
			args.Fields = append(args.Fields,
				model.Field{Name: texts, Type: "const char **", Kind: "pointer", Base: "char", Ptr: 2, Offset: 40, Size: 8, Dir: model.DirOut},
				model.Field{Name: sizes, Type: "size_t *", Kind: "pointer", Base: "size_t", Ptr: 1, Offset: 48, Size: 8, Dir: model.DirOut},
				model.Field{Name: "num_" + texts, Type: "size_t", Kind: "int", Base: "size_t", Offset: 56, Size: 8, Dir: model.DirOut})
		}))
		require.NoError(t, err)
		for _, want := range []string{
			`{Name: "` + texts + `", Offset: 40, Size: 8, Kind: Text, Elem: 1, Depth: 1, Counts: []string{"num_` + texts + `"}, Sizes: "` + sizes + `", Dir: Out},`,
			`{Name: "` + sizes + `", Offset: 48, Size: 8, Kind: Uint, Elem: 8, Depth: 1, Counts: []string{"num_` + texts + `"}, Dir: Out},`,
		} {
			assert.Contains(t, files["describe/zz_describe.go"], want)
		}
		assert.Contains(t, files["zz_functions.go"], `Elem: 8, Sizes: 48}`, "the plugin's answer is checked")
	}
}
