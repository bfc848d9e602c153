// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// compiler makes a compiler of phases, which is destroyed when the check ends.
func compiler(t *check.T) *capi.PhaseCompiler {
	if err := t.Table().Lacks(check.FunctionOf[capi.PhaseCompileGetCompilerArgs]()); err != nil {
		t.SkipUnimplf("%v", err)
	}
	c := check.Optional(t, capi.PhaseCompileGetCompilerArgs{}).PhaseCompiler
	if c == nil {
		t.Fatalf("phase_compile_get_compiler: success without a compiler")
	}
	t.Cleanup(func() { check.Call(t, capi.PhaseCompileDestroyCompilerArgs{PhaseCompiler: c}) })
	return c
}

// phaseNames returns the names of a compiler's phases.
func phaseNames(t *check.T, c *capi.PhaseCompiler) []string {
	n := check.Call(t, capi.PhaseCompileGetPhaseNamesArgs{PhaseCompiler: c})
	if n.NumPhaseNames > 0 && (n.PhaseNames == nil || n.PhaseNamesSizes == nil) {
		t.Fatalf("phase_compile_get_phase_names: %d names in null arrays", n.NumPhaseNames)
	}
	names := check.Texts(n.PhaseNames, n.PhaseNamesSizes, n.NumPhaseNames)
	check.Call(t, capi.PhaseCompileCBuffersDestroyArgs{CharBuffers: n.PhaseNames, CharBufferSizes: n.PhaseNamesSizes,
		NumCharBuffers: n.NumPhaseNames})
	return names
}

// runPhases runs phases over a program and returns what comes out.
func runPhases(t *check.T, c *capi.PhaseCompiler, programs, phases []string) ([]string, error) {
	args := capi.PhaseCompileRunPhaseArgs{PhaseCompiler: c, Topology: t.Topology()}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(check.Devices(1, 1))
	list := func(texts []string) (**byte, *uintptr, uintptr) {
		data, sizes := make([]*byte, len(texts)), make([]uintptr, len(texts))
		for i, s := range texts {
			data[i], sizes[i] = capi.StringData(s)
		}
		p, n := check.First(data)
		q, _ := check.First(sizes)
		return p, q, n
	}
	args.InputPrograms, args.InputProgramsSizes, args.NumInputPrograms = list(programs)
	args.PhasesToRun, args.PhasesToRunSizes, args.NumPhasesToRun = list(phases)
	out, err := check.Try(t, args)
	if err != nil {
		return nil, err
	}
	results := check.Texts(out.OutputPrograms, out.OutputProgramsSizes, out.NumOutputPrograms)
	check.Call(t, capi.PhaseCompileCBuffersDestroyArgs{CharBuffers: out.OutputPrograms, CharBufferSizes: out.OutputProgramsSizes,
		NumCharBuffers: out.NumOutputPrograms})
	return results, nil
}

// partialProgram returns a PjRtPartialProgramProto of StableHLO for a phase.
func partialProgram(text, phase string) string {
	var b []byte
	for i, field := range []string{text, "mlir", "", phase, "1.0"} {
		b = wire.AppendNonempty(b, wire.Number(i+1), field)
	}
	return string(b)
}

// ownNames requests the names twice and frees those of the first answer: those of the
// second must stay valid.
func ownNames(t *check.T, c *capi.PhaseCompiler, names []string) {
	first := check.Call(t, capi.PhaseCompileGetPhaseNamesArgs{PhaseCompiler: c})
	second := check.Call(t, capi.PhaseCompileGetPhaseNamesArgs{PhaseCompiler: c})
	check.Call(t, capi.PhaseCompileCBuffersDestroyArgs{CharBuffers: first.PhaseNames, CharBufferSizes: first.PhaseNamesSizes,
		NumCharBuffers: first.NumPhaseNames})
	phaseNames(t, c) // reuses the freed memory
	check.Equal(t, fmt.Sprint(names), fmt.Sprint(check.Texts(second.PhaseNames, second.PhaseNamesSizes, second.NumPhaseNames)),
		"the names of one answer after those of another were freed")
	check.Call(t, capi.PhaseCompileCBuffersDestroyArgs{CharBuffers: second.PhaseNames, CharBufferSizes: second.PhaseNamesSizes,
		NumCharBuffers: second.NumPhaseNames})
}

// freesNames requests the names over and over, and frees them: the process must not even
// grow by the size of the pointers to them each time.
func freesNames(t *check.T) {
	c := compiler(t)
	if _, err := check.ResidentBytes(); err != nil {
		t.SkipEnvf("%v", err)
	}
	const rounds, limit = 20000, 128
	size := func() int64 {
		for range rounds {
			phaseNames(t, c)
		}
		n, _ := check.ResidentBytes()
		return n
	}
	// Growth that fills a pool or a cache ends; a leak does not.
	last := size()
	for range 3 {
		now := size()
		per := (now - last) / rounds
		t.Notef("%d rounds left %d bytes each", rounds, per)
		if last = now; per <= limit {
			return
		}
	}
	t.Errorf("expected the memory of names to be freed by c_buffers_destroy, but the process grew by more than %d bytes in each of %d rounds, again and again", limit, rounds)
}

var phaseChecks = []check.Check{
	{Rule: "XPH-01", Library: true, Run: func(t *check.T) {
		c := compiler(t)
		names := fmt.Sprint(phaseNames(t, c))
		for i := range 3 { // one after the other, beside the first
			other := check.Call(t, capi.PhaseCompileGetCompilerArgs{}).PhaseCompiler
			if other == nil {
				t.Fatalf("phase_compile_get_compiler, call %d: success without a compiler", i+2)
			}
			check.Equal(t, names, fmt.Sprint(phaseNames(t, other)), "the phases of compiler %d", i+2)
			check.Call(t, capi.PhaseCompileDestroyCompilerArgs{PhaseCompiler: other})
			check.Equal(t, names, fmt.Sprint(phaseNames(t, c)), "the phases of the first compiler, after compiler %d was destroyed", i+2)
		}
	}},
	{Rule: "XPH-02", Library: true, Run: func(t *check.T) {
		c := compiler(t)
		names := phaseNames(t, c)
		if len(names) == 0 {
			t.Errorf("the compiler has no phases")
		}
		for i, name := range names {
			if name == "" || slices.ContainsFunc([]byte(name), func(b byte) bool { return b < ' ' }) {
				t.Errorf("phase %d of %d has the name %q", i, len(names), name)
			}
		}
		check.Equal(t, fmt.Sprint(names), fmt.Sprint(phaseNames(t, c)), "the phases, asked for again")
		ownNames(t, c, names)
	}},
	{Rule: "XPH-02", Variant: "freed", Library: true, Hostile: true, Run: freesNames},
	{Rule: "XPH-03", Library: true, Hostile: true, Run: func(t *check.T) {
		c := compiler(t)
		programs := []string{partialProgram(check.AddOne, "no such phase")}
		_, err := runPhases(t, c, programs, nil)
		t.ErrorCode(err, "running no phase")
		_, err = runPhases(t, c, programs, []string{"no such phase"})
		t.ErrorCode(err, "running a phase that does not exist")
	}},
	{Rule: "XPH-04", Library: true, Run: func(t *check.T) {
		c := compiler(t)
		names := phaseNames(t, c)
		programs, passed := []string{partialProgram(check.AddOne, names[0])}, 0
		defer func() {
			if !t.Failed() {
				severalPhases(t, c, names[:passed])
			}
		}()
		for _, name := range names {
			out, err := runPhases(t, c, programs, []string{name})
			if err != nil {
				if passed == 0 {
					t.Fatalf("running the phase %q over a program: expected success, got %v", name, err)
				}
				t.Notef("the phase %q takes no program of the phases before it: %v", name, err)
				break
			}
			if passed++; len(out) == 0 {
				t.Fatalf("the phase %q made no programs", name)
			}
			for _, p := range out {
				isMessage(t, []byte(p), fmt.Sprintf("a program of the phase %q", name))
			}
			programs = out
		}
		if passed < 2 && len(names) > 1 {
			t.Errorf("expected the phase %q to take what %q made", names[1], names[0])
		}
	}},
}

// severalPhases runs phases, each of which takes what the one before makes, in one call, and the
// first one over several programs. A phase that makes one program of one makes as many of several.
func severalPhases(t *check.T, c *capi.PhaseCompiler, names []string) {
	program := partialProgram(check.AddOne, names[0])
	one, err := runPhases(t, c, []string{program}, names[:1])
	if err != nil || len(one) != 1 {
		t.Notef("the phase %q made %d programs of one (%v)", names[0], len(one), err)
		return
	}
	three, err := runPhases(t, c, slices.Repeat([]string{program}, 3), names[:1])
	if err != nil {
		t.Notef("the phase %q takes no three programs: %v", names[0], err)
	} else {
		check.Equal(t, 3, len(three), "number of programs that the phase %q makes of three, since it makes one of one", names[0])
	}
	if len(names) < 2 {
		return
	}
	apart, err := runPhases(t, c, one, names[1:2])
	if err != nil {
		t.Fatalf("running the phase %q again: expected success as before, got %v", names[1], err)
	}
	both, err := runPhases(t, c, []string{program}, names[:2])
	if err != nil {
		t.Errorf("running the phases %q in one call: expected success as in two calls, got %v", names[:2], err)
		return
	}
	check.Equal(t, fmt.Sprint(producers(apart)), fmt.Sprint(producers(both)),
		"the phases that made the programs of %q in one call, next to two calls", names[:2])
}

// producers returns the names of the phases that made partial programs.
func producers(programs []string) []string {
	var list []string
	for _, p := range programs {
		for f, err := range wire.Fields([]byte(p)) {
			if err == nil && f.Number == 3 {
				list = append(list, string(f.Bytes))
			}
		}
	}
	return list
}
