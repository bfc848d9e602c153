// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaproto

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// Field numbers of what XLA's plugins for CPUs write as their topology. Those before API 0.106
// write a CpuTopologyProto; newer ones write a PjRtTopologyDescriptionProto with one in an Any.
const (
	topologySpecific wire.Number = 9 // PjRtTopologyDescriptionProto

	anyType  wire.Number = 1 // google.protobuf.Any
	anyValue wire.Number = 2

	cpuAttributes wire.Number = 4 // CpuTopologyProto: what the CPU has and lacks, as +avx2 and -avx512f
	cpuMachine    wire.Number = 5

	machineFeatures wire.Number = 3 // TargetMachineOptionsProto: the same as one text with commas
)

// CPUFeatures returns the instruction sets that a topology of XLA's plugins for CPUs says the CPU
// has, sorted, or nil if it cannot be read.
func CPUFeatures(topology []byte) []string {
	message := topology
	if specific, err := wire.Message(topology, topologySpecific); err == nil && len(specific) > 0 {
		name, err := wire.Message(specific, anyType)
		if err != nil || !strings.HasSuffix(string(name), ".CpuTopologyProto") {
			return nil
		}
		if message, err = wire.Message(specific, anyValue); err != nil {
			return nil
		}
	}
	var features []string
	add := func(text string) {
		// Some features say how code is best generated. Other processors run that code as well.
		if name, ok := strings.CutPrefix(text, "+"); ok && !strings.HasPrefix(name, "prefer-") {
			features = append(features, name)
		}
	}
	err := wire.Visit(message, func(f wire.Field) error {
		switch {
		case f.Is(cpuAttributes, wire.Bytes):
			add(string(f.Bytes))
		case f.Is(cpuMachine, wire.Bytes):
			return wire.VisitMessages(f.Bytes, machineFeatures, func(list []byte) error {
				for text := range strings.SplitSeq(string(list), ",") {
					add(text)
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return nil
	}
	slices.Sort(features)
	return slices.Compact(features)
}
