// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package source reads programs, in whatever format they are, for those who compile them. Nobody
// else looks at the format.
package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/filetype"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// The formats of programs, as the C API names them.
const (
	MLIR          = "mlir"
	HLO           = "hlo"
	HLOWithConfig = "hlo_with_config"
)

// Source is a program. It keeps the code, which must not change, and reads a part of it when it is
// first asked for, or all of it at once in Read. One goroutine may use it at a time.
type Source interface {
	// Format returns the name of the format.
	Format() string

	// Code returns the program as plugins get it.
	Code() []byte

	// Read reads the whole program, once. After it, only Uncompiled looks at the code. It fails
	// only with the error of ctx, if that ends before the program does.
	Read(ctx context.Context, c Compiler) error

	// Check returns an error if the compiler that Read was called for is known to end the process
	// on the program. devices is how many devices the program runs on, or 0 if that is not certain.
	// Before Read it returns nil.
	Check(devices int) error

	// Spread returns what the program itself says about its devices.
	Spread() dataflow.Spread

	// Parameters returns the shapes of the arguments, or nil if the program is not one in MLIR that
	// has all of them.
	Parameters() []array.Shape

	// Counts returns the numbers of parameters and results. A result that is a tuple counts as its
	// elements. ok is false if only a compiler can read them.
	Counts() (parameters, results int, ok bool)

	// Tuples returns the parameters with their tuples, as the compiler will see them; the arrays in
	// it may have neither type nor dimensions. tupled says that the compiler is told that all
	// arguments are in one tuple. ok is false if only a compiler can read them.
	Tuples(tupled bool) (parameters []xlaproto.Shape, ok bool)

	// StatesLayouts reports whether the program may itself say which layouts its parameters and
	// results have, other than the default ones.
	StatesLayouts() bool

	// MakesTuple reports whether a compiler that is told so makes the tuple of the arguments, which
	// the program itself must have otherwise.
	MakesTuple() bool

	// Uncompiled returns the code without what compilers put into programs, if the format has any.
	Uncompiled() []byte

	// Suffix returns how the name of a file with such a program ends.
	Suffix() string
}

// Compiler has what is known about a compiler.
type Compiler struct {
	TPU     bool // it is libtpu's
	CPU     int  // the minor version of the API of XLA's plugin for CPUs, 0 for others
	UpToNUL bool // it may read text only up to a zero byte
}

// Detect returns the format of code: MLIR for bytecode and text, one of the others for serialized
// HLO. Anything else counts as MLIR, for which plugins have the best diagnostics.
func Detect(code []byte) string {
	switch {
	case bytes.HasPrefix(code, []byte(bytecode.Magic)), mlir.IsText(code):
		return MLIR
	case hlo.IsModule(code):
		return HLO
	case hlo.IsModuleWithConfig(code):
		return HLOWithConfig
	}
	return MLIR
}

// IsText reports whether a program in a format is one of MLIR in text.
func IsText(format string, code []byte) bool {
	return format == MLIR && !bytes.HasPrefix(code, []byte(bytecode.Magic))
}

// Parse returns the program with the code, in a format that may be one of a plugin's own. If the
// format is empty, it is what Detect returns, or for a dump of XLA that of the module in it. Parse
// fails for what surely no plugin reads, and says what to do; it leaves other mistakes to the
// plugin, which has better diagnostics.
func Parse(code []byte, format string) (Source, error) {
	if len(bytes.TrimSpace(code)) == 0 {
		return nil, errors.New("the program is empty")
	}
	if format == "" {
		if inner := hlo.Dumped(code); inner != nil {
			return &module{other: other{inner, HLO}, module: inner}, nil
		}
		format = Detect(code)
		if bytes.HasPrefix(bytes.TrimSpace(code), []byte("HloModule ")) && mlir.IsText(code) {
			return nil, errors.New("the program is HLO in text form, which plugins do not read: " +
				"serialize it as an HloModuleProto, or use StableHLO")
		}
	}
	if strings.IndexByte(format, 0) >= 0 {
		return nil, fmt.Errorf("the format %q of the program contains a NUL byte", format)
	}
	switch format {
	case MLIR:
		if bytes.HasPrefix(code, []byte(bytecode.Magic)) {
			return &artifact{other: other{code, MLIR}}, nil
		}
		if isExported(code) {
			return nil, errors.New("the program is a file that Exported.serialize of jax.export wrote, which only JAX reads: " +
				"write the program in it to a file, in Python jax.export.deserialize(data).mlir_module_serialized")
		}
		if kind := filetype.Of(code); kind != "" {
			return nil, fmt.Errorf("the program is %s: give StableHLO as text or bytecode, or a serialized HloModuleProto", kind)
		}
		return &text{code: code}, nil
	case HLO:
		return &module{other: other{code, format}, module: code}, nil
	case HLOWithConfig:
		m := &module{other: other{code, format}, withConfig: true}
		m.module, m.err = hlo.Module(code)
		return m, nil
	}
	return other{code, format}, nil
}

// other is a program in a format that only the plugin knows.
type other struct {
	code   []byte
	format string
}

func (o other) Format() string                       { return o.format }
func (o other) Code() []byte                         { return o.code }
func (o other) Read(context.Context, Compiler) error { return nil }
func (o other) Check(int) error                      { return nil }
func (o other) Spread() dataflow.Spread              { return dataflow.Spread{} }
func (o other) Parameters() []array.Shape            { return nil }
func (o other) Counts() (int, int, bool)             { return 0, 0, false }
func (o other) Tuples(bool) ([]xlaproto.Shape, bool) { return nil, false }
func (o other) StatesLayouts() bool                  { return false }
func (o other) MakesTuple() bool                     { return false }
func (o other) Uncompiled() []byte                   { return o.code }
func (o other) Suffix() string                       { return ".hlo.pb" }
