// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field is a field of a protocol buffer message.
type Field struct {
	Number protowire.Number
	Type   protowire.Type
	Value  uint64 // of a varint
	Bytes  []byte // of bytes; not nil then
}

// Fields returns the fields of a message. If the bytes are not a message, it ends with an
// error and what is known of the field.
func Fields(message []byte) iter.Seq2[Field, error] {
	return func(yield func(Field, error) bool) {
		for len(message) > 0 {
			number, kind, size := protowire.ConsumeTag(message)
			if size < 0 {
				yield(Field{}, protowire.ParseError(size))
				return
			}
			message = message[size:]
			f := Field{Number: number, Type: kind}
			switch kind {
			case protowire.VarintType:
				f.Value, size = protowire.ConsumeVarint(message)
			case protowire.BytesType:
				f.Bytes, size = protowire.ConsumeBytes(message)
				if f.Bytes == nil {
					f.Bytes = []byte{}
				}
			default:
				size = protowire.ConsumeFieldValue(number, kind, message)
			}
			if size < 0 {
				yield(f, protowire.ParseError(size))
				return
			}
			if message = message[size:]; !yield(f, nil) {
				return
			}
		}
	}
}
