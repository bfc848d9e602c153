// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"cmp"
	"slices"
)

// ranges are parts of a sequence of bytes, sorted, with gaps between them.
type ranges []byteRange

// byteRange is a range of bytes; to is the first that is not in it.
type byteRange struct{ from, to int64 }

// with returns r with the range added. It does not change r.
func (r ranges) with(from, to int64) ranges {
	if from == to {
		return r
	}
	i, _ := slices.BinarySearchFunc(r, from, func(x byteRange, from int64) int { return cmp.Compare(x.to, from) })
	j := i
	for ; j < len(r) && r[j].from <= to; j++ {
		from, to = min(from, r[j].from), max(to, r[j].to)
	}
	merged := append(slices.Clone(r[:i]), byteRange{from, to})
	return append(merged, r[j:]...)
}

// gap returns the first of the bytes 0 to size-1 that is not in r, and whether r has all
// of them.
func (r ranges) gap(size int64) (at int64, whole bool) {
	switch {
	case size == 0:
		return 0, true
	case len(r) == 0 || r[0].from > 0:
		return 0, false
	case r[0].to < size:
		return r[0].to, false
	}
	return size, true
}
