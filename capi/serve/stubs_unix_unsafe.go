// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build (linux || darwin) && (amd64 || arm64)

package serve

import (
	"unsafe"

	// purego brings crosscall2, by which C gets into Go, where cgo does not.
	_ "github.com/ebitengine/purego"
)

// entry is what a stub hands to Go. It lies on the stack of the thread that
// called the stub.
type entry struct {
	args   unsafe.Pointer
	number uintptr
	word   uintptr // the result
}

// enterGo is what the stubs call. It is a variable because the assembler reaches
// the code of a Go function, with Go's own convention for calls, only that way.
var enterGo = func(e *entry) { e.word = enter(e.args, e.number) }

// openEntries does nothing: the stubs need nothing to be made.
func openEntries() {}
