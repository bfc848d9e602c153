// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gentest

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/gen/facts"
)

// header has the measured facts of a C header on which Go code depends.
type header struct {
	Path   string
	C11    bool // a C compiler accepts it, not only a C++ compiler
	Macros []struct {
		Name         string
		FunctionLike bool `json:"function_like"`
		Value        *int64
	}
	Opaque []string
	Enums  []struct {
		Name   string
		Scoped bool
		Values []struct {
			Name  string
			Value int64
		}
	}
	Structs   []cStruct
	Callbacks []callable
	Functions []callable
}

// cStruct is a struct with a body.
type cStruct struct {
	Name       string
	Role       string
	Typedefs   []string
	Sizeof     int64
	StructSize *struct {
		Const string
		Value int64
	} `json:"struct_size"`
	Fields []field
}

// callable is the type of a function.
type callable struct {
	Name   string
	Params []struct{ Type string }
}

// field is a member of a struct.
type field struct {
	Name         string
	Anonymous    string
	Kind         string
	Fn           string // the type of a function pointer
	Offset, Size int64
	Fields       []field
}

// names returns the names under which Go has a struct: each typedef of args is a function's own.
func (s *cStruct) names() []string {
	if s.Role == "args" {
		return s.Typedefs
	}
	return []string{s.Name}
}

// tables returns the structs with functions that plugins offer. FFI extensions are left out: their
// functions also take the extension, so they are fields with types of their own.
func (h *header) tables() []cStruct {
	var out []cStruct
	for _, s := range h.Structs {
		if s.Name == "XLA_FFI_Api" || s.Role == "api-table" || s.Role == "extension" && !strings.HasPrefix(s.Name, "XLA_FFI_") {
			out = append(out, s)
		}
	}
	return out
}

// argument returns the C name of the struct that a function of the header takes.
func (h *header) argument(function string) string {
	for _, f := range append(h.Functions[:len(h.Functions):len(h.Functions)], h.Callbacks...) {
		if f.Name == function && len(f.Params) == 1 {
			return strings.TrimRight(f.Params[0].Type, " *")
		}
	}
	return ""
}

// numbers returns the constants of the header other than the sizes of structs.
func (h *header) numbers() map[string]int64 {
	out := make(map[string]int64)
	for _, m := range h.Macros {
		if m.Value != nil && !m.FunctionLike && !strings.HasSuffix(m.Name, "_STRUCT_SIZE") {
			out[m.Name] = *m.Value
		}
	}
	for _, e := range h.Enums {
		for _, v := range e.Values {
			if e.Name == "" {
				out[v.Name] = v.Value
			}
		}
	}
	return out
}

// root is the folder of the module.
const root = "../../.."

// headersOf reads the facts of the headers of package capi, or of those of capi/ffi.
func headersOf(t *testing.T, ofFFI bool) []header {
	t.Helper()
	docs, err := facts.Read(filepath.Join(root, "third_party/xla/facts"), capi.APIMinor)
	require.NoError(t, err)
	var out []header
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		if strings.HasPrefix(path, "xla/ffi/") != ofFFI {
			continue
		}
		var h header
		require.NoError(t, facts.Decode(docs[path], &h), path)
		out = append(out, h)
	}
	require.NotEmpty(t, out, "no facts of API 0.%d", capi.APIMinor)
	return out
}
