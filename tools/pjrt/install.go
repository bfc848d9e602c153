// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

func installCommand() *cobra.Command {
	var opts plugins.InstallOptions
	cmd := &cobra.Command{
		Use:   "install [NAME...]",
		Short: "Install plugins, or list the known ones",
		Long: `Install downloads plugins with pip, verifies the SHA-256 that this version of
pjrt pins them to, and unpacks them into the user's cache directory. It prints
the path of each library. It does not download installed plugins again. pip goes on
with a download that was cut, if it is version 25.1 or newer.

The plugins for CUDA compile with ptxas and libdevice of CUDA. If these are not on
this machine, install says which Python packages have them.

Without a name it lists the plugins that can be installed, and where the
installed ones are.`,
		Example: "  pjrt install cpu",
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 {
				return listPlugins(cmd.OutOrStdout())
			}
			opts.Progress = cmd.ErrOrStderr()
			meter := newByteMeter(cmd.ErrOrStderr())
			if meter != nil {
				opts.Meter, opts.Progress = meter.show, meter.above(opts.Progress)
			}
			for _, name := range names {
				library, err := plugins.Install(cmd.Context(), name, opts)
				meter.end()
				if err != nil {
					return err
				}
				if found, missing := plugins.FindCUDA(library); found.Compiler == "" && len(missing) > 0 {
					fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", name, missing[0])
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), library); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&opts.Force, "force", false, "install a plugin again even if it is installed already")
	cmd.Flags().StringVar(&opts.Python, "python", "", "the Python `COMMAND` whose pip downloads (default python3)")
	return cmd
}

func listPlugins(out io.Writer) error {
	all, err := plugins.Installed()
	if err != nil {
		return err
	}
	rows := table{{"NAME", "PACKAGE", "PLATFORMS", "INSTALLED"}}
	for _, p := range all {
		state := p.Path
		switch {
		case state != "":
		case p.Available:
			state = "no"
		default:
			state = "not for this platform"
		}
		rows = append(rows, []string{p.Name, p.Project + " " + p.Version, strings.Join(p.Platforms(), ","), state})
	}
	return rows.write(out)
}
