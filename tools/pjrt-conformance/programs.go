// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance/laboratory"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func programsCommand() *cobra.Command {
	var s settings
	var o outputs
	var programs laboratory.Programs
	cmd := &cobra.Command{
		Use:   "programs PLUGIN [DIR]",
		Short: "Run programs, and compare their results with known ones",
		Long: `Programs runs the programs of a folder on a plugin. Each is a folder NAME with
program.mlir, arg0.npy, arg1.npy and so on, and the expected out0.npy and so on,
or a file NAME.mlir with NAME.arg0.npy and so on beside it. --stablehlo runs the
tests of a StableHLO checkout, each with its inputs as constants and as
parameters.

The exit status is 0 if all programs have the expected results, 1 if some do not, and
2 if nothing could be run.`,
		Example: `  pjrt-conformance programs ./my_plugin.so ./programs
  pjrt-conformance programs ./my_plugin.so --stablehlo ./stablehlo`,
		Args:              pluginArgs(2),
		ValidArgsFunction: completePlugins(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				programs.Folder = args[1]
			}
			if programs == (laboratory.Programs{}) {
				return cli.UsageError(errors.New("programs: name a folder of programs, or a checkout with --stablehlo"))
			}
			if err := s.prepare(cmd.Context(), args[0]); err != nil {
				return cli.UsageError(err)
			}
			s.Suite = programs.Suite()
			r, err := s.check(cmd, &o)
			if err != nil {
				return err
			}
			return o.write(cmd, r)
		},
	}
	s.addPrograms(cmd, &programs)
	o.add(cmd.Flags())
	return cmd
}

// addPrograms adds the flags of commands whose checks are programs.
func (s *settings) addPrograms(cmd *cobra.Command, programs *laboratory.Programs) {
	flags := cmd.Flags()
	flags.StringVar(&programs.StableHLO, "stablehlo", "", "run the tests of the StableHLO checkout `DIR`")
	s.addPlugin(flags)
	s.addChoice(cmd)
	s.addExecution(flags)
}

func compareCommand() *cobra.Command {
	var s settings
	var o outputs
	var comparison laboratory.Comparison
	var options []string
	cmd := &cobra.Command{
		Use:   "compare PLUGIN REFERENCE [DIR]",
		Short: "Compare the results of two plugins",
		Long: `Compare runs programs on two plugins, with random inputs too, and reports the smallest
inputs on which the two differ. The programs are those of the suite, those of the
folder DIR, and with --stablehlo the tests of a StableHLO checkout;
pjrt-conformance programs --help says what they consist of.

The exit status is 0 if the plugins agree, 1 if they differ, and 2 if nothing could
be run.`,
		Example: `  pjrt-conformance compare ./my_plugin.so cpu
  pjrt-conformance compare ./my_plugin.so cpu ./programs --reproducers ./different`,
		Args:              pluginArgs(3, "the plugin to compare with"),
		ValidArgsFunction: completePlugins(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				comparison.Folder = args[2]
			}
			err := s.prepare(cmd.Context(), args[0])
			if err == nil {
				if comparison.Reference, comparison.Options, err = s.lookup(cmd.Context(), args[1], options); err != nil {
					err = fmt.Errorf("compare with %s: %w", args[1], err)
				}
			}
			if err != nil {
				return cli.UsageError(err)
			}
			s.Suite = comparison.Suite()
			r, err := s.check(cmd, &o)
			if err != nil {
				return err
			}
			err = o.write(cmd, r)
			if n := r.Summary.Checks; err == nil && r.Verdict == report.Conformant && n.Warn+n.Fail > 0 {
				return cli.ExitStatus(1) // the plugins differ, or the checked one died
			}
			return err
		},
	}
	s.addPrograms(cmd, &comparison.Programs)
	flags := cmd.Flags()
	flags.StringArrayVar(&options, "reference-option", nil, "`NAME=VALUE`, a create option of the client of the reference")
	flags.IntVar(&comparison.Rounds, "fuzz", 4, "run each program `N` times with random inputs")
	flags.Uint64Var(&comparison.Seed, "seed", 1, "draw the inputs from seed `N`")
	flags.StringVar(&comparison.Reproducers, "reproducers", "", "write the smallest programs that differ to the folder `DIR`")
	o.add(flags)
	return cmd
}
