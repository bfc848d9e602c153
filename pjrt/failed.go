// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

// saveFailedVariable is the environment variable with the directory that
// SaveFailedPrograms sets.
const saveFailedVariable = "PJRT_SAVE_FAILED_PROGRAMS"

var failedPrograms atomic.Pointer[string]

// SaveFailedPrograms has every program that a plugin fails to compile, from now on
// and in the whole process, written to a directory, which is made if missing: the
// program as .mlir, .mlirbc or .hlo.pb, its compile options as .options.pb, and the
// plugin's error as .error.txt, under a name made of their contents. "" turns it
// off. Until it is called, the environment variable PJRT_SAVE_FAILED_PROGRAMS
// decides. That writing failed is logged, see SetLogger.
func SaveFailedPrograms(dir string) { failedPrograms.Store(&dir) }

// saveFailed writes a program that failed, if that is wanted.
func (c *compilation) saveFailed(err error) {
	dir := os.Getenv(saveFailedVariable)
	if set := failedPrograms.Load(); set != nil {
		dir = *set
	}
	if dir == "" || err == nil {
		return
	}
	if err := c.save(dir, err); err != nil {
		notices().Warn("a program that failed to compile is not saved", "directory", dir, "error", err)
	}
}

func (c *compilation) save(dir string, failure error) error {
	suffix := ".hlo.pb"
	switch {
	case c.format != string(FormatMLIR):
	case bytes.HasPrefix(c.code, []byte(bytecodeMagic)):
		suffix = ".mlirbc"
	default:
		suffix = ".mlir"
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	h := sha256.New()
	h.Write(c.code)
	h.Write(c.options)
	name := filepath.Join(dir, fmt.Sprintf("%x", h.Sum(nil)[:8]))
	for _, f := range []struct {
		suffix  string
		content []byte
	}{
		{suffix, c.code},
		{".options.pb", c.options},
		{".error.txt", []byte(failure.Error() + "\n")},
	} {
		if err := os.WriteFile(name+f.suffix, f.content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
