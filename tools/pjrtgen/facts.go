// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
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
each difference, and fails if there are any. A file with what changed since an older
version, as some of third_party/xla/facts are, must lie beside that version's folder.`,
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
	measured, err := measuredFacts(against)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := header.Facts(&text, file, opts); err != nil {
		return err
	}
	var printed map[string]any
	if err := json.Unmarshal(text.Bytes(), &printed); err != nil {
		return err
	}
	diffs := facts.Missing(printed, measured)
	for _, d := range diffs {
		fmt.Fprintln(w, strings.TrimPrefix(d, "."))
	}
	if len(diffs) > 0 {
		return fmt.Errorf("%s differs from %s in %s", file, against, count(len(diffs), "place"))
	}
	return nil
}

// measuredFacts reads a file of facts. A file that holds only what changed since an older version
// is put together with the facts of that version, in the folder beside its own.
func measuredFacts(file string) (map[string]any, error) {
	doc, err := facts.ReadDocument(file)
	if err != nil {
		return nil, err
	}
	base, ok := doc["base"]
	if !ok {
		return doc, nil
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	folder, header := filepath.Base(filepath.Dir(abs)), fmt.Sprint(doc["path"])
	if minor, ok := strings.CutPrefix(folder, "0."); ok {
		if n, err := strconv.Atoi(minor); err == nil {
			state, err := facts.At(filepath.Dir(filepath.Dir(abs)), n)
			if err != nil {
				return nil, err
			}
			if state.Versions[header] == folder && state.Files[header] == filepath.Base(abs) {
				return state.Docs[header], nil
			}
		}
	}
	return nil, fmt.Errorf("%s: it holds only what changed since API %v: it must lie in the folder of its version, beside the folders of "+
		"the versions before it, as in third_party/xla/facts", file, base)
}
