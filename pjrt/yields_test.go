// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Go takes the processor after ten milliseconds.
func TestGoroutinesYieldBeforeGoTakesTheProcessor(t *testing.T) {
	t.Parallel()
	due := pjrt.YieldsDue()
	var yielded []time.Duration
	for at := 20 * time.Millisecond; at <= 60*time.Millisecond; at += time.Millisecond {
		if due(at) {
			yielded = append(yielded, at)
			assert.False(t, due(at), "another goroutine")
		}
	}
	assert.Equal(t, []time.Duration{20e6, 29e6, 38e6, 47e6, 56e6}, yielded)
}
