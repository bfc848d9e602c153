// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLayoutsDifferOnlyWhenThatIsCertain(t *testing.T) {
	t.Parallel()
	rows, columns := &Layout{MinorToMajor: []int{1, 0}}, &Layout{MinorToMajor: []int{0, 1}}
	tiled := func(order []int, tile ...int64) *Layout { return &Layout{MinorToMajor: order, Tiles: [][]int64{tile}} }
	for name, c := range map[string]struct {
		a, b *Layout
		dims []int64
		want bool
	}{
		"the same":               {rows, RowMajor(2), []int64{2, 3}, false},
		"another order":          {rows, columns, []int64{2, 3}, true},
		"a row":                  {rows, columns, []int64{1, 3}, false},
		"one element":            {rows, columns, []int64{1, 1}, false},
		"the same tiles":         {tiled([]int{1, 0}, 8, 128), tiled([]int{1, 0}, 8, 128), []int64{8, 128}, false},
		"other tiles":            {tiled([]int{1, 0}, 8, 128), tiled([]int{1, 0}, 2, 128), []int64{8, 128}, true},
		"another order of tiles": {tiled([]int{1, 0}, 8, 128), tiled([]int{0, 1}, 8, 128), []int64{1, 128}, true},
		"tiles not told":         {tiled([]int{1, 0}, 8, 128), columns, []int64{8, 128}, false},
		"strides":                {&Layout{Strides: []int64{4, 8}}, rows, []int64{2, 2}, false},
		"another rank":           {RowMajor(3), rows, []int64{2, 2}, false},
		"no order":               {&Layout{MinorToMajor: []int{7, -1}}, rows, []int64{2, 2}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, c.a.differs(c.b, Shape{Dims: c.dims}))
			assert.Equal(t, c.want, c.b.differs(c.a, Shape{Dims: c.dims}))
		})
	}
}
