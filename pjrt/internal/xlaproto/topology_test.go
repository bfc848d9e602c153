// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaproto_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

func TestTheFeaturesOfACPUAreReadFromItsTopology(t *testing.T) {
	t.Parallel()
	older := wire.AppendBytes([]byte{0x0a, 0}, 4, "+avx2") // after a device
	older = wire.AppendBytes(older, 4, "+avx")
	older = wire.AppendBytes(older, 4, "-avx512f")
	options := wire.AppendBytes(nil, 1, "x86_64-unknown-linux-gnu")
	options = wire.AppendBytes(options, 2, "znver5")
	options = wire.AppendBytes(options, 3, "+avx2,+avx,+prefer-no-gather,-avx512f")
	cpu := wire.AppendBytes([]byte{0x0a, 0}, 5, options)
	topology := func(kind string, value []byte) []byte {
		inside := wire.AppendBytes(wire.AppendBytes(nil, 1, "type.googleapis.com/xla."+kind), 2, value)
		return wire.AppendBytes(wire.AppendBytes([]byte{0x08, 7}, 2, "cpu"), 9, inside)
	}
	both := []string{"avx", "avx2"}
	for name, c := range map[string]struct {
		topology []byte
		want     []string
	}{
		"before API 0.106":            {older, both},
		"with the options of LLVM":    {cpu, both},
		"in a topology of any kind":   {topology("CpuTopologyProto", cpu), both},
		"older, in one of any kind":   {topology("CpuTopologyProto", older), both},
		"without features":            {topology("CpuTopologyProto", []byte{0x0a, 0}), nil},
		"of GPUs":                     {topology("GpuTopologyProto", cpu), nil},
		"damaged":                     {cpu[:len(cpu)-1], nil},
		"damaged options":             {wire.AppendBytes(nil, 5, options[:len(options)-1]), nil},
		"damaged, in one of any kind": {topology("CpuTopologyProto", cpu[:len(cpu)-1]), nil},
		"empty":                       {nil, nil},
	} {
		assert.Equal(t, c.want, xlaproto.CPUFeatures(c.topology), name)
	}
}
