// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

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
		Short: "Add to the headers alone what newer originals have gained",
		Long: `Restate brings the headers under DIR/xla, whose comments are our own, to the API
version of newer originals: it adds the functions, structs, fields, values and
macros that the originals have gained, where the originals have them, with their
direction marks (out, in/out) but without comments. Then it compares what both declare,
and changes nothing if they differ. It rewrites the file VERSION in DIR.

ORIGINALS is a checkout of openxla/xla, a folder that holds xla/, or a Python wheel
that contains XLA's headers. A header that the originals lack stays as it is. One
that we lack is reported, and added if --take gives its path.

New items have no comments yet: restate lists those to describe. It writes no facts;
update does everything that belongs to a newer version.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().StringVar(&r.headers, "headers", "third_party/xla", "folder that holds the headers in xla/")
	cmd.Flags().StringArrayVar(&r.take, "take", nil, "path of a header to add that we lack (repeatable)")
	return cmd
}

// restatement is one run of restate.
type restatement struct {
	headers string
	take    []string
}

// restated is a header with its new text.
type restated struct {
	path     string // as included
	original *model.Header
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
		return fmt.Errorf("no header under %s defines PJRT_API_MINOR: is xla/pjrt/c/pjrt_c_api.h there?", filepath.Join(r.headers, "xla"))
	}
	theirs, err := originalsOf(ours, root, r.take)
	if err != nil {
		return err
	}
	if theirs.Version() == nil {
		return fmt.Errorf("%s has no xla/pjrt/c/pjrt_c_api.h that defines PJRT_API_MINOR", originals)
	}
	if older(theirs.Version(), ours.Version()) {
		return fmt.Errorf("the originals are of API %s and our headers of %s: restate only adds what newer ones have gained",
			text(theirs), text(ours))
	}
	list, err := restateAll(r.headers, ours, theirs, root)
	if err != nil {
		return err
	}
	if _, err := verify(r.headers, list, theirs); err != nil {
		return err
	}
	version, err := readOrigins(r.headers)
	if err != nil {
		return err
	}
	compared(version, theirs, originOf(ctx, originals))
	var c change
	defer c.discard()
	for _, h := range list {
		if err := c.put(filepath.Join(r.headers, filepath.FromSlash(h.path)), h.Text); err != nil {
			return err
		}
	}
	if err := c.put(filepath.Join(r.headers, "VERSION"), version.Bytes()); err != nil {
		return err
	}
	if err := c.apply(); err != nil {
		return err
	}
	report(out, list, ours, theirs)
	more, err := untaken(root, ours)
	for _, p := range more {
		if !slices.Contains(r.take, p) {
			fmt.Fprintf(out, "new, and not taken: %s (--take %s)\n", p, p)
		}
	}
	return err
}

// compared records in VERSION that our headers match these originals.
func compared(v *restate.Version, theirs *model.Set, from restate.Source) {
	v.Major, v.Minor = theirs.Version().Major, theirs.Version().Minor
	for _, h := range theirs.Headers() {
		v.Compared(h.Path, restate.Origin{Minor: v.Minor, Source: from})
	}
}

// restateAll returns the new text of each header that the originals have.
func restateAll(dir string, ours, theirs *model.Set, root string) ([]restated, error) {
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
			if text, err = header.Read(filepath.Join(dir, filepath.FromSlash(h.Path))); err != nil {
				return nil, err
			}
			result, err = restate.Update(restate.Side{Text: text, Model: have}, newer)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, restated{h.Path, h, result})
	}
	return list, firstErrors(errs)
}

// verify reads the headers with their new texts, compares their declarations with
// the originals, and returns the headers.
func verify(headers string, list []restated, theirs *model.Set) (*model.Set, error) {
	dir, err := os.MkdirTemp("", "pjrtgen-restate-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(filepath.Join(dir, "xla"), os.DirFS(filepath.Join(headers, "xla"))); err != nil {
		return nil, err
	}
	for _, h := range list {
		file := filepath.Join(dir, filepath.FromSlash(h.path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, h.Text, 0o644); err != nil {
			return nil, err
		}
	}
	set, err := readHeaders(dir)
	if err != nil {
		return nil, fmt.Errorf("nothing was changed, because the headers cannot be read with the new items: %w", err)
	}
	made, want, err := common(set, theirs)
	if err != nil {
		return nil, err
	}
	changes := diff.Compare(made, want, diff.Options{}).Changes
	if len(changes) == 0 {
		return set, nil
	}
	return nil, changesError("nothing was changed, because our headers would still differ from the originals:",
		changes, describe, "")
}

// report lists what is new, and which headers were left as they are.
func report(out io.Writer, list []restated, ours, theirs *model.Set) {
	fmt.Fprintf(out, "API %s to %s\n", text(ours), text(theirs))
	added := 0
	for _, h := range list {
		if len(h.Added)+len(h.Changed)+len(h.Deprecated) == 0 {
			continue
		}
		fmt.Fprintln(out, h.path)
		for _, n := range h.Changed {
			fmt.Fprintln(out, "  changed   "+n)
		}
		for _, n := range h.Deprecated {
			fmt.Fprintln(out, "  deprecated  "+n)
		}
		for _, n := range restate.Summary(h.original, h.Added) {
			fmt.Fprintln(out, "  describe  "+n)
			added++
		}
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
	fmt.Fprintf(out, "%s to describe; next: the facts, which make update writes\n", count(added, "new item"))
}
