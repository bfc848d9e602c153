// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package check

import (
	"os"

	"github.com/ebitengine/purego"
)

func exit(code int) {
	if f, err := purego.Dlsym(purego.RTLD_DEFAULT, "exit"); err == nil {
		purego.SyscallN(f, uintptr(code))
	}
	os.Exit(code)
}

// Unload closes the library that Load opened. Its table must not be used after that.
func (t *T) Unload() {
	// Load does not return its handle, so a second dlopen has to provide one.
	handle, err := purego.Dlopen(t.File(), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatalf("a second dlopen of the library: expected success, got %v", err)
	}
	t.env.Table = nil
	for range 2 {
		if err := purego.Dlclose(handle); err != nil {
			t.Errorf("dlclose: expected success, got %v", err)
		}
	}
}
