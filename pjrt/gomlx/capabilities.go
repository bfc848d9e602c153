// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"context"
	"errors"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// lacking are the operations that GoMLX has names for, but that are no methods of
// compute.Function, are of another backend only, or that GoMLX makes of others for this one.
var lacking = []compute.OpType{
	compute.OpTypeInvalid,
	compute.OpTypeDot,
	compute.OpTypeSelectAndScatterSum,
	compute.OpTypeCapturedValue,
	compute.OpTypeCollectiveBroadcast,
	compute.OpTypeAllGather,
	compute.OpTypeBlockForDotGeneral,
	compute.OpTypeFusedDense,
	compute.OpTypeFusedQuantizedDense,
	compute.OpTypeQuantizedEmbeddingLookup,
}

// readCapabilities returns what the backend can do on the devices of its client.
func (b *Backend) readCapabilities(ctx context.Context) (compute.Capabilities, error) {
	c := compute.Capabilities{
		Operations: make(map[compute.OpType]bool),
		DTypes:     make(map[dtypes.DType]bool),
		Functions:  true,
	}
	for op := compute.OpTypeInvalid; op < compute.OpTypeLast; op++ {
		c.Operations[op] = true
	}
	for _, op := range lacking {
		delete(c.Operations, op)
	}
	for _, t := range known {
		able, err := b.takes(ctx, t)
		if err != nil {
			return compute.Capabilities{}, err
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
