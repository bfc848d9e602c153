// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// errWire is for bytes that are no protobuf message.
var errWire = errors.New("malformed protobuf message")

// wireField is one field of a message in its wire form.
type wireField struct {
	number protowire.Number
	kind   protowire.Type
	bytes  []byte // value of kind BytesType, never nil then
	varint uint64 // value of the kinds VarintType, Fixed32Type and Fixed64Type
	raw    []byte // the field with its tag
}

func (r wireField) is(number protowire.Number, kind protowire.Type) bool {
	return r.number == number && r.kind == kind
}

func (r wireField) bool() bool { return r.varint != 0 }

// packable reports whether r can be part of a repeated field of varints.
func (r wireField) packable() bool {
	return r.kind == protowire.VarintType || r.kind == protowire.BytesType
}

// wireFields calls visit for each field of a message in turn.
func wireFields(b []byte, visit func(wireField) error) error {
	for len(b) > 0 {
		number, kind, tag := protowire.ConsumeTag(b)
		if tag < 0 {
			return errWire
		}
		r := wireField{number: number, kind: kind}
		value, n := b[tag:], 0
		switch kind {
		case protowire.BytesType:
			if r.bytes, n = protowire.ConsumeBytes(value); n >= 0 && r.bytes == nil {
				r.bytes = []byte{}
			}
		case protowire.VarintType:
			r.varint, n = protowire.ConsumeVarint(value)
		case protowire.Fixed64Type:
			r.varint, n = protowire.ConsumeFixed64(value)
		case protowire.Fixed32Type:
			var word uint32
			word, n = protowire.ConsumeFixed32(value)
			r.varint = uint64(word)
		default:
			n = protowire.ConsumeFieldValue(number, kind, value)
		}
		if n < 0 {
			return errWire
		}
		r.raw = b[:tag+n]
		b = b[tag+n:]
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

// appendUnpacked appends the numbers of a part of a repeated field, which may be
// packed.
func appendUnpacked[T int | int32 | int64](list *[]T, r wireField) error {
	if r.kind == protowire.VarintType {
		*list = append(*list, T(r.varint))
		return nil
	}
	for b := r.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return errWire
		}
		*list, b = append(*list, T(v)), b[n:]
	}
	return nil
}

func appendBools(list *[]bool, r wireField) error {
	var numbers []int64
	err := appendUnpacked(&numbers, r)
	for _, n := range numbers {
		*list = append(*list, n != 0)
	}
	return err
}

// wireMessage returns a field that is a message: all its occurrences behind one
// another, which is how protobuf merges them.
func wireMessage(b []byte, want protowire.Number) ([]byte, error) {
	var value []byte
	err := wireFields(b, func(r wireField) error {
		if r.is(want, protowire.BytesType) {
			if value == nil {
				value = r.bytes // the one that there is, without a copy
			} else {
				value = append(value[:len(value):len(value)], r.bytes...)
			}
		}
		return nil
	})
	return value, err
}

// varints are the numbers that bools are sent as.
func varints(list []bool) []int64 {
	numbers := make([]int64, len(list))
	for i, x := range list {
		numbers[i] = int64(protowire.EncodeBool(x))
	}
	return numbers
}

func appendInt(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

func appendNonzero(b []byte, field protowire.Number, v int64) []byte {
	if v == 0 {
		return b
	}
	return appendInt(b, field, v)
}

func appendBool(b []byte, field protowire.Number, v bool) []byte {
	return appendNonzero(b, field, int64(protowire.EncodeBool(v)))
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func appendNonempty(b []byte, field protowire.Number, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	return appendBytes(b, field, v)
}

func appendPacked[T int | int32 | int64](b []byte, field protowire.Number, list []T) []byte {
	if len(list) == 0 {
		return b
	}
	var packed []byte
	for _, x := range list {
		packed = protowire.AppendVarint(packed, uint64(int64(x)))
	}
	return appendBytes(b, field, packed)
}
