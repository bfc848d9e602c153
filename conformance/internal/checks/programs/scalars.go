// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// scalarChecks run programs whose arguments and results have no dimensions.
var scalarChecks = []check.Check{
	{Rule: "RUN-02", Variant: "scalars", Run: func(t *check.T) {
		sums(t, "f32", float32(1.5), 2.25, 3.75)
		sums(t, "f64", 1.5, 2.25, 3.75)
		sums(t, "i8", int8(100), -7, 93)
		sums(t, "i32", int32(1<<30), -5, 1<<30-5)
		sums(t, "i64", int64(1)<<40, 5, 1<<40+5)
		sums(t, "ui64", uint64(1)<<63, 5, 1<<63+5)
	}},
	{Rule: "RUN-02", Variant: "complex scalars", Run: func(t *check.T) {
		complexScalars[complex64, float32](t, "f32")
		complexScalars[complex128, float64](t, "f64")
	}},
}

// sums adds two scalars, as parameters and as constants.
func sums[E dtype.Elem](t *check.T, of string, a, b, want E) {
	scalar := "tensor<" + of + ">"
	c := t.Client()
	if !takesArrays(t, of, []E{a, b}) {
		return
	}
	exe := t.Compile(c, program("sum", fmt.Sprintf("(%%a: %[1]s, %%b: %[1]s) -> (%[1]s, %[1]s)", scalar),
		"%0 = stablehlo.add %a, %b : "+scalar, fmt.Sprintf("return %%0, %%a : %[1]s, %[1]s", scalar)))
	out := t.Run(exe, 2, scalarOf(t, a), scalarOf(t, b))
	expectScalar(t, out[0], want, "the sum of two scalars of "+of)
	expectScalar(t, out[1], a, "a scalar of "+of+" that a program returns")
	exe = t.Compile(c, program("constants", fmt.Sprintf("(%%a: %[1]s) -> %[1]s", scalar),
		fmt.Sprintf("%%c = stablehlo.constant dense<%v> : %s", text(b), scalar), "%0 = stablehlo.add %a, %c : "+scalar, "return %0 : "+scalar))
	expectScalar(t, t.Run(exe, 1, scalarOf(t, a))[0], want, "the sum of a scalar of "+of+" and a constant")
}

// text is a number as StableHLO writes it.
func text(x any) string {
	switch x.(type) {
	case float32, float64:
		return fmt.Sprintf("%e", x)
	}
	return fmt.Sprint(x)
}

// complexScalars takes complex numbers apart, puts them together and multiplies them.
func complexScalars[C, F dtype.Elem](t *check.T, of string) {
	whole, part := "tensor<complex<"+of+">>", "tensor<"+of+">"
	c := t.Client()
	name := "complex<" + of + ">"
	if !takesArrays(t, name, []C{complexOf[C](1, 2), complexOf[C](3, -4)}) {
		return
	}
	a, b, product, swapped := complexOf[C](1, 2), complexOf[C](3, -4), complexOf[C](11, 2), complexOf[C](2, 1)
	exe := t.Compile(c, program("parts", fmt.Sprintf("(%%a: %[1]s, %%b: %[1]s) -> (%[1]s, %[1]s, %[2]s, %[2]s, %[1]s)", whole, part),
		"%p = stablehlo.multiply %a, %b : "+whole,
		fmt.Sprintf("%%re = stablehlo.real %%a : (%s) -> %s", whole, part),
		fmt.Sprintf("%%im = stablehlo.imag %%a : (%s) -> %s", whole, part),
		"%s = stablehlo.complex %im, %re : "+whole,
		fmt.Sprintf("return %%p, %%s, %%re, %%im, %%b : %[1]s, %[1]s, %[2]s, %[2]s, %[1]s", whole, part)))
	out := t.Run(exe, 5, scalarOf(t, a), scalarOf(t, b))
	expectScalar(t, out[0], product, "the product of two scalars of "+name)
	expectScalar(t, out[1], swapped, "a scalar of "+name+", made of the parts of another")
	expectScalar(t, out[2], realOf[F](1), "the real part of a scalar of "+name)
	expectScalar(t, out[3], realOf[F](2), "the imaginary part of a scalar of "+name)
	expectScalar(t, out[4], b, "a scalar of "+name+" that a program returns")
	exe = t.Compile(c, program("constant", "() -> "+whole, "%0 = stablehlo.constant dense<(3.0, -4.0)> : "+whole, "return %0 : "+whole))
	expectScalar(t, t.Run(exe, 1)[0], b, "a constant scalar of "+name)
	exe = t.Compile(c, program("fold", fmt.Sprintf("(%%a: tensor<3xcomplex<%s>>) -> %s", of, whole),
		"%z = stablehlo.constant dense<(0.0, 0.0)> : "+whole,
		fmt.Sprintf("%%0 = stablehlo.reduce(%%a init: %%z) applies stablehlo.add across dimensions = [0] : (tensor<3xcomplex<%s>>, %s) -> %[2]s", of, whole),
		"return %0 : "+whole))
	folded := t.Run(exe, 1, check.Upload(t, c, []C{a, b, complexOf[C](7, 0.5)}))[0]
	expectScalar(t, folded, complexOf[C](11, -1.5), "the sum of an array of "+name)
}

// takesArrays reports whether the plugin runs programs on arrays of a type at all. Other rules
// look at that.
func takesArrays[E dtype.Elem](t *check.T, of string, data []E) bool {
	array := "tensor<2x" + of + ">"
	c := t.Client()
	out, err := check.Try(t, check.HostArgs(c, data))
	if err == nil {
		check.Own(t, out.Buffer)
		check.Own(t, out.DoneWithHostBuffer)
		_, err = tryCompile(t, c, program("negate", "(%a: "+array+") -> "+array, "%0 = stablehlo.add %a, %a : "+array, "return %0 : "+array), options{})
	}
	if err != nil {
		t.Notef("the plugin runs no programs on arrays of %s: %v", of, err)
	}
	return err == nil
}

func complexOf[C dtype.Elem](re, im float64) (c C) {
	switch p := any(&c).(type) {
	case *complex64:
		*p = complex(float32(re), float32(im))
	case *complex128:
		*p = complex(re, im)
	}
	return c
}

func realOf[F dtype.Elem](x float64) (f F) {
	switch p := any(&f).(type) {
	case *float32:
		*p = float32(x)
	case *float64:
		*p = x
	}
	return f
}

// scalarOf uploads one number without dimensions.
func scalarOf[E dtype.Elem](t *check.T, x E) *capi.Buffer {
	return check.Upload(t, t.Client(), []E{x}, []int64{}...)
}

// expectScalar fails the check unless the buffer has no dimensions and holds want.
func expectScalar[E dtype.Elem](t *check.T, b *capi.Buffer, want E, what string) {
	if dims := t.Dimensions(b); len(dims) != 0 {
		t.Errorf("%s: expected no dimensions, got %v", what, dims)
		return
	}
	check.ExpectBuffer(t, b, []E{want}, what)
}
