// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
)

func runCommand() *cobra.Command {
	var plugin, out string
	var isolated isolation
	cmd := &cobra.Command{
		Use:   "run PROGRAM [ARG.npy[:TYPE]]...",
		Short: "Compile a StableHLO program, run it, and print its results",
		Long: `Run compiles PROGRAM, StableHLO as text or bytecode, and executes it once on the
first device of the plugin with the arrays in the NumPy files as arguments.

A TYPE after the file name casts the array as NumPy's astype does. Types are
written as in StableHLO: f32 bf16 f16 f8E4M3FN i4 ui8 i1 complex<f32> (or
complex64) and so on. NumPy files cannot name types that NumPy lacks. Run reads
their elements bit for bit as TYPE, or as the type in the text of the program.
Without TYPE, run uses an array as it is.

Run prints the results as NumPy prints arrays, and abbreviates long ones. With
--out it also writes them in full, to out0.npy, out1.npy and so on.`,
		Example: "  pjrt run matmul.mlir a.npy b.npy\n  pjrt run --plugin ./my_plugin.so --out results model.mlir x.npy:bf16",
		Args: usage(func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no program given")
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd.Context(), cmd.OutOrStdout(), plugin, out, isolated, args[0], args[1:])
		},
	}
	cmd.Flags().StringVar(&plugin, "plugin", defaultPlugin, "the plugin to run on: a `NAME` or the path of a library")
	isolated.addTo(cmd)
	cmd.Flags().StringVar(&out, "out", "", "the `DIR` to write the results to; created if missing")
	return cmd
}

// run checks everything that it can before it loads the plugin, and prints only when everything else has succeeded.
func run(ctx context.Context, stdout io.Writer, plugin, out string, isolated isolation, program string, args []string) error {
	code, err := os.ReadFile(program)
	switch {
	case err != nil:
		return fmt.Errorf("program: %w", err)
	case len(code) == 0:
		return fmt.Errorf("program: %s is empty", program)
	}
	params, known := stablehlo.Main(code)
	if known && len(params) != len(args) {
		return wrongCount(params, len(args))
	}
	inputs := make([]input, len(args))
	for i, arg := range args {
		var param stablehlo.Param // unknown
		if known {
			param = params[i]
		}
		if inputs[i], err = readInput(arg, param); err == nil {
			err = inputs[i].check(param)
		}
		if err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	var dir *outputDir
	if out != "" {
		if dir, err = openOutputDir(out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		defer dir.discard()
	}
	results, err := compute(ctx, plugin, isolated, program, code, inputs, known)
	if err != nil {
		return err
	}
	if dir != nil {
		if err := dir.publish(results); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return printResults(stdout, results)
}

// wrongCount returns an error that says which arguments the program takes.
func wrongCount(params []stablehlo.Param, got int) error {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = p.String()
	}
	switch len(params) {
	case 0:
		return fmt.Errorf("the program takes no arguments, got %d", got)
	case 1:
		return fmt.Errorf("the program takes 1 argument (%s), got %d", list[0], got)
	}
	return fmt.Errorf("the program takes %d arguments (%s), got %d", len(params), strings.Join(list, ", "), got)
}

// input is one argument of the program.
type input struct {
	arg   string // as on the command line
	file  string
	array *npy.Array
}

// readInput reads FILE or FILE:TYPE. If neither the file nor the argument names a type, it uses that of param.
func readInput(arg string, param stablehlo.Param) (input, error) {
	file, cast, err := splitArgument(arg)
	if err != nil {
		return input{}, err
	}
	var a *npy.Array
	if cast != dtype.Invalid {
		a, err = npy.ReadFileAs(file, cast)
	} else {
		a, err = npy.ReadFile(file)
		if errors.Is(err, npy.ErrOpaque) && param.Known() {
			a, err = npy.ReadFileAs(file, param.Type)
		}
	}
	return input{arg, file, a}, err
}

// check compares the array with its parameter.
func (in input) check(param stablehlo.Param) error {
	a := in.array
	if param.Accepts(a.Type, a.Dims) {
		return nil
	}
	hint := ""
	if param.Accepts(param.Type, a.Dims) && (param.Type.IsComplex() || !a.Type.IsComplex()) {
		hint = fmt.Sprintf("; %s:%s casts it", in.file, param.Type)
	}
	return fmt.Errorf("%s is %s, and the program takes %s%s", in.arg, stablehlo.Format(a.Type, a.Dims), param, hint)
}

// checkCompiled compares inputs with the parameters of the compiled program, for programs without text. If the plugin
// does not report the parameters, Execute checks the inputs.
func checkCompiled(exe *pjrt.LoadedExecutable, inputs []input) error {
	shapes, err := exe.Parameters()
	if err != nil {
		return nil
	}
	params := make([]stablehlo.Param, len(shapes))
	for i, s := range shapes {
		params[i] = stablehlo.Param(s)
	}
	if len(params) != len(inputs) {
		return wrongCount(params, len(inputs))
	}
	for i, in := range inputs {
		if err := in.check(params[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return nil
}

// splitArgument splits FILE:TYPE. A colon may also be part of the name of an existing file.
func splitArgument(arg string) (file string, cast dtype.Type, err error) {
	colon := strings.LastIndexByte(arg, ':')
	if colon < 0 {
		return arg, dtype.Invalid, nil
	}
	cast, err = dtype.Parse(arg[colon+1:])
	if err == nil {
		return arg[:colon], cast, nil
	}
	if _, missing := os.Stat(arg); missing == nil || strings.ContainsAny(arg[colon:], `/\`) {
		return arg, dtype.Invalid, nil
	}
	return "", dtype.Invalid, fmt.Errorf("%s: %w", arg, err)
}

// compute runs code on the first device of the plugin. checked says that the inputs have been checked.
func compute(
	ctx context.Context, name string, isolated isolation, program string, code []byte, inputs []input, checked bool,
) ([]*npy.Array, error) {
	plugin, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	compiler, end, err := isolated.compiler()
	if err != nil {
		return nil, err
	}
	defer end()
	plugin.options.Compiler = compiler
	client, err := plugin.NewClient(ctx, plugin.options)
	if err != nil {
		return nil, fmt.Errorf("plugin %s: %w", name, err)
	}
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: code}, nil)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", program, err)
	}
	defer exe.Close()
	if !checked {
		if err := checkCompiled(exe, inputs); err != nil {
			return nil, err
		}
	}
	args := make([]*pjrt.Buffer, len(inputs))
	for i, in := range inputs {
		args[i], err = client.BufferFromHost(ctx, pjrt.HostArray(*in.array), nil)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %s: %w", i, in.arg, err)
		}
		defer args[i].Close()
	}
	outs, err := exe.Execute(ctx, args, nil)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", program, err)
	}
	results := make([]*npy.Array, len(outs))
	for i, o := range outs {
		defer o.Close()
		a, err := o.ToHost(ctx)
		if err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
		result := npy.Array(a)
		results[i] = &result
	}
	return results, nil
}

func printResults(w io.Writer, results []*npy.Array) error {
	for i, a := range results {
		if _, err := fmt.Fprintf(w, "out%d: %s\n%s\n", i, stablehlo.Format(a.Type, a.Dims), a); err != nil {
			return err
		}
	}
	return nil
}

// outputDir is the directory for results. They are first written to a directory inside it, so that a full disk leaves
// earlier results unchanged.
type outputDir struct {
	path    string
	staging string
	made    []string // directories that were created for it, outermost first
}

// openOutputDir creates dir if it is missing, and checks that it is writable before time is spent on results.
func openOutputDir(dir string) (_ *outputDir, err error) {
	d := &outputDir{path: filepath.Clean(dir)}
	for p := d.path; ; p = filepath.Dir(p) {
		if _, err := os.Lstat(p); err == nil || p == filepath.Dir(p) {
			break
		}
		d.made = append([]string{p}, d.made...)
	}
	defer func() {
		if err != nil {
			d.discard()
		}
	}()
	if err := os.MkdirAll(d.path, 0o777); err != nil {
		return nil, err
	}
	if d.staging, err = os.MkdirTemp(d.path, ".pjrt-"); err != nil {
		return nil, err
	}
	return d, nil
}

// publish writes all results and then renames them.
func (d *outputDir) publish(results []*npy.Array) error {
	names := make([]string, len(results))
	for i, a := range results {
		names[i] = fmt.Sprintf("out%d.npy", i)
		if err := npy.WriteFile(filepath.Join(d.staging, names[i]), a); err != nil {
			return err
		}
	}
	d.made = nil
	for _, name := range names {
		if err := os.Rename(filepath.Join(d.staging, name), filepath.Join(d.path, name)); err != nil {
			return err
		}
	}
	return nil
}

// discard removes the results that were not published.
func (d *outputDir) discard() {
	if d.staging != "" {
		_ = os.RemoveAll(d.staging)
	}
	for i := len(d.made) - 1; i >= 0; i-- {
		_ = os.Remove(d.made[i])
	}
}
