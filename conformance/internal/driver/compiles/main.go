// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command compiles makes the table of how many programs the checks of each rule compile, from
// which a run estimates how long it will take. It reads a report of the profile quick on XLA's
// plugin for CPUs, which make conformance writes, and prints the table:
//
//	go run ./conformance/internal/driver/compiles bin/conformance.json >conformance/internal/driver/compiles.tsv
//
// With -check FILE it compares the report with the table in the file instead, and fails if a rule
// is missing or a count is far off.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/report"
)

func main() {
	check := flag.String("check", "", "compare with this table, and print nothing if it is right")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: compiles [-check TABLE.tsv] REPORT.json")
		os.Exit(2)
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
	}
	if err := run(flag.Arg(0), *check); err != nil {
		fmt.Fprintln(os.Stderr, "compiles:", err)
		os.Exit(1)
	}
}

func run(path, check string) error {
	rows, err := count(path)
	if err != nil {
		return err
	}
	if check != "" {
		text, err := os.ReadFile(check)
		if err != nil {
			return err
		}
		return compare(rows, string(text))
	}
	for _, r := range rows {
		fmt.Println(r)
	}
	return nil
}

// row says how many programs the checks of a rule compile.
type row struct {
	rule             string
	programs, checks int
}

func (r row) String() string { return fmt.Sprintf("%s\t%d\t%d", r.rule, r.programs, r.checks) }

// count makes the rows of a report.
func count(path string) ([]row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := report.Read(f)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, x := range r.Results {
		if n := len(rows); n == 0 || rows[n-1].rule != x.Rule {
			rows = append(rows, row{rule: x.Rule})
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

// group returns the group of a rule: CMP for CMP-01.
func group(rule string) string {
	g, _, _ := strings.Cut(rule, "-")
	return g
}

func off(a, b int) int { return max(a-b, b-a) }

// compare says what is wrong with a table.
func compare(rows []row, table string) error {
	var wrong []error
	have := make(map[string]row)
	old, found := make(map[string]int), make(map[string]int) // programs, by group
	oldSum, sum := 0, 0
	for line := range strings.Lines(table) {
		var r row
		if _, err := fmt.Sscanf(line, "%s %d %d", &r.rule, &r.programs, &r.checks); err != nil {
			return fmt.Errorf("the line %q: %w", line, err)
		}
		have[r.rule] = r
		old[group(r.rule)] += r.programs
		oldSum += r.programs
	}
	for _, r := range rows {
		if in, ok := have[r.rule]; !ok || in.checks != r.checks {
			wrong = append(wrong, fmt.Errorf("rule %s: the table says %d checks, the report %d", r.rule, in.checks, r.checks))
		}
		delete(have, r.rule)
		found[group(r.rule)] += r.programs
		sum += r.programs
	}
	for rule := range have {
		wrong = append(wrong, fmt.Errorf("rule %s is only in the table", rule))
	}
	programs := func(of string, old, found, part, more int) {
		if off(old, found) > max(old, found)/part+more {
			wrong = append(wrong, fmt.Errorf("%s: the table says %d programs, the report %d", of, old, found))
		}
	}
	for _, g := range slices.Sorted(maps.Keys(found)) {
		programs("the group "+g, old[g], found[g], share, atMost)
	}
	programs("all rules", oldSum, sum, shareOfAll, fewPrograms)
	if len(wrong) > 0 {
		wrong = append(wrong, errors.New("write the table again, as this command's comment says"))
	}
	return errors.Join(wrong...)
}
