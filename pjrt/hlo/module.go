// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"iter"
	"slices"
)

// Module is a program: a HloModuleProto message.
type Module struct {
	Name string
	ID   int64
	// Computations has every computation once, in any order.
	Computations []*Computation
	// Entry is the computation that executions begin with. Its parameters and its result are
	// those of the program, and must keep their shapes.
	Entry *Computation

	scheduled bool
	rest      []byte // fields that have no place here
}

// Computation is a function, such as the body of a loop, the inside of a fusion or the
// operation that combines the elements of a reduction.
type Computation struct {
	Name string
	// Instructions has every instruction once, in any order.
	Instructions []*Instruction
	// Root is the instruction whose value is the result.
	Root *Instruction
	// Schedule is the order in which the instructions run, nil before a scheduler has chosen
	// one. It has every instruction once. To remove it from a module, call Unschedule.
	Schedule []*Instruction

	id        int64
	known     bool // id is set
	listed    bool // the schedule names the computation, perhaps without instructions
	scheduled bool // Decode found a schedule with instructions
	rest      []byte
}

// Instruction is one operation. Fields that belong to other opcodes are zero.
type Instruction struct {
	// Name is unique in the module. Encode names those that have none.
	Name string
	// Opcode is the name of the operation in HLO: add, dot, custom-call.
	Opcode string
	Shape  Shape
	// Operands are instructions of the same computation.
	Operands []*Instruction
	// After are instructions of the same computation that must run before this one although
	// it uses no data of theirs.
	After []*Instruction
	// Called are the computations that the operation calls: the body and the condition of a
	// while, the inside of a fusion.
	Called []*Computation

	Parameter   int64   // the number of a parameter
	TupleIndex  int64   // the element that get-tuple-element takes
	Dimensions  []int64 // of broadcast, concatenate, iota, reduce, transpose and others
	Comparison  string  // the direction of compare: EQ, LT
	FusionKind  string  // of fusion: kLoop, kOutput
	Target      string  // the target of custom-call
	SideEffects bool    // of custom-call: it must run even if nothing uses its results
	// Config is the backend_config, which the compiler or the handler of a custom call reads.
	Config []byte
	// Sharding is a serialized OpSharding, which says how the value is spread over devices; nil
	// if the module does not say. In package pjrt it is the Proto of a Sharding. The message for
	// an array that every device has whole can be empty. A tuple needs that of a tuple, with one
	// element for each of its arrays.
	Sharding []byte
	// Attributes are the frontend attributes, which XLA passes on without interpreting them.
	Attributes map[string]string
	// Source says what the operation was made from.
	Source Source

	Dot         *Dot         // of dot
	Convolution *Convolution // of convolution
	Window      *Window      // of convolution and reduce-window

	literal []byte // of constant
	id      int64
	known   bool // id is set
	rest    []byte
}

// ID returns the number of the instruction in its computation, by which other messages of XLA,
// such as a buffer assignment, refer to it. Encode numbers new instructions, and changes the
// number of one that is in a computation with another of the same number.
func (i *Instruction) ID() int64 {
	if i == nil {
		return 0
	}
	return i.id
}

// Source says what an operation was made from.
type Source struct {
	Op   string // such as jit(f)/add
	Type string // such as add
	File string
	Line int

	rest []byte
}

// Dot says which dimensions of its operands a dot multiplies and sums over, and which are
// batch dimensions.
type Dot struct {
	LHSContracting, RHSContracting []int64
	LHSBatch, RHSBatch             []int64

	rest []byte
}

// Convolution says what the dimensions of the operands and the result of a convolution are.
type Convolution struct {
	InputBatch, InputFeature          int64
	InputSpatial                      []int64
	KernelInputFeature, KernelFeature int64 // KernelFeature is the output feature
	KernelSpatial                     []int64
	OutputBatch, OutputFeature        int64
	OutputSpatial                     []int64

	rest []byte
}

// Window is what slides over the operand of a convolution or a reduce-window: one element for
// each dimension.
type Window struct {
	Dimensions []WindowDimension

	rest []byte
}

// WindowDimension is one dimension of a window.
type WindowDimension struct {
	Size, Stride                 int64
	PaddingLow, PaddingHigh      int64
	WindowDilation, BaseDilation int64
	Reversed                     bool

	rest []byte
}

// All returns every instruction of the module with its computation, in the order in which
// they are listed.
func (m *Module) All() iter.Seq2[*Computation, *Instruction] {
	return func(yield func(*Computation, *Instruction) bool) {
		if m == nil {
			return
		}
		for _, c := range slices.Clone(m.Computations) {
			if c == nil {
				continue
			}
			for _, i := range slices.Clone(c.Instructions) {
				if i != nil && !yield(c, i) {
					return
				}
			}
		}
	}
}

// Users returns the instructions of the computation that have i as an operand.
func (c *Computation) Users(i *Instruction) []*Instruction {
	if c == nil {
		return nil
	}
	var users []*Instruction
	for _, u := range c.Instructions {
		if slices.Contains(u.Operands, i) {
			users = append(users, u)
		}
	}
	return users
}

// Add adds an instruction to the computation and returns it. If the computation is
// scheduled, the instruction runs as soon as its operands are there.
func (c *Computation) Add(i *Instruction) *Instruction {
	if c == nil || i == nil {
		return i
	}
	c.Instructions = append(c.Instructions, i)
	if c.Schedule != nil {
		at := 0
		for _, before := range slices.Concat(i.Operands, i.After) {
			at = max(at, slices.Index(c.Schedule, before)+1)
		}
		if i.Opcode == "parameter" {
			at = 0
		}
		c.Schedule = slices.Insert(c.Schedule, at, i)
	}
	return i
}

// Replace puts with in the place of old: in the operands of old's users, in the After of other
// instructions, and as the result of the computation. It then removes old. The operands of old
// stay, even if nothing uses them any more. with must be part of the computation and have the
// shape of old; it may use old's operands, but not old itself.
func (c *Computation) Replace(old, with *Instruction) {
	if c == nil {
		return
	}
	for _, i := range c.Instructions {
		for n, o := range i.Operands {
			if o == old {
				i.Operands[n] = with
			}
		}
		for n, o := range i.After {
			if o == old {
				i.After[n] = with
			}
		}
		if i != with {
			continue
		}
		i.After = slices.DeleteFunc(i.After, func(o *Instruction) bool { return o == with })
	}
	if c.Root == old {
		c.Root = with
	}
	c.Remove(old)
}

// Remove takes an instruction that nothing uses out of the computation. Encode refuses a
// module in which something still uses it.
func (c *Computation) Remove(i *Instruction) {
	if c == nil {
		return
	}
	is := func(x *Instruction) bool { return x == i }
	c.Instructions = slices.DeleteFunc(c.Instructions, is)
	c.Schedule = slices.DeleteFunc(c.Schedule, is)
}

// Unschedule removes the order in which the instructions run, so that the compiler chooses one.
// Call it before compiling a module again: some compilers end the process if a module already
// has an order. Package pjrt removes the order for the compilers that are known to do so.
func (m *Module) Unschedule() {
	if m == nil {
		return
	}
	m.scheduled = false
	for _, c := range m.Computations {
		if c != nil {
			c.Schedule, c.listed, c.scheduled = nil, false, false
		}
	}
}
