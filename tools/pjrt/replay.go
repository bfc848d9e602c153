// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func replayCommand() *cobra.Command {
	var (
		plugin  string
		options recording.Options
		asJSON  bool
		all     bool
	)
	cmd := &cobra.Command{
		Use:   "replay FILE [--plugin PLUGIN]",
		Short: "Repeat the calls of a recorded session, on the same or another plugin",
		Long: `Replay reads a recorded session of a PJRT client, makes the same calls on a plugin,
given by name (cpu, tpu, ...) or by the path of its library, and compares the
resulting arrays and errors with the recorded ones.

The library libpjrt_shim.so, which sits between a client such as JAX and a plugin,
records sessions with PJRT_SHIM_RECORD=FILE, and so do Go programs that import the
package pjrt/trace, with PJRT_RECORD=FILE. If the name of the file ends in .gz,
replay decompresses it.

Replay cannot repeat calls that pass addresses of the recorded process, such as
those that register functions of the client. It skips them, and the calls that need
their results.

The exit status is 1 if an array, its type or shape, or an error differs. With --all,
replay also shows differences that plugins may have, such as in names and sizes.

With --json it prints one object: "calls", "compared" and "differences", "notes"
and "skipped", which are lists of {"call", "line", "function", "what"}.`,
		Example: "  PJRT_SHIM_RECORD=session.jsonl python train.py\n  pjrt replay session.jsonl --plugin ./my_plugin.so\n" +
			"  pjrt replay session.jsonl --plugin cuda13 --relative 1e-3",
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.Relative < 0 || options.Absolute < 0 {
				return cli.UsageError(fmt.Errorf("replay: --relative and --absolute must not be negative"))
			}
			return replay(cmd.Context(), cmd.OutOrStdout(), args[0], plugin, options, asJSON, all)
		},
	}
	f := cmd.Flags()
	f.StringVar(&plugin, "plugin", "", "the plugin to replay on: a `NAME` or the path of a library (default the preferred one)")
	f.Float64Var(&options.Relative, "relative", 1e-5, "how much a number may differ, as a `FRACTION` of the recorded one")
	f.Float64Var(&options.Absolute, "absolute", 1e-6, "the `NUMBER` by which a number may differ in addition")
	f.BoolVar(&all, "all", false, "also show differences that plugins may have, and skipped calls")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func replay(ctx context.Context, stdout io.Writer, file, name string, options recording.Options, asJSON, all bool) error {
	session, err := recording.Open(file)
	if err != nil {
		return err
	}
	c, err := plugins.Find(ctx, name)
	if err != nil {
		return err
	}
	if err := plugins.Prepare(c.Path); err != nil {
		return err
	}
	table, err := capi.Open(c.Path)
	if err != nil {
		return err
	}
	report, err := recording.Replay(ctx, session, table, options)
	if err != nil {
		return err
	}
	if asJSON {
		err = printReplayJSON(stdout, report)
	} else {
		err = printReplay(stdout, session, report, all)
	}
	if err != nil {
		return err
	}
	if err := report.Err(); err != nil {
		return fmt.Errorf("replay of %s on %s: %w", file, c.Name, err)
	}
	return nil
}

// replayLine is a line of the report.
type replayLine struct {
	Call     uint64 `json:"call"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	What     string `json:"what"`
}

func replayLines(list []recording.Difference) []replayLine {
	out := make([]replayLine, len(list))
	for i, d := range list {
		out[i] = replayLine(d)
	}
	return out
}

func skippedLines(list []recording.Skip) []replayLine {
	out := make([]replayLine, len(list))
	for i, s := range list {
		out[i] = replayLine{s.Call, s.Line, s.Function, s.Why}
	}
	return out
}

func printReplayJSON(w io.Writer, r *recording.Report) error {
	return printJSON(w, struct {
		Calls       int          `json:"calls"`
		Compared    int          `json:"compared"`
		Differences []replayLine `json:"differences"`
		Notes       []replayLine `json:"notes"`
		Skipped     []replayLine `json:"skipped"`
	}{r.Calls, r.Compared, replayLines(r.Differences), replayLines(r.Notes), skippedLines(r.Skipped)})
}

func printReplay(w io.Writer, s *recording.Session, r *recording.Report, all bool) error {
	show := func(title string, list []replayLine) {
		for _, l := range list {
			fmt.Fprintf(w, "%s: call %d, line %d, %s: %s\n", title, l.Call, l.Line, l.Function, cli.OneLine(l.What))
		}
	}
	show("different", replayLines(r.Differences))
	if all {
		show("note", replayLines(r.Notes))
		show("skipped", skippedLines(r.Skipped))
	}
	if !s.Complete {
		fmt.Fprintln(w, "the recording is incomplete: the process was killed, or ended abruptly")
	}
	_, err := fmt.Fprintf(w, "%d calls repeated, %d skipped; %d results compared, %d differ; %d notes\n",
		r.Calls, len(r.Skipped), r.Compared, len(r.Differences), len(r.Notes))
	return err
}
