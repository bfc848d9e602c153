// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"fmt"
	"io"
	"sync"

	"github.com/purepjrt/purepjrt/pjrt"
)

// PrintCall is a call of [Print].
type PrintCall struct {
	In  []AnyArg
	Out []AnyRet // none, or the arguments unchanged
	// Message precedes the arrays.
	Message string `ffi:"message,optional"`
}

// Print returns a handler that writes a message and its arguments, as NumPy prints them:
//
//	err := ffi.Register(plugin, "print", ffi.Print(os.Stdout))
//
// If the call has results, they are its arguments, so that it can stand between two
// operations of a program: whatever uses its results runs after it. Without results it needs
// Target.SideEffect. Concurrent calls write one after the other. Print works only on the
// platform Host, whose memory it can read.
func Print(w io.Writer) func(*Call, *PrintCall) error {
	var mu sync.Mutex
	return func(_ *Call, op *PrintCall) error {
		if w == nil {
			return pjrt.ErrInvalidArgument.Errorf("there is nowhere to print to: the writer is nil")
		}
		text := op.Message
		for i, a := range op.In {
			array, err := a.Array()
			if err != nil {
				return fmt.Errorf("argument %d cannot be printed: %w", i, err)
			}
			if text != "" {
				text += " "
			}
			text += array.String()
		}
		if err := pass(op.In, op.Out); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		_, err := io.WriteString(w, text+"\n")
		return err
	}
}

// pass copies arguments to the results.
func pass(in []AnyArg, out []AnyRet) error {
	if len(out) == 0 {
		return nil
	}
	if len(out) != len(in) {
		return pjrt.ErrInvalidArgument.Errorf("the call has %d arguments and %d results: give it no results, or its arguments as results",
			len(in), len(out))
	}
	for i, a := range in {
		from, to := pjrt.Shape{Type: a.Type, Dims: a.Dims}, pjrt.Shape{Type: out[i].Type, Dims: out[i].Dims}
		if !from.Equal(to) {
			return pjrt.ErrInvalidArgument.Errorf("result %d is %v, and argument %d is %v: they must be the same", i, to, i, from)
		}
		if a.Address != out[i].Address {
			copy(out[i].Bytes, a.Bytes)
		}
	}
	return nil
}

// AssertCall is a call of [Assert].
type AssertCall struct {
	Holds Arg[bool]
	In    []AnyArg
	Out   []AnyRet // none, or In unchanged
	// Message says what should hold.
	Message string
}

// Assert is a handler that fails, as pjrt.ErrFailedPrecondition, unless all elements of its
// first argument are true. The error has the message, the number of elements that are false,
// the position of the first one, and the other arguments:
//
//	err := ffi.Register(plugin, "assert", ffi.Assert)
//
// If the call has results, they are the other arguments. Without results it needs
// Target.SideEffect. Assert works only on the platform Host.
func Assert(_ *Call, op *AssertCall) error {
	wrong, first := 0, -1
	for i, v := range op.Holds.Data {
		if !v {
			if wrong++; first < 0 {
				first = i
			}
		}
	}
	if onDevice(op.Holds.Data, op.Holds.Address, op.Holds.Dims) {
		return pjrt.ErrInvalidArgument.Errorf("the assertion %q cannot be checked: its memory is on a device", op.Message)
	}
	if wrong == 0 {
		return pass(op.In, op.Out)
	}
	text := op.Message
	if len(op.Holds.Dims) > 0 {
		text += fmt.Sprintf(": false for %d of %d, first at %v", wrong, len(op.Holds.Data), position(first, op.Holds.Dims))
	}
	for _, a := range op.In {
		if array, err := a.Array(); err == nil {
			text += "\n" + array.String()
		}
	}
	return pjrt.ErrFailedPrecondition.Errorf("assertion failed: %s", text)
}

func empty(dims []int64) bool {
	for _, d := range dims {
		if d == 0 {
			return true
		}
	}
	return false
}

// position returns the indices of element i of a row-major array.
func position(i int, dims []int64) []int {
	at := make([]int, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		at[d] = i % int(dims[d])
		i /= int(dims[d])
	}
	return at
}

// ProgressCall is a call of [Progress].
type ProgressCall struct {
	Step Arg[int32]
	In   []AnyArg
	Out  []AnyRet // none, or In unchanged
	// Total is the number of steps, 0 if unknown, and What names the loop that takes them.
	Total int64  `ffi:"total,optional"`
	What  string `ffi:"what,optional"`
}

// Progress returns a handler that calls fn with the step that a program has reached, such as
// a loop counter, and with the attributes of the call:
//
//	err := ffi.Register(plugin, "progress", ffi.Progress(func(c *ffi.Call, what string, step, total int) error { ... }))
//
// The program waits for fn. An error from fn ends the execution, which is a way to stop a
// loop; so does the end of the execution's context. If the call has results, they are the
// arguments after the step. Without results it needs Target.SideEffect.
func Progress(fn func(c *Call, what string, step, total int) error) func(*Call, *ProgressCall) error {
	return func(c *Call, op *ProgressCall) error {
		if fn == nil {
			return pjrt.ErrInvalidArgument.Errorf("the function that reports progress is nil")
		}
		if len(op.Step.Data) != 1 {
			return pjrt.ErrInvalidArgument.Errorf("the step is i32%v: it must be one number in the host's memory", op.Step.Dims)
		}
		if err := c.Context().Err(); err != nil {
			return err
		}
		if err := fn(c, op.What, int(op.Step.Data[0]), int(op.Total)); err != nil {
			return err
		}
		return pass(op.In, op.Out)
	}
}
