// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package phasecompile

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
)

// Program is a program between two phases of a compiler: the input of the first phase, or
// the output of a phase. Its C form is a serialized PjRtPartialProgramProto.
type Program struct {
	// Code is the program in the format that Format names, such as mlir.
	Code   []byte
	Format string
	// Name is the name of the program.
	Name string
	// Producer is the phase that made the program; it is empty if no phase did.
	Producer string
	// Consumers are the phases that take the program.
	Consumers []string
	// Version is the version of the format, as the plugin numbers it.
	Version string
}

// Field numbers of PjRtPartialProgramProto.
const (
	fieldCode      = 1
	fieldFormat    = 2
	fieldProducer  = 3
	fieldConsumers = 4
	fieldVersion   = 5
	fieldName      = 6
)

func (p *Program) marshal() []byte {
	b := appendText(nil, fieldCode, string(p.Code))
	b = appendText(b, fieldFormat, p.Format)
	b = appendText(b, fieldProducer, p.Producer)
	for _, c := range p.Consumers {
		b = protowire.AppendTag(b, fieldConsumers, protowire.BytesType)
		b = protowire.AppendString(b, c)
	}
	b = appendText(b, fieldVersion, p.Version)
	return appendText(b, fieldName, p.Name)
}

// appendText appends a field, unless the text is empty.
func appendText(b []byte, field protowire.Number, text string) []byte {
	if text == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), text)
}

// unmarshal reads a message and skips unknown fields.
func unmarshal(b []byte) (p Program, err error) {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return p, protowire.ParseError(n)
		}
		b = b[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(field, kind, b); n < 0 {
				return p, protowire.ParseError(n)
			}
			b = b[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return p, protowire.ParseError(n)
		}
		b = b[n:]
		switch field {
		case fieldCode:
			p.Code = bytes.Clone(value)
		case fieldFormat:
			p.Format = string(value)
		case fieldProducer:
			p.Producer = string(value)
		case fieldConsumers:
			p.Consumers = append(p.Consumers, string(value))
		case fieldVersion:
			p.Version = string(value)
		case fieldName:
			p.Name = string(value)
		}
	}
	return p, nil
}
