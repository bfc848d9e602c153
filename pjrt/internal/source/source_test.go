// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package source_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir/mlirtest"
	"github.com/purepjrt/purepjrt/pjrt/internal/source"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

func field(n protowire.Number, parts ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), bytes.Join(parts, nil))
}

func number(n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
}

// hloModule is a module of two parameters, an array and a tuple of two, and a tuple of three
// results. Its arrays have size elements.
func hloModule(size uint64) []byte {
	array := bytes.Join([][]byte{number(2, 11), number(3, size)}, nil)
	tuple := func(n int) []byte { return append(number(2, 13), bytes.Repeat(field(4, array), n)...) }
	return bytes.Join([][]byte{
		field(1, []byte("m")),
		field(3, field(1, []byte("main")), field(2, field(1, []byte("x")), field(2, []byte("parameter")), field(3, array))),
		field(4, field(1, array), field(1, tuple(2)), field(2, tuple(3))),
		field(7, []byte{}),
		field(15, number(1, 2), number(2, 1), field(3, number(1, 0), number(1, 1))),
	}, nil)
}

const text = `module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<i32>) -> (tensor<2x3xf32>, tensor<i1>, tensor<i8>) { return }
}`

// statement is what a program says.
type statement struct {
	format             string
	spread             dataflow.Spread
	parameters         []array.Shape
	arguments, results int
	counted            bool
	tuples, inTuple    []xlaproto.Shape
	tuplesKnown        bool
	makesTuple         bool
	danger             error
}

func statementOf(s source.Source) statement {
	c := statement{format: s.Format(), spread: s.Spread(), parameters: s.Parameters(), makesTuple: s.MakesTuple(), danger: s.Check(1)}
	c.arguments, c.results, c.counted = s.Counts()
	c.tuples, c.tuplesKnown = s.Tuples(false)
	c.inTuple, _ = s.Tuples(true)
	return c
}

func parse(t *testing.T, code []byte, format string) source.Source {
	t.Helper()
	s, err := source.Parse(code, format)
	require.NoError(t, err)
	return s
}

func TestProgramsOfEveryFormatSayWhatTheyTakeAndGive(t *testing.T) {
	t.Parallel()
	artifact, err := os.ReadFile("../bytecode/testdata/calls.mlirbc")
	require.NoError(t, err)
	dynamic, err := os.ReadFile("../bytecode/testdata/dynamic.mlirbc")
	require.NoError(t, err)
	module := hloModule(5)
	one := xlaproto.Shape{ElementType: 11, Dims: []int64{5}}
	tuple := xlaproto.Shape{ElementType: 13, Tuple: []xlaproto.Shape{one, one}}
	for name, c := range map[string]struct {
		code   []byte
		format string
		want   statement
		suffix string
	}{
		"text": {[]byte(text), "", statement{
			format: source.MLIR, spread: dataflow.Spread{Replicas: 2, Partitions: 4},
			parameters: []array.Shape{{Type: dtype.F32, Dims: []int64{2, 3}}, {Type: dtype.S32, Dims: []int64{}}},
			arguments:  2, results: 3, counted: true, makesTuple: true,
			tuples: make([]xlaproto.Shape, 2), tuplesKnown: true,
			inTuple: []xlaproto.Shape{{ElementType: 13, Tuple: make([]xlaproto.Shape, 2)}},
		}, ".mlir"},
		"text without parameters": {[]byte("func.func @main() { return }"), source.MLIR, statement{
			format: source.MLIR, parameters: []array.Shape{}, counted: true, makesTuple: true, tuples: []xlaproto.Shape{}, tuplesKnown: true,
			inTuple: []xlaproto.Shape{{ElementType: 13, Tuple: []xlaproto.Shape{}}},
		}, ".mlir"},
		"text without main": {[]byte("func.func @f() { return }"), source.MLIR, statement{
			format: source.MLIR, makesTuple: true, tuples: []xlaproto.Shape{}, inTuple: []xlaproto.Shape{{ElementType: 13, Tuple: []xlaproto.Shape{}}},
		}, ".mlir"},
		"text with a dynamic dimension": {[]byte("func.func @main(%a: tensor<?xf32>) { return }"), "", statement{
			format: source.MLIR, arguments: 1, counted: true, makesTuple: true, tuples: make([]xlaproto.Shape, 1), tuplesKnown: true,
			inTuple: []xlaproto.Shape{{ElementType: 13, Tuple: make([]xlaproto.Shape, 1)}},
		}, ".mlir"},
		"bytecode": {artifact, "", statement{
			format: source.MLIR, parameters: []array.Shape{{Type: dtype.F32, Dims: []int64{}}}, arguments: 1, results: 1, counted: true, makesTuple: true,
		}, ".mlirbc"},
		"bytecode with a dynamic dimension": {dynamic, "", statement{format: source.MLIR, arguments: 1, results: 1, counted: true, makesTuple: true}, ".mlirbc"},
		"HLO": {module, "", statement{
			format: source.HLO, spread: dataflow.Spread{Replicas: 2, Partitions: 1}, arguments: 2, results: 3, counted: true,
			tuples: []xlaproto.Shape{one, tuple}, inTuple: []xlaproto.Shape{one, tuple}, tuplesKnown: true,
		}, ".hlo.pb"},
		"HLO with a configuration": {append(field(1, module), field(2, number(4, 3), number(5, 2))...), "", statement{
			format: source.HLOWithConfig, spread: dataflow.Spread{Replicas: 3, Partitions: 2}, arguments: 2, results: 3, counted: true,
			tuples: []xlaproto.Shape{one, tuple}, inTuple: []xlaproto.Shape{one, tuple}, tuplesKnown: true,
		}, ".hlo.pb"},
		"malformed HLO":   {[]byte{0xff}, source.HLO, statement{format: source.HLO}, ".hlo.pb"},
		"a malformed HLO": {[]byte{0xff}, source.HLOWithConfig, statement{format: source.HLOWithConfig}, ".hlo.pb"},
		"another format":  {[]byte("abc"), "of_mine", statement{format: "of_mine"}, ".hlo.pb"},
	} {
		s := parse(t, c.code, c.format)
		assert.Equal(t, c.want, statementOf(s), name)
		assert.Equal(t, c.suffix, s.Suffix(), name)
	}
}

// After Read nobody looks at the code: a program is read once, and says the same as when it is
// asked piece by piece.
func TestProgramsAreReadOnce(t *testing.T) {
	t.Parallel()
	programs := map[string][]byte{"text": []byte(text), "HLO": hloModule(5), "with a configuration": field(1, hloModule(5))}
	for _, pattern := range []string{"../../../tools/pjrt/testdata/programs/*/program.mlir*", "../../sharding/testdata/*/*.mlir*"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			code, err := os.ReadFile(file)
			require.NoError(t, err)
			programs[file] = code
		}
	}
	for name, code := range programs {
		pieces := statementOf(parse(t, code, ""))
		s := parse(t, code, "")
		require.NoError(t, s.Read(context.Background(), source.Compiler{}))
		clear(code)
		whole := statementOf(s)
		whole.spread.Mesh, pieces.spread.Mesh = 0, 0 // pieces are not read to the end
		assert.Equal(t, pieces, whole, name)
	}
}

func TestDangersAreFoundInEveryFormat(t *testing.T) {
	t.Parallel()
	artifact, err := os.ReadFile("../bytecode/testdata/recursion.mlirbc")
	require.NoError(t, err)
	permute, err := os.ReadFile("../bytecode/testdata/permute.mlirbc")
	require.NoError(t, err)
	const pairs = `"stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 3]]> : tensor<1x2xi64>}`
	for name, c := range map[string]struct {
		code     []byte
		compiler source.Compiler
		devices  int
		want     string
	}{
		"text":                     {[]byte("func.func private @main()"), source.Compiler{}, 1, "@main in the program has no body"},
		"text up to a zero byte":   {[]byte("func.func private @main()\x00{ return }"), source.Compiler{UpToNUL: true}, 1, "@main in the program has no body"},
		"text past a zero byte":    {[]byte("func.func private @main()\x00{ return }"), source.Compiler{}, 1, ""},
		"bytecode":                 {artifact, source.Compiler{}, 1, "calls itself"},
		"HLO":                      {hloModule(1 << 60), source.Compiler{}, 1, "too large for any memory"},
		"HLO with a configuration": {field(1, hloModule(1<<60)), source.Compiler{}, 1, "too large for any memory"},
		"a permute":                {[]byte(pairs), source.Compiler{TPU: true}, 2, "from or to number 3"},
		"enough devices":           {[]byte(pairs), source.Compiler{TPU: true}, 4, ""},
		"an unknown number":        {[]byte(pairs), source.Compiler{TPU: true}, 0, ""},
		"a permute elsewhere":      {[]byte(pairs), source.Compiler{}, 2, ""},
		"a permute in bytecode":    {permute, source.Compiler{TPU: true}, 2, "from or to number 3"},
	} {
		format := ""
		if strings.HasPrefix(name, "text") {
			format = source.MLIR
		}
		s := parse(t, c.code, format)
		require.NoError(t, s.Check(c.devices), name)
		require.NoError(t, s.Read(context.Background(), c.compiler), name)
		if c.want == "" {
			assert.NoError(t, s.Check(c.devices), name)
		} else {
			assert.ErrorContains(t, s.Check(c.devices), c.want, name)
		}
	}
}

// A danger is one of the operations, not of a format.
func TestDangersOfCPUsAreFoundInEveryFormat(t *testing.T) {
	t.Parallel()
	for _, d := range mlirtest.Dangers() {
		forms, _, err := mlirtest.Forms(d.Name)
		require.NoError(t, err)
		forms[".mlir"] = []byte(d.Code)
		for form, code := range forms {
			dies := d.Refused()
			if form == mlirtest.FormHLO {
				dies = d.DiesAsHLO()
			}
			for _, minor := range []int{0, 81, 106, 115} {
				s := parse(t, code, "")
				_ = s.Spread() // before Read, as when a program is described
				require.NoError(t, s.Read(context.Background(), source.Compiler{CPU: minor}))
				if slices.Contains(dies, minor) || minor == 0 && form != mlirtest.FormHLO && d.DiesEverywhere() {
					assert.ErrorContains(t, s.Check(1), d.Want, "%s%s, API 0.%d", d.Name, form, minor)
				} else {
					assert.NoError(t, s.Check(1), "%s%s, API 0.%d", d.Name, form, minor)
				}
			}
		}
	}
}

var severalInstructions = regexp.MustCompile("than the root|^pads|^dilates|no array|without its state|tuples in a tuple|elements for its")

// The plugins for CPUs also get checks that look at more than one instruction.
func TestMalformedHLOIsRefused(t *testing.T) {
	t.Parallel()
	for _, m := range mlirtest.MalformedHLO() {
		for _, minor := range []int{0, 81, 115} {
			s := parse(t, m.Code, source.HLO)
			require.NoError(t, s.Read(context.Background(), source.Compiler{CPU: minor}))
			if m.Want != "" && !(minor == 0 && severalInstructions.MatchString(m.Want)) {
				assert.ErrorContains(t, s.Check(1), m.Want, "%s, API 0.%d", m.Name, minor)
			} else {
				assert.NoError(t, s.Check(1), "%s, API 0.%d", m.Name, minor)
			}
		}
	}
}

// Executions would wait for data that nobody can send or take.
func TestFeedsAreRefusedForCPUs(t *testing.T) {
	t.Parallel()
	programs := map[string][]byte{
		"infeed in text": []byte(`func.func @main() -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}
`),
		"outfeed in text": []byte(`func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.outfeed"(%a, %t) : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %a : tensor<2xf32>
}
`),
		"infeed in HLO":  oneInstruction("infeed"),
		"outfeed in HLO": oneInstruction("outfeed"),
	}
	for name, code := range programs {
		s := parse(t, code, "")
		require.NoError(t, s.Read(context.Background(), source.Compiler{CPU: 115}))
		assert.ErrorContains(t, s.Check(1), "would wait for ever", name)
		s = parse(t, code, "")
		require.NoError(t, s.Read(context.Background(), source.Compiler{}))
		assert.NoError(t, s.Check(1), "%s for another plugin", name)
	}
}

// oneInstruction returns a module of HLO with one instruction.
func oneInstruction(opcode string) []byte {
	instruction := slices.Concat(field(1, []byte("x")), field(2, []byte(opcode)), number(35, 1))
	computation := slices.Concat(field(1, []byte("e")), field(2, instruction), number(5, 1), number(6, 1))
	return slices.Concat(field(1, []byte("m")), field(3, computation), number(6, 1))
}

func TestTuplesAmongTheParametersOfHLOAreRefused(t *testing.T) {
	t.Parallel()
	array := bytes.Join([][]byte{number(2, 11), number(3, 4)}, nil)
	tuple := func(elements ...[]byte) []byte {
		b := number(2, 13)
		for _, e := range elements {
			b = append(b, field(4, e)...)
		}
		return b
	}
	for name, c := range map[string]struct {
		parameters [][]byte
		want       string
	}{
		"an array":             {[][]byte{array}, ""},
		"a tuple":              {[][]byte{tuple(array, array)}, ""},
		"an empty tuple":       {[][]byte{tuple()}, ""},
		"an array and a tuple": {[][]byte{array, tuple(array)}, "parameter 1 of 2 of the program is a tuple"},
		"a tuple in a tuple":   {[][]byte{tuple(array, tuple(array))}, "a tuple with a tuple in it"},
	} {
		var program []byte
		for _, p := range c.parameters {
			program = append(program, field(1, p)...)
		}
		code := slices.Concat(field(1, []byte("m")), field(3, field(1, []byte("main"))), field(4, program, field(2, array)))
		for _, minor := range []int{0, 81, 115} {
			s := parse(t, code, source.HLO)
			require.NoError(t, s.Read(context.Background(), source.Compiler{CPU: minor}))
			if c.want == "" || minor == 0 {
				assert.NoError(t, s.Check(1), name)
			} else {
				assert.ErrorContains(t, s.Check(1), c.want, name)
			}
		}
	}
}

func TestWhatNoPluginReadsIsRefused(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"": "is empty", " \n": "is empty", "HloModule m": "HLO in text form", "\x93NUMPY": "a NumPy array",
	} {
		_, err := source.Parse([]byte(code), "")
		assert.ErrorContains(t, err, want, "%q", code)
	}
	_, err := source.Parse([]byte("x"), "a\x00b")
	assert.ErrorContains(t, err, "contains a NUL byte")
}

// XLA writes a HloProto or a HloSnapshot for --xla_dump_to.
func TestDumpsAreTheModuleInThem(t *testing.T) {
	t.Parallel()
	code := hloModule(1)
	proto := field(1, code)
	for name, dump := range map[string][]byte{
		"HloProto":                        proto,
		"HloProto with buffers":           append(field(1, code), field(3, []byte("x"))...),
		"HloSnapshot":                     field(1, proto),
		"HloSnapshot with all its fields": slices.Concat(field(1, proto), field(2, nil), field(2, nil), field(3, nil), field(4, []byte("Host"))),
	} {
		s := parse(t, dump, "")
		assert.Equal(t, source.HLO, s.Format(), name)
		assert.Equal(t, code, s.Code(), name)
		assert.Equal(t, dump, parse(t, dump, source.HLOWithConfig).Code(), "%s in the format that the caller says", name)
	}
	withConfig := append(field(1, code), field(2, nil)...)
	assert.Equal(t, withConfig, parse(t, withConfig, "").Code(), "its configuration would be lost")
	for name, other := range map[string][]byte{
		"a number": number(1, 1), "no module": field(1, []byte("x")), "a snapshot in a snapshot": field(1, field(1, proto)),
		"another field": append(field(1, code), field(9, nil)...), "damaged": append(field(1, code), 0x1a, 9),
	} {
		assert.Equal(t, other, parse(t, other, "").Code(), name)
	}
}

func TestOnlyPlainModulesLoseTheirSchedule(t *testing.T) {
	t.Parallel()
	module := hloModule(1)
	assert.Len(t, parse(t, module, source.HLO).Uncompiled(), len(module)-2)
	for format, code := range map[string][]byte{
		source.HLOWithConfig: field(1, module), source.MLIR: []byte(text), "of_mine": []byte("x"),
	} {
		assert.Equal(t, code, parse(t, code, format).Uncompiled(), format)
	}
}
