// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"cmp"
	"slices"
)

// ranges are parts of a sequence of bytes, in order and apart from each other.
type ranges []byteRange

type byteRange struct{ from, to int64 }

// with returns r and the bytes from from to to. It leaves r as it is.
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

// gap returns the first byte below size that is not in r, and whether there is
// none.
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
