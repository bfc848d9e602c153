// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/signature"
)

// Format names the form of the code of a Program. Plugins may know others than
// these.
type Format string

// The formats of programs.
const (
	// FormatMLIR is an MLIR module, text or bytecode, as a rule of StableHLO.
	FormatMLIR Format = "mlir"
	// FormatHLO is a serialized HloModuleProto.
	FormatHLO Format = "hlo"
	// FormatHLOWithConfig is a serialized HloModuleProtoWithConfig. Plugins give
	// it out as the optimized program; few of them compile it.
	FormatHLOWithConfig Format = "hlo_with_config"
)

// Program is a program for a client to compile, or one that a compiler gives
// out.
//
// Compilers end the process on some programs. What is known of that is an error
// before they see it: functions that have no body or call themselves, in MLIR, text
// or bytecode, and arrays with more elements than there is memory, in HLO as well.
// In bytecode that StableHLO's own tools did not write these are not seen. A program
// of unknown origin is best compiled in a process of its own.
type Program struct {
	// Code is the program in the form that Format says.
	Code []byte
	// Format is the form of Code. Empty means the one that DetectFormat finds.
	Format Format
}

// bytecodeMagic is how MLIR bytecode begins.
const bytecodeMagic = bytecode.Magic

// DetectFormat tells in which form code is: MLIR bytecode by its magic number,
// text by being text, serialized HLO by its fields. What it does not recognize
// counts as FormatMLIR, whose reader has the best diagnostics.
func DetectFormat(code []byte) Format {
	switch {
	case bytes.HasPrefix(code, []byte(bytecodeMagic)), isText(code):
		return FormatMLIR
	case isHLOModule(code):
		return FormatHLO
	}
	if module, ok := onlyMessage(code, fieldHLOModule, fieldHLOConfig); ok && isHLOModule(module) {
		return FormatHLOWithConfig
	}
	return FormatMLIR
}

// isText reports whether code has no byte that text does not have.
func isText(code []byte) bool {
	for _, c := range code {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f' || c == 0x7f {
			return false
		}
	}
	return utf8.Valid(code)
}

// isHLOModule reports whether code is a message that has a name and
// computations where HloModuleProto has them.
func isHLOModule(code []byte) bool {
	named, computations := false, false
	err := wireFields(code, func(r wireField) error {
		switch r.number {
		case fieldModuleName:
			if r.kind != protowire.BytesType || !utf8.Valid(r.bytes) {
				return errWire
			}
			named = true
		case fieldComputations:
			if r.kind != protowire.BytesType {
				return errWire
			}
			computations = true
		}
		return nil
	})
	return err == nil && named && computations
}

// onlyMessage returns the field want of a message that has no fields but want
// and other.
func onlyMessage(code []byte, want, other protowire.Number) ([]byte, bool) {
	var value []byte
	err := wireFields(code, func(r wireField) error {
		if r.kind != protowire.BytesType || r.number != want && r.number != other {
			return errWire
		}
		if r.number == want {
			value = r.bytes
		}
		return nil
	})
	return value, err == nil && value != nil
}

// StableHLOVersion returns the version of StableHLO that a portable artifact was
// written for, from the name of the producer in the header of its bytecode. It
// reports false for all other programs, which state none.
func (p Program) StableHLOVersion() (StableHLOVersion, bool) {
	header, ok := bytes.CutPrefix(p.Code, []byte(bytecodeMagic))
	if !ok || len(header) == 0 {
		return StableHLOVersion{}, false
	}
	// The version of the bytecode comes first. The number of trailing zeros of its
	// first byte is that of the bytes that follow.
	skip := 1 + bits.TrailingZeros8(header[0])
	if skip > len(header) {
		return StableHLOVersion{}, false
	}
	producer, _, ok := bytes.Cut(header[skip:], []byte{0})
	if !ok {
		return StableHLOVersion{}, false
	}
	text, ok := strings.CutPrefix(string(producer), "StableHLO_v")
	if !ok {
		return StableHLOVersion{}, false
	}
	var v StableHLOVersion
	var rest string
	if n, _ := fmt.Sscanf(text+" ", "%d.%d.%d%s", &v[0], &v[1], &v[2], &rest); n != 3 || v.String() != text {
		return StableHLOVersion{}, false
	}
	return v, true
}

// StableHLOVersion is a version of StableHLO: major, minor and patch.
type StableHLOVersion [3]int64

// String returns the version as 1.13.3.
func (v StableHLOVersion) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// Compare returns a negative number when v is older than o, a positive one when
// it is newer, and 0 when they are the same.
func (v StableHLOVersion) Compare(o StableHLOVersion) int { return slices.Compare(v[:], o[:]) }

// StableHLOVersions returns the versions of StableHLO whose portable artifacts
// the plugin reads, from its attributes. It reports false when the plugin does
// not say.
func (p *Plugin) StableHLOVersions() (oldest, newest StableHLOVersion, ok bool) {
	oldest, ok = p.stableHLOVersion("stablehlo_minimum_version")
	if !ok {
		return StableHLOVersion{}, StableHLOVersion{}, false
	}
	newest, ok = p.stableHLOVersion("stablehlo_current_version")
	return oldest, newest, ok
}

func (p *Plugin) stableHLOVersion(attribute string) (StableHLOVersion, bool) {
	for _, a := range p.attributes {
		if v, ok := a.Value.([]int64); ok && a.Name == attribute && len(v) == 3 {
			return StableHLOVersion(v), true
		}
	}
	return StableHLOVersion{}, false
}

// check returns the program with its format filled in, or the reason why the
// plugin cannot read it.
func (p Program) check(plugin *Plugin) (Program, error) {
	if len(bytes.TrimSpace(p.Code)) == 0 {
		return p, invalid("the program is empty")
	}
	if p.Format == "" {
		p.Format = DetectFormat(p.Code)
		if bytes.HasPrefix(bytes.TrimSpace(p.Code), []byte("HloModule ")) && isText(p.Code) {
			return p, invalid("the program is HLO in text form, which plugins do not read: serialize it as an HloModuleProto, or give StableHLO")
		}
	}
	if strings.IndexByte(string(p.Format), 0) >= 0 {
		return p, invalid("the format %q of the program has a NUL in it", string(p.Format))
	}
	version, ok := p.StableHLOVersion()
	if p.Format != FormatMLIR || !ok {
		return p, nil
	}
	oldest, newest, ok := plugin.StableHLOVersions()
	switch {
	case !ok:
	case version.Compare(newest) > 0:
		return p, &Error{Code: ErrInvalidArgument, Message: fmt.Sprintf(
			"the program is a portable artifact of StableHLO %v; the plugin reads %v to %v. "+
				"An artifact cannot be taken back to an older version without MLIR: serialize the program for StableHLO %v (target_version), or use a newer plugin",
			version, oldest, newest, newest)}
	case version.Compare(oldest) < 0:
		return p, &Error{Code: ErrInvalidArgument, Message: fmt.Sprintf(
			"the program is a portable artifact of StableHLO %v; the plugin reads %v to %v: serialize it anew, or use an older plugin",
			version, oldest, newest)}
	}
	return p, nil
}

// parameters returns what the text of the program says of the arguments, if it
// is text and says it of all of them.
func (p Program) parameters() []Shape {
	if p.Format != FormatMLIR {
		return nil
	}
	params, ok := signature.Main(p.Code)
	if !ok {
		return nil
	}
	shapes := make([]Shape, len(params))
	for i, param := range params {
		if !param.Known() || slices.Contains(param.Dims, signature.Dynamic) {
			return nil
		}
		shapes[i] = Shape(param)
	}
	return shapes
}

// counts returns the numbers of arguments and results of the program, and false
// when it is in a form that does not tell without a compiler.
func (p Program) counts() (arguments, results int, ok bool) {
	switch p.Format {
	case FormatMLIR:
		params, ok := signature.Main(p.Code)
		if !ok {
			return 0, 0, false
		}
		results, ok := signature.NumResults(p.Code)
		return len(params), results, ok
	case FormatHLO:
		return moduleCounts(p.Code)
	case FormatHLOWithConfig:
		module, err := wireMessage(p.Code, fieldHLOModule)
		if err != nil {
			return 0, 0, false
		}
		return moduleCounts(module)
	}
	return 0, 0, false
}

// checkPropagation compares lists of one value for each argument or result with
// the program. XLA ends the process over a list of another length.
func (o *CompileOptions) checkPropagation(p Program) error {
	if len(o.PropagateToParameters) <= 1 && len(o.PropagateToResults) <= 1 {
		return nil
	}
	arguments, results, ok := p.counts()
	switch n, m := len(o.PropagateToParameters), len(o.PropagateToResults); {
	case !ok:
		return invalid("compile options have one propagation value for each argument or result, whose numbers cannot be read from this form of program: give one value for all, or the program as text or HLO")
	case n > 1 && n != arguments:
		return invalid("compile options have %d values in PropagateToParameters, the program has %d arguments", n, arguments)
	case m > 1 && m != results:
		return invalid("compile options have %d values in PropagateToResults, the program has %d results", m, results)
	}
	return nil
}

// compilation is the checked input of PJRT_Client_Compile and PJRT_Compile. The
// plugin reads it while it compiles, which may be after the caller's context
// ended, so it is a copy.
type compilation struct {
	code       []byte
	format     string
	options    []byte
	parameters []Shape // from the text of the program, nil when not known
}

// newCompilation checks a program and its options for the devices of a client,
// or of a topology when client is nil.
func newCompilation(plugin *Plugin, program Program, opts *CompileOptions, target compileTarget) (*compilation, error) {
	program, err := program.check(plugin)
	if err != nil {
		return nil, err
	}
	if err := program.checkCode(plugin, opts.devices()); err != nil {
		return nil, err
	}
	options, err := opts.encodeFor(program, target)
	if err != nil {
		return nil, err
	}
	// Plugins up to API 0.68 at least read MLIR text on to a NUL, so there is one
	// behind the code, which its size does not count.
	size := len(program.Code)
	code := make([]byte, size+1)
	copy(code, program.Code)
	c := &compilation{code: code[:size], format: string(program.Format), options: options}
	c.parameters = program.parameters()
	return c, nil
}

// program returns the C struct of the program.
func (c *compilation) program() *capi.Program {
	p := &capi.Program{StructSize: capi.ProgramSize}
	p.Code, p.CodeSize = capi.BytesData(c.code)
	p.Format, p.FormatSize = capi.StringData(c.format)
	return p
}
