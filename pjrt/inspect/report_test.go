// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/inspect"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func compiled(t *testing.T, file string) *pjrt.LoadedExecutable {
	t.Helper()
	pjrttest.NoLeaks(t)
	client := plugintest.Client(t)
	code, err := os.ReadFile(file)
	require.NoError(t, err)
	exe, err := client.Compile(t.Context(), pjrt.Program{Code: code}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	return exe
}

func report(t *testing.T, exe *pjrt.Executable) (*inspect.Report, string) {
	t.Helper()
	r, err := inspect.New(t.Context(), exe)
	require.NoError(t, err)
	var page bytes.Buffer
	require.NoError(t, r.WriteHTML(&page))
	return r, page.String()
}

// The buffer assignment in executables of XLA's CPU plugin agrees with its memory
// statistics, and each value lies inside its allocation.
func TestMemoryOfTheCPU(t *testing.T) {
	exe := compiled(t, "../../tools/pjrt/testdata/programs/attention_f32/program.mlir")
	r, page := report(t, exe.Executable)
	require.NotNil(t, r.Memory)
	sums := make(map[string]int64)
	shared := 0
	for _, a := range r.Allocations {
		kind, _, _ := strings.Cut(a.Kind, " ")
		sums[kind] += a.Bytes
		require.NotEmpty(t, a.Slots)
		for _, s := range a.Slots {
			assert.LessOrEqual(t, s.Offset+s.Bytes, a.Bytes)
		}
		for i, s := range a.Slots {
			for _, o := range a.Slots[:i] {
				if s.First < 0 || o.First < 0 || s.Name == o.Name || a.Kind != "temporary" {
					continue
				}
				apart := s.Offset >= o.Offset+o.Bytes || o.Offset >= s.Offset+s.Bytes
				// A value may take the place of another in the step that uses the other for the
				// last time.
				later := s.First >= o.Last || o.First >= s.Last
				assert.True(t, apart || later, "%v and %v overlap in %v", s, o, a)
				if !apart {
					shared++
				}
			}
		}
	}
	assert.Equal(t, r.Memory.Arguments, sums["argument"])
	assert.Equal(t, r.Memory.Temporary, sums["temporary"])
	assert.Positive(t, shared, "values take the place of others")
	require.NotNil(t, r.Schedule)
	assert.True(t, r.Schedule.Measured)
	assert.Len(t, r.Schedule.Steps, len(r.Program.Computations[0].Instructions))
	assert.GreaterOrEqual(t, r.Schedule.PeakSize, r.Memory.Arguments+r.Memory.Outputs-16, "no less than what is alive at the end")
	sum := int64(0)
	for _, b := range r.Schedule.AtPeak() {
		sum += b.Bytes
	}
	assert.Equal(t, r.Schedule.PeakSize, sum)
	assert.NotEmpty(t, r.Kernels)
	if plugintest.Age(t) < 106 {
		assert.NotEmpty(t, r.Cost)
		assert.Nil(t, r.Counted)
		assert.Contains(t, page, "flops")
	} else { // newer CPU plugins count no costs
		assert.Empty(t, r.Cost)
		require.NotNil(t, r.Counted)
		assert.Positive(t, r.Counted.Flops)
		assert.Positive(t, r.Counted.Bytes)
		assert.Contains(t, page, "Counted in the program")
		assert.Contains(t, strings.Join(r.Absent, "\n"), "the cost: PJRT_Executable_GetCostAnalysis: UNIMPLEMENTED")
	}
	for _, k := range r.Kernels {
		assert.Contains(t, page, k.Name)
	}
	assert.Contains(t, page, "Alive at the peak")
	assert.NotContains(t, page, "ZgotmplZ")
}

func TestShardingsAreDrawn(t *testing.T) {
	exe := compiled(t, "../sharding/testdata/layer/shardy.mlir")
	r, page := report(t, exe.Executable)
	assert.Equal(t, 4, r.Partitions)
	require.Len(t, r.Parameters, 2)
	require.NotNil(t, r.Parameters[1].Sharding)
	assert.Equal(t, "{devices=[1,2,2]0,2,1,3 last_tile_dim_replicate}", r.Parameters[1].Sharding.String())
	for _, cells := range []string{
		`<tr><td style="--hue:0">0, 1</td></tr>`, `<tr><td style="--hue:0">0, 2</td><td style="--hue:180">1, 3</td></tr>`, "every device",
	} {
		assert.Contains(t, page, cells)
	}
	assert.Contains(t, page, "whole: <code>f32[8,4]</code>")
	assert.Contains(t, page, "collective-permute")
}

// What a plugin lacks is left out and named; the page is written anyway.
func TestPluginsThatReportLittle(t *testing.T) {
	p := pjrttest.New(t, pjrttest.Options{Absent: []string{
		"PJRT_Executable_GetCostAnalysis", "PJRT_Executable_GetCompiledMemoryStats", "PJRT_Executable_Serialize",
	}})
	p.Program("identity", pjrttest.Signature{}, pjrttest.Identity)
	exe, err := p.Client().Compile(t.Context(), pjrt.Program{Code: []byte(
		"module @identity { func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> } }")}, nil)
	require.NoError(t, err)
	defer exe.Close()
	r, page := report(t, exe.Executable)
	assert.Nil(t, r.Memory)
	assert.Nil(t, r.Cost)
	absent := strings.Join(r.Absent, "\n")
	for _, what := range []string{"the memory: ", "the cost: ", "the buffer assignment: "} {
		assert.Contains(t, absent, what)
	}
	assert.Contains(t, page, "Not reported")
	assert.Contains(t, page, "does not report how much memory")
}

func TestWrongExecutablesAreErrors(t *testing.T) {
	_, err := inspect.New(t.Context(), nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	exe := compiled(t, "../sharding/testdata/layer/gspmd.mlir")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = inspect.New(ctx, exe.Executable)
	require.ErrorIs(t, err, context.Canceled)
	exe.Close()
	_, err = inspect.New(t.Context(), exe.Executable)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

// instruction returns an HloInstructionProto of f32[n].
func instruction(name, opcode string, id, n int64, operands ...int64) []byte {
	shape := wire.AppendInts(wire.AppendInt(nil, 2, int64(11)), 3, []int64{n})
	b := wire.AppendBytes(wire.AppendBytes(wire.AppendBytes(nil, 1, name), 2, opcode), 3, shape)
	return wire.AppendInts(wire.AppendInt(b, 35, id), 36, operands)
}

// module returns an HloModuleProto of one computation, whose root is its last instruction.
func module(root int64, instructions ...[]byte) []byte {
	c := wire.AppendInt(wire.AppendInt(wire.AppendBytes(nil, 1, "main"), 5, int64(7)), 6, root)
	for _, i := range instructions {
		c = wire.AppendBytes(c, 2, i)
	}
	b := wire.AppendBytes(wire.AppendBytes(nil, 1, "m"), 2, "main")
	return wire.AppendBytes(wire.AppendInt(b, 6, int64(7)), 3, c)
}

func TestProgramsAreReadAndEscaped(t *testing.T) {
	evil := "</pre><script>alert(1)</script>"
	code := module(3, instruction("a", "parameter", 1, 4), instruction(evil, "negate", 2, 4, 1), instruction("c", "add", 3, 4, 2, 1))
	p, err := inspect.ReadProgram(pjrt.Program{Code: code, Format: pjrt.FormatHLO})
	require.NoError(t, err)
	require.Len(t, p.Computations, 1)
	assert.Equal(t, "c = f32[4] add("+evil+", a)", p.Computations[0].Instructions[2].String())
	assert.Equal(t, int64(16), p.Computations[0].Instructions[0].Bytes)
	var page bytes.Buffer
	require.NoError(t, (&inspect.Report{Name: evil, Program: p, Absent: []string{evil}}).WriteHTML(&page))
	assert.NotContains(t, page.String(), "<script>alert")
	for n := range code {
		_, _ = inspect.ReadProgram(pjrt.Program{Code: code[:n], Format: pjrt.FormatHLO})
	}
	for _, wrong := range []pjrt.Program{
		{Code: code, Format: pjrt.FormatMLIR}, {Code: []byte("\xff"), Format: pjrt.FormatHLO}, {Format: pjrt.FormatHLO}, {Format: pjrt.FormatHLOWithConfig},
		{Code: module(1, instruction("uses a missing one", "negate", 1, 4, 99)), Format: pjrt.FormatHLO},
	} {
		_, err := inspect.ReadProgram(wrong)
		require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	}
}

// A program of many megabytes makes a page whose drawings stay small.
func TestLargePrograms(t *testing.T) {
	const n = 100_000
	list := make([][]byte, n)
	for i := range list {
		list[i] = instruction(fmt.Sprintf("value.%d", i), "add", int64(i+1), 1024, int64(max(1, i)))
	}
	p, err := inspect.ReadProgram(pjrt.Program{Code: module(n, list...), Format: pjrt.FormatHLO})
	require.NoError(t, err)
	var page bytes.Buffer
	require.NoError(t, (&inspect.Report{Name: "large", Program: p, Schedule: p.Schedule(), Kernels: p.Kernels()}).WriteHTML(&page))
	assert.Less(t, page.Len(), 20<<20)
	assert.Contains(t, page.String(), "value.99999 = f32[1024] add(value.99998)")
}

// If a program has too many allocations for a page, the page has the largest: those that are
// left out are smaller, even if several values share them.
func TestThePageHasTheLargestAllocations(t *testing.T) {
	r := &inspect.Report{Name: "many"}
	add := func(kind string, n int, bytes int64, slots int) {
		for range n {
			r.Allocations = append(r.Allocations, inspect.Allocation{Kind: kind, Bytes: bytes, Slots: make([]inspect.Slot, slots)})
		}
	}
	add("argument", 150, 3000, 1)
	add("shared", 30, 2000, 2)
	add("temporary", 20, 1000, 1)
	add("small and shared", 100, 100, 2)
	add("of a thread", 10, 5000, 1)
	var page bytes.Buffer
	require.NoError(t, r.WriteHTML(&page))
	text := page.String()
	for kind, want := range map[string]int{"argument": 150, "shared": 30, "temporary": 20, "small and shared": 0, "of a thread": 0} {
		assert.Equal(t, want, strings.Count(text, "</b>, "+kind+", "), kind)
	}
	assert.Less(t, strings.LastIndex(text, ", shared,"), strings.Index(text, ", argument,"), "shared ones come first")
	assert.Contains(t, text, "110 allocations are not listed: smaller ones, and those of single threads.")
}
