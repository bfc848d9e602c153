// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/purepjrt/purepjrt/gen/golang"
)

// room is a copy of what an update changes, in which the update is made and tested.
type room struct {
	dir          string
	module       string // the copy of the module; empty if only the two folders were copied
	headers, out string // in the copy
}

// newRoom copies the folders of the headers and of package capi, or the whole module
// that contains them.
func newRoom(headers, out string, whole bool) (_ *room, err error) {
	if _, err := os.Stat(filepath.Join(headers, "xla")); err != nil {
		return nil, fmt.Errorf("cannot read our headers: %w", err)
	}
	dir, err := os.MkdirTemp("", "pjrtgen-update-*")
	if err != nil {
		return nil, err
	}
	r := &room{dir: dir, headers: filepath.Join(dir, "headers"), out: filepath.Join(dir, "out")}
	defer func() {
		if err != nil {
			r.remove()
		}
	}()
	if !whole {
		if err := copyFiles(headers, r.headers); err != nil {
			return nil, err
		}
		if _, err := os.Stat(out); errors.Is(err, fs.ErrNotExist) {
			return r, nil
		}
		return r, copyFiles(out, r.out)
	}
	root, err := moduleOf(headers)
	if err != nil {
		return nil, err
	}
	r.module = filepath.Join(dir, "module")
	for _, p := range []struct {
		in string
		at *string
	}{{headers, &r.headers}, {out, &r.out}} {
		abs, err := filepath.Abs(p.in)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(root, abs)
		if err != nil || !filepath.IsLocal(rel) {
			return nil, fmt.Errorf("%s is outside the module of the headers, %s: use --build=false", p.in, root)
		}
		*p.at = filepath.Join(r.module, rel)
	}
	return r, copyFiles(root, r.module)
}

// moduleOf returns the root of the module that a folder belongs to.
func moduleOf(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for d := abs; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("%s is not in a Go module, so nothing can be built: use --build=false", dir)
		}
	}
}

// copyFiles copies the regular files of a folder, without git's files and build outputs.
func copyFiles(from, to string) error {
	return eachFile(from, func(rel string) error {
		source, target := filepath.Join(from, rel), filepath.Join(to, rel)
		info, err := os.Stat(source)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, text, info.Mode().Perm())
	})
}

func (r *room) remove() { _ = os.RemoveAll(r.dir) }

// write writes a file of the room.
func (r *room) write(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// generate writes the generated code.
func (r *room) generate(o *outcome) error {
	s := sources{headers: r.headers, out: r.out}
	made, err := s.generate()
	var fault *golang.Error
	if errors.As(err, &fault) && o.theirs != nil {
		// The room's headers are gone when the user reads this, unlike the originals.
		if h := o.theirs.Header(fault.Header.Path); h != nil && fault.Item != "" {
			return fmt.Errorf("nothing was changed: %s: %s", h.PlaceOf(fault.Item), fault.Msg)
		}
	}
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	if made.since != nil {
		return errors.New("since.json does not have all that the headers have") // take has written since.json
	}
	if err := made.write(&s, io.Discard); err != nil {
		return err
	}
	for _, f := range made.files {
		if f.Path == "describe/zz_describe.go" {
			o.describe = string(f.Content)
		}
	}
	o.version, err = readOrigins(r.headers)
	return err
}

// tests returns the commands that test the generated code. Here, and only here, facts
// may be unconfirmed.
func (r *room) tests() [][]string {
	return [][]string{
		{"build", "./..."},
		{"vet", "./capi/...", "./third_party/xla"},
		{"test", "./capi/internal/gentest"},
		{"test", "./capi/describe"},
		{"test", "-skip", "^TestACompilerHasConfirmedTheFacts$", "./third_party/xla"},
	}
}

// try builds the module in the room and tests the generated code. It announces each command.
func (r *room) try(ctx context.Context, announce func(format string, args ...any)) error {
	for _, args := range r.tests() {
		announce("trying them: go %s", strings.Join(args, " "))
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = r.module
		// Without the room's paths, the build cache can be reused the next time.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("nothing was changed, because with the newer headers go %s fails: %w\n%s", strings.Join(args, " "), err,
				strings.ReplaceAll(string(text), r.module+string(filepath.Separator), ""))
		}
	}
	return nil
}

// apply makes the folders equal to their copies in the room, all files or none. It returns the
// number of files that changed.
func (r *room) apply(headers, out string) (changed int, err error) {
	var c change
	defer c.discard()
	for _, p := range [][2]string{{r.headers, headers}, {r.out, out}} {
		if err := c.mirror(p[0], p[1]); err != nil {
			return 0, err
		}
	}
	changed = len(c.files)
	return changed, c.apply()
}

// mirror prepares to make the folder to equal to the folder from.
func (c *change) mirror(from, to string) error {
	wanted := make(map[string]bool)
	err := eachFile(from, func(rel string) error {
		wanted[rel] = true
		text, err := os.ReadFile(filepath.Join(from, rel))
		if err != nil {
			return err
		}
		return c.put(filepath.Join(to, rel), text)
	})
	if err != nil {
		return err
	}
	return eachFile(to, func(rel string) error {
		if !wanted[rel] && strings.HasPrefix(filepath.Base(rel), "zz_") {
			c.remove(filepath.Join(to, rel))
		}
		return nil
	})
}

// eachFile calls f for the regular files of a folder, except git's files and build
// outputs.
func eachFile(dir string, f func(rel string) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == dir {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (rel == ".git" || rel == "bin"):
			return filepath.SkipDir
		case !d.Type().IsRegular() || rel == ".git": // a file in a worktree
			return nil
		}
		return f(rel)
	})
}
