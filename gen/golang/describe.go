// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

const pathDescribe = pathCAPI + "/describe"

// countedBy are the fields that count what a pointer points to, where their
// names do not show it: the outermost first, by struct and pointer. An empty
// name stands for a number that the struct does not have.
var countedBy = map[string][]string{
	"JAX_CustomCallPartitioner_InferShardingFromOperands_Args.op_args":         {"num_args"},
	"JAX_CustomCallPartitioner_Partition_Args.args_sharding":                   {"num_args"},
	"JAX_CustomCallPartitioner_Partition_Args.op_args":                         {"num_args"},
	"JAX_CustomCallPartitioner_string.data":                                    {"size"},
	"PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args.transfer_metadata": {"num_metadata"},
	"PJRT_AsyncHostToDeviceTransferManager_TransferData_Args.data":             {"transfer_size"},
	"PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args.shape_dims":    {"shape_num_dims"},
	"PJRT_Buffer_CopyRawToHost_Args.dst":                                       {"transfer_size"},
	"PJRT_Buffer_DynamicDimensionIndices_Args.dynamic_dim_indices":             {"num_dynamic_dims"},
	"PJRT_Buffer_MemoryLayout_Tiled.tile_dim_sizes":                            {"num_tiles"},
	"PJRT_Executable_OutputDimensions_Args.dim_sizes":                          {"num_outputs"},
	"PJRT_Buffer_UnpaddedDimensions_Args.unpadded_dims":                        {"num_dims"},
	"PJRT_Chunk.data": {"size"},
	"PJRT_Client_CreateAliasBuffer_Args.shape_dims":                                 {"shape_num_dims"},
	"PJRT_Client_CreateErrorBuffer_Args.shape_dims":                                 {"shape_num_dims"},
	"PJRT_Client_CreateUninitializedBuffer_Args.shape_dims":                         {"shape_num_dims"},
	"PJRT_Client_Create_Args.create_options":                                        {"num_options"},
	"PJRT_Collectives_CreateCommunicators_Args.rank_ids":                            {"num_device_ranks"},
	"PJRT_Executable_OutputMemoryKinds_Args.memory_kinds":                           {"num_outputs"},
	"PJRT_Executable_ParameterMemoryKinds_Args.memory_kinds":                        {"num_parameters"},
	"PJRT_ExecuteOptions.incarnation_ids":                                           {"num_tasks"},
	"PJRT_ExecuteOptions.task_ids":                                                  {"num_tasks"},
	"PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args.layouts":                    {"num_outputs"},
	"PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args.layouts":                 {"num_parameters"},
	"PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args.incarnation_ids":       {"num_tasks"},
	"PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args.task_ids":              {"num_tasks"},
	"PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args.incarnation_ids":          {"num_tasks"},
	"PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args.task_ids":                 {"num_tasks"},
	"PJRT_LoadedExecutable_Execute_Args.argument_lists":                             {"num_devices", "num_args"},
	"PJRT_LoadedExecutable_Execute_Args.device_complete_events":                     {"num_devices"},
	"PJRT_LoadedExecutable_Execute_Args.output_lists":                               {"num_devices", ""},
	"PJRT_Megascale_GetInterfaceAddressesHelper_Args.serialized_addresses":          {"num_addresses"},
	"PJRT_RawBuffer_CopyRawDeviceToHost_Args.dst":                                   {"transfer_size"},
	"PJRT_RawBuffer_CopyRawHostToDevice_Args.src":                                   {"transfer_size"},
	"PJRT_Shardings_PJRT_Executable_OutputShardings_Args.shardings":                 {"num_outputs"},
	"PJRT_Shardings_PJRT_Executable_ParameterShardings_Args.shardings":              {"num_parameters"},
	"PJRT_TopologyDescription_Create_Args.create_options":                           {"num_options"},
	"PJRT_TpuExecutable_RunHloCostAnalysis_Args.hlo_module":                         {"num_hlo_modules"},
	"PJRT_TpuTopology_GetSliceConfigs_Args.slice_configs":                           {"num_slice_configs"},
	"PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args.buffers":               {"num_shapes"},
	"PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args.element_types":         {"num_shapes"},
	"PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args.shape_num_dims":        {"num_shapes"},
	"PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args.src_global_device_ids": {"num_shapes"},
	"PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args.transfer_keys":         {"num_shapes"},
	"PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args.dst_global_device_ids":    {"num_buffers"},
	"PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args.send_events":              {"num_buffers"},
	"PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args.transfer_keys":            {"num_buffers"},
	"PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args.element_types":     {"num_shapes"},
	"PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args.shape_num_dims":    {"num_shapes"},
	"PJRT_XlaTransform_string.data":                                                 {"size"},
}

// sizedBy are the fields that hold the lengths of the texts that a field of
// texts points to, where their names do not show it.
var sizedBy = map[string]string{
	"PJRT_TpuExecutable_RunHloCostAnalysis_Args.hlo_module": "hlo_module_size",
}

// undescribed are pointers that are of no use without the rest of the call:
// lists for each device, where another struct has the number of devices.
var undescribed = map[string]bool{
	"PJRT_ExecuteOptions.send_callbacks": true,
	"PJRT_ExecuteOptions.recv_callbacks": true,
}

// zeroTerminated are the texts that end with a zero byte, by struct and field.
var zeroTerminated = map[string]bool{
	"PJRT_ExecuteOptions.call_location": true,
}

// filled are pointers to memory of the caller that functions fill, though the
// header does not mark them.
var filled = map[string]bool{
	"PJRT_Buffer_CopyRawToHost_Args.dst":          true,
	"PJRT_RawBuffer_CopyRawDeviceToHost_Args.dst": true,
}

// countedOut are counts that functions fill, though the header does not mark
// them.
var countedOut = map[string]bool{
	"PJRT_Executable_OutputDimensions_Args.num_outputs":        true,
	"PJRT_Executable_OutputMemoryKinds_Args.num_outputs":       true,
	"PJRT_Executable_ParameterMemoryKinds_Args.num_parameters": true,
}

// describe writes the file of package describe: what the fields of the structs
// are, by their C names, for programs that handle all calls alike.
func (g *generator) describe() error {
	var core *unit
	for _, u := range g.order {
		if u.kind == unitCore {
			core = u
		}
	}
	s := g.sheet(core, "describe/zz_describe.go", allHeaders)
	s.file = jen.NewFilePathName(pathDescribe, "describe")
	s.file.HeaderComment(marker(allHeaders))
	f := s.add()

	var functions, structs []jen.Code
	for _, u := range g.order {
		if u.pkg != packageCAPI {
			continue
		}
		for _, t := range u.types {
			switch t.kind {
			case kindStruct:
				if !describable(t) {
					continue
				}
				if err := g.describeStruct(f, t); err != nil {
					return u.fail(at(t.item(), fmt.Errorf("struct %s: %w", t.c, err)))
				}
				structs = append(structs, jen.Line().Op("&").Id("struct"+t.goName))
			case kindEnum:
				_, texts := enumNames(u.pkg, t.c, valueNames(t.enum))
				var rows []jen.Code
				for i, v := range t.enum.Values {
					rows = append(rows, jen.Line().Values(jen.Lit(int(v.Value)), jen.Lit(texts[i])))
				}
				f.Var().Id("enum"+t.goName).Op("=").Id("Enum").Values(
					jen.Lit(t.c), jen.Index().Id("EnumValue").Values(append(rows, jen.Line())...))
			}
		}
		for _, t := range u.tables {
			for _, fn := range t.functions {
				functions = append(functions, jen.Line().Values(jen.Lit(fn.c), jen.Op("&").Id("struct"+fn.args.goName)))
			}
		}
	}
	f.Comment("// functions are the functions of all tables with their arguments.")
	f.Var().Id("functions").Op("=").Index(jen.Op("...")).Id("Function").Values(append(functions, jen.Line())...)
	f.Comment("// structs are all structs.")
	f.Var().Id("structs").Op("=").Index(jen.Op("...")).Op("*").Id("Struct").Values(append(structs, jen.Line())...)
	return nil
}

// describable reports whether a struct holds data: tables of functions do not.
func describable(t *typeInfo) bool {
	return t.st.Role == model.RoleArgs || t.st.Role == model.RoleStruct && !isObject(t)
}

// isObject reports whether a struct is an object with a table of functions in
// front, which is handled by its address.
func isObject(t *typeInfo) bool {
	return len(t.st.Fields) > 0 && t.st.Fields[0].Name == "vtable"
}

func (g *generator) describeStruct(f *jen.File, t *typeInfo) error {
	fields, err := g.describeFields(t, t.st.Fields, t.st)
	if err != nil {
		return err
	}
	f.Var().Id("struct"+t.goName).Op("=").Id("Struct").Values(
		jen.Id("Name").Op(":").Lit(t.c),
		jen.Id("Size").Op(":").Lit(int(dataEnd(t.st))),
		jen.Id("Sized").Op(":").Lit(t.st.HasStructSize),
		jen.Id("Fields").Op(":").Index().Id("Field").Values(append(fields, jen.Line())...))
	return nil
}

func (g *generator) describeFields(t *typeInfo, list []model.Field, whole *model.Struct) ([]jen.Code, error) {
	var out []jen.Code
	for i := range list {
		f := &list[i]
		if f.Name == "struct_size" || f.Name == "extension_start" {
			continue
		}
		items := []jen.Code{
			jen.Id("Name").Op(":").Lit(f.Name), jen.Id("Offset").Op(":").Lit(int(f.Offset)), jen.Id("Size").Op(":").Lit(int(f.Size)),
		}
		set := func(name string, value jen.Code) { items = append(items, jen.Id(name).Op(":").Add(value)) }
		if f.Anonymous != "" {
			members, err := g.describeFields(t, f.Fields, whole)
			if err != nil {
				return nil, err
			}
			if f.Anonymous == "struct" { // in a union
				out = append(out, members...)
				continue
			}
			items[0] = jen.Id("Name").Op(":").Lit(strings.ToLower(unionName(t.c)))
			set("Kind", jen.Id("Union"))
			set("Members", jen.Index().Id("Field").Values(append(members, jen.Line())...))
			out = append(out, jen.Line().Values(items...))
			continue
		}
		if err := g.describeType(t, f, whole, set); err != nil {
			return nil, at(t.st.Name+"."+f.Name, fmt.Errorf("field %s: %w", f.Name, err))
		}
		key := t.c + "." + f.Name
		switch {
		case f.Dir == model.DirInOut || callerMemory[key] || filled[key]:
			set("Dir", jen.Id("InOut"))
		case isOut(t, f) || countedOut[key]:
			set("Dir", jen.Id("Out"))
		}
		if minor := g.since(t.unit.header, key); minor > oldestMinor {
			set("Since", jen.Lit(minor))
		}
		out = append(out, jen.Line().Values(items...))
	}
	return out, nil
}

func unionName(c string) string {
	if name, ok := unionNames[c]; ok {
		return name
	}
	return "Union"
}

// describeType sets what a field's bytes mean.
func (g *generator) describeType(t *typeInfo, f *model.Field, whole *model.Struct, set func(string, jen.Code)) error {
	if f.Kind == "fnptr" {
		set("Kind", jen.Id("Callback"))
		if f.Fn != "" {
			set("Type", jen.Lit(f.Fn))
		}
		return nil
	}
	key, ptr := t.c+"."+f.Name, f.Ptr
	counts := g.counts(t, f, whole)
	info := g.types[f.Base]
	for info != nil && info.kind == kindAlias && scalars[info.target] == "" {
		info = g.types[info.target]
	}
	scalar := scalars[f.Base]
	if info != nil && info.kind == kindAlias {
		scalar = scalars[info.target]
	}
	elem := int64(8)
	switch {
	case f.Kind == "array" && (ptr > 0 || scalar == ""):
		return fmt.Errorf("an array inside a struct whose elements are not numbers: package describe has no form for it")
	case info != nil && info.kind == kindHandle, info != nil && info.kind == kindStruct && isObject(info) && ptr > 0:
		if ptr == 0 {
			return fmt.Errorf("a handle by value")
		}
		set("Kind", jen.Id("Handle"))
		set("Type", jen.Lit(info.c))
		ptr--
	case info != nil && info.kind == kindEnum:
		set("Kind", jen.Id("Enumerator"))
		set("Enum", jen.Op("&").Id("enum"+info.goName))
		elem = info.enum.Size
	case info != nil && info.kind == kindCallback:
		set("Kind", jen.Id("Callback"))
		set("Type", jen.Lit(info.c))
		ptr, counts = 0, nil
	case undescribed[key]:
		set("Kind", jen.Id("Address"))
		return nil
	case info != nil && info.kind == kindStruct && describable(info) && info != t:
		set("Kind", jen.Id("Record"))
		set("Struct", jen.Op("&").Id("struct"+info.goName))
		elem = info.st.Size
	case f.Base == "char" && ptr > 0 && (len(counts) > 0 || zeroTerminated[key]):
		set("Kind", jen.Id("Text"))
		elem = 1
		if ptr--; ptr > 0 && g.sizes(t, f, whole) == "" {
			return fmt.Errorf("a list of texts, and nothing says where their lengths are: name the field that has them in the table sizedBy of "+
				"gen/golang/describe.go (one called %s_sizes would be found)", f.Name)
		}
	case f.Base == "void" && ptr == 1 && len(counts) > 0:
		set("Kind", jen.Id("Data"))
		elem = 1
		ptr--
	case scalar == "" || ptr > 0 && len(counts) == 0 || ptr > 1:
		set("Kind", jen.Id("Address"))
		return nil
	default:
		l := scalarLayout[scalar]
		elem = l.size
		switch kind := strings.TrimRight(scalar, "0123456789"); {
		case scalar == "bool":
			set("Kind", jen.Id("Bool"))
		case kind == "float":
			set("Kind", jen.Id("Float"))
		case kind == "int":
			set("Kind", jen.Id("Int"))
		default:
			set("Kind", jen.Id("Uint"))
		}
	}
	set("Elem", jen.Lit(int(elem)))
	if ptr > 0 {
		set("Depth", jen.Lit(ptr))
	}
	if len(counts) > 0 {
		var items []jen.Code
		for _, c := range counts {
			items = append(items, jen.Lit(c))
		}
		set("Counts", jen.Index().String().Values(items...))
	}
	if by := g.sizes(t, f, whole); by != "" {
		set("Sizes", jen.Lit(by))
	}
	return nil
}

// counts returns the names of the fields that count what a pointer points to.
func (g *generator) counts(t *typeInfo, f *model.Field, whole *model.Struct) []string {
	if f.Ptr == 0 {
		return nil
	}
	if c, ok := countedBy[t.c+"."+f.Name]; ok {
		return c
	}
	if t.c == "PJRT_NamedValue" && f.Name != "name" {
		return []string{"value_size"} // of the members of its union that are pointers
	}
	for _, name := range model.CountNames(f.Name) {
		if slices.ContainsFunc(whole.Fields, func(other model.Field) bool { return other.Name == name && other.Ptr == 0 }) {
			return []string{name}
		}
	}
	for i := range whole.Fields {
		if texts := &whole.Fields[i]; texts != f && g.sizes(t, texts, whole) == f.Name {
			return g.counts(t, texts, whole)
		}
	}
	return nil
}

// sizes returns the name of the field that holds the lengths of the texts that f points to, or the
// empty string: that of the table sizedBy, or one with the name of f, or with its singular.
func (g *generator) sizes(t *typeInfo, f *model.Field, whole *model.Struct) string {
	if by := sizedBy[t.c+"."+f.Name]; by != "" || f.Base != "char" || f.Ptr != 2 {
		return by
	}
	for _, name := range model.LengthNames(f.Name) {
		other := fieldOf(whole, name)
		if other == nil || other.Ptr != 1 {
			continue
		}
		if name, ok := scalars[other.Base]; ok && scalarLayout[name].size == wordSize && scalarLayout[name].class == classWord {
			return other.Name
		}
	}
	return ""
}
