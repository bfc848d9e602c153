// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

const clientCreate = "PJRT_Client_Create"

func TestAPluginCreatesOneClientAtATime(t *testing.T) {
	t.Parallel()
	p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	end := p.Block(clientCreate)
	defer end()
	var created sync.WaitGroup
	for range 8 {
		created.Go(func() {
			c, err := p.Plugin().NewClient(context.Background(), nil)
			if assert.NoError(t, err) {
				c.Close()
			}
		})
	}
	require.Eventually(t, func() bool { return p.Calls(clientCreate) > 0 }, patience, time.Millisecond)
	// The other goroutines have had time to come as far as they can, or this test proves nothing.
	time.Sleep(10 * time.Millisecond)
	assert.Equal(t, 1, p.Calls(clientCreate))
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := p.Plugin().NewClient(short, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, 1, p.Calls(clientCreate), "it has not had its turn")
	end()
	created.Wait()
	assert.Equal(t, 8, p.Calls(clientCreate))
}
