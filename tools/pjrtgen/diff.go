// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

// breaksABI is the exit status of diff if a change breaks the ABI.
const breaksABI = 3

type diffFlags struct {
	include []string
	json    bool
	stubs   bool
}

func newDiffCommand() *cobra.Command {
	var flags diffFlags
	cmd := &cobra.Command{
		Use:   "diff [-I DIR]... [--json | --stubs] OLD NEW",
		Short: "Say what changed between two headers, and which changes break the ABI",
		Long: `Diff compares two headers, or two include roots, which are directories with xla/
and the PJRT headers below. It prints what a plugin has to implement to move from
OLD to NEW, and before that which changes break the ABI: slots and fields at
other offsets, numbers with another meaning, functions that are gone. An item with
another name but the same slots, fields and parameters is renamed, not gone. In a
checkout of XLA it reads the headers of C APIs, and leaves out those that help C++
code to implement them.

The exit status is 0 if nothing breaks the ABI, 3 if something does, and 1 if a
header cannot be read.

With --json the report is one document:

  old, new    label (the argument), version {major, minor} or null, core (the
              path of the header that defines it), headers (how many were read)
  breaking    how many of the changes break the ABI
  changes     a list of
    header    path of the header
    item      header macro enum value handle struct field slot function callback
              prototype variable alias
    kind      added removed renamed retyped moved renumbered resized signature
              deprecated regrouped defined hidden stale corrected realigned
              attribute direction
    name      the C name; parent: the table, struct or enum it belongs to
    old, new  where it was and is: name (if it changed), type, slot, offset,
              size, value; bytes for offset and size
    since     the API minor that introduced it, if known
    breaks    whether it breaks the ABI; why: the reason, one sentence

Null and empty values are omitted from old, new and since. The minors come from
the file since.json in the include root of NEW, if there is one.

With --stubs the output is C11 source: a stub for each function that NEW adds to
a table of OLD, which returns an error made by a function of yours, and the lines
to add to the table's initialiser.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDiff(cmd, flags, args[0], args[1])
		},
	}
	cmd.Flags().StringArrayVarP(&flags.include, "include", "I", nil, "directory of included files (repeatable)")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print the report as one JSON document")
	cmd.Flags().BoolVar(&flags.stubs, "stubs", false, "print C stubs for the new functions")
	cmd.MarkFlagsMutuallyExclusive("json", "stubs")
	return cmd
}

func runDiff(cmd *cobra.Command, flags diffFlags, from, to string) error {
	fromRoot, err := isDir(from)
	if err != nil {
		return err
	}
	toRoot, err := isDir(to)
	if err != nil {
		return err
	}
	if fromRoot != toRoot {
		return fmt.Errorf("cannot compare a header with a directory (%s, %s): give two headers or two include roots", from, to)
	}
	older, err := readSide(from, fromRoot, flags.include)
	if err != nil {
		return err
	}
	newer, err := readSide(to, toRoot, flags.include)
	if err != nil {
		return err
	}
	opts := diff.Options{OldLabel: from, NewLabel: to}
	root := to
	if !toRoot {
		root = rootOf(to, newer.Headers()[0])
	}
	if root != "" {
		if opts.Since, err = readSince(filepath.Join(root, "since.json")); err != nil {
			return err
		}
	}
	report := diff.Compare(older, newer, opts)
	out := cmd.OutOrStdout()
	switch {
	case flags.stubs:
		err = diff.WriteStubs(out, report, newer)
	case flags.json:
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		err = enc.Encode(report)
	default:
		err = report.WriteText(out)
	}
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	if report.Breaking > 0 {
		changes := "changes break"
		if report.Breaking == 1 {
			changes = "change breaks"
		}
		return &exitError{breaksABI, fmt.Errorf("%d %s the ABI between %s and %s", report.Breaking, changes, from, to)}
	}
	return nil
}

func isDir(name string) (bool, error) {
	info, err := os.Stat(name)
	if err != nil {
		return false, fmt.Errorf("cannot read %s: give two headers or two include roots: %w", name, err)
	}
	return info.IsDir(), nil
}

// rootOf returns the include root that contains a header, or "" if there is none.
func rootOf(file string, h *model.Header) string {
	abs, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	root, ok := strings.CutSuffix(filepath.ToSlash(abs), "/"+h.Path)
	if !ok || !strings.Contains(h.Path, "/") {
		return ""
	}
	return filepath.FromSlash(root)
}

// readSide reads one header, or the PJRT headers of an include root.
func readSide(name string, root bool, include []string) (*model.Set, error) {
	opts := header.Options{IncludeDirs: include}
	files := []string{name}
	if root {
		opts.IncludeDirs = append([]string{name}, include...)
		var err error
		if files, err = apiHeaders(name); err != nil {
			return nil, err
		}
	}
	headers := make([]*model.Header, 0, len(files))
	for _, f := range files {
		h, err := header.Parse(f, opts)
		if err != nil {
			return nil, err
		}
		headers = append(headers, h)
	}
	return model.NewSet(headers...)
}

// apiHeaders lists the headers of a root that belong to the PJRT C API or to related APIs. A
// checkout of XLA has thousands of other headers.
func apiHeaders(root string) ([]string, error) {
	all, err := header.Tree(root)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, f := range all {
		rel, err := filepath.Rel(root, f)
		if err != nil {
			return nil, err
		}
		if !isAPIHeader(filepath.ToSlash(rel)) {
			continue
		}
		// Headers that C++ code keeps to itself usually have other names, but not always.
		cxx, err := header.IsCXX(f)
		if err != nil {
			return nil, err
		}
		if !cxx {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s/xla holds no PJRT headers: give the directory above xla/pjrt/c/pjrt_c_api.h", root)
	}
	return files, nil
}

// isAPIHeader reports whether the header that is included as name defines ABI, unlike headers that
// help C++ code to implement it.
func isAPIHeader(name string) bool {
	dir, base := path.Split(name)
	switch {
	case name == "xla/backends/profiler/plugin/profiler_c_api.h",
		dir == "xla/ffi/api/" && strings.HasSuffix(base, "c_api.h"),
		name == "xla/pjrt/c/pjrt_c_api_tpu_internal.h":
		return true
	case dir == "xla/pjrt/c/":
		for _, end := range []string{"_helpers.h", "_internal.h", "_impl.h", "_test.h", "_test_base.h", "_utils.h"} {
			if strings.HasSuffix(base, end) {
				return false
			}
		}
		return strings.HasPrefix(base, "pjrt_c_api") || strings.HasSuffix(base, "_extension.h")
	case strings.HasPrefix(dir, "xla/pjrt/extensions/"):
		// abi_version_extension.h is the C++ half of the header in xla/pjrt/c.
		return strings.HasSuffix(base, "_extension.h") && base != "abi_version_extension.h"
	default:
		return false
	}
}

// readSince reads the minors that introduced items. A missing file is not an error, because only
// this project's headers have one.
func readSince(name string) (func(path, item string) (int, bool), error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the history of the headers: %w", err)
	}
	var since struct {
		Core    map[string]int               `json:"core"`
		Headers map[string]map[string][2]int `json:"headers"` // the extension's version and the minor
	}
	if err := json.Unmarshal(text, &since); err != nil {
		return nil, fmt.Errorf("%s is not a history of the headers: %w", name, err)
	}
	return func(path, item string) (int, bool) {
		if path == "xla/pjrt/c/pjrt_c_api.h" {
			minor, ok := since.Core[item]
			return minor, ok
		}
		versions, ok := since.Headers[path][item]
		return versions[1], ok
	}, nil
}
