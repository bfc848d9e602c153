// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
)

func TestParseLayout(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*hlo.Layout{
		"{}":                     {MinorToMajor: []int{}},
		"{1,0}":                  {MinorToMajor: []int{1, 0}},
		"{1,0:T(8,128)(2,1)}":    {MinorToMajor: []int{1, 0}, Tiles: [][]int64{{8, 128}, {2, 1}}},
		"{0:T(256)L(4)E(4)S(5)}": {MinorToMajor: []int{0}, Tiles: [][]int64{{256}}, MemorySpace: 5, ElementBits: 4},
		"{1,0:S(1)}":             {MinorToMajor: []int{1, 0}, MemorySpace: 1},
		"{1,0:T(*,128)}":         nil,
		"{1,x}":                  nil,
		"{1,0":                   nil,
		"":                       nil,
		"{1,0:T(8}":              nil,
	} {
		got, ok := hlo.ParseLayout(text)
		assert.Equal(t, want != nil, ok, text)
		if want != nil {
			assert.Equal(t, *want, got, text)
		}
	}
}

func FuzzParseLayout(f *testing.F) {
	f.Add("{1,0:T(8,128)(2,1)S(5)}")
	f.Fuzz(func(t *testing.T, text string) {
		if l, ok := hlo.ParseLayout(text); !ok {
			assert.Zero(t, l)
		}
	})
}
