// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// Address returns the address of the first element as a number, or 0 if there is none.
func Address[E any](s []E) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

// Aligned returns n bytes of which the first lies offset bytes behind a multiple
// of alignment, which is a power of two.
func Aligned(n, alignment, offset int) []byte {
	block := make([]byte, n+2*alignment+offset)
	skip := (alignment - int(Address(block))&(alignment-1)) & (alignment - 1)
	return block[skip+offset : skip+offset+n : skip+offset+n]
}

// MemoryAt returns a copy of n bytes at an address that a plugin gave, which must lie
// in the memory of this process.
func MemoryAt(address uintptr, n int) []byte {
	// Byte by byte: Go 1.26 cannot compile a copy of constant size from here.
	p := unsafe.Pointer(pointerTo(address))
	data := make([]byte, n)
	for i := range data {
		data[i] = *(*byte)(unsafe.Add(p, i))
	}
	return data
}

// Poke writes to memory at an address that a plugin gave, which must lie in the memory
// of this process.
func Poke(address uintptr, data []byte) {
	p := unsafe.Pointer(pointerTo(address))
	for i, x := range data {
		*(*byte)(unsafe.Add(p, i)) = x
	}
}

// pointerTo returns the pointer for an address that C gave.
func pointerTo(address uintptr) *byte { return *(**byte)(unsafe.Pointer(&address)) }

// PointerAt returns the pointer for an address that C gave.
func PointerAt(address uintptr) unsafe.Pointer { return unsafe.Pointer(pointerTo(address)) }

// Keep keeps v reachable until the check is over and what it owned is
// destroyed: for memory that the plugin uses after the call.
func (t *T) Keep(v any) {
	t.ownFirst(new(kept), func() { runtime.KeepAlive(v) })
}

// retained is what Retain keeps.
var retained struct {
	mu   sync.Mutex
	list []any // guarded by mu
}

// Retain keeps v reachable for ever and returns it: for memory that the plugin may use after the
// check is over.
func Retain[V any](v V) V {
	retained.mu.Lock()
	defer retained.mu.Unlock()
	retained.list = append(retained.list, v)
	return v
}

// kept is a handle that no call of Destroy can name.
type kept struct{ _ byte }

// LayoutWithTiles returns a layout with a minor-to-major order of dimensions, and
// tiles.
func LayoutWithTiles(minorToMajor []int64, tiles ...[]int64) *capi.BufferMemoryLayout {
	l := &struct {
		layout capi.BufferMemoryLayout
		order  [maxRank]int64
		dims   [maxRank]int64
		sizes  [maxRank]uintptr
	}{}
	l.layout.StructSize = capi.BufferMemoryLayoutSize
	l.layout.Type = capi.BufferMemoryLayoutTypeTiled
	n := copy(l.order[:], minorToMajor)
	at := 0
	for i, tile := range tiles {
		at += copy(l.dims[at:], tile)
		l.sizes[i] = uintptr(len(tile))
	}
	tiled := l.layout.Tiled()
	tiled.StructSize = capi.BufferMemoryLayoutTiledSize
	tiled.MinorToMajor, tiled.MinorToMajorSize = &l.order[0], uintptr(n)
	tiled.TileDims, tiled.TileDimSizes, tiled.NumTiles = &l.dims[0], &l.sizes[0], uintptr(len(tiles))
	return &l.layout
}

// SpoilLayout overwrites a layout that this package made and the arrays it points to,
// like a caller that frees it.
func SpoilLayout(l *capi.BufferMemoryLayout) {
	var order []int64
	if l.Type == capi.BufferMemoryLayoutTypeTiled {
		order = unsafe.Slice(l.Tiled().MinorToMajor, maxRank)
	} else {
		order = unsafe.Slice(l.Strides().ByteStrides, maxRank)
	}
	for i := range order {
		order[i] = -0x5a5a5a5a
	}
	size := l.StructSize
	clear(unsafe.Slice((*byte)(unsafe.Pointer(l)), size))
}

// SpoilNamedValues overwrites named values, like a caller that frees them. The strings
// that they point to may be shared, and stay.
func SpoilNamedValues(p *capi.NamedValue, n uintptr) {
	for i := range unsafe.Slice(p, n) {
		v := (*capi.NamedValue)(unsafe.Add(unsafe.Pointer(p), uintptr(i)*unsafe.Sizeof(capi.NamedValue{})))
		v.Name, v.NameSize, v.ValueSize, v.Value[0] = nil, 0, 0, 0
	}
}
