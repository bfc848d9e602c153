// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package mlir reads modules of MLIR, in text or bytecode: the types of the main function, what the
// module says about its devices, and parts of it on which XLA's compilers are known to end the
// process.
package mlir

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// Limits are checks that only some compilers need.
type Limits struct {
	// Bounded says that every dimension must be known or have a bound.
	Bounded bool
	// Permutes says that a collective permute may name only devices that there are.
	Permutes bool
	// Stack is the size of the stack of the threads that compile; 0 means what the system gives
	// threads.
	Stack int
	// CPU is the minor version of the API of XLA's plugin for CPUs, 0 for other plugins.
	CPU int
	// UpToNUL says that the compiler may read text only up to a zero byte.
	UpToNUL bool
}

// Compiler returns what the checks of package dataflow need to know.
func (l Limits) Compiler() dataflow.Compiler {
	return dataflow.Compiler{Minor: l.CPU, MLIR: true}
}

// Module is a module that has been read.
type Module struct {
	Spread dataflow.Spread
	// Main has the types of the main function, if HasMain is set.
	Main    Signature
	HasMain bool

	findings []finding
}

// finding is what is wrong with a module, or with a beginning of it that is a module for some
// compilers.
type finding struct {
	permuted dataflow.Permuted // its numbers come before err
	err      error
}

// Read reads a module in text. How deep a program is nested bounds the reader's own stack, too: it
// never runs out of it. The steps and the memory that it takes are proportional to the size of the
// text. If ctx ends, Check returns its error.
func Read(ctx context.Context, code []byte, limits Limits) *Module {
	m := new(Module)
	nul := preempt.IndexByte(code, 0)
	if limits.UpToNUL && nul >= 0 {
		m.read(ctx, code[:nul], limits)
	}
	r := m.read(ctx, code, limits)
	m.Spread = r.devices.Spread
	if r.main != nil && nul < 0 {
		m.Main, m.HasMain = *r.main, true
	}
	return m
}

func (m *Module) read(ctx context.Context, code []byte, limits Limits) *reader {
	r := newReader(ctx, code, limits)
	err := r.read()
	if err == nil {
		err = checkCalls(r.functions, &r.kept, r.depths)
	}
	if c := limits.Compiler(); err == nil && (r.mentions || c.Minor > 0 && r.hasLarge || mentionsTypes(code, c)) {
		operations := readOperations(code, r.work)
		if err = r.work.err; err == nil {
			err = operations.Check(c)
		}
	}
	m.findings = append(m.findings, finding{r.permuted, err})
	return r
}

// OfBytecode returns what is in a module of bytecode, given the results of bytecode.Read. A module
// in a form that that does not know is left for the plugin to report.
func OfBytecode(ctx context.Context, b *bytecode.Module, err error, limits Limits) *Module {
	m := new(Module)
	var f finding
	switch d := depthsFor(limits.stack()); {
	case errors.Is(err, bytecode.ErrTooDeep), err == nil && b.Regions > d.regions:
		f.err = d.tooDeep("regions", d.regions)
	case err == nil:
		if limits.Permutes {
			for _, n := range b.Permuted {
				f.permuted.Add(n)
			}
		}
		f.err = checkBytecode(ctx, b, limits)
		if f.err == nil && b.Operations != nil {
			f.err = b.Operations.Check(limits.Compiler())
		}
	}
	if err == nil {
		m.Spread = SpreadOfBytecode(b)
	}
	m.findings = []finding{f}
	return m
}

// Check returns an error for a module with functions that have no body, call themselves or call
// others too deeply, with arrays of more than dataflow.MaxElements elements, with parts that are
// nested too deeply, or beyond the limits. It leaves other mistakes for the plugin to report.
// devices is how many devices the program runs on, or 0 if that is not certain.
func (m *Module) Check(devices int) error {
	for _, f := range m.findings {
		if err := f.permuted.Check(devices); err != nil {
			return err
		}
		if f.err != nil {
			return f.err
		}
	}
	return nil
}

// IsText reports whether code contains only bytes that occur in text.
func IsText(code []byte) bool {
	// Programs have constants of many megabytes, so look at eight bytes at once. The formulas for a
	// byte below n and for a zero byte are those of Anderson's Bit Twiddling Hacks.
	const ones, high = 0x0101010101010101, 0x8080808080808080
	rest := code
	for ; len(rest) >= 8; rest = rest[8:] {
		w := binary.LittleEndian.Uint64(rest)
		del := w ^ ones*0x7f
		if (w-ones*' ')&^w&high|(del-ones)&^del&high != 0 && !isPrintable(rest[:8]) {
			return false
		}
	}
	return isPrintable(rest) && utf8.Valid(code)
}

// isPrintable reports whether the bytes are no control characters but those of space.
func isPrintable(s []byte) bool {
	for _, c := range s {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f' || c == 0x7f {
			return false
		}
	}
	return true
}

func checkBytecode(ctx context.Context, m *bytecode.Module, limits Limits) error {
	r := newReader(ctx, nil, limits)
	var text []byte
	for tensor := range m.Tensors() {
		r.code, r.pos = tensor.Text, 0
		if tensor.Text == nil {
			text = appendTensor(text[:0], tensor)
			r.code = text
		}
		if err := r.read(); err != nil {
			return err
		}
	}
	// The names are compared with main alone, since any number of functions can have the same long
	// one. The visibility is not known, so only main is known to be kept.
	functions := make([]function, len(m.Functions))
	c := calls{depths: depthsFor(limits.stack())}
	for i, f := range m.Functions {
		if !f.HasBody {
			return noBody(f.Name)
		}
		functions[i] = function{name: f.Name, hasBody: true, private: true}
		for _, to := range f.Uses {
			functions[i].uses.add(use{alias: &functions[to]})
		}
	}
	for i := range functions {
		if functions[i].name != "main" {
			continue
		}
		if err := c.check(&functions[i]); err != nil {
			return err
		}
	}
	return nil
}

// appendTensor appends a type in MLIR's notation.
func appendTensor(b []byte, t bytecode.Tensor) []byte {
	b = append(b, "tensor<"...)
	for _, d := range t.Dims {
		if d == bytecode.Dynamic {
			b = append(b, '?')
		} else {
			b = strconv.AppendInt(b, d, 10)
		}
		b = append(b, 'x')
	}
	if t.Encoded {
		b = append(b, "..., #stablehlo.bounds<>"...)
	}
	return append(b, "...>"...)
}
