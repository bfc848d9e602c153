// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
)

// OtherBools returns text in which each constant of bools that is written in hexadecimal digits has
// the digits of another age of MLIR: a bit for each element, as old printers write them, in place
// of a byte, or the other way round. It returns nil if the text has no such constant, and the error
// of ctx if that ends first. Parsers read only those of their own age.
func OtherBools(ctx context.Context, code []byte) ([]byte, error) {
	l := lexer{code: code, work: &work{ctx: ctx}}
	var out []byte
	copied := 0
	for {
		t := l.next()
		if t.kind == end {
			break
		}
		if t.kind != word || string(code[t.start:t.end]) != "dense" || l.next().kind != '<' || l.peek() != '"' {
			continue
		}
		digits := l.next()
		elements, ok := l.boolsAfter()
		if !ok {
			continue
		}
		data, ok := boolDigits(code[digits.start:digits.end], elements)
		if !ok {
			continue
		}
		out = append(append(out, code[copied:digits.start]...), `"0x`...)
		out = append(appendOther(out, data, elements), '"')
		copied = digits.end
	}
	if l.work.err != nil || copied == 0 {
		return nil, l.work.err
	}
	return append(out, code[copied:]...), nil
}

// boolsAfter reads what follows the elements of a constant, and returns how many elements it has if
// they are bools.
func (l *lexer) boolsAfter() (elements uint64, ok bool) {
	if l.next().kind != '>' || l.next().kind != ':' {
		return 0, false
	}
	t := l.next()
	if string(l.code[t.start:t.end]) != "tensor" || l.next().kind != '<' {
		return 0, false
	}
	elements = 1
	for {
		extent, ok := l.extent()
		if !ok {
			break
		}
		n, err := strconv.ParseUint(string(extent), 10, 64)
		if err != nil || n > dataflow.MaxElements/elements {
			return 0, false
		}
		elements *= max(n, 1)
	}
	t = l.next()
	return elements, string(l.code[t.start:t.end]) == "i1"
}

// boolDigits returns the digits of a constant of bools without their quotes. ok is false if they
// are of no age, or so few that they may be one value for all elements: no printer writes few
// elements in digits.
func boolDigits(quoted []byte, elements uint64) (digits []byte, ok bool) {
	const few = 8
	digits, ok = bytes.CutPrefix(bytes.Trim(quoted, `"`), []byte("0x"))
	size := uint64(len(digits))
	return digits, ok && elements > few && (size == 2*elements || size == 2*packed(elements)) && bytes.IndexFunc(digits, notHex) < 0
}

// packed returns how many bytes the elements take as bits.
func packed(elements uint64) uint64 { return (elements + 7) / 8 }

func notHex(c rune) bool { return c >= 0x80 || !isHex(byte(c)) }

// appendOther appends the digits of a constant of bools as the other age writes them.
func appendOther(out, digits []byte, elements uint64) []byte {
	var bits [1]byte
	if uint64(len(digits)) == 2*elements {
		out = slices.Grow(out, int(2*packed(elements)))
		for ; len(digits) > 0; out = hex.AppendEncode(out, bits[:]) {
			bits[0] = 0
			for i := 0; i < 8 && len(digits) > 0; i++ {
				if string(digits[:2]) != "00" {
					bits[0] |= 1 << i
				}
				digits = digits[2:]
			}
		}
		return out
	}
	out = slices.Grow(out, int(2*elements))
	for i := range elements {
		if i%8 == 0 {
			_, _ = hex.Decode(bits[:], digits[i/4:i/4+2])
		}
		out = append(out, '0', '0'+bits[0]>>(i%8)&1)
	}
	return out
}
