// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func mergeCommand() *cobra.Command {
	var o outputs
	cmd := &cobra.Command{
		Use:   "merge REPORT.json|DIR...",
		Short: "Merge the reports of the parts of a run",
		Long: `Merge makes one report from those that run --shard wrote, on one machine or
several. They must have the same plugin, suite and options, and none may be
missing. From a folder it takes every *.json file that is a report.

It prints the report and writes it as run does, with the same exit status.`,
		Example: `  pjrt-conformance run ./my_plugin.so --shard 1/2 --json parts/1.json
  pjrt-conformance run ./my_plugin.so --shard 2/2 --json parts/2.json
  pjrt-conformance merge parts/ --html report.html`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var parts []*report.Report
			for _, arg := range args {
				list, err := reportsAt(arg)
				if err != nil {
					return cli.UsageError(err)
				}
				parts = append(parts, list...)
			}
			r, err := report.Merge(parts)
			if err != nil {
				return cli.UsageError(fmt.Errorf("merge: %w", err))
			}
			return o.write(cmd, r)
		},
	}
	o.add(cmd.Flags())
	return cmd
}
