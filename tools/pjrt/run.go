// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	saved "github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// runner holds the flags of the run command.
type runner struct {
	plugin, out, fill  string
	device             int
	partitions, repeat int
	options            []string
	flags              xlaFlags
	allowUnknown       bool
	isolated           isolation
	progress           io.Writer
}

func runCommand() *cobra.Command {
	var r runner
	cmd := &cobra.Command{
		Use:   "run PROGRAM [ARG.npy[:TYPE]]...",
		Short: "Compile a StableHLO program, run it, and print its results",
		Long: `Run compiles PROGRAM, StableHLO as text or bytecode, and executes it with the
arrays in the NumPy files as arguments. PROGRAM may also be HLO that XLA dumped
as a message (.hlo.pb), or what pjrt compile --out wrote, which run loads instead
of compiling. If PROGRAM is -, run reads it from standard input.

The program runs on the preferred plugin of this machine and on its first device;
--plugin and --device choose others.

An argument may also be an array of a .npz file: FILE.npz, or FILE.npz/NAME if the
file has several. A TYPE after the file name casts the array as NumPy's astype does. Types are
written as in StableHLO: f32 bf16 f16 f8E4M3FN i4 ui8 i1 complex<f32> (or
complex64) and so on. NumPy files cannot name types that NumPy lacks. Run reads
their elements bit for bit as TYPE, or as the type in the text of the program.
Without TYPE, run uses an array as it is.

--fill makes the arguments for which no files are given: zeros, ones, iota (0, 1,
2 and so on), or random, which is the same in each run: numbers from 0 to 1, or
integers from 0 to 9.

A program with shardings is divided among as many devices as it says, or as
--partitions says. Run splits whole arrays for it, and joins the results. An argument
may also be several files with commas between them, one for each part; an argument
with one file then goes to all parts, and run prints the results of each part.

Run prints the results as NumPy prints arrays, and abbreviates long ones. With
--out it also writes them in full, to out0.npy, out1.npy and so on; the files of
several parts are out0.0.npy, out0.1.npy and so on. With --repeat it executes the
program several times, and shows how long that took.`,
		Example: `  pjrt run matmul.mlir a.npy b.npy
  pjrt run --plugin ./my_plugin.so --out results model.mlir x.npy:bf16
  pjrt run --fill random --repeat 100 model.mlir
  pjrt run --option cpu_device_count=2 spmd.mlir x.npy w.npy
  pjrt run --partitions 2 spmd.mlir x0.npy,x1.npy w.npy
  python export.py | pjrt run - x.npy`,
		Args: cli.Args(func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no program given")
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.check(cmd.Flags().Changed("device")); err != nil {
				return cli.UsageError(fmt.Errorf("run: %w", err))
			}
			r.progress = cmd.ErrOrStderr()
			return forCommand(r.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), args[0], args[1:]))
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.plugin, "plugin", "", "the plugin to run on: a `NAME` or the path of a library (default the preferred one)")
	f.IntVar(&r.device, "device", 0, "the `NUMBER` of the device to run on, as pjrt info shows it (default the first)")
	f.IntVar(&r.partitions, "partitions", 0, "the `NUMBER` of devices that share the work (default as the program says)")
	f.StringArrayVar(&r.options, "option", nil, "`NAME=VALUE`, a create option of the client")
	r.flags.addTo(cmd)
	addAllowUnknown(cmd, &r.allowUnknown)
	f.StringVar(&r.fill, "fill", "", "fill the missing arguments with `VALUES`: "+strings.Join(fillings, ", "))
	cli.CompleteFlag(cmd, "fill", fillings...)
	f.IntVar(&r.repeat, "repeat", 1, "execute the program `N` times, and show how long it took")
	r.isolated.addTo(cmd)
	f.StringVar(&r.out, "out", "", "the `DIR` to write the results to; created if missing")
	addProfile(cmd, &r.plugin)
	return cmd
}

// check returns an error for flags that make no sense, and sets the device to -1 if none was
// chosen.
func (r *runner) check(device bool) error {
	switch {
	case !device:
		r.device = -1
	case r.device < 0:
		return fmt.Errorf("--device is %d: it cannot be negative", r.device)
	case r.partitions > 0:
		return errors.New("--device chooses one device: leave it out with --partitions")
	}
	switch {
	case r.partitions < 0:
		return fmt.Errorf("--partitions is %d: it cannot be negative", r.partitions)
	case r.repeat < 1:
		return fmt.Errorf("--repeat is %d: it must be at least 1", r.repeat)
	case r.fill != "" && !slices.Contains(fillings, r.fill):
		return fmt.Errorf("--fill %s: use one of %s", r.fill, strings.Join(fillings, ", "))
	}
	return nil
}

// run checks everything it can before it loads the plugin, and prints only when everything else has
// succeeded.
func (r *runner) run(ctx context.Context, stdin io.Reader, stdout io.Writer, program string, args []string) error {
	code, err := readProgram(program, stdin)
	if err != nil {
		return err
	}
	compiled := saved.IsExecutable(code)
	if compiled && (r.partitions > 0 || len(r.flags) > 0 || bool(r.isolated)) {
		return cli.UsageError(fmt.Errorf("run: %s is already compiled: --partitions, --flag and --isolate are for pjrt compile", program))
	}
	client, compile, err := r.clientOptions()
	if err != nil {
		return err
	}
	params, known := stablehlo.Main(code)
	known = known && !compiled
	if known {
		if err := r.enough(params, len(args)); err != nil {
			return err
		}
	}
	arguments := make([]argument, len(args))
	for i, arg := range args {
		var param array.Shape // unknown
		if known {
			param = params[i]
		}
		if arguments[i], err = readArgument(arg, param); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	// The text of a partitioned program has the shapes of whole arrays, not of the parts.
	checked := known && r.partitions < 2 && !slices.ContainsFunc(arguments, func(a argument) bool { return len(a) > 1 })
	if checked {
		if err := check(arguments, params); err != nil {
			return err
		}
	}
	var dir *outputDir
	if r.out != "" {
		if dir, err = openOutputDir(r.out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		defer dir.discard()
	}
	e := execution{runner: r, program: program, code: code, arguments: arguments, checked: checked, params: params}
	results, err := e.compute(ctx, client, compile)
	if err != nil {
		return err
	}
	if dir != nil {
		if err := dir.publish(results); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if err := printResults(stdout, results); err != nil {
		return err
	}
	if r.repeat > 1 {
		return e.printTimes(stdout)
	}
	return nil
}

// readProgram reads a file, or standard input if it is called -.
func readProgram(program string, stdin io.Reader) (code []byte, err error) {
	if program == "-" {
		program = "standard input"
		code, err = io.ReadAll(stdin)
	} else {
		code, err = outside.ReadFile(program)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("program: %w", err)
	case len(bytes.TrimSpace(code)) == 0:
		return nil, fmt.Errorf("program: %s is empty", program)
	}
	return code, nil
}

// enough checks the number of arguments. --fill makes the missing ones.
func (r *runner) enough(params []array.Shape, got int) error {
	if got == len(params) || got < len(params) && r.fill != "" {
		return nil
	}
	err := wrongCount(params, got)
	if got < len(params) {
		err = fmt.Errorf("%w: --fill random makes the missing ones", err)
	}
	return err
}

// clientOptions returns the client and compile options that the flags ask for.
func (r *runner) clientOptions() (*pjrt.ClientOptions, *pjrt.CompileOptions, error) {
	client := &pjrt.ClientOptions{AllowUnknown: r.allowUnknown}
	for _, text := range r.options {
		a, err := platform.ParseOption(text)
		if err != nil {
			return nil, nil, cli.UsageError(fmt.Errorf("--option %s: %w", text, err))
		}
		client.Create = append(client.Create, a)
	}
	flags, err := r.flags.values()
	if err != nil {
		return nil, nil, err
	}
	return client, &pjrt.CompileOptions{Partitions: r.partitions, Flags: flags, AllowUnknownFlags: r.allowUnknown}, nil
}

// xlaFlags are what --flag sets: XLA flags as NAME=VALUE.
type xlaFlags []string

func (f *xlaFlags) addTo(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar((*[]string)(f), "flag", nil, "`NAME=VALUE`, an XLA flag for the compiler, such as xla_cpu_use_xnnpack=true")
}

// values returns the values by name, nil if there are none.
func (f xlaFlags) values() (values map[string]any, err error) {
	for _, text := range f {
		name, value, ok := strings.Cut(strings.TrimLeft(text, "-"), "=")
		if !ok || name == "" {
			return nil, cli.UsageError(fmt.Errorf("--flag %s: write it as NAME=VALUE", text))
		}
		if values == nil {
			values = make(map[string]any)
		}
		values[name] = value
	}
	return values, nil
}

// execution is one use of the run command.
type execution struct {
	*runner
	program   string
	code      []byte
	arguments []argument
	checked   bool // the arguments are known to fit the program
	params    []array.Shape

	compiled time.Duration // how long it took to compile, or to load
	times    []time.Duration
}

// compute runs the program.
func (e *execution) compute(ctx context.Context, options *pjrt.ClientOptions, compile *pjrt.CompileOptions) ([]result, error) {
	compiler, end, err := e.isolated.compiler()
	if err != nil {
		return nil, err
	}
	defer end()
	options.Compiler = compiler
	client, err := openClient(ctx, e.plugin, options)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	stop := cli.Busy(e.progress, "compiling "+e.program)
	began := time.Now()
	exe, err := e.compile(ctx, client, compile)
	stop()
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	e.compiled = time.Since(began)
	divided, err := e.divided(exe)
	if err != nil {
		return nil, err
	}
	if divided != nil {
		return e.computeWhole(ctx, divided)
	}
	if err := e.complete(exe); err != nil {
		return nil, err
	}
	parts, err := partsOf(exe)
	if err != nil {
		return nil, err
	}
	inputs, err := e.upload(ctx, exe, parts)
	for _, row := range inputs {
		for _, b := range row {
			defer b.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	outputs, err := e.execute(ctx, exe, inputs)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", e.program, err)
	}
	defer closeAll(outputs)
	return download(ctx, outputs, parts)
}

// compile compiles the program, or loads it if it is already compiled.
func (e *execution) compile(ctx context.Context, client *pjrt.Client, options *pjrt.CompileOptions) (*pjrt.LoadedExecutable, error) {
	if e.device >= 0 {
		d, err := client.LookupDevice(e.device)
		if err != nil || !d.Addressable() {
			return nil, fmt.Errorf("--device %d: the client has no such device: its devices are %s", e.device, deviceNumbers(client))
		}
		options.Devices = [][]*pjrt.Device{{d}}
	}
	if !saved.IsExecutable(e.code) {
		exe, err := client.Compile(ctx, pjrt.Program{Code: e.code}, options)
		if err != nil {
			return nil, e.ofDevice(compileError(e.program, client.Plugin().Path(), err))
		}
		return exe, nil
	}
	var load pjrt.LoadOptions
	if e.device >= 0 {
		load.Compile = options
	}
	exe, err := client.DeserializeAndLoad(ctx, e.code, &load)
	if err != nil {
		return nil, e.ofDevice(fmt.Errorf("load %s: %w", e.program, err))
	}
	return exe, nil
}

// ofDevice adds to an error about the device assignment, which has the device of --device alone.
func (e *execution) ofDevice(err error) error {
	if e.device < 0 || !strings.Contains(err.Error(), "device assignment") {
		return err
	}
	return fmt.Errorf("--device %d is for a program that runs on one device: %w", e.device, err)
}

func deviceNumbers(client *pjrt.Client) string {
	var list []string
	for _, d := range client.AddressableDevices() {
		list = append(list, fmt.Sprint(d.ID()))
	}
	return strings.Join(list, ", ")
}

// divided returns exe in the form that takes whole arrays, and makes the missing arguments. It
// returns nil if the program is not divided, if the plugin does not say how, or if a file is for
// one part.
func (e *execution) divided(exe *pjrt.LoadedExecutable) (*sharding.Executable, error) {
	if exe.NumPartitions() < 2 || slices.ContainsFunc(e.arguments, func(a argument) bool { return len(a) > 1 }) {
		return nil, nil
	}
	divided, err := sharding.Of(exe)
	if err != nil {
		return nil, nil // the program can still run in parts
	}
	params := divided.ParameterShapes()
	if err := e.enough(params, len(e.arguments)); err != nil {
		return nil, err
	}
	if check(e.arguments, params) != nil {
		return nil, nil
	}
	return divided, e.fillUp(params)
}

// computeWhole runs a divided program on whole arrays, as many times as --repeat says.
func (e *execution) computeWhole(ctx context.Context, exe *sharding.Executable) ([]result, error) {
	args := make([]*sharding.Array, len(e.arguments))
	for i, a := range e.arguments {
		var err error
		if args[i], err = exe.Scatter(ctx, i, a[0].array); err != nil {
			return nil, fmt.Errorf("argument %d: %s: %w", i, a[0].arg, err)
		}
		defer args[i].Close()
	}
	var outputs []*sharding.Array
	closeOutputs := func() {
		for _, a := range outputs {
			a.Close()
		}
	}
	defer func() { closeOutputs() }()
	for range e.repeat {
		closeOutputs()
		began := time.Now()
		var err error
		// A program that reuses its arguments for its results could not run again.
		if outputs, err = exe.Execute(ctx, args, &pjrt.ExecuteOptions{KeepAll: e.repeat > 1}); err != nil {
			return nil, fmt.Errorf("run %s: %w", e.program, err)
		}
		e.times = append(e.times, time.Since(began))
	}
	results := make([]result, len(outputs))
	for i, a := range outputs {
		whole, err := a.Gather(ctx)
		if err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
		results[i] = result{i, -1, whole}
	}
	return results, nil
}

// complete makes the missing arguments, and checks the others if they have not been checked. If the
// plugin does not report the parameters, the execution checks them.
func (e *execution) complete(exe *pjrt.LoadedExecutable) error {
	if compiled, known := paramsOf(exe); known {
		e.params = compiled
	} else if !e.checked {
		if e.fill != "" {
			return fmt.Errorf("--fill: the plugin does not say what arguments %s takes: give files", e.program)
		}
		return nil
	}
	if err := e.enough(e.params, len(e.arguments)); err != nil {
		return err
	}
	if !e.checked {
		if err := check(e.arguments, e.params); err != nil {
			return err
		}
	}
	return e.fillUp(e.params)
}

// fillUp makes the missing arguments, as --fill says.
func (e *execution) fillUp(params []array.Shape) error {
	for i := len(e.arguments); i < len(params); i++ {
		a, err := filled(e.fill, params[i], i)
		if err != nil {
			return fmt.Errorf("--fill %s: argument %d: %w", e.fill, i, err)
		}
		e.arguments = append(e.arguments, argument{{arg: "--fill " + e.fill, array: a}})
	}
	return nil
}

// partsOf numbers the parts of a program, in the order of its devices: partition by partition,
// replica by replica.
func partsOf(exe *pjrt.LoadedExecutable) ([]int, error) {
	if len(exe.Devices()) <= 1 { // none if the plugin does not name it
		return []int{-1}, nil
	}
	ids, err := sharding.LogicalIDs(exe)
	if err != nil {
		return nil, err
	}
	parts := make([]int, len(ids))
	for i, id := range ids {
		parts[i] = id.Replica*exe.NumPartitions() + id.Partition
	}
	return parts, nil
}

// upload copies the arguments to the devices. The caller closes the buffers, even after an error.
func (e *execution) upload(ctx context.Context, exe *pjrt.LoadedExecutable, parts []int) ([][]*pjrt.Buffer, error) {
	for i, a := range e.arguments {
		if len(a) != 1 && len(a) != len(parts) {
			return nil, fmt.Errorf("argument %d has %d files, and the program has %d parts: give one file for all, or one for each",
				i, len(a), len(parts))
		}
	}
	inputs := make([][]*pjrt.Buffer, len(parts))
	devices := exe.Devices()
	for row, part := range parts {
		var options pjrt.BufferOptions
		if row < len(devices) {
			options.Device = devices[row]
		}
		for i, a := range e.arguments {
			in := a.of(max(part, 0))
			b, err := exe.Client().BufferFromHost(ctx, in.array, &options)
			if err != nil {
				return inputs, fmt.Errorf("argument %d: %s: %w", i, in.arg, err)
			}
			inputs[row] = append(inputs[row], b)
		}
	}
	return inputs, nil
}

// execute runs the program as many times as --repeat says, and returns the last results.
func (e *execution) execute(
	ctx context.Context, exe *pjrt.LoadedExecutable, inputs [][]*pjrt.Buffer,
) (outputs [][]*pjrt.Buffer, err error) {
	// A program that reuses its arguments for its results could not run again.
	options := &pjrt.ExecuteOptions{KeepAll: e.repeat > 1}
	for range e.repeat {
		closeAll(outputs)
		began := time.Now()
		if outputs, err = exe.ExecuteAll(ctx, inputs, options); err != nil {
			return nil, err
		}
		e.times = append(e.times, time.Since(began))
	}
	return outputs, nil
}

func closeAll(rows [][]*pjrt.Buffer) {
	for _, row := range rows {
		for _, b := range row {
			b.Close()
		}
	}
}

// download returns the results, ordered by number and then by part.
func download(ctx context.Context, outputs [][]*pjrt.Buffer, parts []int) ([]result, error) {
	var results []result
	for row, part := range parts {
		for i, b := range outputs[row] {
			a, err := b.ToHost(ctx)
			if err != nil {
				return nil, fmt.Errorf("result %d: %w", i, err)
			}
			results = append(results, result{i, part, a})
		}
	}
	slices.SortFunc(results, func(a, b result) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.part, b.part)) })
	return results, nil
}

// printTimes prints how long the program took. The first execution is shown separately, because it
// may do work that later ones need not.
func (e *execution) printTimes(w io.Writer) error {
	what := "compiled"
	if saved.IsExecutable(e.code) {
		what = "loaded"
	}
	later := slices.Sorted(slices.Values(e.times[1:]))
	var total time.Duration
	for _, t := range later {
		total += t
	}
	n := len(later)
	_, err := fmt.Fprintf(w, "%s in %v, first run %v, %d more: least %v, median %v, mean %v, most %v\n", what, brief(e.compiled),
		brief(e.times[0]), n, brief(later[0]), brief(later[n/2]), brief(total/time.Duration(n)), brief(later[n-1]))
	return err
}

// brief rounds a duration to three digits.
func brief(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
