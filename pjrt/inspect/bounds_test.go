// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/growth"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/inspect"
)

// encoded returns a module with these instructions, of which the last is the root.
func encoded(t *testing.T, list ...*hlo.Instruction) pjrt.Program {
	t.Helper()
	c := &hlo.Computation{Name: "main", Instructions: list, Root: list[len(list)-1]}
	code, err := (&hlo.Module{Name: "m", Computations: []*hlo.Computation{c}, Entry: c}).Encode()
	require.NoError(t, err)
	return pjrt.Program{Format: pjrt.FormatHLO, Code: code}
}

func scalar() *hlo.Instruction {
	return &hlo.Instruction{Opcode: "parameter", Shape: hlo.Array(dtype.F32)}
}

// chain returns a parameter and tuples of twice the one before, whose shapes shape returns.
func chain(n int, shape func(inside hlo.Shape) hlo.Shape) []*hlo.Instruction {
	list := []*hlo.Instruction{scalar()}
	for range n {
		last := list[len(list)-1]
		list = append(list, &hlo.Instruction{Opcode: "tuple", Shape: shape(last.Shape), Operands: []*hlo.Instruction{last, last}})
	}
	return list
}

func TestTuplesShareTheBuffersOfTheirOperands(t *testing.T) {
	p, err := inspect.ReadProgram(encoded(t, chain(4, func(s hlo.Shape) hlo.Shape { return hlo.Tuple(s, s) })...))
	require.NoError(t, err)
	s := p.Schedule()
	require.Len(t, s.Buffers, 1, "all tuples hold the parameter")
	assert.Equal(t, 4, s.Buffers[0].Last)
}

// A tuple whose shape says nothing of its operands has one buffer, where the buffers of 64 tuples
// of two would be more than any memory has.
func TestTuplesThatStateAnotherShapeHaveBuffersOfTheirOwn(t *testing.T) {
	p, err := inspect.ReadProgram(encoded(t, chain(64, func(hlo.Shape) hlo.Shape { return hlo.Array(dtype.F32) })...))
	require.NoError(t, err)
	assert.Len(t, p.Schedule().Buffers, 65)
}

// A value is alive up to the last instruction that uses any tuple with it.
func TestValuesInTuplesAreAliveAsLongAsTheTuples(t *testing.T) {
	x := scalar()
	negated := &hlo.Instruction{Opcode: "negate", Shape: x.Shape, Operands: []*hlo.Instruction{x}}
	pair := &hlo.Instruction{Opcode: "tuple", Shape: hlo.Tuple(x.Shape, x.Shape), Operands: []*hlo.Instruction{x, negated}}
	list := []*hlo.Instruction{x, negated, pair}
	for range 3 {
		list = append(list, &hlo.Instruction{Opcode: "get-tuple-element", TupleIndex: 1, Shape: x.Shape, Operands: []*hlo.Instruction{pair}})
	}
	list = append(list, &hlo.Instruction{Opcode: "constant", Shape: x.Shape})
	p, err := inspect.ReadProgram(encoded(t, list...))
	require.NoError(t, err)
	s := p.Schedule()
	require.Len(t, s.Buffers, 3, "the parameter, what is negated, and the constant")
	assert.Equal(t, []int{1, 5}, []int{s.Buffers[1].First, s.Buffers[1].Last})
}

// One long name can be that of every operand, of every element of a tuple and of every slot, and a
// sharding of a few bytes can list a million devices.
func TestSmallProgramsMakeLittleText(t *testing.T) {
	const n = 20_000
	long := strings.Repeat("x", n)
	named := scalar()
	named.Name = long
	uses := &hlo.Instruction{Opcode: "tuple", Shape: hlo.Array(dtype.F32), Operands: slices.Repeat([]*hlo.Instruction{named}, n)}
	wide := &hlo.Instruction{Name: long, Opcode: "infeed", Shape: hlo.Tuple(slices.Repeat([]hlo.Shape{hlo.Array(dtype.F32)}, n)...)}
	calls := instruction("calls", "call", 1, 1)
	calls = wire.AppendInts(calls, 38, slices.Repeat([]int64{8}, n))
	inside := wire.AppendInt(wire.AppendInt(wire.AppendBytes(nil, 1, long), 5, int64(8)), 6, int64(1))
	inside = wire.AppendBytes(inside, 2, instruction("a", "parameter", 1, 1))
	million := wire.AppendInts(wire.AppendInts(wire.AppendInt(nil, 1, int64(3)), 3, []int64{1 << 20}), 9, []int64{1 << 20})
	pair := wire.AppendBytes(wire.AppendBytes(wire.AppendInt(nil, 1, int64(2)), 5, million), 5, million)
	sharded := func(sharding []byte) (list []*hlo.Instruction) {
		for number := range 1000 {
			i := scalar()
			i.Parameter, i.Sharding = int64(number), sharding
			list = append(list, i)
		}
		return list
	}
	for name, program := range map[string]pjrt.Program{
		"operands":           encoded(t, named, uses),
		"elements":           encoded(t, wide),
		"called":             {Format: pjrt.FormatHLO, Code: wire.AppendBytes(module(1, calls), 3, inside)},
		"devices":            encoded(t, sharded(million)...),
		"devices of a tuple": encoded(t, sharded(pair)...),
	} {
		work := growth.Measure(func(code []byte) error {
			p, err := inspect.ReadProgram(pjrt.Program{Format: program.Format, Code: code})
			require.NoError(t, err, name)
			r := inspect.Report{Program: p, Schedule: p.Schedule(), Kernels: p.Kernels()}
			slot := inspect.Slot{Name: r.Schedule.Buffers[0].Name, Bytes: 1}
			r.Allocations = []inspect.Allocation{{Bytes: 1, Slots: slices.Repeat([]inspect.Slot{slot}, 1000)}}
			var page bytes.Buffer
			require.NoError(t, r.WriteHTML(&page), name)
			assert.Less(t, page.Len(), 4<<20, name)
			return nil
		}, program.Code)
		assert.Less(t, work.Bytes, uint64(200<<20), name)
	}
}

// What fits on a line is shown.
func TestShardingsOfInstructionsAreListed(t *testing.T) {
	rule := func(devices ...int64) []byte {
		return wire.AppendInts(wire.AppendInts(wire.AppendInt(nil, 1, int64(3)), 3, []int64{2, 2}), 9, devices)
	}
	for want, sharding := range map[string][]byte{
		"number=0, sharding={replicated}":               {},
		"number=0, sharding={devices=[2,2]0,1,2,3}":     rule(2, 2),
		"number=0, sharding={devices=[2,2]0,1,2,3,4,5}": wire.AppendInts(wire.AppendInts(wire.AppendInt(nil, 1, int64(3)), 3, []int64{2, 2}), 4, []int64{0, 1, 2, 3, 4, 5}),
		"number=0, sharding={{devices=[2,2]0,1,2,3}}":   wire.AppendBytes(wire.AppendInt(nil, 1, int64(2)), 5, rule(4)),
		"number=0": rule(2, 129),
	} {
		i := scalar()
		i.Sharding = sharding
		p, err := inspect.ReadProgram(encoded(t, i))
		require.NoError(t, err)
		assert.Equal(t, want, p.Computations[0].Instructions[0].Details)
	}
}
