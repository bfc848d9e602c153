// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func runCommand() *cobra.Command {
	var s settings
	var o outputs
	cmd := &cobra.Command{
		Use:   "run PLUGIN",
		Short: "Check a plugin against the contract",
		Long: `Run runs the checks of the PJRT contract on a plugin, in child processes: a crash,
a hang or an exit is the verdict of one check, and the others go on. It prints the
results; --json, --junit, --html, --md and --badge write them to files as well.

Levels: L0 the library alone, no device needed; L1 client and devices; L2
buffers and transfers; L3 compile and run; L4 several devices and processes;
X extensions; Q quality. L0-L2 means the levels from L0 to L2. Without --level,
all levels run.

Profiles: smoke takes seconds; quick, the default, checks every rule once; core
takes minutes; full takes the longest.

If the plugin cannot make a client, the checks that need none still run: those of
the library, of topologies, and of compilation ahead of time. The topology is that of
--topology and --topology-option. The default is v5e:2x2 on plugins for TPUs, and on
XLA's for GPUs four H100, MI300X or Max 1550; plugins for other devices need the
options.

An option is NAME=VALUE or NAME:TYPE=VALUE with the type string, int, ints,
float or bool. The value of NAME=@FILE is the text of the file.

The plugin is judged by a list of checks, the newest one unless --list names another:
pjrt-conformance lists prints them. A list never changes. Checks that are not in the
list also run and are reported, but do not count until a new list has them.

--waivers reads known failures, and pjrt-conformance draft-waivers makes such a file
from a report. A waiver names the verdict and a digest of what was found: a check that
fails in another way still counts, and the report says what changed. Waivers that no
longer excuse anything are reported as stale.

A function that did not return in three checks is not waited for again: checks that
need it are BLOCKED. The run says at its start when it ends at the latest; --bound
changes that.

The exit status is 0 if the plugin conforms, or if all failures are waived; 1 if
it does not conform; 2 if nothing could be run; 130 if Ctrl-C interrupted the run.
The files of --json and the like are written while the checks run, so that they
exist whatever ends the run.`,
		Example: `  pjrt-conformance run cpu
  pjrt-conformance run ./my_plugin.so --profile smoke
  pjrt-conformance run ./my_plugin.so --run '^EVT-' --html report.html
  pjrt-conformance run tpu --no-device --topology v6e:2x2
  pjrt-conformance run ./my_plugin.so --resume state.jsonl
  pjrt-conformance run ./my_plugin.so --failed-from report.json
  pjrt-conformance run ./my_plugin.so --since report.json --json report.json
  pjrt-conformance run ./my_plugin.so --shard 2/3 --json part2.json`,
		Args:              pluginArgs(1),
		ValidArgsFunction: completePlugins(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(o.prepare(), s.prepare(cmd.Context(), args[0])); err != nil {
				return cli.UsageError(err) // nothing was run, so the status is 2
			}
			r, err := s.check(cmd, &o)
			if err != nil {
				return err
			}
			return o.write(cmd, r)
		},
	}
	flags := cmd.Flags()
	s.addPlugin(flags)
	s.addTopology(flags)
	s.addChoice(cmd)
	s.addLevels(flags)
	s.addExecution(flags)
	flags.BoolVar(&s.NoKnownWaivers, "no-known-waivers", false, "ignore the waivers that come with this command")
	o.add(flags)
	o.addSince(flags)
	return cmd
}

// check runs the checks, shows the progress, and writes the reports of what ran so far.
func (s *settings) check(cmd *cobra.Command, o *outputs) (*report.Report, error) {
	if err := o.canWrite(); err != nil {
		return nil, cli.UsageError(err)
	}
	p := newProgress(cmd.ErrOrStderr())
	s.Progress = func(g conformance.Progress) {
		p.show(g)
		o.keep(g)
	}
	r, err := conformance.Run(cmd.Context(), s.Options)
	p.end()
	if err != nil {
		if cmd.Context().Err() != nil {
			err = errors.New("interrupted before anything was checked")
		}
		return nil, cli.UsageError(fmt.Errorf("%s: %w", cmd.Name(), err))
	}
	return r, nil
}

func planCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "plan PLUGIN",
		Short: "Say what run would do",
		Long: `Plan inspects a plugin, and prints how many checks pjrt-conformance run would run with
the same flags, how many programs they compile, and how long that takes.`,
		Example:           "  pjrt-conformance plan ./my_plugin.so --profile core --shard 1/8",
		Args:              pluginArgs(1),
		ValidArgsFunction: completePlugins(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.prepare(cmd.Context(), args[0]); err != nil {
				return cli.UsageError(err)
			}
			plan, err := s.plan(cmd.Context())
			if err != nil {
				return cli.UsageError(fmt.Errorf("plan: %w", err))
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), planLine(plan))
			return err
		},
	}
	flags := cmd.Flags()
	s.addPlugin(flags)
	s.addTopology(flags)
	s.addChoice(cmd)
	s.addLevels(flags)
	s.addTimeouts(flags)
	return cmd
}

// plan inspects the plugin and returns what a run would do.
func (s *settings) plan(ctx context.Context) (plan *conformance.Plan, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.Progress = func(p conformance.Progress) {
		if p.Plan != nil {
			plan = p.Plan
			cancel() // before the first check
		}
	}
	if _, err := conformance.Run(ctx, s.Options); err != nil {
		return nil, err
	}
	if plan == nil {
		return nil, errors.New("interrupted before the plugin was inspected")
	}
	return plan, nil
}
