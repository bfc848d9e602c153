// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package collecting_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/internal/collecting"
)

func TestUntilEndsOnceACleanupHasRun(t *testing.T) {
	t.Parallel()
	ran := make(chan struct{})
	runtime.AddCleanup(new([16]int), func(chan struct{}) { close(ran) }, ran)
	assert.True(t, collecting.Until(func() bool {
		select {
		case <-ran:
			return true
		default:
			return false
		}
	}))
}

func TestUntilNeedsNoCollectionForWhatHasHappened(t *testing.T) {
	t.Parallel()
	asked := 0
	assert.True(t, collecting.Until(func() bool { asked++; return true }))
	assert.Equal(t, 1, asked)
}
