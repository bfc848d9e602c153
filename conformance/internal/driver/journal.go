// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/sparse"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// journal is a file with what a run found so far, one JSON object per line. The first
// describes the run, as a report without results.
type journal struct {
	file *os.File
	told int // functions that worked
}

// entry is a line after the first.
type entry struct {
	Result *report.Result `json:"result"`
	Skew   []report.Skew  `json:"skew,omitempty"`
	Worked []string       `json:"worked,omitempty"` // all functions so far, if there are more of them
}

// begin opens the journal, and takes over what an earlier run of the same kind found.
func (d *driver) begin() error {
	if d.Journal == "" {
		return nil
	}
	text, err := os.ReadFile(d.Journal)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("resume: %w", err)
	}
	end := bytes.LastIndexByte(text, '\n') + 1 // a line may be cut off
	if end > 0 {
		if err := d.takeOver(text[:end]); err != nil {
			return fmt.Errorf("resume %s: %w", d.Journal, err)
		}
	}
	j := &journal{told: len(d.worked)}
	if j.file, err = os.OpenFile(d.Journal, os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	if err := j.file.Truncate(int64(end)); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	if _, err := j.file.Seek(int64(end), 0); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	d.journal = j
	if end == 0 {
		return j.write(d.identity())
	}
	return nil
}

// identity returns what two runs must have in common.
func (d *driver) identity() *report.Report {
	r := d.report
	return &report.Report{Schema: r.Schema, Suite: r.Suite, Plugin: r.Plugin, Run: r.Run, Machine: r.Machine}
}

// takeOver reads the results of an earlier run.
func (d *driver) takeOver(text []byte) error {
	lines := bufio.NewReader(bytes.NewReader(text))
	first, err := lines.ReadBytes('\n')
	if err != nil {
		return err
	}
	was, err := report.Read(bytes.NewReader(first))
	if err != nil {
		return err
	}
	for _, x := range report.Differences(was, d.identity()) {
		if !strings.HasPrefix(x, "machine:") {
			return fmt.Errorf("the file is from another run; remove it to begin anew: %s", x)
		}
	}
	place := make(map[string]int)
	for i, c := range d.chosen {
		place[c.Name()] = i
	}
	for number := 2; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil // the end
		}
		var e entry
		if err = sparse.Unmarshal(line, &e); err == nil && e.Result == nil {
			err = errors.New("it has none")
		}
		if err != nil {
			return fmt.Errorf("line %d is not a result: %w", number, err)
		}
		if i, ok := place[e.Result.Check]; ok {
			d.results[i] = e.Result
			d.hung(e.Result.Hung, e.Result.Check)
			d.addSkew(e.Result.Check, e.Skew)
		}
		d.works(e.Worked)
	}
}

// record writes a result to the journal, if there is one. A check in which the suite is at
// fault will run again instead.
func (d *driver) record(r *report.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.journal == nil || r.Verdict == check.BrokenCheck {
		return
	}
	e := entry{Result: r, Skew: d.skew[r.Check]}
	if len(d.worked) > d.journal.told {
		e.Worked, d.journal.told = d.report.Capabilities.Worked, len(d.worked)
	}
	if err := d.journal.write(e); err != nil {
		d.problems = append(d.problems, "the file for --resume is not complete: "+err.Error())
		d.journal = nil
	}
}

func (j *journal) write(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(text, '\n'))
	return err
}

// close removes the journal of a complete run.
func (d *driver) close(interrupted bool) {
	if d.journal == nil {
		return
	}
	_ = d.journal.file.Close() // each line was written
	if !interrupted {
		_ = os.Remove(d.Journal) // anything left of it would only be read again
	}
}
