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
func TestMakingABufferAllocatesOneObject(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data, array := []float32{1, 2, 3, 4, 5, 6}, pjrt.ArrayOf([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	for name, make := range map[string]func() (*pjrt.Buffer, error){
		"vector": func() (*pjrt.Buffer, error) { return pjrt.FromSlice(ctx, client, data) },
		"matrix": func() (*pjrt.Buffer, error) { return pjrt.FromSlice(ctx, client, data, 2, 3) },
		"array":  func() (*pjrt.Buffer, error) { return client.BufferFromHost(ctx, array, nil) },
	} {
		assert.LessOrEqual(t, testing.AllocsPerRun(200, func() {
			b, err := make()
			if err != nil {
				t.Error(err)
			}
			b.Close()
		}), 1.0, name)
	}
}

func TestAZeroCopyBufferAllocatesTwoObjects(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	array := pjrt.ArrayOf(pjrt.AlignedSlice[float32](6), 2, 3)
	for _, semantics := range []pjrt.HostBufferSemantics{pjrt.ImmutableZeroCopy, pjrt.MutableZeroCopy} {
		options := &pjrt.BufferOptions{Semantics: semantics}
		assert.LessOrEqual(t, testing.AllocsPerRun(200, func() {
			b, err := client.BufferFromHost(ctx, array, options)
			if err != nil {
				t.Error(err)
			}
			b.Close()
		}), 2.0, semantics)
	}
}

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
