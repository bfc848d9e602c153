// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
)

// lacking are the operations that GoMLX has names for, and no method of backends.Builder.
var lacking = []backends.OpType{
	backends.OpTypeInvalid,
	backends.OpTypeBroadcast,
	backends.OpTypeSelectAndScatterSum,
	backends.OpTypeCollectiveBroadcast,
	backends.OpTypeAllGather,
}

// capabilities returns what the backend can do on the devices of a kind of plugin.
func capabilities(kind string) backends.Capabilities {
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
		c.DTypes[t] = true
	}
	if kind == "tpu" {
		// TPUs have no complex numbers of 128 bits.
		delete(c.DTypes, dtypes.Complex128)
	}
	return c
}
