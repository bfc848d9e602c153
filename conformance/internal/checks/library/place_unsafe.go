// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// outcome is what a placed call did.
type outcome struct {
	err   error
	spill string
	out   string // the bytes of the out fields, for functions that answer the same each time
}

// call is a function with arguments that a plugin must accept.
type call struct {
	fn *capi.Function
	// can says whether the plugin offers what the arguments need; nil means that every
	// plugin does.
	can func(t *check.T, s *session) bool
	// place calls it with fresh arguments, with an extension if that is not nil,
	// and tidies up.
	place func(t *check.T, s *session, p check.Placement, x *capi.ExtensionBase) outcome
}

// of makes a call. build makes the arguments; after, which may be nil, gets what a
// successful call returned.
func of[A any](build func(t *check.T, s *session) A, after func(t *check.T, s *session, out A)) call {
	f := check.FunctionOf[A]()
	return call{fn: f, place: func(t *check.T, s *session, p check.Placement, x *capi.ExtensionBase) outcome {
		args := build(t, s)
		if x != nil { // some structs of extensions have no extension_start
			*(**capi.ExtensionBase)(unsafe.Add(unsafe.Pointer(&args), 8)) = x
		}
		out, spill, err := check.Place(t, args, p)
		o := outcome{err: err, spill: spill}
		if err == nil && f.Pure {
			b := unsafe.Slice((*byte)(unsafe.Pointer(&out)), unsafe.Sizeof(out))
			for _, z := range f.Zero {
				o.out += string(b[z.Offset : z.Offset+z.Size])
			}
		}
		if err == nil && after != nil {
			after(t, s, out)
		}
		return o
	}}
}

// The calls of functions that take nothing but an object. after does what of's does.

type after[A any] = func(t *check.T, s *session, out A)

func about[A, H any](object func(s *session, t *check.T) *H, after after[A]) call {
	return of(func(t *check.T, s *session) A { return check.About[A](object(s, t)) }, after)
}

func ofTopology[A any](f after[A]) call    { return about((*session).topo, f) }
func ofDescription[A any](f after[A]) call { return about((*session).description, f) }
func ofBuffer[A any](f after[A]) call      { return about((*session).buf, f) }
func ofEvent[A any](f after[A]) call       { return about((*session).ready, f) }
func ofLoaded[A any](f after[A]) call      { return about((*session).exe, f) }
func ofProgram[A any](f after[A]) call     { return about((*session).prog, f) }
func ofMemory[A any](f after[A]) call      { return given(hasMemories, about((*session).memory, f)) }

func ofClient[A any](f after[A]) call {
	return about(func(s *session, _ *check.T) *capi.Client { return s.c() }, f)
}

func ofDevice[A any](f after[A]) call {
	return about(func(s *session, _ *check.T) *capi.Device { return s.device() }, f)
}

func ofManager[A any](f after[A]) call {
	return given(transfers, about(func(s *session, t *check.T) *capi.AsyncHostToDeviceTransferManager { return manager(t, s) }, f))
}

// given limits a call to plugins that offer what its arguments need.
func given(can func(t *check.T, s *session) bool, c call) call {
	c.can = can
	return c
}

// possible reports whether the plugin has the function and what its arguments need.
func (c *call) possible(t *check.T, s *session) bool {
	return t.Table().Lacks(c.fn) == nil && (c.can == nil || c.can(t, s))
}

// tableBytes copies the table of a plugin.
func tableBytes(t *capi.Table) []byte {
	return capi.Bytes((*byte)(unsafe.Pointer(t.API())), sensibleSize(t))
}

// word reads the word at an offset from base.
func word(base *capi.ExtensionBase, offset uintptr) uintptr {
	return *(*uintptr)(unsafe.Add(unsafe.Pointer(base), offset))
}

// slot reads a word of the table.
func slot(t *capi.Table, offset uintptr) uintptr {
	return *(*uintptr)(unsafe.Add(unsafe.Pointer(t.API()), offset))
}

// byteBehind returns the byte behind a text.
func byteBehind(p *byte, n uintptr) byte { return *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) }

// setSize sets the struct_size of args.
func setSize[A any](args *A, size uintptr) { *(*uintptr)(unsafe.Pointer(args)) = size }
