// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// Help returns the help of a command, for a terminal of some width.
func Help(cmd *cobra.Command, columns int) string {
	var b strings.Builder
	b.WriteString(Reflow(strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)), columns))
	b.WriteString("\nUsage:\n")
	if cmd.Runnable() && cmd.HasParent() || !cmd.HasAvailableSubCommands() {
		b.WriteString(WrapCommand("  "+cmd.UseLine(), columns) + "\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("  " + cmd.CommandPath() + " COMMAND\n")
	}
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(cmd.Example) {
			b.WriteString(WrapCommand(strings.TrimRight(line, "\n"), columns) + "\n")
		}
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				b.WriteString(Wrap(fmt.Sprintf("  %-*s  %s", c.NamePadding(), c.Name(), c.Short), columns) + "\n")
			}
		}
	}
	if cmd.HasAvailableLocalFlags() {
		b.WriteString("\nFlags:\n" + cmd.LocalFlags().FlagUsagesWrapped(columns))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n" + Wrap(cmd.CommandPath()+" COMMAND --help shows more about a command.", columns) + "\n")
	}
	return b.String()
}

// helpColumns returns the width of help: that of the terminal, and without one that of the
// environment variable COLUMNS, which only help heeds, so that other output is the same everywhere.
func helpColumns(stdout io.Writer) int {
	const narrowest, widest = 20, 1000 // otherwise the variable means something else
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if TerminalOf(stdout) != nil || err != nil || n < narrowest || n > widest {
		return Columns(stdout)
	}
	return n
}
