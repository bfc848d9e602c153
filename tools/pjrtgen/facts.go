// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/spf13/cobra"
)

func newFactsCommand() *cobra.Command {
	var opts header.Options
	cmd := &cobra.Command{
		Use:   "facts [-I DIR]... HEADER",
		Short: "Print what a header declares as one JSON document",
		Long: `Facts prints what a header declares as one JSON document: macros, enums,
opaque types, structs with their layout on x86-64 Linux, functions, callbacks
and the tables of function slots. Included files are looked up in the directories
of -I and in those above the header. They may be missing if no size depends on
them.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return header.Facts(cmd.OutOrStdout(), args[0], opts)
		},
	}
	cmd.Flags().StringArrayVarP(&opts.IncludeDirs, "include", "I", nil, "directory of included files (repeatable)")
	return cmd
}
