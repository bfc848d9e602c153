// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Mismatch is the error for a result with some wrong elements. An Errorf that has one among
// its arguments is identified by the places of all wrong elements, rather than by the values
// of the first.
type Mismatch struct {
	Text   string // for people
	Places []int  // of the wrong elements, in row-major order
	Of     int    // elements of the result
}

// Error returns the text.
func (m *Mismatch) Error() string { return m.Text }

// evidence identifies the wrong elements by a digest of their places.
func (m *Mismatch) evidence() string {
	h := sha256.New()
	for _, p := range m.Places {
		_ = binary.Write(h, binary.LittleEndian, int64(p)) // a hash takes everything
	}
	return fmt.Sprintf("%d of %d elements differ, at places with the digest %x", len(m.Places), m.Of, h.Sum(nil)[:8])
}

// evidence returns the text of a failure with what distinguishes it from other failures of
// the check.
func evidence(format string, args []any) string {
	var short []any
	for i, a := range args {
		var m *Mismatch
		if err, ok := a.(error); ok && errors.As(err, &m) {
			if short == nil {
				short = append(short, args...)
			}
			short[i] = strings.Replace(err.Error(), m.Text, m.evidence(), 1)
		}
	}
	if short == nil {
		short = args
	}
	text, _, _ := strings.Cut(fmt.Sprintf(format, short...), "\n")
	return text
}
