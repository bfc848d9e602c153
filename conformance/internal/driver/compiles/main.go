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
	"os"
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
// the first of them: so the counts of rules differ from run to run, but their sum only a little.
const (
	share       = 4  // the count of a rule may be off by a quarter
	atMost      = 3  // and by this many programs more
	shareOfAll  = 10 // the sum may be off by a tenth
	fewPrograms = 20 // a difference this small does not matter
)

func off(a, b int) int { return max(a-b, b-a) }

// compare says what is wrong with a table.
func compare(rows []row, table string) error {
	var wrong []error
	have := make(map[string]row)
	for line := range strings.Lines(table) {
		var r row
		if _, err := fmt.Sscanf(line, "%s %d %d", &r.rule, &r.programs, &r.checks); err != nil {
			return fmt.Errorf("the line %q: %w", line, err)
		}
		have[r.rule] = r
	}
	var all [2]int // of the table, and of the report
	for _, r := range rows {
		old, ok := have[r.rule]
		delete(have, r.rule)
		all[0], all[1] = all[0]+old.programs, all[1]+r.programs
		if !ok || old.checks != r.checks || off(r.programs, old.programs) > max(r.programs, old.programs)/share+atMost {
			wrong = append(wrong, fmt.Errorf("rule %s: the table says %d programs of %d checks, the report %d of %d",
				r.rule, old.programs, old.checks, r.programs, r.checks))
		}
	}
	for rule := range have {
		wrong = append(wrong, fmt.Errorf("rule %s is only in the table", rule))
	}
	if off(all[0], all[1]) > max(all[0], all[1])/shareOfAll+fewPrograms {
		wrong = append(wrong, fmt.Errorf("all rules: the table says %d programs, the report %d", all[0], all[1]))
	}
	if len(wrong) > 0 {
		wrong = append(wrong, errors.New("write the table again, as this command's comment says"))
	}
	return errors.Join(wrong...)
}
