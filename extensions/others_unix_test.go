// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package extensions_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Whoever can replace a library or a program that is named by its path decides what runs.
func TestCodeNamedByItsPathThatOthersCanReplaceIsAWarning(t *testing.T) {
	p := pjrttest.New(t, pjrttest.Options{})
	for name, load := range map[string]func(path string){
		"a PJRT plugin":             func(path string) { _, _ = pjrt.Open(path) },
		"a library of custom calls": func(path string) { _ = ffi.Load(p.Plugin(), path, "cpu", map[string]string{"a": "b"}) },
		"a program":                 func(path string) { raw.WarnOfOthers("a program", path) },
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			defer slog.SetDefault(slog.Default())
			slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
			path := filepath.Join(t.TempDir(), "code.so")
			require.NoError(t, os.WriteFile(path, nil, 0o700))
			load(path)
			assert.NotContains(t, log.String(), "could replace")
			path = filepath.Join(t.TempDir(), "code.so")
			require.NoError(t, os.WriteFile(path, nil, 0o700))
			require.NoError(t, os.Chmod(path, 0o722))
			load(path)
			assert.Contains(t, log.String(), "another user could replace "+name)
		})
	}
}
