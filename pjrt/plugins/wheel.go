// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A HashError says that a file is not the one a package is pinned to. Got is
// empty when it is not known.
type HashError struct {
	File, Want, Got string
}

// Error names the file and both hashes.
func (e *HashError) Error() string {
	got := e.Got
	if got == "" {
		got = "another one"
	}
	return fmt.Sprintf("%s has the wrong hash: expected sha256 %s, got %s; it is not installed", e.File, e.Want, got)
}

// verify compares the SHA-256 of file with want.
func verify(file, want string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return &HashError{File: filepath.Base(file), Want: want, Got: got}
	}
	return nil
}

// unpack writes the library of p and what belongs to it into dir, which it
// makes. Names inside the wheel never become paths: each file is written
// under its base name.
func (in *installer) unpack(ctx context.Context, archive string, p *Package, dir string) error {
	base := filepath.Base(archive)
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("%s is not a wheel: %w", base, err)
	}
	defer z.Close()
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	written := map[string]bool{}
	for _, entry := range z.File {
		if !filepath.IsLocal(filepath.FromSlash(entry.Name)) {
			return fmt.Errorf("%s is not a sound wheel: it contains the path %q", base, entry.Name)
		}
		name := path.Base(entry.Name)
		if entry.Name != p.Library && !companion(entry.Name) {
			continue
		}
		if !entry.Mode().IsRegular() {
			return fmt.Errorf("%s is not a sound wheel: %s is not a regular file", base, entry.Name)
		}
		if written[name] {
			continue
		}
		written[name] = true
		if err := in.extract(ctx, entry, filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("unpack %s from %s: %w", entry.Name, base, err)
		}
	}
	if !written[p.fileName()] {
		return fmt.Errorf("%s contains no %s", base, p.Library)
	}
	return syncDir(dir)
}

// companion reports whether name is a legal text, which stays with the library,
// or the header that the library was built with.
func companion(name string) bool {
	base := path.Base(name)
	if base == "pjrt_c_api.h" {
		return true
	}
	for _, prefix := range []string{"LICENSE", "NOTICE", "THIRD_PARTY_NOTICES"} {
		if strings.HasPrefix(base, prefix) {
			return true
		}
	}
	return false
}

// extract writes one entry and flushes it: a rename that is on the disk before
// the bytes are would show a hollow library after a power cut. The reader
// compares the CRC of the entry at its end.
func (in *installer) extract(ctx context.Context, entry *zip.File, to string) error {
	r, err := entry.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := in.create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, ctxReader{ctx, r})
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
