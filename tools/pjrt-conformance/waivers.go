// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func draftCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "draft-waivers REPORT.json",
		Short: "Write waivers of the failures in a report",
		Long: `Draft-waivers prints a waiver file for all failures in a report that a run with --json
wrote, with digests of what was found. You add the reasons.`,
		Example: `  pjrt-conformance run ./my_plugin.so --json report.json
  pjrt-conformance draft-waivers report.json > known.json
  pjrt-conformance run ./my_plugin.so --waivers known.json`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := report.ReadFile(args[0])
			if err != nil {
				return cli.UsageError(err)
			}
			return r.WriteWaivers(cli.Verbatim(cmd.OutOrStdout()))
		},
	}
}
