// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// client returns a client of XLA's plugin for CPUs.
func client(t testing.TB) *pjrt.Client {
	t.Helper()
	return plugintest.Client(t)
}

// optimized returns what the compiler makes of a program.
func optimized(t testing.TB, c *pjrt.Client, program string) []byte {
	t.Helper()
	exe, err := c.Compile(context.Background(), pjrt.Program{Code: []byte(program)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	p, err := exe.OptimizedProgram()
	require.NoError(t, err)
	return p.Code
}

const attention = `
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<i32>) {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %c : tensor<8x4xf32>
  %zero = stablehlo.constant dense<0.5> : tensor<f32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<-7> : tensor<i32>
  %w:2 = stablehlo.while(%x = %i, %y = %n) : tensor<i32>, tensor<i32>
    cond {
      %lt = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
    } do {
      %next = stablehlo.subtract %x, %one : tensor<i32>
      stablehlo.return %next, %y : tensor<i32>, tensor<i32>
    }
  return %s, %w#0 : tensor<8xf32>, tensor<i32>
}`

func TestAProgramIsAGraph(t *testing.T) {
	m, err := hlo.Decode(optimized(t, client(t), attention))
	require.NoError(t, err)
	counts := make(map[string]int)
	var flops, transcendentals int64
	for c, i := range m.All() {
		require.Contains(t, m.Computations, c)
		counts[i.Opcode]++
		flops += i.Flops()
		transcendentals += i.Transcendentals()
		switch i.Opcode {
		case "while":
			require.Len(t, i.Called, 2)
		case "dot":
			assert.Equal(t, []int64{1}, i.Dot.LHSContracting)
			assert.Equal(t, int64(2*8*16*4), i.Flops())
			assert.Equal(t, "f32[8,4]{1,0}", i.Shape.String())
		case "compare":
			assert.Equal(t, "LT", i.Comparison)
		}
	}
	assert.Equal(t, 1, counts["dot"], m.String())
	assert.Equal(t, 1, counts["while"])
	assert.Equal(t, int64(8*4), transcendentals)
	assert.Greater(t, flops, int64(2*8*16*4))
	assert.True(t, m.Entry.Root.Shape.IsTuple)
	assert.Len(t, m.Entry.Root.Shape.Arrays(), 2)
	assert.Contains(t, m.String(), "entry "+m.Entry.Name)
	for _, i := range m.Entry.Instructions {
		for _, o := range i.Operands {
			assert.Contains(t, m.Entry.Users(o), i)
		}
	}
}

func TestDecodedModulesEncodeUnchanged(t *testing.T) {
	ctx := context.Background()
	c := client(t)
	m, err := hlo.Decode(optimized(t, c, attention))
	require.NoError(t, err)
	first, err := m.Encode()
	require.NoError(t, err)
	again, err := hlo.Decode(first)
	require.NoError(t, err)
	assert.Equal(t, m.String(), again.String())
	second, err := again.Encode()
	require.NoError(t, err)
	assert.Equal(t, first, second)

	// The compiler accepts it.
	again.Unschedule()
	second, err = again.Encode()
	require.NoError(t, err)
	exe, err := c.Compile(ctx, pjrt.Program{Code: second, Format: "hlo"}, nil)
	require.NoError(t, err)
	defer exe.Close()
}

func TestShapesThatContainThemselvesHaveAnEnd(t *testing.T) {
	t.Parallel()
	s := hlo.Tuple(hlo.Shape{}, hlo.Array(dtype.F32, 2))
	s.Elements[0] = s
	assert.Contains(t, s.String(), "((...), f32[2])")
	assert.Len(t, s.Arrays(), 65)
	m := &hlo.Module{Name: "m", Computations: []*hlo.Computation{{Name: "c", Instructions: []*hlo.Instruction{{Opcode: "parameter", Shape: s}}}}}
	m.Entry = m.Computations[0]
	m.Entry.Root = m.Entry.Instructions[0]
	_, err := m.Encode()
	require.ErrorContains(t, err, "tuples are nested more than 64 deep")
}

// run compiles and executes a module whose result is an array of f32.
func run(t *testing.T, c *pjrt.Client, m *hlo.Module, args ...*pjrt.Buffer) []float32 {
	t.Helper()
	ctx := context.Background()
	m.Unschedule()
	code, err := m.Encode()
	require.NoError(t, err)
	exe, err := c.Compile(ctx, pjrt.Program{Code: code, Format: "hlo"}, nil)
	require.NoError(t, err, m.String())
	defer exe.Close()
	out, err := exe.Execute(ctx, args, nil)
	require.NoError(t, err)
	values, err := pjrt.ToSlice[float32](ctx, out[0])
	require.NoError(t, err)
	require.NoError(t, out[0].Close())
	return values
}

func TestARewrittenProgramComputesSomethingElse(t *testing.T) {
	c := client(t)
	m, err := hlo.Decode(optimized(t, c, `
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}`))
	require.NoError(t, err)
	var of *hlo.Computation
	var negate *hlo.Instruction
	for in, i := range m.All() {
		if i.Opcode == "negate" {
			of, negate = in, i
		}
	}
	require.NotNil(t, negate, m.String())
	ten, err := hlo.Constant(dtype.F32, []int64{2}, []byte{0, 0, 0x20, 0x41, 0, 0, 0xa0, 0x41}) // 10, 20
	require.NoError(t, err)
	of.Add(ten)
	sum := of.Add(&hlo.Instruction{Opcode: "add", Shape: negate.Shape, Operands: []*hlo.Instruction{negate.Operands[0], ten}})
	of.Replace(negate, sum)
	assert.Equal(t, sum, of.Root)

	b, err := pjrt.FromSlice(context.Background(), c, []float32{1, 2}, 2)
	require.NoError(t, err)
	defer b.Close()
	assert.Equal(t, []float32{11, 22}, run(t, c, m, b))
	assert.NotEmpty(t, sum.Name)
}

func TestShapesThatStandAlone(t *testing.T) {
	t.Parallel()
	for want, message := range map[string]string{
		"f32[8,4]":        "\x10\x0b\x1a\x02\x08\x04",
		"f32[8,4]{1,0}":   "\x10\x0b\x1a\x02\x08\x04\x2a\x04\x0a\x02\x01\x00",
		"(f32[], s32[2])": "\x10\x0d\x22\x02\x10\x0b\x22\x05\x10\x04\x1a\x01\x02",
	} {
		s, err := hlo.DecodeShape([]byte(message))
		require.NoError(t, err, want)
		assert.Equal(t, want, s.String())
	}
	_, err := hlo.DecodeShape([]byte{0xff})
	require.ErrorContains(t, err, "hlo: the bytes are not a valid ShapeProto: ")
}

func TestConstantsOfEveryType(t *testing.T) {
	c := client(t)
	for _, typ := range dtype.All() {
		if typ.Bits() < 8 && typ != dtype.Pred || typ.Since() > 81 {
			_, err := hlo.Constant(typ, []int64{2}, make([]byte, 2*typ.Size()))
			if typ.Bits()%8 != 0 || typ.Bits() == 0 {
				require.Error(t, err, typ)
			}
			continue
		}
		data := make([]byte, 2*typ.Size())
		for n := range data {
			data[n] = byte(1 + 17*n)
			if typ == dtype.Pred {
				data[n] = byte(n & 1)
			}
		}
		if typ.IsSigned() && typ.IsInteger() {
			data[typ.Size()-1] |= 0x80
		}
		i, err := hlo.Constant(typ, []int64{2}, data)
		require.NoError(t, err, typ)
		got, err := i.Data()
		require.NoError(t, err, typ)
		assert.Equal(t, data, got, typ)

		// XLA reads what this package wrote, and the other way round.
		root := &hlo.Computation{Name: "main"}
		root.Root = root.Add(i)
		m := &hlo.Module{Name: "constant", Computations: []*hlo.Computation{root}, Entry: root}
		code, err := m.Encode()
		require.NoError(t, err)
		m2, err := hlo.Decode(code)
		require.NoError(t, err)
		got, err = m2.Entry.Root.Data()
		require.NoError(t, err, typ)
		assert.Equal(t, data, got, typ)
		exe, err := c.Compile(context.Background(), pjrt.Program{Code: code, Format: "hlo"}, nil)
		if !assert.NoError(t, err, typ) {
			continue
		}
		out, err := exe.Execute(context.Background(), nil, nil)
		require.NoError(t, err, typ)
		a, err := out[0].ToHost(context.Background())
		require.NoError(t, err, typ)
		assert.Equal(t, data, a.Data, typ)
		p, err := exe.OptimizedProgram()
		require.NoError(t, err)
		xla, err := hlo.Decode(p.Code)
		require.NoError(t, err)
		for _, x := range xla.All() {
			if x.Opcode == "constant" {
				got, err := x.Data()
				require.NoError(t, err, typ)
				assert.Equal(t, data, got, typ)
			}
		}
		require.NoError(t, out[0].Close())
		require.NoError(t, exe.Close())
	}
}

func array(op string, operands ...*hlo.Instruction) *hlo.Instruction {
	return &hlo.Instruction{Opcode: op, Shape: hlo.Array(dtype.F32, 2), Operands: operands}
}

// scheduled returns a module whose entry, main, has a schedule.
func scheduled(t testing.TB) []byte {
	t.Helper()
	c := &hlo.Computation{Name: "main"}
	a := c.Add(array("parameter"))
	c.Root = c.Add(array("negate", a))
	c.Schedule = []*hlo.Instruction{a, c.Root}
	code, err := (&hlo.Module{Name: "scheduled", Computations: []*hlo.Computation{c}, Entry: c}).Encode()
	require.NoError(t, err)
	return code
}

func TestTheTextListsEachInstructionOnce(t *testing.T) {
	t.Parallel()
	m, err := hlo.Decode(scheduled(t))
	require.NoError(t, err)
	text := m.String()
	m.Entry.Schedule = slices.Repeat(m.Entry.Schedule, 3)
	assert.Equal(t, text, m.String())
}

// A computation from another module, or a copy, has the number of another one until it gets its
// own. What refers to it keeps doing so.
func TestBorrowedAndCopiedComputationsGetNumbersOfTheirOwn(t *testing.T) {
	calling := func(opcode string) *hlo.Module {
		inside := &hlo.Computation{Name: opcode}
		inside.Root = inside.Add(array(opcode, inside.Add(array("parameter"))))
		entry := &hlo.Computation{Name: "main"}
		call := array("call", entry.Add(array("parameter")))
		call.Called = []*hlo.Computation{inside}
		entry.Root = entry.Add(call)
		m := &hlo.Module{Name: "m", Computations: []*hlo.Computation{inside, entry}, Entry: entry}
		code, err := m.Encode()
		require.NoError(t, err)
		m, err = hlo.Decode(code)
		require.NoError(t, err)
		return m
	}
	m, other := calling("negate"), calling("abs")
	borrowed := other.Computations[0]
	for _, i := range borrowed.Instructions {
		i.Name = ""
	}
	twice := *m.Computations[0]
	twice.Name, twice.Instructions = "twice", nil
	twice.Root = twice.Add(array("sign", twice.Add(array("parameter"))))
	for _, c := range []*hlo.Computation{borrowed, &twice} {
		call := array("call", m.Entry.Root)
		call.Called = []*hlo.Computation{c}
		m.Entry.Root = m.Entry.Add(call)
		// Before the others: those that are first keep their numbers.
		m.Computations = slices.Insert(m.Computations, 0, c)
	}
	m.Entry.Schedule = slices.Clone(m.Entry.Instructions)
	code, err := m.Encode()
	require.NoError(t, err)
	again, err := hlo.Decode(code)
	require.NoError(t, err)
	assert.Equal(t, "main", again.Entry.Name)
	assert.Len(t, again.Entry.Schedule, 4)
	var called []string
	for _, i := range again.Entry.Instructions {
		for _, c := range i.Called {
			called = append(called, c.Name+" "+c.Root.Opcode)
		}
	}
	assert.Equal(t, []string{"negate negate", "abs abs", "twice sign"}, called)
	exe, err := client(t).Compile(t.Context(), pjrt.Program{Code: unscheduled(t, again), Format: pjrt.FormatHLO}, nil)
	require.NoError(t, err)
	assert.NoError(t, exe.Close())
}

func unscheduled(t *testing.T, m *hlo.Module) []byte {
	t.Helper()
	m.Unschedule()
	code, err := m.Encode()
	require.NoError(t, err)
	return code
}

func TestDamagedModulesAreErrors(t *testing.T) {
	_, err := (*hlo.Module)(nil).Encode()
	require.Error(t, err)
	for want, damage := range map[string]func(m *hlo.Module, a, b *hlo.Instruction){
		"the entry is not one of the computations": func(m *hlo.Module, _, _ *hlo.Instruction) { m.Entry = new(hlo.Computation) },
		"the root is not one of the instructions":  func(m *hlo.Module, _, _ *hlo.Instruction) { m.Entry.Root = array("add") },
		"use each other in a circle":               func(_ *hlo.Module, a, b *hlo.Instruction) { a.Operands = []*hlo.Instruction{b} },
		"an instruction that is not in the module": func(_ *hlo.Module, _, b *hlo.Instruction) { b.Operands[0] = array("iota") },
		"uses an instruction that is not":          func(_ *hlo.Module, _, b *hlo.Instruction) { b.Operands[0] = nil },
		"two instructions have the name x":         func(_ *hlo.Module, a, b *hlo.Instruction) { a.Name, b.Name = "x", "x" },
		"is in the module twice":                   func(m *hlo.Module, a, _ *hlo.Instruction) { m.Entry.Add(a) },
		"instruction 2 is nil":                     func(m *hlo.Module, _, _ *hlo.Instruction) { m.Entry.Instructions = append(m.Entry.Instructions, nil) },
		"computation 1 is nil":                     func(m *hlo.Module, _, _ *hlo.Instruction) { m.Computations = append(m.Computations, nil) },
		"has no opcode":                            func(_ *hlo.Module, a, _ *hlo.Instruction) { a.Opcode = "" },
		"has no element type":                      func(_ *hlo.Module, a, _ *hlo.Instruction) { a.Shape = hlo.Shape{} },
		"its window has 1025 dimensions": func(_ *hlo.Module, a, _ *hlo.Instruction) {
			a.Window = &hlo.Window{Dimensions: make([]hlo.WindowDimension, 1025)}
		},
		"negative dimension": func(_ *hlo.Module, a, _ *hlo.Instruction) { a.Shape.Dims = []int64{-1} },
		"too large for any memory": func(_ *hlo.Module, a, _ *hlo.Instruction) {
			a.Shape.Dims = []int64{math.MaxInt64, math.MaxInt64}
		},
		"Dynamic has 1 elements": func(_ *hlo.Module, a, _ *hlo.Instruction) {
			a.Shape = hlo.Array(dtype.F32, 1, 1)
			a.Shape.Dynamic = []bool{true}
		},
		"does not name each of 1 dimensions once": func(_ *hlo.Module, a, _ *hlo.Instruction) {
			a.Shape.Layout = &hlo.Layout{MinorToMajor: []int{1}}
		},
		"the computations call each other in a circle": func(m *hlo.Module, a, _ *hlo.Instruction) {
			a.Called = []*hlo.Computation{m.Entry}
		},
		"or call one that is not in the module": func(_ *hlo.Module, a, _ *hlo.Instruction) { a.Called = []*hlo.Computation{nil} },
		"each belongs there once":               func(m *hlo.Module, a, _ *hlo.Instruction) { m.Entry.Schedule = []*hlo.Instruction{a} },
		"parameter 0 is missing":                func(_ *hlo.Module, a, _ *hlo.Instruction) { a.Parameter = 1 },
		"is scheduled before":                   func(m *hlo.Module, a, b *hlo.Instruction) { m.Entry.Schedule = []*hlo.Instruction{b, a} },
		"that the computation lacks": func(m *hlo.Module, a, _ *hlo.Instruction) {
			m.Entry.Schedule = []*hlo.Instruction{a, array("add")}
		},
	} {
		c := &hlo.Computation{Name: "main"}
		a := c.Add(array("parameter"))
		b := c.Add(array("negate", a))
		c.Root = b
		m := &hlo.Module{Name: "damaged", Computations: []*hlo.Computation{c}, Entry: c}
		_, err := m.Encode()
		require.NoError(t, err)
		damage(m, a, b)
		_, err = m.Encode()
		require.ErrorContains(t, err, want)
	}
	m, err := hlo.Decode(scheduled(t))
	require.NoError(t, err)
	m.Entry.Schedule = nil
	_, err = m.Encode()
	require.ErrorContains(t, err, "computation main: it has lost its schedule")
	m.Unschedule()
	_, err = m.Encode()
	require.NoError(t, err)
	for name, code := range map[string][]byte{
		"empty": nil, "garbage": []byte("garbage"), "a name": {10, 1, 'x'}, "a computation without a root": {0x1a, 3, 10, 1, 'x'},
	} {
		_, err := hlo.Decode(code)
		require.ErrorContains(t, err, "not an HLO module", name)
	}
}

func TestAddedInstructionsGetAPlaceInTheSchedule(t *testing.T) {
	c := &hlo.Computation{Name: "main"}
	a := c.Add(array("parameter"))
	b := c.Add(array("negate", a))
	c.Root, c.Schedule = b, []*hlo.Instruction{a, b}
	abs := c.Add(array("abs", a))
	assert.Equal(t, []*hlo.Instruction{a, abs, b}, c.Schedule)
	c.Replace(b, abs)
	assert.Equal(t, []*hlo.Instruction{a, abs}, c.Schedule)
	assert.Equal(t, abs, c.Root)
	m := &hlo.Module{Name: "m", Computations: []*hlo.Computation{c}, Entry: c}
	code, err := m.Encode()
	require.NoError(t, err)
	again, err := hlo.Decode(code)
	require.NoError(t, err)
	require.Len(t, again.Entry.Schedule, 2)
	assert.Equal(t, []string{a.Name, abs.Name}, []string{again.Entry.Schedule[0].Name, again.Entry.Schedule[1].Name})
}

// A sharding of no bytes is one that spreads nothing, and differs from none.
func TestInstructionsHaveShardingsAndNumbers(t *testing.T) {
	c := &hlo.Computation{Name: "main"}
	for _, sharding := range [][]byte{nil, {}, {8, 1}} {
		i := c.Add(array("iota"))
		i.Sharding = sharding
		c.Root = i
	}
	m := &hlo.Module{Name: "m", Computations: []*hlo.Computation{c}, Entry: c}
	code, err := m.Encode()
	require.NoError(t, err)
	again, err := hlo.Decode(code)
	require.NoError(t, err)
	for n, i := range again.Entry.Instructions {
		assert.Equal(t, c.Instructions[n].Sharding, i.Sharding)
		assert.Equal(t, c.Instructions[n].ID(), i.ID())
		assert.Equal(t, int64(n), i.ID())
	}
	assert.Zero(t, (*hlo.Instruction)(nil).ID())
}

func TestLongChainsDoNotNeedLongStacks(t *testing.T) {
	c := &hlo.Computation{Name: "main"}
	c.Root = c.Add(array("parameter"))
	for range 20_000 {
		c.Root = c.Add(array("negate", c.Root))
	}
	slices.Reverse(c.Instructions)
	m := &hlo.Module{Name: "long", Computations: []*hlo.Computation{c}, Entry: c}
	code, err := m.Encode()
	require.NoError(t, err)
	_, err = hlo.Decode(code)
	require.NoError(t, err)
}

func TestWork(t *testing.T) {
	in := &hlo.Instruction{Shape: hlo.Array(dtype.F32, 2, 8, 8, 3)}
	kernel := &hlo.Instruction{Shape: hlo.Array(dtype.F32, 3, 3, 3, 16)}
	for want, i := range map[int64]*hlo.Instruction{
		2 * 2 * 6 * 6 * 16 * 27: {
			Opcode: "convolution", Shape: hlo.Array(dtype.F32, 2, 6, 6, 16), Operands: []*hlo.Instruction{in, kernel},
			Convolution: &hlo.Convolution{
				InputFeature: 3, InputSpatial: []int64{1, 2}, KernelInputFeature: 2, KernelFeature: 3, KernelSpatial: []int64{0, 1},
				OutputFeature: 3, OutputSpatial: []int64{1, 2},
			},
			Window: &hlo.Window{Dimensions: []hlo.WindowDimension{
				{Size: 3, Stride: 1, WindowDilation: 1, BaseDilation: 1}, {Size: 3, Stride: 1, WindowDilation: 1, BaseDilation: 1},
			}},
		},
		24: {
			Opcode: "reduce-window", Shape: hlo.Array(dtype.F32, 8), Window: &hlo.Window{Dimensions: []hlo.WindowDimension{{Size: 4}}},
			Called: []*hlo.Computation{{Instructions: []*hlo.Instruction{{Opcode: "add", Shape: hlo.Array(dtype.F32)}}}},
		},
		math.MaxInt64: {
			Opcode: "dot", Shape: hlo.Array(dtype.F32, 1<<40, 1<<40), Operands: []*hlo.Instruction{{Shape: hlo.Array(dtype.F32, 1<<40)}},
			Dot: &hlo.Dot{LHSContracting: []int64{0}},
		},
		0: {Opcode: "tuple", Shape: hlo.Tuple()},
	} {
		assert.Equal(t, want, i.Flops(), i.Opcode)
	}
	assert.Zero(t, (*hlo.Instruction)(nil).Flops())
	assert.Zero(t, (&hlo.Instruction{Opcode: "dot"}).Flops())
	assert.Zero(t, (&hlo.Instruction{Opcode: "reduce", Operands: []*hlo.Instruction{in}, Shape: hlo.Tuple()}).Flops())
	assert.Equal(t, int64(4), (&hlo.Instruction{Opcode: "tanh", Shape: hlo.Array(dtype.F32, 4)}).Transcendentals())
	_, err := in.Data()
	require.Error(t, err)
}

func FuzzDecode(f *testing.F) {
	c := &hlo.Computation{Name: "main"}
	a := c.Add(array("parameter"))
	c.Root = c.Add(array("negate", a))
	c.Schedule = []*hlo.Instruction{a, c.Root}
	code, err := (&hlo.Module{Name: "seed", Computations: []*hlo.Computation{c}, Entry: c}).Encode()
	require.NoError(f, err)
	f.Add(code)
	f.Fuzz(func(t *testing.T, code []byte) {
		m, err := hlo.Decode(code)
		if err != nil {
			return
		}
		_ = m.String()
		for _, i := range m.All() {
			i.Flops()
			_, _ = i.Data()
		}
		again, err := m.Encode()
		if err != nil {
			return
		}
		_, err = hlo.Decode(again)
		require.NoError(t, err)
	})
}
