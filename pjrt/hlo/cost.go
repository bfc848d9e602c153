// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"math/bits"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// Cost is an estimate of what an execution of a program costs. A number that does not fit is
// math.MaxInt64.
type Cost struct {
	Flops           int64 // as [Instruction.Flops] counts them, and those of sorts and Fourier transforms
	Transcendentals int64 // values of exp, log, tanh and the like
	// Bytes is how many bytes the operations read and write. What is between the operations of a
	// fusion stays in registers and does not count.
	Bytes int64
}

// add adds n times the other cost.
func (c *Cost) add(other Cost, n int64) {
	c.Flops = plus(c.Flops, times(other.Flops, n))
	c.Transcendentals = plus(c.Transcendentals, times(other.Transcendentals, n))
	c.Bytes = plus(c.Bytes, times(other.Bytes, n))
}

// Cost returns the cost of one execution on one device, by the rules of XLA's HloCostAnalysis. A
// loop counts once, and a conditional as its most expensive branch, since what they do is known
// only when they run. A custom call counts nothing, where XLA takes 1 off every number.
//
// The program is to be an optimized one, which OptimizedProgram of package pjrt returns: the
// compiler fuses and removes operations. For the same program the plugin for CPUs of API 0.81
// returns the same numbers under the names flops, transcendentals and bytes accessed; those of
// API 0.106 and 0.115 return none.
func (m *Module) Cost() Cost {
	if m == nil || m.Entry == nil {
		return Cost{}
	}
	a := analysis{known: make(map[*Computation]Cost), fused: make(map[*Computation]int64), inner: make(map[*Computation]int64)}
	for _, c := range callees(m.Entry) {
		a.known[c] = a.computation(c)
	}
	return a.known[m.Entry]
}

// callees returns the computation and those that it calls, each after all that it calls.
func callees(entry *Computation) []*Computation {
	type step struct {
		c    *Computation
		done bool // what it calls is in the list
	}
	var list []*Computation
	seen := make(map[*Computation]bool)
	for stack := []step{{entry, false}}; len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case s.done:
			list = append(list, s.c)
			continue
		case s.c == nil || seen[s.c]:
			continue
		}
		seen[s.c] = true
		stack = append(stack, step{s.c, true})
		for _, i := range s.c.Instructions {
			if i == nil {
				continue
			}
			for _, c := range i.Called {
				stack = append(stack, step{c, false})
			}
		}
	}
	return list
}

// analysis counts the computations of a module, each once: very many instructions can call a large
// one.
type analysis struct {
	known map[*Computation]Cost
	fused map[*Computation]int64 // what fusionBytes returns
	inner map[*Computation]int64 // what flopsInside returns
}

// once returns what count returns for a computation.
func once(known map[*Computation]int64, c *Computation, count func(*Computation) int64) int64 {
	n, ok := known[c]
	if !ok {
		n = count(c)
		known[c] = n
	}
	return n
}

func (a *analysis) computation(c *Computation) (sum Cost) {
	for _, i := range c.Instructions {
		if i != nil {
			sum.add(a.instruction(i), 1)
		}
	}
	return sum
}

// instruction returns what an instruction costs, with what it calls.
func (a *analysis) instruction(i *Instruction) Cost {
	called := func(n int) Cost {
		if n < len(i.Called) {
			return a.known[i.Called[n]]
		}
		return Cost{}
	}
	// applied returns the operations of a computation that combines elements, which are in
	// registers.
	applied := func(n int, elements int64) (c Cost) {
		c.add(called(n), elements)
		c.Bytes = 0
		return c
	}
	var c Cost
	switch i.Opcode {
	case "parameter", "constant", "get-tuple-element", "bitcast", "custom-call", "after-all", "domain", "add-dependency":
		return c
	case "call", "while", "async-start":
		for n := range i.Called {
			c.add(called(n), 1)
		}
		return c
	case "conditional":
		for n := range i.Called {
			branch := called(n)
			c.Flops = max(c.Flops, branch.Flops)
			c.Transcendentals = max(c.Transcendentals, branch.Transcendentals)
			c.Bytes = max(c.Bytes, branch.Bytes)
		}
		return c
	case "fusion":
		c = called(0)
		c.Bytes = 0
		if len(i.Called) > 0 {
			c.Bytes = once(a.fused, i.Called[0], fusionBytes)
		}
		return c
	case "reduce":
		c = applied(0, max(i.operand(0).Shape.Size()-i.Shape.first(), 0))
	case "reduce-window":
		c = applied(0, times(i.Shape.first(), max(i.windowSize()-1, 0)))
	case "select-and-scatter":
		n := i.operand(1).Shape.Size()
		c = applied(0, times(n, max(i.windowSize()-1, 0)))
		c.add(applied(1, n), 1)
	case "map":
		c = applied(0, i.Shape.Size())
	case "all-reduce", "reduce-scatter":
		inside := int64(0)
		for _, called := range i.Called {
			inside = plus(inside, once(a.inner, called, flopsInside))
		}
		c.Flops = times(i.Shape.first(), inside)
	case "scatter":
		c = applied(0, i.operand(len(i.Operands)/2+1).Shape.Size())
	case "sort":
		n := i.operand(0).Shape.Size()
		c.Flops = times(n, log2(n))
	case "fft":
		const perStep = 8 // four products and sums of real numbers
		c.Flops = times(i.operand(0).Shape.Size(), perStep)
		for _, length := range i.fftLengths() {
			c.Flops = times(c.Flops, int64(bits.Len64(uint64(max(length, 1)))-1))
		}
	case "rng", "rng-bit-generator":
		for _, s := range i.Shape.Arrays() {
			c.Transcendentals = plus(c.Transcendentals, s.Size())
		}
	default:
		c.Flops, c.Transcendentals = i.Flops(), i.Transcendentals()
	}
	c.Bytes = i.bytes()
	return c
}

// bytes returns how many bytes an instruction reads and writes.
func (i *Instruction) bytes() int64 {
	out := i.Shape.bytes()
	switch i.Opcode {
	case "tuple":
		return out
	case "slice":
		return times(out, 2)
	case "dynamic-slice", "gather":
		return plus(times(out, 2), i.operand(1).Shape.bytes())
	case "dynamic-update-slice":
		return plus(times(i.operand(1).Shape.bytes(), 2), i.operand(2).Shape.bytes())
	case "scatter":
		n := i.operand(len(i.Operands) / 2).Shape.bytes()
		for at := len(i.Operands)/2 + 1; at < len(i.Operands); at++ {
			n = plus(n, times(i.operand(at).Shape.bytes(), 2))
		}
		return n
	}
	n := out
	for at := range i.Operands {
		n = plus(n, i.operand(at).Shape.bytes())
	}
	return n
}

// operand returns an operand, or an instruction without a shape.
func (i *Instruction) operand(n int) *Instruction {
	if n < len(i.Operands) && i.Operands[n] != nil {
		return i.Operands[n]
	}
	return new(Instruction)
}

// fusionBytes returns how many bytes a fusion with this computation reads and writes.
func fusionBytes(inside *Computation) (n int64) {
	if inside == nil || inside.Root == nil {
		return 0
	}
	root := inside.Root
	written := []*Instruction{root}
	if root.Opcode == "tuple" {
		written = root.Operands
	}
	for _, w := range written {
		if w == nil {
			continue
		}
		if w.Opcode == "dynamic-update-slice" {
			w = w.operand(1)
		}
		for _, s := range w.Shape.Arrays() {
			n = plus(n, s.bytes())
		}
	}
	users := make(map[*Instruction][]*Instruction)
	for _, u := range inside.Instructions {
		if u == nil {
			continue
		}
		for _, o := range u.Operands {
			if list := users[o]; len(list) == 0 || list[len(list)-1] != u {
				users[o] = append(list, u)
			}
		}
	}
	for _, p := range inside.Instructions {
		if p != nil && p.Opcode == "parameter" {
			n = plus(n, readBytes(p, users[p]))
		}
	}
	return n
}

// readBytes returns how many bytes of a parameter of a fusion its users read.
func readBytes(p *Instruction, users []*Instruction) (n int64) {
	whole := false
	for _, u := range users {
		first := u.operand(0) == p
		switch {
		case u.Opcode == "slice", u.Opcode == "dynamic-slice" && first:
			n = plus(n, u.Shape.bytes())
		case u.Opcode == "broadcast", u.Opcode == "reshape":
			n = plus(n, p.Shape.bytes())
		case u.Opcode == "dynamic-update-slice" && first:
		case !whole:
			whole = true
			n = plus(n, p.Shape.bytes())
		}
	}
	return n
}

// pointer is the size of a pointer, of which a tuple has one for each element.
const pointer = 8

// bytes returns the size of a value without padding.
func (s *Shape) bytes() int64 {
	if s.IsTuple {
		return times(int64(len(s.Elements)), pointer)
	}
	width := int64(s.Type.Bits())
	if s.Layout != nil && s.Layout.ElementBits > 0 {
		width = s.Layout.ElementBits
	} else {
		width = (width + 7) / 8 * 8
	}
	if width%8 == 0 {
		return times(s.Size(), width/8)
	}
	n := times(s.Size(), width)
	return n/8 + min(n%8, 1)
}

// windowSize returns how many elements a window has.
func (i *Instruction) windowSize() int64 {
	if i.Window == nil {
		return 0
	}
	n := int64(1)
	for _, d := range i.Window.Dimensions {
		n = times(n, max(d.Size, 0))
	}
	return n
}

// log2 returns the logarithm, rounded up.
func log2(n int64) int64 {
	if n <= 1 {
		return 0
	}
	return int64(bits.Len64(uint64(n - 1)))
}

// fftLengths returns the lengths of a Fourier transform.
func (i *Instruction) fftLengths() (list []int64) {
	const fftLength = 32 // HloInstructionProto
	_ = wire.Visit(i.rest, func(f wire.Field) error {
		if f.IsList(fftLength) {
			return wire.Ints(&list, f)
		}
		return nil
	})
	return list
}
