// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
)

// Format names the format of a Program. Plugins may know more formats than these.
type Format string

// The formats of programs.
const (
	FormatMLIR Format = "mlir" // an MLIR module, text or bytecode, usually of StableHLO
	FormatHLO  Format = "hlo"  // a serialized HloModuleProto
	// FormatHLOWithConfig is a serialized HloModuleProtoWithConfig, the format of optimized
	// programs. Few plugins compile it.
	FormatHLOWithConfig Format = "hlo_with_config"
)

// Program is a program to compile, or the optimized program of an executable.
//
// Compilers end the process on some programs. This package refuses the known ones: in MLIR,
// functions that have no body or call themselves, and calls, regions and brackets nested so
// deeply that compilers run out of stack; in MLIR and HLO, arrays with more elements than
// any memory holds. It does not find them in bytecode that tools other than StableHLO's
// wrote. Package isolate compiles programs of unknown origin in a child process.
type Program struct {
	Code   []byte
	Format Format // of Code; empty means the result of DetectFormat
}

// DetectFormat returns the format of code: FormatMLIR for bytecode and text, one of the
// others for serialized HLO. Anything else counts as FormatMLIR, for which plugins have
// the best diagnostics.
func DetectFormat(code []byte) Format {
	switch {
	case bytes.HasPrefix(code, []byte(bytecode.Magic)), mlir.IsText(code):
		return FormatMLIR
	case hlo.IsModule(code):
		return FormatHLO
	case hlo.IsModuleWithConfig(code):
		return FormatHLOWithConfig
	}
	return FormatMLIR
}

// check returns the program with its format set, or the reason why the plugin cannot read
// it.
func (p Program) check(plugin *Plugin) (Program, error) {
	if len(bytes.TrimSpace(p.Code)) == 0 {
		return p, invalid("the program is empty")
	}
	if p.Format == "" {
		p.Format = DetectFormat(p.Code)
		if bytes.HasPrefix(bytes.TrimSpace(p.Code), []byte("HloModule ")) && mlir.IsText(p.Code) {
			return p, invalid("the program is HLO in text form, which plugins do not read: " +
				"serialize it as an HloModuleProto, or use StableHLO")
		}
	}
	if strings.IndexByte(string(p.Format), 0) >= 0 {
		return p, invalid("the format %q of the program contains a NUL byte", string(p.Format))
	}
	if p.Format == FormatMLIR && isExported(p.Code) {
		return p, invalid("the program is a file that Exported.serialize of jax.export wrote, which only JAX reads: " +
			"write the program in it to a file, in Python jax.export.deserialize(data).mlir_module_serialized")
	}
	return p, nil
}

// isExported reports whether data is what Exported.serialize of jax.export returns: a table
// of FlatBuffers, which have no magic number, with a program in bytecode in it.
func isExported(data []byte) bool {
	if len(data) < 8 || bytes.HasPrefix(data, []byte(bytecode.Magic)) {
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
	return length >= 4 && length%2 == 0 && fields+length <= size && bytes.Contains(data, []byte(bytecode.Magic))
}

// versionNote returns what explains the plugin's error for a portable artifact of a version
// of StableHLO that the plugin does not promise to read, or "". Most artifacts that are a
// little newer compile all the same, so only the plugin can refuse one.
func (p Program) versionNote(plugin *Plugin) string {
	version, ok := stablehlo.VersionOf(p.Code)
	if p.Format != FormatMLIR || !ok {
		return ""
	}
	oldest, newest, ok := stablehlo.Versions(plugin.attributes)
	remedy := ""
	switch {
	case !ok:
		return ""
	case version.Compare(newest) > 0:
		remedy = fmt.Sprintf("use a newer plugin, or write the artifact for StableHLO %v, in Python with "+
			"jaxlib.mlir.dialects.stablehlo.serialize_portable_artifact_str(exported.mlir_module(), %q)", newest, newest)
	case version.Compare(oldest) < 0:
		remedy = "write the artifact again with a newer StableHLO, or use an older plugin"
	default:
		return ""
	}
	return fmt.Sprintf("the program is a portable artifact of StableHLO %v, and the plugin reads %v to %v: %s", version, oldest, newest, remedy)
}

// readsPastNUL is the first API minor whose plugins are known to read MLIR text beyond a NUL
// byte. Those up to 0.68 are known to stop there.
const readsPastNUL = 81

// checkCode returns an error for programs on which compilers are known to end the
// process. libtpu has more of them. devices is the number of devices that the program runs
// on, or 0 if that is not certain.
func (p Program) checkCode(plugin *Plugin, devices int) error {
	var err error
	switch p.Format {
	case FormatMLIR:
		_, minor := plugin.Version()
		limits := mlir.Limits{UpToNUL: minor < readsPastNUL}
		if plugin.kind == kindTPU {
			limits.Bounded, limits.Devices = true, devices
		}
		err = mlir.Check(p.Code, limits)
	case FormatHLO:
		err = hlo.Check(p.Code)
	case FormatHLOWithConfig:
		if module, malformed := hlo.Module(p.Code); malformed == nil {
			err = hlo.Check(module)
		}
	}
	if err != nil {
		return invalid("%v", err)
	}
	return nil
}

// spread returns what the program itself says about the devices it is for.
func (p Program) spread() hlo.Spread {
	switch p.Format {
	case FormatMLIR:
		return mlir.ReadSpread(p.Code)
	case FormatHLO:
		return hlo.ReadSpread(p.Code)
	case FormatHLOWithConfig:
		module, err := hlo.Module(p.Code)
		if err != nil {
			return hlo.Spread{}
		}
		s := hlo.ReadSpread(module)
		if config, err := hlo.ReadConfig(p.Code); err == nil {
			s.Replicas, s.Partitions = int64(config.Replicas), int64(config.Partitions)
		}
		return s
	}
	return hlo.Spread{}
}

// parameters returns the shapes of the arguments from the program's text, or nil if the text
// does not have all of them.
func (p Program) parameters() []Shape {
	if p.Format != FormatMLIR {
		return nil
	}
	params, ok := stablehlo.Main(p.Code)
	if !ok {
		return nil
	}
	if slices.ContainsFunc(params, func(s Shape) bool { return !s.Known() }) {
		return nil
	}
	return params
}

// counts returns the numbers of arguments and results of the program. ok is false if only
// a compiler can read them.
func (p Program) counts() (arguments, results int, ok bool) {
	switch p.Format {
	case FormatMLIR:
		params, ok := stablehlo.Main(p.Code)
		if !ok {
			return 0, 0, false
		}
		results, ok := stablehlo.NumResults(p.Code)
		return len(params), results, ok
	case FormatHLO:
		return hlo.Counts(p.Code)
	case FormatHLOWithConfig:
		if module, err := hlo.Module(p.Code); err == nil {
			return hlo.Counts(module)
		}
	}
	return 0, 0, false
}

// checkPropagation compares lists that have one value for each argument or result with the
// program, because XLA ends the process on a list of another length.
func (p Program) checkPropagation(o *xlaproto.BuildOptions) error {
	toParameters, toResults := len(o.PropagateToParameters), len(o.PropagateToResults)
	if toParameters <= 1 && toResults <= 1 {
		return nil
	}
	arguments, results, ok := p.counts()
	switch {
	case !ok:
		return invalid("compile options have one propagation value for each argument or result, " +
			"but their number cannot be read from a program of this form: set one value for all, or use text or HLO")
	case toParameters > 1 && toParameters != arguments:
		return invalid("compile options have %d values in PropagateToParameters, and the program has %d arguments", toParameters, arguments)
	case toResults > 1 && toResults != results:
		return invalid("compile options have %d values in PropagateToResults, and the program has %d results", toResults, results)
	}
	return nil
}

// checkTuples compares TupledArguments and tuples among the layouts of arguments with the
// parameters of the program, because XLA ends the process on a tuple where the program has
// none, and on one with other elements.
func (p Program) checkTuples(o *xlaproto.CompileOptions) error {
	if o.TupledArguments && p.Format == FormatMLIR && o.Build.Shardy && leavesOutPasses(o) {
		// With Shardy, a pass makes the tuple.
		return invalid("compile options have TupledArguments and Shardy, and leave out passes over HLO, one of which makes the tuple: " +
			"unset BackendOnly and the flags about passes, or Shardy")
	}
	tupledHLO := o.TupledArguments && p.Format != FormatMLIR // the compiler makes the tuple for MLIR
	if !tupledHLO && !slices.ContainsFunc(o.ArgumentLayouts, isTuple) {
		return nil
	}
	parameters, ok := p.tree(o.TupledArguments)
	switch {
	case !ok:
		return invalid("compile options have TupledArguments or a tuple in ArgumentLayouts, " +
			"and the parameters cannot be read from a program of this form: leave them unset, or use text or HLO")
	case tupledHLO && (len(parameters) != 1 || !isTuple(parameters[0])):
		return invalid("compile options have TupledArguments, and the program has %d parameters where one tuple is needed", len(parameters))
	case len(o.ArgumentLayouts) == 0:
		return nil
	}
	if n := len(o.ArgumentLayouts); n != len(parameters) {
		return invalid("compile options have %d ArgumentLayouts, and the program has %d parameters", n, len(parameters))
	}
	for i := range parameters {
		if !sameTuples(&o.ArgumentLayouts[i], &parameters[i]) {
			return invalid("argument layout %d and parameter %d of the program are not tuples of the same elements", i, i)
		}
	}
	return nil
}

// leavesOutPasses reports whether the compiler may run fewer passes over HLO than usual.
func leavesOutPasses(o *xlaproto.CompileOptions) bool {
	return o.Build.BackendOnly || xlaflags.ChoosesPassesOptions(o.Build.DebugOptions) ||
		slices.ContainsFunc(o.Overrides, func(v xlaproto.Override) bool { return xlaflags.ChoosesPasses(v.Name) })
}

// tree returns the parameters of the program with their tuples, as the compiler will see
// them; arrays in it have neither type nor dimensions. tupled means that the compiler makes
// one tuple of the parameters of MLIR.
func (p Program) tree(tupled bool) ([]xlaproto.Shape, bool) {
	switch p.Format {
	case FormatMLIR:
		params, ok := stablehlo.Main(p.Code)
		for _, param := range params {
			ok = ok && param.Type.Valid() // some of the others are tuples
		}
		parameters := make([]xlaproto.Shape, len(params))
		if tupled {
			parameters = []xlaproto.Shape{{ElementType: xlaproto.PrimitiveTuple, Tuple: parameters}}
		}
		return parameters, ok
	case FormatHLO:
		parameters, err := hlo.ParameterShapes(p.Code)
		return parameters, err == nil
	case FormatHLOWithConfig:
		module, err := hlo.Module(p.Code)
		if err != nil {
			return nil, false
		}
		parameters, err := hlo.ParameterShapes(module)
		return parameters, err == nil
	}
	return nil, false
}

func isTuple(s xlaproto.Shape) bool { return s.IsTuple() }

// sameTuples reports whether both shapes are arrays, or tuples with the same tuples in the
// same places.
func sameTuples(a, b *xlaproto.Shape) bool {
	if a.IsTuple() != b.IsTuple() || len(a.Tuple) != len(b.Tuple) {
		return false
	}
	for i := range a.Tuple {
		if !sameTuples(&a.Tuple[i], &b.Tuple[i]) {
			return false
		}
	}
	return true
}

// compilation is the checked input of PJRT_Client_Compile and PJRT_Compile.
type compilation struct {
	code       []byte
	format     string
	options    []byte
	parameters []Shape // from the text of the program; nil if not known
	note       string  // explains the plugin's error, if not empty
}

// explain adds to the error of a plugin or compiler what the program has to do with it.
func (c *compilation) explain(err error) error {
	e := (*Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	known := explainPartitions(withHint(err))
	if k := (*Error)(nil); c.note == "" || errors.As(known, &k) && k != e {
		return known
	}
	switch e.Code {
	case ErrUnknown, ErrInvalidArgument, ErrInternal: // those of parsers
		explained := *e
		explained.Message = strings.TrimRight(e.Message, "\n") + ": " + c.note
		return &explained
	}
	return err
}

// newCompilation checks a program and its options for the devices of the target. If ctx can
// end, the result has a copy of the code, which the plugin may still read when the caller has
// gone.
func newCompilation(
	ctx context.Context, plugin *Plugin, program Program, opts *CompileOptions, target compileTarget,
) (*compilation, error) {
	program, err := program.check(plugin)
	if err != nil {
		return nil, err
	}
	if opts, err = opts.forProgram(program, target); err != nil {
		return nil, err
	}
	if err := program.checkCode(plugin, opts.devices()); err != nil {
		return nil, err
	}
	options, err := opts.encodeFor(program, target)
	if err != nil {
		return nil, err
	}
	if program.Format == FormatHLO && plugin.quirks().unscheduled {
		program.Code = hlo.Unscheduled(program.Code)
	}
	c := &compilation{
		code: program.Code, format: string(program.Format), options: options, note: program.versionNote(plugin),
	}
	if _, minor := plugin.Version(); ctx.Done() != nil || plugin.kind == "" || minor < readsPastNUL {
		// Some plugins read MLIR text up to a NUL byte. So one follows the code, and the size
		// does not count it.
		size := len(program.Code)
		code := make([]byte, size+1)
		preempt.Copy(code, program.Code)
		c.code = code[:size]
	}
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
