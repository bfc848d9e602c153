// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaproto

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/wire"
)

// fieldMachineAttributes is the field of CpuTopologyProto with what the CPU has and lacks, such as
// +avx2 and -avx512f.
const fieldMachineAttributes wire.Number = 4

// CPUFeatures returns the instruction sets that a CpuTopologyProto says the CPU has, sorted, or nil
// if it cannot be read.
func CPUFeatures(topology []byte) []string {
	var features []string
	err := wire.Visit(topology, func(f wire.Field) error {
		if f.Is(fieldMachineAttributes, wire.Bytes) {
			if name, ok := strings.CutPrefix(string(f.Bytes), "+"); ok {
				features = append(features, name)
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	slices.Sort(features)
	return slices.Compact(features)
}
