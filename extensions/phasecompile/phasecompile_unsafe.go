// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package phasecompile

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Phases returns the names of the phases of the plugin's compiler, in their order
// (PJRT_PhaseCompile_Get_PhaseNames, API 0.70).
func Phases(p *pjrt.Plugin) (names []string, err error) {
	err = withCompiler(raw.Table(p), func(c compiler) error {
		names, err = c.phases()
		return err
	})
	return names, err
}

// Compile runs phases of the plugin's compiler, in the given order, over programs for a
// topology (PJRT_PhaseCompile_Run_Phase, API 0.72), and returns the output of the last
// phase. The plugin cannot be interrupted: when ctx ends first, Compile returns ctx's
// error, and the phases run to their end. opts may be nil.
//
// Compile checks programs in MLIR as [pjrt.Plugin.CompileFor] does, and like it takes from the
// program how many devices it is for where opts do not say. It does neither for the output of
// phases, which only the plugin can read: pass that only to the version of the plugin that made it,
// with the numbers of replicas and partitions in opts if they are not 1.
func Compile(
	ctx context.Context, topology *pjrt.Topology, programs []Program, phases []string, opts *pjrt.CompileOptions,
) ([]Program, error) {
	programs, phases = slices.Clone(programs), slices.Clone(phases)
	if ctx.Done() != nil {
		for i := range programs {
			programs[i].Code = bytes.Clone(programs[i].Code)
		}
	}
	return raw.Abandonable(ctx, func() ([]Program, error) { return compile(topology, programs, phases, opts) },
		func([]Program) error { return nil })
}

func compile(topology *pjrt.Topology, programs []Program, phases []string, opts *pjrt.CompileOptions) (out []Program, err error) {
	_, release, err := raw.AcquireTopology(topology)
	if err != nil {
		return nil, err
	}
	release()
	switch {
	case len(programs) == 0:
		return nil, pjrt.ErrInvalidArgument.Errorf("there are no programs to compile")
	case len(phases) == 0:
		return nil, pjrt.ErrInvalidArgument.Errorf("there are no phases to run")
	}
	in := new(input)
	for i, p := range programs {
		if opts, err = p.check(i, topology, opts); err != nil {
			return nil, err
		}
		in.add(&in.programs, &in.programSizes, p.marshal())
	}
	if in.options, err = raw.EncodeCompileOptions(topology, opts); err != nil {
		return nil, err
	}
	err = withCompiler(raw.TableOf(topology), func(c compiler) error {
		known, err := c.phases()
		if err != nil {
			return err
		}
		for _, phase := range phases {
			if !slices.Contains(known, phase) {
				return pjrt.ErrInvalidArgument.Errorf("the compiler has no phase %q; it has %s", phase, strings.Join(known, ", "))
			}
			in.add(&in.phases, &in.phaseSizes, []byte(phase))
		}
		out, err = c.run(topology, in)
		return err
	})
	return out, err
}

// check returns an error for programs that would make the plugin end the process. Otherwise it
// returns the options, completed from the program.
func (p *Program) check(i int, topology *pjrt.Topology, opts *pjrt.CompileOptions) (*pjrt.CompileOptions, error) {
	if len(p.Code) == 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("program %d is empty", i)
	}
	for _, text := range append([]string{p.Format, p.Name, p.Producer, p.Version}, p.Consumers...) {
		if !utf8.ValidString(text) {
			return nil, pjrt.ErrInvalidArgument.Errorf("program %d has text that is not UTF-8: %q", i, text)
		}
	}
	program := pjrt.Program{Code: p.Code, Format: pjrt.Format(p.Format)}
	switch program.Format {
	case pjrt.FormatMLIR, pjrt.FormatHLO, pjrt.FormatHLOWithConfig:
	default:
		return opts, nil // a format that only the plugin reads
	}
	if err := raw.CheckProgram(topology.Plugin(), program, opts); err != nil {
		return nil, err
	}
	return raw.OptionsForProgram(topology, program, opts)
}

// input has the memory that C reads while phases run.
type input struct {
	programs, phases         []*byte
	programSizes, phaseSizes []uintptr
	options                  []byte
}

// add adds a text to a list, followed by a zero byte that its size does not include.
func (in *input) add(list *[]*byte, sizes *[]uintptr, text []byte) {
	*sizes = append(*sizes, uintptr(len(text)))
	*list = append(*list, unsafe.SliceData(append(bytes.Clone(text), 0)))
}

// compiler is a compiler of the plugin that withCompiler lends.
type compiler struct {
	table  *capi.Table
	handle *capi.PhaseCompiler
}

// withCompiler makes a compiler, calls do with it, and destroys it.
func withCompiler(table *capi.Table, do func(compiler) error) error {
	c, err := capi.Do(table, capi.PhaseCompileGetCompilerArgs{})
	if err != nil {
		return err
	}
	defer func() {
		_, _ = capi.Do(table, capi.PhaseCompileDestroyCompilerArgs{PhaseCompiler: c.PhaseCompiler})
	}()
	return do(compiler{table, c.PhaseCompiler})
}

func (c compiler) phases() ([]string, error) {
	call, err := capi.Do(c.table, capi.PhaseCompileGetPhaseNamesArgs{PhaseCompiler: c.handle})
	if err != nil {
		return nil, err
	}
	list := c.take(call.PhaseNames, call.PhaseNamesSizes, call.NumPhaseNames)
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = string(name)
	}
	return names, nil
}

func (c compiler) run(topology *pjrt.Topology, in *input) ([]Program, error) {
	h, release, err := raw.AcquireTopology(topology)
	if err != nil {
		return nil, err
	}
	defer release()
	var call capi.Call[capi.PhaseCompileRunPhaseArgs]
	call.Args.PhaseCompiler, call.Args.Topology = c.handle, h
	call.Args.InputPrograms, call.Args.InputProgramsSizes = unsafe.SliceData(in.programs), unsafe.SliceData(in.programSizes)
	call.Args.NumInputPrograms = uintptr(len(in.programs))
	call.Args.PhasesToRun, call.Args.PhasesToRunSizes = unsafe.SliceData(in.phases), unsafe.SliceData(in.phaseSizes)
	call.Args.NumPhasesToRun = uintptr(len(in.phases))
	call.Args.CompileOptions, call.Args.CompileOptionsSize = capi.BytesData(in.options)
	err = call.Do(c.table)
	runtime.KeepAlive(in)
	if err != nil {
		return nil, err
	}
	var out []Program
	for i, b := range c.take(call.Args.OutputPrograms, call.Args.OutputProgramsSizes, call.Args.NumOutputPrograms) {
		p, err := unmarshal(b)
		if err != nil {
			return nil, pjrt.ErrInternal.Errorf("output %d of the plugin is not a valid PjRtPartialProgramProto: %v", i, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// take copies a list of texts and returns the original to the plugin.
func (c compiler) take(list **byte, sizes *uintptr, n uintptr) [][]byte {
	lengths := capi.Slice(sizes, n)
	texts := make([][]byte, len(lengths))
	for i, text := range capi.Slice(list, uintptr(len(lengths))) {
		texts[i] = capi.Bytes(text, lengths[i])
	}
	_, _ = capi.Do(c.table, capi.PhaseCompileCBuffersDestroyArgs{CharBuffers: list, CharBufferSizes: sizes, NumCharBuffers: n})
	return texts
}
