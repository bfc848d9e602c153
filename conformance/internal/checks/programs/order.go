// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"runtime"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// orderChecks enqueue executions that depend on one another, without waiting for any.
var orderChecks = []check.Check{
	{Rule: "RUN-20", Variant: "slow producers", Run: behindSlowOnes},
	{Rule: "RUN-20", Variant: "read, then donated", Run: readThenDonated},
	{Rule: "RUN-20", Variant: "other threads", Run: fromOtherThreads},
	{Rule: "RUN-34", Devices: 2, Run: independentGoesOn},
}

// square is the type of the arrays of these programs.
const square = "tensor<256x256xf32>"

// squareOf returns the elements of a square, all of one value.
func squareOf(x float32) []float32 { return fill(256*256, x, 0) }

// slowTimes is how many times slowSum adds its argument, one addition after the other.
const slowTimes = 128

var slowSum = fmt.Sprintf(`module @slow_sum {
  func.func @main(%%a: %[1]s) -> %[1]s {
    %%zero = stablehlo.constant dense<0> : tensor<i32>
    %%one = stablehlo.constant dense<1> : tensor<i32>
    %%n = stablehlo.constant dense<%[2]d> : tensor<i32>
    %%none = stablehlo.constant dense<0.0> : %[1]s
    %%0:2 = stablehlo.while(%%i = %%zero, %%x = %%none) : tensor<i32>, %[1]s
     cond {
      %%c = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%c : tensor<i1>
    } do {
      %%j = stablehlo.add %%i, %%one : tensor<i32>
      %%y = stablehlo.add %%x, %%a : %[1]s
      stablehlo.return %%j, %%y : tensor<i32>, %[1]s
    }
    return %%0#1 : %[1]s
  }
}`, square, slowTimes)

// quickProgram compiles a short program of one array.
func quickProgram(t *check.T, c *check.Client, statement string) *capi.LoadedExecutable {
	return t.Compile(c, program("quick", "(%a: "+square+") -> "+square, statement, "return %0 : "+square))
}

const sumOfSquares = `module @sum {
  func.func @main(%a: ` + square + `, %b: ` + square + `) -> ` + square + ` {
    %0 = stablehlo.add %a, %b : ` + square + `
    return %0 : ` + square + `
  }
}`

// enqueued executes without waiting and returns the result.
func enqueued(t *check.T, exe *capi.LoadedExecutable, arguments ...*capi.Buffer) *capi.Buffer {
	x, err := start(t, exe, 1, arguments...)
	if err != nil {
		t.Fatalf("PJRT_LoadedExecutable_Execute on results of executions under way: expected success, got %v", err)
	}
	return x.Outputs[0][0]
}

// behindSlowOnes enqueues short programs after long ones whose results they need, among
// others that do not. One that starts too early computes with the previous contents.
func behindSlowOnes(t *check.T) {
	c := t.Client()
	slowly, sum := t.Compile(c, slowSum), t.Compile(c, sumOfSquares)
	double := quickProgram(t, c, "%0 = stablehlo.add %a, %a : "+square)
	negate := quickProgram(t, c, "%0 = stablehlo.negate %a : "+square)
	in, other := check.Upload(t, c, squareOf(2), 256, 256), check.Upload(t, c, []float32{1, 2, 3, 4})
	addOne := t.Shared(check.AddOne)
	const rounds = 20
	results := make([]*capi.Buffer, rounds)
	for i := range rounds {
		slow := enqueued(t, slowly, in)
		other = enqueued(t, addOne, other)
		twice := enqueued(t, double, slow)
		slower := enqueued(t, slowly, slow)
		minus := enqueued(t, negate, slow)
		results[i] = enqueued(t, sum, enqueued(t, sum, twice, minus), slower)
		for _, b := range []*capi.Buffer{slow, twice, slower, minus} {
			check.Destroy(t, b)
		}
	}
	for i, b := range results {
		what := fmt.Sprintf("round %d of %d of sums behind long programs", i+1, rounds)
		if !check.ExpectBuffer(t, b, squareOf(2*slowTimes*(1+slowTimes)), what) {
			return
		}
	}
	check.ExpectBuffer(t, other, fill(4, float32(rounds+1), 1), "short programs that were enqueued between long ones")
}

// readThenDonated donates a buffer that an execution enqueued before still reads.
func readThenDonated(t *check.T) {
	c := t.Client()
	slowly := t.Compile(c, slowSum)
	donate := t.Compile(c, program("negate", "(%a: "+square+" {tf.aliasing_output = 0 : i32}) -> "+square,
		"%0 = stablehlo.negate %a : "+square, "return %0 : "+square))
	for i := range 10 {
		a := check.Upload(t, c, squareOf(float32(i+1)), 256, 256)
		read := enqueued(t, slowly, a)
		gone := enqueued(t, donate, a)
		again := enqueued(t, slowly, gone)
		what := fmt.Sprintf("round %d: ", i+1)
		if !check.ExpectBuffer(t, read, squareOf(float32(slowTimes*(i+1))),
			what+"a long program whose argument was donated to the next one") ||
			!check.ExpectBuffer(t, again, squareOf(float32(-slowTimes*(i+1))), what+"a long program on what the donation gave") {
			return
		}
		for _, b := range []*capi.Buffer{a, read, gone, again} {
			check.Destroy(t, b)
		}
	}
}

// fromOtherThreads enqueues each program of a chain in another thread.
func fromOtherThreads(t *check.T) {
	c := t.Client()
	slowly, double := t.Compile(c, slowSum), quickProgram(t, c, "%0 = stablehlo.add %a, %a : "+square)
	in := check.Upload(t, c, squareOf(2), 256, 256)
	for i := range 10 {
		b := in
		for _, exe := range []*capi.LoadedExecutable{slowly, double, double, double} {
			x := check.NewExecution(exe, 1, []*capi.Buffer{b})
			err := inThread(func() error { return x.Start(t) })
			if !t.NoError(err, "PJRT_LoadedExecutable_Execute in another thread than that of its argument") {
				return
			}
			b = x.Outputs[0][0]
		}
		what := fmt.Sprintf("round %d of a chain whose programs were enqueued by several threads", i+1)
		if !check.ExpectBuffer(t, b, squareOf(2*slowTimes*8), what) {
			return
		}
	}
}

// inThread runs f in an operating system thread of its own, which ends with it.
func inThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked, so that the thread ends
		done <- f()
	}()
	return <-done
}

// independentGoesOn enqueues an execution from another thread after one that waits for its
// argument.
func independentGoesOn(t *check.T) {
	c := t.Client()
	exe := t.Shared(check.AddOne)
	p := t.NewPending(c, 4)
	waiting := check.NewExecution(exe, 1, []*capi.Buffer{p.Buffer})
	begun := make(chan error, 1)
	waits := t.Begin(func() {
		runtime.LockOSThread() // and never unlocked, so that the thread ends
		begun <- waiting.Start(t)
	}).Settle(2*time.Second) != check.Returned
	if waits {
		p.Fulfil()
	}
	if !t.NoError(<-begun, "PJRT_LoadedExecutable_Execute on a buffer that is not ready") {
		return
	}
	if waits {
		t.SkipUnimplf("PJRT_LoadedExecutable_Execute waits for its arguments, so nothing can be enqueued behind it")
	}
	second := t.CompileWith(c, check.AddOne, options{assignment: [][]int{{int(t.DeviceID(c.Devices[1]))}}}.bytes())
	next := check.NewExecution(second, 1, []*capi.Buffer{check.UploadTo(t, c, c.Devices[1], []float32{1, 2, 3, 4})})
	if t.NoError(inThread(func() error { return next.Start(t) }), "PJRT_LoadedExecutable_Execute behind an execution that waits") {
		done := t.Eventually(5*time.Second, "an execution gets done that needs nothing of another, which waits for its argument",
			func() bool { return t.IsReady(next.Events[0]) })
		if t.IsReady(waiting.Events[0]) {
			t.Errorf("an execution on a buffer without contents: expected its event to wait, but it is ready")
		}
		if done {
			check.ExpectBuffer(t, next.Outputs[0][0], []float32{2, 3, 4, 5}, "an execution behind one that waits")
		}
	}
	p.Fulfil()
	if t.NoError(finish(t, waiting), "an execution that waited") {
		check.ExpectBuffer(t, waiting.Outputs[0][0], []float32{2, 3, 4, 5}, "an execution that waited")
	}
}
