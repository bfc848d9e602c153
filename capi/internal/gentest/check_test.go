// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gentest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

// checkPackage checks the package in a folder against the facts: nothing is missing, nothing is
// superfluous, and every number is the measured one. functions are all functions of the package, in
// the order of their tables and slots.
func checkPackage(t *testing.T, dir string, x *index, functions []*capi.Function, facts []header) {
	p := load(t, dir, x)
	t.Run("structs have C's layout", func(t *testing.T) { p.checkStructs(t, facts) })
	t.Run("structs have a proof of their layout", p.checkProofs)
	t.Run("functions are in C's slots", func(t *testing.T) { p.checkFunctions(t, functions, facts) })
	t.Run("enums have C's values", func(t *testing.T) { p.checkEnums(t, facts) })
	t.Run("enums become text and back", func(t *testing.T) { p.checkTexts(t) })
	t.Run("handles have no contents", func(t *testing.T) { p.checkHandles(t, facts) })
	t.Run("null functions are not called", func(t *testing.T) { p.checkCallbacks(t, facts) })
	t.Run("constants have C's values", func(t *testing.T) { p.checkConstants(t, facts) })
	t.Run("nothing else is exported", func(t *testing.T) { p.checkRest(t, facts) })
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

// plain removes from a name what differs between C and Go.
func plain(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "")
	return strings.TrimPrefix(strings.ReplaceAll(name, "pjrt", ""), "xlaffi")
}

// sizeOf returns the constant that C calls X_STRUCT_SIZE, or nil if Go has none for the struct.
func (p *pkg) sizeOf(typ reflect.Type) *constant {
	i := slices.IndexFunc(p.source.constants, func(c constant) bool { return c.goName == typ.Name()+"Size" && c.typ == "" })
	if i < 0 {
		return nil
	}
	return &p.source.constants[i]
}

func (p *pkg) checkStructs(t *testing.T, facts []header) {
	seen := 0
	for _, h := range facts {
		for i := range h.Structs {
			want := &h.Structs[i]
			for _, name := range want.names() {
				have, ok := p.structs[name]
				if !assert.True(t, ok, "%s: struct %s is not in Go", h.Path, name) {
					continue
				}
				seen++
				assert.EqualValues(t, want.Sizeof, have.Size(), "sizeof(%s)", name)
				fields := fieldsOf(have)
				if !assert.Len(t, fields, len(want.Fields), name) {
					continue
				}
				for i, f := range want.Fields {
					assert.EqualValues(t, f.Offset, fields[i].Offset, "offsetof(%s, %s)", name, f.Name)
					assert.EqualValues(t, f.Size, fields[i].Type.Size(), "sizeof(%s.%s)", name, f.Name)
					if f.Anonymous == "" {
						// A name that Go has taken gets the suffix Field.
						assert.Contains(t, []string{plain(f.Name), plain(f.Name) + "field"}, plain(fields[i].Name), name)
					}
				}
				if want.StructSize != nil && name == want.Name {
					if size := p.sizeOf(have); assert.NotNil(t, size, want.StructSize.Const) {
						assert.Equal(t, want.StructSize.Const, size.c)
						assert.Equal(t, want.StructSize.Value, size.value, size.c)
					}
				}
				if d := describe.StructByName(name); d != nil {
					checkDescription(t, d, want)
				}
			}
		}
	}
	assert.Equal(t, seen, len(p.structs), "Go has structs that the headers do not have")
}

// checkProofs checks that the package's tests fail to compile if a struct's layout differs from
// C's.
func (p *pkg) checkProofs(t *testing.T) {
	assert.Equal(t, len(p.structs), len(p.source.proofs))
	for c, typ := range p.structs {
		have, ok := p.source.proofs[typ.Name()]
		if !assert.True(t, ok, "nothing proves the layout of %s", c) {
			continue
		}
		want := proof{numbers: []int64{int64(typ.Size())}, values: []string{"unsafe.Sizeof(x)"}}
		for _, f := range fieldsOf(typ) {
			want.numbers = append(want.numbers, int64(f.Offset))
			want.values = append(want.values, "unsafe.Offsetof(x."+f.Name+")")
		}
		assert.Equal(t, want, have, c)
	}
}

// checkDescription compares package describe's description of a struct with the facts.
func checkDescription(t *testing.T, have *describe.Struct, want *cStruct) {
	sized := want.Fields[0].Name == "struct_size"
	assert.Equal(t, sized, have.Sized, have.Name)
	last := want.Fields[len(want.Fields)-1]
	assert.EqualValues(t, last.Offset+last.Size, have.Size, have.Name)
	fields := slices.DeleteFunc(slices.Clone(want.Fields), func(f field) bool {
		return f.Name == "struct_size" || f.Name == "extension_start"
	})
	if !assert.Len(t, have.Fields, len(fields), have.Name) {
		return
	}
	for i, f := range fields {
		d := &have.Fields[i]
		name := have.Name + "." + d.Name
		assert.EqualValues(t, f.Offset, d.Offset, name)
		assert.EqualValues(t, f.Size, d.Size, name)
		if f.Anonymous == "" {
			assert.Equal(t, f.Name, d.Name, have.Name)
		}
		assert.Equal(t, f.Anonymous != "", d.Kind == describe.Union, name)
	}
}

// functionsOf returns the functions whose arguments a header declares.
func (p *pkg) functionsOf(functions []*capi.Function, h *header) []*capi.Function {
	var own []*capi.Function
	for i := range h.Structs {
		for _, name := range h.Structs[i].names() {
			if f := p.args[name]; f != nil {
				own = append(own, f)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(functions), func(f *capi.Function) bool { return !slices.Contains(own, f) })
}

func (p *pkg) checkFunctions(t *testing.T, functions []*capi.Function, facts []header) {
	argsOf := make(map[*capi.Function]string)
	for c, f := range p.args {
		assert.Empty(t, argsOf[f], "%s and %s are arguments of %s", c, argsOf[f], f.Name)
		argsOf[f] = c
	}
	ends := make(map[string]int64)
	for _, h := range facts {
		for i := range h.Structs {
			s := &h.Structs[i]
			for _, name := range s.names() {
				if last := s.Fields[len(s.Fields)-1]; s.Fields[0].Name == "struct_size" {
					ends[name] = last.Offset + last.Size
				}
			}
		}
	}
	seen := 0
	for i := range facts {
		have := p.functionsOf(functions, &facts[i])
		for _, s := range facts[i].tables() {
			for _, slot := range s.Fields {
				if slot.Kind != "fnptr" {
					continue
				}
				seen++
				if !assert.NotEmpty(t, have, "%s.%s is not in Go", s.Name, slot.Name) {
					break
				}
				f := have[0]
				have = have[1:]
				assert.EqualValues(t, slot.Offset, f.Offset, f.Name)
				args := argsOf[f]
				if !slices.Contains([]string{slot.Name, slot.Fn}, f.Name) {
					assert.Equal(t, f.Name+"_Args", args, "%s.%s is called %s", s.Name, slot.Name, f.Name)
				}
				if slot.Fn != "" {
					assert.Equal(t, facts[i].argument(slot.Fn), args, "what %s takes", f.Name)
				}
				assert.EqualValues(t, ends[args], f.Size, "struct_size of %s", args)
			}
		}
		assert.Empty(t, have, "functions that %s does not have", facts[i].Path)
	}
	assert.Equal(t, seen, len(functions))
	assert.Equal(t, seen, len(p.args))
}

func (p *pkg) checkEnums(t *testing.T, facts []header) {
	described := describedEnums()
	seen := 0
	for _, h := range facts {
		for _, want := range h.Enums {
			if want.Name == "" {
				continue // constants
			}
			have, ok := p.enums[want.Name]
			if !assert.True(t, ok, "%s: enum %s is not in Go", h.Path, want.Name) {
				continue
			}
			seen++
			values := p.source.numbers(have.Type.Name())
			if !assert.Len(t, values, len(want.Values), want.Name) {
				continue
			}
			for i, v := range want.Values {
				assert.Equal(t, v.Name, values[i].c)
				assert.Equal(t, v.Value, values[i].value, v.Name)
			}
			if d := described[want.Name]; d != nil && assert.Len(t, d.Values, len(want.Values), want.Name) {
				for i, v := range want.Values {
					assert.Equal(t, v.Value, d.Values[i].Value, v.Name)
					assert.True(t, strings.HasSuffix(v.Name, d.Values[i].Name), "%s is described as %s", v.Name, d.Values[i].Name)
				}
			}
		}
	}
	assert.Equal(t, seen, len(p.enums), "Go has enums that the headers do not have")
}

// describedEnums returns the enums that package describe has for fields.
func describedEnums() map[string]*describe.Enum {
	out := make(map[string]*describe.Enum)
	var walk func(fields []describe.Field)
	walk = func(fields []describe.Field) {
		for i := range fields {
			f := &fields[i]
			if f.Enum != nil {
				out[f.Enum.Name] = f.Enum
			}
			walk(f.Members)
		}
	}
	for _, f := range describe.Functions() {
		walk(f.Args.Fields)
	}
	return out
}

func (p *pkg) checkTexts(t *testing.T) {
	require.NotEmpty(t, p.enums)
	for c, e := range p.enums {
		texts := make(map[string]bool)
		values := p.source.numbers(e.Type.Name())
		for _, v := range values {
			number := v.value.(int64)
			text := e.Text(number)
			assert.False(t, texts[text], "%s has two values called %s", c, text)
			texts[text] = true
			assert.True(t, strings.HasSuffix(v.c, text), "%s: the text is %s", v.c, text)
			for _, s := range []string{text, strings.ToLower(text), v.c, strings.ToUpper(v.c), v.goName} {
				n, err := e.Parse(s)
				if assert.NoError(t, err) {
					assert.Equal(t, number, n, s)
				}
			}
			marshalled, err := e.Marshal(number)
			require.NoError(t, err)
			assert.Equal(t, text, marshalled)
			back, err := e.Unmarshal(marshalled)
			require.NoError(t, err)
			assert.Equal(t, number, back)
			assert.Contains(t, e.All, number)
		}
		assert.LessOrEqual(t, len(e.All), len(values), c)

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

func (p *pkg) checkHandles(t *testing.T, facts []header) {
	for c, typ := range p.handles {
		assert.False(t, typ.Comparable(), "%s can be compared by value", c)
	}
	for _, h := range facts {
		for _, name := range h.Opaque {
			assert.Contains(t, p.handles, name)
		}
	}
}

func (p *pkg) checkCallbacks(t *testing.T, facts []header) {
	for c, typ := range p.callbacks {
		call, ok := typ.MethodByName("Call")
		if !ok {
			assert.Regexp(t, "serialize|XLA_FFI_RecordApi.create_launch", c, "it cannot be called")
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
			assert.Zero(t, call.Type.NumOut(), "%s returned something although it is null", c)
			assert.Regexp(t, `(?i)(deleter|destructor|dtor|cleanup_fn|destroy)$`, c)
		} else {
			assert.Contains(t, fmt.Sprint(failure), c+" is null")
		}
	}
	slots := make(map[string]bool)
	for _, f := range p.args {
		slots[f.Name] = true
	}
	for _, h := range facts {
		for _, c := range h.Callbacks {
			if !slots[c.Name] {
				assert.Contains(t, p.callbacks, c.Name)
			}
		}
	}
}

func (p *pkg) checkConstants(t *testing.T, facts []header) {
	have := make(map[string]any)
	for _, c := range p.source.constants {
		have[c.c] = c.value
	}
	for _, h := range facts {
		for name, value := range h.numbers() {
			if assert.Contains(t, have, name) {
				assert.Equal(t, value, have[name], name)
			}
		}
	}
}

// checkRest finds exported names that belong to no type and are no constant of a header.
func (p *pkg) checkRest(t *testing.T, facts []header) {
	functions, types := make(map[string]bool), make(map[string]bool)
	for _, e := range p.enums {
		types[e.Type.Name()] = true
		functions["Parse"+e.Type.Name()] = true
		functions[e.Type.Name()+"Values"] = true
	}
	assert.Equal(t, functions, p.source.functions)

	known := make(map[string]bool)
	for _, h := range facts {
		for name := range h.numbers() {
			known[name] = true
		}
		for _, s := range h.Structs {
			if s.StructSize != nil {
				known[s.StructSize.Const] = true
			}
		}
	}
	for _, c := range p.source.constants {
		_, isText := c.value.(string)
		assert.True(t, types[c.typ] || known[c.c] || isText, "the headers have no constant %s for %s", c.c, c.goName)
	}
}
