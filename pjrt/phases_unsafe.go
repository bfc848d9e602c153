// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/capi"
)

// PartialProgram is a program on its way through the phases of a compiler: what
// goes into the first phase, or comes out of one.
type PartialProgram struct {
	// Code is the program in the form that Format says, such as mlir.
	Code   []byte
	Format string
	// Name is the name of the program.
	Name string
	// Producer is the phase that made it, empty for one that is to be compiled.
	Producer string
	// Consumers are the phases that take it.
	Consumers []string
	// Version is that of the form; plugins state their own.
	Version string
}

// Field numbers of PjRtPartialProgramProto.
const (
	fieldPartialCode      = 1
	fieldPartialFormat    = 2
	fieldPartialProducer  = 3
	fieldPartialConsumers = 4
	fieldPartialVersion   = 5
	fieldPartialName      = 6
)

func (p *PartialProgram) marshal() []byte {
	b := appendNonempty(nil, fieldPartialCode, p.Code)
	b = appendNonempty(b, fieldPartialFormat, []byte(p.Format))
	b = appendNonempty(b, fieldPartialProducer, []byte(p.Producer))
	for _, c := range p.Consumers {
		b = appendBytes(b, fieldPartialConsumers, []byte(c))
	}
	b = appendNonempty(b, fieldPartialVersion, []byte(p.Version))
	return appendNonempty(b, fieldPartialName, []byte(p.Name))
}

func unmarshalPartial(b []byte) (p PartialProgram, err error) {
	err = wireFields(b, func(r wireField) error {
		if r.kind != protowire.BytesType {
			return nil
		}
		switch r.number {
		case fieldPartialCode:
			p.Code = slices.Clone(r.bytes)
		case fieldPartialFormat:
			p.Format = string(r.bytes)
		case fieldPartialProducer:
			p.Producer = string(r.bytes)
		case fieldPartialConsumers:
			p.Consumers = append(p.Consumers, string(r.bytes))
		case fieldPartialVersion:
			p.Version = string(r.bytes)
		case fieldPartialName:
			p.Name = string(r.bytes)
		}
		return nil
	})
	return p, err
}

// Phases returns the names of the phases that the plugin compiles in, in their
// order (PJRT_PhaseCompile_Get_PhaseNames, extension PhaseCompile, API 0.70).
func (p *Plugin) Phases() (names []string, err error) {
	err = p.withPhaseCompiler(func(compiler *capi.PhaseCompiler) error {
		names, err = p.phases(compiler)
		return err
	})
	return names, err
}

func (p *Plugin) phases(compiler *capi.PhaseCompiler) ([]string, error) {
	var c capi.Call[capi.PhaseCompileGetPhaseNamesArgs]
	c.Args.PhaseCompiler = compiler
	if err := c.Do(p.table); err != nil {
		return nil, err
	}
	list := p.takeTexts(c.Args.PhaseNames, c.Args.PhaseNamesSizes, c.Args.NumPhaseNames)
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = string(name)
	}
	return names, nil
}

// CompilePhases runs phases of the plugin's compiler, in the order that they are
// given, over programs for a topology (PJRT_PhaseCompile_Run_Phase, API 0.72), and
// returns what the last one gives. It cannot be called off: when ctx ends first it
// returns ctx's error, and the result is forgotten. opts may be nil.
//
// A program in MLIR is checked as [Plugin.CompileFor] does it. What comes out of a
// phase is taken as it is, by the same version of the plugin.
func (p *Plugin) CompilePhases(ctx context.Context, topology *Topology, programs []PartialProgram, phases []string, opts *CompileOptions) ([]PartialProgram, error) {
	if p == nil || p.table == nil {
		return nil, errNilPlugin
	}
	target, err := topology.target()
	if err != nil {
		return nil, err
	}
	switch {
	case topology.plugin != p:
		return nil, invalid("the topology belongs to another plugin")
	case len(programs) == 0:
		return nil, invalid("there are no programs to compile")
	case len(phases) == 0:
		return nil, invalid("there are no phases to run")
	}
	in := &phaseInput{}
	for i, program := range programs {
		if len(program.Code) == 0 {
			return nil, invalid("program %d is empty", i)
		}
		for _, text := range append([]string{program.Format, program.Name, program.Producer, program.Version}, program.Consumers...) {
			if !utf8.ValidString(text) {
				return nil, invalid("program %d has a text that is no UTF-8: %q", i, text)
			}
		}
		if program.Format == string(FormatMLIR) {
			if err := (Program{Code: program.Code, Format: FormatMLIR}).checkCode(p, opts.devices()); err != nil {
				return nil, err
			}
		}
		in.add(&in.programs, &in.programSizes, program.marshal())
	}
	if in.options, err = opts.encode(target); err != nil {
		return nil, err
	}
	return abandonable(ctx, func() (out []PartialProgram, err error) {
		err = p.withPhaseCompiler(func(compiler *capi.PhaseCompiler) error {
			known, err := p.phases(compiler)
			if err != nil {
				return err
			}
			for _, phase := range phases {
				if !slices.Contains(known, phase) {
					return invalid("the compiler has no phase %q; it has %s", phase, strings.Join(known, ", "))
				}
				in.add(&in.phases, &in.phaseSizes, []byte(phase))
			}
			out, err = p.runPhases(compiler, topology, in)
			return err
		})
		return out, err
	}, func([]PartialProgram) error { return nil })
}

// phaseInput is what C reads while phases run.
type phaseInput struct {
	programs, phases         []*byte
	programSizes, phaseSizes []uintptr
	options                  []byte
}

// add adds a text with a zero byte behind it, which its size does not count.
func (in *phaseInput) add(list *[]*byte, sizes *[]uintptr, text []byte) {
	*sizes = append(*sizes, uintptr(len(text)))
	*list = append(*list, unsafe.SliceData(append(slices.Clip(text), 0)))
}

func (p *Plugin) runPhases(compiler *capi.PhaseCompiler, topology *Topology, in *phaseInput) ([]PartialProgram, error) {
	h, release, err := topology.acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	var c capi.Call[capi.PhaseCompileRunPhaseArgs]
	c.Args.PhaseCompiler, c.Args.Topology = compiler, h
	c.Args.InputPrograms, c.Args.InputProgramsSizes = unsafe.SliceData(in.programs), unsafe.SliceData(in.programSizes)
	c.Args.NumInputPrograms = uintptr(len(in.programs))
	c.Args.PhasesToRun, c.Args.PhasesToRunSizes = unsafe.SliceData(in.phases), unsafe.SliceData(in.phaseSizes)
	c.Args.NumPhasesToRun = uintptr(len(in.phases))
	c.Args.CompileOptions, c.Args.CompileOptionsSize = capi.BytesData(in.options)
	err = c.Do(p.table)
	runtime.KeepAlive(in)
	if err != nil {
		return nil, err
	}
	var out []PartialProgram
	for _, b := range p.takeTexts(c.Args.OutputPrograms, c.Args.OutputProgramsSizes, c.Args.NumOutputPrograms) {
		program, err := unmarshalPartial(b)
		if err != nil {
			return nil, failed(ErrInternal, "the plugin gives a partial program that is no message: %v", err)
		}
		out = append(out, program)
	}
	return out, nil
}

// takeTexts copies a list of texts and gives it back to the plugin.
func (p *Plugin) takeTexts(list **byte, sizes *uintptr, n uintptr) [][]byte {
	texts := make([][]byte, n)
	lengths := capi.Slice(sizes, n)
	for i, text := range capi.Slice(list, n) {
		texts[i] = capi.Bytes(text, lengths[i])
	}
	var d capi.Call[capi.PhaseCompileCBuffersDestroyArgs]
	d.Args.CharBuffers, d.Args.CharBufferSizes, d.Args.NumCharBuffers = list, sizes, n
	_ = d.Do(p.table) // there is nobody to tell
	return texts
}

// withPhaseCompiler calls do with a compiler, which is gone afterwards.
func (p *Plugin) withPhaseCompiler(do func(*capi.PhaseCompiler) error) error {
	if p == nil || p.table == nil {
		return errNilPlugin
	}
	var c capi.Call[capi.PhaseCompileGetCompilerArgs]
	if err := c.Do(p.table); err != nil {
		return err
	}
	if c.Args.PhaseCompiler == nil {
		return failed(ErrInternal, "the plugin gives no compiler of phases")
	}
	defer func() {
		var d capi.Call[capi.PhaseCompileDestroyCompilerArgs]
		d.Args.PhaseCompiler = c.Args.PhaseCompiler
		_ = d.Do(p.table) // there is nobody to tell
	}()
	return do(c.Args.PhaseCompiler)
}
