// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// customCallChecks look at what custom calls receive and at what becomes of their results.
var customCallChecks = []check.Check{
	{Rule: "XFFI-05", Variant: "operands", Profile: check.Core, Run: operandsArrive},
	{Rule: "XFFI-05", Variant: "attributes", Profile: check.Core, Run: attributesArrive},
	{Rule: "XFFI-05", Variant: "results", Profile: check.Core, Run: resultsReturn},
	{Rule: "XFFI-05", Variant: "order", Profile: check.Core, Run: callsInOrder},
	{Rule: "XFFI-05", Variant: "aliased", Profile: check.Core, Run: aliasedCall},
	{Rule: "XFFI-08", Variant: "api-versions", Profile: check.Core, Hostile: true, Run: unknownTargets},
}

// register is like registered, for handlers that read operands: it skips the check unless
// these are in host memory.
func register(t *check.T, fn ffi.HandlerFunc) string {
	t.Require(check.FunctionOf[capi.FFIRegisterHandlerArgs]())
	if p := t.FFIPlatform(); p != "Host" {
		t.SkipEnvf("the operands of custom calls on the platform %s are not in host memory", p)
	}
	return registered(t, fn)
}

// call returns a statement that makes a custom call.
func call(results, target, operands, attributes, types string) string {
	return fmt.Sprintf("%s = stablehlo.custom_call @%s(%s) {%s} : %s", results, target, operands, attributes, types)
}

const typedCall = "api_version = 4 : i32, has_side_effect = true"

// operandsArrive passes a custom call a matrix, a scalar and an array without elements of
// each type. The call returns the second row of the matrix.
func operandsArrive(t *check.T) {
	var mu sync.Mutex
	var got []string
	name := register(t, func(f *ffi.CallFrame) error {
		in, err := f.Args.Buffers()
		if err != nil {
			return err
		}
		out, err := f.Rets.Buffer(0)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		got = nil
		for _, b := range append(in, out) {
			data, err := b.Bytes()
			if err != nil {
				return err
			}
			text := fmt.Sprintf("type %d, dims %v", b.Dtype, b.Dimensions())
			if b != out {
				text += fmt.Sprintf(", bytes %x", data)
			}
			got = append(got, text)
		}
		matrix, _ := in[0].Bytes()
		row, err := out.Bytes()
		copy(row, matrix[len(matrix)/2:])
		return err
	})
	c := t.Client()
	ran := 0
	for _, of := range collectiveTypes {
		matrix := numbers{of: of, dims: []int64{2, 4}, v: []int64{1, 0, 1, 1, 0, 1, 1, 0}}
		scalar, empty := numbers{of: of, dims: []int64{}, v: []int64{1}}, numbers{of: of, dims: []int64{0, 3}}
		row := numbers{of: of, dims: []int64{4}, v: matrix.v[4:]}
		types := fmt.Sprintf("(%s, %s, %s) -> %s", matrix.text(), scalar.text(), empty.text(), row.text())
		exe, err := tryCompile(t, c, program("operands",
			fmt.Sprintf("(%%a: %s, %%b: %s, %%c: %s) -> %s", matrix.text(), scalar.text(), empty.text(), row.text()),
			call("%0", name, "%a, %b, %c", typedCall, types), "return %0 : "+row.text()), options{})
		if err != nil {
			t.Notef("a custom call with operands of %v is refused: %s", of, firstLine(err.Error()))
			continue
		}
		d := c.Devices[0]
		out, err := attempt(t, exe, 1, matrix.upload(t, c, d), scalar.upload(t, c, d), empty.upload(t, c, d))
		if err != nil && of.IsSubByte() {
			t.Notef("a custom call with operands of %v: %v", of, err)
			continue
		}
		if !t.NoError(err, fmt.Sprintf("a custom call with operands of %v", of)) {
			continue
		}
		ran++
		if of.IsSubByte() {
			continue // it is up to the plugin whether elements are packed there
		}
		number := dataTypeOf(of)
		var want []string
		for _, a := range []numbers{matrix, scalar, empty} {
			want = append(want, fmt.Sprintf("type %d, dims %v, bytes %x", number, a.dims, a.bytes()))
		}
		want = append(want, fmt.Sprintf("type %d, dims %v", number, row.dims))
		mu.Lock()
		check.Equal(t, strings.Join(want, "; "), strings.Join(got, "; "), "operands of %v and the result, as the custom call gets them", of)
		mu.Unlock()
		row.expect(t, out[0], fmt.Sprintf("the result of a custom call on %v", of))
	}
	if ran == 0 {
		t.SkipUnimplf("no program with a custom call of a registered handler compiles")
	}
}

// dataTypeOf returns the FFI's number for a type, which is that of XLA's shapes.
func dataTypeOf(of dtype.Type) int32 { return of.PrimitiveType() }

// attributesArrive passes a custom call an attribute of each kind.
func attributesArrive(t *check.T) {
	want := map[string]any{
		"bool": true, "i8": int8(-8), "i16": int16(-16), "i32": int32(-32), "i64": int64(-64), "u8": uint8(8), "u32": uint32(1 << 31), "u64": uint64(1 << 63),
		"f32": float32(0.5), "f64": 0.25, "text": "a text", "none": "",
		"i32s": []int32{1, -2, 3}, "f64s": []float64{0.5, -1}, "i8s": []int8{7}, "inner": map[string]any{"deep": int32(42), "text": "inner"},
	}
	const written = `bool = true, i8 = -8 : i8, i16 = -16 : i16, i32 = -32 : i32, i64 = -64 : i64, u8 = 8 : ui8, u32 = 2147483648 : ui32, u64 = 9223372036854775808 : ui64, ` +
		`f32 = 0.5 : f32, f64 = 0.25 : f64, text = "a text", none = "", i32s = array<i32: 1, -2, 3>, f64s = array<f64: 0.5, -1.0>, i8s = array<i8: 7>, inner = {deep = 42 : i32, text = "inner"}`
	answers := make(chan map[string]any, 4)
	name := register(t, func(f *ffi.CallFrame) error {
		got, err := f.Attrs.Map()
		if err == nil {
			answers <- got
		}
		return err
	})
	c := t.Client()
	exe := compileOrSkip(t, c, program("attributes", "(%a: "+t4+") -> "+t4,
		call("%0", name, "%a", typedCall+", backend_config = {"+written+"}", "("+t4+") -> "+t4), "return %0 : "+t4), options{},
		"a custom call with attributes is refused")
	if _, err := attempt(t, exe, 1, upload4(t, c)); !t.NoError(err, "a custom call with attributes") {
		return
	}
	select {
	case got := <-answers:
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if !reflect.DeepEqual(want[key], got[key]) {
				t.Errorf("attribute %s of a custom call: expected %T %v, got %T %v", key, want[key], want[key], got[key], got[key])
			}
		}
		check.Equal(t, len(want), len(got), "number of attributes of a custom call")
	default:
		t.Errorf("executing a custom call: expected its handler to be called before the complete event is ready, but it was not")
	}
}

// resultsReturn makes a custom call with three results.
func resultsReturn(t *check.T) {
	name := register(t, func(f *ffi.CallFrame) error {
		out, err := f.Rets.Buffers()
		if err != nil {
			return err
		}
		for i, b := range out {
			data, err := b.Bytes()
			if err != nil {
				return err
			}
			for j := range data {
				data[j] = byte(i + 1)
			}
		}
		return nil
	})
	c := t.Client()
	byteArray := func(n int64, x int64) numbers {
		return numbers{of: dtype.U8, dims: []int64{n}, v: slices.Repeat([]int64{x}, int(n))}
	}
	want := []numbers{byteArray(4, 1), byteArray(1, 2), byteArray(4, 3)}
	types := "tensor<4xui8>, tensor<1xui8>, tensor<4xui8>"
	exe := compileOrSkip(t, c, program("results", "() -> ("+types+")", call("%r:3", name, "", typedCall, "() -> ("+types+")"),
		"return %r#0, %r#1, %r#2 : "+types), options{}, "a custom call with three results is refused")
	for range 2 {
		out, err := attempt(t, exe, 3)
		if !t.NoError(err, "a custom call with three results") {
			return
		}
		for i := range want {
			want[i].expect(t, out[i], fmt.Sprintf("result %d of a custom call", i))
		}
	}
}

// callsInOrder makes three custom calls, each on the result of the one before.
func callsInOrder(t *check.T) {
	var mu sync.Mutex
	var order []string
	note := func(who string) ffi.HandlerFunc {
		return func(*ffi.CallFrame) error {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, who)
			return nil
		}
	}
	first, second := register(t, note("first")), register(t, note("second"))
	c := t.Client()
	types := "(" + t4 + ") -> " + t4
	exe := compileOrSkip(t, c, program("in_order", types[:1]+"%a: "+types[1:], call("%b", first, "%a", typedCall, types),
		call("%c", second, "%b", typedCall, types), call("%0", first, "%c", typedCall, types), "return %0 : "+t4), options{},
		"a program with three custom calls is refused")
	for range 3 {
		mu.Lock()
		order = nil
		mu.Unlock()
		if _, err := attempt(t, exe, 1, upload4(t, c)); !t.NoError(err, "a program with three custom calls") {
			return
		}
		mu.Lock()
		check.Equal(t, "first second first", strings.Join(order, " "),
			"order of custom calls, each of which needs the result of the previous one")
		mu.Unlock()
	}
}

// aliasedCall makes a custom call that adds one to its operand in place. The argument of
// the program, which is not donated, must not change.
func aliasedCall(t *check.T) {
	name := register(t, func(f *ffi.CallFrame) error {
		in, err := f.Args.Buffer(0)
		if err != nil {
			return err
		}
		out, err := f.Rets.Buffer(0)
		if err != nil {
			return err
		}
		if in.Data != out.Data {
			return fmt.Errorf("operand at %p and result at %p, which should be at the same address", in.Data, out.Data)
		}
		list, err := ffi.Elements[float32](out)
		for i := range list {
			list[i]++
		}
		return err
	})
	c := t.Client()
	const alias = ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]"
	exe := compileOrSkip(t, c, program("aliased_call", "(%a: "+t4+") -> ("+t4+", "+t4+")",
		call("%0", name, "%a", typedCall+alias, "("+t4+") -> "+t4),
		"%1 = stablehlo.add %a, %a : "+t4, "return %0, %1 : "+t4+", "+t4), options{},
		"a custom call whose result takes the place of its operand is refused")
	for range 2 {
		a := upload4(t, c)
		out, err := attempt(t, exe, 2, a)
		if !t.NoError(err, "a custom call whose result is where its operand was") {
			return
		}
		check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "the result of a custom call in place")
		check.ExpectBuffer(t, out[1], []float32{2, 4, 6, 8}, "another use of the operand of a custom call in place")
		check.ExpectBuffer(t, a, []float32{1, 2, 3, 4}, "an argument that was the operand of a custom call in place, and not donated")
	}
}

// unknownTargets calls targets that were not registered, with each version of the custom
// call interface.
func unknownTargets(t *check.T) {
	c := t.Client()
	for version := range 6 {
		for _, effect := range []bool{true, false} {
			what := fmt.Sprintf("a custom call of an unknown target, api_version %d, has_side_effect %v", version, effect)
			attributes := fmt.Sprintf("api_version = %d : i32, has_side_effect = %v", version, effect)
			if version == 4 {
				attributes += ", backend_config = {}"
			}
			exe, err := tryCompile(t, c, program("unknown_target", "(%a: "+t4+") -> "+t4,
				call("%0", "no_such_target_of_the_suite", "%a", attributes, "("+t4+") -> "+t4), "return %0 : "+t4), options{})
			if err == nil {
				_, err = attempt(t, exe, 1, upload4(t, c))
			}
			t.ErrorCode(err, what)
		}
	}
	runsAddOne(t, c, t.Compile(c, check.AddOne), "a program after custom calls of unknown targets")
}
