// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"log/slog"
	"slices"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt"
)

// phases are the phases of the compiler. The first checks that the program is registered;
// the second has nothing left to do.
var phases = []string{"check", "finish"}

// phaseCompiler is one PJRT_PhaseCompiler.
type phaseCompiler struct{}

func (p *Plugin) phaseCompiler(a *capi.PhaseCompileGetCompilerArgs) error {
	a.PhaseCompiler = makeHandle[capi.PhaseCompiler](p, &phaseCompiler{}, true)
	return nil
}

func (p *Plugin) phaseDestroyCompiler(a *capi.PhaseCompileDestroyCompilerArgs) {
	_ = destroy[*phaseCompiler](p, a.PhaseCompiler, nil) // the function returns nothing
}

func (p *Plugin) phaseNames(a *capi.PhaseCompileGetPhaseNamesArgs) error {
	if _, err := find[*phaseCompiler](p, a.PhaseCompiler); err != nil {
		return err
	}
	names := make([][]byte, len(phases))
	for i, name := range phases {
		names[i] = []byte(name)
	}
	a.PhaseNames, a.PhaseNamesSizes, a.NumPhaseNames = p.shareTexts(names)
	return nil
}

// phaseBuffers is the kind of the lists of texts that the compiler hands out.
const phaseBuffers = "PJRT_PhaseCompile buffers"

// shareTexts makes a list of texts, each followed by a zero byte, that the caller must
// release.
func (p *Plugin) shareTexts(texts [][]byte) (**byte, *uintptr, uintptr) {
	if len(texts) == 0 {
		return nil, nil, 0
	}
	pointers, sizes := make([]*byte, len(texts)), make([]uintptr, len(texts))
	for i, t := range texts {
		pointers[i], sizes[i] = &append(slices.Clone(t), 0)[0], uintptr(len(t))
	}
	return share(p, phaseBuffers, pointers, sizes), &sizes[0], uintptr(len(texts))
}

func (p *Plugin) phaseDestroyBuffers(a *capi.PhaseCompileCBuffersDestroyArgs) {
	if a.CharBuffers != nil && !unshare(p, phaseBuffers, a.CharBuffers) {
		slog.Error("PJRT_PhaseCompile_C_Buffers_Destroy of a pjrttest plugin was called twice, or with a list that it did not make")
	}
}

// givenTexts reads the caller's list of texts.
func givenTexts(what string, list **byte, sizes *uintptr, n uintptr) ([][]byte, error) {
	if n == 0 || list == nil || sizes == nil {
		return nil, invalid("there are no %s", what)
	}
	texts := make([][]byte, n)
	for i, size := range elements(sizes, n) {
		texts[i] = capi.Bytes(elements(list, n)[i], size)
	}
	return texts, nil
}

func (p *Plugin) phaseRun(a *capi.PhaseCompileRunPhaseArgs) error {
	if _, err := find[*phaseCompiler](p, a.PhaseCompiler); err != nil {
		return err
	}
	t, err := find[*topology](p, a.Topology)
	if err != nil {
		return err
	}
	if a.CompileOptions == nil && a.CompileOptionsSize > 0 {
		return invalid("the compile options are null and have %d bytes", a.CompileOptionsSize)
	}
	programs, err := givenTexts("programs", a.InputPrograms, a.InputProgramsSizes, a.NumInputPrograms)
	if err != nil {
		return err
	}
	names, err := givenTexts("phases", a.PhasesToRun, a.PhasesToRunSizes, a.NumPhasesToRun)
	if err != nil {
		return err
	}
	options := capi.Bytes(a.CompileOptions, a.CompileOptionsSize)
	for i := range programs {
		for _, name := range names {
			if programs[i], err = p.phase(string(name), programs[i], options, t.target()); err != nil {
				return err
			}
		}
	}
	a.OutputPrograms, a.OutputProgramsSizes, a.NumOutputPrograms = p.shareTexts(programs)
	return nil
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

// phase runs a phase over a program.
func (p *Plugin) phase(name string, partial, options []byte, t target) ([]byte, error) {
	i := slices.Index(phases, name)
	if i < 0 {
		return nil, invalid("there is no phase %q; the phases are %q", name, phases)
	}
	before := ""
	if i > 0 {
		before = phases[i-1]
	}
	code, format := last(partial, fieldPartialCode).Bytes, pjrt.Format(last(partial, fieldPartialFormat).Bytes)
	switch producer := string(last(partial, fieldPartialProducer).Bytes); {
	case len(code) == 0 || !utf8.ValidString(string(format)):
		return nil, invalid("the program of %d bytes is not a partial program", len(partial))
	case producer != before:
		return nil, invalid("the phase %q takes programs from the phase %q, but the program comes from %q", name, before, producer)
	}
	e, err := p.newExecutable(code, format, options, t)
	if err != nil {
		return nil, err
	}
	out := wire.AppendBytes(nil, fieldPartialCode, code)
	out = wire.AppendBytes(out, fieldPartialFormat, string(format))
	out = wire.AppendBytes(out, fieldPartialProducer, name)
	if i+1 < len(phases) {
		out = wire.AppendBytes(out, fieldPartialConsumers, phases[i+1])
	}
	out = wire.AppendBytes(out, fieldPartialVersion, "1")
	return wire.AppendBytes(out, fieldPartialName, e.name), nil
}
