// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// inPlaceChecks execute a program again when its argument is in the same memory as before, but
// has changed: weights that a training step updates in place, or host memory that is filled
// anew. Whatever a plugin keeps of an argument, such as a packed copy, must not outlive its
// contents.
var inPlaceChecks = []check.Check{
	{Rule: "RUN-02", Variant: "changed by donation", Run: func(t *check.T) {
		c := t.Client()
		grow := t.Compile(c, program("grow", "(%a: "+square+" {tf.aliasing_output = 0 : i32}) -> "+square,
			"%0 = stablehlo.add %a, %a : "+square, "return %0 : "+square))
		for _, p := range readers {
			exe := t.Compile(c, p.text())
			other := check.Upload(t, c, squareOf(1), 256, 256)
			b := check.Upload(t, c, squareOf(1), 256, 256)
			for i := range 4 {
				what := fmt.Sprintf("%s, after %d executions that changed an argument in place", p.name, i)
				p.expect(t, exe, other, b, float32(int(1)<<i), what)
				b = t.Run(grow, 1, b)[0]
			}
		}
	}},
	{Rule: "RUN-02", Variant: "changed by the host", Run: func(t *check.T) {
		c := t.Client()
		block := check.Aligned(4*256*256, 4096, 0)
		values, err := dtype.View[float32](block)
		if err != nil {
			panic(err)
		}
		t.Keep(block)
		for _, p := range readers {
			exe := t.Compile(c, p.text())
			other := check.Upload(t, c, squareOf(1), 256, 256)
			for i := range 4 {
				copy(values, squareOf(float32(i+1)))
				args := check.HostArgs(c, values, 256, 256)
				args.HostBufferSemantics = capi.HostBufferSemanticsImmutableZeroCopy
				out := check.Call(t, args)
				b, done := check.Own(t, out.Buffer), check.Own(t, out.DoneWithHostBuffer)
				p.expect(t, exe, other, b, float32(i+1), fmt.Sprintf("%s of upload %d of one block of the host", p.name, i+1))
				check.Destroy(t, b)
				if !t.NoError(t.Await(done), "done_with_host_buffer of a buffer that was destroyed") {
					return
				}
			}
		}
	}},
}

// reader is a program with two square matrices, the first of ones, while the second changes.
type reader struct {
	name, statement string
	times           float32 // the result, for a second argument of ones
}

const twoSquares = "(%a: " + square + ", %b: " + square + ") -> " + square

const contractedSquares = ", contracting_dims = [1] x [0] : (" + square + ", " + square + ") -> " + square

var readers = []reader{
	{"a sum", "%0 = stablehlo.add %b, %b : " + square, 2},
	{"a product whose second factor changes", "%0 = stablehlo.dot_general %a, %b" + contractedSquares, 256},
	{"a product whose first factor changes", "%0 = stablehlo.dot_general %b, %a" + contractedSquares, 256},
	{"a transposition", "%0 = stablehlo.transpose %b, dims = [1, 0] : (" + square + ") -> " + square, 1},
}

func (r *reader) text() string {
	return program("reader", twoSquares, r.statement, "return %0 : "+square)
}

// expect executes the program on a second argument whose elements are x.
func (r *reader) expect(t *check.T, exe *capi.LoadedExecutable, other, b *capi.Buffer, x float32, what string) {
	out := t.Run(exe, 1, other, b)[0]
	check.ExpectBuffer(t, out, squareOf(r.times*x), what)
	check.Destroy(t, out)
}
