// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func newCheckCommand() *cobra.Command {
	var s sources
	cmd := &cobra.Command{
		Use:   "check [--headers DIR] [--since FILE] [--out DIR]",
		Short: "Fail if the generated files are not what generate would write",
		Long: `Check generates in memory and compares the result with the existing files. It lists
each file that differs, with the first differing line, each that is missing and
each that should not exist, and fails if there are any. It writes nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := s.generate()
			if err != nil {
				return err
			}
			findings, err := r.compare(&s)
			if err != nil {
				return err
			}
			for _, f := range findings {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			if len(findings) > 0 {
				return errors.New("the generated files are not up to date: run go generate ./... and commit the files")
			}
			return nil
		},
	}
	s.addFlags(cmd)
	return cmd
}

// compare returns a line for each file that generate would change.
func (r *result) compare(s *sources) ([]string, error) {
	var findings []string
	add := func(path string, want []byte) error {
		have, err := os.ReadFile(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			findings = append(findings, path+": missing")
		case err != nil:
			return err
		case !bytes.Equal(have, want):
			findings = append(findings, path+firstDifference(have, want))
		}
		return nil
	}
	for _, f := range r.files {
		if err := add(filepath.Join(s.out, filepath.FromSlash(f.Path)), f.Content); err != nil {
			return nil, err
		}
	}
	if r.since != nil {
		if err := add(s.sinceFile(), r.since); err != nil {
			return nil, err
		}
	}
	stale, err := staleFiles(s.out, r.files)
	if err != nil {
		return nil, err
	}
	for _, f := range stale {
		findings = append(findings, filepath.Join(s.out, filepath.FromSlash(f))+": no header generates this file any more")
	}
	return findings, nil
}

// firstDifference says where two texts first differ.
func firstDifference(have, want []byte) string {
	h, w := strings.Split(string(have), "\n"), strings.Split(string(want), "\n")
	i := 0
	for i < len(h) && i < len(w) && h[i] == w[i] {
		i++
	}
	line := func(lines []string) string {
		if i >= len(lines) {
			return "the end of the file"
		}
		return fmt.Sprintf("%q", strings.TrimSpace(lines[i]))
	}
	return fmt.Sprintf(":%d: have %s, want %s", i+1, line(h), line(w))
}
