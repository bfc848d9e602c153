// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt"
	saved "github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/inspect"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
	"github.com/purepjrt/purepjrt/pjrt/xlaflags"
)

// nesting is an input in which one thing is in another, a hundred thousand times.
type nesting struct {
	name string
	code []byte
	want string // part of the error of Client.Compile
	kind byte   // which readers get it, besides Compile
}

// The kinds of inputs.
const (
	nestedText    = 't'
	nestedMessage = 'm' // of protobuf
	nestedFile    = 'f' // of arrays
)

// A function that calls itself for each level takes at least 80 bytes of stack each time.
const (
	nestingDepth = 100_000
	nestingStack = 80 * nestingDepth
)

// nestings returns inputs of all forms that can be nested.
func nestings() []nesting {
	const n = nestingDepth
	repeat := func(s string) []byte { return []byte(strings.Repeat(s, n)) }
	chain := func(first, format, last string) []byte {
		var b bytes.Buffer
		b.WriteString(first)
		for i := range n {
			fmt.Fprintf(&b, format, i+1, i)
		}
		fmt.Fprintf(&b, last, n)
		return b.Bytes()
	}
	const function = "func.func @f%d() {\n  call @f%d() : () -> ()\n  return\n}\n"
	list := []nesting{
		{"aliases of attributes", repeat("#a = "), "attributes in the program are nested more than", nestedText},
		{"aliases of types", repeat("!a = "), "attributes in the program are nested more than", nestedText},
		{"members", repeat("callee = "), "attributes in the program are nested more than", nestedText},
		{"quoted members", repeat(`"callee" = `), "attributes in the program are nested more than", nestedText},
		{"members in brackets", repeat("{callee = "), "brackets in the program are nested more than", nestedText},
		{"parentheses", repeat("("), "brackets in the program are nested more than", nestedText},
		{"square brackets", repeat("["), "brackets in the program are nested more than", nestedText},
		{"braces", repeat("{"), "regions in the program are nested more than", nestedText},
		{"angle brackets", repeat("a<"), "brackets in the program are nested more than", nestedText},
		{"dictionaries", append([]byte("module attributes "), repeat("{a = ")...), "brackets in the program are nested more than", nestedText},
		{"lists", append([]byte("dense<"), repeat("[")...), "brackets in the program are nested more than", nestedText},
		{"tensors", repeat("tensor<"), "brackets in the program are nested more than", nestedText},
		{"encodings of tensors", repeat("tensor<?x, "), "brackets in the program are nested more than", nestedText},
		{"dimension numbers", repeat("#stablehlo.conv<"), "brackets in the program are nested more than", nestedText},
		{"regions", repeat(`"x.y"() ({`), "regions in the program are nested more than", nestedText},
		{"modules", repeat("module {"), "regions in the program are nested more than", nestedText},
		{"locations", repeat("loc("), "locations in the program are nested more than", nestedText},
		{"signs", repeat("-"), "signs in the program are nested more than", nestedText},
		{"parameters", append([]byte("func.func @main(%a: "), repeat("tuple<")...), "brackets in the program are nested more than", nestedText},
		{"a chain of types", chain("!t0 = tuple<f32>\n", "!t%d = tuple<!t%d>\n", "func.func @main(%%a: !t%d) { return }"), "types in the program are nested more than", nestedText},
		{"a chain of attributes", chain("#a0 = @main\n", "#a%d = [#a%d]\n", "func.func @main() { call #a%d() : () -> () return }"), "calls itself", nestedText},
		{"a chain of functions", chain("func.func @f0() { return }\n", function, "func.func @main() { call @f%d() : () -> () return }"), "calls and regions in the program are nested more than", nestedText},
		{"a circle of functions", chain("", function, "func.func @f0() { call @f%d() : () -> () return }"), "calls itself", nestedText},
		{"regions in bytecode", bytecodeRegions(n), "regions in the program are nested more than", nestedText},
		{"types in bytecode", bytecodeTypes(n), "", nestedText},
		{"groups", bytes.Repeat(protowire.AppendTag(nil, 3, protowire.StartGroupType), n), "", nestedMessage},
		{"text options", repeat("xla_backend_extra_options { "), "", nestedText},
		{"lists in an npy header", npyHeader(string(repeat("("))), "", nestedFile},
		{"JSON", safetensorsHeader(string(repeat(`{"a":`))), "", nestedFile},
	}
	shape := nestedMessages(4, protoInt(2, 13), n)
	for field := protowire.Number(1); field <= 5; field++ {
		list = append(list, nesting{fmt.Sprintf("messages in field %d", field), nestedMessages(field, nil, n), "", nestedMessage})
	}
	computation := protoBytes(3, protoInt(5, 1), protoInt(6, 1), protoBytes(1, []byte("e")),
		protoBytes(2, protoBytes(1, []byte("x")), protoBytes(2, []byte("parameter")), protoBytes(3, shape), protoInt(35, 1)))
	module := bytes.Join([][]byte{protoBytes(1, []byte("m")), computation, protoInt(6, 1),
		protoBytes(4, protoBytes(1, shape), protoBytes(2, shape)), protoBytes(12, nestedMessages(5, protoInt(1, 2), n))}, nil)
	return append(list,
		nesting{"a shape", shape, "", nestedMessage},
		nesting{"a sharding", nestedMessages(5, protoInt(1, 2), n), "", nestedMessage},
		nesting{"argument layouts", protoBytes(1, shape), "", nestedMessage},
		nesting{"tuples in HLO", module, "tuples in the program are nested more than", nestedMessage},
		nesting{"tuples in HLO with a configuration", protoBytes(1, module), "tuples in the program are nested more than", nestedMessage},
	)
}

// nestedMessages returns a message with more before the field of a message like it, and so on.
func nestedMessages(field protowire.Number, more []byte, n int) []byte {
	// Written from the inside, that is, from the end.
	b := make([]byte, n*(len(more)+8))
	at := len(b)
	for range n {
		head := protowire.AppendVarint(protowire.AppendTag(bytes.Clone(more), field, protowire.BytesType), uint64(len(b)-at))
		at -= len(head)
		copy(b[at:], head)
	}
	return b[at:]
}

// bytecodeModule returns a module in MLIR's bytecode.
func bytecodeModule(names []string, types, offsets, ir []byte) []byte {
	var lengths, text []byte
	for _, name := range names {
		lengths = append(bytecodeNumber(len(name)+1), lengths...)
		text = append(append(text, name...), 0)
	}
	b := append([]byte("ML\xefR"), 1, 'x', 0) // version 0
	section := func(id byte, parts ...[]byte) {
		contents := bytes.Join(parts, nil)
		b = append(append(append(b, id), bytecodeNumber(len(contents))...), contents...)
	}
	section(0, bytecodeNumber(len(names)), lengths, text)
	// Dialect 0 is builtin, and its operation 0 is the module.
	section(1, bytecodeNumber(1), bytecodeNumber(0), bytecodeNumber(0), bytecodeNumber(1), bytecodeNumber(1))
	section(2, types)
	section(3, offsets)
	section(4, ir)
	return b
}

func bytecodeNumber(n int) []byte {
	if n < 1<<7 {
		return []byte{byte(n<<1 | 1)}
	}
	return binary.LittleEndian.AppendUint64([]byte{0}, uint64(n))
}

// bytecodeRegions returns a module of one operation, whose region is a block of one operation, and
// so on.
func bytecodeRegions(n int) []byte {
	one := bytes.Join([][]byte{
		bytecodeNumber(1 << 1),                         // operations of the block, which has no arguments
		bytecodeNumber(0), {1 << 4}, bytecodeNumber(0), // the operation's name, that it has regions, its location
		bytecodeNumber(1 << 1), bytecodeNumber(1), bytecodeNumber(0), // regions, blocks of the region, and its values
	}, nil)
	return bytecodeModule([]string{"builtin", "module"}, nil, append(bytecodeNumber(0), bytecodeNumber(0)...), bytes.Repeat(one, n))
}

func bytecodeTypes(n int) []byte {
	offsets := bytes.Join([][]byte{bytecodeNumber(0), bytecodeNumber(n), bytecodeNumber(0), bytecodeNumber(n)}, nil)
	var types []byte
	for i := range n {
		one := bytes.Join([][]byte{bytecodeNumber(15), bytecodeNumber(1), bytecodeNumber((i + 1) % n)}, nil) // a tuple of the next
		types = append(types, one...)
		offsets = append(offsets, bytecodeNumber(len(one)<<1|1)...)
	}
	return bytecodeModule([]string{"builtin", "module"}, types, offsets, bytecodeNumber(0))
}

func npyHeader(text string) []byte {
	b := append([]byte("\x93NUMPY"), 2, 0)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
}

func safetensorsHeader(text string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
}

// Running out of stack ends the process, and Go cannot recover from it. So nothing that is read
// from outside may be followed as deeply as it is nested.
func TestDeeplyNestedInputsAreErrorsAndNotCrashes(t *testing.T) {
	if !inChild(t) {
		return
	}
	debug.SetMaxStack(nestingStack)
	ctx := context.Background()
	client := pjrttest.New(t, pjrttest.Options{}).Client()
	compile := func(code []byte, format pjrt.Format) error {
		exe, err := client.Compile(ctx, pjrt.Program{Code: code, Format: format}, nil)
		exe.Close()
		return err
	}
	type readers map[string]func([]byte) error
	all := map[byte]readers{
		nestedText: {
			"Compile":             func(b []byte) error { return compile(b, "") },
			"Compile as MLIR":     func(b []byte) error { return compile(b, pjrt.FormatMLIR) },
			"stablehlo.Main":      func(b []byte) error { _, _ = stablehlo.Main(b); return nil },
			"stablehlo.Results":   func(b []byte) error { _, _ = stablehlo.Results(b); return nil },
			"stablehlo.VersionOf": func(b []byte) error { _, _ = stablehlo.VersionOf(b); return nil },
			"ParseDebugOptions":   func(b []byte) error { _, err := xlaflags.ParseDebugOptions(string(b)); return err },
			"xlaflags.Check":      func(b []byte) error { return xlaflags.Check(string(b)) },
		},
		nestedMessage: {
			"Compile":               func(b []byte) error { return compile(b, "") },
			"Compile as HLO":        func(b []byte) error { return compile(b, pjrt.FormatHLO) },
			"Compile with a config": func(b []byte) error { return compile(b, pjrt.FormatHLOWithConfig) },
			"DeserializeAndLoad":    func(b []byte) error { exe, err := client.DeserializeAndLoad(ctx, b, nil); exe.Close(); return err },
			"DecodeCompileOptions":  func(b []byte) error { _, err := pjrt.DecodeCompileOptions(b); return err },
			"Sharding.String":       func(b []byte) error { _ = pjrt.Sharding{Proto: b}.String(); return nil },
			"sharding.Decode":       func(b []byte) error { s, err := sharding.Decode(pjrt.Sharding{Proto: b}); _ = s.String(); return err },
			"hlo.Decode":            func(b []byte) error { m, err := hlo.Decode(b); _ = m.String(); return err },
			"hlo.DecodeShape":       func(b []byte) error { s, err := hlo.DecodeShape(b); _, _ = s.String(), s.Arrays(); return err },
			"inspect.ReadProgram":   func(b []byte) error { _, err := inspect.ReadProgram(pjrt.Program{Code: b}); return err },
			"saved.Decode":          func(b []byte) error { _, err := saved.Decode(b); return err },
		},
		nestedFile: {
			"Compile":         func(b []byte) error { return compile(b, "") },
			"npy.Read":        func(b []byte) error { _, err := npy.Read(bytes.NewReader(b)); return err },
			"safetensors.New": func(b []byte) error { _, err := safetensors.New(bytes.NewReader(b), int64(len(b))); return err },
		},
	}
	for _, n := range nestings() {
		for name, read := range all[n.kind] {
			fmt.Printf("%s reads %s\n", name, n.name)
			err := read(n.code)
			if n.want != "" && name == "Compile" {
				require.ErrorIs(t, err, pjrt.ErrInvalidArgument, n.name)
				assert.ErrorContains(t, err, n.want, n.name)
				assert.Less(t, len(err.Error()), 2000, n.name)
			}
		}
	}
}
