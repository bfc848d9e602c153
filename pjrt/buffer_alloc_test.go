// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !race

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt"
)

// The race detector makes sync.Pool forget at random.
func TestReadingAFinishedArrayAllocatesNothing(t *testing.T) {
	ctx := context.Background()
	b := upload(t, newClient(t), matrix(1, 2, 3, 4))
	dst := make([]float32, 4)
	sum := byte(0)
	look := func(data []byte) error { sum += data[3]; return nil }
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_, err := pjrt.ReadSlice(ctx, b, dst)
		if err == nil {
			err = b.ReadInPlace(ctx, look)
		}
		if err != nil {
			t.Error(err)
		}
	}))
}
