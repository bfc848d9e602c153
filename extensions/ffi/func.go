// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// unary is a call with one argument and one result.
type unary[A, R dtype.Elem] struct {
	In  Arg[A]
	Out Ret[R]
}

// Func returns the handler of a custom call that has one argument, one result and no attributes.
// fn reads the elements of the one and sets those of the other:
//
//	err := ffi.Register(plugin, "sqrt", ffi.Func(func(_ *ffi.Call, x, y []float64) error { ... }))
//
// [Arg] says in which order they are, and [Handler] what fn may do. fn may wait, such as for a
// channel, and so stream what a running program needs and makes. The slices are the program's
// memory, so fn must not keep them. Func works only on the platform Host.
func Func[A, R dtype.Elem](fn func(c *Call, in []A, out []R) error) func(*Call, *unary[A, R]) error {
	if fn == nil {
		return nil // Register says which custom call has no handler
	}
	return func(c *Call, op *unary[A, R]) error {
		if onDevice(op.In.Data, op.In.Address, op.In.Dims) || onDevice(op.Out.Data, op.Out.Address, op.Out.Dims) {
			return pjrt.ErrInvalidArgument.Errorf("a function on slices cannot handle the custom call %s: its memory is on a device",
				c.Target())
		}
		return fn(c, op.In.Data, op.Out.Data)
	}
}

// onDevice reports whether an array has elements in memory that the host cannot read.
func onDevice[T any](data []T, address uintptr, dims []int64) bool {
	return data == nil && address != 0 && !empty(dims)
}
