// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build ((linux || darwin) && (amd64 || arm64)) || (windows && amd64)

package serve

import "runtime"

// numStubs is the number of stubs in the assembly file.
const numStubs = 16 * 1024

// stubs is the address of the first stub.
var stubs uintptr

// entryAddress returns the address of the entry point with this number.
//
// Precondition: openEntries was called, and number is below numStubs.
func entryAddress(number int) uintptr {
	size := uintptr(10) // of MOVL and JMP
	if runtime.GOARCH == "arm64" {
		size = 8
	}
	return stubs + uintptr(number)*size
}

// first is the number that stub 0 passes.
const first = 1
