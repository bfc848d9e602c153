// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
	"github.com/purepjrt/purepjrt/internal/subprocess"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func replayCommand() *cobra.Command {
	var (
		plugin  string
		options recording.Options
		asJSON  bool
		all     bool
		memory  int64
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

The calls are made in a child process: a plugin that crashes because of what the
recording says is an error. The child may have as much memory as --memory says, on
Linux.

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
			if options.Patience <= 0 {
				return cli.UsageError(fmt.Errorf("replay: --patience must be positive"))
			}
			if memory < 0 || memory > math.MaxInt64>>20 {
				return cli.UsageError(fmt.Errorf("replay: --memory must not be %d MiB", memory))
			}
			t := replayTask{
				File: args[0], Relative: options.Relative, Absolute: options.Absolute, Memory: memory << 20, Patience: options.Patience,
			}
			report, err := replay(cmd, t, plugin)
			if err != nil {
				return err
			}
			return showReplay(cmd.OutOrStdout(), args[0], plugin, report, asJSON, all)
		},
	}
	f := cmd.Flags()
	f.StringVar(&plugin, "plugin", "", "the plugin to replay on: a `NAME` or the path of a library (default the preferred one)")
	f.Float64Var(&options.Relative, "relative", 1e-5, "how much a number may differ, as a `FRACTION` of the recorded one")
	f.Float64Var(&options.Absolute, "absolute", 1e-6, "the `NUMBER` by which a number may differ in addition")
	f.BoolVar(&all, "all", false, "also show differences that plugins may have, and skipped calls")
	f.DurationVar(&options.Patience, "patience", time.Minute, "the `DURATION` that a call may take")
	f.Int64Var(&memory, "memory", subprocess.MachineMemory()/2>>20, "`NUMBER` of MiB that the child may have, 0 for any")
	f.Lookup("memory").DefValue = "half of the machine's"
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// replayTask is what a child repeats.
type replayTask struct {
	File               string
	Relative, Absolute float64
	Memory             int64 // how many bytes the child may have; 0 for any number
	Patience           time.Duration
}

// replayed is what a child found.
type replayed struct {
	Report   recording.Report
	Complete bool // the recording has its end
}

// slack is how many times as long as a call a child may take for anything else before it is taken
// to hang.
const slack = 4

// do replays a session, and reports each call before it is made.
func (t *replayTask) do(ctx context.Context, plugin string, report func(*progress)) {
	fail := func(err error) { report(&progress{Error: err.Error()}) }
	report(&progress{Step: "reading the recording"})
	if t.Memory > 0 && subprocess.CanLimitMemory {
		if err := subprocess.LimitMemory(t.Memory); err != nil {
			fail(err)
			return
		}
	}
	session, err := recording.Open(t.File)
	if err != nil {
		fail(err)
		return
	}
	report(&progress{Step: loading})
	if err := plugins.Prepare(plugin); err != nil {
		fail(err)
		return
	}
	table, err := capi.Open(plugin)
	if err != nil {
		fail(err)
		return
	}
	r, err := recording.Replay(ctx, session, table, recording.Options{
		Relative: t.Relative, Absolute: t.Absolute, Patience: t.Patience,
		Progress: func(call uint64, line int, function string) {
			report(&progress{Step: fmt.Sprintf("call %d, line %d, %s", call, line, function)})
		},
	})
	if err != nil {
		fail(err)
		return
	}
	report(&progress{Replayed: &replayed{*r, session.Complete}})
}

// replay repeats a session in a child.
func replay(cmd *cobra.Command, t replayTask, name string) (*replayed, error) {
	ctx := cmd.Context()
	switch info, err := os.Stat(t.File); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		// The child cannot open what only this process has, and would wait for a pipe.
		return nil, fmt.Errorf("%s is not a regular file", t.File)
	}
	c, err := plugins.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	raw.WarnOfOthers("a PJRT plugin", c.Path)
	child, err := start(task{Plugin: c.Path, Replay: &t})
	if err != nil {
		return nil, err
	}
	defer child.End()
	for step := loading; ; {
		p, err := child.Next(ctx, slack*t.Patience)
		switch {
		case errors.Is(err, subprocess.ErrGone):
			child.Bury()
			return nil, fmt.Errorf("replay of %s on %s: %s ends the process%s", t.File, c.Name, step, ending(child))
		case errors.Is(err, subprocess.ErrSilent):
			child.End()
			return nil, fmt.Errorf("replay of %s on %s: %s takes longer than %v, after which the process was ended",
				t.File, c.Name, step, slack*t.Patience)
		case err != nil:
			return nil, err
		case p.Error != "":
			return nil, errors.New(p.Error)
		case p.Replayed != nil:
			child.HangUp()
			child.Bury()
			fmt.Fprint(cmd.ErrOrStderr(), withoutGo(child.Output.String()))
			return p.Replayed, nil
		}
		step = p.Step
	}
}

// showReplay prints a report, and returns an error if there are differences.
func showReplay(stdout io.Writer, file, plugin string, r *replayed, asJSON, all bool) error {
	var err error
	if asJSON {
		err = printReplayJSON(stdout, &r.Report)
	} else {
		err = printReplay(stdout, r, all)
	}
	if err != nil {
		return err
	}
	if err := r.Report.Err(); err != nil {
		if plugin != "" {
			file += " on " + plugin
		}
		return fmt.Errorf("replay of %s: %w", file, err)
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

func printReplay(w io.Writer, whole *replayed, all bool) error {
	r := &whole.Report
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
	if !whole.Complete {
		fmt.Fprintln(w, "the recording is incomplete: the process was killed, or ended abruptly")
	}
	_, err := fmt.Fprintf(w, "%d calls repeated, %d skipped; %d results compared, %d differ; %d notes\n",
		r.Calls, len(r.Skipped), r.Compared, len(r.Differences), len(r.Notes))
	return err
}
