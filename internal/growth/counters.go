// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package growth

import "encoding/binary"

// sum adds up the counters in what runtime/coverage writes, version 1 of the format of package
// internal/coverage: a header; the number of functions and the lengths of a table of strings and
// of arguments, which follow, up to a multiple of four; for each function the number of its
// counters, its package, its own number and the counters.
func sum(b []byte) (n uint64) {
	const header = 32
	if len(b) < header+16 || string(b[:4]) != "\x00cwm" || b[4] != 1 {
		panic("the counters have another format")
	}
	packed := b[24] == 2 // as varints, not in four bytes
	at := header
	functions := binary.LittleEndian.Uint64(b[at:])
	at += 16 + int(binary.LittleEndian.Uint32(b[at+8:])) + int(binary.LittleEndian.Uint32(b[at+12:]))
	at = (at + 3) &^ 3
	next := func() uint64 {
		if packed {
			v, size := binary.Uvarint(b[at:])
			at += size
			return v
		}
		at += 4
		return uint64(binary.LittleEndian.Uint32(b[at-4:]))
	}
	for range functions {
		counters := next()
		next()
		next()
		for range counters {
			n += next()
		}
	}
	return n
}
