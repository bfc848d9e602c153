// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/conformance/lists"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func listsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lists [LIST]",
		Short: "Print the lists of checks by which plugins are judged",
		Long: `Lists prints how many checks each list has for each level. With the name of a list
it prints the names of the checks, level by level; checks that the previous list
does not have are marked as new.

A list never changes, so a level that a plugin has reached keeps its meaning.`,
		Example: "  pjrt-conformance lists\n  pjrt-conformance lists 2026.11",
		Args:    cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return printLists(cmd.OutOrStdout())
			}
			l, err := lists.ByName(args[0])
			if err != nil {
				return cli.UsageError(err)
			}
			return printList(cmd.OutOrStdout(), l, l.Before())
		},
	}
}

func printLists(out io.Writer) error {
	t := cli.Table{append([]string{"LIST", "CHECKS", "NEW"}, report.LevelNames()...)}
	for _, l := range lists.All() {
		row := []string{l.Name, strconv.Itoa(len(l.Checks())), strconv.Itoa(len(l.New(l.Before())))}
		counts := l.Counts()
		for _, level := range report.LevelNames() {
			row = append(row, strconv.Itoa(counts[level]))
		}
		t = append(t, row)
	}
	return t.Write(out)
}

// printList prints a list, and marks what is new since the older one, if there is one.
func printList(out io.Writer, l, older *lists.List) error {
	w := bufio.NewWriter(out)
	isNew := make(map[string]bool)
	if older != nil {
		for _, c := range l.New(older) {
			isNew[c] = true
		}
		fmt.Fprintf(w, "%s: %d checks, %d of them new since %s\n", l.Name, len(l.Checks()), len(isNew), older.Name)
	} else {
		fmt.Fprintf(w, "%s: %d checks\n", l.Name, len(l.Checks()))
	}
	level := ""
	for _, c := range l.Checks() {
		if l.Level(c) != level {
			level = l.Level(c)
			fmt.Fprintf(w, "\n%s\n", level)
		}
		if isNew[c] {
			fmt.Fprintf(w, "  %s (new)\n", c)
		} else {
			fmt.Fprintf(w, "  %s\n", c)
		}
	}
	return w.Flush()
}
