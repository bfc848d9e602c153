// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !nosuite

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance"
	findings "github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// conformanceFlags holds the options of the conformance command.
type conformanceFlags struct {
	conformance.Options
	plugin          string
	profile         string
	levels          []string
	run             string
	waivers         []string
	options         []string
	topologyOptions []string
	against         string
	againstOptions  []string
	shard           string
	failedFrom      string
	plan            bool
	outputs         conformanceOutputs
	debug           bool
	clients         []string
}

// conformanceOutputs says how to print a report, and to which files to write it.
type conformanceOutputs struct {
	verbose         bool
	json, junit     string
	html, md, badge string
	draft           string
}

func (f *conformanceOutputs) add(flags *pflag.FlagSet) {
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also print what was skipped and waived, and all details")
	flags.StringVar(&f.json, "json", "", "write the report as JSON to `FILE`")
	flags.StringVar(&f.junit, "junit", "", "write the report as JUnit XML to `FILE`")
	flags.StringVar(&f.html, "html", "", "write the report as one HTML page to `FILE`")
	flags.StringVar(&f.md, "md", "", "write the report as Markdown to `FILE`")
	flags.StringVar(&f.badge, "badge", "", "write a badge as SVG to `FILE`")
	flags.StringVar(&f.draft, "draft-waivers", "", "write waivers of all failures to `FILE`, with digests; you add the reasons")
}

func conformanceCommand() *cobra.Command {
	var f conformanceFlags
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Check a plugin against the contract of the PJRT API",
		Long: `Conformance runs the checks of the PJRT contract on a plugin, in child processes: a
crash, a hang or an exit is the verdict of one check, and the others go on. It
prints the results; --json, --junit, --html, --md and --badge write them to files
as well.

Levels: L0 the library alone, no device needed; L1 client and devices; L2
buffers and transfers; L3 compile and run; L4 several devices and processes;
X extensions; Q quality. L0-L2 means the levels from L0 to L2. Without --level,
all levels run.

Profiles: smoke takes seconds; quick, the default, checks every rule once; core
takes minutes; full takes the longest.

If the plugin cannot make a client, the checks that need none still run: those of
the library, of topologies, and of compilation ahead of time. The topology is that of
--topology and --topology-option. The default is v5e:2x2 on plugins for TPUs and four
H100 on plugins for CUDA; plugins for other devices need the options.

--programs runs the programs of a folder instead: each is a folder NAME with
program.mlir, arg0.npy, arg1.npy and so on, and the expected out0.npy and so on,
or a file NAME.mlir with NAME.arg0.npy and so on beside it. --stablehlo runs the
tests of a StableHLO checkout, each with its inputs as constants and as
parameters. --against also runs these programs and those of the suite on a second
plugin, with random inputs too, and reports the smallest inputs on which the two
differ. If they differ, the exit status is 1.

--for jax@0.8.1 predicts what a version of JAX will do with the plugin: for each user
action, whether it runs, raises an exception or ends the process, and because of which
function. It compares what the plugin lacks with measurements of that version. --for
all covers every version, and --json writes the prediction to a file. If a version
would end the process, the exit status is 1.

To look at a crash in a debugger, use --debug: it runs the one check that --run
selects in this process, without a time limit, and prints each call before making
it.

An option is NAME=VALUE or NAME:TYPE=VALUE with the type string, int, ints,
float or bool. The value of NAME=@FILE is the text of the file.

The plugin is judged by a list of checks, the newest one unless --list names another:
pjrt conformance lists prints them. A list never changes. Checks that are not in the
list also run and are reported, but do not count until a new list has them.

--waivers reads known failures, and --draft-waivers writes such a file. A waiver
names the verdict and a digest of what was found: a check that fails in another way
still counts, and the report says what changed. Waivers that no longer excuse anything
are reported as stale.

The exit status is 0 if the plugin conforms, or if all failures are waived; 1 if
it does not conform; 2 if nothing could be run; 130 if Ctrl-C interrupted the run.
The reports are written in every case, for the checks that ran.`,
		Example: `  pjrt conformance --plugin cpu
  pjrt conformance --plugin ./my_plugin.so --profile smoke
  pjrt conformance --plugin ./my_plugin.so --run '^EVT-' --html report.html
  pjrt conformance --plugin tpu --no-device --topology v6e:2x2
  gdb --args pjrt conformance --plugin ./my_plugin.so --run '^EVT-03$' --debug
  pjrt conformance --plugin ./my_plugin.so --for jax@0.8.1
  pjrt conformance --plugin ./my_plugin.so --resume state.jsonl
  pjrt conformance --plugin ./my_plugin.so --failed-from report.json
  pjrt conformance --plugin ./my_plugin.so --shard 2/3 --json part2.json
  pjrt conformance --plugin ./my_plugin.so --programs ./programs
  pjrt conformance --plugin ./my_plugin.so --stablehlo ./stablehlo
  pjrt conformance --plugin ./my_plugin.so --against cpu --reproducers ./different`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("conformance: there is no command %q: name the plugin with --plugin", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.prepare(cmd.Context()); err != nil {
				return usageError{err} // nothing was run, so the status is 2
			}
			if len(f.clients) > 0 {
				return f.predict(cmd)
			}
			if f.debug {
				return f.debugOne(cmd)
			}
			return f.check(cmd)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.plugin, "plugin", "", "the `PLUGIN` to check: a path, or a name such as cpu")
	flags.StringVar(&f.profile, "profile", "quick", "how thorough to be: the `PROFILE` smoke, quick, core or full")
	flags.StringVar(&f.List, "list", "", "judge by the checks of the list `NAME`, such as 2026.11 (default the newest)")
	flags.StringSliceVar(&f.levels, "level", nil, "the `LEVELS` to check, such as L0-L2,X (default all)")
	flags.StringVar(&f.shard, "shard", "", "run the part `I/N` of the checks, such as 2/3; pjrt conformance merge combines the reports")
	flags.StringVar(&f.Resume, "resume", "", "save results to `FILE` as they come, and resume an interrupted run from it")
	flags.BoolVar(&f.plan, "plan", false, "print how many checks would run, how many programs they compile and how long that takes")
	flags.StringVar(&f.failedFrom, "failed-from", "", "run only what failed, warned or was blocked in the JSON report `FILE`")
	flags.StringVar(&f.run, "run", "", "run only checks whose names match `REGEXP`")
	flags.StringArrayVar(&f.options, "option", nil, "`NAME=VALUE`, a create option of every client")
	flags.StringVar(&f.Topology, "topology", "", "`NAME` of the topology to compile for if there is no client")
	flags.StringArrayVar(&f.topologyOptions, "topology-option", nil, "`NAME=VALUE`, a create option of that topology")
	flags.BoolVar(&f.NoDevice, "no-device", false, "make no client")
	flags.StringVar(&f.Programs, "programs", "", "run the programs of the folder `DIR` instead of the contract's checks")
	flags.StringVar(&f.StableHLO, "stablehlo", "", "run the tests of the StableHLO checkout `DIR` instead")
	flags.StringVar(&f.against, "against", "", "compare with `PLUGIN`: a path, or a name such as cpu")
	flags.StringArrayVar(&f.againstOptions, "against-option", nil, "`NAME=VALUE`, a create option of the client of that plugin")
	flags.IntVar(&f.FuzzRounds, "fuzz", 4, "with --against, run each program `N` times with random inputs")
	flags.Uint64Var(&f.Seed, "seed", 1, "with --against, draw the inputs from seed `N`")
	flags.StringVar(&f.Reproducers, "reproducers", "", "with --against, write the smallest programs that differ to the folder `DIR`")
	flags.StringArrayVar(&f.waivers, "waivers", nil, "`FILE` of known failures")
	flags.BoolVar(&f.NoKnownWaivers, "no-known-waivers", false, "ignore the waivers that come with this command")
	flags.Float64Var(&f.TimeoutFactor, "timeout-factor", 1, "multiply every time limit by `N`")
	flags.IntVar(&f.Jobs, "jobs", 0, "the `NUMBER` of processes that run checks at once (default depends on processors and plugin)")
	flags.BoolVar(&f.NoReruns, "no-reruns", false, "do not run failed checks again")
	f.outputs.add(flags)
	flags.BoolVar(&f.debug, "debug", false, "run the one check that --run selects in this process, for a debugger, and print each call")
	flags.StringSliceVar(&f.clients, "for", nil, "predict what `CLIENTS`, such as jax@0.8.1 or all, do with the plugin, and check nothing")
	cmd.AddCommand(conformanceListCommand(), conformanceListsCommand(), conformanceDiffCommand(), conformancePageCommand(),
		conformanceMergeCommand(), conformanceWorkerCommand())
	return cmd
}

// prepare turns the flags into options.
func (f *conformanceFlags) prepare(ctx context.Context) error {
	if f.plugin == "" {
		return errors.New("conformance: name the plugin with --plugin")
	}
	f.WorkerArgs = []string{"conformance", "worker"}
	f.Command = self() + " conformance"
	f.Profile = conformance.Profile(f.profile)
	var err error
	if f.Levels, err = levelRange(f.levels); err != nil {
		return err
	}
	if f.run != "" {
		if f.Filter, err = regexp.Compile(f.run); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	if err := f.choose(); err != nil {
		return err
	}
	candidate, err := plugins.Lookup(ctx, f.plugin, plugins.ListOptions{})
	if err != nil {
		return err
	}
	f.Plugin = candidate.Path
	f.CreateOptions = candidate.Options
	if f.CreateOptions, err = f.readOptions(f.CreateOptions, f.options); err != nil {
		return err
	}
	if f.TopologyOptions, err = f.readOptions(nil, f.topologyOptions); err != nil {
		return err
	}
	if f.against != "" {
		other, err := plugins.Lookup(ctx, f.against, plugins.ListOptions{})
		if err != nil {
			return fmt.Errorf("--against: %w", err)
		}
		f.Against = other.Path
		if f.AgainstOptions, err = f.readOptions(other.Options, f.againstOptions); err != nil {
			return err
		}
	} else if len(f.againstOptions) > 0 || f.Reproducers != "" {
		return errors.New("conformance: --against-option and --reproducers need --against")
	}
	for _, path := range f.waivers {
		file, err := conformance.ReadWaivers(path)
		if err != nil {
			return err
		}
		f.Waivers = append(f.Waivers, file)
	}
	return nil
}

// choose reads the flags that select checks.
func (f *conformanceFlags) choose() error {
	if f.shard != "" {
		var rest string
		n, _ := fmt.Sscanf(f.shard+" .", "%d/%d %s", &f.Shard, &f.Shards, &rest)
		if n != 3 || rest != "." || f.Shards < 1 {
			return fmt.Errorf("--shard %q: use the form I/N, such as 2/3 for the second of three parts", f.shard)
		}
	}
	if f.failedFrom == "" {
		return nil
	}
	r, err := readReport(f.failedFrom)
	if err != nil {
		return fmt.Errorf("--failed-from: %w", err)
	}
	if f.Only = r.Again(); len(f.Only) == 0 {
		return fmt.Errorf("--failed-from %s: nothing failed in that report", f.failedFrom)
	}
	return nil
}

// self returns the shell command that runs this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return "pjrt"
	}
	found, err := exec.LookPath("pjrt")
	if err == nil && sameFile(found, path) || strings.Contains(path, "go-build") {
		return "pjrt" // go run removes the program when it ends
	}
	return shellWord(path)
}

// shellWord quotes s for a shell if necessary.
func shellWord(s string) string {
	if strings.ContainsAny(s, " \t\n'\"\\$&|;<>()*?[]{}~#!`") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// readOptions parses options from the command line and appends them to options. The value of NAME=@FILE is the text of
// the file.
func (f *conformanceFlags) readOptions(options []capi.Attribute, list []string) ([]capi.Attribute, error) {
	for _, text := range list {
		a, err := platform.ParseOption(text)
		if err != nil {
			return nil, err
		}
		name, value, _ := strings.Cut(text, "=")
		if file, ok := strings.CutPrefix(value, "@"); ok && !strings.Contains(name, ":") {
			content, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("option %s: %w", name, err)
			}
			a.Value = string(content)
			if f.OptionFiles == nil {
				f.OptionFiles = make(map[string]string)
			}
			if f.OptionFiles[a.Name], err = filepath.Abs(file); err != nil {
				return nil, err
			}
		}
		options = append(options, a)
	}
	return options, nil
}

// levelRange parses names and ranges of levels.
func levelRange(list []string) ([]string, error) {
	names := findings.LevelNames()
	place := func(name string) int {
		for i, n := range names {
			if strings.EqualFold(n, name) {
				return i
			}
		}
		return -1
	}
	var out []string
	for _, item := range list {
		first, last, ok := strings.Cut(strings.TrimSpace(item), "-")
		if !ok {
			last = first
		}
		i, j := place(first), place(last)
		if i < 0 || j < i {
			return nil, fmt.Errorf("--level %q: use some of %s, or a range such as L0-L2", item, strings.Join(names, ", "))
		}
		out = append(out, names[i:j+1]...)
	}
	return out, nil
}

// maxDetails is how many failures are printed in full without --verbose.
const maxDetails = 40

// text says how to print the report. For a single check it prints everything.
func (f *conformanceOutputs) text(r *findings.Report, out io.Writer) findings.Text {
	t := findings.Text{All: f.verbose || len(r.Results) == 1, Colour: coloured(out)}
	if terminalOf(out) != nil {
		t.Columns = columns(out)
	}
	if !f.verbose {
		t.Most = maxDetails
	}
	return t
}

// check runs the suite and writes the reports.
func (f *conformanceFlags) check(cmd *cobra.Command) error {
	p := newProgress(cmd.ErrOrStderr())
	f.Progress = p.show
	if f.plan {
		return f.printPlan(cmd)
	}
	r, err := conformance.Run(cmd.Context(), f.Options)
	p.end()
	if err != nil {
		if cmd.Context().Err() != nil {
			err = errors.New("interrupted before anything was checked")
		}
		return usageError{fmt.Errorf("conformance: %w", err)}
	}
	if err := f.outputs.write(cmd, r); err != nil {
		return err
	}
	if n := r.Summary.Checks; f.Against != "" && r.Verdict == findings.Conformant && n.Warn+n.Fail > 0 {
		return exitStatus(1) // the plugins differ, or the checked one died
	}
	return statusOf(r)
}

// printPlan inspects the plugin and prints what a run would do.
func (f *conformanceFlags) printPlan(cmd *cobra.Command) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var plan *conformance.Plan
	f.Progress = func(p conformance.Progress) {
		if p.Plan != nil {
			plan = p.Plan
			cancel() // before the first check
		}
	}
	if _, err := conformance.Run(ctx, f.Options); err != nil {
		return usageError{fmt.Errorf("conformance: %w", err)}
	}
	if plan == nil {
		return usageError{errors.New("conformance: interrupted before the plugin was inspected")}
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), planLine(plan))
	return err
}

// statusOf returns the error that makes the command's exit status that of the verdict.
func statusOf(r *findings.Report) error {
	switch r.Verdict {
	case findings.NotConformant:
		return exitStatus(1)
	case findings.Incomplete:
		return exitStatus(2)
	}
	return nil
}

// write prints the report and writes its files.
func (f *conformanceOutputs) write(cmd *cobra.Command, r *findings.Report) error {
	var failed []error
	failed = append(failed, f.text(r, cmd.OutOrStdout()).Write(r, cmd.OutOrStdout()))
	for _, file := range []struct {
		path  string
		write func(*findings.Report, io.Writer) error
	}{
		{f.json, (*findings.Report).WriteJSON}, {f.junit, (*findings.Report).WriteJUnit}, {f.html, (*findings.Report).WriteHTML},
		{f.md, (*findings.Report).WriteMarkdown}, {f.badge, (*findings.Report).WriteBadge}, {f.draft, (*findings.Report).WriteWaivers},
	} {
		if file.path != "" {
			failed = append(failed, r.WriteFile(file.path, file.write))
		}
	}
	if err := errors.Join(failed...); err != nil {
		return usageError{err}
	}
	return nil
}

// debugOne runs one check in this process.
func (f *conformanceFlags) debugOne(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("profile") {
		f.Profile = conformance.Full
	}
	x, err := conformance.Debug(f.Options, cmd.ErrOrStderr())
	if err != nil {
		return usageError{fmt.Errorf("conformance: %w", err)}
	}
	if _, err := io.WriteString(cmd.OutOrStdout(), x.Details()); err != nil {
		return err
	}
	if x.Broken() {
		return exitStatus(1)
	}
	return nil
}

func conformanceWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run checks; pjrt conformance starts this command",
		Hidden: true,
		Args:   usage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			conformance.Worker()
			return usageError{errors.New("conformance worker: it is started by pjrt conformance")}
		},
	}
}
