// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build amd64

package serve

import (
	"sync"

	"github.com/ebitengine/purego"
)

// entryPC is the address of the C function to which all stubs jump.
//
//lint:ignore U1000 the assembler uses it
var entryPC uintptr

// openEntries makes that function, once.
var openEntries = sync.OnceFunc(func() { entryPC = purego.NewCallback(enter) })
