// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// helpOf returns the help of a command, for a terminal of some width.
func helpOf(cmd *cobra.Command, columns int) string {
	var b strings.Builder
	b.WriteString(reflow(strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)), columns))
	b.WriteString("\nUsage:\n")
	if cmd.Runnable() && cmd.HasParent() || !cmd.HasAvailableSubCommands() {
		b.WriteString(wrapCommand("  "+cmd.UseLine(), columns) + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("  " + cmd.CommandPath() + " COMMAND\n")
	}
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(cmd.Example) {
			b.WriteString(wrapCommand(strings.TrimRight(line, "\n"), columns) + "\n")
		}
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				b.WriteString(wrapLine(fmt.Sprintf("  %-*s  %s", cmd.NamePadding(), c.Name(), c.Short), columns) + "\n")
			}
		}
	}
	if cmd.HasAvailableLocalFlags() {
		b.WriteString("\nFlags:\n" + cmd.LocalFlags().FlagUsagesWrapped(columns))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n" + wrapLine(cmd.CommandPath()+" COMMAND --help shows more about a command.", columns) + "\n")
	}
	return b.String()
}

// completePlugins completes the name of a plugin that is on this machine. Shells also complete files, which may be plugins.
func completePlugins(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	found, err := plugins.List(cmd.Context(), plugins.ListOptions{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	seen := make(map[string]bool)
	var list []string
	for _, c := range found {
		for _, name := range []string{c.Name, c.Platform} {
			if name != "" && !seen[name] && c.Problem == nil {
				seen[name] = true
				list = append(list, name+"\t"+c.Path)
			}
		}
	}
	return list, cobra.ShellCompDirectiveDefault
}

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
		for _, flag := range []string{"plugin", "against"} {
			if cmd.Flags().Lookup(flag) != nil {
				// This fails for flags that do not exist or already have a completion.
				_ = cmd.RegisterFlagCompletionFunc(flag, completePlugins)
			}
		}
		switch cmd.Name() {
		case "install", "uninstall":
			cmd.ValidArgsFunction = completePackages
		case "list", "info":
			cmd.ValidArgsFunction = completePlugins
		}
	}
}
