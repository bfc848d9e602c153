// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package plugins

import (
	"runtime"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/internal/dynamic"
)

// loadLibrary loads a library without making its symbols global.
func loadLibrary(path string) error {
	if err := dynamic.CheckProgram(); err != nil {
		return err
	}
	// dlerror is a second call, and its text belongs to the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, err := purego.Dlopen(path, purego.RTLD_LAZY|purego.RTLD_LOCAL)
	return err
}
