// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt"
	saved "github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// compilation holds the options of the compile command.
type compilation struct {
	plugin, topology, out, report string
	options                       []string
	flags                         xlaFlags
	compile                       pjrt.CompileOptions
	isolated                      isolation
	progress                      io.Writer
}

func compileCommand() *cobra.Command {
	var c compilation
	cmd := &cobra.Command{
		Use:   "compile PROGRAM",
		Short: "Compile a StableHLO program, for this machine or ahead of time",
		Long: `Compile compiles PROGRAM, StableHLO as text or bytecode, and describes the
executable. With --out it also writes the executable, which pjrt run loads on the
same plugin. If PROGRAM is -, compile reads it from standard input.

With --topology it compiles ahead of time for the named devices, which need not
be on this machine. libtpu knows names such as v5e:2x2, v4:2x2x1 and v6e:16x16,
and the options num_slices and chips_per_host_bounds. XLA's plugins for GPUs take
any name and the options target_config, a GpuTargetConfigProto as text, and
topology, such as 1x1x8.`,
		Example: "  pjrt compile model.mlir\n  pjrt compile --plugin tpu --topology v5e:2x2 --out model.bin model.mlir\n" +
			"  pjrt compile --plugin cuda --topology h100 --option target_config=@h100.txtpb --option topology=1x1x1 model.mlir",
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(c.options) > 0 && !cmd.Flags().Changed("topology") {
				return cli.UsageError(errors.New("--option is an option of a topology: give --topology too"))
			}
			c.progress = cmd.ErrOrStderr()
			return forCommand(c.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), args[0], cmd.Flags().Changed("topology")))
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.plugin, "plugin", "", "the plugin to compile with: a `NAME` or the path of a library (default the preferred one)")
	f.StringVar(&c.topology, "topology", "", "the `NAME` of the devices to compile for, instead of those of this machine")
	f.StringArrayVar(&c.options, "option", nil, "an option `NAME=VALUE` of the topology: "+
		"a number, numbers separated by commas, or text (@FILE reads a file)")
	f.IntVar(&c.compile.Replicas, "replicas", 0,
		"the `NUMBER` of devices that run the program on different data (default as the program says, or 1)")
	f.IntVar(&c.compile.Partitions, "partitions", 0,
		"the `NUMBER` of devices that share the work of each replica (default as the program says, or 1)")
	f.BoolVar(&c.compile.SPMD, "spmd", false, "let the compiler split the program over the partitions")
	c.flags.addTo(cmd)
	addAllowUnknown(cmd, &c.compile.AllowUnknownFlags)
	c.isolated.addTo(cmd)
	f.StringVar(&c.out, "out", "", "the `FILE` to write the executable to")
	f.StringVar(&c.report, "report", "", "the `FILE` to write an HTML page to that shows memory, cost, shardings and the program")
	return cmd
}

func (c *compilation) run(ctx context.Context, stdin io.Reader, stdout io.Writer, program string, ahead bool) error {
	code, err := readProgram(program, stdin)
	if err != nil {
		return err
	}
	if saved.IsExecutable(code) {
		return fmt.Errorf("%s is already compiled: pjrt run loads it", program)
	}
	// Compilers can take hours, and their work would be lost.
	for _, file := range [][2]string{{"--out", c.out}, {"--report", c.report}} {
		if file[1] == "" {
			continue
		}
		if err := outside.CanWrite(file[1]); err != nil {
			return fmt.Errorf("%s: %w", file[0], err)
		}
	}
	options, err := topologyOptions(c.options)
	if err != nil {
		return err
	}
	if c.compile.Flags, err = c.flags.values(); err != nil {
		return err
	}
	plugin, err := open(ctx, c.plugin)
	if err != nil {
		return err
	}
	compiler, end, err := c.isolated.compiler()
	if err != nil {
		return err
	}
	defer end()
	c.compile.Compiler = compiler
	stop := sync.OnceFunc(cli.Busy(c.progress, "compiling "+program))
	defer stop()
	var exe *pjrt.Executable
	devices := 0
	if ahead {
		topology, err := plugin.NewTopology(ctx, c.topology, &pjrt.TopologyOptions{Create: options})
		if err != nil {
			return fmt.Errorf("topology %s of plugin %s: %w", c.topology, cmp.Or(c.plugin, plugin.String()), err)
		}
		defer topology.Close()
		all, err := topology.Devices()
		if err != nil {
			return fmt.Errorf("topology %s of plugin %s: %w", c.topology, cmp.Or(c.plugin, plugin.String()), err)
		}
		devices = len(all)
		exe, err = plugin.CompileFor(ctx, topology, pjrt.Program{Code: code}, &c.compile)
		if err != nil {
			return compileError(program, plugin.Path(), err)
		}
		defer exe.Close()
	} else {
		client, err := plugin.client(ctx, nil)
		if err != nil {
			return err
		}
		defer client.Close()
		devices = len(client.Devices())
		loaded, err := client.Compile(ctx, pjrt.Program{Code: code}, &c.compile)
		if err != nil {
			return compileError(program, plugin.Path(), err)
		}
		defer loaded.Close()
		exe = loaded.Executable
	}
	stop()
	size := -1
	if c.out != "" {
		data, err := exe.Serialize(ctx)
		if err != nil {
			return fmt.Errorf("serialize %s: %w", program, err)
		}
		if err := writeWhole(c.out, data); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		size = len(data)
	}
	if err := writeReport(ctx, c.report, exe); err != nil {
		return err
	}
	return printExecutable(stdout, exe, devices, size)
}

// printExecutable prints what the plugin says about an executable.
func printExecutable(w io.Writer, exe *pjrt.Executable, devices, size int) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s "+format+"\n", append([]any{name}, args...)...)
	}
	line("name", "%s", cli.Cell(exe.Name()))
	line("devices", "%d of %d", exe.NumReplicas()*exe.NumPartitions(), devices)
	if shapes, err := exe.Parameters(); err == nil {
		line("arguments", "%s", formatShapes(shapes))
	}
	if shapes, err := exe.Outputs(); err == nil {
		line("results", "%s", formatShapes(shapes))
	}
	if n, err := exe.GeneratedCodeSize(); err == nil && n > 0 {
		line("code", "%d bytes", n)
	}
	if m, err := exe.MemoryStats(); err == nil {
		line("memory", "%d bytes of arguments, %d of results, %d temporary", m.Arguments, m.Outputs, m.Temporary)
	}
	if size >= 0 {
		line("serialized", "%d bytes", size)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func formatShapes(shapes []pjrt.Shape) string {
	if len(shapes) == 0 {
		return "none"
	}
	list := make([]string, len(shapes))
	for i, s := range shapes {
		list[i] = s.String()
	}
	return strings.Join(list, ", ")
}

// topologyOptions parses options of the form NAME=VALUE. A value is an integer, a list of integers,
// or text.
func topologyOptions(list []string) ([]pjrt.Attribute, error) {
	var options []pjrt.Attribute
	for _, text := range list {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, cli.UsageError(fmt.Errorf("--option %s: write it as NAME=VALUE", text))
		}
		v, err := topologyOption(value)
		if err != nil {
			return nil, fmt.Errorf("--option %s: %w", name, err)
		}
		options = append(options, pjrt.Attribute{Name: name, Value: v})
	}
	return options, nil
}

func topologyOption(value string) (any, error) {
	if file, ok := strings.CutPrefix(value, "@"); ok {
		text, err := outside.ReadFile(file)
		return string(text), err
	}
	var numbers []int64
	for _, part := range strings.Split(value, ",") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return value, nil
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 1 {
		return numbers[0], nil
	}
	return numbers, nil
}

// writeWhole writes a file. If it fails, the file is as it was before.
func writeWhole(path string, data []byte) error {
	return outside.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
