// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import "github.com/purepjrt/purepjrt/capi"

// File returns the path of the plugin's file. If there is none, the check is skipped.
func (t *T) File() string {
	if t.env.Path == "" {
		t.SkipEnvf("the plugin was made in this process and has no file")
	}
	return t.env.Path
}

// Load loads the plugin, in a check that begins without it.
func (t *T) Load() *capi.Table {
	table, err := capi.Open(t.File())
	if err != nil {
		t.Fatalf("expected a library whose GetPjrtApi returns a table, got %v", err)
	}
	t.env.Table = table
	return table
}

// Exit ends the process as C programs do, running what libraries have registered for
// that moment; os.Exit does not.
func Exit(code int) { exit(code) }
