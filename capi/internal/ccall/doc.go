// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package ccall calls C functions from Go without cgo.
//
// Almost every PJRT function takes one pointer to a struct and returns one
// word. For that shape the package has a path of its own: a nine-instruction
// trampoline that the runtime's cgocall enters with the address of a frame, a
// code pointer and a result word in front of the C struct. Nothing is copied
// and nothing is allocated. Functions of any other shape go through
// purego.SyscallN.
//
// # Memory
//
// C may call back into Go while a call is under way, and a callback can move
// the stack of the goroutine that made the call. So a frame must never lie on
// a stack. The functions here take it as an unsafe.Pointer all the way down to
// a function without a body, which makes the compiler move it to the heap;
// heap objects stay where they are.
//
// Pointers in a frame keep what they point to alive as long as the frame is
// reachable, which Invoke sees to until it returns.
package ccall
