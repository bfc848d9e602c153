// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/outside"
)

// Outcome is what becomes of a user action. A greater one is worse.
type Outcome byte

// The outcomes.
const (
	NotCalled    Outcome = iota // the action does not call the function
	Unreached                   // the client could not start, so the action was not taken
	Harmless                    // the action does what it does without the fault
	Changed                     // the action succeeds, and what it shows the user differs
	Exception                   // the action raises an exception that it does not raise without the fault
	WrongNumbers                // the action succeeds, and its numbers are wrong
	Hang                        // the action does not end
	Ended                       // the process ends
)

// letters are the outcomes as profiles write them.
const letters = "-*.cEWHD"

// String returns the outcome in words.
func (o Outcome) String() string {
	return [...]string{"not called", "not reached", "harmless", "changed", "exception", "wrong numbers", "hang", "process ended"}[o]
}

// Mode is what is wrong with a function, or with a plugin.
type Mode string

// The modes.
const (
	Null          Mode = "null"          // the function's slot is null
	Unimplemented Mode = "unimplemented" // the function returns UNIMPLEMENTED
	Fails         Mode = "fails"         // the function returns INTERNAL
	Absent        Mode = "absent"        // the extension is not in the chain
	Older         Mode = "older"         // the plugin has an older API minor, with which its table ends
)

// Baseline is the subject of the row for a plugin without faults.
const Baseline = "-"

// The mode of that row.
const (
	whole Mode = "whole"
)

// modes are the modes that rows may have.
var modes = []Mode{Null, Unimplemented, Fails, Absent, Older, whole}

// Row is what becomes of each user action if one thing is wrong.
type Row struct {
	// Subject is the C name of a function, the name of an extension, or, for the mode Older, a
	// version such as 0.70.
	Subject  string
	Mode     Mode
	Outcomes []Outcome // of each action of the profile
	// Instead has the functions that the client calls in this case only.
	Instead []string
	// Why is the reason that the first action of the worst outcome gives.
	Why string
}

// Profile is what one version of a client does with a plugin that lacks something.
type Profile struct {
	Client  string   // such as jax@0.8.1
	With    []string // versions of all that was measured
	Actions []string // in the order in which a process takes them; the last is its end
	// Calls has the functions that the client calls, with the number of calls in each action.
	Calls map[string][]int
	Rows  []Row
	// OffHost is what the client does if the plugin says that its buffers are not in the host's
	// memory, as plugins for accelerators do: JAX reads buffers in place otherwise, and calls
	// functions for that. It has only calls and rows, and only the rows of functions whose calls
	// differ; it is nil if that was not measured. See At.
	OffHost *Profile
}

// At returns what the client does with a plugin whose buffers are in the host's memory or, with
// offHost, are not. Where a row was not measured off the host, the one that was measured on it
// stands for it, in the actions that call the function there. An action that calls the function
// only off the host gets the worst outcome of the others. If nothing was measured off the host, At
// returns p.
func (p *Profile) At(offHost bool) *Profile {
	if !offHost || p.OffHost == nil {
		return p
	}
	at := *p.OffHost
	at.Client, at.With, at.Actions, at.Rows = p.Client, p.With, p.Actions, slices.Clone(p.OffHost.Rows)
	for _, r := range p.Rows {
		if at.Row(r.Subject, r.Mode) != nil {
			continue
		}
		if here, ok := p.Calls[r.Subject]; ok {
			r.Outcomes = elsewhere(r.Outcomes, here, at.Calls[r.Subject])
		}
		at.Rows = append(at.Rows, r)
	}
	return &at
}

// elsewhere returns the outcomes of the fault of a function for other calls than those with which
// they were measured.
func elsewhere(outcomes []Outcome, here, there []int) []Outcome {
	out := make([]Outcome, len(outcomes)) // NotCalled
	if there == nil {
		return out
	}
	for i := range out {
		switch {
		case there[i] == 0 && there[0] == 0:
		case there[i] == 0 || here[i] > 0:
			out[i] = outcomes[i]
		default:
			out[i] = slices.Max(outcomes)
		}
	}
	return out
}

// Row returns the row of a subject and a mode, or nil.
func (p *Profile) Row(subject string, m Mode) *Row {
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Subject == subject && r.Mode == m {
			return r
		}
	}
	return nil
}

// Whole returns the row for the plugin that profiles are measured with, without faults.
func (p *Profile) Whole() *Row { return p.Row(Baseline, whole) }

// SetWhole adds that row.
func (p *Profile) SetWhole(outcomes []Outcome, why string) {
	p.Set(Row{Subject: Baseline, Mode: whole, Outcomes: outcomes, Why: why})
}

// Set adds a row, or replaces the one with the same subject and mode.
func (p *Profile) Set(r Row) {
	if old := p.Row(r.Subject, r.Mode); old != nil {
		*old = r
		return
	}
	p.Rows = append(p.Rows, r)
}

// Functions returns the names of the functions that the client calls, sorted.
func (p *Profile) Functions() []string {
	var names []string
	for f := range p.Calls {
		names = append(names, f)
	}
	slices.Sort(names)
	return names
}

const callsMode = "calls"

// Write writes the profile as tab-separated lines, in a fixed order.
func (p *Profile) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s with %s\n", p.Client, strings.Join(p.With, ", "))
	fmt.Fprintf(b, "subject\tmode\toutcomes\tinstead\twhy: %s\n", strings.Join(p.Actions, " "))
	p.writeRows(b, "")
	if p.OffHost != nil {
		p.OffHost.writeRows(b, offHost)
	}
	return b.Flush()
}

// offHost follows the mode of a row that was measured with buffers that are not in the host's
// memory.
const offHost = "@off-host"

// writeRows writes calls and rows, with the condition under which they were measured.
func (p *Profile) writeRows(b *bufio.Writer, condition string) {
	for _, f := range p.Functions() {
		var n []string
		for _, c := range p.Calls[f] {
			n = append(n, fmt.Sprint(c))
		}
		fmt.Fprintf(b, "%s\t%s\t%s\n", f, callsMode+condition, strings.Join(n, " "))
	}
	rows := slices.Clone(p.Rows)
	slices.SortFunc(rows, inOrder)
	for _, r := range rows {
		line := strings.Join([]string{r.Subject, string(r.Mode) + condition, marks(r.Outcomes), strings.Join(r.Instead, " "), r.Why}, "\t")
		fmt.Fprintln(b, strings.TrimRight(line, "\t"))
	}
}

// inOrder compares the places of two rows in a file.
func inOrder(a, b Row) int {
	return strings.Compare(a.Subject+"\t"+string(a.Mode), b.Subject+"\t"+string(b.Mode))
}

// Read is the reverse of Write.
func Read(r io.Reader) (*Profile, error) {
	p := &Profile{Calls: make(map[string][]int)}
	lines := bufio.NewScanner(outside.Reader(r))
	for n := 1; lines.Scan(); n++ {
		if err := p.line(n, lines.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(p.Actions) == 0 || p.Whole() == nil {
		return nil, errors.New("it is not a profile: it lacks the actions, or the row of a plugin that lacks nothing")
	}
	return p, nil
}

func (p *Profile) line(n int, text string) error {
	fields := strings.Split(text, "\t")
	switch {
	case n == 1:
		client, with, ok := strings.Cut(strings.TrimPrefix(text, "# "), " with ")
		if !ok {
			return errors.New("it does not say what was measured")
		}
		p.Client, p.With = client, strings.Split(with, ", ")
		return nil
	case n == 2:
		_, actions, ok := strings.Cut(text, "why: ")
		if !ok {
			return errors.New("it does not name the actions")
		}
		p.Actions = strings.Fields(actions)
		return nil
	case len(fields) < 3:
		return fmt.Errorf("it has %d fields: a subject, a mode and outcomes are needed", len(fields))
	}
	if mode, ok := strings.CutSuffix(fields[1], offHost); ok {
		if p.OffHost == nil {
			p.OffHost = &Profile{Client: p.Client, Actions: p.Actions, Calls: make(map[string][]int)}
		}
		fields[1] = mode
		return p.OffHost.row(fields)
	}
	return p.row(fields)
}

// row reads the fields of a line about calls or outcomes.
func (p *Profile) row(fields []string) error {
	if fields[1] == callsMode {
		counts := make([]int, 0, len(p.Actions))
		for word := range strings.FieldsSeq(fields[2]) {
			c, err := strconv.Atoi(word)
			if err != nil {
				return fmt.Errorf("%q is not a count", excerpt.Of(word))
			}
			counts = append(counts, c)
		}
		if len(counts) != len(p.Actions) {
			return fmt.Errorf("it has %d counts for %d actions", len(counts), len(p.Actions))
		}
		p.Calls[fields[0]] = counts
		return nil
	}
	row := Row{Subject: fields[0], Mode: Mode(fields[1])}
	switch {
	case row.Subject == "":
		return errors.New("it does not name what is wrong")
	case !slices.Contains(modes, row.Mode):
		return fmt.Errorf("%q is not a mode: the modes are %v", excerpt.Of(fields[1]), modes)
	case len(p.Rows) > 0 && inOrder(p.Rows[len(p.Rows)-1], row) >= 0:
		return errors.New("it is there twice, or the rows are not sorted")
	}
	var err error
	if row.Outcomes, err = parseMarks(fields[2]); err != nil {
		return err
	}
	if len(row.Outcomes) != len(p.Actions) {
		return fmt.Errorf("it has %d outcomes for %d actions", len(row.Outcomes), len(p.Actions))
	}
	if len(fields) > 3 {
		row.Instead = strings.Fields(fields[3])
	}
	if len(fields) > 4 {
		row.Why = strings.Join(fields[4:], " ")
	}
	p.Rows = append(p.Rows, row)
	return nil
}
