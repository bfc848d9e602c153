// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// permutes reports whether the process ends on collective permutes from devices that there are not.
func (c Compiler) permutes() bool { return c.TPU || c.CPU > 0 }

func (c Compiler) limits() mlir.Limits {
	return mlir.Limits{Bounded: c.TPU, Permutes: c.permutes(), CPU: c.CPU, UpToNUL: c.UpToNUL}
}

// text is a module of MLIR in text.
type text struct {
	code  []byte
	whole *mlir.Module // nil before Read

	sought  bool // main was looked for
	found   bool
	main    mlir.Signature
	counted bool // spread is known
	spread  dataflow.Spread
}

func (t *text) Format() string     { return MLIR }
func (t *text) Code() []byte       { return t.code }
func (t *text) MakesTuple() bool   { return true }
func (t *text) Uncompiled() []byte { return t.code }
func (t *text) Suffix() string     { return ".mlir" }

func (t *text) Read(ctx context.Context, c Compiler) error {
	if t.whole != nil {
		return nil
	}
	whole := mlir.Read(ctx, t.code, c.limits())
	if err := ctx.Err(); err != nil {
		return err
	}
	t.whole = whole
	t.main, t.found, t.sought = t.whole.Main, t.whole.HasMain, true
	t.spread, t.counted = t.whole.Spread, true
	return nil
}

func (t *text) Check(devices int) error {
	if t.whole == nil {
		return nil
	}
	return t.whole.Check(devices)
}

func (t *text) Spread() dataflow.Spread {
	if !t.counted {
		t.spread, t.counted = mlir.ReadSpread(context.Background(), t.code), true
	}
	return t.spread
}

// signature returns the types of the main function.
func (t *text) signature() (mlir.Signature, bool) {
	if !t.sought {
		t.main, t.found = mlir.FindMain(context.Background(), t.code)
		t.sought = true
	}
	return t.main, t.found
}

func (t *text) Parameters() []array.Shape { return known(t.signature()) }

// known returns the parameters of a main function if the shapes of all are known, and nil
// otherwise.
func known(main mlir.Signature, ok bool) []array.Shape {
	if !ok || slices.ContainsFunc(main.Params, func(s array.Shape) bool { return !s.Known() }) {
		return nil
	}
	return main.Params
}

func (t *text) Counts() (parameters, results int, ok bool) {
	main, ok := t.signature()
	return len(main.Params), len(main.Results), ok
}

func (t *text) Tuples(tupled bool) ([]xlaproto.Shape, bool) {
	main, ok := t.signature()
	for _, p := range main.Params {
		ok = ok && p.Type.Valid() // some of the others are tuples
	}
	if !ok && len(main.Params) > 0 {
		return nil, false // there can be very many
	}
	parameters := make([]xlaproto.Shape, len(main.Params))
	if tupled {
		parameters = []xlaproto.Shape{{ElementType: xlaproto.PrimitiveTuple, Tuple: parameters}}
	}
	return parameters, ok
}

// layoutMode is the attribute with which a program states the layout of a parameter or result.
var layoutMode = []byte("mhlo.layout_mode")

func (t *text) StatesLayouts() bool {
	rest := t.code
	for preempt.Contains(rest, layoutMode) {
		at := bytes.Index(rest, layoutMode) + len(layoutMode)
		rest = rest[at:]
		value := bytes.TrimLeft(rest[:min(len(rest), 64)], " \t\r\n=")
		if !bytes.HasPrefix(value, []byte(`"default"`)) {
			return true
		}
	}
	return false
}

// artifact is a module of MLIR in bytecode, such as a portable artifact of StableHLO.
type artifact struct {
	other
	read    bool
	readFor dataflow.Compiler // for which the module has its operations
	module  *bytecode.Module
	err     error
	checked *mlir.Module // nil before Read
}

func (a *artifact) MakesTuple() bool { return true }
func (a *artifact) Suffix() string   { return ".mlirbc" }

// StatesLayouts does not tell default layouts from others.
func (a *artifact) StatesLayouts() bool { return preempt.Contains(a.code, layoutMode) }

// contents returns what is in the module, with its operations if the compiler has checks for them.
func (a *artifact) contents(ctx context.Context, c dataflow.Compiler) (*bytecode.Module, error) {
	if !a.read || c != (dataflow.Compiler{}) && c != a.readFor {
		a.module, a.read = nil, false // two would take twice the memory
		m, err := bytecode.Read(ctx, a.code, c)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a.module, a.err, a.read, a.readFor = m, err, true, c
	}
	return a.module, a.err
}

func (a *artifact) Read(ctx context.Context, c Compiler) error {
	if a.checked != nil {
		return nil
	}
	m, err := a.contents(ctx, c.limits().Compiler())
	checked := mlir.OfBytecode(ctx, m, err, c.limits())
	if err := ctx.Err(); err != nil {
		return err
	}
	a.checked = checked
	if err == nil {
		m.Operations = nil // they are large
	}
	return nil
}

func (a *artifact) Check(devices int) error {
	if a.checked == nil {
		return nil
	}
	return a.checked.Check(devices)
}

// signature returns the types of the main function.
func (a *artifact) signature() (mlir.Signature, bool) {
	m, err := a.contents(context.Background(), dataflow.Compiler{})
	if err != nil {
		return mlir.Signature{}, false
	}
	return mlir.MainOfBytecode(m)
}

func (a *artifact) Parameters() []array.Shape { return known(a.signature()) }

func (a *artifact) Counts() (parameters, results int, ok bool) {
	main, ok := a.signature()
	return len(main.Params), len(main.Results), ok
}

func (a *artifact) Spread() dataflow.Spread {
	m, err := a.contents(context.Background(), dataflow.Compiler{})
	if err != nil {
		return dataflow.Spread{}
	}
	return mlir.SpreadOfBytecode(m)
}

// OtherAge is in the message of a parser of MLIR for constants of bools in hexadecimal digits that
// are written as at another age, and for digits that are too few or too many at any age.
const OtherAge = "elements hex data size is invalid"

// Rewritten returns a program that a compiler refused with the message, written as it may read it,
// or nil.
func Rewritten(ctx context.Context, format string, code []byte, message string) []byte {
	if !IsText(format, code) || !strings.Contains(message, OtherAge) {
		return nil
	}
	again, _ := mlir.OtherBools(ctx, code) // without it, the message stands
	return again
}

// isExported reports whether data is what Exported.serialize of jax.export returns: a table
// of FlatBuffers, which have no magic number, with a program in bytecode in it.
func isExported(data []byte) bool {
	if len(data) < 8 {
		return false
	}
	size := uint64(len(data))
	table := uint64(binary.LittleEndian.Uint32(data))
	if table < 8 || table+4 > size {
		return false
	}
	fields := table - uint64(binary.LittleEndian.Uint32(data[table:])) // their offsets lie before the table
	if fields < 4 || fields+4 > table {
		return false
	}
	length := uint64(binary.LittleEndian.Uint16(data[fields:]))
	return length >= 4 && length%2 == 0 && fields+length <= size && preempt.Contains(data, []byte(bytecode.Magic))
}
