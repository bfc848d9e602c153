// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !(((linux || darwin) && (amd64 || arm64)) || (windows && amd64))

package serve

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// numStubs leaves a tenth of the 2000 callbacks of a process for other uses.
const numStubs = 1800

func openEntries() {}

// entries has the callbacks by number. They are made on first use and kept, because purego cannot
// free them.
var entries struct {
	mu   sync.Mutex
	made [numStubs]uintptr // guarded by mu
}

// entryAddress returns the address of the entry point with this number.
//
// Precondition: number is below numStubs.
func entryAddress(number int) uintptr {
	entries.mu.Lock()
	defer entries.mu.Unlock()
	if entries.made[number] == 0 {
		id := uintptr(number)
		entries.made[number] = purego.NewCallback(func(args unsafe.Pointer) uintptr { return enter(args, id) })
	}
	return entries.made[number]
}

// first is the number that entry 0 passes.
const first = 0
