// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command bench measures what calls of PJRT cost in C, with go-xla (cgo), with bare purego, with
// package capi, with package pjrt and with JAX, on one plugin, and reports what became worse since
// the committed results. The rows of group jobs are whole jobs, such as from weights on disk to the
// first token, which C, pjrt, JAX and ONNX Runtime do; they have a plugin of their own.
//
//	bench                            measures all rows, in five minutes to half an hour
//	bench -rows '^work/'             measures the rows of small work, in one to two minutes
//	bench -rows '^jobs/'             measures whole jobs, in ten minutes
//	bench -write                     also writes results.json, results.svg, performance.md and README.md's rows
//	bench -busy 4                    measures beside four processes that never rest
//	bench -bundle DIR                builds what a machine without Go and gcc needs; nothing is measured
//	bench -programs DIR -plugin X    measures there, in the folder DIR
//
// Each program is a separate process, so that no runtime disturbs another. In each round they take
// turns, in a changing order, with batches of a millisecond, each right after one that does not
// count; stat.go says how a number is computed from these. Since the batches are short and a
// fast one counts, most garbage collections are not in the numbers: see the allocations beside
// them. Batches of whole jobs take a tenth of a second, collections included.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

//go:embed results.json
var committed []byte

func main() {
	if os.Getenv(spinning) != "" {
		spin()
	}
	var o options
	flag.StringVar(&o.rows, "rows", "", "measure the rows whose names match this regular expression")
	flag.StringVar(&o.plugin, "plugin", "", "name or path of the plugin, which is installed if missing; the default is that of the committed results")
	flag.StringVar(&o.python, "python", "", "Python with JAX; the default is bin/jax/bin/python if it exists")
	flag.StringVar(&o.jobsPython, "jobs-python", "",
		"Python with JAX, safetensors and ONNX Runtime, for jobs; the default is bin/jobs/bin/python if it exists")
	flag.IntVar(&o.rounds, "rounds", 25, "maximum number of rounds")
	flag.DurationVar(&o.budget, "budget", 15*time.Second, "time for one row, unless five rounds take longer; a job has half of it")
	flag.IntVar(&o.busy, "busy", 0, "keep this many other processes busy meanwhile")
	flag.BoolVar(&o.write, "write", false, "write the committed files: the results of the measured rows, the plot, performance.md and README.md's rows")
	flag.BoolVar(&o.render, "render", false,
		"measure nothing; write the plot, performance.md and README.md's rows from the existing results")
	flag.StringVar(&o.out, "json", "", "write the results to this file too")
	flag.BoolVar(&o.check, "check", false, "fail if a row became worse than in the committed results")
	flag.StringVar(&o.bundle, "bundle", "", "build the programs into this folder, for another machine, and measure nothing")
	flag.BoolVar(&o.gpu, "gpu", false, "the plugin is for GPUs, whose memory its clients share: none takes most of it at once")
	flag.StringVar(&o.programs, "programs", "", "folder with programs that -bundle built")
	flag.Parse()
	if err := o.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	rows, plugin, python, jobsPython, out, bundle, programs string
	rounds, busy                                            int
	budget                                                  time.Duration
	write, render, check, gpu                               bool
}

func (o *options) run(ctx context.Context) error {
	chosen, err := o.chosen()
	if err != nil {
		return err
	}
	if o.bundle != "" {
		root, err := root()
		if err != nil {
			return err
		}
		if err := build(root, o.bundle); err != nil {
			return err
		}
		return o.bundleModels(root)
	}
	if o.render {
		root, err := root()
		if err != nil {
			return err
		}
		results, err := read(filepath.Join(root, resultsFile))
		if err != nil {
			return err
		}
		return render(root, results)
	}
	results, err := o.measure(ctx, chosen)
	if err != nil {
		return err
	}
	whole, others := split(chosen)
	if len(others) > 0 {
		fmt.Print("\n", markdown(results, true))
	}
	if len(whole) > 0 {
		fmt.Print("\n", jobsTable(results, true))
	}
	before, err := before()
	if err != nil {
		return err
	}
	lines := worse(before, results)
	fmt.Printf("\nWorse than in the committed results: %d\n", len(lines))
	for _, l := range lines {
		fmt.Println("  " + l)
	}
	if o.out != "" {
		if err := results.write(o.out); err != nil {
			return err
		}
	}
	if o.write {
		root, err := root()
		if err != nil {
			return err
		}
		results = merged(before, results)
		if err := results.write(filepath.Join(root, resultsFile)); err != nil {
			return err
		}
		if err := render(root, results); err != nil {
			return err
		}
	}
	if o.check && len(lines) > 0 {
		return fmt.Errorf("%d rows became worse", len(lines))
	}
	return nil
}

// before returns the committed results: those of the repository, or those built into this command
// for another machine.
func before() (*Results, error) {
	if root, err := root(); err == nil {
		return read(filepath.Join(root, resultsFile))
	}
	r := new(Results)
	return r, json.Unmarshal(committed, r)
}

// The committed files, relative to the root.
const (
	resultsFile = "tools/bench/results.json"
	plotFile    = "tools/bench/results.svg"
	jobsFile    = "tools/bench/jobs.svg" // the plot of the jobs
)

// render writes the files that show the results.
func render(root string, results *Results) error {
	if err := drawPlot(results, ofC, filepath.Join(root, plotFile)); err != nil {
		return err
	}
	if slices.ContainsFunc(results.Rows, func(r *Row) bool { return ofJAX.hasRatios(r) }) {
		if err := drawPlot(results, ofJAX, filepath.Join(root, jobsFile)); err != nil {
			return err
		}
	}
	for name := range pages {
		file := filepath.Join(root, name)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		changed, err := inserted(name, string(text), results)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// chosen returns the rows to measure.
func (o *options) chosen() ([]row, error) {
	names, err := regexp.Compile(o.rows)
	if err != nil {
		return nil, err
	}
	var chosen []row
	for _, r := range rows {
		if names.MatchString(r.name) {
			chosen = append(chosen, r)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no row has a name that matches %q", o.rows)
	}
	return chosen, nil
}

// measure measures the rows: first the others, then the jobs, each with their plugin.
func (o *options) measure(ctx context.Context, chosen []row) (*Results, error) {
	whole, others := split(chosen)
	results := new(Results)
	if len(others) > 0 {
		at, err := o.place("bin/jax", o.python)
		if err != nil {
			return nil, err
		}
		earlier, err := before()
		if err != nil {
			return nil, err
		}
		plugin := cmp.Or(o.plugin, "cpu@"+earlier.Machine.Versions["api"]) // other ages take other times
		if results, err = o.measureAt(ctx, at, plugin, commandsOf, others, o.budget); err != nil {
			return nil, err
		}
	}
	if len(whole) > 0 {
		at, err := o.place("bin/jobs", o.jobsPython)
		if err != nil {
			return nil, err
		}
		measured, err := o.measureAt(ctx, at, cmp.Or(o.plugin, "cpu"), jobCommands, whole, o.budget/2)
		if err != nil {
			return nil, err
		}
		results.Rows = append(results.Rows, measured.Rows...)
		results.Jobs = measured.Machine
	}
	return results, nil
}

// place returns where the programs are, which it builds unless they were bundled. The folder of a
// Python of the repository is used if the file ready is in it.
func (o *options) place(folder, python string) (place, error) {
	at := place{built: o.programs, gpu: o.gpu, python: python}
	if at.built != "" {
		return at, nil
	}
	root, err := root()
	if err != nil {
		return at, err
	}
	at.root, at.built = root, filepath.Join(root, "bin/bench")
	if at.python == "" {
		if _, err := os.Stat(filepath.Join(root, folder, "ready")); err == nil {
			at.python = filepath.Join(root, folder, "bin/python")
		}
	}
	return at, build(root, at.built)
}

// measureAt starts the programs, and measures rows with them.
func (o *options) measureAt(
	ctx context.Context, at place, plugin string, commands func(*place) []command, chosen []row, budget time.Duration,
) (results *Results, err error) {
	if !plugins.IsPath(plugin) {
		if plugin, err = plugins.Install(ctx, plugin, plugins.InstallOptions{}); err != nil {
			return nil, err
		}
	}
	if err := plugins.Prepare(plugin); err != nil {
		return nil, err
	}
	if at.programs, err = os.MkdirTemp("", "bench"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(at.programs)
	if err := writePrograms(&at, chosen); err != nil {
		return nil, err
	}
	at.plugin = plugin
	at.commands = commands(&at)
	processes, err := startAll(&at, row{}.has)
	defer func() { err = cmp.Or(err, closeAll(processes)) }()
	if err != nil {
		return nil, err
	}
	stop, err := keepBusy(o.busy)
	if err != nil {
		return nil, err
	}
	defer stop()
	results = &Results{Machine: machine(processes, at.built, at.python)}
	m := &measurer{place: at, processes: processes, rounds: o.rounds, budget: budget}
	for _, r := range chosen {
		if !at.can(r) {
			fmt.Fprintln(os.Stderr, r.name, "is left out: it needs make bin/jobs/ready, or several devices")
			continue
		}
		fmt.Fprintln(os.Stderr, r.name)
		row, err := m.measure(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		if row != nil {
			results.Rows = append(results.Rows, row)
		}
	}
	return results, nil
}

// spinning is the variable that makes this command a process that never rests.
const spinning = "BENCH_SPIN"

func spin() {
	for {
	}
}

// keepBusy starts n processes that never rest, until stop is called.
func keepBusy(n int) (stop func(), err error) {
	var all []*exec.Cmd
	stop = func() {
		for _, c := range all {
			c.Process.Kill()
			c.Wait()
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for range n {
		c := exec.Command(self)
		c.Env = append(os.Environ(), spinning+"=1", "GOMAXPROCS=1")
		if err := c.Start(); err != nil {
			stop()
			return nil, err
		}
		all = append(all, c)
	}
	return stop, nil
}
