// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy

import (
	"errors"
	"io"

	"github.com/purepjrt/purepjrt/pjrt/internal/ndtext"
)

// FormatOptions say how [Array.Format] prints. A zero field means NumPy's default.
type FormatOptions struct {
	Precision int // most digits after the point; 0 means 8, and a negative number means none
	Threshold int // arrays with more elements are abbreviated; 0 means 1000, and a negative number means never
	EdgeItems int // elements at each end of a dimension that an abbreviated array shows; 0 means 3
	LineWidth int // columns before a row is wrapped; 0 means 75
}

// String returns the array as NumPy's print shows it. For an array that [Array.Check] rejects, it returns the error in
// angle brackets.
func (a *Array) String() string {
	if err := a.Check(); err != nil {
		return "<" + err.Error() + ">"
	}
	return ndtext.Format(ndtext.Array(*a), ndtext.Options{})
}

// Format writes the array to w as NumPy's print shows it, without a newline at the end. Numbers of NumPy's own types
// have the fewest digits that identify them and are aligned in columns. Numbers of ml_dtypes have up to 6 digits and
// are not aligned. Long arrays are abbreviated. An array without elements is written as [].
func (a *Array) Format(w io.Writer, opts FormatOptions) error {
	if err := a.Check(); err != nil {
		return err
	}
	if w == nil {
		return errors.New("npy: the writer is nil")
	}
	_, err := io.WriteString(w, ndtext.Format(ndtext.Array(*a), ndtext.Options(opts)))
	return err
}

// Fprint writes the array to w as [Array.Format] does, followed by a newline. The zero opts are NumPy's defaults. An
// array of package pjrt is converted first:
//
//	err := npy.Fprint(os.Stdout, npy.Array(a), npy.FormatOptions{Precision: 3})
func Fprint(w io.Writer, a Array, opts FormatOptions) error {
	if err := a.Format(w, opts); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
