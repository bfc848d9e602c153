// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc && linux

package capi

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOpenSaysWhatALibraryWithUndefinedSymbolsLacks(t *testing.T) {
	for name, c := range map[string]struct{ symbol, want string }{
		"Python":         {"PyByteArray_Type", "it needs Python, and does not say in which library"},
		"Python, inside": {"_PyThreadState_UncheckedGet", "it needs Python, and does not say in which library"},
		"another":        {"Pyramid", "the dynamic linker rejected it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			source, library := filepath.Join(dir, "plugin.c"), filepath.Join(dir, "plugin.so")
			code := "extern char " + c.symbol + "; char *address = &" + c.symbol + "; void *GetPjrtApi(void) { return 0; }"
			require.NoError(t, os.WriteFile(source, []byte(code), 0o600))
			out, err := exec.Command(cmp.Or(os.Getenv("CC"), "gcc"), "-shared", "-fPIC", "-o", library, source).CombinedOutput()
			require.NoError(t, err, string(out))
			_, err = Open(library)
			require.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, "undefined symbol: "+c.symbol)
		})
	}
}
