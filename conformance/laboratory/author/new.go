// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

var newCommand = command{"new", "[flags] RULE, such as EVT-30", `
Begins a check. If there is no such rule yet, it adds a row for it to rules.json, and updates the
count in the tests. It writes a file with a check, and a mutant that the check must find, into the
package of the rule's group, and adds both to the lists of that package. Texts that are still to be
written are empty, and tests fail until they are filled in: at the end it prints what is left to
fill in, and how to try the check.
`, func(flags *flag.FlagSet) func(context.Context, []string) error {
	variant := flags.String("variant", "", "what distinguishes the check from others of the rule, such as `NAME` in EVT-10/NAME")
	severity := flags.String("severity", string(rules.Should), "the severity of a new rule: MUST, SHOULD, OPT or ROBUST")
	return func(_ context.Context, args []string) error {
		if len(args) != 1 {
			return errors.New("name one rule, such as EVT-30")
		}
		b := &beginning{rule: args[0], variant: *variant, severity: rules.Severity(*severity), read: os.ReadFile}
		files, err := b.files()
		if err == nil {
			err = writeFiles(files)
		}
		if err == nil {
			fmt.Print(b.next(files))
		}
		return err
	}
}}

// writeFiles writes all files, or none if the folder of one is missing.
func writeFiles(files map[string][]byte) error {
	for name := range files {
		if _, err := os.Stat(filepath.Dir(name)); err != nil {
			return fmt.Errorf("run it in the root of the repository: %w", err)
		}
	}
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// next says what is left to do.
func (b *beginning) next(files map[string][]byte) string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var s strings.Builder
	fmt.Fprintf(&s, "written: %s\n\nfill in:\n", strings.Join(names, " "))
	if b.added {
		fmt.Fprintf(&s, "  %s: the texts of %s, and its basis: H, E, X, V or I\n", rulesFile, b.rule)
	}
	fmt.Fprintf(&s, "  %s: what the check calls and expects, and a fault, as a text and as a hook\n\n", b.file)
	fmt.Fprintf(&s, "try it:\n  go run ./tools/pjrt-conformance run cpu --run '^%[1]s$'\n"+
		"  go run ./conformance/laboratory/author mutants -v -run '^%[1]s:'\n", b.check())
	fmt.Fprintf(&s, "  go test ./conformance/rules ./%s\n\n", filepath.ToSlash(filepath.Dir(b.file)))
	s.WriteString("before it lands:\n  make list, after which a MUST rule counts\n  make conformance, which compares the table of programs\n" +
		"  make artifacts ARTIFACTS='-add ...' and make votes, if it compiles a new program\n")
	return s.String()
}
