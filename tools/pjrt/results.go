// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// A result is what one part of a program computed.
type result struct {
	number int
	part   int // -1 if the program has only one
	array  array.Array
}

func (r result) String() string {
	if r.part < 0 {
		return fmt.Sprintf("out%d", r.number)
	}
	return fmt.Sprintf("out%d of part %d", r.number, r.part)
}

func (r result) file() string {
	if r.part < 0 {
		return fmt.Sprintf("out%d.npy", r.number)
	}
	return fmt.Sprintf("out%d.%d.npy", r.number, r.part)
}

func printResults(w io.Writer, results []result) error {
	width := 0 // as NumPy does
	if n := cli.Columns(w); n < cli.UsualColumns {
		width = n - 1
	}
	for _, r := range results {
		if _, err := fmt.Fprintf(w, "%s: %s\n", r, r.array.Shape()); err != nil {
			return err
		}
		if err := r.array.Format(w, array.FormatOptions{LineWidth: width}); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

// outputDir is the directory for results. Results are first written to a directory inside it, so
// that a full disk leaves earlier results unchanged.
type outputDir struct {
	path    string
	staging string
	made    []string // directories that were created for it, outermost first
}

// openOutputDir creates dir if it is missing, and checks that it is writable before time is spent
// on results.
func openOutputDir(dir string) (_ *outputDir, err error) {
	d := &outputDir{path: filepath.Clean(dir)}
	for p := d.path; ; p = filepath.Dir(p) {
		if _, err := os.Lstat(p); err == nil || p == filepath.Dir(p) {
			break
		}
		d.made = append([]string{p}, d.made...)
	}
	defer func() {
		if err != nil {
			d.discard()
		}
	}()
	if err := os.MkdirAll(d.path, 0o777); err != nil {
		return nil, err
	}
	if d.staging, err = os.MkdirTemp(d.path, ".pjrt-"); err != nil {
		return nil, err
	}
	return d, nil
}

// publish writes all results and then renames them.
func (d *outputDir) publish(results []result) error {
	names := make([]string, len(results))
	for i, r := range results {
		names[i] = r.file()
		if err := npy.WriteFile(filepath.Join(d.staging, names[i]), r.array); err != nil {
			return err
		}
	}
	d.made = nil
	for _, name := range names {
		if err := os.Rename(filepath.Join(d.staging, name), filepath.Join(d.path, name)); err != nil {
			return err
		}
	}
	return nil
}

// discard removes the results that were not published.
func (d *outputDir) discard() {
	if d.staging != "" {
		_ = os.RemoveAll(d.staging)
	}
	for i := len(d.made) - 1; i >= 0; i-- {
		_ = os.Remove(d.made[i])
	}
}
