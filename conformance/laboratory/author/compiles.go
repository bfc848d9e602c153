// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

var compilesCommand = command{"compiles", "[flags] REPORT", `
Makes the table of how many programs the checks of each rule compile, from which a run estimates how
long it will take. It reads a report of the profile quick on XLA's plugin for CPUs, which make
conformance writes, and prints the table, which is kept in conformance/internal/driver/compiles.tsv.
`, func(flags *flag.FlagSet) func(context.Context, []string) error {
	check := flags.String("check", "", "compare the report with the table in `FILE` instead, and fail if a rule is missing or a count is far off")
	return func(_ context.Context, args []string) error {
		if len(args) != 1 {
			return errors.New("name one report, such as bin/conformance.json")
		}
		rows, err := countCompiles(args[0])
		if err != nil {
			return err
		}
		if *check != "" {
			table, err := os.ReadFile(*check)
			if err != nil {
				return err
			}
			return compareCompiles(rows, string(table))
		}
		for _, r := range rows {
			fmt.Println(r)
		}
		return nil
	}
}}

// compiling says how many programs the checks of a rule compile.
type compiling struct {
	rule             string
	programs, checks int
}

func (r compiling) String() string { return fmt.Sprintf("%s\t%d\t%d", r.rule, r.programs, r.checks) }

// countCompiles makes the rows of a report.
func countCompiles(path string) ([]compiling, error) {
	r, err := report.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []compiling
	for _, x := range r.Results {
		if n := len(rows); n == 0 || rows[n-1].rule != x.Rule {
			rows = append(rows, compiling{rule: x.Rule})
		}
		last := &rows[len(rows)-1]
		last.programs += x.Compiles
		last.checks++
	}
	return rows, nil
}

// Some checks work for as long as time allows, and a program that several checks share counts for
// the first of them. So the counts of rules differ from run to run, those of a group of rules
// only a little, and their sum less.
const (
	share       = 4  // the count of a group may be off by a quarter
	atMost      = 3  // and by this many programs more
	shareOfAll  = 10 // the sum may be off by a tenth
	fewPrograms = 20 // a difference this small does not matter
)

// groupOf returns the group of a rule: CMP for CMP-01.
func groupOf(rule string) string { return (&rules.Rule{ID: rule}).Group() }

// compareCompiles says what is wrong with a table.
func compareCompiles(rows []compiling, table string) error {
	var wrong []error
	have := make(map[string]compiling)
	old, found := make(map[string]int), make(map[string]int) // programs, by group
	oldSum, sum := 0, 0
	for line := range strings.Lines(table) {
		var r compiling
		if _, err := fmt.Sscanf(line, "%s %d %d", &r.rule, &r.programs, &r.checks); err != nil {
			return fmt.Errorf("the line %q: %w", line, err)
		}
		have[r.rule] = r
		old[groupOf(r.rule)] += r.programs
		oldSum += r.programs
	}
	for _, r := range rows {
		if in, ok := have[r.rule]; !ok || in.checks != r.checks {
			wrong = append(wrong, fmt.Errorf("rule %s: the table says %d checks, the report %d", r.rule, in.checks, r.checks))
		}
		delete(have, r.rule)
		found[groupOf(r.rule)] += r.programs
		sum += r.programs
	}
	for rule := range have {
		wrong = append(wrong, fmt.Errorf("rule %s is only in the table", rule))
	}
	programs := func(of string, old, found, part, more int) {
		if max(old, found)-min(old, found) > max(old, found)/part+more {
			wrong = append(wrong, fmt.Errorf("%s: the table says %d programs, the report %d", of, old, found))
		}
	}
	for _, g := range slices.Sorted(maps.Keys(found)) {
		programs("the group "+g, old[g], found[g], share, atMost)
	}
	programs("all rules", oldSum, sum, shareOfAll, fewPrograms)
	if len(wrong) > 0 {
		wrong = append(wrong, errors.New("write the table again, as author compiles -h says"))
	}
	return errors.Join(wrong...)
}
