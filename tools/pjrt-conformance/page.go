// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func pageCommand() *cobra.Command {
	var page string
	cmd := &cobra.Command{
		Use:   "page REPORT.json|DIR...",
		Short: "Make one page from several conformance reports",
		Long: `Page makes one HTML page from reports that a run with --json wrote for several
plugins, or several versions of one. It shows which levels each reaches, and the
rules on which they differ. From a folder it takes every *.json file that is a report.
The page needs no network and no other file.

The exit status is 0 if the page was written, and 2 if there is no report or one
cannot be read.`,
		Example: `  pjrt-conformance page reports/
  pjrt-conformance page before.json after.json --html changes.html`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var reports []*report.Report
			for _, arg := range args {
				list, err := reportsAt(arg)
				if err != nil {
					return cli.UsageError(err)
				}
				reports = append(reports, list...)
			}
			if err := report.WriteOverviewFile(page, reports); err != nil {
				return cli.UsageError(err)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %d reports\n", page, len(reports))
			return err
		},
	}
	cmd.Flags().StringVar(&page, "html", "conformance.html", "the `FILE` to write")
	return cmd
}

// reportsAt reads a report, or all reports in a folder.
func reportsAt(path string) ([]*report.Report, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the reports: %w", err)
	}
	if !info.IsDir() {
		r, err := report.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return []*report.Report{r}, nil
	}
	files, err := fs.Glob(os.DirFS(path), "*.json") // sorted
	if err != nil {
		return nil, err
	}
	var list []*report.Report
	for _, f := range files {
		f = filepath.Join(path, f)
		if is, err := isReport(f); err != nil {
			return nil, err
		} else if !is {
			continue
		}
		r, err := report.ReadFile(f)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the folder %s has no report: a run with --json writes one", path)
	}
	return list, nil
}

// isReport reports whether a file says that it is a report, in any version of the
// format. A truncated report counts too.
func isReport(path string) (bool, error) {
	f, err := outside.Open(path)
	if err != nil {
		return false, fmt.Errorf("cannot read the reports: %w", err)
	}
	defer f.Close()
	// The schema is the first key of the object.
	d := json.NewDecoder(f)
	for _, want := range []json.Token{json.Delim('{'), "schema"} {
		if t, err := d.Token(); err != nil || t != want {
			return false, nil // not a report, or not JSON
		}
	}
	t, err := d.Token()
	schema, _ := t.(string)
	return err == nil && strings.HasPrefix(schema, report.SchemaFamily), nil
}
