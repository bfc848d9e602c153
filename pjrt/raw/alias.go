// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package raw

import (
	"context"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// ShareMemory waits until both buffers have their contents, and reports whether they share
// memory, all or part of it. Buffers on different devices of a client can share only
// memory of the host. The buffers must belong to the same client.
func ShareMemory(ctx context.Context, a, b *pjrt.Buffer) (bool, error) {
	if a == nil || b == nil {
		return false, pjrt.ErrInvalidArgument.Errorf("the buffer is nil")
	}
	if a == b {
		return true, abandon.Err(ctx, nil, "")
	}
	if a.Client() != b.Client() {
		return false, pjrt.ErrInvalidArgument.Errorf("the buffers belong to different clients")
	}
	return abandon.Call(ctx, func() (bool, error) { return shareMemory(ctx, a, b) }, func(bool) error { return nil })
}

// SharesHost waits until the buffer has its contents, and reports whether they lie in data: whether
// the buffer is a view of that memory, or was made of it without a copy.
func SharesHost(ctx context.Context, b *pjrt.Buffer, data []byte) (bool, error) {
	if b == nil {
		return false, pjrt.ErrInvalidArgument.Errorf("the buffer is nil")
	}
	return abandon.Call(ctx, func() (bool, error) {
		if on, err := b.IsOnCPU(); err != nil || !on {
			return false, err
		}
		start, size, err := extent(ctx, b)
		if err != nil || len(data) == 0 {
			return false, err
		}
		first := addressOf(data)
		return start >= first && start+size <= first+uintptr(len(data)), nil
	}, func(bool) error { return nil })
}

// shareMemory is ShareMemory on a goroutine that may block in C.
func shareMemory(ctx context.Context, a, b *pjrt.Buffer) (bool, error) {
	first, size, err := extent(ctx, a)
	if err != nil {
		return false, err
	}
	second, otherSize, err := extent(ctx, b)
	if err != nil {
		return false, err
	}
	if first == 0 || second == 0 || first >= second+otherSize || second >= first+size {
		return false, nil
	}
	// Two devices with their own memories may both use this address.
	for _, x := range []*pjrt.Buffer{a, b} {
		if on, err := x.IsOnCPU(); err != nil || !on {
			d, err := a.Device()
			if err != nil {
				return false, err
			}
			other, err := b.Device()
			return d == other, err
		}
	}
	return true, nil
}

// extent returns the address and the size of the buffer's memory.
func extent(ctx context.Context, b *pjrt.Buffer) (start, size uintptr, err error) {
	r, err := b.Reference(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	start, err = r.Address()
	if err != nil {
		return 0, 0, err
	}
	n, err := b.OnDeviceSize()
	return start, uintptr(n), err
}
