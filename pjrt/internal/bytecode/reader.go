// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package bytecode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
)

// errMalformed says that bytes are not bytecode in a form that this package knows.
var errMalformed = errors.New("malformed bytecode")

// ErrTooDeep says that regions are nested deeper than any compiler takes.
var ErrTooDeep = errors.New("regions are nested too deeply")

// reader reads one section of a module. After the first error, everything that it returns is
// zero.
type reader struct {
	module   []byte // the whole module, because sections are aligned relative to it
	pos, end int
	err      error
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = errMalformed
	}
	r.pos = r.end
}

func (r *reader) empty() bool { return r.pos >= r.end }

func (r *reader) byte() byte {
	if r.empty() {
		r.fail()
		return 0
	}
	r.pos++
	return r.module[r.pos-1]
}

// varint reads a number. The number of trailing zeros in its first byte is the number of bytes that
// follow.
func (r *reader) varint() uint64 {
	first := r.byte()
	more := bits.TrailingZeros8(first)
	if r.end-r.pos < more {
		r.fail()
		return 0
	}
	var word [8]byte
	copy(word[:], r.module[r.pos:r.pos+more])
	r.pos += more
	rest := binary.LittleEndian.Uint64(word[:])
	if more == 8 {
		return rest
	}
	return uint64(first)>>(more+1) | rest<<(7-more)
}

// flagged reads a number whose lowest bit is a flag.
func (r *reader) flagged() (uint64, bool) {
	v := r.varint()
	return v >> 1, v&1 != 0
}

// signed reads a number with a sign.
func (r *reader) signed() int64 {
	v := r.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// count reads the number of items that follow. Each takes at least one byte.
func (r *reader) count() int {
	n := r.varint()
	if n > uint64(r.end-r.pos) {
		r.fail()
		return 0
	}
	return int(n)
}

// skip reads n numbers.
func (r *reader) skip(n int) {
	for range n {
		r.varint()
	}
}

// bytes reads n bytes.
func (r *reader) bytes(n uint64) *reader {
	if n > uint64(r.end-r.pos) {
		r.fail()
		return &reader{err: r.err}
	}
	s := &reader{module: r.module, pos: r.pos, end: r.pos + int(n)}
	r.pos = s.end
	return s
}

func (r *reader) rest() []byte { return r.module[r.pos:r.end] }

// section reads a section and its number.
func (r *reader) section() (id byte, contents *reader) {
	id = r.byte()
	size := r.varint()
	if id&0x80 != 0 {
		alignment := r.varint()
		if alignment == 0 || alignment&(alignment-1) != 0 || alignment > 1<<20 {
			r.fail()
			return 0, &reader{err: r.err}
		}
		for r.err == nil && uint64(r.pos)%alignment != 0 {
			r.byte()
		}
	}
	return id & 0x7f, r.bytes(size)
}

// text reads text that ends with a zero byte.
func (r *reader) text() string {
	s, _, ok := bytes.Cut(r.rest(), []byte{0})
	if !ok {
		r.fail()
		return ""
	}
	r.pos += len(s) + 1
	return string(s)
}
