// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// builder makes C structs from recorded fields. Keep the builder alive as long as C uses them.
type builder struct {
	handle func(name string) (uintptr, error)
	keep   []any
	inner  int  // outputs of the executed program
	left   *int // how much memory calls may still have for their results
}

const word = 8

// memory returns n zeroed bytes, aligned for any type.
func (b *builder) memory(n uintptr) unsafe.Pointer {
	m := make([]uint64, n/word+1)
	b.keep = append(b.keep, m)
	return unsafe.Pointer(&m[0])
}

// bytes returns a copy of data, followed by a zero byte.
func (b *builder) bytes(data []byte) unsafe.Pointer {
	p := b.memory(uintptr(len(data)) + 1)
	copy(unsafe.Slice((*byte)(p), len(data)), data)
	return p
}

// notReplayable is the error of a call that cannot be repeated in another process.
type notReplayable struct{ why string }

func (e notReplayable) Error() string { return e.why }

// structure makes a struct of the given struct_size.
func (b *builder) structure(s *describe.Struct, size uintptr, fields map[string]any) (unsafe.Pointer, error) {
	p := b.memory(max(size, s.Size))
	return p, b.fill(s, p, size, fields)
}

// hasReceiver returns an error if the object is null whose function it is: the first handle of the
// arguments.
func hasReceiver(s *describe.Struct, size uintptr, fields map[string]any) error {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind != describe.Handle || f.Depth > 0 || f.Dir != describe.In || f.Offset+f.Size > size {
			continue
		}
		if fields[f.Name] == nil && f.Type != errorType { // clients destroy null errors, those of success
			return errors.New(f.Name + " is null, and yet it succeeded")
		}
		return nil
	}
	return nil
}

func (b *builder) fill(s *describe.Struct, p unsafe.Pointer, size uintptr, fields map[string]any) error {
	if s.Sized {
		*(*uintptr)(p) = size
	}
	// Set the numbers first: they say how much memory other fields need, and which member of a
	// union is in use.
	for _, numbers := range []bool{true, false} {
		for i := range s.Fields {
			f := &s.Fields[i]
			v, ok := fields[f.Name]
			if !ok || f.Offset+f.Size > size || isNumber(f) != numbers {
				continue
			}
			if f.Kind == describe.Union {
				if f = describe.NewView(s, p, size).Active(f); f == nil {
					continue
				}
			}
			err := b.field(s, f, p, size, v)
			if err == nil {
				err = checkCount(describe.NewView(s, p, size), f, 0, fields, v)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// checkCount returns an error if the struct says that there are more values behind a pointer than
// the recording has: the plugin would read memory that is not its own.
func checkCount(v describe.View, f *describe.Field, level int, fields map[string]any, value any) error {
	have, known := 0, true
	switch x := value.(type) {
	case []any:
		have = len(x)
		if f.Kind == describe.Handle && level < f.Depth-1 {
			for _, inner := range x {
				if err := checkCount(v, f, level+1, fields, inner); err != nil {
					return err
				}
			}
		}
	case string, map[string]any:
		data, err := bytesOf(x)
		if f.Kind != describe.Text && f.Kind != describe.Data || f.Depth > 0 || err != nil {
			return nil
		}
		have = len(data)
	default:
		known = value == nil && level > 0
	}
	if want := v.Count(f, level); known && level < len(f.Counts) && want > have {
		return fmt.Errorf("%s says that there are %d, but there are %d", f.Counts[level], want, have)
	}
	if list, ok := value.([]any); ok && f.Sizes != "" {
		return checkSizes(list, fields[f.Sizes])
	}
	return nil
}

// checkSizes returns an error if a text is shorter than the recording says.
func checkSizes(texts []any, sizes any) error {
	list, _ := sizes.([]any)
	for i, text := range texts {
		data, err := bytesOf(text)
		if err != nil {
			return err
		}
		if i >= len(list) {
			return fmt.Errorf("text %d has no size", i)
		}
		if n, err := strconv.ParseUint(fmt.Sprint(list[i]), 10, 64); err != nil || n > uint64(len(data)) {
			return fmt.Errorf("text %d of %d bytes has the size %s", i, len(data), shown(list[i]))
		}
	}
	return nil
}

func isNumber(f *describe.Field) bool {
	switch f.Kind {
	case describe.Int, describe.Uint, describe.Bool, describe.Float, describe.Enumerator:
		return f.Depth == 0
	}
	return false
}

func (b *builder) field(s *describe.Struct, f *describe.Field, base unsafe.Pointer, size uintptr, v any) error {
	at := unsafe.Add(base, f.Offset)
	if v == nil {
		return nil
	}
	set := func(p unsafe.Pointer) { *(*unsafe.Pointer)(at) = p }
	switch f.Kind {
	case describe.Address, describe.Callback:
		return notReplayable{fmt.Sprintf("%s was an address in the process that was recorded", f.Name)}
	case describe.Data:
		if f.Dir == describe.InOut {
			return b.room(at, describe.NewView(s, base, size).Count(f, 0))
		}
		fallthrough
	case describe.Text:
		if f.Depth > 0 {
			return b.list(at, v, word, func(at unsafe.Pointer, v any) error {
				data, err := bytesOf(v)
				*(*unsafe.Pointer)(at) = b.bytes(data)
				return err
			})
		}
		if room, ok := v.(bool); ok {
			if !room {
				return nil
			}
			return b.room(at, describe.NewView(s, base, size).Count(f, 0))
		}
		data, err := bytesOf(v)
		set(b.bytes(data))
		return err
	case describe.Handle:
		return b.handles(at, f, f.Depth, v)
	case describe.Record:
		return b.records(at, f, v)
	}
	if f.Depth == 0 && f.Size == f.Elem {
		return number(at, f, v)
	}
	if f.Depth == 0 {
		list, ok := v.([]any)
		if !ok || uintptr(len(list))*f.Elem > f.Size {
			return fmt.Errorf("%s is not a list of %d numbers", shown(v), f.Size/f.Elem)
		}
		for i, x := range list {
			if err := number(unsafe.Add(at, uintptr(i)*f.Elem), f, x); err != nil {
				return err
			}
		}
		return nil
	}
	return b.list(at, v, f.Elem, func(at unsafe.Pointer, v any) error { return number(at, f, v) })
}

// room allocates memory for the function to fill in.
func (b *builder) room(at unsafe.Pointer, n int) error {
	if n < 0 || n > *b.left {
		return fmt.Errorf("the recording asks for %d bytes of memory, for results that it does not have", n)
	}
	*b.left -= n
	*(*unsafe.Pointer)(at) = b.memory(uintptr(n))
	return nil
}

// list makes an array, and stores a pointer to it at where.
func (b *builder) list(where unsafe.Pointer, v any, size uintptr, set func(at unsafe.Pointer, v any) error) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%s is not a list", shown(v))
	}
	p := b.memory(uintptr(len(list)) * size)
	for i, x := range list {
		if err := set(unsafe.Add(p, uintptr(i)*size), x); err != nil {
			return err
		}
	}
	*(*unsafe.Pointer)(where) = p
	return nil
}

func (b *builder) handles(at unsafe.Pointer, f *describe.Field, depth int, v any) error {
	if v == nil {
		return nil
	}
	if depth == 0 {
		name, ok := v.(string)
		if !ok {
			return fmt.Errorf("%s is not a handle", shown(v))
		}
		if kind, _, _ := strings.Cut(name, "#"); kind != f.Type {
			return fmt.Errorf("%s is not a %s", shown(v), f.Type)
		}
		h, err := b.handle(name)
		*(*uintptr)(at) = h
		return err
	}
	if list, ok := v.([]any); ok && depth == 1 && f.Depth == 2 && f.Dir == describe.InOut {
		// Make the lists of outputs as long as this plugin's program needs.
		for len(list) < b.inner {
			list = append(list, nil)
		}
		v = list
	}
	return b.list(at, v, word, func(at unsafe.Pointer, v any) error { return b.handles(at, f, depth-1, v) })
}

func (b *builder) records(at unsafe.Pointer, f *describe.Field, v any) error {
	s := f.Struct
	one := func(p unsafe.Pointer, v any) error {
		fields, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is not a struct", shown(v))
		}
		size := s.Size
		if n, ok := fields["struct_size"].(json.Number); ok {
			x, err := strconv.ParseUint(n.String(), 10, 16)
			if err != nil {
				return fmt.Errorf("%s is not a struct_size", shown(n))
			}
			// The elements of an array cannot be larger.
			size = min(uintptr(x), f.Elem)
		}
		return b.fill(s, p, size, fields)
	}
	switch {
	case f.Depth == 0:
		return one(at, v)
	case f.Depth == 1 && len(f.Counts) == 0:
		p := b.memory(f.Elem)
		*(*unsafe.Pointer)(at) = p
		return one(p, v)
	case f.Depth == 1:
		return b.list(at, v, f.Elem, one)
	}
	return b.list(at, v, word, func(at unsafe.Pointer, v any) error {
		if v == nil {
			return nil
		}
		p := b.memory(f.Elem)
		*(*unsafe.Pointer)(at) = p
		return one(p, v)
	})
}

// number stores a number, an enumerator or a bool.
func number(at unsafe.Pointer, f *describe.Field, v any) error {
	var u uint64
	switch v := v.(type) {
	case bool:
		if v {
			u = 1
		}
	case string, json.Number:
		text := fmt.Sprint(v)
		if f.Kind == describe.Float {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return fmt.Errorf("%q is not a number", excerpt.Of(text))
			}
			if u = math.Float64bits(x); f.Elem == 4 {
				u = uint64(math.Float32bits(float32(x)))
			}
			break
		}
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			u = uint64(i)
		} else if u, err = strconv.ParseUint(text, 10, 64); err != nil {
			return fmt.Errorf("%q is not a whole number", excerpt.Of(text))
		}
	default:
		return fmt.Errorf("%s is not a number", shown(v))
	}
	switch f.Elem {
	case 1:
		*(*uint8)(at) = uint8(u)
	case 2:
		*(*uint16)(at) = uint16(u)
	case 4:
		*(*uint32)(at) = uint32(u)
	default:
		*(*uint64)(at) = u
	}
	return nil
}
