// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// completePackages completes the name of a plugin that can be installed.
func completePackages(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var list []string
	for _, p := range plugins.Packages() {
		list = append(list, fmt.Sprintf("%s\t%s %s", p.Name, p.Project, p.Version))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// addCompletions lets shells complete the plugin arguments of all commands below root.
func addCompletions(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Flags().Lookup("plugin") != nil {
			// This fails for flags that do not exist or already have a completion.
			_ = cmd.RegisterFlagCompletionFunc("plugin", cli.CompletePlugins)
		}
		switch cmd.Name() {
		case "install", "uninstall":
			cmd.ValidArgsFunction = completePackages
		case "list", "info":
			cmd.ValidArgsFunction = cli.CompletePlugins
		}
	}
}
