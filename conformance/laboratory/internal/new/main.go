// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command new begins a check of the conformance suite:
//
//	go run ./conformance/laboratory/internal/new [-variant NAME] [-severity SHOULD] RULE
//
// RULE is an id such as EVT-30. If there is no such rule yet, the command adds a row for it to
// rules.json, and updates the count in the tests. It writes a file with a check, and a mutant
// that the check must find, into the package of the rule's group, and adds both to the lists of
// that package. Texts that are still to be written are empty, and tests fail until they are
// filled in: at the end the command prints what is left to fill in, and how to try the check.
//
// Run it in the root of the repository.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

func main() {
	variant := flag.String("variant", "", "what distinguishes the check from others of the rule, such as `NAME` in EVT-10/NAME")
	severity := flag.String("severity", string(rules.Should), "the severity of a new rule: MUST, SHOULD, OPT or ROBUST")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: go run ./conformance/laboratory/internal/new [flags] RULE, such as EVT-30\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	b := &beginning{rule: flag.Arg(0), variant: *variant, severity: rules.Severity(*severity), read: os.ReadFile}
	files, err := b.files()
	if err == nil {
		err = write(files)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "new: %v\n", err)
		os.Exit(1)
	}
	fmt.Print(b.next(files))
}

// write writes all files, or none if the folder of one is missing.
func write(files map[string][]byte) error {
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
		"  go run ./conformance/laboratory/internal/mutants -v -run '^%[1]s:'\n", b.check())
	fmt.Fprintf(&s, "  go test ./conformance/rules ./%s\n", filepath.ToSlash(filepath.Dir(b.file)))
	return s.String()
}
