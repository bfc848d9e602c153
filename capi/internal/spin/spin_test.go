// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package spin_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi/internal/spin"
)

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	var m spin.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 100 {
		wg.Go(func() {
			for range 1000 {
				m.Lock()
				n++
				m.Unlock()
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 100_000, n)
}

func TestALongHolderIsWaitedFor(t *testing.T) {
	t.Parallel()
	var m spin.Mutex
	m.Lock()
	time.AfterFunc(20*time.Millisecond, m.Unlock)
	m.Lock()
	m.Unlock()
}
