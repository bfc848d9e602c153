// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"fmt"

	"github.com/pkg/errors"

	"github.com/purepjrt/purepjrt/pjrt"
)

// errorf makes an error in GoMLX's form, with a stack trace.
func errorf(format string, args ...any) error {
	return errors.Errorf(Name+" backend: "+format, args...)
}

// wrapf adds a text and a stack trace to err, and returns nil for nil.
func wrapf(err error, format string, args ...any) error {
	return errors.Wrapf(err, Name+" backend: "+format, args...)
}

// ErrFinalized is in the chain of errors about a backend, a buffer or an executable that
// was finalized.
var ErrFinalized = errors.New("finalized")

// finalized returns an error that says that something was finalized.
func finalized(format string, args ...any) error {
	return errors.WithStack(fmt.Errorf(Name+" backend: "+format+" was %w", append(args, ErrFinalized)...))
}

// failed is wrapf for what the client did. If that is closed because the backend was finalized
// meanwhile, the error says so.
func (b *Backend) failed(err error, format string, args ...any) error {
	if errors.Is(err, pjrt.ErrClosed) && !errors.Is(err, ErrFinalized) && b.IsFinalized() {
		err = finalized("the backend")
	}
	return wrapf(err, format, args...)
}
