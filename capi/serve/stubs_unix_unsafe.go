// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build (linux || darwin) && (amd64 || arm64)

package serve

import (
	"unsafe"

	// Without cgo, purego provides crosscall2, through which C calls Go.
	_ "github.com/ebitengine/purego"
)

// entry is the argument that a stub passes to Go. It is on the stack of the thread that called the
// stub.
//
//lint:ignore U1000 the assembler makes it
type entry struct {
	args   unsafe.Pointer
	number uintptr
	word   uintptr // the result
}

// enterGo is called by the stubs. It is a variable, because that is the only way for assembly code
// to reach a Go function with Go's own calling convention.
//
//lint:ignore U1000 the assembler uses it
var enterGo = func(e *entry) { e.word = enter(e.args, e.number) }

// openEntries does nothing: the stubs need nothing to be made.
func openEntries() {}
