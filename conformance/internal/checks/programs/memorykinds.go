// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// memoryKindChecks put arguments, results and intermediate values into each kind of memory
// that the device has.
var memoryKindChecks = []check.Check{
	{Rule: "RUN-15", Variant: "annotated-arguments", Profile: check.Core, Hostile: true, Run: func(t *check.T) {
		eachMemory(t, func(m *capi.Memory, kind string) bool { return placedProgram(t, m, kind, "") })
	}},
	{Rule: "EXE-13", Variant: "annotated-results", Profile: check.Core, Hostile: true, Run: func(t *check.T) {
		eachMemory(t, func(_ *capi.Memory, kind string) bool { return placedProgram(t, nil, "", kind) })
	}},
	{Rule: "EXE-13", Variant: "annotated-arguments-and-results", Profile: check.Core, Hostile: true, Run: func(t *check.T) {
		kinds := clientKinds(t, t.Client())
		eachMemory(t, func(m *capi.Memory, in string) bool {
			ran := false
			for _, out := range kinds {
				ran = placedProgram(t, m, in, out) || ran
			}
			return ran
		})
	}},
	{Rule: "RUN-15", Variant: "annotated-values", Profile: check.Core, Hostile: true, Run: func(t *check.T) {
		eachMemory(t, func(_ *capi.Memory, kind string) bool { return placedValue(t, kind) })
	}},
}

// eachMemory calls f with each memory of the client's first device, and skips the check
// when f reports for none that a program ran.
func eachMemory(t *check.T, f func(m *capi.Memory, kind string) bool) {
	out := check.Optional(t, capi.DeviceAddressableMemoriesArgs{Device: t.Client().Devices[0]})
	ran := 0
	for _, m := range capi.Slice(out.Memories, out.NumMemories) {
		if f(m, memoryKind(t, m)) {
			ran++
		}
	}
	if ran == 0 {
		t.SkipUnimplf("the plugin runs no program with annotations of memory, for any of %d memories", out.NumMemories)
	}
}

// placedValue executes a program with an intermediate value in a kind of memory, and
// reports whether the plugin compiles it.
func placedValue(t *check.T, kind string) bool {
	c := t.Client()
	exe, err := tryCompile(t, c, program("placed_between", "(%a: "+t4+") -> "+t4, "%0 = stablehlo.add %a, %a : "+t4,
		placed("%1", "%0", kind),
		"%2 = stablehlo.multiply %1, %a : "+t4, placed("%3", "%2", memoryKind(t, t.DefaultMemory(c))), "return %3 : "+t4), options{})
	if err != nil {
		t.Notef("a value in memory %s is refused: %s", kind, firstLine(err.Error()))
		return false
	}
	computes(t, c, exe, []float32{1, 2, 3, 4}, []float32{2, 8, 18, 32}, "a program with a value in memory "+kind)
	return true
}

// placed returns a statement that puts a value into a kind of memory.
func placed(to, from, kind string) string {
	return fmt.Sprintf(`%s = stablehlo.custom_call @annotate_device_placement(%s) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = %q}} : (%s) -> %[4]s`, to, from, kind, t4)
}

// placedProgram executes a program whose argument and result are in the given kinds of
// memory; an empty kind leaves the choice to the plugin, and a nil memory is the default
// one. It reports whether the program was executed.
func placedProgram(t *check.T, from *capi.Memory, in, out string) bool {
	c := t.Client()
	mark := func(kind string) string {
		if kind == "" {
			return ""
		}
		return fmt.Sprintf(" {mhlo.memory_kind = %q}", kind)
	}
	body := []string{"%0 = stablehlo.add %a, %a : " + t4}
	result := "%0"
	if out != "" {
		body, result = append(body, placed("%1", "%0", out)), "%1"
	}
	what := fmt.Sprintf("a program from memory %q to memory %q", in, out)
	exe, err := tryCompile(t, c, replaced(program("placed", "(%a: "+t4+mark(in)+") -> ("+t4+mark(out)+")",
		append(body, "return "+result+" : "+t4)...), "func.func @main", "func.func public @main"), options{})
	if err != nil {
		t.Notef("%s is refused: %s", what, firstLine(err.Error()))
		return false
	}
	args := check.HostArgs(c, []float32{1, 2, 3, 4})
	if from != nil {
		args.Device, args.Memory = nil, from
	}
	made, err := check.Try(t, args)
	if err != nil {
		t.Notef("uploading to memory %q: %v", in, err)
		return false
	}
	check.Own(t, made.DoneWithHostBuffer)
	argument := check.Own(t, made.Buffer)
	if !t.NoError(t.Await(made.DoneWithHostBuffer), "uploading to memory "+in) {
		return true
	}
	results, err := attempt(t, exe, 1, argument)
	if err != nil {
		t.Notef("%s is not executed: %v", what, err)
		return true
	}
	check.ExpectBuffer(t, results[0], []float32{2, 4, 6, 8}, what)
	memory, err := check.Try(t, capi.BufferMemoryArgs{Buffer: results[0]})
	if err != nil {
		return true
	}
	kind := memoryKind(t, memory.Memory)
	if !slices.Contains(clientKinds(t, c), kind) {
		t.Errorf("%s: expected its result in one of the client's memories, got one of the kind %q", what, kind)
	}
	if said, err := check.Try(t, capi.ExecutableOutputMemoryKindsArgs{Executable: t.Executable(exe)}); err == nil {
		check.Equal(t, fmt.Sprint([]string{kind}), fmt.Sprint(check.Texts(said.MemoryKinds, said.MemoryKindSizes, said.NumOutputs)),
			"memory kinds of the outputs of %s, by the buffer and by PJRT_Executable_OutputMemoryKinds", what)
	}
	if out != "" && kind != out {
		t.Notef("%s has its result in memory %q", what, kind)
	}
	return true
}
