// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package ccall calls C functions from Go without cgo.
//
// Almost every PJRT function takes one pointer to a struct and returns one word. For these the
// package has a trampoline of nine instructions, which the runtime's cgocall enters with the
// address of a frame: a code pointer and a result word, followed by the C struct. Such a call
// copies nothing and allocates nothing. All other functions are called through purego.SyscallN.
//
// # Names of the runtime
//
// The package links to functions of Go's runtime by name. The runtime promises to keep cgocall
// linkable, and names purego as the reason. It does not promise that for asmcgocall, which is only
// faster: 20 ns for a getter instead of 32. The linker of Go 1.27 refuses it, so it is used with Go
// 1.26 only, and not even there with the build tag pjrt_noasmcgocall. Calling through
// purego.SyscallN, as on other platforms, takes 85 ns or more, and allocates.
//
// # Memory
//
// During a call C may call back into Go, and a callback can move the stack of the calling
// goroutine. So a frame must never be on a stack. The functions here pass it as an unsafe.Pointer
// down to a function without a body, which makes the compiler allocate it on the heap, where
// objects do not move.
//
// Pointers in a frame keep their targets alive as long as the frame is reachable, and Invoke keeps
// it reachable until it returns.
package ccall
