// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/purepjrt/purepjrt/gen/restate"
)

// originalsOf reads the originals that root has of our headers, and the headers to take.
func originalsOf(ours *model.Set, root string, take []string) (*model.Set, error) {
	var paths []string
	for _, h := range ours.Headers() {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(h.Path))); err == nil {
			paths = append(paths, h.Path)
		}
	}
	for _, p := range take {
		if !filepath.IsLocal(filepath.FromSlash(p)) || !strings.HasPrefix(p, "xla/") {
			return nil, fmt.Errorf("--take %s: give the path by which other headers include it, such as xla/ffi/api/c_api.h", p)
		}
		if !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	files := make([]string, len(paths))
	for i, p := range paths {
		files[i] = filepath.Join(root, filepath.FromSlash(p))
	}
	return parseHeaders(root, files)
}

// cxxOnly are headers without a C ABI.
var cxxOnly = map[string]bool{"xla/pjrt/extensions/abi_version/abi_version_extension.h": true}

// untaken returns the paths of the originals' API headers that we lack.
func untaken(root string, ours *model.Set) ([]string, error) {
	files, err := apiHeaders(root)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		rel, err := filepath.Rel(root, f)
		if err != nil {
			return nil, err
		}
		if p := filepath.ToSlash(rel); ours.Header(p) == nil && !cxxOnly[p] {
			out = append(out, p)
		}
	}
	return out, nil
}

// originOf returns where originals come from: a checkout gives its commit, and a wheel its
// name.
func originOf(ctx context.Context, originals string) restate.Source {
	info, err := os.Stat(originals)
	if err != nil {
		return restate.UnknownSource
	}
	if !info.IsDir() {
		return restate.WheelSource(filepath.Base(originals))
	}
	if !isCheckout(ctx, originals) {
		return restate.UnknownSource
	}
	return commitSource(ctx, originals, "HEAD")
}

// commitSource returns a commit of a checkout as a source.
func commitSource(ctx context.Context, dir, commit string) restate.Source {
	hash, err := git(ctx, dir, "rev-parse", commit)
	if err != nil {
		return restate.UnknownSource
	}
	date, err := git(ctx, dir, "show", "-s", "--format=%cI", commit)
	if err != nil {
		return restate.UnknownSource
	}
	return restate.CommitSource(hash, date)
}

// isCheckout reports whether a folder is the top of a git checkout. A folder inside another
// repository is not: the commits of that repository say nothing about it.
func isCheckout(ctx context.Context, dir string) bool {
	abs, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	if abs, err = filepath.Abs(abs); err != nil {
		return false
	}
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	return err == nil && filepath.FromSlash(top) == abs
}

// git runs a git command in a folder and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(text)), err
}

// readOrigins reads the file VERSION in the folder of the headers.
func readOrigins(headers string) (*restate.Version, error) {
	file := filepath.Join(headers, "VERSION")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read where the headers come from: %w", err)
	}
	v, err := restate.ReadVersion(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return v, nil
}

// includeRoot returns the folder that holds xla/ of a checkout, a folder or a wheel. done
// removes what was unpacked.
func includeRoot(originals string) (root string, done func(), err error) {
	info, err := os.Stat(originals)
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("cannot read the originals: %w", err)
	case info.IsDir():
		if _, err := os.Stat(filepath.Join(originals, filepath.FromSlash(coreName))); err != nil {
			return "", nil, fmt.Errorf("%s has no %s: name a checkout of openxla/xla, or a wheel that contains its headers",
				originals, coreName)
		}
		return originals, func() {}, nil
	case !info.Mode().IsRegular():
		return "", nil, fmt.Errorf("%s is neither a folder nor a file", originals)
	}
	dir, err := os.MkdirTemp("", "pjrtgen-wheel-*")
	if err != nil {
		return "", nil, err
	}
	if err := unpackHeaders(originals, dir); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// maxUnpacked limits the size of a header in a wheel; a larger file is not a header.
const maxUnpacked = 16 << 20

// unpackHeaders writes the headers of XLA in a wheel to dir/xla.
func unpackHeaders(wheel, dir string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("%s is not a wheel: %w", wheel, err)
	}
	defer archive.Close()
	prefix, found := "", false
	for _, f := range archive.File {
		if before, ok := strings.CutSuffix(f.Name, coreName); ok {
			prefix, found = before, true
		}
	}
	if !found {
		return fmt.Errorf("%s contains no %s", wheel, coreName)
	}
	for _, f := range archive.File {
		name, ok := strings.CutPrefix(f.Name, prefix)
		local := filepath.FromSlash(path.Clean(name))
		if !ok || !strings.HasPrefix(name, "xla/") || !strings.HasSuffix(name, ".h") || !filepath.IsLocal(local) {
			continue
		}
		if err := unpack(f, filepath.Join(dir, local)); err != nil {
			return fmt.Errorf("%s: %s: %w", wheel, f.Name, err)
		}
	}
	return nil
}

func unpack(f *zip.File, file string) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxUnpacked+1))
	if err != nil {
		return err
	}
	if len(text) > maxUnpacked {
		return fmt.Errorf("it has more than %d bytes", maxUnpacked)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
