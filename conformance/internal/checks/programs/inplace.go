// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// sides are the sides of the square matrices. Compilers choose what multiplies matrices by their
// size, and differently for each processor.
var sides = []int64{256, 512, 1024}

// inPlaceChecks execute a program again when its argument is in the same memory as before, but
// has changed: weights that a training step updates in place, or host memory that is filled
// anew. Whatever a plugin keeps of an argument, such as a packed copy, must not outlive its
// contents.
var inPlaceChecks = []check.Check{
	{Rule: "RUN-02", Variant: "changed by donation", Run: func(t *check.T) {
		c := t.Client()
		for _, n := range sides {
			typ := squareType(n)
			grow := t.Compile(c, program("grow", "(%a: "+typ+" {tf.aliasing_output = 0 : i32}) -> "+typ,
				"%0 = stablehlo.add %a, %a : "+typ, "return %0 : "+typ))
			for _, p := range readers(n) {
				exe := t.Compile(c, p.text())
				other := check.Upload(t, c, filled(n, 1), n, n)
				b := check.Upload(t, c, filled(n, 1), n, n)
				for i := range 4 {
					what := fmt.Sprintf("%s, after %d executions that changed an argument in place", p.name, i)
					p.expect(t, exe, other, b, float32(int(1)<<i), what)
					b = t.Run(grow, 1, b)[0]
				}
			}
		}
	}},
	{Rule: "RUN-02", Variant: "changed by the host", Run: func(t *check.T) {
		c := t.Client()
		for _, n := range sides {
			block := check.Aligned(int(4*n*n), 4096, 0)
			values, err := dtype.View[float32](block)
			if err != nil {
				panic(err)
			}
			t.Keep(block)
			for _, p := range readers(n) {
				exe := t.Compile(c, p.text())
				other := check.Upload(t, c, filled(n, 1), n, n)
				for i := range 4 {
					copy(values, filled(n, float32(i+1)))
					args := check.HostArgs(c, values, n, n)
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
		}
	}},
}

// reader is a program with two square matrices, the first of ones, while the second changes.
type reader struct {
	name, statement string
	times           float32 // the result, for a second argument of ones
	side            int64
}

// readers returns programs of matrices of n x n elements.
func readers(n int64) []reader {
	typ := squareType(n)
	contracted := ", contracting_dims = [1] x [0] : (" + typ + ", " + typ + ") -> " + typ
	size := fmt.Sprintf(" of %d x %[1]d matrices", n)
	return []reader{
		{"a sum" + size, "%0 = stablehlo.add %b, %b : " + typ, 2, n},
		{"a product" + size + " whose second factor changes", "%0 = stablehlo.dot_general %a, %b" + contracted, float32(n), n},
		{"a product" + size + " whose first factor changes", "%0 = stablehlo.dot_general %b, %a" + contracted, float32(n), n},
		{"a transposition" + size, "%0 = stablehlo.transpose %b, dims = [1, 0] : (" + typ + ") -> " + typ, 1, n},
	}
}

func squareType(n int64) string { return check.Tensor(dtype.F32, []int64{n, n}) }

// filled returns the elements of a square matrix, all of which are x.
func filled(n int64, x float32) []float32 { return fill(int(n*n), x, 0) }

func (r *reader) text() string {
	typ := squareType(r.side)
	return program("reader", "(%a: "+typ+", %b: "+typ+") -> "+typ, r.statement, "return %0 : "+typ)
}

// expect executes the program on a second argument whose elements are x.
func (r *reader) expect(t *check.T, exe *capi.LoadedExecutable, other, b *capi.Buffer, x float32, what string) {
	out := t.Run(exe, 1, other, b)[0]
	check.ExpectBuffer(t, out, filled(r.side, r.times*x), what)
	check.Destroy(t, out)
}
