// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package wire reads and writes the wire form of protobuf messages field by field, and splits their
// text form. It uses no generated code, so that it registers no .proto file in the process, which
// could clash with that of another library.
package wire

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrMalformed is the error for bytes that are not a protobuf message.
var ErrMalformed = errors.New("malformed protobuf message")

// Number is the number of a field in its message.
type Number = protowire.Number

// Type is the type of a field.
type Type = protowire.Type

// The types of fields that the messages of XLA have.
const (
	Varint  = protowire.VarintType
	Bytes   = protowire.BytesType
	Fixed32 = protowire.Fixed32Type
	Fixed64 = protowire.Fixed64Type
)

// Field is one field of a message.
type Field struct {
	Number Number
	Type   Type
	Bytes  []byte // value of a field of type Bytes, never nil then
	Int    uint64 // value of a field of type Varint, Fixed32 or Fixed64
	Raw    []byte // the whole field with its tag
}

// Is reports whether f has this number and type.
func (f Field) Is(number Number, t Type) bool { return f.Number == number && f.Type == t }

// Bool returns the value of a field that holds a bool.
func (f Field) Bool() bool { return f.Int != 0 }

// IsList reports whether f can be part of a repeated field of varints, packed or
// not.
func (f Field) IsList(number Number) bool {
	return f.Number == number && (f.Type == Varint || f.Type == Bytes)
}

// depthLimit is how deep Canonical looks into messages in messages.
const depthLimit = 32

// Canonical returns a message with its fields in an order that depends only on what they
// hold, and with the messages in it likewise. Plugins write the entries of a map in another
// order each time, so that two of their messages can say the same and differ. The order in a
// repeated field is lost as well.
func Canonical(message []byte) ([]byte, error) { return canonical(message, depthLimit) }

func canonical(message []byte, depth int) ([]byte, error) {
	n := 0
	err := Visit(message, func(Field) error {
		n++
		return nil
	})
	if err != nil {
		return nil, err
	}
	fields := make([][]byte, 0, n)
	err = Visit(message, func(f Field) error {
		raw := f.Raw
		// Whether bytes are a message is not written anywhere. If a text happens to be one, its
		// fields are sorted for nothing.
		if f.Type == Bytes && depth > 0 {
			if inner, err := canonical(f.Bytes, depth-1); err == nil && !bytes.Equal(inner, f.Bytes) {
				raw = protowire.AppendBytes(protowire.AppendTag(nil, f.Number, f.Type), inner)
			}
		}
		fields = append(fields, raw)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(fields, bytes.Compare)
	return slices.Concat(fields...), nil
}

// Visit calls visit for each field of a message, in order, and stops at the first
// error. The slices of a Field are parts of message.
func Visit(message []byte, visit func(Field) error) error {
	for b := message; len(b) > 0; {
		number, kind, tag := protowire.ConsumeTag(b)
		if tag < 0 {
			return ErrMalformed
		}
		f := Field{Number: number, Type: kind}
		value, n := b[tag:], 0
		switch kind {
		case Bytes:
			if f.Bytes, n = protowire.ConsumeBytes(value); n >= 0 && f.Bytes == nil {
				f.Bytes = []byte{}
			}
		case Varint:
			f.Int, n = protowire.ConsumeVarint(value)
		case Fixed64:
			f.Int, n = protowire.ConsumeFixed64(value)
		case Fixed32:
			var word uint32
			word, n = protowire.ConsumeFixed32(value)
			f.Int = uint64(word)
		default:
			n = protowire.ConsumeFieldValue(number, kind, value)
		}
		if n < 0 {
			return ErrMalformed
		}
		f.Raw, b = b[:tag+n], b[tag+n:]
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// errStop ends a Visit early.
var errStop = errors.New("stop")

// Fields returns the fields that Visit visits, in more time. If the bytes are not a message, it
// ends with ErrMalformed and what is known of the field.
func Fields(message []byte) iter.Seq2[Field, error] {
	return func(yield func(Field, error) bool) {
		rest := message
		err := Visit(message, func(f Field) error {
			if rest = rest[len(f.Raw):]; !yield(f, nil) {
				return errStop
			}
			return nil
		})
		if errors.Is(err, ErrMalformed) {
			number, kind, _ := protowire.ConsumeTag(rest)
			yield(Field{Number: number, Type: kind}, err)
		}
	}
}

// VisitMessages calls visit for each field of this number that is a message.
func VisitMessages(message []byte, number Number, visit func([]byte) error) error {
	return Visit(message, func(f Field) error {
		if f.Is(number, Bytes) {
			return visit(f.Bytes)
		}
		return nil
	})
}

// Message returns a field that is a message, or nil if it is missing. If the field occurs several
// times, the result is their Join.
func Message(message []byte, number Number) (whole []byte, err error) {
	err = VisitMessages(message, number, func(part []byte) error {
		whole = Join(whole, part)
		return nil
	})
	return whole, err
}

// Join returns the message whose parts are whole, nil before the first one, and part: their
// concatenation, which is how protobuf merges messages. A single part is not copied.
func Join(whole, part []byte) []byte {
	if whole == nil {
		return slices.Clip(part)
	}
	return append(whole, part...)
}

// Until returns visit for a message that may have very many fields: it also fails with the error of
// ctx, if that ends.
func Until(ctx context.Context, visit func(Field) error) func(Field) error {
	const often = 1 << 12
	n := 0
	return func(f Field) error {
		if n++; n%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return visit(f)
	}
}

// ErrTooLarge is the error for messages of very many small parts, each of which becomes something
// large.
var ErrTooLarge = errors.New("the message has so many small parts that it would take many times its size in memory")

// Room is how much memory the parts of a message may take: in proportion to the size of the
// message, but always enough for a small one.
type Room struct{ left int }

// The room of a message. What programs really contain takes less: an instruction of HLO from a
// compiler has 150 bytes or more, and an array's shape ten. With what is made of the parts later,
// reading takes at most 20 times the size of the message and 32 MiB.
const (
	smallRoom = 16 << 20 // for a message of any size
	timesRoom = 12
)

// NewRoom returns the room for a message of size bytes.
func NewRoom(size int) *Room { return &Room{smallRoom + timesRoom*size} }

// Take takes room for n bytes.
func (r *Room) Take(n int) error {
	if r.left -= n; r.left < 0 {
		return ErrTooLarge
	}
	return nil
}

// Take takes room for a value of type T.
func Take[T any](r *Room) error { return r.Take(int(reflect.TypeFor[T]().Size())) }

// Reserve takes room for the fields of this number in message, each of which becomes a T, and
// returns an empty list with the capacity for them: one that grows would take twice as much.
func Reserve[T any](r *Room, message []byte, number Number) ([]T, error) {
	n := 0
	err := VisitMessages(message, number, func([]byte) error {
		n++
		return nil
	})
	if err != nil || n == 0 {
		return nil, err
	}
	if err := r.Take(n * int(reflect.TypeFor[T]().Size())); err != nil {
		return nil, err
	}
	return make([]T, 0, n), nil
}

// Integer is a Go type for the numbers of a field of type Varint.
type Integer interface {
	~int | ~int32 | ~int64 | ~uint64
}

// Ints appends the numbers in f, a part of a repeated field that may be packed, to
// list.
func Ints[T Integer](list *[]T, f Field) error {
	*list = slices.Grow(*list, numbersIn(f))
	return numbers(f, func(v uint64) { *list = append(*list, T(v)) })
}

// Bools appends the bools in f, a part of a repeated field that may be packed, to
// list.
func Bools(list *[]bool, f Field) error {
	*list = slices.Grow(*list, numbersIn(f))
	return numbers(f, func(v uint64) { *list = append(*list, v != 0) })
}

// numbersIn returns how many numbers there are in f if it is packed, and otherwise 0: Grow for each
// number of a list that is not packed would copy the list as often.
func numbersIn(f Field) (n int) {
	for _, b := range f.Bytes {
		if b < 0x80 { // the last byte of a number
			n++
		}
	}
	return n
}

// numbers calls add with each number in f, a part of a repeated field that may be packed.
func numbers(f Field, add func(uint64)) error {
	if f.Type == Varint {
		add(f.Int)
		return nil
	}
	for b := f.Bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return ErrMalformed
		}
		add(v)
		b = b[n:]
	}
	return nil
}

// AppendInt appends a field of type Varint.
func AppendInt[T Integer](b []byte, number Number, v T) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, Varint), uint64(int64(v)))
}

// AppendNonzero appends a field of type Varint unless v is 0.
func AppendNonzero[T Integer](b []byte, number Number, v T) []byte {
	if v == 0 {
		return b
	}
	return AppendInt(b, number, v)
}

// AppendBool appends a field that holds a bool.
func AppendBool(b []byte, number Number, v bool) []byte {
	return AppendInt(b, number, int64(protowire.EncodeBool(v)))
}

// AppendTrue appends a field that holds a bool unless v is false.
func AppendTrue(b []byte, number Number, v bool) []byte {
	if !v {
		return b
	}
	return AppendInt(b, number, 1)
}

// AppendFixed64 appends a field of type Fixed64.
func AppendFixed64(b []byte, number Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, number, Fixed64), v)
}

// AppendBytes appends a field of type Bytes.
func AppendBytes[T []byte | string](b []byte, number Number, v T) []byte {
	b = protowire.AppendVarint(protowire.AppendTag(b, number, Bytes), uint64(len(v)))
	return append(b, v...)
}

// AppendNonempty appends a field of type Bytes unless v is empty.
func AppendNonempty[T []byte | string](b []byte, number Number, v T) []byte {
	if len(v) == 0 {
		return b
	}
	return AppendBytes(b, number, v)
}

// AppendInts appends a packed field unless list is empty.
func AppendInts[T Integer](b []byte, number Number, list []T) []byte {
	if len(list) == 0 {
		return b
	}
	size := 0
	for _, x := range list {
		size += protowire.SizeVarint(uint64(int64(x)))
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, number, Bytes), uint64(size))
	for _, x := range list {
		b = protowire.AppendVarint(b, uint64(int64(x)))
	}
	return b
}

// AppendBools appends a packed field of bools unless list is empty.
func AppendBools(b []byte, number Number, list []bool) []byte {
	if len(list) == 0 {
		return b
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, number, Bytes), uint64(len(list)))
	for _, x := range list {
		b = append(b, byte(protowire.EncodeBool(x)))
	}
	return b
}
