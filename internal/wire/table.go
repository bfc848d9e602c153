// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package wire

import (
	"encoding/binary"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Part reads and writes one field of a message that becomes a T.
type Part[T any] struct {
	Number Number
	Type   Type
	// Read puts the field into a T. If it is nil, ReadApart leaves the field to its caller.
	Read func(*T, Field) error
	// Write appends the field, unless the T lacks it.
	Write func([]byte, *T) []byte

	packed bool // whether a field of type Bytes is a list of this one
}

// Table reads and writes messages that become a T.
type Table[T any] struct {
	rest     func(*T) *[]byte // nil to drop fields without a part
	parts    []Part[T]        // in the order in which they are written
	byNumber []*Part[T]
}

// NewTable returns a table of parts. rest, unless it is nil, says where a T has the fields without
// a part.
func NewTable[T any](rest func(*T) *[]byte, parts ...Part[T]) *Table[T] {
	t := &Table[T]{rest: rest, parts: parts}
	for i := range parts {
		for int(parts[i].Number) >= len(t.byNumber) {
			t.byNumber = append(t.byNumber, nil)
		}
		t.byNumber[parts[i].Number] = &parts[i]
	}
	return t
}

// part returns the part that reads a field, or nil.
func (t *Table[T]) part(f *Field) *Part[T] {
	if int(f.Number) >= len(t.byNumber) {
		return nil
	}
	p := t.byNumber[f.Number]
	if p == nil || p.Type != f.Type && !(p.packed && f.Type == Bytes) {
		return nil
	}
	return p
}

// Read reads a message into to, which may have an earlier part of the message.
func (t *Table[T]) Read(message []byte, to *T) error {
	return t.ReadApart(message, to, func(Field) error { return nil })
}

// ReadApart is like Read, and calls apart with each field whose part is Apart.
func (t *Table[T]) ReadApart(message []byte, to *T, apart func(Field) error) error {
	return Visit(message, func(f Field) error {
		switch p := t.part(&f); {
		case p == nil && t.rest != nil:
			rest := t.rest(to)
			*rest = append(*rest, f.Raw...)
		case p == nil:
		case p.Read == nil:
			return apart(f)
		default:
			return p.Read(to, f)
		}
		return nil
	})
}

// Append appends a message.
func (t *Table[T]) Append(b []byte, from *T) []byte {
	for i := range t.parts {
		b = t.parts[i].Write(b, from)
	}
	if t.rest != nil {
		b = append(b, *t.rest(from)...)
	}
	return b
}

// AppendField appends a field that holds a message.
func (t *Table[T]) AppendField(b []byte, n Number, from *T) []byte {
	b = slices.Grow(b, 32)                          // small parts would let it grow several times
	b = append(protowire.AppendTag(b, n, Bytes), 0) // most sizes take one byte
	at := len(b)
	b = t.Append(b, from)
	var size [binary.MaxVarintLen64]byte
	return slices.Replace(b, at-1, at, protowire.AppendVarint(size[:0], uint64(len(b)-at))...)
}

// AppendNonempty is like AppendField, but leaves out a message without fields.
func (t *Table[T]) AppendNonempty(b []byte, n Number, from *T) []byte {
	field := t.AppendField(b, n, from)
	if len(field) == len(b)+protowire.SizeTag(n)+1 { // a size of 0
		return b
	}
	return field
}

// Text is a field that holds a text, left out if that is empty.
func Text[T any](n Number, at func(*T) *string) Part[T] {
	return Part[T]{Number: n, Type: Bytes,
		Read:  func(x *T, f Field) error { *at(x) = string(f.Bytes); return nil },
		Write: func(b []byte, x *T) []byte { return AppendNonempty(b, n, *at(x)) },
	}
}

// Texts is a repeated field of texts.
func Texts[T any](n Number, at func(*T) *[]string) Part[T] {
	return Part[T]{Number: n, Type: Bytes,
		Read: func(x *T, f Field) error { *at(x) = append(*at(x), string(f.Bytes)); return nil },
		Write: func(b []byte, x *T) []byte {
			for _, text := range *at(x) {
				b = AppendBytes(b, n, text)
			}
			return b
		},
	}
}

// Blob is a field that holds bytes, left out if there are none.
func Blob[T any](n Number, at func(*T) *[]byte) Part[T] {
	return Part[T]{Number: n, Type: Bytes,
		Read:  func(x *T, f Field) error { *at(x) = slices.Clone(f.Bytes); return nil },
		Write: func(b []byte, x *T) []byte { return AppendNonempty(b, n, *at(x)) },
	}
}

// Unread is a field that holds a message which stays as it is, left out if that is empty. The parts
// of one that occurs several times are joined.
func Unread[T any](n Number, at func(*T) *[]byte) Part[T] {
	return Part[T]{Number: n, Type: Bytes,
		Read:  func(x *T, f Field) error { *at(x) = append(*at(x), f.Bytes...); return nil },
		Write: func(b []byte, x *T) []byte { return AppendNonempty(b, n, *at(x)) },
	}
}

// Int is a field that holds a number, left out if that is 0.
func Int[T any, N Integer](n Number, at func(*T) *N) Part[T] {
	return Part[T]{Number: n, Type: Varint,
		Read:  func(x *T, f Field) error { *at(x) = N(f.Int); return nil },
		Write: func(b []byte, x *T) []byte { return AppendNonzero(b, n, *at(x)) },
	}
}

// Bool is a field that holds a bool, left out if that is false.
func Bool[T any](n Number, at func(*T) *bool) Part[T] {
	return Part[T]{Number: n, Type: Varint,
		Read:  func(x *T, f Field) error { *at(x) = f.Bool(); return nil },
		Write: func(b []byte, x *T) []byte { return AppendTrue(b, n, *at(x)) },
	}
}

// IntList is a repeated field of numbers.
func IntList[T any, N Integer](n Number, at func(*T) *[]N) Part[T] {
	return Part[T]{Number: n, Type: Varint, packed: true,
		Read:  func(x *T, f Field) error { return Ints(at(x), f) },
		Write: func(b []byte, x *T) []byte { return AppendInts(b, n, *at(x)) },
	}
}

// BoolList is a repeated field of bools.
func BoolList[T any](n Number, at func(*T) *[]bool) Part[T] {
	return Part[T]{Number: n, Type: Varint, packed: true,
		Read:  func(x *T, f Field) error { return Bools(at(x), f) },
		Write: func(b []byte, x *T) []byte { return AppendBools(b, n, *at(x)) },
	}
}

// Nested is a field that holds another message, nil if the field is missing.
func Nested[T, M any](n Number, at func(*T) **M, table *Table[M]) Part[T] {
	return Part[T]{Number: n, Type: Bytes,
		Read: func(x *T, f Field) error {
			if *at(x) == nil {
				*at(x) = new(M)
			}
			return table.Read(f.Bytes, *at(x))
		},
		Write: func(b []byte, x *T) []byte {
			if *at(x) == nil {
				return b
			}
			return table.AppendField(b, n, *at(x))
		},
	}
}

// Embedded is a field that holds another message, which every T has, left out if it has no fields.
func Embedded[T, M any](n Number, at func(*T) *M, table *Table[M]) Part[T] {
	return Part[T]{Number: n, Type: Bytes,
		Read:  func(x *T, f Field) error { return table.Read(f.Bytes, at(x)) },
		Write: func(b []byte, x *T) []byte { return table.AppendNonempty(b, n, at(x)) },
	}
}

// NestedList is a repeated field of messages. Reserve room for the list before it is read.
func NestedList[T, M any](n Number, at func(*T) *[]M, table *Table[M]) Part[T] {
	return Part[T]{Number: n, Type: Bytes,
		Read: func(x *T, f Field) error {
			list := at(x)
			*list = append(*list, *new(M))
			return table.Read(f.Bytes, &(*list)[len(*list)-1])
		},
		Write: func(b []byte, x *T) []byte {
			for i := range *at(x) {
				b = table.AppendField(b, n, &(*at(x))[i])
			}
			return b
		},
	}
}

// Apart is a field of type Bytes that needs more to be read than the message: see ReadApart.
func Apart[T any](n Number, write func([]byte, *T) []byte) Part[T] {
	return Part[T]{Number: n, Type: Bytes, Write: write}
}
