// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/golang"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// originalMinor is the API minor of the original header in the wheel of the CPU plugin.
const originalMinor = 81

// original reads that header, under the path that it has in a checkout.
func original(t *testing.T) *model.Header {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(plugintest.Path(t, "cpu@0.81")), "pjrt_c_api.h"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), filepath.FromSlash(corePath))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, text, 0o644))
	h, err := header.Parse(path, header.Options{})
	require.NoError(t, err)
	require.Equal(t, originalMinor, h.APIVersion.Minor)
	return h
}

// pastCore is the content of third_party/xla/facts/history.json, which the README there describes.
type pastCore struct {
	API       [][]int64
	Functions []struct {
		Minor     int
		Functions []string
		Append    []string
	}
	StructSizes map[string][][2]*int64            `json:"struct_sizes"`
	Enums       map[string]map[string][][2]*int64 `json:"enums"`
}

// at returns the value at a minor, and whether there is one.
func at(runs [][2]*int64, minor int64) (int64, bool) {
	var v *int64
	for _, r := range runs {
		if *r[0] <= minor {
			v = r[1]
		}
	}
	if v == nil {
		return 0, false
	}
	return *v, true
}

func TestAnOriginalHeaderIsReadAsTheCompilerMeasuredIt(t *testing.T) {
	h := original(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "third_party", "xla", "facts", "history.json"))
	require.NoError(t, err)
	var past pastCore
	require.NoError(t, json.Unmarshal(text, &past))
	// This value was added during minor 81, after the plugin's commit.
	agreesWithHistory(t, h, past, originalMinor, "PJRT_Extension_Type.PJRT_Extension_Type_TpuTopology")
}

// agreesWithHistory compares the functions, the sizes and the values of a core header with the last
// commit of its minor. The values in later, "Enum.VALUE", were added after the header's own commit.
func agreesWithHistory(t *testing.T, h *model.Header, past pastCore, minor int, later ...string) {
	t.Helper()
	var want []string
	for _, f := range past.Functions {
		if f.Minor <= minor {
			if f.Functions != nil {
				want = nil
			}
			want = slices.Concat(want, f.Functions, f.Append)
		}
	}
	var got []string
	for _, table := range h.Tables {
		if table.Struct == "PJRT_Api" {
			for _, s := range table.Slots {
				got = append(got, s.Name)
			}
		}
	}
	assert.Equal(t, want, got)

	sizes := make(map[string]int64)
	for _, s := range h.Structs {
		sizes[s.Name] = s.Size
		if s.StructSize != nil {
			sizes[s.Name] = s.StructSize.Value
		}
	}
	wantSizes := make(map[string]int64)
	for name, runs := range past.StructSizes {
		if v, ok := at(runs, int64(minor)); ok {
			wantSizes[name] = v
		}
	}
	assert.Equal(t, wantSizes, sizes)

	enums := make(map[string]map[string]int64)
	for _, e := range h.Enums {
		enums[e.Name] = make(map[string]int64)
		for _, v := range e.Values {
			enums[e.Name][v.Name] = v.Value
		}
	}
	wantEnums := make(map[string]map[string]int64)
	for name, values := range past.Enums {
		for value, runs := range values {
			if v, ok := at(runs, int64(minor)); ok {
				if wantEnums[name] == nil {
					wantEnums[name] = make(map[string]int64)
				}
				wantEnums[name][value] = v
			}
		}
	}
	for _, name := range later {
		enum, value, _ := strings.Cut(name, ".")
		delete(wantEnums[enum], value)
	}
	assert.Equal(t, wantEnums, enums)
}

// declarations generates from one core header and returns the text of each declaration by name,
// without comments. A struct type is represented by its fields, named "Type.Field".
func declarations(t *testing.T, h *model.Header) map[string]string {
	t.Helper()
	files, err := golang.Generate(golang.Input{Headers: []*model.Header{h}, Since: func(*model.Header, string) int { return 0 }})
	require.NoError(t, err)
	all := make(map[string]string)
	for _, f := range files {
		name := filepath.Base(f.Path)
		if name != "zz_functions.go" && !strings.HasPrefix(name, "zz_core_") || strings.HasSuffix(name, "_layout_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, f.Content, parser.SkipObjectResolution)
		require.NoError(t, err)
		text := func(node any) string {
			var b bytes.Buffer
			require.NoError(t, format.Node(&b, fset, node))
			return b.String()
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				receiver := ""
				if d.Recv != nil {
					receiver = text(d.Recv.List[0].Type) + "."
				}
				all["func "+receiver+d.Name.Name] = text(d.Body)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.ValueSpec:
						for i, v := range s.Names {
							switch {
							case v.Name == "functions":
								for _, row := range s.Values[i].(*ast.CompositeLit).Elts {
									name := row.(*ast.CompositeLit).Elts[0].(*ast.KeyValueExpr).Value
									all["function "+text(name)] = text(row)
								}
							case i < len(s.Values):
								all[v.Name] = text(s.Values[i])
							}
						}
					case *ast.TypeSpec:
						fields, ok := s.Type.(*ast.StructType)
						if !ok {
							all["type "+s.Name.Name] = text(s.Type)
							continue
						}
						for _, f := range fields.Fields.List {
							for _, n := range f.Names {
								all["type "+s.Name.Name+"."+n.Name] = text(f.Type)
							}
						}
					}
				}
			}
		}
	}
	return all
}

// The generator produces the same code from the original as from the restated header, except for
// declarations that came after minor 81.
func TestAnOriginalHeaderGivesTheSameGoCode(t *testing.T) {
	old := original(t)
	ours, err := header.Parse(filepath.Join("..", "..", "third_party", "xla", filepath.FromSlash(corePath)), header.Options{})
	require.NoError(t, err)
	was, is := declarations(t, old), declarations(t, ours)
	require.Greater(t, len(was), 1400)

	// Declarations that both headers have and that differ: structs that grew, and lists of the
	// values of an enum.
	grown := map[string]bool{
		"APIMinor": true, "APISize": true,
		"DeviceMemoryStatsArgsSize": true, `function "PJRT_Device_MemoryStats"`: true,
		"ExecuteOptionsSize": true, "ExecutableDeserializeAndLoadArgsSize": true,
		"ExecutableGetCompiledMemoryStatsArgsSize": true, `function "PJRT_Executable_GetCompiledMemoryStats"`: true,
		"extensionTypeEnum": true, "bufferTypeEnum": true,
	}
	// A struct tag that the original declares and never uses, and two handles that now have fields.
	gone := []string{"type TransferMetadata._", "type ErrorHandle._", "type Memory._"}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		now, ok := is[name]
		switch {
		case !ok:
			assert.Contains(t, gone, name, "only the original has this")
		case now != was[name]:
			assert.True(t, grown[name], "%s\nfrom the original: %s\nfrom ours:         %s", name, was[name], now)
		}
	}
	for name := range grown {
		assert.NotEmpty(t, was[name], name)
		assert.True(t, was[name] != is[name], "%s is the same", name)
	}

	// Our header adds only declarations that since.json lists as newer.
	text, err := os.ReadFile(filepath.Join("..", "..", "third_party", "xla", "since.json"))
	require.NoError(t, err)
	since, err := golang.ReadSince(bytes.NewReader(text))
	require.NoError(t, err)
	newer := 0
	for _, item := range ours.Items() {
		if since.Lookup(ours, item) > originalMinor {
			newer++
		}
	}
	oldItems := make(map[string]bool)
	for _, item := range old.Items() {
		oldItems[item] = true
	}
	more := 0
	for _, item := range ours.Items() {
		if !oldItems[item] && since.Lookup(ours, item) <= originalMinor {
			more++
			assert.Equal(t, "PJRT_Extension_Type.PJRT_Extension_Type_TpuTopology", item, "the original of minor 81 lacks it")
		}
	}
	assert.Equal(t, 1, more)
	assert.Greater(t, newer, 100)
}
