// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/internal/wire"
)

// Input is a way to make hostile bytes.
type Input struct {
	Name string
	Form Form
	// Make returns about size bytes.
	Make func(size int) []byte
	// Sweep says that it is one of many that put the same part into each field.
	Sweep bool
}

// Form says which readers get an input.
type Form int

// The forms of inputs.
const (
	Text Form = iota
	Bytecode
	Message
	Flags
	NumPy
	Arrays // safetensors
	Index  // of several files of safetensors
	Archive
	Session
	Path  // of a file
	Words // whatever is one line of text
)

// repeat returns an input of equal parts between a beginning and an end.
func repeat(form Form, name, first, part, last string) Input {
	return Input{Name: name, Form: form, Make: func(size int) []byte {
		return []byte(first + strings.Repeat(part, max(1, size/len(part))) + last)
	}}
}

// series returns an input of parts with their numbers in them.
func series(form Form, name, first, format, last string) Input {
	return Input{Name: name, Form: form, Make: func(size int) []byte {
		var b bytes.Buffer
		b.WriteString(first)
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		b.WriteString(last)
		return b.Bytes()
	}}
}

// chain is series with the number before in each part, too.
func chain(form Form, name, first, format, last string) Input {
	return Input{Name: name, Form: form, Make: func(size int) []byte {
		var b bytes.Buffer
		b.WriteString(first)
		n := 0
		for ; b.Len() < size; n++ {
			fmt.Fprintf(&b, format, n+1, n)
		}
		fmt.Fprintf(&b, last, n)
		return b.Bytes()
	}}
}

// Inputs returns all inputs.
func Inputs() []Input {
	return slices.Concat(texts(), dangers(), messages(), files(), bytecodes())
}

func texts() []Input {
	const function = "func.func @f%d() { call @f%d() : () -> () return }\n"
	return []Input{
		repeat(Text, "words", "", "a ", ""),
		repeat(Text, "spaces", "", " ", "a"),
		repeat(Text, "zero bytes", "module {", "\x00", ""),
		repeat(Text, "one name", "func.func @", "a", "() { return }"),
		repeat(Text, "one string", `"`, "a", `"`),
		repeat(Text, "quotes", "", `"`, ""),
		repeat(Text, "escaped quotes", `"`, `\"`, `"`),
		repeat(Text, "backslashes", `"`, `\`, `"`),
		repeat(Text, "comments", "", "//\n", ""),
		repeat(Text, "slashes", "", "/", ""),
		repeat(Text, "braces before comments", "", "{//\n}", ""),
		repeat(Text, "functions main that do not end", "", "func.func @main(", ""),
		repeat(Text, "generic functions that do not end", "", `"func.func"() <{`, ""),
		repeat(Text, "generic functions with a region", "", `"func.func"() ({`, ""),
		repeat(Text, "generic functions", "", `"func.func"() <{sym_name = "m"}> ({ }) : () -> () `, ""),
		repeat(Text, "functions main without a body", "", "func.func private @main() ", ""),
		repeat(Text, "functions main", "", "func.func @main() { return } ", ""),
		repeat(Text, "functions main within functions", "", "func.func @main(%a: i1 {a = ", ""),
		repeat(Text, "results that do not end", "", "func.func @main() -> ", ""),
		repeat(Text, "result brackets", "", "func.func @main() -> a<", ""),
		series(Text, "parameters", "func.func @main(", "%%a%d: tensor<2x3xf32>, ", "%z: i1) { return }"),
		repeat(Text, "short parameters", "func.func @main(", "a,", "a) { return }"),
		repeat(Text, "nested parameters", "func.func @main(a", ",(", ") { return }"),
		repeat(Text, "open parameters", "func.func @main(", "<,", ") { return }"),
		repeat(Text, "closed parameters", "func.func @main(", "tensor<,>", ") { return }"),
		repeat(Text, "parameters that do not close their types", "func.func @main(", "tensor<),", ") { return }"),
		repeat(Text, "encodings of a parameter", "func.func @main(%a: tensor<f32", ",", ">) { return }"),
		series(Text, "results", "func.func @main() -> (", "tensor<%dxf32>, ", "i1) { return }"),
		repeat(Text, "dimensions of a parameter", "func.func @main(%a: tensor<", "1x", "f32>) { return }"),
		repeat(Text, "words of a parameter", "func.func @main(%a: tensor<", "a ", "f32>) { return }"),
		series(Text, "functions", "func.func @main() { return }\n", "func.func @f%d() { return }\n", ""),
		series(Text, "short functions", "func.func @main() { return }\n", "func.func@f%d(){}", ""),
		chain(Text, "a chain of calls", "func.func @f0() { return }\n", function, "func.func @main() { call @f%d() : () -> () return }"),
		repeat(Text, "calls of one function", "func.func private @g() { return } func.func @main() { ", "call @g() : () -> () ", "return }"),
		repeat(Text, "mentions", "func.func private @g() { return } func.func @main() { ", "@g ", "return }"),
		repeat(Text, "mentions outside", "", "@g ", ""),
		repeat(Text, "mentions in a list", `func.func @main() { "x.y"() {callee = [`, "@g,", "]} return }"),
		repeat(Text, "strings in a list", `func.func @main() { "x.y"() {callee = [`, `"",`, "]} return }"),
		repeat(Text, "calls in a circle", "func.func @main() { ", "call @main() : () -> () ", "return }"),
		series(Text, "aliases", "", "#a%d = @main\n", "func.func @main() { return }"),
		chain(Text, "a chain of aliases", "#a0 = @main\n", "#a%d = [#a%d]\n", "func.func @main() { call #a%d() : () -> () return }"),
		chain(Text, "a tree of aliases", "#a0 = @main\n", "#a%d = [#a%[2]d, #a%[2]d]\n", "func.func @main() { call #a%d() : () -> () return }"),
		repeat(Text, "uses of an alias", "#a = [@f, @g, @h]\nfunc.func @main() { ", "#a ", "return }"),
		repeat(Text, "uses of an alias as properties", "#a = {callee = @f}\nfunc.func @main() { ", `"x.y"() <#a> `, "return }"),
		series(Text, "aliases of types", "", "!a%d = i1\n", "func.func @main() { return }"),
		chain(Text, "a chain of types", "!t0 = tuple<f32>\n", "!t%d = tuple<!t%d>\n", "func.func @main(%%a: !t%d) { return }"),
		repeat(Text, "tensors", "", "tensor<f32> ", ""),
		repeat(Text, "bounded tensors", "", "tensor<?x,#stablehlo.bounds<1>> ", ""),
		repeat(Text, "dimensions", "tensor<", "1x", "f32>"),
		repeat(Text, "numbers", "dense<[", "1,", "]>"),
		repeat(Text, "digits", "dense<[", "1", "]>"),
		repeat(Text, "hexadecimal digits", `"x.collective_permute"() {source_target_pairs = dense<"0x`, "0000000000000000", `">}`),
		repeat(Text, "permutations", "", `"x.collective_permute"() {source_target_pairs = dense<[0,1]>} `, ""),
		series(Text, "growing permutations", "", `"x.collective_permute"() {source_target_pairs = %d} `, ""),
		repeat(Text, "meshes", "", `sdy.mesh @m = <["x"=2]> `, ""),
		repeat(Text, "a mesh", "sdy.mesh @m = <[", `"x"=1,`, ""),
		repeat(Text, "meshes that do not end", "", "sdy.mesh<[", ""),
		repeat(Text, "numbers of replicas", "module attributes {", "mhlo.num_replicas = 1, ", "} {}"),
		repeat(Text, "Shardy's words", "", "xla.sdy. ", ""),
		repeat(Text, "convolutions", "", "dim_numbers = [b]x[o]->[b] ", ""),
		repeat(Text, "convolution brackets", "", "conv<[", ""),
		repeat(Text, "brackets", "", "[]", ""),
		repeat(Text, "mismatched brackets", "", "(]", ""),
		repeat(Text, "braces", "", "{}", ""),
		repeat(Text, "closing brackets", "", ">", ""),
		repeat(Text, "signs", "", "- ", ""),
		repeat(Text, "locations", "", "loc(a) ", ""),
		repeat(Text, "signature lookahead", "", "func.func @a (", ""),
		repeat(Text, "signature results", "", "func.func @a () -> (", ""),
		repeat(Text, "signature attributes", "", "func.func @a () attributes {", ""),
		repeat(Text, "HLO in text", "HloModule m\n", "a = f32[] add(b, c)\n", ""),
	}
}

func files() []Input {
	npy := func(first, part, last string) func(int) []byte {
		return func(size int) []byte {
			text := first + strings.Repeat(part, max(1, size/len(part))) + last
			b := append([]byte("\x93NUMPY"), 2, 0)
			return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
		}
	}
	arrays := func(in Input) Input {
		return Input{Name: in.Name, Form: Arrays, Make: func(size int) []byte {
			text := in.Make(size)
			return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
		}}
	}
	const session = `{"format":"purepjrt session","version":1,"api":[0,81]}` + "\n"
	line := func(text string) string { return text + "\n" }
	return []Input{
		repeat(Flags, "options", "", "xla_dump_to: 'a'\n", ""),
		repeat(Flags, "strings of an option", "xla_dump_to: ", "'' ", ""),
		repeat(Flags, "elements of an option", "xla_gpu_disable_async_collectives: [", "ALLREDUCE,", "ALLREDUCE]"),
		repeat(Flags, "options that add up", "", "xla_gpu_disable_async_collectives: ALLREDUCE\n", ""),
		repeat(Flags, "lists that add up", "", "xla_disable_hlo_passes: 'a'\n", ""),
		repeat(Flags, "comments", "", "#\n", ""),
		repeat(Flags, "commas", "", ",", ""),
		repeat(Flags, "escapes", "xla_dump_to: '", `\n`, "'"),
		repeat(Flags, "a long name", "", "xla_", ": 1"),
		repeat(Flags, "a string without an end", "xla_dump_to: '", "a", ""),
		repeat(Flags, "strings without an end", "", "'", ""),
		repeat(Flags, "flags", "", "--xla_dump_to=a ", ""),
		repeat(Flags, "quoted flags", "", `--xla_dump_to="\a" `, ""),
		repeat(Flags, "a long flag", "--xla_dump_to=", "a", ""),
		repeat(Flags, "dashes", "", "-", ""),
		repeat(Flags, "short flags", "", "- ", ""),

		{Name: "a list of dimensions", Form: NumPy, Make: npy("{'descr':'<f4','fortran_order':False,'shape':(", "1,", ")}")},
		{Name: "keys", Form: NumPy, Make: npy("{", "'':1,", "}")},
		{Name: "brackets", Form: NumPy, Make: npy("{'descr':", "(", "")},
		{Name: "spaces", Form: NumPy, Make: npy("", " ", "{}")},

		arrays(series(Arrays, "empty arrays", `{`, `"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},`, `"":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`)),
		arrays(series(Arrays, "names", `{`, `"%d":1,`, `"":1}`)),
		arrays(series(Arrays, "metadata", `{"__metadata__":{`, `"%d":"",`, `"":""}}`)),
		arrays(repeat(Arrays, "one name many times", `{`, `"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},`, `"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`)),
		arrays(repeat(Arrays, "dimensions", `{"a":{"dtype":"F32","shape":[`, `1,`, `0],"data_offsets":[0,0]}}`)),
		arrays(repeat(Arrays, "elements", `{"a":[`, `1,`, `0]}`)),
		arrays(repeat(Arrays, "empty objects", `{"a":[`, `{},`, `0]}`)),
		arrays(repeat(Arrays, "unknown members", `{"a":{`, `"":0,`, `"":0}}`)),
		arrays(repeat(Arrays, "escapes", `{"`, `\u0000`, `":1}`)),
		arrays(repeat(Arrays, "brackets", ``, `{"":`, ``)),
		arrays(repeat(Arrays, "spaces", ``, ` `, `{}`)),

		series(Index, "arrays of a file", `{"weight_map":{`, `"%d":"a.safetensors",`, `"a":"a.safetensors"}}`),
		series(Index, "files", `{"weight_map":{`, `"%d":"%[1]d.safetensors",`, `"a":"a.safetensors"}}`),
		series(Index, "files elsewhere", `{"weight_map":{`, `"%d":"../a.safetensors",`, `"a":"a.safetensors"}}`),
		repeat(Index, "one array many times", `{"weight_map":{`, `"a":"a.safetensors",`, `"a":"a.safetensors"}}`),
		repeat(Index, "the name of an array", `{"weight_map":{"`, `a`, `":"a.safetensors"}}`),
		repeat(Index, "the name of a file", `{"weight_map":{"a":"`, `a`, `.safetensors"}}`),
		repeat(Index, "unknown members", `{`, `"a":1,`, `"weight_map":{}}`),
		repeat(Index, "maps", `{`, `"weight_map":{"a":"a.safetensors"},`, `"weight_map":{}}`),
		repeat(Index, "brackets", ``, `{"weight_map":`, ``),
		repeat(Index, "spaces", ``, ` `, `{"weight_map":{"a":"a.safetensors"}}`),

		archive("arrays", func(add func(string), size int) {
			for i := range max(1, size/110) {
				add(fmt.Sprintf("%d.npy", i))
			}
		}),
		archive("one array many times", func(add func(string), size int) {
			for range max(1, size/110) {
				add("a.npy")
			}
		}),
		archive("other files", func(add func(string), size int) {
			for i := range max(1, size/110) {
				add(fmt.Sprint(i))
			}
		}),
		archive("a long name", func(add func(string), size int) { add(strings.Repeat("a", min(size/2, 60_000)) + ".npy") }),
		repeat(Archive, "ends of a directory", "", "PK\x05\x06", strings.Repeat("\x00", 18)),
		repeat(Archive, "entries of a directory", "", "PK\x01\x02", "PK\x05\x06"+strings.Repeat("\x00", 18)),

		repeat(Path, "folders", "/", "a/", "libcudart.so"),
		repeat(Path, "parents", "/", "../", "libcudart.so"),
		repeat(Path, "slashes", "", "/", "libcudart.so"),
		repeat(Path, "a version", "libcudart.so.", "1.", "1"),
		repeat(Path, "versions", "", ".so.1", ".so"),

		repeat(Session, "calls", session, line(`{"call":1,"function":"PJRT_Plugin_Initialize","in":{},"size":16}`), ""),
		repeat(Session, "short calls", session, line(`{"call":1,"function":"PJRT_Plugin_Initialize"}`), ""),
		repeat(Session, "data", session, line(`{"data":1}`), ""),
		repeat(Session, "lists", session+`{"call":1,"function":"PJRT_Plugin_Initialize","size":16,"in":{"a":[`, `[],`, "[]]}}\n"),
		repeat(Session, "objects", session+`{"call":1,"function":"PJRT_Plugin_Initialize","size":16,"in":{"a":[`, `{},`, "{}]}}\n"),
		repeat(Session, "numbers", session+`{"call":1,"function":"PJRT_Plugin_Initialize","size":16,"in":{"a":[`, `1,`, "1]}}\n"),
		series(Session, "members", session+`{"call":1,"function":"PJRT_Plugin_Initialize","size":16,"in":{`, `"%d":1,`, "\"\":1}}\n"),
		repeat(Session, "brackets", session+`{"call":1,"function":"PJRT_Plugin_Initialize","size":16,"in":{"a":`, `[`, "\n"),
		repeat(Session, "one line", session, "a", ""),
		repeat(Session, "empty lines", session, "\n", ""),

		repeat(Words, "letters", "", "a", ""),
		repeat(Words, "semicolons", "", ";", ""),
		repeat(Words, "commas", "a=", "1,", "1"),
		series(Words, "options", "", "a%d:1;", ""),
		repeat(Words, "tiles", "{0:", "T(1)", "}"),
		repeat(Words, "numbers", "{", "1,", "0}"),
		repeat(Words, "colons", "", ":", ""),
		repeat(Words, "rules", "", "PJRT_Buffer_ToHostBuffer:fail=INTERNAL;", ""),
		repeat(Words, "settings", "PJRT_Buffer_ToHostBuffer:", "fail=INTERNAL,", "delay=1s"),
		repeat(Words, "stars", "", "*", ":delay=1s"),
		repeat(Words, "colon pairs", "v2:", "1x", "1"),
	}
}

// archive returns an input that is a zip archive of files, each of which is empty.
func archive(name string, fill func(add func(name string), size int)) Input {
	return Input{Name: name, Form: Archive, Make: func(size int) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		fill(func(name string) {
			if _, err := z.Create(name); err != nil {
				panic(err) // it is written to memory
			}
		}, size)
		if err := z.Close(); err != nil {
			panic(err)
		}
		return b.Bytes()
	}}
}

// field returns a field that holds a message or a text.
func field(number wire.Number, contents ...[]byte) []byte {
	return wire.AppendBytes(nil, number, bytes.Join(contents, nil))
}

func integer(number wire.Number, n int) []byte { return wire.AppendInt(nil, number, n) }

// times returns a message with the same part until it has size bytes.
func times(part []byte, size int) []byte { return bytes.Repeat(part, max(1, size/len(part))) }

// dangers returns programs on which plugins may end the process, as far as the checks see: with
// many operations to look at, for each of which they look at many others.
func dangers() []Input {
	const (
		bounded = "tensor<?xf32, #stablehlo.bounds<9>>"
		main    = "func.func @main(%a: tensor<99xf32>, %d: " + bounded + ", %n0: tensor<i32>) -> "
		number  = "%%n%d = stablehlo.and %%n%d, %%k : tensor<i32>\n"
		nine    = " {\n%k = stablehlo.constant dense<9> : tensor<i32>\n"
		size    = "%%s%d = stablehlo.set_dimension_size %%s%d, %%n9, dim = 0 : (" + bounded + ", tensor<i32>) -> " + bounded + "\n"

		pair     = "(tensor<f32>, tensor<f32>) -> tensor<i1>"
		ofPair   = "(%x: tensor<f32>, %y: tensor<f32>) -> tensor<i1> {\n"
		sorted   = "tensor<99xf32>"
		lessThan = "%c = stablehlo.compare LT, %x, %y : " + pair + "\nreturn %c : tensor<i1> }\n"
	)
	format := func(text string) string { return strings.ReplaceAll(text, "%", "%%") }
	// sort is the format of a sort of a value, by a function with a number.
	sort := func(value, number string) string {
		return `"stablehlo.sort"(` + value + `) ({ ^bb0(%%x: tensor<f32>, %%y: tensor<f32>):` +
			" %%c = func.call @f" + number + "(%%x, %%y) : " + pair + " stablehlo.return %%c : tensor<i1> }) : " +
			"(" + sorted + ") -> " + sorted + "\n"
	}
	// parts returns a program whose first half of size bytes is made of first, and the second of
	// second.
	parts := func(name, head, first, between, second, last string) Input {
		return Input{Name: name, Form: Text, Make: func(size int) []byte {
			var b bytes.Buffer
			b.WriteString(head)
			n := 0
			for ; b.Len() < size/2; n++ {
				fmt.Fprintf(&b, first, n+1, n)
			}
			fmt.Fprintf(&b, between, n)
			for n = 0; b.Len() < size; n++ {
				fmt.Fprintf(&b, second, n+1, n)
			}
			fmt.Fprintf(&b, last, n)
			return b.Bytes()
		}}
	}
	numbered := func(format string, n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(all, ", ")
	}
	list := func(text string, n int) string { return strings.TrimSuffix(strings.Repeat(text+", ", n), ", ") }
	return []Input{
		chain(Text, "a size of a long sum", main+bounded+nine, number,
			"%%s = stablehlo.set_dimension_size %%d, %%n%d, dim = 0 : ("+bounded+", tensor<i32>) -> "+bounded+
				"\nreturn %%s : "+bounded+" }"),
		parts("sizes of one long sum", main+bounded+nine, number, "%%s0 = stablehlo.negate %%d : "+bounded+" // %d\n",
			strings.Replace(size, "%%n9", "%%n5", 1), "return %%s%d : "+bounded+" }"),
		{Name: "a call with many results", Form: Text, Make: func(size int) []byte {
			n := max(1, size/170)
			types := list(bounded, n)
			return fmt.Appendf(nil, "func.func private @f(%%x: %s) -> (%s) { return %s : %s }\n"+
				"%s(%s) { %%r:%d = call @f(%%d) : (%s) -> (%s) return %s : %s }",
				bounded, types, list("%x", n), types, main, types, n, bounded, types, numbered("%%r#%d", n), types)
		}},
		{Name: "a reshape of many sizes", Form: Text, Make: func(size int) []byte {
			n := max(1, size/30)
			result := "tensor<" + strings.Repeat("?x", n) + "f32, #stablehlo.bounds<" + list("1", n) + ">>"
			return fmt.Appendf(nil, "%s%s { %%o = stablehlo.constant dense<1> : tensor<1xi32> "+
				"%%c = stablehlo.concatenate %s, dim = 0 : (%s) -> tensor<%dxi32> "+
				"%%r = stablehlo.dynamic_reshape %%a, %%c : (tensor<99xf32>, tensor<%dxi32>) -> %s return %%r : %s }",
				main, result, list("%o", n), list("tensor<1xi32>", n), n, n, result, result)
		}},
		parts("sorts with one long comparator",
			"func.func private @f0"+ofPair+"%n0 = stablehlo.negate %y : tensor<f32>\n",
			"%%n%d = stablehlo.multiply %%x, %%n%d : tensor<f32>\n",
			"%%y = stablehlo.negate %%n%d : tensor<f32>\n"+format(lessThan+main)+sorted+" {\n%%s0 = stablehlo.negate %%a : "+sorted+"\n",
			"%%s%d = "+sort("%%s%d", "0"), "return %%s%d : "+sorted+" }"),
		repeat(Text, "encodings of an operand", main+`tensor<9xf32> { %0 = "stablehlo.sort"(%a) : (tensor<9xf32`, ",", ">) -> tensor<9xf32> return }"),
		repeat(Text, "many names of results", main+"tensor<9xf32> { ", "%r:4096, ", "%r = stablehlo.sort return %a : tensor<9xf32> }"),
		repeat(Text, "many results", main+"tensor<9xf32> { ", "%r:4096 = stablehlo.sort ", "return %a : tensor<9xf32> }"),
		chain(Text, "a comparator that calls a chain of functions twice", "func.func private @f0"+ofPair+lessThan,
			"func.func private @f%d"+format(ofPair)+"%%a = call @f%[2]d(%%x, %%y) : "+pair+"\n%%b = call @f%[2]d(%%x, %%y) : "+pair+
				"\n%%c = stablehlo.and %%a, %%b : tensor<i1>\nreturn %%c : tensor<i1> }\n",
			format(main)+sorted+" { %%s = "+sort("%%a", "%d")+"return %%s : "+sorted+" }"),
	}
}

func messages() []Input {
	var list []Input
	add := func(name string, fn func(size int) []byte) {
		list = append(list, Input{Name: name, Form: Message, Make: fn})
	}
	for n := wire.Number(1); n <= 15; n++ {
		add(fmt.Sprintf("empty messages in field %d", n), func(size int) []byte { return times(field(n), size) })
		add(fmt.Sprintf("numbers in field %d", n), func(size int) []byte { return times(integer(n, 1), size) })
	}
	for n := wire.Number(1); n <= 5; n++ {
		for m := wire.Number(1); m <= 5; m++ {
			name := fmt.Sprintf("empty messages in field %d of field %d", m, n)
			add(name, func(size int) []byte { return field(n, times(field(m), size)) })
			add(fmt.Sprintf("fields %d, each with field %d", n, m), func(size int) []byte { return times(field(n, field(m)), size) })
		}
	}
	for i := range list {
		list[i].Sweep = true
	}
	add("packed numbers", func(size int) []byte { return field(3, bytes.Repeat([]byte{1}, size)) })
	add("packed booleans", func(size int) []byte { return field(6, bytes.Repeat([]byte{1}, size)) })
	add("one long text", func(size int) []byte { return field(1, make([]byte, size)) })
	tuple := integer(2, 13)
	add("a tuple of scalars", func(size int) []byte {
		scalar := field(4, integer(2, 11), field(5, integer(16, 1)))
		return append(bytes.Clone(tuple), times(scalar, size)...)
	})
	add("a tuple of nothing", func(size int) []byte { return append(bytes.Clone(tuple), times(field(4), size)...) })
	add("a tuple of tuples", func(size int) []byte { return append(bytes.Clone(tuple), times(field(4, tuple), size)...) })
	add("a layout of tiles", func(size int) []byte { return append(integer(2, 11), field(5, times(field(6), size))...) })
	add("a tuple of tilings", func(size int) []byte {
		return append(bytes.Clone(tuple), times(field(4, integer(2, 11), field(5, field(6), field(6))), size)...)
	})
	add("a sharding of tuples", func(size int) []byte { return append(integer(1, 2), times(field(5), size)...) })
	add("a sharding of devices", func(size int) []byte {
		return bytes.Join([][]byte{integer(1, 3), field(3, []byte{1}), times(integer(4, 1), size)}, nil)
	})
	add("shardings of many devices", func(size int) []byte {
		return append(integer(1, 2), times(field(5, integer(1, 3), field(3, []byte{1}), integer(9, 1<<16)), size)...)
	})
	add("layouts of arguments", func(size int) []byte { return times(field(1), size) })
	add("overrides", func(size int) []byte { return times(field(7), size) })
	add("named overrides", func(size int) []byte {
		var b []byte
		for i := 0; len(b) < size; i++ {
			b = append(b, field(7, field(1, fmt.Append(nil, i)), field(2, integer(3, 1)))...)
		}
		return b
	})
	add("replicas of no partitions", func(size int) []byte {
		return field(3, field(9, integer(1, 1<<30), integer(2, 1), field(3, field(1, bytes.Repeat([]byte{1}, size)))))
	})
	add("partitions", func(size int) []byte {
		n := max(1, size/5)
		return field(3, field(9, integer(1, 1), integer(2, n), times(field(3, integer(1, 1)), size)))
	})

	shape := func(t int) []byte { return field(3, integer(2, t)) }
	instruction := func(id int, more ...[]byte) []byte {
		return field(2, field(1, fmt.Append(nil, "i", id)), field(2, []byte("add")), shape(11), integer(35, id), bytes.Join(more, nil))
	}
	program := field(4, field(2, integer(2, 11)))
	module := func(computations ...[]byte) []byte {
		return bytes.Join([][]byte{field(1, []byte("m")), bytes.Join(computations, nil), integer(6, 1), program}, nil)
	}
	computation := func(id int, instructions ...[]byte) []byte {
		return field(3, field(1, fmt.Append(nil, "c", id)), integer(5, id), integer(6, 1), bytes.Join(instructions, nil))
	}
	grow := func(size int, part func(i int) []byte) []byte {
		var b []byte
		for i := 1; i == 1 || len(b) < size; i++ {
			b = append(b, part(i)...)
		}
		return b
	}
	modules := map[string]func(size int) []byte{
		"instructions": func(size int) []byte {
			return module(computation(1, grow(size, func(i int) []byte { return instruction(i) })))
		},
		"empty instructions": func(size int) []byte {
			return module(computation(1, instruction(1), grow(size, func(i int) []byte { return field(2, integer(35, i+1)) })))
		},
		"instructions of one number": func(size int) []byte { return module(computation(1, times(field(2), size))) },
		"computations": func(size int) []byte {
			return module(grow(size, func(i int) []byte { return computation(i, instruction(1)) }))
		},
		"empty computations": func(size int) []byte { return module(computation(1, instruction(1)), times(field(3), size)) },
		"operands": func(size int) []byte {
			return module(computation(1, instruction(1), instruction(2, times(integer(36, 1), size))))
		},
		"operands with a long name": func(size int) []byte {
			long := field(2, field(1, bytes.Repeat([]byte("n"), size/2)), field(2, []byte("add")), shape(11), integer(35, 1))
			return module(computation(1, long, instruction(2, field(36, bytes.Repeat([]byte{1}, size/2)))))
		},
		"operands that call a long name": func(size int) []byte {
			long := field(3, field(1, bytes.Repeat([]byte("n"), size/2)), integer(5, 2), integer(6, 1), instruction(1))
			return module(computation(1, instruction(1), instruction(2, field(38, bytes.Repeat([]byte{2}, size/2)))), long)
		},
		"tuples of tuples that state a scalar": func(size int) []byte {
			return module(computation(1, instruction(1), grow(size, func(i int) []byte {
				return field(2, field(2, []byte("tuple")), shape(11), integer(35, i+1), integer(36, i), integer(36, i))
			})))
		},
		"tuples of one large tuple": func(size int) []byte {
			large := field(2, field(1, bytes.Repeat([]byte("n"), size/4)), field(2, []byte("after-all")), integer(35, 1),
				field(3, integer(2, 13), times(field(4, integer(2, 11)), size/8)))
			return module(computation(1, large, grow(size/2, func(i int) []byte {
				return field(2, field(2, []byte("get-tuple-element")), shape(11), integer(35, i+1), integer(36, 1))
			})))
		},
		"shardings of many devices": func(size int) []byte {
			devices := field(40, integer(1, 3), field(3, []byte{1}), integer(9, 1<<20))
			few := field(40, integer(1, 3), field(3, []byte{1}), integer(9, 1<<8))
			source := field(7, field(2, bytes.Repeat([]byte("s"), 32)))
			return module(computation(1, grow(size, func(i int) []byte { return instruction(i, source, [][]byte{devices, few}[i%2]) })))
		},
		"fusions of one large computation": func(size int) []byte {
			inside := field(3, integer(5, 2), integer(6, 1), grow(size/2, func(i int) []byte { return instruction(i) }))
			return module(inside, computation(1, grow(size/2, func(i int) []byte {
				return field(2, field(2, []byte("fusion")), shape(11), integer(35, i), integer(38, 2))
			})))
		},
		"a schedule of one long name": func(size int) []byte {
			long := field(2, field(1, bytes.Repeat([]byte("n"), size/2)), field(2, []byte("add")), shape(11), integer(35, 1))
			return append(module(computation(1, long)),
				field(7, field(1, integer(1, 1), field(2, field(1, bytes.Repeat([]byte{1}, size/2)))))...)
		},
		"shapes of many parts": func(size int) []byte {
			return module(computation(1, instruction(1, times(shape(11), size))))
		},
		"schedules of one computation": func(size int) []byte {
			return append(module(computation(1, grow(size/2, func(i int) []byte { return instruction(i) }))),
				field(7, times(field(1, integer(1, 1), field(2, integer(1, 1))), size/2))...)
		},
		"schedules": func(size int) []byte {
			return append(module(computation(1, instruction(1))), field(7, times(field(1, integer(1, 1)), size))...)
		},
		"parts of a schedule": func(size int) []byte {
			return append(module(computation(1, instruction(1))), times(field(7), size)...)
		},
		"calls": func(size int) []byte {
			return module(computation(1, instruction(1, field(38, bytes.Repeat([]byte{1}, size)))))
		},
		"attributes": func(size int) []byte {
			return module(computation(1, instruction(1, field(68, times(field(1), size)))))
		},
		"named attributes": func(size int) []byte {
			entries := grow(size, func(i int) []byte { return field(1, field(1, fmt.Append(nil, i))) })
			return module(computation(1, instruction(1, field(68, entries))))
		},
		"parts of attributes": func(size int) []byte { return module(computation(1, instruction(1, times(field(68), size)))) },
		"windows": func(size int) []byte {
			return module(computation(1, instruction(1, field(15, times(field(1), size)))))
		},
		"dots": func(size int) []byte { return module(computation(1, instruction(1, times(field(30), size)))) },
		"tuples": func(size int) []byte {
			return module(computation(1, instruction(1, field(3, integer(2, 13), times(field(4), size)))))
		},
		"programs": func(size int) []byte {
			return append(module(computation(1, instruction(1))), times(field(4), size)...)
		},
		"parameters": func(size int) []byte {
			return append(module(computation(1, instruction(1))), field(4, times(field(1, integer(2, 11)), size))...)
		},
		"results": func(size int) []byte {
			return append(module(computation(1, instruction(1))), field(4, times(field(2), size))...)
		},
		"donors": func(size int) []byte {
			parameter := field(1, integer(2, 13), times(field(4, integer(2, 11)), size/2))
			entries := times(field(1, integer(1, 0), field(2, []byte{1})), size/2)
			return bytes.Join([][]byte{module(computation(1, instruction(1))), field(4, parameter), field(18, entries)}, nil)
		},
		"whole donors": func(size int) []byte {
			parameter := field(1, integer(2, 13), times(field(4, integer(2, 11)), size/2))
			entries := times(field(1, integer(1, 0)), size/2)
			return bytes.Join([][]byte{module(computation(1, instruction(1))), field(4, parameter), field(18, entries)}, nil)
		},
		"aliases": func(size int) []byte {
			parameter := field(1, integer(2, 13), times(field(4, integer(2, 11)), size/2))
			entries := times(field(1, integer(2, 0), field(3, []byte{9})), size/2)
			return bytes.Join([][]byte{module(computation(1, instruction(1))), field(4, parameter), field(8, entries)}, nil)
		},
		"assignments": func(size int) []byte {
			return append(module(computation(1, instruction(1))), times(field(15), size)...)
		},
		"shardings": func(size int) []byte {
			return append(module(computation(1, instruction(1))), times(field(12), size)...)
		},
		"constants": func(size int) []byte {
			return module(computation(1, field(2, field(1, []byte("c")), field(2, []byte("constant")), integer(35, 1),
				shape(4), field(8, field(5, bytes.Repeat([]byte{1}, size))))))
		},
		"unknown fields": func(size int) []byte {
			return append(module(computation(1, instruction(1))), times(integer(99, 1), size)...)
		},
	}
	for name, fn := range modules {
		add("a module with "+name, fn)
		add("a module and a configuration with "+name, func(size int) []byte { return field(1, fn(size)) })
	}
	add("modules in parts", func(size int) []byte { return times(field(1), size) })
	add("configurations", func(size int) []byte {
		return append(field(1, module(computation(1, instruction(1)))), times(field(2), size)...)
	})
	add("assignments of a configuration", func(size int) []byte {
		one := field(15, integer(1, 1), integer(2, 1), field(3, integer(1, 1)))
		return append(field(1, module(computation(1, instruction(1)))), field(2, times(one, size))...)
	})
	return list
}
