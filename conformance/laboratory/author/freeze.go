// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/lists"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

var freezeCommand = command{"freeze", "[flags] YEAR.MONTH, such as 2026.12", `
Makes a new list from the checks that the suite has, and prints what is new in it. Lists never
change, so the new one must be newer than all others. Only the newest one can be made again, with
-again, as long as no release has it.
`, func(flags *flag.FlagSet) func(context.Context, []string) error {
	again := flags.Bool("again", false, "make the newest list again, as long as no release has it")
	return func(_ context.Context, args []string) error {
		if len(args) != 1 {
			return errors.New("name one month, such as 2026.12")
		}
		added, err := freeze(filepath.Join("conformance", "lists"), args[0], *again)
		if err == nil {
			fmt.Println(added)
		}
		return err
	}
}}

// freeze writes a list into a folder, with its digest, and returns what is new in it.
func freeze(folder, name string, again bool) (string, error) {
	older := lists.Newest()
	switch {
	case !lists.Named(name):
		return "", fmt.Errorf("%q is not a month, such as 2026.12", name)
	case again && name != older.Name:
		return "", fmt.Errorf("the newest list is %s: only that one can be made again", older.Name)
	case again:
		older = older.Before()
	case name <= older.Name:
		return "", fmt.Errorf("the newest list is %s, and lists never change: name a later month", older.Name)
	}
	text := lists.Format(name, report.LevelNames(), binding())
	list, err := lists.Parse(name, text)
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(folder, lists.Sums))
	if err != nil {
		return "", err
	}
	file := name + ".txt"
	var lines []string
	for line := range strings.Lines(string(sums)) {
		if !strings.HasSuffix(line, "  "+file+"\n") {
			lines = append(lines, line)
		}
	}
	lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), file))
	if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, lists.Sums), []byte(strings.Join(lines, "")), 0o644); err != nil {
		return "", err
	}
	if older == nil {
		return fmt.Sprintf("%s: %d checks, the first list", name, len(list.Checks())), nil
	}
	added := list.New(older)
	summary := fmt.Sprintf("%s: %d checks, %d of them new since %s", name, len(list.Checks()), len(added), older.Name)
	return strings.Join(append([]string{summary}, added...), "\n  "), nil
}

// binding returns the suite's binding checks, in the order of the contract.
func binding() []lists.Check {
	var list []lists.Check
	config := driver.Config{Checks: suite.Checks(), Profile: check.Full}
	for _, c := range driver.Choose(&config) {
		if rule := rules.ByID(c.Rule); rule.Severity.Binding() {
			list = append(list, lists.Check{Name: c.Name(), Level: report.LevelOf(rule, c.Library)})
		}
	}
	return list
}
