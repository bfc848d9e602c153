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
	"slices"
	"strings"
	"time"
)

// A HashError says that a file is not the one that a package is pinned to. Got is empty if the hash
// of the file is unknown.
type HashError struct {
	File, Want, Got string
}

// Error names the file and both hashes.
func (e *HashError) Error() string {
	if e == nil {
		return "a file has the wrong hash"
	}
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

// maxUnpacked limits the bytes of all files that are unpacked from one wheel. The largest known
// library has 0.7 GB.
const maxUnpacked = 8 << 30

// unpack creates dir, unless it exists, and writes the library of p, its licences and its header
// there, each under its base name, with a RECORD of them, or the files of a compiler under the
// paths in the table. It ignores the other files of the wheel.
func (in *installer) unpack(ctx context.Context, archive string, p *Package, dir string) error {
	base := filepath.Base(archive)
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("%s is not a wheel: %w", base, err)
	}
	defer z.Close()
	if err := checkEntries(z.File, p); err != nil {
		return fmt.Errorf("%s is a bad wheel: %w", base, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	count := &meter{in: in, step: p.Name + ": unpacking"}
	for _, entry := range z.File {
		if p.target(entry.Name) != "" {
			count.total += int64(entry.UncompressedSize64)
		}
	}
	var files []recorded
	written := map[string]bool{} // by names in lower case, since some file systems ignore case
	for _, entry := range z.File {
		name := p.target(entry.Name)
		if name == "" || written[strings.ToLower(name)] {
			continue // licences in several directories may have the same name
		}
		written[strings.ToLower(name)] = true
		to := filepath.Join(dir, filepath.FromSlash(name))
		hash, err := in.extract(ctx, entry, to, count)
		files = append(files, recorded{name, int64(entry.UncompressedSize64), hash})
		if err == nil && slices.Contains(p.files, name) && entry.Mode()&0o100 != 0 {
			err = makeExecutable(to)
		}
		if err != nil {
			return fmt.Errorf("unpack %q from %s: %w", entry.Name, base, err)
		}
	}
	for _, needed := range p.needed() {
		if !written[strings.ToLower(p.target(needed))] {
			return fmt.Errorf("%s contains no %s", base, needed)
		}
	}
	if len(p.files) == 0 {
		if err := in.writeRecord(dir, files); err != nil {
			return err
		}
	}
	return syncTree(dir)
}

// syncTree makes the names of all files below dir survive a power cut.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return syncDir(path)
	})
}

// checkEntries returns an error for a wheel that no packaging tool would write.
func checkEntries(entries []*zip.File, p *Package) error {
	seen := make(map[string]bool, len(entries))
	room := uint64(maxUnpacked)
	for _, e := range entries {
		switch {
		case !filepath.IsLocal(filepath.FromSlash(e.Name)):
			return fmt.Errorf("it contains the path %q", e.Name)
		case seen[e.Name]:
			return fmt.Errorf("it contains %q twice", e.Name)
		case e.Name != p.Library && strings.EqualFold(e.Name, p.Library):
			return fmt.Errorf("it contains %q, which only differs in case from its library %s", e.Name, p.Library)
		}
		seen[e.Name] = true
		if p.target(e.Name) == "" {
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

// target returns where a file of a wheel is unpacked to, below the directory of the plugin, or ""
// if it is not unpacked. Only the files that p exists for, the legal texts that must stay with
// them, and the header that a plugin was built with are unpacked.
func (p *Package) target(name string) string {
	base := path.Base(name)
	if slices.Contains(p.files, name) {
		return name
	}
	if len(p.files) > 0 {
		if strings.HasSuffix(name, "/licenses/License.txt") {
			return "nvidia/LICENSE-" + p.Project + ".txt"
		}
		return ""
	}
	if name == p.Library || base == "pjrt_c_api.h" {
		return base
	}
	for _, prefix := range []string{"LICENSE", "NOTICE", "THIRD_PARTY_NOTICES"} {
		if strings.HasPrefix(base, prefix) && !strings.HasSuffix(name, "/") {
			return base
		}
	}
	return ""
}

// needed returns the files without which a wheel of p is useless.
func (p *Package) needed() []string {
	if len(p.files) > 0 {
		return p.files
	}
	return []string{p.Library}
}

// extract writes one entry, and returns its hash as in a RECORD. It flushes the file: if the later
// rename reached the disk first, a power cut could leave a library without contents. The
// reader checks the CRC and the size of the entry at its end.
func (in *installer) extract(ctx context.Context, entry *zip.File, to string, count *meter) (hash string, err error) {
	r, err := entry.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", err
	}
	f, err := in.create(to)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h, count), io.LimitReader(ctxReader{ctx, r}, int64(entry.UncompressedSize64)+1))
	if err == nil && uint64(n) > entry.UncompressedSize64 {
		err = fmt.Errorf("it has more than the %d bytes that the wheel declares", entry.UncompressedSize64)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return hashText(h.Sum(nil)), err
}

// makeExecutable lets everyone who can read a file run it.
func makeExecutable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Chmod(path, info.Mode()|info.Mode()&0o444>>2)
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
