// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/laboratory"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func debugCommand() *cobra.Command {
	var s settings
	var programs laboratory.Programs
	cmd := &cobra.Command{
		Use:   "debug PLUGIN CHECK",
		Short: "Run one check in this process, for a debugger",
		Long: `Debug runs one check in this process, without a time limit, and prints the name of each
function of the plugin before it calls it. A crash of the plugin is one of this
process, where a debugger sees it.

With --programs or --stablehlo, CHECK is the name of a program in that folder, as
reports write it.

The exit status is 0 if the check passes, 1 if it fails, and 2 if it could not be run.`,
		Example: `  gdb --args pjrt-conformance debug ./my_plugin.so EVT-03
  gdb --args pjrt-conformance debug ./my_plugin.so RUN-02/programs/sort --programs ./programs`,
		Args:              pluginArgs(2, "a check, such as EVT-03"),
		ValidArgsFunction: completePlugins(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.prepare(cmd.Context(), args[0]); err != nil {
				return cli.UsageError(err)
			}
			if programs != (laboratory.Programs{}) {
				s.Suite = programs.Suite()
			}
			x, err := conformance.Debug(s.Options, args[1], cmd.ErrOrStderr())
			if err != nil {
				return cli.UsageError(fmt.Errorf("debug: %w", err))
			}
			if _, err := io.WriteString(cmd.OutOrStdout(), x.Details()); err != nil {
				return err
			}
			if x.Broken() {
				return cli.ExitStatus(1)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	s.addPlugin(flags)
	s.addTopology(flags)
	flags.StringVar(&programs.Folder, "programs", "", "the check is a program of the folder `DIR`")
	flags.StringVar(&programs.StableHLO, "stablehlo", "", "the check is a test of the StableHLO checkout `DIR`")
	return cmd
}
