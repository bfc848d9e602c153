// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xla

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/restate"
)

const coreHeader = "xla/pjrt/c/pjrt_c_api.h"

// header is what facts/0.MINOR says about one header. README.md explains it.
type header struct {
	Path             string    `json:"path"`
	C11              *bool     `json:"c11"` // null in facts that pjrtgen wrote
	Guard            string    `json:"guard"`
	APIVersion       *version  `json:"api_version"`
	ExtensionVersion *extVer   `json:"extension_version"`
	Macros           []macro   `json:"macros"`
	Enums            []enum    `json:"enums"`
	Opaque           []string  `json:"opaque"`
	Structs          []cstruct `json:"structs"`
	Functions        []fn      `json:"functions"`
	Callbacks        []fn      `json:"callbacks"`
	Prototypes       []fn      `json:"prototypes"`
	Tables           []table   `json:"tables"`
}

type version struct{ Major, Minor int }

type extVer struct {
	Macro string
	Value int64
}

type macro struct {
	Name  string
	Value *int64
	Undef bool `json:"undef_in_header"`
}

type enum struct {
	Name    string
	Typedef string
	Size    int64
	Signed  bool
	Scoped  bool
	Values  []struct {
		Name  string
		Value int64
	}
}

type cstruct struct {
	Name       string
	Typedefs   []string
	Sizeof     int64
	Alignof    int64
	StructSize *struct {
		Const string
		Value int64
	} `json:"struct_size"`
	Fields []field
}

type field struct {
	Name      string
	Anonymous string
	Type      string
	Offset    int64
	Size      int64
	Fields    []field
}

type fn struct {
	Name      string
	Form      string
	Ret       string
	Namespace string
	Params    []struct{ Type string }
}

type table struct {
	Struct    string
	Functions []struct {
		Name   string
		Offset int64
		Fn     string
	}
}

// size is what callers store in struct_size, or the size of a struct that has
// no such constant.
func (s cstruct) size() int64 {
	if s.StructSize != nil {
		return s.StructSize.Value
	}
	return s.Sizeof
}

// leaves calls f for each named field, including those of anonymous unions.
func leaves(fields []field, f func(field)) {
	for _, x := range fields {
		if x.Anonymous != "" {
			leaves(x.Fields, f)
			continue
		}
		f(x)
	}
}

// items lists what since.json must know of a header.
func (h header) items() []string {
	var out []string
	for _, f := range append(append([]fn{}, h.Functions...), h.Callbacks...) {
		out = append(out, f.Name)
	}
	for _, s := range h.Structs {
		out = append(out, "struct "+s.Name)
		leaves(s.Fields, func(x field) { out = append(out, s.Name+"."+x.Name) })
	}
	for _, e := range h.Enums {
		for _, v := range e.Values {
			out = append(out, e.Name+"."+v.Name)
		}
	}
	return out
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into), path)
}

func readVersion(t *testing.T) *restate.Version {
	t.Helper()
	text, err := os.ReadFile("VERSION")
	require.NoError(t, err)
	v, err := restate.ReadVersion(text)
	require.NoError(t, err)
	return v
}

func versionMinor(t *testing.T) int {
	t.Helper()
	return readVersion(t).Minor
}

// readFacts returns the facts of the headers that are in place, by path.
func readFacts(t *testing.T) map[string]header {
	t.Helper()
	minors, err := facts.Minors("facts")
	require.NoError(t, err)
	require.Contains(t, minors, versionMinor(t), "no facts for the headers in place: make update writes them")
	docs, err := facts.Read("facts", versionMinor(t))
	require.NoError(t, err)
	out := map[string]header{}
	for path, doc := range docs {
		var h header
		require.NoError(t, facts.Decode(doc, &h), path)
		out[path] = h
	}
	return out
}

// defined returns the integer that a header gives to a macro.
func defined(t *testing.T, path, name string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^#define ` + name + `[ \t]+(\d+)`).FindSubmatch(text)
	require.NotNil(t, m, "%s does not define %s", path, name)
	n, err := strconv.Atoi(string(m[1]))
	require.NoError(t, err)
	return n
}
