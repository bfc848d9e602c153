// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/outside"
)

// recordName is the name of the file beside an installed library that says which files were
// unpacked, in the form of the RECORD of a wheel.
const recordName = "RECORD"

// maxRecord is the largest size of a RECORD, in bytes.
const maxRecord = 1 << 20

const recordHash = "sha256="

// recorded is what a RECORD says about one file.
type recorded struct {
	name string
	size int64
	hash string // as in the RECORD
}

func hashText(sum []byte) string { return recordHash + base64.RawURLEncoding.EncodeToString(sum) }

// writeRecord writes the RECORD of the files in dir.
func (in *installer) writeRecord(dir string, files []recorded) error {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	for _, f := range files {
		if err := w.Write([]string{f.name, f.hash, strconv.FormatInt(f.size, 10)}); err != nil {
			return err
		}
	}
	w.Flush()
	f, err := in.create(filepath.Join(dir, recordName))
	if err != nil {
		return err
	}
	_, err = f.Write(text.Bytes())
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// recordOf returns what the RECORD beside a library says about it. ok is false if there is none, as
// beside the libraries that others put there and that the user linked to.
func recordOf(library string) (r recorded, ok bool) {
	if info, err := os.Lstat(library); err != nil || !info.Mode().IsRegular() {
		return r, false
	}
	text, err := outside.ReadRegular(filepath.Join(filepath.Dir(library), recordName), maxRecord)
	if err != nil {
		return r, false
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return r, false
	}
	for _, line := range lines {
		if len(line) != 3 || line[0] != filepath.Base(library) || !strings.HasPrefix(line[1], recordHash) {
			continue
		}
		size, err := strconv.ParseInt(line[2], 10, 64)
		return recorded{line[0], size, line[1]}, err == nil
	}
	return r, false
}

// errDamaged is wrapped by the errors about an installed library that is not what was installed.
var errDamaged = errors.New("the installed library is damaged")

// checkSize returns an error if a library does not have the size that was recorded for it.
func checkSize(library string, size int64) error {
	if r, ok := recordOf(library); ok && size != r.size {
		return fmt.Errorf("%w: %s has %d bytes, and not %d", errDamaged, library, size, r.size)
	}
	return nil
}

// Verify reads the library of a plugin that [Install] installed, and compares its SHA-256 with that
// of what was installed. The error says how to repair it. Verify returns nil for other plugins,
// whose SHA-256 it does not know. Find, List and Install only compare sizes.
func (c Candidate) Verify(ctx context.Context) error {
	r, ok := recordOf(c.Path)
	if c.Origin != OriginCache || !ok {
		return nil
	}
	f, _, err := outside.OpenRegular(c.Path)
	if err != nil {
		return fmt.Errorf("plugin %s: %w", c.Name, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, ctxReader{ctx, f}); err != nil {
		return fmt.Errorf("plugin %s: read %s: %w", c.Name, c.Path, err)
	}
	if got := hashText(h.Sum(nil)); got != r.hash {
		return fmt.Errorf("plugin %s: %w", c.Name, &cacheError{
			fmt.Errorf("%w: %s has the hash %s, and not %s", errDamaged, c.Path, got, r.hash), reinstall(c.Name),
		})
	}
	return nil
}
