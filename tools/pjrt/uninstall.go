// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func uninstallCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall NAME...",
		Short: "Remove installed plugins",
		Long: `Uninstall removes plugins that pjrt install installed. Programs that have loaded
them can use them until they end. It does not remove plugins that belong to Python
packages or to the system.`,
		Example: "  pjrt uninstall tpu@0.0.2",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			for _, name := range names {
				bytes, err := plugins.Uninstall(cmd.Context(), name, plugins.InstallOptions{Progress: cmd.ErrOrStderr()})
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: removed, %s\n", name, size(bytes)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// size returns a number of bytes in human-readable form, with decimal units such as MB.
func size(bytes int64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	value, unit := float64(bytes), 0
	for ; value >= 999.5; unit++ {
		value /= 1000
	}
	return fmt.Sprintf("%.3g %cB", value, " kMGTPE"[unit])
}
