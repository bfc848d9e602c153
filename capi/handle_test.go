// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

func TestADeletedHandleFindsNothingEvenWhenItsSlotIsUsedAgain(t *testing.T) {
	a := capi.NewHandle("a")
	v, ok := a.Value()
	require.True(t, ok)
	assert.Equal(t, "a", v)
	a.Delete()
	b := capi.NewHandle("b")
	defer b.Delete()
	assert.NotEqual(t, a, b)
	_, ok = a.Value()
	assert.False(t, ok)
	a.Delete() // must not delete b
	v, _ = b.Value()
	assert.Equal(t, "b", v)
}

func TestHandlesThatWereNeverMadeFindNothing(t *testing.T) {
	for _, h := range []capi.Handle{0, 1, 1 << 31, ^capi.Handle(0), 0x7f0011223344} {
		_, ok := h.Value()
		assert.False(t, ok, "%#x", h)
		h.Delete()
	}
}

func TestHandlesFromManyGoroutines(t *testing.T) {
	before := capi.LiveHandles()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				want := g*10000 + i
				h := capi.NewHandle(want)
				got, ok := h.Value()
				if !ok || got != want {
					t.Errorf("handle of %d gave %v, %v", want, got, ok)
				}
				h.Delete()
			}
		})
	}
	wg.Wait()
	assert.Equal(t, before, capi.LiveHandles())
}
