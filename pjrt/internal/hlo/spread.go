// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Field numbers of xla/service/hlo.proto and xla/xla_data.proto.
const (
	moduleOutputSharding     = 12 // HloModuleProto
	moduleParameterShardings = 14
	moduleDeviceAssignment   = 15

	shardingType   = 1 // OpSharding
	shardingTuples = 5
)

const (
	instructionPermuted = 52 // HloInstructionProto: SourceTarget, with the fields 1 and 2
	permutedSource      = 1
	permutedTarget      = 2
)

// Permuted returns the devices of the collective permutes of a module of HLO. Of bytes that are not
// a module it returns those that it finds.
func Permuted(module []byte) (p dataflow.Permuted) {
	if !preempt.Contains(module, []byte("collective-permute")) { // with which the opcodes begin
		return p
	}
	_ = wire.VisitMessages(module, moduleComputations, func(computation []byte) error {
		return wire.VisitMessages(computation, computationInstructions, func(instruction []byte) error {
			return wire.VisitMessages(instruction, instructionPermuted, func(pair []byte) error {
				var ends [permutedTarget + 1]int64 // what is left out is 0
				err := readVarints(pair, ends[:])
				p.Add(ends[permutedSource])
				p.Add(ends[permutedTarget])
				return err
			})
		})
	})
	return p
}

// ReadSpread reads what a module of HLO says about its devices. Bytes that are not a module say
// nothing.
func ReadSpread(module []byte) dataflow.Spread {
	s := dataflow.Spread{Shardy: preempt.Contains(module, []byte("xla.sdy."))}
	b, err := wire.Message(module, moduleDeviceAssignment)
	if err != nil || b == nil {
		return s
	}
	if a, err := xlaproto.UnmarshalDeviceAssignment(b); err == nil {
		s.Replicas, s.Partitions = int64(a.Replicas), int64(len(a.Partitions))
	}
	return s
}

// ParameterShardings returns the shardings of the parameters of a partitioned module, as serialized
// OpSharding messages. It returns none for a module that is not partitioned.
func ParameterShardings(module []byte) ([][]byte, error) {
	list, err := wire.Reserve[[]byte](wire.NewRoom(len(module)), module, moduleParameterShardings)
	if err != nil {
		return nil, err
	}
	err = wire.VisitMessages(module, moduleParameterShardings, func(b []byte) error {
		list = append(list, b)
		return nil
	})
	return list, err
}

// OutputShardings is ParameterShardings for the results: the elements of the result if that is a
// tuple.
func OutputShardings(module []byte) ([][]byte, error) {
	output, err := wire.Message(module, moduleOutputSharding)
	if err != nil || output == nil {
		return nil, err
	}
	tuple := false
	var list [][]byte
	err = wire.Visit(output, func(f wire.Field) error {
		switch {
		case f.Is(shardingType, wire.Varint):
			tuple = xlaproto.ShardingType(f.Int) == xlaproto.Tuple
		case f.Is(shardingTuples, wire.Bytes):
			list = append(list, f.Bytes)
		}
		return nil
	})
	if !tuple {
		list = [][]byte{output}
	}
	return list, err
}
