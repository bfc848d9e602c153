// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/spf13/cobra"
)

func newFactsCommand() *cobra.Command {
	var opts header.Options
	var against string
	cmd := &cobra.Command{
		Use:   "facts [-I DIR]... [--against FACTS] HEADER",
		Short: "Print what a header declares as one JSON document",
		Long: `Facts prints what a header declares as one JSON document: macros, enums,
opaque types, structs with their layout on x86-64 Linux, functions, callbacks
and the tables of function slots. Included files are looked up in the directories
of -I and in those above the header. C++ headers may be missing.
Conditions hold as they do for gcc without options.

With --against it prints only how the header differs from measured facts, a line for
each difference, and fails if there are any.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if against == "" {
				return header.Facts(cmd.OutOrStdout(), args[0], opts)
			}
			return compareFacts(cmd.OutOrStdout(), args[0], opts, against)
		},
	}
	cmd.Flags().StringArrayVarP(&opts.IncludeDirs, "include", "I", nil, "directory of included files (repeatable)")
	cmd.Flags().StringVar(&against, "against", "", "file of measured facts to compare the header with")
	return cmd
}

func compareFacts(w io.Writer, file string, opts header.Options, against string) error {
	measured, err := os.ReadFile(against)
	if err != nil {
		return fmt.Errorf("cannot read the measured facts: %w", err)
	}
	var printed bytes.Buffer
	if err := header.Facts(&printed, file, opts); err != nil {
		return err
	}
	diffs, err := facts.Compare(printed.Bytes(), measured)
	if err != nil {
		return fmt.Errorf("%s: %w", against, err)
	}
	for _, d := range diffs {
		fmt.Fprintln(w, strings.TrimPrefix(d, "."))
	}
	if len(diffs) > 0 {
		return fmt.Errorf("%s differs from %s in %d places", file, against, len(diffs))
	}
	return nil
}
