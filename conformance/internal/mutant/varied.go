// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Faults that only some sizes, ranks and positions have.

// WithoutLast clears the last element of data if one is left over when the others are counted off
// in steps, as a loop without an end for the rest does.
func WithoutLast(data []byte, size, step, left int) {
	if n := len(data) / size; n > step && n%step == left {
		clear(data[len(data)-size:])
	}
}

// LastExchanged returns a list with its two last elements exchanged, or as it is if it has fewer
// elements than from.
func LastExchanged[E any](list []E, from int) []E {
	list = slices.Clone(list)
	if n := len(list); n >= from {
		list[n-2], list[n-1] = list[n-1], list[n-2]
	}
	return list
}

// LayoutExchanged returns a layout whose list, of dimensions or of strides, is that of
// LastExchanged. It stays in memory.
func LayoutExchanged(layout *capi.BufferMemoryLayout, from int) *capi.BufferMemoryLayout {
	switch {
	case layout == nil:
		return nil
	case layout.Type == capi.BufferMemoryLayoutTypeTiled:
		tiled := layout.Tiled()
		return check.Retain(check.TiledLayout(LastExchanged(capi.Slice(tiled.MinorToMajor, tiled.MinorToMajorSize), from)))
	}
	s := layout.Strides()
	return check.Retain(check.StridedLayout(LastExchanged(capi.Slice(s.ByteStrides, s.NumByteStrides), from)))
}

// RankOf returns the number of dimensions that a layout is for.
func RankOf(layout *capi.BufferMemoryLayout) int {
	switch {
	case layout == nil:
		return 0
	case layout.Type == capi.BufferMemoryLayoutTypeTiled:
		return int(layout.Tiled().MinorToMajorSize)
	}
	return int(layout.Strides().NumByteStrides)
}

// LikeFirst makes a mutant that handles calls about an object of type H as if some arguments of the
// first of them stood in all: change copies these from first.
func LikeFirst[H, A any](name, fault string, change func(a, first *A)) Mutant {
	return Hooked(name, fault, func() []serve.Hook {
		var firsts sync.Map // by object; what a copy of arguments points to stays in memory
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *A) {
			own := *a
			first, again := firsts.LoadOrStore(Object[H](a), &own)
			if !again {
				c.Forward()
				return
			}
			Forward(c, a, func(a *A) { change(a, first.(*A)) })
		})}
	})
}
