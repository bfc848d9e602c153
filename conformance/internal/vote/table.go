// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package vote keeps the second witness of every value that checks expect of programs.
// The first one is the suite's own evaluation. The second one is, in this order,
// StableHLO's reference interpreter, the same of a plainer text of the program, and an
// evaluation with NumPy. Command poll asks them, and writes down in votes.tsv who agreed.
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

// Witness is who agrees with a value that a check expects.
type Witness string

// The witnesses.
const (
	Interpreter Witness = "interpreter"
	Plain       Witness = "plain" // the interpreter, of the program's plain text
	NumPy       Witness = "numpy"
	One         Witness = "one"       // nobody but the check itself
	Contested   Witness = "contested" // somebody says otherwise with reason: no binding rule may rest on it
)

// Row is what came of a vote on a program.
type Row struct {
	ID     string
	Digest string // of the program, its inputs and the results expected
	Witness
	Why string // why a witness that is asked earlier does not agree; empty for Interpreter
}

// Table is the rows by ID.
type Table map[string]Row

// Votes returns the table that is committed.
func Votes() (Table, error) { return Parse(votes) }

// Parse reads a table, of which each line is a row with tabs between the columns.
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

// String is the reverse of Parse.
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
