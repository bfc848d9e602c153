// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugintest

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

	"github.com/gofrs/flock"

	"github.com/purepjrt/purepjrt/internal/python"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// download returns the library of a distribution that is only for tests. It lies beside the
// plugins that are installed, where nothing but tests looks for it. pip downloads it if it is
// missing.
func (b *build) download(ctx context.Context) (string, error) {
	dir, err := plugins.Dir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(filepath.Dir(dir), "test-plugins")
	id := b.project + "-" + b.version + "-" + b.sha256[:12]
	library := filepath.Join(dir, id, path.Base(b.library))
	if _, err := os.Stat(library); err == nil {
		return library, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	// The packages of one test run ask for the plugin at the same time.
	lock := flock.New(filepath.Join(dir, id+".lock"))
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer lock.Close()
	if _, err := os.Stat(library); err == nil {
		return library, nil
	}
	staging, err := os.MkdirTemp(dir, "."+id+".part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(staging)
	wheel, err := b.pip(ctx, staging)
	if err != nil {
		return "", err
	}
	content := filepath.Join(staging, "content")
	if err := b.unpack(wheel, content); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(wheel), err)
	}
	return library, os.Rename(content, filepath.Dir(library))
}

// pip downloads the wheel into staging.
func (b *build) pip(ctx context.Context, staging string) (wheel string, err error) {
	interpreter, err := python.Find(python.Default())
	if err != nil {
		return "", err
	}
	env := append(os.Environ(), "TMPDIR="+staging)
	stdout, stderr, err := python.Run(python.Module(ctx, interpreter, env, "pip", "download",
		"--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--no-deps", "--only-binary=:all:",
		"--implementation", "py", "--python-version", "3.11", "--abi", "none", "--platform", b.platform,
		"--dest", staging, b.project+"=="+b.version))
	if err != nil {
		return "", fmt.Errorf("pip download: %w: %s", err, python.Reason(stdout+stderr))
	}
	wheels, err := filepath.Glob(filepath.Join(staging, "*.whl"))
	if err != nil || len(wheels) != 1 {
		return "", fmt.Errorf("pip downloaded %d wheels where one was expected: %v", len(wheels), err)
	}
	return wheels[0], nil
}

// unpack checks a wheel and writes its library and its licences to dir.
func (b *build) unpack(wheel, dir string) error {
	f, err := os.Open(wheel)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != b.sha256 {
		return fmt.Errorf("it has the SHA-256 %s; expected %s", got, b.sha256)
	}
	z, err := zip.NewReader(f, size)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, entry := range z.File {
		if entry.Name == b.library || strings.Contains(entry.Name, "/licenses/") && !strings.HasSuffix(entry.Name, "/") {
			if err := extract(entry, filepath.Join(dir, path.Base(entry.Name))); err != nil {
				return err
			}
		}
	}
	_, err = os.Stat(filepath.Join(dir, path.Base(b.library)))
	return err
}

func extract(entry *zip.File, to string) error {
	r, err := entry.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
