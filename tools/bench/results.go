// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
)

// Results are the results of a run, in the form of the committed file.
type Results struct {
	Machine Machine `json:"machine"`
	Jobs    Machine `json:"jobs_machine"` // of the rows of jobs
	Rows    []*Row  `json:"rows"`
}

// Machine describes where results are from. It is empty without results.
type Machine struct {
	Processor string            `json:"processor"`
	Cores     int               `json:"cores"`
	Versions  map[string]string `json:"versions"` // of the programs that took part
}

// Row is one measured row.
type Row struct {
	Name  string           `json:"name"`
	Cells map[string]*Cell `json:"cells"` // by program
	// Parts are what a size consists of, in bytes, or a start, in nanoseconds.
	Parts map[string]float64 `json:"parts,omitempty"`
}

// Cell is the result of one program in a row.
type Cell struct {
	Nanoseconds Quartiles  `json:"ns"`               // of one operation, or in the row's unit
	Ratio       *Quartiles `json:"ratio,omitempty"`  // to C in the same round
	OfJAX       *Quartiles `json:"of_jax,omitempty"` // ratio to JAX in the same round
	Allocs      *float64   `json:"allocs,omitempty"`
	Bytes       *float64   `json:"bytes,omitempty"`
	// Memory is the most that the process had at once, in bytes, or 0. Only jobs have it.
	Memory float64 `json:"memory,omitempty"`
}

// row returns the row of that name, or nil if r has none.
func (r *Results) row(name string) *Row {
	for _, row := range r.Rows {
		if row.Name == name {
			return row
		}
	}
	return nil
}

// read reads results. It returns empty results if the file does not exist.
func read(path string) (*Results, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return new(Results), nil
	} else if err != nil {
		return nil, err
	}
	r := new(Results)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func (r *Results) write(path string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// machine returns where a row is from.
func (r *Results) machine(of row) Machine {
	if group(of.name) == jobs {
		return r.Jobs
	}
	return r.Machine
}

// merged returns the rows of newer, and those of older that newer lacks, in the order of the table.
// Rows that no longer exist are left out, and so are older rows where newer has some from another
// machine: of jobs, or of all others.
func merged(older, newer *Results) *Results {
	m := &Results{Machine: older.Machine.and(newer.Machine), Jobs: older.Jobs.and(newer.Jobs)}
	for _, r := range rows {
		if row := newer.row(r.name); row != nil {
			m.Rows = append(m.Rows, row)
		} else if row := older.row(r.name); row != nil && older.machine(r).same(m.machine(r)) {
			m.Rows = append(m.Rows, row)
		}
	}
	return m
}

// and returns the machine of results that a newer one was added to. Where not all programs took part
// there, the versions of the others stay.
func (m Machine) and(newer Machine) Machine {
	switch {
	case newer.Processor == "":
		return m
	case !m.same(newer):
		return newer
	}
	versions := map[string]string{}
	maps.Copy(versions, m.Versions)
	maps.Copy(versions, newer.Versions)
	newer.Versions = versions
	return newer
}

// same reports whether times from both machines can be compared.
func (m Machine) same(other Machine) bool {
	return m.Processor == other.Processor && m.Cores == other.Cores
}

// usual is the fraction by which a median outside the spread may grow.
const usual = 0.1

// worse returns a line for each thing that became worse in our own programs. It compares ratios;
// times only where there is no ratio, and only on the same machine. A tenth more allocations is
// worse; where there are few, one more is.
func worse(before, now *Results) []string {
	var lines []string
	for _, r := range rows {
		row, old := now.row(r.name), before.row(r.name)
		if row == nil || old == nil {
			continue
		}
		tolerance := cmp.Or(r.noise, usual)
		for _, program := range []string{viaCapi, viaPjrt} {
			was, is := old.Cells[program], row.Cells[program]
			if was == nil || is == nil {
				continue
			}
			say := func(format string, args ...any) {
				lines = append(lines, row.Name+", "+program+": "+fmt.Sprintf(format, args...))
			}
			switch {
			case r.hops && old.Cells[viaCapi] != nil && row.Cells[viaCapi] != nil:
				was, is := over(was, old.Cells[viaCapi]), over(is, row.Cells[viaCapi])
				if worseThan(was, is, tolerance) {
					say("%s of capi, and was %s", spread(is, ratio), spread(was, ratio))
				}
			case was.Ratio != nil && is.Ratio != nil:
				if worseThan(*was.Ratio, *is.Ratio, tolerance) {
					say("%s of C, and was %s", spread(*is.Ratio, ratio), spread(*was.Ratio, ratio))
				}
			case before.machine(r).same(now.machine(r)) && worseThan(was.Nanoseconds, is.Nanoseconds, toleranceOfTimes(r, is)):
				say("%s, and was %s", spread(is.Nanoseconds, duration), spread(was.Nanoseconds, duration))
			}
			if was.Allocs != nil && is.Allocs != nil && *is.Allocs > 1.1**was.Allocs {
				say("%g allocations, and were %g", *is.Allocs, *was.Allocs)
			}
		}
	}
	return lines
}

// toleranceOfTimes returns the tolerance of a row without a ratio to C. An operation of
// milliseconds is always interrupted, and takes three times as long on a busy machine.
func toleranceOfTimes(r row, c *Cell) float64 {
	if r.unit == nil && c.Nanoseconds.Median > 1e6 {
		return 2
	}
	return cmp.Or(r.noise, usual)
}

// over returns the times of a cell, divided by the median of another's.
func over(c, floor *Cell) Quartiles {
	q, m := c.Nanoseconds, floor.Nanoseconds.Median
	return Quartiles{Q1: q.Q1 / m, Median: q.Median / m, Q3: q.Q3 / m}
}

// verdict says whether a row reaches its goal.
type verdict string

const (
	reached verdict = "reached"
	near    verdict = "within the spread"
	missed  verdict = "missed"
	noGoal  verdict = ""
)

// within compares numbers with a limit. They have no goal if it is 0.
func within(q Quartiles, limit float64) verdict {
	switch {
	case limit == 0:
		return noGoal
	case q.Median <= limit:
		return reached
	case q.Q1 <= limit:
		return near
	}
	return missed
}

// judge compares a row with its goal, and returns the limit as text.
func judge(r row, measured *Row) (verdict, string) {
	cell := measured.Cells[r.of()]
	if r.goal == nil || cell == nil {
		return noGoal, ""
	}
	verdicts := []verdict{reached}
	compare := func(q Quartiles, limit float64) { verdicts = append(verdicts, within(q, limit)) }
	text := ""
	if r.goal.ratio > 0 && cell.Ratio != nil {
		limit := r.goal.ratio
		if floor := measured.Cells[viaCapi]; r.goal.margin > 0 && floor != nil && floor.Ratio != nil && floor.Ratio.Median > limit {
			limit = floor.Ratio.Median * (1 + r.goal.margin)
		}
		compare(*cell.Ratio, limit)
		text = "≤ " + ratio(limit)
	}
	if r.goal.ofJAX > 0 && cell.OfJAX != nil {
		compare(*cell.OfJAX, r.goal.ofJAX)
		if text != "" {
			text += ", "
		}
		text += "≤ " + ratio(r.goal.ofJAX) + " of JAX"
	}
	if r.goal.ns > 0 {
		compare(cell.Nanoseconds, r.goal.ns)
		text = "≤ " + r.say(r.goal.ns)
	}
	if r.goal.allocs >= 0 && cell.Allocs != nil {
		text += fmt.Sprintf(", %g allocs", r.goal.allocs)
		if *cell.Allocs > r.goal.allocs {
			verdicts = append(verdicts, missed)
		}
	}
	for _, v := range []verdict{missed, near} {
		if slices.Contains(verdicts, v) {
			return v, text
		}
	}
	return reached, text
}
