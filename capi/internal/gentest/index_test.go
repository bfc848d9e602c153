// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package gentest has only tests: they check the generated declarations of packages capi and
// capi/ffi against the measured facts of the C headers.
//
// The generator writes an index of each package's types beside them. Everything else that a check
// needs to know about a declaration comes from where programs get it: from the descriptors of
// functions, from package describe and, because a Go program cannot read the names of constants or
// comments, from the generated files. A check fails when one of these has something that the others
// lack.
package gentest

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

// index lists the generated types of a package.
type index struct {
	Types []any // a pointer to a value of each
	Enums []enum
}

// enum is an enum type, its values as numbers.
type enum struct {
	Type      reflect.Type
	All       []int64
	Text      func(int64) string
	Marshal   func(int64) (string, error)
	Unmarshal func(string) (int64, error)
	Parse     func(string) (int64, error)
}

// enumType has the common methods of generated enum types.
type enumType interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
	fmt.Stringer
	MarshalText() ([]byte, error)
}

// newEnum describes the enum type E by its functions.
func newEnum[E enumType](all func() []E, parse func(string) (E, error)) enum {
	e := enum{
		Type: reflect.TypeFor[E](),
		Text: func(n int64) string { return E(n).String() },
		Marshal: func(n int64) (string, error) {
			text, err := E(n).MarshalText()
			return string(text), err
		},
		Unmarshal: func(s string) (int64, error) {
			var v E
			err := any(&v).(interface{ UnmarshalText([]byte) error }).UnmarshalText([]byte(s))
			return int64(v), err
		},
		Parse: func(s string) (int64, error) {
			v, err := parse(s)
			return int64(v), err
		},
	}
	for _, v := range all() {
		e.All = append(e.All, int64(v))
	}
	return e
}

// pkg is a generated package: its types by kind and C name.
type pkg struct {
	source    *source
	structs   map[string]reflect.Type
	handles   map[string]reflect.Type
	callbacks map[string]reflect.Type
	enums     map[string]enum
	args      map[string]*capi.Function // by the C name of the struct
}

// load reads the generated files in a folder, and sorts the types of their index.
func load(t *testing.T, dir string, x *index) *pkg {
	t.Helper()
	p := &pkg{
		source: readSource(t, dir), structs: make(map[string]reflect.Type), handles: make(map[string]reflect.Type),
		callbacks: make(map[string]reflect.Type), enums: make(map[string]enum), args: make(map[string]*capi.Function),
	}
	enums := make(map[reflect.Type]enum)
	for _, e := range x.Enums {
		enums[e.Type] = e
	}
	seen := make(map[string]bool)
	for _, v := range x.Types {
		typ := reflect.TypeOf(v).Elem()
		c, ok := p.source.types[typ.Name()]
		require.True(t, ok, "no generated file declares %s", typ)
		require.False(t, seen[typ.Name()], "%s is in the index twice", typ)
		seen[typ.Name()] = true
		switch e, isEnum := enums[typ]; {
		case isEnum:
			p.enums[c] = e
		case typ.Kind() == reflect.Struct && typ.Size() == 0:
			p.handles[c] = typ
		case typ.Kind() == reflect.Struct:
			p.structs[c] = typ
		case typ.Kind() == reflect.Uintptr:
			p.callbacks[c] = typ
		}
		if a, ok := v.(capi.Arguments); ok {
			f := a.Function()
			p.args[c] = f
			if d := describe.Of(f); d != nil {
				require.Equal(t, d.Args.Name, c, "%s is documented as another struct", typ)
			}
		}
	}
	for name := range p.source.types {
		require.True(t, seen[name], "%s is not in the index", name)
	}
	require.Equal(t, len(x.Enums), len(p.enums))
	return p
}
