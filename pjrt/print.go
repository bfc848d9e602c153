// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"io"

	"github.com/purepjrt/purepjrt/pjrt/npy"
)

// String returns the array as NumPy's print shows it.
func (a HostArray) String() string { return (*npy.Array)(&a).String() }

// Print writes the array to w as NumPy's print shows it, and a newline. The zero
// opts are NumPy's defaults.
func (a HostArray) Print(w io.Writer, opts npy.FormatOptions) error {
	if w == nil {
		return invalid("the writer is nil")
	}
	if err := a.check(); err != nil {
		return err
	}
	if err := (*npy.Array)(&a).Format(w, opts); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// Print copies the array to the host, after it has been computed, and writes it
// to w as NumPy's print shows it, and a newline. The zero opts are NumPy's
// defaults.
func (b *Buffer) Print(ctx context.Context, w io.Writer, opts npy.FormatOptions) error {
	a, err := b.ToHost(ctx)
	if err != nil {
		return err
	}
	return a.Print(w, opts)
}
