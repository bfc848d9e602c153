// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/internal/source"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
)

// Format names the format of a Program. Plugins may know others than these.
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
// This package refuses programs on which compilers are known to end the process: in MLIR, functions
// that have no body or call themselves, and calls, regions and brackets nested too deeply; in MLIR
// and HLO, arrays with more elements than any memory holds; and for XLA's CPU plugins, in every
// format, what those of the same age die of (pjrt/docs/known-faults.md lists it). It does not find
// them in bytecode that tools other than StableHLO's wrote. Package isolate compiles programs of
// unknown origin in a child process.
type Program struct {
	Code   []byte
	Format Format // of Code; empty means the result of DetectFormat, or in a dump of XLA, FormatHLO
}

// DetectFormat returns the format of code: FormatMLIR for bytecode and text, one of the
// others for serialized HLO. Anything else counts as FormatMLIR, for which plugins have
// the best diagnostics.
func DetectFormat(code []byte) Format { return Format(source.Detect(code)) }

// parse returns what reads the program, or the reason why no plugin can read it.
func (p Program) parse() (source.Source, error) {
	src, err := source.Parse(p.Code, string(p.Format))
	if err != nil {
		return nil, invalid("%v", err)
	}
	if note := sizeNote(len(p.Code)); note != "" && src.Format() != string(FormatMLIR) {
		return nil, invalid("%s", note)
	}
	return src, nil
}

// sizeNote returns what explains the error for a program of so many bytes, or "". Compilers keep
// programs of every format in messages of protobuf, whose parsers count bytes in 32 bits.
func sizeNote(size int) string {
	if size <= math.MaxInt32 {
		return ""
	}
	return fmt.Sprintf("the program has %d bytes, and messages of XLA at most %d: pass large constants as arguments", size, math.MaxInt32)
}

// unsized matches what XLA's compilers say of programs with dimensions of no fixed size.
var unsized = regexp.MustCompile(`Unbounded dynamism is disabled|'stablehlo\.\w*dynamic_\w+' op (can't be translated|expected bounded)`)

// unsizedNote returns what explains the error with a message, or "".
func unsizedNote(message string) string {
	if !unsized.MatchString(message) {
		return ""
	}
	return "the program has dimensions of no fixed size (?), and the compiler needs the size of each: export the program once for each " +
		"shape of its arguments, without symbolic dimensions in JAX or dynamic_shapes in PyTorch"
}

// versionNote returns what explains the plugin's error for a portable artifact of a version
// of StableHLO that the plugin does not promise to read, or "". Most artifacts that are a
// little newer compile all the same, so only the plugin can refuse one.
func versionNote(plugin *Plugin, code []byte) string {
	version, ok := stablehlo.VersionOf(code)
	if !ok {
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
	return fmt.Sprintf("the program is a portable artifact of StableHLO %v, and the plugin reads %v to %v: %s",
		version, oldest, newest, remedy)
}

// textNote returns what may explain the error of a plugin for a program in text, or "". XLA's own
// plugins read text, and name the line with the mistake. JAX sends only portable artifacts, so
// others may read nothing else.
func (c *compilation) textNote(plugin *Plugin) string {
	if plugin.isXLA() || !source.IsText(c.format, c.code) {
		return ""
	}
	return "the program is text, and this plugin may read only portable artifacts of StableHLO, which JAX sends: if the text is right, " +
		"write an artifact, in Python with jaxlib.mlir.dialects.stablehlo.serialize_portable_artifact_str"
}

// readsPastNUL is the first API minor whose plugins are known to read MLIR text beyond a NUL
// byte. Those up to 0.68 are known to stop there.
const readsPastNUL = 81

// readAll reads the whole program for the plugin's compiler. It fails only if ctx ends.
func (p *Plugin) readAll(ctx context.Context, src source.Source) error {
	_, minor := p.Version()
	c := source.Compiler{TPU: p.Kind() == kindTPU, UpToNUL: minor < readsPastNUL}
	if p.Kind() == kindCPU {
		c.CPU = minor
	}
	return src.Read(ctx, c)
}

// checkDangers returns an error for programs on which compilers are known to end the process.
// libtpu has more of them. devices is the number of devices that the program runs on, or 0 if
// that is not certain.
func checkDangers(src source.Source, devices int) error {
	if err := src.Check(devices); err != nil {
		return invalid("%v", err)
	}
	return nil
}

// checkPropagation compares lists that have one value for each argument or result with the
// program, because XLA ends the process on a list of another length.
func checkPropagation(src source.Source, o *xlaproto.BuildOptions) error {
	toParameters, toResults := len(o.PropagateToParameters), len(o.PropagateToResults)
	if toParameters <= 1 && toResults <= 1 {
		return nil
	}
	arguments, results, ok := src.Counts()
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
func checkTuples(src source.Source, o *xlaproto.CompileOptions) error {
	if o.TupledArguments && src.MakesTuple() && o.Build.Shardy && leavesOutPasses(o) {
		// With Shardy, a pass makes the tuple.
		return invalid("compile options have TupledArguments and Shardy, and leave out passes over HLO, one of which makes the tuple: " +
			"unset BackendOnly and the flags about passes, or Shardy")
	}
	tupledHLO := o.TupledArguments && !src.MakesTuple()
	if !tupledHLO && !slices.ContainsFunc(o.ArgumentLayouts, isTuple) {
		return nil
	}
	parameters, ok := src.Tuples(o.TupledArguments)
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
