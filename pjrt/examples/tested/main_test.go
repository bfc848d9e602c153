// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

const (
	upload  = "PJRT_Client_BufferFromHostBuffer"
	execute = "PJRT_LoadedExecutable_Execute"
)

var numbers = []float32{1, 2, 3, 4, 5, 6, 7, 8}

// device returns a plugin in memory, with a Go function in place of the program. The test
// fails if something is left on the device at its end.
func device(t *testing.T, opts pjrttest.Options) *pjrttest.Plugin {
	opts.NoLeaks = true
	p := pjrttest.New(t, opts)
	p.Program("sum", pjrttest.Signature{}, func(args []pjrt.HostArray) ([]pjrt.HostArray, error) {
		values, err := pjrttest.Values[float32](args[0])
		if err != nil {
			return nil, err
		}
		var total float32
		for _, v := range values {
			total += v
		}
		return []pjrt.HostArray{pjrt.ScalarOf(total)}, nil
	})
	return p
}

func TestNumbersAreAddedInBatches(t *testing.T) {
	t.Parallel()
	p := device(t, pjrttest.Options{})
	total, err := sum(context.Background(), p.Client(), numbers, 3)
	require.NoError(t, err)
	assert.Equal(t, float32(36), total)
	assert.Equal(t, 3, p.Calls(execute))
}

func TestBatchesBecomeSmallerUntilTheyFit(t *testing.T) {
	t.Parallel()
	p := device(t, pjrttest.Options{Memories: []pjrttest.MemoryOptions{{Kind: "device", Bytes: 12}}})
	total, err := sum(context.Background(), p.Client(), numbers, 8)
	require.NoError(t, err)
	assert.Equal(t, float32(36), total)
	assert.Equal(t, 4, p.Calls(execute), "two numbers and their sum fit")
}

func TestADeviceThatIsGoneIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()
	p := device(t, pjrttest.Options{})
	p.Fail(upload, pjrt.ErrUnavailable, "the device fell off the bus")
	_, err := sum(context.Background(), p.Client(), numbers, 8)
	require.ErrorIs(t, err, pjrt.ErrUnavailable)
	assert.Equal(t, 1, p.Calls(upload))
}

func TestADeviceThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	p := device(t, pjrttest.Options{})
	p.Hold()
	defer p.Resume()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	result := make(chan error, 1)
	go func() {
		_, err := sum(ctx, p.Client(), numbers, 8)
		result <- err
	}()
	_, err := p.WaitHeld(context.Background(), 1) // the upload or the execution has begun
	require.NoError(t, err)
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)
}
