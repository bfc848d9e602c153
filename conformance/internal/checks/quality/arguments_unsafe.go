// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// change is one change to the arguments of a call. The arguments stay truthful: no size
// exceeds what is there, and no pointer dangles.
type change struct {
	field string // such as program.format
	what  string
	apply func()
}

// changes finds the possible changes to a struct and to the structs that it points to.
type changes struct {
	list []change
	keep []any // what changed fields point to
}

func (c *changes) add(field, what string, apply func()) {
	c.list = append(c.list, change{field, what, apply})
}

// countedFields are the fields that say how much there is behind a pointer, and that
// descriptions do not name as such: they may only say less.
var countedFields = map[string]bool{
	"num_send_ops": true, "num_recv_ops": true, "num_tasks": true, "num_hlo_output_callbacks": true, "value_size": true, "dst_size": true,
	"transfer_size": true, "default_assignment_size": true,
}

// truthful are number fields that would lie about the caller's memory if they had
// another value.
var truthful = map[string]bool{"byte_strides": true, "task_ids": true, "incarnation_ids": true}

// unknownExtension is the type of a node that no plugin knows.
const unknownExtension = capi.ExtensionType(1 << 20)

// of collects the changes to a struct. prefix is the path to it.
func (c *changes) of(v describe.View, prefix string) {
	counts, lengths := make(map[string]bool), make(map[string]bool)
	for i := range v.Struct.Fields {
		f := &v.Struct.Fields[i]
		for _, n := range append(f.Counts, f.Sizes) {
			counts[n] = true
			lengths[n] = f.Kind == describe.Text || f.Kind == describe.Data
		}
	}
	if len(v.Struct.Fields) > 0 && v.Struct.Sized && v.Struct.Fields[0].Offset >= 16 {
		c.add(prefix+"extension_start", "a node of a type that nobody knows", func() {
			node := &capi.ExtensionBase{StructSize: unsafe.Sizeof(capi.ExtensionBase{}), Type: unknownExtension}
			c.keep = append(c.keep, node)
			*(*uintptr)(unsafe.Add(v.Pointer(), 8)) = uintptr(unsafe.Pointer(node))
		})
	}
	for i := range v.Struct.Fields {
		f := &v.Struct.Fields[i]
		if !v.Has(f) || f.Dir == describe.Out {
			continue
		}
		name := prefix + f.Name
		switch {
		case counts[f.Name] || countedFields[f.Name]:
			if n := v.Word(f); n > 0 && f.Depth == 0 && !lengths[f.Name] { // texts are changed with their lengths
				c.add(name, "0", func() { v.SetWord(f, 0) })
			}
		case f.Kind == describe.Record:
			for j, r := range v.Records(f) {
				if r.Struct != nil && j < 2 {
					c.of(r, name+".")
				}
			}
		case f.Depth == 0:
			c.value(v, f, name)
		case f.Depth == 1 && f.Kind == describe.Int && !truthful[f.Name]:
			c.elements(v, f, name)
		}
	}
}

// value collects the changes to a field that is one value.
func (c *changes) value(v describe.View, f *describe.Field, name string) {
	number := func(n int64) { c.add(name, fmt.Sprint(n), func() { v.SetWord(f, n) }) }
	switch f.Kind {
	case describe.Enumerator:
		for _, n := range []int64{-1, int64(len(f.Enum.Values)) + 1000, math.MaxInt32, math.MinInt32} {
			number(n)
		}
	case describe.Int, describe.Uint:
		if f.Size > f.Elem {
			return
		}
		highest := int64(1)<<(8*f.Size-1) - 1
		for _, n := range []int64{-1, 0, highest, -highest - 1} {
			number(n)
		}
	case describe.Bool:
		c.add(name, "the other value", func() { v.SetWord(f, 1-v.Word(f)) })
	case describe.Text, describe.Data:
		if len(f.Counts) != 1 || v.Struct.Field(f.Counts[0]) == nil {
			return
		}
		was := v.Bytes(f)
		for _, b := range texts(was) {
			c.add(name, b.name, func() { c.put(v, f, b.data) })
		}
		c.add(name, "null, of length 0", func() {
			v.SetWord(f, 0)
			v.SetWord(v.Struct.Field(f.Counts[0]), 0)
		})
	}
}

// named is some bytes with a name.
type named struct {
	name string
	data []byte
}

// texts returns the replacements for a text.
func texts(was []byte) []named {
	list := []named{
		{"no bytes", nil},
		{"a NUL in the middle", []byte("a\x00b")},
		{"bytes that are not UTF-8", []byte("\xff\xfe\xc3\x28")},
		{"a MiB of x", bytes.Repeat([]byte("x"), 1<<20)},
	}
	if len(was) > 1 {
		flipped := bytes.Clone(was)
		flipped[len(was)/2] ^= 0x80
		list = append(list, named{"its first half", was[:len(was)/2]}, named{"its middle byte changed", flipped},
			named{"itself twice", slices.Concat(was, was)})
	}
	return list
}

// put makes a text field point to bytes that are followed by a NUL, which the length
// does not count.
func (c *changes) put(v describe.View, f *describe.Field, data []byte) {
	memory := append(bytes.Clone(data), 0)
	c.keep = append(c.keep, memory)
	v.SetWord(f, int64(uintptr(unsafe.Pointer(&memory[0]))))
	v.SetWord(v.Struct.Field(f.Counts[0]), int64(len(data)))
}

// elements collects the changes to a field that is an array of integers.
func (c *changes) elements(v describe.View, f *describe.Field, name string) {
	was := v.Elems(f)
	if len(was) == 0 || f.Elem != 8 {
		return
	}
	for _, n := range []int64{-1, 0, math.MinInt64} {
		c.add(name, fmt.Sprintf("%d in front", n), func() {
			memory := slices.Clone(was)
			binary.NativeEndian.PutUint64(memory, uint64(n))
			c.keep = append(c.keep, memory)
			v.SetWord(f, int64(uintptr(unsafe.Pointer(&memory[0]))))
		})
	}
}

// target is a function whose arguments are changed.
type target struct {
	name string
	call func(t *check.T, s *subject, choose func([]change) []change) error
}

// fuzzed makes a target. valid makes valid arguments, done ends what a call made.
func fuzzed[A any](valid func(*check.T, *subject) A, done func(*check.T, *subject, A)) target {
	f := check.FunctionOf[A]()
	return target{f.Name, func(t *check.T, s *subject, choose func([]change) []change) error {
		call := &capi.Call[A]{Args: valid(t, s)}
		p := unsafe.Pointer(&call.Args)
		if f.Size > 0 {
			*(*uintptr)(p) = f.Size
		}
		c := &changes{}
		c.of(describe.NewView(describe.Of(f).Args, p, f.Size), "")
		for _, x := range choose(c.list) {
			x.apply()
		}
		h, err := check.RawError(t, call)
		if err == nil && h != nil {
			err = t.Table().TakeError(h)
		}
		runtime.KeepAlive(c)
		if err == nil && done != nil {
			done(t, s, call.Args)
		}
		return err
	}}
}

// describeChanges describes changes in words.
func describeChanges(function string, list []change) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, c.field+" = "+c.what)
	}
	return function + " with " + strings.Join(parts, " and ")
}
