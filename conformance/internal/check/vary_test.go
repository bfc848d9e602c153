// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestCountsSurroundPowersOfTwoAndMultiples(t *testing.T) {
	t.Parallel()
	for n := 8; n <= 4096; n *= 2 {
		for _, near := range []int{n - 1, n, n + 1} {
			assert.Contains(t, Counts, near)
		}
	}
	assert.Equal(t, len(Counts), len(slices.Compact(slices.Clone(Counts))), "a count is there twice")
}

func TestShapesHaveEveryRankAndDistinctDimensions(t *testing.T) {
	t.Parallel()
	for rank, dims := range Shapes {
		assert.Len(t, dims, rank)
		sorted := slices.Clone(dims)
		slices.Sort(sorted)
		assert.Len(t, slices.Compact(sorted), rank, "%v", dims)
	}
}

func TestOrdersMoveEveryPairOfNeighbours(t *testing.T) {
	t.Parallel()
	for rank := range 7 {
		orders := Orders(rank)
		for i, order := range orders {
			sorted := slices.Clone(order)
			slices.Sort(sorted)
			for d := range rank {
				assert.Equal(t, int64(d), sorted[d], "%v", order)
			}
			for _, other := range orders[:i] {
				assert.NotEqual(t, other, order)
			}
		}
		rows := RowMajor(rank).Tiled()
		for at := range rank - 1 {
			exchanged := capi.Slice(rows.MinorToMajor, rows.MinorToMajorSize)
			exchanged[at], exchanged[at+1] = exchanged[at+1], exchanged[at]
			assert.Contains(t, orders, exchanged)
		}
	}
}

func TestValuesShowLostAndExchangedElements(t *testing.T) {
	t.Parallel()
	for _, e := range dtype.All() {
		if e == dtype.Token {
			continue
		}
		a, b := Values(e, 33, 1), Values(e, 33, 2)
		assert.NotEqual(t, a, b, "%v", e)
		assert.Equal(t, a, Values(e, 33, 1), "%v", e)
		size := e.Size()
		last, before := a[32*size:], a[31*size:32*size]
		assert.NotEqual(t, before, last, "%v", e)
		assert.NotEqual(t, make([]byte, size), last, "%v: a last element that is lost reads as zero", e)
	}
	assert.False(t, bytes.Equal([]byte(Words(4097, 1)), []byte(Words(4097, 2))))
	for i := range 1024 {
		assert.NotEqual(t, Words(1024, 1)[i], Words(1024, 2)[i])
	}
}

func TestValuesHaveNumbersThatArithmeticChanges(t *testing.T) {
	t.Parallel()
	data := Values(dtype.F32, 64, 3)
	seen := make(map[string]bool)
	for i := 0; i < len(data); i += 4 {
		bits := binary.LittleEndian.Uint32(data[i:])
		switch x := math.Float32frombits(bits); {
		case x != x && bits&(1<<22) == 0:
			seen["signalling NaN"] = true
		case x != x && bits&^(1<<31|1<<22) != 0x7f800000:
			seen["payload"] = true
		case x != x:
			seen["the usual NaN"] = true
		case bits == 1<<31:
			seen["-0"] = true
		case math.IsInf(float64(x), 0):
			seen["infinity"] = true
		case bits&0x7f800000 == 0:
			seen["subnormal"] = true
		}
	}
	assert.Len(t, seen, 6, "%v", seen)
	for _, e := range dtype.All() {
		for _, b := range specials(e) {
			want := e.Size()
			if e.IsComplex() {
				want /= 2
			}
			assert.Len(t, b, want, "%v", e)
		}
		assert.Equal(t, e.IsComplex() || e.IsFloat() && !e.IsSubByte(), len(specials(e)) > 0, "%v", e)
	}
}

func TestVariousArraysAreOfEveryRankAndWidth(t *testing.T) {
	t.Parallel()
	for _, n := range Several {
		list := Various(n)
		assert.Len(t, list, n)
		ranks, sizes := make(map[int]bool), make(map[int]bool)
		for i, a := range list {
			ranks[len(a.Dims)], sizes[a.Type.Size()] = true, true
			assert.True(t, a.Equals(a.Data), "%v", a)
			if i == 0 {
				continue
			}
			before := list[i-1]
			assert.NotEqual(t, [2]any{before.Type, before.Dims}, [2]any{a.Type, a.Dims}, "%d of %d", i, n)
			if changed := slices.Clone(a.Data); len(changed) > 0 {
				changed[len(changed)-1] ^= 1
				assert.False(t, a.Equals(changed), "%v", a)
			}
		}
		if n >= 16 {
			assert.Len(t, ranks, 7)
			assert.Len(t, sizes, 5)
		}
	}
	assert.Equal(t, []int{1, 2, 256, 257}, slices.Concat(Names[:2], Names[len(Names)-2:]))
}
