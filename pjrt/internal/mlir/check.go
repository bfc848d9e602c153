// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package mlir finds parts of an MLIR module, in text or bytecode, on which XLA's compilers are known to end the
// process.
package mlir

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// Limits are checks that only some compilers need.
type Limits struct {
	// Bounded says that every dimension must be known or have a bound.
	Bounded bool
	// Devices is the number of devices that a collective permute may name; 0 means
	// any.
	Devices int
	// Stack is the size of the stack of the threads that compile; 0 means what the system gives threads.
	Stack int
	// UpToNUL says that the compiler may read text only up to a zero byte.
	UpToNUL bool
}

// Check returns an error for a module with functions that have no body, call themselves or call others too deeply, with
// arrays of more than hlo.MaxElements elements, with parts that are nested too deeply, or beyond the limits. It leaves
// other mistakes, and bytecode in an unknown form, for the plugin to report. How deep a program is nested bounds its own
// stack, too: it never runs out of it.
func Check(code []byte, limits Limits) error {
	if limits.Stack == 0 {
		limits.Stack = threadStack()
	}
	if bytes.HasPrefix(code, []byte(bytecode.Magic)) {
		m, err := bytecode.Read(code)
		switch d := depthsFor(limits.Stack); {
		case errors.Is(err, bytecode.ErrTooDeep), err == nil && m.Regions > d.regions:
			return d.tooDeep("regions", d.regions)
		case err != nil:
			return nil // the plugin may know the form
		}
		return checkBytecode(m, limits)
	}
	if limits.UpToNUL {
		if i := preempt.IndexByte(code, 0); i >= 0 {
			if err := checkText(code[:i], limits); err != nil {
				return err
			}
		}
	}
	return checkText(code, limits)
}

func checkText(code []byte, limits Limits) error {
	r := newReader(code, limits)
	if err := r.read(); err != nil {
		return err
	}
	return checkCalls(r.functions, r.kept, r.depths)
}

// IsText reports whether code contains only bytes that occur in text.
func IsText(code []byte) bool {
	// Programs have constants of many megabytes, so look at eight bytes at once. The formulas for a byte below n and for a
	// zero byte are those of Anderson's Bit Twiddling Hacks.
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

func checkBytecode(m *bytecode.Module, limits Limits) error {
	for _, n := range m.Permuted {
		if err := limits.checkPermuted(n); err != nil {
			return err
		}
	}
	for _, tensor := range m.Tensors {
		text := tensor.Text
		if text == "" {
			text = tensorText(tensor)
		}
		if err := newReader([]byte(text), limits).read(); err != nil {
			return err
		}
	}
	functions := make([]*function, len(m.Functions))
	for i, f := range m.Functions {
		// The visibility is not known, so only main is known to be kept.
		functions[i] = &function{name: f.Name, hasBody: f.HasBody, private: true}
		for _, name := range f.Uses {
			functions[i].uses = append(functions[i].uses, use{name: name})
		}
	}
	return checkCalls(functions, nil, depthsFor(limits.Stack))
}

func tensorText(t bytecode.Tensor) string {
	var b strings.Builder
	b.WriteString("tensor<")
	for _, d := range t.Dims {
		if d == bytecode.Dynamic {
			b.WriteByte('?')
		} else {
			b.WriteString(strconv.FormatInt(d, 10))
		}
		b.WriteByte('x')
	}
	if t.Encoded {
		b.WriteString("..., #stablehlo.bounds<>")
	}
	b.WriteString("...>")
	return b.String()
}

func (l Limits) checkPermuted(n int64) error {
	if l.Devices > 0 && (n < 0 || n >= int64(l.Devices)) {
		return fmt.Errorf("a collective permute in the program is from or to number %d, but the compile options are for %d, and "+
			"libtpu may end the process: set Replicas or Partitions", n, l.Devices)
	}
	return nil
}
