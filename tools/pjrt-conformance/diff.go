// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func diffCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff BEFORE.json AFTER.json",
		Short: "Compare two conformance reports",
		Long: `Diff lists the checks whose verdicts differ between two reports that
a run with --json wrote. Those that got worse come first: checks that fail
in the second report, but passed, were waived or did not run in the first. Before
that it says how else the runs differ, because another plugin, suite, profile or
machine may also explain the changes.

The exit status is 0 if nothing got worse, 1 if something did, and 2 if a report
cannot be read.`,
		Args: cli.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var reports [2]*report.Report
			for i, path := range args {
				r, err := report.ReadFile(path)
				if err != nil {
					return cli.UsageError(err)
				}
				reports[i] = r
			}
			changes := report.Diff(reports[0], reports[1])
			if asJSON {
				e := json.NewEncoder(cli.Verbatim(cmd.OutOrStdout()))
				e.SetIndent("", "  ")
				if changes == nil {
					changes = []report.Change{}
				}
				if err := e.Encode(changes); err != nil {
					return err
				}
			} else if err := printChanges(cmd.OutOrStdout(), reports[0], reports[1], changes); err != nil {
				return err
			}
			if report.Regressed(changes) {
				return cli.ExitStatus(1)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list of check, before, after, worse, better, headline")
	return cmd
}

// printChanges prints how two runs differ, and the changed verdicts.
func printChanges(out io.Writer, before, after *report.Report, changes []report.Change) error {
	for _, d := range report.Differences(before, after) {
		if _, err := fmt.Fprintln(out, d); err != nil {
			return err
		}
	}
	return report.WriteChanges(out, changes)
}
