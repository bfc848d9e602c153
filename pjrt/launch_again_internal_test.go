// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A goroutine yields before Go's ten milliseconds are over. One that pauses between its calls need not.
func TestCallsThatFollowEachOtherYieldInTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		distance time.Duration // between two questions
		want     int           // times in a second
	}{
		"at once":               {distance: 50 * time.Microsecond, want: 125},
		"as slow as they may":   {distance: 1600 * time.Microsecond, want: 125},
		"with pauses":           {distance: 3 * time.Millisecond},
		"one request a second":  {distance: time.Second},
		"slower than the limit": {distance: 20 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p pace
			const from = time.Hour // the process may be old when the first call comes
			due, last := 0, time.Duration(from)
			for at := time.Duration(from); at <= from+time.Second; at += c.distance {
				if p.isDue(at) {
					due++
					assert.Less(t, at-last, 10*time.Millisecond)
					last = at
				}
			}
			assert.Equal(t, c.want, due)
		})
	}
}
