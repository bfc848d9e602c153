// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/model"
)

// extension returns the header of an extension with one function that returns
// nothing, a flag after it, and the enum that the core needs for it.
func extension(h *model.Header) (core, ext *model.Header) {
	h.Enums = append(h.Enums, model.Enum{Name: "PJRT_Extension_Type", Size: 4, Values: []model.EnumValue{
		{Name: "PJRT_Extension_Type_Other", Value: 3}, {Name: "PJRT_Extension_Type_Thing", Value: 4},
	}})
	h.Structs = append(h.Structs, model.Struct{
		Name: "PJRT_Extension_Base", Role: model.RoleStruct, Size: 24, Align: 8, HasStructSize: true,
		Fields: []model.Field{
			{Name: "struct_size", Type: "size_t", Kind: "int", Base: "size_t", Offset: 0, Size: 8},
			{Name: "type", Type: "PJRT_Extension_Type", Kind: "enum", Base: "PJRT_Extension_Type", Offset: 8, Size: 4},
			{Name: "next", Type: "PJRT_Extension_Base *", Kind: "pointer", Base: "PJRT_Extension_Base", Ptr: 1, Offset: 16, Size: 8},
		},
	})
	return h, &model.Header{
		Path: "xla/pjrt/c/pjrt_c_api_thing_extension.h",
		Structs: []model.Struct{
			{
				Name: "PJRT_Thing_Stop_Args", Typedefs: []string{"PJRT_Thing_Stop_Args"}, Role: model.RoleArgs, Size: 8, Align: 8, HasStructSize: true,
				Fields: []model.Field{{Name: "struct_size", Type: "size_t", Kind: "int", Base: "size_t", Offset: 0, Size: 8}},
			},
			{
				Name: "PJRT_Thing_Extension", Typedefs: []string{"PJRT_Thing_Extension"}, Role: model.RoleExtension, Size: 40, Align: 8,
				Fields: []model.Field{
					{Name: "base", Type: "PJRT_Extension_Base", Kind: "struct", Base: "PJRT_Extension_Base", Offset: 0, Size: 24},
					{Name: "stop", Type: "PJRT_Thing_Stop *", Kind: "fnptr", Base: "PJRT_Thing_Stop", Ptr: 1, Offset: 24, Size: 8, Fn: "PJRT_Thing_Stop"},
					{Name: "stops_twice", Type: "bool", Kind: "bool", Base: "bool", Offset: 32, Size: 1},
				},
			},
		},
		Functions: []model.Func{{
			Name: "PJRT_Thing_Stop", Form: "function-type", Ret: "void", ArgsStruct: "PJRT_Thing_Stop_Args",
			Params: []model.Param{{Type: "PJRT_Thing_Stop_Args *", Name: "args"}},
		}},
		Tables: []model.Table{{Struct: "PJRT_Thing_Extension", ExtensionType: &model.ExtensionType{Name: "PJRT_Extension_Type_Thing"}}},
	}
}

func TestTheServedSideOfASmallHeader(t *testing.T) {
	t.Parallel()
	core, ext := extension(core(nil))
	files, err := generate(core, ext)
	require.NoError(t, err)
	plugin := files["serve/zz_plugin.go"]
	assert.Regexp(t, `Do +func\(\*capi\.DoArgs\) error // PJRT_Do; since API 0\.50\n`, plugin)
	assert.Regexp(t, `Thing +\*ThingExtension // PJRT_Thing_Extension\n`, plugin)
	assert.Contains(t, plugin, "bind(b, p.Do)\n\tif p.Thing != nil {\n\t\tp.Thing.bind(b)\n\t}\n")
	nodes := files["serve/zz_extensions.go"]
	assert.Regexp(t, `Stop +func\(\*capi\.ThingStopArgs\) // PJRT_Thing_Stop\n`, nodes)
	assert.Regexp(t, `StopsTwice +bool +// stops_twice\n`, nodes)
	assert.Contains(t, nodes, "b.open(capi.SectionExtension(capi.ExtensionTypeThing), []growth{{0, 33}})\n\tput(b, 32, x.StopsTwice)\n\tbindVoid(b, x.Stop)\n")
	sizes := files["serve/zz_sizes.go"]
	assert.NotContains(t, sizes, "ThingStopArgs", "it never grew")
}

func TestServedStructsThatGrewKeepTheirSizes(t *testing.T) {
	t.Parallel()
	files, err := generate(core(func(h *model.Header) {
		args := &h.Structs[0]
		args.Size = 56
		args.Fields = append(args.Fields,
			model.Field{Name: "options", Type: "PJRT_Options *", Kind: "pointer", Base: "PJRT_Options", Ptr: 1, Offset: 40, Size: 8},
			model.Field{Name: "num_lists", Type: "size_t", Kind: "int", Base: "size_t", Offset: 48, Size: 8},
			model.Field{Name: "lists", Type: "PJRT_Options *", Kind: "pointer", Base: "PJRT_Options", Ptr: 1, Offset: 56, Size: 8})
		args.Size, args.StructSize.Value, args.StructSize.LastField = 64, 64, "lists"
		h.Structs = append(h.Structs, model.Struct{
			Name: "PJRT_Options", Role: model.RoleStruct, Size: 8, Align: 8, HasStructSize: true,
			Fields: []model.Field{{Name: "struct_size", Type: "size_t", Kind: "int", Base: "size_t", Offset: 0, Size: 8}},
		})
	}))
	require.NoError(t, err)
	sizes := files["serve/zz_sizes.go"]
	assert.Contains(t, sizes, `(*capi.DoArgs)(nil).Function(): {{"options", 40, reflect.TypeFor[capi.Options](), []growth{{0, 8}}}},`)
	assert.NotContains(t, sizes, `"lists"`, "an array is not one struct")

	files, err = generate(core(func(h *model.Header) {
		f := &h.Structs[0].Fields
		(*f)[2], (*f)[4] = (*f)[4], (*f)[2]
		(*f)[2].Offset, (*f)[4].Offset = 16, 32
		h.Structs[0].StructSize.Value = 36
	}))
	require.NoError(t, err)
	assert.Contains(t, files["serve/zz_sizes.go"], "(*capi.DoArgs)(nil).Function(): {{0, 32}, {77, 36}},")
}

func TestNamesThatClashInPackageServeAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(core, ext *model.Header)
		want   string
	}{
		"a func and a field": {func(core, _ *model.Header) {
			core.Functions[0].Name = "PJRT_Minor"
			core.Structs[1].Fields[1].Name, core.Structs[1].Fields[1].Fn = "PJRT_Minor", "PJRT_Minor"
		}, "the func of PJRT_Minor in serve.Plugin would have a name that is taken by a hand-written declaration"},
		"an extension and a func": {func(core, _ *model.Header) {
			core.Functions[0].Name = "PJRT_Thing"
			core.Structs[1].Fields[1].Name, core.Structs[1].Fields[1].Fn = "PJRT_Thing", "PJRT_Thing"
		}, "the func of PJRT_Thing in serve.Plugin would have a name that is taken by xla/pjrt/c/pjrt_c_api_thing_extension.h"},
		"an extension and a type": {func(_, ext *model.Header) {
			ext.Structs[1].Name, ext.Structs[1].Typedefs = "PJRT_Hook", []string{"PJRT_Hook"}
			ext.Tables[0].Struct = "PJRT_Hook"
		}, "PJRT_Hook and a hand-written declaration of package serve would both be called Hook in Go"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			core, ext := extension(core(nil))
			c.change(core, ext)
			_, err := generate(core, ext)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
