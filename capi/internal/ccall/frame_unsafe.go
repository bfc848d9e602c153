// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ccall

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// Frame directly precedes the C struct whose address the called function gets.
type Frame struct {
	// Code is the address of the C function. Preconditions: not zero, and a
	// function of one pointer argument.
	Code uintptr
	// Ret receives the function's result word. After a void function it is garbage, so it is not a
	// pointer, which the garbage collector would follow.
	Ret uintptr
}

// FrameSize is the distance from a Frame to its C struct, in bytes. The trampolines contain it as a
// literal.
const FrameSize = unsafe.Sizeof(Frame{})

// ArgFrame is a Frame for a C struct at another address, such as one that a C caller passed to Go.
type ArgFrame struct {
	Frame
	// Arg is the argument of the function.
	Arg unsafe.Pointer
}

// ChainLength is the most calls that a Chain can hold.
const ChainLength = 8

// Chain is a sequence of calls that C makes until one of them returns something other than zero.
// None of the functions may be void, since a void function returns garbage.
type Chain struct {
	// Left is set to the number of Links, at least one, before each use.
	Left uintptr
	// Made is set to zero before each use, and counts the calls that returned zero or were skipped.
	Made  uintptr
	Links [ChainLength]Link
}

// Link is one call of a Chain.
type Link struct {
	Frame *Frame
	// Unless From is nil, the word at From is copied to To, in the arguments, right before the
	// call. If the word is zero, the call is skipped, as if it had returned zero.
	From, To unsafe.Pointer
}

// CallN calls the C function at fn with up to 15 words of integer or pointer
// arguments and returns its two result registers; which of them hold anything
// depends on the function. Arguments converted from unsafe.Pointer in the call
// expression stay alive and in place until it returns.
//
// Precondition: fn is not zero.
//
//go:uintptrescapes
func CallN(fn uintptr, args ...uintptr) (r1, r2 uintptr) {
	r1, r2, _ = purego.SyscallN(fn, args...)
	return r1, r2
}
