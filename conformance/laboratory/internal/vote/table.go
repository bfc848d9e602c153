// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package vote keeps a second witness for every value that checks expect of programs. The
// first witness is the suite's own evaluation. The second is the first of these to agree:
// StableHLO's reference interpreter, the same interpreter on a plainer text of the program,
// or an evaluation with NumPy. Poll asks them, and records in votes.tsv which of them agreed.
package vote

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/checks/numeric"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/programs"
	"github.com/purepjrt/purepjrt/conformance/internal/expect"
)

//go:embed votes.tsv
var votes string

// Witness says who agrees with a value that a check expects.
type Witness string

// The witnesses.
const (
	Interpreter Witness = "interpreter"
	Plain       Witness = "plain" // the interpreter, on the program's plain text
	NumPy       Witness = "numpy"
	One         Witness = "one"       // only the check itself
	Contested   Witness = "contested" // a witness disagrees with reason: no binding rule may rest on the value
)

// Row is the outcome of the vote on a program.
type Row struct {
	ID     string
	Digest string // of the program, its inputs and the expected results
	Witness
	Why string // why the witnesses asked earlier do not agree; empty for Interpreter
}

// Table holds the rows by ID.
type Table map[string]Row

// Votes returns the committed table.
func Votes() (Table, error) { return Parse(votes) }

// Parse reads a table: a row a line, with tabs between the columns.
func Parse(text string) (Table, error) {
	table := make(Table)
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 4 {
			return nil, fmt.Errorf("votes: expected 4 columns, got %d in %q", len(cells), line)
		}
		r := Row{cells[0], cells[1], Witness(cells[2]), cells[3]}
		if _, ok := table[r.ID]; ok {
			return nil, fmt.Errorf("votes: %s has two rows", r.ID)
		}
		if !slices.Contains([]Witness{Interpreter, Plain, NumPy, One, Contested}, r.Witness) {
			return nil, fmt.Errorf("votes: %s has the unknown witness %q", r.ID, r.Witness)
		}
		table[r.ID] = r
	}
	return table, nil
}

// String writes the table as Parse reads it.
func (t Table) String() string {
	var lines []string
	for _, r := range t {
		lines = append(lines, strings.Join([]string{r.ID, r.Digest, string(r.Witness), r.Why}, "\t")+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// Checks returns every check whose expected values are voted on.
func Checks() []expect.Check { return append(numeric.Expected(), programs.Expected()...) }
