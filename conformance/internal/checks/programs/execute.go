// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// three returns its argument plus 1, plus 2 and plus 3.
const three = `module @three {
  func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %c = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.add %a, %c : tensor<4xf32>
    %1 = stablehlo.add %0, %c : tensor<4xf32>
    %2 = stablehlo.add %1, %c : tensor<4xf32>
    return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}`

var executeChecks = []check.Check{
	{Rule: "RUN-01", Profile: check.Smoke, Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, three)
		in := upload4(t, c)
		first, second := t.Run(exe, 3, in), t.Run(exe, 3, in)
		seen := map[*capi.Buffer]bool{in: true}
		for i := range 3 {
			for _, b := range []*capi.Buffer{first[i], second[i]} {
				if seen[b] {
					t.Errorf("output %d: expected a new buffer, got the pointer of another one", i)
				}
				seen[b] = true
			}
			if t.Failed() {
				// Destroying a buffer twice would end the process.
				for b := range seen {
					if b != in {
						check.Disown(t, b)
					}
				}
				return
			}
			check.ExpectBuffer(t, first[i], fill(4, float32(i+2), 1), fmt.Sprintf("output %d of 3", i))
			check.ExpectBuffer(t, second[i], fill(4, float32(i+2), 1), fmt.Sprintf("output %d of 3 of the second execution", i))
		}
		check.Destroy(t, second[1])
		for i := range 3 {
			check.Destroy(t, first[i])
		}
		check.ExpectBuffer(t, second[2], fill(4, float32(4), 1), "an output after others were destroyed")
	}},
	{Rule: "RUN-01", Variant: "several", Run: func(t *check.T) {
		for e, list := range returning(t, onClient) {
			returnsArrays(t, e.loaded, list, uploadArrays(t, list), "a program")
		}
	}},
	{Rule: "RUN-02", Run: resultsAreRight},
	{Rule: "RUN-02", Variant: "add-of-i1", Run: func(t *check.T) {
		for _, form := range []string{"parameters", "constants"} {
			addOfI1.run(t, t.Client(), form)
		}
	}},
	{Rule: "RUN-03", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, three)
		x := check.NewExecution(exe, 3, []*capi.Buffer{upload4(t, c)})
		sentinel := upload4(t, c)
		for i := range x.Outputs[0] {
			x.Outputs[0][i] = sentinel
		}
		x.Events[0] = nil
		if _, err := check.Try(t, x.Args); !t.NoError(err, "PJRT_LoadedExecutable_Execute") {
			return
		}
		for i, b := range x.Outputs[0] {
			if b == sentinel || b == nil {
				t.Errorf("output_lists[0][%d]: expected a buffer, but it was not written (%p)", i, b)
			} else {
				check.Own(t, b)
			}
		}
		if x.Events[0] == nil {
			t.Errorf("device_complete_events[0]: expected an event, got null")
			return
		}
		check.Own(t, x.Events[0])
		t.NoError(t.Await(x.Events[0]), "the execution")
	}},
	{Rule: "RUN-04", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, three)
		for _, a := range [][]*capi.Buffer{{}, {upload4(t, c), upload4(t, c)}, {check.Upload(t, c, make([]float32, 64))}} {
			x := check.NewExecution(exe, 3, a)
			if _, err := check.Try(t, x.Args); err == nil {
				t.Errorf("PJRT_LoadedExecutable_Execute with wrong arguments: expected an error, got success")
				continue
			}
			for i, b := range x.Outputs[0] {
				if b != nil {
					t.Errorf("output_lists[0][%d] after an error: expected it untouched, got a buffer", i)
				}
			}
			if x.Events[0] != nil {
				t.Errorf("device_complete_events[0] after an error: expected it untouched, got an event")
			}
		}
	}},
	{Rule: "RUN-05", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, check.Heavy)
		in := check.HeavyArgument(t, c)
		for range 3 {
			x := check.NewExecution(exe, 1, []*capi.Buffer{in})
			none := []int64{0}
			x.Options.NonDonatableInputIndices, x.Options.NumNonDonatableInputIndices = &none[0], 1
			if !t.NoError(x.Start(t), "PJRT_LoadedExecutable_Execute") {
				return
			}
			out, event := x.Outputs[0][0], x.Events[0]
			*x.Options = capi.ExecuteOptions{}
			none[0] = math.MaxInt64
			for _, lists := range []***capi.Buffer{x.Args.ArgumentLists, x.Args.OutputLists} {
				**lists = nil
				*lists = nil
			}
			x.Events[0] = nil
			if !t.NoError(t.Await(event), "an execution whose arguments were overwritten") {
				return
			}
			check.ExpectBuffer(t, out, check.HeavyResult(), "the result of an execution whose arguments were overwritten after the call")
		}
	}},
	{Rule: "RUN-06", Run: func(t *check.T) {
		c := t.Client()
		x := check.NewExecution(t.Shared(check.AddOne), 1, []*capi.Buffer{upload4(t, c)})
		x.Args.DeviceCompleteEvents = nil
		if t.NoError(x.Start(t), "PJRT_LoadedExecutable_Execute with device_complete_events null") {
			check.ExpectBuffer(t, x.Outputs[0][0], []float32{2, 3, 4, 5}, "an execution without complete events")
		}
	}},
	{Rule: "RUN-07", Run: completesWhenDone},
	{Rule: "RUN-08", Run: failureShows},
	{Rule: "RUN-17", Run: func(t *check.T) {
		c := t.Client()
		a := upload4(t, c)
		out, err := attempt(t, t.Shared(check.Add), 1, a, a)
		if t.NoError(err, "executing with one buffer as both arguments") {
			check.ExpectBuffer(t, out[0], []float32{2, 4, 6, 8}, "a sum of a buffer and itself")
			check.ExpectBuffer(t, a, []float32{1, 2, 3, 4}, "a buffer that was passed twice")
		}
	}},
	{Rule: "RUN-18", Run: func(t *check.T) {
		c := t.Client()
		identity := t.Compile(c, program("identity", "(%a: tensor<4xf32>) -> tensor<4xf32>", "return %a : tensor<4xf32>"))
		a := upload4(t, c)
		out := t.Run(identity, 1, a)[0]
		if out == a {
			check.Disown(t, out)
			t.Fatalf("a program that returns its argument: expected a new buffer, got the argument itself")
		}
		check.Destroy(t, a)
		check.ExpectBuffer(t, out, []float32{1, 2, 3, 4}, "the result of an identity after its argument was destroyed")
		b := upload4(t, c)
		out = t.Run(identity, 1, b)[0]
		t.Run(t.Compile(c, check.Donate), 1, b)
		check.ExpectBuffer(t, out, []float32{1, 2, 3, 4}, "the result of an identity after its argument was donated")
		d := upload4(t, c)
		out = t.Run(identity, 1, d)[0]
		check.Call(t, capi.BufferDeleteArgs{Buffer: d})
		check.ExpectBuffer(t, out, []float32{1, 2, 3, 4}, "the result of an identity after its argument was deleted")
		check.Equal(t, false, t.IsDeleted(out), "is_deleted of the result of an identity whose argument was deleted")
	}},
	{Rule: "RUN-19", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, program("same", "(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)",
			"%0 = stablehlo.add %a, %a : tensor<4xf32>", "return %0, %0 : tensor<4xf32>, tensor<4xf32>"))
		out := t.Run(exe, 2, upload4(t, c))
		if out[0] == out[1] {
			check.Disown(t, out[1])
			t.Fatalf("a program that returns a value twice: expected two buffers, got one pointer twice")
		}
		check.Call(t, capi.BufferDeleteArgs{Buffer: out[0]})
		check.Equal(t, true, t.IsDeleted(out[0]), "is_deleted of the first of two equal outputs after it was deleted")
		check.Equal(t, false, t.IsDeleted(out[1]), "is_deleted of the second of two equal outputs")
		check.Destroy(t, out[0])
		t.Run(t.Compile(c, check.Donate), 1, t.Run(exe, 2, upload4(t, c))[0])
		check.ExpectBuffer(t, out[1], []float32{2, 4, 6, 8}, "the second of two equal outputs after the first was destroyed")
		out = t.Run(exe, 2, upload4(t, c))
		t.Run(t.Compile(c, check.Donate), 1, out[0])
		check.ExpectBuffer(t, out[1], []float32{2, 4, 6, 8}, "the second of two equal outputs after the first was donated")
	}},
	{Rule: "RUN-20", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, check.AddOne)
		b := upload4(t, c)
		const steps = 1000
		for range steps {
			x := check.NewExecution(exe, 1, []*capi.Buffer{b})
			x.Args.DeviceCompleteEvents = nil
			if !t.NoError(x.Start(t), "PJRT_LoadedExecutable_Execute on the result of an execution under way") {
				return
			}
			check.Destroy(t, b)
			b = x.Outputs[0][0]
		}
		check.ExpectBuffer(t, b, fill(4, float32(steps+1), 1), fmt.Sprintf("%d executions, each on the result of the one before", steps))
	}},
	{Rule: "RUN-26", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, program("nothing", "()", "return"))
		x, err := start(t, exe, 0)
		if t.NoError(err, "executing a program without arguments and results") {
			t.NoError(finish(t, x), "the execution of a program without arguments and results")
		}
		exe = t.Compile(c, program("constant", "() -> tensor<3xi32>", "%0 = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi32>",
			"return %0 : tensor<3xi32>"))
		out, err := attempt(t, exe, 1)
		if t.NoError(err, "executing a program without arguments") {
			check.ExpectBuffer(t, out[0], []int32{7, 8, 9}, "a program without arguments")
		}
	}},
	{Rule: "RUN-27", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, program("empty", "(%a: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>)",
			"%0 = stablehlo.add %a, %a : tensor<0x3xf32>", "%c = stablehlo.constant dense<5.0> : tensor<f32>",
			"%1 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>",
			"return %0, %1 : tensor<0x3xf32>, tensor<3xf32>"))
		out, err := attempt(t, exe, 2, check.Upload(t, c, []float32{}, 0, 3))
		if t.NoError(err, "executing on an array without elements") {
			check.Equal(t, "[0 3]", fmt.Sprint(t.Dimensions(out[0])), "dimensions of a result without elements")
			check.ExpectBuffer(t, out[0], []float32{}, "a result without elements")
			check.ExpectBuffer(t, out[1], []float32{5, 5, 5}, "a reduction over no elements")
		}
	}},
	{Rule: "RUN-32", Hostile: true, Run: edgesNeverFault},
}

// resultsAreRight runs one computation on constants, on parameters, and on both,
// and other small programs.
func resultsAreRight(t *check.T) {
	c := t.Client()
	const array = "tensor<4xf32>"
	for _, form := range []struct{ name, first, second string }{
		{"parameters", "%a", "%b"}, {"a parameter and a constant", "%a", "%c1"}, {"a constant and a parameter", "%c0", "%b"}, {"constants", "%c0", "%c1"},
	} {
		exe := t.Compile(c, program("forms", "(%a: "+array+", %b: "+array+") -> "+array,
			"%c0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : "+array,
			"%c1 = stablehlo.constant dense<[8.0, 4.0, 2.0, 0.5]> : "+array,
			fmt.Sprintf("%%0 = stablehlo.multiply %s, %s : %s", form.first, form.second, array),
			fmt.Sprintf("%%1 = stablehlo.subtract %%0, %s : %s", form.first, array), "return %1 : "+array))
		out := t.Run(exe, 1, upload4(t, c), check.Upload(t, c, []float32{8, 4, 2, 0.5}))
		check.ExpectBuffer(t, out[0], []float32{7, 6, 3, -2}, "a*b-a on "+form.name)
	}
	for _, p := range smallPrograms {
		for _, form := range []string{"parameters", "constants"} {
			p.run(t, c, form)
		}
	}
}

// small is a program with one argument of n elements, and its result.
type small struct {
	name string
	run  func(t *check.T, c *check.Client, form string)
}

// smallOf makes a small program. lines compute %r from %a.
func smallOf[I, O interface {
	dtype.Elem
	~int32 | ~float32 | ~bool
}](name, in, out string, argument []I, want []O, dims []int64, lines ...string) small {
	return small{name, func(t *check.T, c *check.Client, form string) {
		signature, arguments := fmt.Sprintf("(%%a: tensor<%s>) -> tensor<%s>", in, out), []*capi.Buffer{}
		all := append(slices.Clone(lines), fmt.Sprintf("return %%r : tensor<%s>", out))
		if form == "constants" {
			signature = fmt.Sprintf("() -> tensor<%s>", out)
			all = append([]string{fmt.Sprintf("%%a = stablehlo.constant dense<%s> : tensor<%s>", literal(argument, dims), in)}, all...)
		} else {
			arguments = append(arguments, check.Upload(t, c, argument, dims...))
		}
		result := t.Run(t.Compile(c, program("small", signature, all...)), 1, arguments...)
		check.ExpectBuffer(t, result[0], want, name+" on "+form)
	}}
}

// literal is the StableHLO form of an array.
func literal[E any](data []E, dims []int64) string {
	if len(dims) > 1 {
		rows := make([]string, dims[0])
		each := len(data) / len(rows)
		for i := range rows {
			rows[i] = literal(data[i*each:(i+1)*each], dims[1:])
		}
		return "[" + strings.Join(rows, ", ") + "]"
	}
	list := make([]string, len(data))
	for i, x := range data {
		switch v := any(x).(type) {
		case float32:
			list[i] = fmt.Sprintf("%e", v)
		default:
			list[i] = fmt.Sprint(v)
		}
	}
	return "[" + strings.Join(list, ", ") + "]"
}

var smallPrograms = []small{
	smallOf("a transposition", "2x3xi32", "3x2xi32", []int32{1, 2, 3, 4, 5, 6}, []int32{1, 4, 2, 5, 3, 6}, []int64{2, 3}, "%r = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>"),
	smallOf("a sum of rows", "2x3xf32", "2xf32", []float32{1, 2, 3, 4, 5, 6}, []float32{6, 15}, []int64{2, 3},
		"%z = stablehlo.constant dense<0.0> : tensor<f32>",
		"%r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>"),
	smallOf("a product with itself", "2x2xf32", "2x2xf32", []float32{1, 2, 3, 4}, []float32{7, 10, 15, 22}, []int64{2, 2}, "%r = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>"),
	smallOf("a comparison", "4xf32", "4xi1", []float32{1, -2, 0, 4}, []bool{true, false, false, true}, []int64{4},
		"%z = stablehlo.constant dense<0.0> : tensor<4xf32>",
		"%r = stablehlo.compare GT, %a, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"),
	smallOf("a conversion", "4xf32", "4xi32", []float32{1.5, -2.5, 0, 1e6}, []int32{1, -2, 0, 1000000}, []int64{4}, "%r = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi32>"),
	smallOf("a slice", "6xi32", "2xi32", []int32{1, 2, 3, 4, 5, 6}, []int32{2, 5}, []int64{6}, "%r = stablehlo.slice %a [1:6:3] : (tensor<6xi32>) -> tensor<2xi32>"),
	smallOf("a broadcast", "2xi32", "2x2xi32", []int32{1, 2}, []int32{1, 1, 2, 2}, []int64{2}, "%r = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xi32>) -> tensor<2x2xi32>"),
	smallOf("an integer wrap", "3xi32", "3xi32", []int32{math.MaxInt32, math.MinInt32, 7}, []int32{math.MinInt32, math.MinInt32 + 1, 8}, []int64{3}, "%c = stablehlo.constant dense<1> : tensor<3xi32>", "%r = stablehlo.add %a, %c : tensor<3xi32>"),
}

// addOfI1 is a logical or.
var addOfI1 = smallOf("an addition of i1", "4xi1", "4xi1", []bool{true, false, true, false}, []bool{true, false, true, false}, []int64{4},
	"%r = stablehlo.add %a, %a : tensor<4xi1>")

// completesWhenDone passes a program an argument that does not exist yet.
func completesWhenDone(t *check.T) {
	c := t.Client()
	exe := t.Compile(c, check.AddOne)
	p := t.NewPending(c, 4)
	x := check.NewExecution(exe, 1, []*capi.Buffer{p.Buffer})
	done := make(chan error, 1)
	thread := t.Begin(func() {
		_, err := check.Try(t, x.Args)
		done <- err
	})
	waits := thread.Settle(2*time.Second) != check.Returned
	if waits {
		p.Fulfil()
	}
	if !t.NoError(<-done, "PJRT_LoadedExecutable_Execute on a buffer that is not ready") {
		return
	}
	if waits {
		check.Own(t, x.Outputs[0][0])
		check.Own(t, x.Events[0])
		t.SkipUnimplf("PJRT_LoadedExecutable_Execute waits for its arguments, so no event can be ready too early")
	}
	out, event := check.Own(t, x.Outputs[0][0]), check.Own(t, x.Events[0])
	time.Sleep(2 * time.Millisecond)
	if out == nil {
		t.Fatalf("PJRT_LoadedExecutable_Execute: success without an output")
	} else if event == nil {
		p.Fulfil()
		t.BlockedBy("RUN-03", "PJRT_LoadedExecutable_Execute leaves complete events null")
	}
	check.Equal(t, false, t.IsReady(event), "complete event is ready while an argument is not")
	ready := t.Ready(out)
	check.Equal(t, false, t.IsReady(ready), "output is ready while an argument is not")
	p.Fulfil()
	t.NoError(t.Await(event), "the execution")
	check.Equal(t, true, t.IsReady(event), "complete event is ready after PJRT_Event_Await")
	t.NoError(t.Await(ready), "the output")
	check.ExpectBuffer(t, out, []float32{2, 3, 4, 5}, "a program whose argument came later")

	// The event of a long program marks its end, not its beginning: when it is ready, so is
	// the output.
	heavy := t.Shared(check.Heavy)
	in := check.HeavyArgument(t, c)
	for range 4 {
		x, err := start(t, heavy, 1, in)
		if !t.NoError(err, "PJRT_LoadedExecutable_Execute") || !t.NoError(finish(t, x), "the execution") {
			return
		}
		check.Equal(t, true, t.IsReady(t.Ready(x.Outputs[0][0])) || soon(t, x.Outputs[0][0]), "output is ready once the complete event is")
	}
}

// soon reports whether the ready event of a buffer is ready within a moment.
func soon(t *check.T, b *capi.Buffer) bool {
	e := t.Ready(b)
	return t.Soon(100*time.Millisecond, func() bool { return t.IsReady(e) })
}

// failureShows passes a program an argument that becomes an error.
func failureShows(t *check.T) {
	c := t.Client()
	exe := t.Shared(check.AddOne)
	p := t.NewPending(c, 4)
	const message = "the suite made this buffer an error"
	p.Fail(capi.ErrorCodeAborted, message)
	x, err := start(t, exe, 1, p.Buffer)
	if err != nil {
		if !strings.Contains(err.Error(), message) {
			t.Notef("the error of the call does not have the text of the argument's error: %v", err)
		}
		return
	}
	err = finish(t, x)
	if t.ErrorCode(err, "the complete event of an execution whose argument is an error") && !strings.Contains(err.Error(), message) {
		t.Notef("the error of the complete event does not have the text of the argument's error: %v", err)
	}
	if x.Outputs[0][0] == nil {
		t.Errorf("PJRT_LoadedExecutable_Execute: success without an output")
		return
	}
	err = t.Await(t.Ready(x.Outputs[0][0]))
	t.ErrorCode(err, "the ready event of an output of an execution whose argument is an error")
	if data, err := tryDownload(t, x.Outputs[0][0]); err == nil {
		t.Errorf("reading an output of an execution whose argument is an error: expected an error, got %v", data)
	}
	x, err = start(t, t.Compile(c, three), 3, p.Buffer)
	failsEverywhere(t, x, err, "an execution with three outputs whose argument is an error")
	x, err = start(t, t.Shared(check.Add), 1, upload4(t, c), p.Buffer)
	failsEverywhere(t, x, err, "an execution whose second argument is an error")
}

// failsEverywhere fails the check unless an execution was refused, or all its events and
// outputs are errors.
func failsEverywhere(t *check.T, x *check.Execution, err error, what string) {
	if err != nil {
		return
	}
	t.ErrorCode(finish(t, x), "the complete event of "+what)
	for i, b := range x.Outputs[0] {
		t.ErrorCode(t.Await(t.Ready(b)), fmt.Sprintf("the ready event of output %d of %s", i, what))
		if data, err := tryDownload(t, b); err == nil {
			t.Errorf("reading output %d of %s: expected an error, got %v", i, what, data)
		}
	}
}

// edgesNeverFault runs operations that trap on a careless machine.
func edgesNeverFault(t *check.T) {
	c := t.Client()
	pair := "(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32>"
	for _, op := range []string{"divide", "remainder", "shift_left", "shift_right_logical", "shift_right_arithmetic", "power"} {
		exe := t.Compile(c, program("edge", pair, "%0 = stablehlo."+op+" %a, %b : tensor<4xi32>", "return %0 : tensor<4xi32>"))
		for _, b := range [][]int32{{0, 0, 0, 0}, {-1, -1, -1, -1}, {32, 33, -1, math.MinInt32}} {
			_, err := attempt(t, exe, 1, check.Upload(t, c, []int32{math.MinInt32, 7, 0, -1}), check.Upload(t, c, b))
			t.NoError(err, fmt.Sprintf("%s by %v", op, b))
		}
	}
	edges := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 3e38}
	for _, to := range []string{"i32", "i8", "ui32"} {
		exe := t.Compile(c, program("edge", "(%a: tensor<4xf32>) -> tensor<4x"+to+">",
			"%0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4x"+to+">", "return %0 : tensor<4x"+to+">"))
		_, err := attempt(t, exe, 1, check.Upload(t, c, edges))
		t.NoError(err, "converting NaN and infinities to "+to)
	}
	array := check.Upload(t, c, fill(8, int32(10), 1))
	slice := t.Compile(c, program("edge", "(%a: tensor<8xi32>, %i: tensor<i32>) -> tensor<3xi32>",
		"%0 = stablehlo.dynamic_slice %a, %i, sizes = [3] : (tensor<8xi32>, tensor<i32>) -> tensor<3xi32>", "return %0 : tensor<3xi32>"))
	gather := t.Compile(c, program("edge", "(%a: tensor<8xi32>, %i: tensor<i32>) -> tensor<3xi32>",
		"%j = stablehlo.reshape %i : (tensor<i32>) -> tensor<1x1xi32>",
		`%0 = "stablehlo.gather"(%a, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 3>}> : (tensor<8xi32>, tensor<1x1xi32>) -> tensor<1x3xi32>`,
		"%1 = stablehlo.reshape %0 : (tensor<1x3xi32>) -> tensor<3xi32>", "return %1 : tensor<3xi32>"))
	update := t.Compile(c, program("edge", "(%a: tensor<8xi32>, %i: tensor<i32>) -> tensor<8xi32>",
		"%u = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>",
		"%0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<8xi32>, tensor<3xi32>, tensor<i32>) -> tensor<8xi32>", "return %0 : tensor<8xi32>"))
	for _, p := range []struct {
		index, first int32
	}{{0, 10}, {5, 15}, {6, 15}, {8, 15}, {math.MaxInt32, 15}, {-1, 10}, {math.MinInt32, 10}} {
		index := check.Upload(t, c, []int32{p.index}, []int64{}...)
		for name, exe := range map[string]*capi.LoadedExecutable{"dynamic_slice": slice, "gather": gather} {
			out, err := attempt(t, exe, 1, array, index)
			if t.NoError(err, fmt.Sprintf("%s at %d of 8", name, p.index)) {
				check.ExpectBuffer(t, out[0], fill(3, p.first, 1), fmt.Sprintf("%s of 3 at %d of 8, which is moved inside", name, p.index))
			}
		}
		out, err := attempt(t, update, 1, array, index)
		if t.NoError(err, fmt.Sprintf("dynamic_update_slice at %d of 8", p.index)) {
			want := fill(8, int32(10), 1)
			copy(want[p.first-10:], []int32{1, 2, 3})
			check.ExpectBuffer(t, out[0], want, fmt.Sprintf("dynamic_update_slice of 3 at %d of 8, which is moved inside", p.index))
		}
	}
}
