// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"

	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// The subjects of calls, for the errors of those whose context ends: see abandon.CallOn. Their
// String methods do not call the plugin, and converting them allocates nothing.

func (b *Buffer) subject() fmt.Stringer {
	if b == nil || b.shape == nil {
		return nil
	}
	return b.shape
}

func (e *Executable) subject() fmt.Stringer {
	if e == nil || e.name == "" {
		return nil
	}
	return (*abandon.Name)(&e.name)
}

// sizeOf is the subject of calls about a program whose name is not known yet.
func sizeOf(p Program) fmt.Stringer { return programSize(len(p.Code)) }

type programSize int

func (n programSize) String() string { return fmt.Sprintf("a program of %d bytes", int(n)) }
