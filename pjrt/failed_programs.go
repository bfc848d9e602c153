// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/internal/outside"
)

// saveFailedVariable names the environment variable that stands in for a call of
// SaveFailedPrograms.
const saveFailedVariable = "PJRT_SAVE_FAILED_PROGRAMS"

var failedPrograms atomic.Pointer[string]

// SaveFailedPrograms makes the whole process write every program that a plugin fails to compile to
// the directory dir, which is made if missing: the program as .mlir, .mlirbc or .hlo.pb, its
// options as .options.pb and the error as .error.txt. "" turns that off. Until the first call, the
// environment variable PJRT_SAVE_FAILED_PROGRAMS names the directory. A failed write is logged.
// Whatever has the name of a file there, such as a link, is replaced.
func SaveFailedPrograms(dir string) { failedPrograms.Store(&dir) }

// saveFailed writes the program if err is an error and a directory is set. It returns the
// path of the program, or "".
func (c *compilation) saveFailed(err error) (path string) {
	dir := os.Getenv(saveFailedVariable)
	if set := failedPrograms.Load(); set != nil {
		dir = *set
	}
	if dir == "" || err == nil {
		return ""
	}
	path, err = c.save(dir, err)
	if err != nil {
		notices().Warn("a program that failed to compile could not be saved", "directory", dir, "error", err)
	}
	return path
}

func (c *compilation) save(dir string, failure error) (path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(c.code)
	h.Write(c.options)
	name := filepath.Join(dir, fmt.Sprintf("%x", h.Sum(nil)[:8]))
	for _, f := range []struct {
		suffix  string
		content []byte
	}{
		{c.suffix, c.code},
		{".options.pb", c.options},
		{".error.txt", []byte(failure.Error() + "\n")},
	} {
		// It is no matter who can write to the folder, because nothing of it is ever loaded.
		if err := outside.Replace(name+f.suffix, f.content, 0o600); err != nil {
			return "", err
		}
	}
	return name + c.suffix, nil
}

// failedElsewhere saves the program for which a Compiler returned err, and returns the error
// for the caller. After a cancelled compilation it saves nothing. The errors of plugins stay
// as they are; others, such as a crash, also say where the program is.
func (c *compilation) failedElsewhere(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	path := c.saveFailed(err)
	if e := (*Error)(nil); path == "" || errors.As(err, &e) && e.Func != "" {
		return err
	}
	return fmt.Errorf("%w; the program was saved as %s", err, path)
}
