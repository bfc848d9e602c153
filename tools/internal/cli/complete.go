// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cli

import (
	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// CompletePlugins completes the name of a plugin that is on this machine, for cobra. Shells also
// complete files, which may be plugins.
func CompletePlugins(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
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

// CompleteFlag lets shells complete the value of a flag, which is one of some values.
func CompleteFlag(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the command has no such flag
	}
}
