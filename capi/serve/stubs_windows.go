// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build amd64

package serve

import (
	"sync"

	"github.com/ebitengine/purego"
)

// entryPC is the address of the C function into which all stubs go on.
var entryPC uintptr

// openEntries makes that function, once.
var openEntries = sync.OnceFunc(func() { entryPC = purego.NewCallback(enter) })
