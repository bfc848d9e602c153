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

// sums adds two scalars, and a scalar and a constant.
func sums[E dtype.Elem](t *check.T, of string, a, b, want E) {
	scalar := "tensor<" + of + ">"
	exe := compileScalars(t, of, program("sums", fmt.Sprintf("(%%a: %[1]s, %%b: %[1]s) -> (%[1]s, %[1]s, %[1]s)", scalar),
		"%0 = stablehlo.add %a, %b : "+scalar, fmt.Sprintf("%%c = stablehlo.constant dense<%v> : %s", text(b), scalar),
		"%1 = stablehlo.add %a, %c : "+scalar, fmt.Sprintf("return %%0, %%a, %%1 : %[1]s, %[1]s, %[1]s", scalar)))
	if exe == nil {
		return
	}
	out := t.Run(exe, 3, scalarOf(t, a), scalarOf(t, b))
	expectScalar(t, out[0], want, "the sum of two scalars of "+of)
	expectScalar(t, out[1], a, "a scalar of "+of+" that a program returns")
	expectScalar(t, out[2], want, "the sum of a scalar of "+of+" and a constant")
}

// compileScalars compiles a program of scalars of a type. It returns nil if the plugin compiles
// no program of arrays of the type either, which other rules check.
func compileScalars(t *check.T, of, text string) *capi.LoadedExecutable {
	exe, err := tryCompile(t, t.Client(), text, options{})
	if err == nil {
		return exe
	}
	array := "tensor<2x" + of + ">"
	double := program("double", "(%a: "+array+") -> "+array, "%0 = stablehlo.add %a, %a : "+array, "return %0 : "+array)
	if _, arrays := tryCompile(t, t.Client(), double, options{}); arrays != nil {
		t.Notef("the plugin compiles no programs of arrays of %s: %v", of, arrays)
	} else {
		t.Errorf("compiling a program of scalars of %s: expected success, as of arrays, got %v", of, err)
	}
	return nil
}

// text returns a number as StableHLO writes it.
func text(x any) string {
	switch x.(type) {
	case float32, float64:
		return fmt.Sprintf("%e", x)
	}
	return fmt.Sprint(x)
}

// complexScalars takes complex numbers apart, puts them together, multiplies them and adds up an
// array of them.
func complexScalars[C, F dtype.Elem](t *check.T, of string) {
	name := "complex<" + of + ">"
	whole, part, array := "tensor<"+name+">", "tensor<"+of+">", "tensor<3x"+name+">"
	a, b, product, swapped := complexOf[C](1, 2), complexOf[C](3, -4), complexOf[C](11, 2), complexOf[C](2, 1)
	results := fmt.Sprintf("%[1]s, %[1]s, %[2]s, %[2]s, %[1]s, %[1]s, %[1]s", whole, part)
	exe := compileScalars(t, name, program("parts", fmt.Sprintf("(%%a: %[1]s, %%b: %[1]s, %%l: %s) -> (%s)", whole, array, results),
		"%p = stablehlo.multiply %a, %b : "+whole,
		fmt.Sprintf("%%re = stablehlo.real %%a : (%s) -> %s", whole, part),
		fmt.Sprintf("%%im = stablehlo.imag %%a : (%s) -> %s", whole, part),
		"%s = stablehlo.complex %im, %re : "+whole, "%c = stablehlo.constant dense<(3.0, -4.0)> : "+whole,
		"%z = stablehlo.constant dense<(0.0, 0.0)> : "+whole,
		"%f = stablehlo.reduce(%l init: %z) applies stablehlo.add across dimensions = [0] : "+
			fmt.Sprintf("(%s, %s) -> %[2]s", array, whole),
		"return %p, %s, %re, %im, %b, %c, %f : "+results))
	if exe == nil {
		return
	}
	list := check.Upload(t, t.Client(), []C{a, b, complexOf[C](7, 0.5)})
	out := t.Run(exe, 7, scalarOf(t, a), scalarOf(t, b), list)
	expectScalar(t, out[0], product, "the product of two scalars of "+name)
	expectScalar(t, out[1], swapped, "a scalar of "+name+", made of the parts of another")
	expectScalar(t, out[2], realOf[F](1), "the real part of a scalar of "+name)
	expectScalar(t, out[3], realOf[F](2), "the imaginary part of a scalar of "+name)
	expectScalar(t, out[4], b, "a scalar of "+name+" that a program returns")
	expectScalar(t, out[5], b, "a constant scalar of "+name)
	expectScalar(t, out[6], complexOf[C](11, -1.5), "the sum of an array of "+name)
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
