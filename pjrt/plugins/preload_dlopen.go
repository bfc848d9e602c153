// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package plugins

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// loadLibrary maps a library, whose symbols nobody sees but who asks for it.
func loadLibrary(path string) error {
	// What went wrong is kept for each thread, and asked for in a second call.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, err := purego.Dlopen(path, purego.RTLD_LAZY|purego.RTLD_LOCAL)
	return err
}
