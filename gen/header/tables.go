// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// role says what a struct is for. Upstream follows naming rules.
func (x *extractor) role(s *model.Struct) model.Role {
	switch {
	case s.Name == "PJRT_Api" || s.Name == "PLUGIN_Profiler_Api" || s.Name == "XLA_FFI_Api":
		return model.RoleAPITable
	case isExtension(s):
		return model.RoleExtension
	case strings.HasSuffix(s.Name, "_Args"):
		return model.RoleArgs
	case hasFunctions(s.Fields) && (strings.HasSuffix(s.Name, "_FunctionTable") || strings.HasSuffix(s.Name, "_Callbacks") ||
		strings.HasSuffix(s.Name, "Api")):
		return model.RoleFunctionTable
	}
	return model.RoleStruct
}

// isExtension reports whether s is a node of an extension chain: it begins with
// the base of one or, in headers before API minor 69 or so, with the fields of
// the base.
func isExtension(s *model.Struct) bool {
	switch s.Name {
	case "PJRT_Extension_Base", "PJRT_Structure_Base", "XLA_FFI_InternalExtension", "XLA_FFI_Extension_Base":
		return false
	}
	if strings.HasSuffix(s.Name, "_Extension") {
		return true
	}
	kind, next := false, false
	for i, f := range s.Fields {
		if i == 0 && (f.Base == "PJRT_Extension_Base" || f.Base == "PJRT_Structure_Base") && f.Ptr == 0 {
			return true
		}
		if i < 2 && (f.Type == "PJRT_Extension_Type" || f.Type == "PJRT_Structure_Type") {
			kind = true
		}
		if i > 0 && i < 3 && f.Name == "next" && f.Kind == "pointer" {
			next = true
		}
	}
	return kind && next
}

func hasFunctions(fields []model.Field) bool {
	for _, f := range fields {
		if f.Kind == "fnptr" {
			return true
		}
	}
	return false
}

// tables makes the tables of function slots.
func (x *extractor) tables() {
	for i := range x.h.Structs {
		s := &x.h.Structs[i]
		switch s.Role {
		case model.RoleAPITable, model.RoleExtension, model.RoleFunctionTable:
		default:
			continue
		}
		t := model.Table{Struct: s.Name, Role: s.Role, Slots: []model.Slot{}}
		for _, f := range s.Fields {
			old := f.Deprecated && f.Kind == "pointer" && f.Canon == "void *"
			if f.Kind != "fnptr" && !old {
				continue
			}
			slot := model.Slot{Slot: t.SlotCount, Name: f.Name, Offset: f.Offset, NoDiscard: f.NoDiscard, Deprecated: old}
			if f.Fn != "" {
				fn := f.Fn
				slot.Fn = &fn
			}
			t.Slots = append(t.Slots, slot)
			t.SlotCount++
			if !old {
				t.Count++
			}
		}
		if s.Role == model.RoleExtension {
			t.ExtensionType = x.extensionType(s.Name)
		}
		x.h.Tables = append(x.h.Tables, t)
	}
}

// extensionTypes are the enumerators of extensions whose struct has another
// name, by the struct's name without prefix and suffix. The first that exists
// counts: names changed with time.
var extensionTypes = map[string][]string{
	"Example":             {"Example", "Unknown"},
	"Xla_Transform":       {"XlaTransform"},
	"HostMemoryAllocator": {"HostMemoryAllocator", "HostAllocator"},
	"Triton":              {"Triton"},
}

// extensionType returns the enumerator that the nodes of the extension carry,
// or nil if the core header does not have it.
func (x *extractor) extensionType(name string) *model.ExtensionType {
	short := strings.TrimSuffix(strings.TrimPrefix(name, "PJRT_"), "_Extension")
	candidates := append([]string{short}, extensionTypes[short]...)
	if short == "Example" {
		candidates = []string{"Unknown"} // what its maker sets
	}
	for _, c := range candidates {
		for _, prefix := range []string{"PJRT_Extension_Type_", "PJRT_Structure_Type_"} {
			if v, ok := x.enumConst[prefix+c]; ok {
				return &model.ExtensionType{Name: prefix + c, Value: v}
			}
		}
	}
	return nil
}
