// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/purepjrt/purepjrt/internal/outside"
)

// Form is a form of the report, such as JSON.
type Form struct {
	Name  string // of the file that WriteAll makes
	Write func(*Report, io.Writer) error
}

// Forms returns every form.
func Forms() []Form {
	return []Form{
		{"report.json", (*Report).WriteJSON},
		{"report.html", (*Report).WriteHTML},
		{"report.md", (*Report).WriteMarkdown},
		{"junit.xml", (*Report).WriteJUnit},
		{"badge.svg", (*Report).WriteBadge},
	}
}

// WriteFile writes one form to a file. After an error there is no partial file.
func (r *Report) WriteFile(path string, write func(*Report, io.Writer) error) error {
	return writeFile(path, func(out io.Writer) error { return write(r, out) })
}

// ReadFile is [Read] of a file.
func ReadFile(path string) (*Report, error) {
	f, err := outside.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// WriteOverviewFile writes the page of [WriteOverview] to a file. After an error there is
// no partial file.
func WriteOverviewFile(path string, reports []*Report) error {
	return writeFile(path, func(out io.Writer) error { return WriteOverview(out, reports) })
}

func writeFile(path string, write func(io.Writer) error) error {
	if err := outside.WriteFile(path, write); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// WriteAll writes every form into a folder, which it makes if necessary.
func (r *Report) WriteAll(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	var errs []error
	for _, f := range Forms() {
		errs = append(errs, r.WriteFile(filepath.Join(dir, f.Name), f.Write))
	}
	return errors.Join(errs...)
}

// Keeper writes reports of a run that is under way, so that they exist whatever ends it. The zero
// value is ready.
type Keeper struct{ next time.Time }

// The least time between two reports, and how many times as long as making the last one took.
const (
	keepPause = time.Second
	keepShare = 20
)

// Keep calls keep with the report that make returns, unless that was done a moment ago. It returns
// the error of keep, or nil.
func (k *Keeper) Keep(make func() *Report, keep func(*Report) error) error {
	start := time.Now()
	if start.Before(k.next) {
		return nil
	}
	err := keep(make())
	k.next = time.Now().Add(max(keepPause, keepShare*time.Since(start)))
	return err
}
