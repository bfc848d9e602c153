// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func installCommand() *cobra.Command {
	var opts plugins.InstallOptions
	var noCompiler bool
	cmd := &cobra.Command{
		Use:   "install [NAME...]",
		Short: "Install plugins, or list the known ones",
		Long: `Install downloads plugins with pip, verifies the SHA-256 that this version of
pjrt pins them to, and unpacks them into the user's cache directory. It prints
the path of each library. It does not download installed plugins again. A broken
download starts over; pip 25.1 or newer resumes it.

The plugins for CUDA compile with its ptxas and libdevice. If these are not on this
machine, install puts them beside the plugin, unless --no-compiler is given. CUDA 13
needs driver 580 or newer, and CUDA 12 driver 525.

Without a name, install lists the plugins that can be installed, and how large they
are. pjrt list shows where installed plugins are.`,
		Example: "  pjrt install cpu\n  pjrt install cuda13 --no-compiler",
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 {
				return listPlugins(cmd.OutOrStdout())
			}
			opts.Progress, opts.Compiler = cmd.ErrOrStderr(), !noCompiler
			meter := newByteMeter(cmd.ErrOrStderr())
			if meter != nil {
				opts.Meter, opts.Progress = meter.show, meter.above(opts.Progress)
			}
			if n, all := toInstall(names, opts.Force, noCompiler); n > 1 {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s to download, %s when unpacked\n", size(all.Download), size(all.Disk))
			}
			for _, name := range names {
				library, installErr := plugins.Install(cmd.Context(), name, opts)
				meter.end()
				if library == "" {
					return installErr
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), library); err != nil {
					return err
				}
				if installErr != nil {
					return fmt.Errorf("%w; the plugin itself is installed, and --no-compiler skips this step", installErr)
				}
				if found, missing := plugins.FindCUDA(library); found.Compiler == "" && len(missing) > 0 {
					fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", name, missing[0])
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&opts.Force, "force", false, "install a plugin again even if it is already installed")
	cmd.Flags().BoolVar(&noCompiler, "no-compiler", false, "do not install ptxas and libdevice for the plugin for CUDA")
	cmd.Flags().StringVar(&opts.Python, "python", "", "the Python `COMMAND` whose pip downloads (default python3)")
	return cmd
}

// toInstall returns how many plugins and compilers there are to install for some names, and their
// sizes. It leaves out names that install will reject.
func toInstall(names []string, force, noCompiler bool) (n int, sum plugins.Size) {
	add := func(s plugins.Size) {
		n++
		sum.Download += s.Download
		sum.Disk += s.Disk
	}
	known, err := plugins.Installed()
	if err != nil {
		return 0, sum
	}
	for _, name := range names {
		for _, p := range known {
			if p.Name != name {
				continue
			}
			if p.Path == "" || force {
				add(p.Size())
			}
			if s := p.CompilerSize(); s.Download > 0 && !noCompiler {
				if found, _ := plugins.FindCUDA(cmp.Or(p.Path, p.Name)); found.Compiler == "" {
					add(s)
				}
			}
		}
	}
	return n, sum
}

func listPlugins(out io.Writer) error {
	all, err := plugins.Installed()
	if err != nil {
		return err
	}
	rows := cli.Table{{"NAME", "PACKAGE", "DOWNLOAD", "UNPACKED", "INSTALLED"}}
	for _, p := range all {
		state, download, unpacked := "no", "-", "-"
		switch {
		case !p.Available:
			state = "only for " + strings.Join(p.Platforms(), " and ")
		case p.Path != "":
			state = "yes"
		}
		if p.Available {
			download, unpacked = size(p.Size().Download), size(p.Size().Disk)
		}
		rows = append(rows, []string{p.Name, p.Project + " " + p.Version, download, unpacked, state})
	}
	return rows.Write(out)
}
