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
	"time"
)

// A HashError says that a file is not the one that a package is pinned to. Got is empty if the hash of the file is
// unknown.
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

// maxUnpacked limits the bytes of all files that are unpacked from one wheel. The largest known library has 0.7 GB.
const maxUnpacked = 8 << 30

// unpack creates dir, and writes the library of p, its licences and its header there. Paths inside the wheel are not
// used: each file is written under its base name.
func (in *installer) unpack(ctx context.Context, archive string, p *Package, dir string) error {
	base := filepath.Base(archive)
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("%s is not a wheel: %w", base, err)
	}
	defer z.Close()
	if err := checkEntries(z.File, p.Library); err != nil {
		return fmt.Errorf("%s is a bad wheel: %w", base, err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	count := &meter{in: in, step: p.Name + ": unpacking"}
	for _, entry := range z.File {
		if wanted(entry.Name, p.Library) {
			count.total += int64(entry.UncompressedSize64)
		}
	}
	written := map[string]bool{} // by names in lower case, since some file systems do not tell the cases apart
	for _, entry := range z.File {
		name := path.Base(entry.Name)
		if !wanted(entry.Name, p.Library) || written[strings.ToLower(name)] {
			continue // licences in several directories may have the same name
		}
		written[strings.ToLower(name)] = true
		if err := in.extract(ctx, entry, filepath.Join(dir, name), count); err != nil {
			return fmt.Errorf("unpack %q from %s: %w", entry.Name, base, err)
		}
	}
	if !written[strings.ToLower(p.fileName())] {
		return fmt.Errorf("%s contains no %s", base, p.Library)
	}
	return syncDir(dir)
}

// checkEntries returns an error for a wheel that no tool for wheels writes.
func checkEntries(entries []*zip.File, library string) error {
	seen := make(map[string]bool, len(entries))
	room := uint64(maxUnpacked)
	for _, e := range entries {
		switch {
		case !filepath.IsLocal(filepath.FromSlash(e.Name)):
			return fmt.Errorf("it contains the path %q", e.Name)
		case seen[e.Name]:
			return fmt.Errorf("it contains %q twice", e.Name)
		case e.Name != library && strings.EqualFold(e.Name, library):
			return fmt.Errorf("it contains %q, which only differs in case from its library %s", e.Name, library)
		}
		seen[e.Name] = true
		if !wanted(e.Name, library) {
			continue
		}
		if !e.Mode().IsRegular() {
			return fmt.Errorf("%q is not a regular file", e.Name)
		}
		if e.UncompressedSize64 > room {
			return fmt.Errorf("its files have more than %d bytes: %q alone has %d", uint64(maxUnpacked), e.Name, e.UncompressedSize64)
		}
		room -= e.UncompressedSize64
	}
	return nil
}

// wanted reports whether an entry of a wheel is unpacked: the library, a legal text, which must stay with it, or the
// header that it was built with.
func wanted(name, library string) bool {
	base := path.Base(name)
	if name == library || base == "pjrt_c_api.h" {
		return true
	}
	for _, prefix := range []string{"LICENSE", "NOTICE", "THIRD_PARTY_NOTICES"} {
		if strings.HasPrefix(base, prefix) && !strings.HasSuffix(name, "/") {
			return true
		}
	}
	return false
}

// extract writes one entry and flushes it, because if the later rename reached the disk first, a power cut could leave
// a library without contents. The reader checks the CRC and the size of the entry at its end.
func (in *installer) extract(ctx context.Context, entry *zip.File, to string, count *meter) error {
	r, err := entry.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := in.create(to)
	if err != nil {
		return err
	}
	n, err := io.Copy(io.MultiWriter(f, count), io.LimitReader(ctxReader{ctx, r}, int64(entry.UncompressedSize64)+1))
	if err == nil && uint64(n) > entry.UncompressedSize64 {
		err = fmt.Errorf("it has more than the %d bytes that the wheel states", entry.UncompressedSize64)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// meter counts what is written to it.
type meter struct {
	in          *installer
	step        string
	done, total int64
	shown       time.Time
}

// Write never fails.
func (m *meter) Write(p []byte) (int, error) {
	m.done += int64(len(p))
	if m.in.Meter != nil && time.Since(m.shown) >= meterPause {
		m.shown = time.Now()
		m.in.Meter(m.step, m.done, m.total)
	}
	return len(p), nil
}
