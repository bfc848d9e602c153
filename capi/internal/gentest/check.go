// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gentest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Run checks the index against the facts: nothing is missing, nothing is superfluous, and every number is the measured
// one.
func Run(t *testing.T, x *Index, facts []Header) {
	t.Run("structs have C's layout", func(t *testing.T) { x.structs(t, facts) })
	t.Run("functions stand in C's slots", func(t *testing.T) { x.functions(t, facts) })
	t.Run("enums have C's values", func(t *testing.T) { x.enumValues(t, facts) })
	t.Run("enums become text and back", func(t *testing.T) { x.enumTexts(t) })
	t.Run("handles have no contents", func(t *testing.T) { x.handles(t, facts) })
	t.Run("null functions are not called", func(t *testing.T) { x.callbacks(t, facts) })
	t.Run("constants have C's values", func(t *testing.T) { x.constants(t, facts) })
}

// fieldsOf returns the fields of a Go struct that are not padding.
func fieldsOf(t reflect.Type) []reflect.StructField {
	var out []reflect.StructField
	for i := range t.NumField() {
		if f := t.Field(i); f.Name != "_" {
			out = append(out, f)
		}
	}
	return out
}

func (x *Index) structs(t *testing.T, facts []Header) {
	byName := make(map[string]Struct)
	for _, s := range x.Structs {
		byName[s.C] = s
	}
	seen := 0
	for _, h := range facts {
		for _, want := range h.Structs {
			names := []string{want.Name}
			if want.Role == "args" {
				names = want.Typedefs
			}
			for _, name := range names {
				have, ok := byName[name]
				if !assert.True(t, ok, "%s: struct %s is not in Go", h.Path, name) {
					continue
				}
				seen++
				assert.EqualValues(t, want.Sizeof, have.Type.Size(), "sizeof(%s)", name)
				fields := fieldsOf(have.Type)
				if !assert.Len(t, fields, len(want.Fields), name) {
					continue
				}
				for i, f := range want.Fields {
					assert.EqualValues(t, f.Offset, fields[i].Offset, "offsetof(%s, %s)", name, f.Name)
					assert.EqualValues(t, f.Size, fields[i].Type.Size(), "sizeof(%s.%s)", name, f.Name)
					if f.Anonymous == "" {
						assert.Equal(t, f.Name, have.Fields[i], name)
					}
				}
				if want.StructSize != nil && name == want.Name {
					assert.Equal(t, want.StructSize.Value, have.Size, want.StructSize.Const)
					assert.Equal(t, want.StructSize.Const, have.SizeConst)
				}
			}
		}
	}
	assert.Len(t, x.Structs, seen, "Go has structs that the headers do not have")
}

func (x *Index) functions(t *testing.T, facts []Header) {
	byTable := make(map[string][]Function)
	for _, f := range x.Functions {
		byTable[f.Table] = append(byTable[f.Table], f)
	}
	ends := make(map[string]int64)
	sized := make(map[string]bool)
	for _, h := range facts {
		for _, s := range h.Structs {
			for _, name := range append([]string{s.Name}, s.Typedefs...) {
				last := s.Fields[len(s.Fields)-1]
				ends[name] = last.Offset + last.Size
				sized[name] = s.Fields[0].Name == "struct_size"
			}
		}
	}
	seen := 0
	for _, h := range facts {
		for _, s := range h.Structs {
			// The functions of an FFI extension take the extension too: they are fields of
			// types of their own.
			if s.Role == "function-table" || s.Role == "extension" && strings.HasPrefix(s.Name, "XLA_FFI_") {
				continue
			}
			have := byTable[s.Name]
			for _, slot := range s.Fields {
				if slot.Kind != "fnptr" || s.Role == "struct" && s.Name != "XLA_FFI_Api" || s.Role == "args" {
					continue
				}
				seen++
				if !assert.NotEmpty(t, have, "%s.%s is not in Go", s.Name, slot.Name) {
					break
				}
				f := have[0]
				have = have[1:]
				assert.Equal(t, slot.Name, f.Slot, s.Name)
				assert.EqualValues(t, slot.Offset, f.Offset, f.C)
				assert.Equal(t, f.C, f.Name)
				assert.True(t, f.Same, "%s: Function returns another descriptor", f.ArgsC)
				want := int64(0)
				if sized[f.ArgsC] {
					want = ends[f.ArgsC]
				}
				assert.EqualValues(t, want, f.Size, "struct_size of %s", f.ArgsC)
			}
			assert.Empty(t, have, "functions that %s does not have", s.Name)
		}
	}
	assert.Len(t, x.Functions, seen)
}

func (x *Index) enumValues(t *testing.T, facts []Header) {
	byName := make(map[string]Enum)
	for _, e := range x.Enums {
		byName[e.C] = e
	}
	seen := 0
	for _, h := range facts {
		for _, want := range h.Enums {
			have, ok := byName[want.Name]
			if !assert.True(t, ok, "%s: enum %s is not in Go", h.Path, want.Name) {
				continue
			}
			seen++
			if !assert.Len(t, have.Values, len(want.Values), want.Name) {
				continue
			}
			for i, v := range want.Values {
				assert.Equal(t, v.Name, have.Values[i].C)
				assert.Equal(t, v.Value, have.Values[i].Value, v.Name)
			}
		}
	}
	assert.Len(t, x.Enums, seen, "Go has enums that the headers do not have")
}

func (x *Index) enumTexts(t *testing.T) {
	require.NotEmpty(t, x.Enums)
	for _, e := range x.Enums {
		texts := make(map[string]bool)
		for _, v := range e.Values {
			text := e.Text(v.Value)
			assert.False(t, texts[text], "%s has two values called %s", e.C, text)
			texts[text] = true
			assert.True(t, strings.HasSuffix(v.C, text), "%s: the text is %s", v.C, text)
			for _, s := range []string{text, strings.ToLower(text), v.C, strings.ToUpper(v.C), v.Go} {
				n, err := e.Parse(s)
				if assert.NoError(t, err) {
					assert.Equal(t, v.Value, n, s)
				}
			}
			marshalled, err := e.Marshal(v.Value)
			require.NoError(t, err)
			assert.Equal(t, text, marshalled)
			back, err := e.Unmarshal(marshalled)
			require.NoError(t, err)
			assert.Equal(t, v.Value, back)
			assert.Contains(t, e.All, v.Value)
		}
		assert.LessOrEqual(t, len(e.All), len(e.Values), e.C)

		unknown := e.Text(99)
		assert.Regexp(t, `^[A-Z]\w+\(99\)$`, unknown)
		n, err := e.Parse(unknown)
		require.NoError(t, err)
		assert.EqualValues(t, 99, n)
		for _, bad := range []string{"", "NO_SUCH_VALUE", "99", unknown + ")", unknown[:len(unknown)-1]} {
			_, err := e.Parse(bad)
			assert.ErrorContains(t, err, fmt.Sprintf("%q is not a known ", bad))
			_, err = e.Unmarshal(bad)
			assert.Error(t, err)
		}
	}
}

func (x *Index) handles(t *testing.T, facts []Header) {
	byName := make(map[string]Type)
	for _, h := range x.Handles {
		byName[h.C] = h
		assert.Zero(t, h.Type.Size(), h.C)
		assert.False(t, h.Type.Comparable(), "%s can be compared by value", h.C)
	}
	for _, h := range facts {
		for _, name := range h.Opaque {
			assert.Contains(t, byName, name)
		}
	}
}

func (x *Index) callbacks(t *testing.T, facts []Header) {
	byName := make(map[string]Type)
	for _, c := range x.Callbacks {
		byName[c.C] = c
		assert.Equal(t, reflect.Uintptr, c.Type.Kind(), c.C)
		call, ok := c.Type.MethodByName("Call")
		if !ok {
			assert.Regexp(t, "serialize|XLA_FFI_RecordApi.create_launch", c.C, "it cannot be called")
			continue
		}
		var args []reflect.Value
		for i := range call.Type.NumIn() {
			args = append(args, reflect.Zero(call.Type.In(i)))
		}
		failure := func() (p any) {
			defer func() { p = recover() }()
			call.Func.Call(args)
			return nil
		}()
		if failure == nil {
			assert.Zero(t, call.Type.NumOut(), "%s returned something although it is null", c.C)
			assert.Regexp(t, `(?i)(deleter|destructor|dtor|cleanup_fn|destroy)$`, c.C)
		} else {
			assert.Contains(t, fmt.Sprint(failure), c.C+" is null")
		}
	}
	slots := make(map[string]bool)
	for _, f := range x.Functions {
		slots[f.C] = true
	}
	for _, h := range facts {
		for _, c := range h.Callbacks {
			if !slots[c.Name] {
				assert.Contains(t, byName, c.Name)
			}
		}
	}
}

func (x *Index) constants(t *testing.T, facts []Header) {
	byName := make(map[string]Constant)
	for _, c := range x.Constants {
		byName[c.C] = c
	}
	for _, h := range facts {
		for _, m := range h.Macros {
			if m.Value == nil || m.FunctionLike || strings.HasSuffix(m.Name, "_STRUCT_SIZE") {
				continue
			}
			if assert.Contains(t, byName, m.Name) {
				assert.EqualValues(t, *m.Value, byName[m.Name].Value, m.Name)
			}
		}
	}
}
