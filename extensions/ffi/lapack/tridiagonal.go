// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// gtsv solves tridiagonal systems. Element i of each diagonal is in row i of the matrix.
type gtsv[T number, W wide] struct {
	Lower, Diagonal, Upper          ffi.Arg[T]
	B                               ffi.Arg[T]
	OutLower, OutDiagonal, OutUpper ffi.Ret[T]
	Out                             ffi.Ret[T]
	Info                            ffi.Ret[int32]
}

func (op *gtsv[T, W]) run() error {
	b, out, err := inAndOut(op.B, op.Out)
	if err != nil {
		return err
	}
	n := b.rows
	for _, list := range [][]T{
		op.Lower.Data, op.Diagonal.Data, op.Upper.Data, op.OutLower.Data, op.OutDiagonal.Data, op.OutUpper.Data,
	} {
		if err := b.want(elements{"elements of a diagonal", len(list), n}); err != nil {
			return err
		}
	}
	if err := b.want(elements{"info", len(op.Info.Data), 1}); err != nil {
		return err
	}
	for i := range b.count {
		row := func(list []T) []W { return widen[W](list[i*n : (i+1)*n]) }
		lower, d, upper := row(op.Lower.Data), row(op.Diagonal.Data), row(op.Upper.Data)
		x := widen[W](b.data[i*n*b.cols : (i+1)*n*b.cols])
		op.Info.Data[i] = int32(tridiagonalSystem(lower, d, upper, x, b.cols, 0))
		narrow(out.data[i*n*b.cols:], x)
		narrow(op.OutLower.Data[i*n:], lower)
		narrow(op.OutDiagonal.Data[i*n:], d)
		narrow(op.OutUpper.Data[i*n:], upper)
	}
	return nil
}

// perturbed solves tridiagonal systems that may be singular, as the inverse iteration for
// eigenvectors asks for.
type perturbed struct {
	Lower, Diagonal, Upper ffi.AnyArg
	B                      ffi.AnyArg
	Out                    ffi.AnyRet
}

func (op *perturbed) run() error {
	epsilon := eps
	switch op.B.Type {
	case dtype.F32:
		epsilon = 0x1p-23
	case dtype.F64:
	case dtype.C64:
		epsilon = 0x1p-23
		return perturbedOf[complex128](op, dtype.C128, epsilon)
	case dtype.C128:
		return perturbedOf[complex128](op, dtype.C128, epsilon)
	default:
		return pjrt.ErrInvalidArgument.Errorf("argument 3 has elements of type %v; floats and complex numbers are solved", op.B.Type)
	}
	return perturbedOf[float64](op, dtype.F64, epsilon)
}

func perturbedOf[W wide](op *perturbed, t dtype.Type, epsilon float64) error {
	var lists [4][]W
	for i, a := range []ffi.AnyArg{op.Lower, op.Diagonal, op.Upper, op.B} {
		n := 1
		for _, d := range a.Dims {
			n *= int(d)
		}
		lists[i] = make([]W, n)
		if err := dtype.Convert(dtype.Bytes(lists[i]), t, a.Bytes, a.Type); err != nil {
			return err
		}
	}
	b, err := batchOf("argument 3", lists[3], op.B.Dims)
	if err != nil {
		return err
	}
	n := b.rows
	for _, list := range lists[:3] {
		if err := b.want(elements{"elements of a diagonal", len(list), n}); err != nil {
			return err
		}
	}
	for i := range b.count {
		row := func(list []W) []W { return list[i*n : (i+1)*n] }
		tridiagonalSystem(row(lists[0]), row(lists[1]), row(lists[2]), b.data[i*n*b.cols:(i+1)*n*b.cols], b.cols, epsilon)
	}
	return dtype.Convert(op.Out.Bytes, op.Out.Type, dtype.Bytes(b.data), t)
}

// tridiagonalSystem solves a system with the right sides in the columns of b, and changes all
// arguments. lower[0] and upper[n-1] do not count. An element of the diagonal of the triangular
// factor that is zero is an error, whose number is returned, counted from 1. With an epsilon above
// 0 those that are tiny are replaced by small ones instead.
func tridiagonalSystem[W wide](lower, d, upper, b []W, sides int, epsilon float64) int {
	n := len(d)
	second := make([]W, n) // the diagonal that exchanges of rows fill
	upper[n-1] = 0
	for i := 0; i+1 < n; i++ {
		if abs(d[i]) < abs(lower[i+1]) {
			d[i], lower[i+1] = lower[i+1], d[i]
			upper[i], d[i+1] = d[i+1], upper[i]
			second[i], upper[i+1] = upper[i+1], 0
			for j := range sides {
				b[j*n+i], b[j*n+i+1] = b[j*n+i+1], b[j*n+i]
			}
		}
		if lower[i+1] == 0 {
			continue
		}
		f := lower[i+1] / d[i]
		d[i+1] -= f * upper[i]
		upper[i+1] -= f * second[i]
		for j := range sides {
			b[j*n+i+1] -= f * b[j*n+i]
		}
	}
	if epsilon > 0 {
		var most float64
		for i := range d {
			most = max(most, abs(d[i]), abs(upper[i]), abs(second[i]))
		}
		small := max(epsilon*most, 0x1p-500)
		for i := range d {
			if abs(d[i]) < small {
				d[i] = fromFloat[W](small)
			}
		}
	}
	for i := range d {
		if d[i] == 0 {
			return i + 1
		}
	}
	for j := range sides {
		x := b[j*n : (j+1)*n]
		for i := n - 1; i >= 0; i-- {
			if i+1 < n {
				x[i] -= upper[i] * x[i+1]
			}
			if i+2 < n {
				x[i] -= second[i] * x[i+2]
			}
			x[i] /= d[i]
		}
	}
	return 0
}

func fromFloat[W wide](v float64) W {
	var w any = v
	if _, ok := any(*new(W)).(complex128); ok {
		w = complex(v, 0)
	}
	return w.(W)
}
