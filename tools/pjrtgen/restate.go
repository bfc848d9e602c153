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

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/purepjrt/purepjrt/gen/restate"
)

func newRestateCommand() *cobra.Command {
	var r restatement
	cmd := &cobra.Command{
		Use:   "restate [--headers DIR] [--take PATH]... ORIGINALS",
		Short: "Add to the headers what newer originals have gained",
		Long: `Restate brings the headers under DIR/xla, whose comments are our own, to the API
version of newer originals: it adds the functions, structs, fields, values and
macros that the originals have gained, where the originals have them, with the
marks of directions and without any comment. Then it compares what both declare,
and changes nothing if they differ. It rewrites the file VERSION in DIR.

ORIGINALS is a checkout of openxla/xla, a folder that holds xla/, or a Python wheel
that carries XLA's headers. A header that the originals lack stays as it is. One
that we lack is named, and added if --take gives its path.

What is new has no comment yet: restate lists it, to be described.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().StringVar(&r.headers, "headers", "third_party/xla", "folder that holds the headers in xla/")
	cmd.Flags().StringArrayVar(&r.take, "take", nil, "path of a header that we lack and want (repeatable)")
	return cmd
}

// restatement is one run of restate.
type restatement struct {
	headers string
	take    []string
}

// restated is a header with its new text.
type restated struct {
	path string // as included
	*restate.Result
}

func (r *restatement) run(ctx context.Context, out io.Writer, originals string) error {
	root, done, err := includeRoot(originals)
	if err != nil {
		return err
	}
	defer done()
	ours, err := readHeaders(r.headers)
	if err != nil {
		return err
	}
	if ours.Version() == nil {
		return fmt.Errorf("no header under %s states PJRT_API_MINOR: is xla/pjrt/c/pjrt_c_api.h there?", filepath.Join(r.headers, "xla"))
	}
	theirs, err := originalsOf(ours, root, r.take)
	if err != nil {
		return err
	}
	if theirs.Version() == nil {
		return fmt.Errorf("%s has no xla/pjrt/c/pjrt_c_api.h that states PJRT_API_MINOR", originals)
	}
	if older(theirs.Version(), ours.Version()) {
		return fmt.Errorf("the originals are of API %s and our headers of %s: restate only adds what newer ones have gained",
			text(theirs), text(ours))
	}
	list, err := r.restate(ours, theirs, root)
	if err != nil {
		return err
	}
	if err := r.verify(list, theirs); err != nil {
		return err
	}
	version := fmt.Sprintf("%sapi_major: %d\napi_minor: %d\n", commitOf(ctx, originals), theirs.Version().Major, theirs.Version().Minor)
	var c change
	defer c.discard()
	for _, h := range list {
		if err := c.put(filepath.Join(r.headers, filepath.FromSlash(h.path)), h.Text); err != nil {
			return err
		}
	}
	if len(c.files) > 0 {
		if err := c.put(filepath.Join(r.headers, "VERSION"), []byte(version)); err != nil {
			return err
		}
	}
	if err := c.apply(); err != nil {
		return err
	}
	report(out, list, ours, theirs)
	return r.untaken(out, root, ours)
}

// originalsOf reads the originals of our headers that root has, and those to take.
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

// restate returns the new text of each header that the originals have.
func (r *restatement) restate(ours, theirs *model.Set, root string) ([]restated, error) {
	var list []restated
	var errs []error
	for _, h := range theirs.Headers() {
		original, err := header.Read(filepath.Join(root, filepath.FromSlash(h.Path)))
		if err != nil {
			return nil, err
		}
		newer := restate.Side{Text: original, Model: h}
		var result *restate.Result
		if have := ours.Header(h.Path); have == nil {
			result, err = restate.New(newer)
		} else {
			var text []byte
			if text, err = header.Read(filepath.Join(r.headers, filepath.FromSlash(h.Path))); err != nil {
				return nil, err
			}
			result, err = restate.Update(restate.Side{Text: text, Model: have}, newer)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, restated{h.Path, result})
	}
	return list, firstErrors(errs)
}

// verify reads the new texts and compares what they declare with the originals.
func (r *restatement) verify(list []restated, theirs *model.Set) error {
	dir, err := os.MkdirTemp("", "pjrtgen-restate-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(filepath.Join(dir, "xla"), os.DirFS(filepath.Join(r.headers, "xla"))); err != nil {
		return err
	}
	for _, h := range list {
		file := filepath.Join(dir, filepath.FromSlash(h.path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, h.Text, 0o644); err != nil {
			return err
		}
	}
	set, err := readHeaders(dir)
	if err != nil {
		return fmt.Errorf("nothing was changed, because the headers cannot be read with what is new: %w", err)
	}
	made, err := model.NewSet(common(set, theirs)...)
	if err != nil {
		return err
	}
	want, err := model.NewSet(common(theirs, set)...)
	if err != nil {
		return err
	}
	changes := diff.Compare(made, want, diff.Options{}).Changes
	if len(changes) == 0 {
		return nil
	}
	return changesError("nothing was changed, because our headers would still declare something else than the originals:", changes, "")
}

// report says what is new, and what stayed behind.
func report(out io.Writer, list []restated, ours, theirs *model.Set) {
	fmt.Fprintf(out, "API %s to %s\n", text(ours), text(theirs))
	added := 0
	for _, h := range list {
		if len(h.Added)+len(h.Changed) == 0 {
			continue
		}
		fmt.Fprintln(out, h.path)
		for _, n := range h.Changed {
			fmt.Fprintln(out, "  changed   "+n)
		}
		for _, n := range h.Added {
			fmt.Fprintln(out, "  describe  "+n)
		}
		added += len(h.Added)
	}
	var behind []string
	for _, h := range ours.Headers() {
		if theirs.Header(h.Path) == nil {
			behind = append(behind, h.Path)
		}
	}
	if len(behind) > 0 {
		fmt.Fprintln(out, "not among the originals, and left as they are:")
		for _, p := range behind {
			fmt.Fprintln(out, "  "+p)
		}
	}
	fmt.Fprintf(out, "%d new items to describe; next: go generate ./...\n", added)
}

// untaken names the originals' extensions that we lack.
func (r *restatement) untaken(out io.Writer, root string, ours *model.Set) error {
	files, err := apiHeaders(root)
	if err != nil {
		return err
	}
	for _, f := range files {
		rel, err := filepath.Rel(root, f)
		if err != nil {
			return err
		}
		p := filepath.ToSlash(rel)
		if strings.HasSuffix(p, "_extension.h") && ours.Header(p) == nil && !slices.Contains(r.take, p) && !cxxOnly[p] {
			fmt.Fprintf(out, "new, and not taken: %s (--take %s)\n", p, p)
		}
	}
	return nil
}

// cxxOnly are headers without a C ABI.
var cxxOnly = map[string]bool{"xla/pjrt/extensions/abi_version/abi_version_extension.h": true}

// commitOf returns the lines of VERSION that say which commit a checkout has. A folder that
// is no checkout of its own has none, and the repository around it would name the wrong one.
func commitOf(ctx context.Context, dir string) string {
	git := func(args ...string) string {
		text, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(text))
	}
	commit, date := "unknown", "unknown"
	if abs, err := filepath.EvalSymlinks(dir); err == nil {
		if abs, err = filepath.Abs(abs); err == nil && git("rev-parse", "--show-toplevel") == abs {
			commit, date = git("rev-parse", "HEAD"), git("show", "-s", "--format=%cI", "HEAD")
		}
	}
	return fmt.Sprintf("commit: %s\ndate: %s\n", commit, date)
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
			return "", nil, fmt.Errorf("%s has no %s: name a checkout of openxla/xla, or a wheel that carries its headers",
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

// maxUnpacked bounds a header in a wheel; what is larger is none.
const maxUnpacked = 16 << 20

// unpackHeaders writes the headers of XLA in a wheel to dir/xla.
func unpackHeaders(wheel, dir string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("%s is no wheel: %w", wheel, err)
	}
	defer archive.Close()
	prefix, found := "", false
	for _, f := range archive.File {
		if before, ok := strings.CutSuffix(f.Name, coreName); ok {
			prefix, found = before, true
		}
	}
	if !found {
		return fmt.Errorf("%s carries no %s", wheel, coreName)
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
