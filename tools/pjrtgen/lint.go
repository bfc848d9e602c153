// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/lint"
	"github.com/purepjrt/purepjrt/third_party/xla"
)

func newLintCommand() *cobra.Command {
	opts := header.Options{Fallback: xla.Headers}
	var against string
	cmd := &cobra.Command{
		Use:   "lint HEADER",
		Short: "Say what is wrong with a header of PJRT or of an extension",
		Long: `Lint prints a line for each fault of a header: where it is, what is wrong, what to do
about it, and the name of the rule:

  no-struct-size    a struct of arguments or options, a table or an extension that
                    cannot say how large it is, so it can never grow
  struct-size-late  a struct_size that is not the first field, or not a size_t
  no-size-constant  no constant says what to put into struct_size
  missing-field     such a constant names a field that the struct does not have
  stale-size        such a constant does not end with the last field
  hidden-size       such a constant has the name of a macro
  hole              padding between fields: nobody clears it, so no field can ever
                    use it

With --against it also compares the header with an older version of it:

  renumbered        an enumerator has another number, or one that was in use
  inserted          a field or function stands before older ones
  moved             a field or function is at another offset
  broken            anything else that breaks the ABI; pjrtgen diff says more

A released header has to stay as it is, with its faults, unless every program and
plugin is rebuilt. Included files are looked up in the directories of -I, in those
above the header, beside it, and finally among the copies in this command.

The exit status is 0 if there are no faults, and 1 if there are, or if a header
cannot be read.`,
		Example: `  pjrtgen lint my_extension.h
  pjrtgen lint --against v1/my_extension.h v2/my_extension.h`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLint(cmd.OutOrStdout(), args[0], against, opts)
		},
	}
	cmd.Flags().StringArrayVarP(&opts.IncludeDirs, "include", "I", nil, "directory of included files (repeatable)")
	cmd.Flags().StringVar(&against, "against", "", "older version of the header")
	return cmd
}

func runLint(w io.Writer, file, against string, opts header.Options) error {
	text, err := header.Read(file)
	if err != nil {
		return err
	}
	h, found, err := lint.Text(file, text, opts)
	if err != nil {
		return err
	}
	if h != nil && against != "" {
		older, err := header.Parse(against, opts)
		if err != nil {
			return err
		}
		broken, err := lint.Against(older, h)
		if err != nil {
			return err
		}
		found = append(found, broken...)
		slices.SortStableFunc(found, lint.Compare)
	}
	for _, f := range found {
		if _, err := fmt.Fprintf(w, "%s:%d:%d: %s\n", file, f.Pos.Line, f.Pos.Col, f); err != nil {
			return fmt.Errorf("cannot write the findings: %w", err)
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("%s in %s", count(len(found), "fault"), file)
	}
	return nil
}
