// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"context"
	"errors"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// lacking are the operations that GoMLX has names for, but no methods in
// backends.Builder.
var lacking = []backends.OpType{
	backends.OpTypeInvalid,
	backends.OpTypeBroadcast,
	backends.OpTypeSelectAndScatterSum,
	backends.OpTypeCollectiveBroadcast,
	backends.OpTypeAllGather,
}

// readCapabilities returns what the backend can do on the devices of its client.
func (b *Backend) readCapabilities(ctx context.Context) (backends.Capabilities, error) {
	c := backends.Capabilities{
		Operations: make(map[backends.OpType]bool),
		DTypes:     make(map[dtypes.DType]bool),
	}
	for op := backends.OpTypeInvalid; op < backends.OpTypeLast; op++ {
		c.Operations[op] = true
	}
	for _, op := range lacking {
		delete(c.Operations, op)
	}
	for _, t := range known {
		able, err := b.takes(ctx, t)
		if err != nil {
			return backends.Capabilities{}, err
		}
		if able {
			c.DTypes[t] = true
		}
	}
	return c, nil
}

// takes reports whether the first device accepts an element of a dtype. PJRT has no
// function for that.
func (b *Backend) takes(ctx context.Context, t dtypes.DType) (bool, error) {
	array, err := b.client.BufferFromHost(ctx, pjrt.HostArray{Type: dtype.Type(t), Data: make([]byte, t.Size())}, nil)
	if err == nil {
		err = array.Wait(ctx)
		array.Close()
	}
	switch {
	case errors.Is(err, pjrt.ErrUnimplemented), errors.Is(err, pjrt.ErrInvalidArgument):
		return false, nil
	case err != nil:
		return false, wrapf(err, "trying dtype %s", t)
	}
	return true, nil
}
