// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// These operations have other results for real numbers than for complex ones. C is the complex type
// of T.

// realGeev computes the eigenvalues and eigenvectors of each matrix of real numbers.
type realGeev[T float, C complex64 | complex128] struct {
	X                         ffi.Arg[T]
	Re, Im                    ffi.Ret[T]
	Left, Right               ffi.Ret[C]
	Info                      ffi.Ret[int32]
	ComputeLeft, ComputeRight uint8
}

func (op *realGeev[T, C]) run() error {
	x, err := square(op.X)
	if err != nil {
		return err
	}
	n := x.rows
	v, err := vectorsOf(x, op.Left, op.Right, op.ComputeLeft, op.ComputeRight)
	if err != nil {
		return err
	}
	if err := x.want(elements{"real parts", len(op.Re.Data), n}, elements{"imaginary parts", len(op.Im.Data), n},
		elements{"info", len(op.Info.Data), 1}); err != nil {
		return err
	}
	re, im := make([]float64, n), make([]float64, n)
	for i := range x.count {
		a := read[float64](x, i)
		op.Info.Data[i] = 1
		if finite(a) && (reals{}).eigen(n, a, re, im, v.left, v.right) {
			op.Info.Data[i] = 0
		}
		narrow(op.Re.Data[i*n:], re)
		narrow(op.Im.Data[i*n:], im)
		v.store(i)
	}
	return nil
}

// complexGeev computes the eigenvalues and eigenvectors of each matrix of complex numbers.
type complexGeev[C complex64 | complex128] struct {
	X                         ffi.Arg[C]
	Values                    ffi.Ret[C]
	Left, Right               ffi.Ret[C]
	Info                      ffi.Ret[int32]
	ComputeLeft, ComputeRight uint8
}

func (op *complexGeev[C]) run() error {
	x, err := square(op.X)
	if err != nil {
		return err
	}
	n := x.rows
	v, err := vectorsOf(x, op.Left, op.Right, op.ComputeLeft, op.ComputeRight)
	if err != nil {
		return err
	}
	if err := x.want(elements{"eigenvalues", len(op.Values.Data), n}, elements{"info", len(op.Info.Data), 1}); err != nil {
		return err
	}
	values := make([]complex128, n)
	for i := range x.count {
		a := read[complex128](x, i)
		op.Info.Data[i] = 1
		if finite(a) && eigen(n, a, values, v.left, v.right) {
			op.Info.Data[i] = 0
		}
		narrow(op.Values.Data[i*n:], values)
		v.store(i)
	}
	return nil
}

// eigenvectors are those of one matrix, nil if they are not asked for, and where they go.
type eigenvectors[C complex64 | complex128] struct {
	left, right     []complex128
	toLeft, toRight batch[C]
}

func vectorsOf[C complex64 | complex128, T number](x batch[T], left, right ffi.Ret[C], wantLeft, wantRight uint8) (
	*eigenvectors[C], error) {
	var v eigenvectors[C]
	for _, side := range []struct {
		name string
		want uint8
		from ffi.Ret[C]
		list *[]complex128
		to   *batch[C]
	}{
		{"compute_left", wantLeft, left, &v.left, &v.toLeft},
		{"compute_right", wantRight, right, &v.right, &v.toRight},
	} {
		ok, err := wanted(side.name, side.want)
		if err != nil {
			return nil, err
		}
		if !ok {
			clear(side.from.Data)
			continue
		}
		if *side.to, err = like(x, "the result of eigenvectors", side.from, x.rows, x.cols); err != nil {
			return nil, err
		}
		*side.list = make([]complex128, x.rows*x.cols)
	}
	return &v, nil
}

// store stores the eigenvectors of matrix i.
func (v *eigenvectors[C]) store(i int) {
	if v.left != nil {
		write(v.toLeft, i, v.left)
	}
	if v.right != nil {
		write(v.toRight, i, v.right)
	}
}

// realGees computes the Schur decomposition of each matrix of real numbers.
type realGees[T float] struct {
	X        ffi.Arg[T]
	Form     ffi.Ret[T]
	Vectors  ffi.Ret[T]
	Re, Im   ffi.Ret[T]
	Selected ffi.Ret[int32]
	Info     ffi.Ret[int32]
	Mode     uint8
	Sort     uint8
}

func (op *realGees[T]) run() error {
	x, s, err := schurOf(op.X, op.Form, op.Vectors, op.Selected, op.Info, op.Mode, op.Sort)
	if err != nil {
		return err
	}
	n := x.rows
	if err := x.want(elements{"real parts", len(op.Re.Data), n}, elements{"imaginary parts", len(op.Im.Data), n}); err != nil {
		return err
	}
	re, im, z := make([]float64, n), make([]float64, n), make([]float64, n*n)
	for i := range x.count {
		a := read[float64](x, i)
		op.Info.Data[i] = 1
		if finite(a) && (reals{}).schur(n, a, z, re, im) {
			op.Info.Data[i] = 0
		}
		narrow(op.Re.Data[i*n:], re)
		narrow(op.Im.Data[i*n:], im)
		write(s.form, i, a)
		if s.vectors.count > 0 {
			write(s.vectors, i, z)
		}
	}
	return nil
}

// complexGees computes the Schur decomposition of each matrix of complex numbers.
type complexGees[C complex64 | complex128] struct {
	X        ffi.Arg[C]
	Form     ffi.Ret[C]
	Vectors  ffi.Ret[C]
	Values   ffi.Ret[C]
	Selected ffi.Ret[int32]
	Info     ffi.Ret[int32]
	Mode     uint8
	Sort     uint8
}

func (op *complexGees[C]) run() error {
	x, s, err := schurOf(op.X, op.Form, op.Vectors, op.Selected, op.Info, op.Mode, op.Sort)
	if err != nil {
		return err
	}
	n := x.rows
	if err := x.want(elements{"eigenvalues", len(op.Values.Data), n}); err != nil {
		return err
	}
	values := make([]complex128, n)
	for i := range x.count {
		a := matrix{n, n, read[complex128](x, i)}
		op.Info.Data[i] = 1
		z := matrix{n, n, make([]complex128, n*n)}
		if finite(a.a) {
			scale := exponent(a.a)
			scaled(a.a, -scale)
			var ok bool
			if z, ok = a.schur(); ok {
				op.Info.Data[i] = 0
			}
			scaled(a.a, scale)
		}
		for j := range values {
			values[j] = a.at(j, j)
		}
		narrow(op.Values.Data[i*n:], values)
		write(s.form, i, a.a)
		if s.vectors.count > 0 {
			write(s.vectors, i, z.a)
		}
	}
	return nil
}

// schurResults are where the results of a Schur decomposition go. There are no vectors if they
// are not asked for.
type schurResults[T number] struct{ form, vectors batch[T] }

func schurOf[T number](in ffi.Arg[T], form, vectors ffi.Ret[T], selected, info ffi.Ret[int32], mode, sort uint8) (
	x batch[T], s schurResults[T], err error) {
	if x, err = square(in); err != nil {
		return x, s, err
	}
	if sort != 'N' {
		return x, s, pjrt.ErrUnimplemented.Errorf("the attribute sort is %q: eigenvalues are not sorted here, as in JAX", sort)
	}
	want, err := wanted("mode", mode)
	if err != nil {
		return x, s, err
	}
	if s.form, err = x.same("result 0", form); err != nil {
		return x, s, err
	}
	if want {
		if s.vectors, err = x.same("result 1", vectors); err != nil {
			return x, s, err
		}
	} else {
		clear(vectors.Data)
	}
	clear(selected.Data)
	return x, s, x.want(elements{"info", len(info.Data), 1})
}
