// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !(((linux || darwin) && (amd64 || arm64)) || (windows && amd64))

package serve

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// numStubs leaves a tenth of the 2000 callbacks that a process can have to others.
const numStubs = 1800

func openEntries() {}

// entries are the callbacks that were made, by their number: purego never gets
// one back, so they are made on first use and kept.
var entries struct {
	mu   sync.Mutex
	made [numStubs]uintptr // guarded by mu
}

// entryAddress returns the address of the entry point of the given number.
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

// first is what an entry passes for number 0.
const first = 0
