// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
)

// The operations are named after LAPACK's functions, without the letter of the type. T is the type
// of the elements, R that of their parts, and W the one that is computed in.

// potrf computes the Cholesky factorization of each matrix.
type potrf[T number, W wide] struct {
	X    ffi.Arg[T]
	Out  ffi.Ret[T]
	Info ffi.Ret[int32]
	Uplo uint8
}

func (op *potrf[T, W]) run() error {
	x, err := square(op.X)
	if err != nil {
		return err
	}
	uplo, err := uploOf(op.Uplo)
	if err != nil {
		return err
	}
	out, err := x.same("result", op.Out)
	if err != nil {
		return err
	}
	if err := x.want(elements{"info", len(op.Info.Data), 1}); err != nil {
		return err
	}
	for i := range x.count {
		a := read[W](x, i)
		op.Info.Data[i] = int32(engineOf[W]().cholesky(uplo, x.rows, a))
		write(out, i, a)
	}
	return nil
}

// eigh computes the eigenvalues and eigenvectors of each symmetric or Hermitian matrix, as syevd
// and heevd do.
type eigh[T number, R float, W wide] struct {
	X       ffi.Arg[T]
	Vectors ffi.Ret[T]
	Values  ffi.Ret[R]
	Info    ffi.Ret[int32]
	Mode    uint8
	Uplo    uint8
}

func (op *eigh[T, R, W]) run() error {
	x, err := square(op.X)
	if err != nil {
		return err
	}
	uplo, err := uploOf(op.Uplo)
	if err != nil {
		return err
	}
	vectors, err := wanted("mode", op.Mode)
	if err != nil {
		return err
	}
	out, err := x.same("result", op.Vectors)
	if err != nil {
		return err
	}
	n := x.rows
	if err := x.want(elements{"eigenvalues", len(op.Values.Data), n}, elements{"info", len(op.Info.Data), 1}); err != nil {
		return err
	}
	w := make([]float64, n)
	for i := range x.count {
		a := read[W](x, i)
		op.Info.Data[i] = 1
		if finite(a) && engineOf[W]().eigenHermitian(vectors, uplo, n, a, w) {
			op.Info.Data[i] = 0
		}
		write(out, i, a)
		narrow(op.Values.Data[i*n:], w)
	}
	return nil
}

// gesdd computes the singular value decomposition of each matrix.
type gesdd[T number, R float, W wide] struct {
	X      ffi.Arg[T]
	Out    ffi.Ret[T] // is undefined
	Values ffi.Ret[R]
	U, VT  ffi.Ret[T]
	Info   ffi.Ret[int32]
	Mode   uint8
}

func (op *gesdd[T, R, W]) run() error {
	x, err := matrices("argument", op.X)
	if err != nil {
		return err
	}
	k := min(x.rows, x.cols)
	job := lapack.SVDJob(op.Mode)
	uCols, vRows := x.rows, x.cols
	switch job {
	case lapack.SVDAll, lapack.SVDNone:
	case lapack.SVDStore:
		uCols, vRows = k, k
	default:
		return unknown("mode", op.Mode)
	}
	out, err := x.same("result 0", op.Out)
	if err != nil {
		return err
	}
	if err := x.want(elements{"singular values", len(op.Values.Data), k}, elements{"info", len(op.Info.Data), 1}); err != nil {
		return err
	}
	var us, vs batch[T]
	var u, vt []W
	if job != lapack.SVDNone {
		if us, err = like(x, "result U", op.U, x.rows, uCols); err != nil {
			return err
		}
		if vs, err = like(x, "result VT", op.VT, vRows, x.cols); err != nil {
			return err
		}
		u, vt = make([]W, x.rows*uCols), make([]W, vRows*x.cols)
	} else {
		clear(op.U.Data)
		clear(op.VT.Data)
	}
	s := make([]float64, k)
	for i := range x.count {
		a := read[W](x, i)
		op.Info.Data[i] = -4 // LAPACK's code for a matrix with a NaN
		if finite(a) {
			op.Info.Data[i] = 1
			if engineOf[W]().svd(job, x.rows, x.cols, a, s, u, vt) {
				op.Info.Data[i] = 0
			}
		}
		write(out, i, a)
		narrow(op.Values.Data[i*k:], s)
		if job != lapack.SVDNone {
			write(us, i, u)
			write(vs, i, vt)
		}
	}
	return nil
}

// geqrf computes the QR factorization of each matrix, as reflectors.
type geqrf[T number, W wide] struct {
	X   ffi.Arg[T]
	Out ffi.Ret[T]
	Tau ffi.Ret[T]
}

func (op *geqrf[T, W]) run() error {
	x, out, err := inAndOut(op.X, op.Out)
	if err != nil {
		return err
	}
	k := min(x.rows, x.cols)
	if err := x.want(elements{"tau", len(op.Tau.Data), k}); err != nil {
		return err
	}
	tau := make([]W, k)
	for i := range x.count {
		a := read[W](x, i)
		engineOf[W]().qr(x.rows, x.cols, a, tau)
		write(out, i, a)
		narrow(op.Tau.Data[i*k:], tau)
	}
	return nil
}

// geqp3 is geqrf with the columns in an order that it chooses, counted from 1. Columns
// with a nonzero entry in Order go to the front.
type geqp3[T number, W wide] struct {
	X        ffi.Arg[T]
	Order    ffi.Arg[int32]
	Out      ffi.Ret[T]
	OutOrder ffi.Ret[int32]
	Tau      ffi.Ret[T]
}

func (op *geqp3[T, W]) run() error {
	x, out, err := inAndOut(op.X, op.Out)
	if err != nil {
		return err
	}
	k := min(x.rows, x.cols)
	if err := x.want(elements{"tau", len(op.Tau.Data), k}, elements{"columns", len(op.Order.Data), x.cols},
		elements{"columns", len(op.OutOrder.Data), x.cols}); err != nil {
		return err
	}
	tau, order, first := make([]W, k), make([]int, x.cols), make([]bool, x.cols)
	for i := range x.count {
		a := read[W](x, i)
		for j := range first {
			first[j] = op.Order.Data[i*x.cols+j] != 0
		}
		engineOf[W]().pivotedQR(x.rows, x.cols, a, order, first, tau)
		write(out, i, a)
		narrow(op.Tau.Data[i*k:], tau)
		for j, p := range order {
			op.OutOrder.Data[i*x.cols+j] = int32(p) + 1
		}
	}
	return nil
}

// reflectors returns how many reflectors the numbers in tau are for, in each matrix.
func reflectors[T number](x batch[T], tau ffi.Arg[T]) (int, error) {
	k := 0
	if n := len(tau.Dims); n > 0 {
		k = int(tau.Dims[n-1])
	}
	if k > min(x.rows, x.cols) {
		return 0, pjrt.ErrInvalidArgument.Errorf("there are %d reflectors for a matrix of %d rows and %d columns", k, x.rows, x.cols)
	}
	return k, x.want(elements{"tau", len(tau.Data), k})
}

// orgqr computes the orthogonal matrix from the reflectors of geqrf, as ungqr does the unitary one.
type orgqr[T number, W wide] struct {
	X   ffi.Arg[T]
	Tau ffi.Arg[T]
	Out ffi.Ret[T]
}

func (op *orgqr[T, W]) run() error {
	x, out, err := inAndOut(op.X, op.Out)
	if err != nil {
		return err
	}
	k, err := reflectors(x, op.Tau)
	if err != nil {
		return err
	}
	if x.cols > x.rows {
		return pjrt.ErrInvalidArgument.Errorf("there are %d reflectors for a matrix of %d rows and %d columns", k, x.rows, x.cols)
	}
	for i := range x.count {
		a := read[W](x, i)
		engineOf[W]().formQ(x.rows, x.cols, k, a, widen[W](op.Tau.Data[i*k:(i+1)*k]))
		write(out, i, a)
	}
	return nil
}

// ormqr multiplies matrices by the orthogonal matrix of the reflectors of geqrf, as unmqr does by
// the unitary one.
type ormqr[T number, W wide] struct {
	X         ffi.Arg[T]
	Tau       ffi.Arg[T]
	C         ffi.Arg[T]
	Out       ffi.Ret[T]
	Left      bool
	Transpose bool
}

func (op *ormqr[T, W]) run() error {
	c, out, err := inAndOut(op.C, op.Out)
	if err != nil {
		return err
	}
	x, err := matrices("argument 0", op.X)
	if err != nil {
		return err
	}
	k, err := reflectors(x, op.Tau)
	if err != nil {
		return err
	}
	n := c.cols
	if op.Left {
		n = c.rows
	}
	if x.rows != n || x.count != c.count && x.count > 0 && c.count > 0 {
		return pjrt.ErrInvalidArgument.Errorf("argument 0 is %v, and argument 2 is %v: they do not fit together", op.X.Dims, op.C.Dims)
	}
	for i := range c.count {
		m := read[W](c, i)
		if x.count > 0 && k > 0 {
			engineOf[W]().applyQ(op.Left, op.Transpose, c.rows, c.cols, read[W](x, i), widen[W](op.Tau.Data[i*k:(i+1)*k]), m)
		}
		write(out, i, m)
	}
	return nil
}

// getrf computes the LU factorization of each matrix. Pivots has, for each row, the row
// that it was exchanged with, counted from 1.
type getrf[T number, W wide] struct {
	X      ffi.Arg[T]
	Out    ffi.Ret[T]
	Pivots ffi.Ret[int32]
	Info   ffi.Ret[int32]
}

func (op *getrf[T, W]) run() error {
	x, out, err := inAndOut(op.X, op.Out)
	if err != nil {
		return err
	}
	k := min(x.rows, x.cols)
	if err := x.want(elements{"pivots", len(op.Pivots.Data), k}, elements{"info", len(op.Info.Data), 1}); err != nil {
		return err
	}
	pivots := make([]int, k)
	for i := range x.count {
		a := read[W](x, i)
		engineOf[W]().lu(x.rows, x.cols, a, pivots)
		write(out, i, a)
		op.Info.Data[i] = 0
		for j := range k {
			if out.data[i*x.rows*x.cols+j*x.rows+j] == 0 {
				op.Info.Data[i] = int32(j) + 1 // the first zero
				break
			}
		}
		for j, p := range pivots {
			op.Pivots.Data[i*k+j] = int32(p) + 1
		}
	}
	return nil
}

// trsm solves a triangular system for each matrix.
type trsm[T number, W wide] struct {
	A      ffi.Arg[T]
	B      ffi.Arg[T]
	Factor []ffi.AnyArg // of B, in programs of JAX 0.4
	Out    ffi.Ret[T]
	Diag   uint8
	Side   uint8
	TransX uint8
	Uplo   uint8
}

// factor returns what the right sides are multiplied by.
func (op *trsm[T, W]) factor() (W, error) {
	if len(op.Factor) == 0 {
		return 1, nil
	}
	argument, err := op.Factor[0].Array()
	if err != nil {
		return 0, err
	}
	values, err := array.ToSlice[T](argument)
	if err == nil && (len(op.Factor) > 1 || len(values) != 1) {
		err = pjrt.ErrInvalidArgument.Errorf("the call has %d arguments, and argument 2 has the dimensions %v: "+
			"there are two arguments, or a third that is one number", 2+len(op.Factor), argument.Dims)
	}
	if err != nil {
		return 0, err
	}
	return widen[W](values)[0], nil
}

func (op *trsm[T, W]) run() error {
	b, err := matrices("argument 1", op.B)
	if err != nil {
		return err
	}
	uplo, err := uploOf(op.Uplo)
	if err != nil {
		return err
	}
	side, trans, diag := blas.Side(op.Side), blas.Transpose(op.TransX), blas.Diag(op.Diag)
	n := b.rows
	switch side {
	case blas.Left:
	case blas.Right:
		n = b.cols
	default:
		return unknown("side", op.Side)
	}
	if trans != blas.NoTrans && trans != blas.Trans && trans != blas.ConjTrans {
		return unknown("trans_x", op.TransX)
	}
	if diag != blas.Unit && diag != blas.NonUnit {
		return unknown("diag", op.Diag)
	}
	out, err := b.same("result", op.Out)
	if err != nil {
		return err
	}
	a, err := matrices("argument 0", op.A)
	if err != nil {
		return err
	}
	if a.rows != n || a.cols != n || a.count != b.count {
		return pjrt.ErrInvalidArgument.Errorf("argument 0 is %v, and argument 1 is %v: they do not fit together",
			op.A.Dims, op.B.Dims)
	}
	factor, err := op.factor()
	if err != nil {
		return err
	}
	for i := range b.count {
		x := read[W](b, i)
		if factor != 1 { // an infinity times the complex number 1 has a NaN
			for j := range x {
				x[j] *= factor
			}
		}
		solveTriangular(side, uplo, trans, diag, b.rows, b.cols, read[W](a, i), x)
		write(out, i, x)
	}
	return nil
}

// gehrd reduces each matrix to the form of Hessenberg, in the rows and columns from Low to High,
// counted from 1.
type gehrd[T number, W wide] struct {
	X    ffi.Arg[T]
	Out  ffi.Ret[T]
	Tau  ffi.Ret[T]
	Info ffi.Ret[int32]
	Low  int32
	High int32
}

func (op *gehrd[T, W]) run() error {
	x, err := square(op.X)
	if err != nil {
		return err
	}
	out, err := x.same("result", op.Out)
	if err != nil {
		return err
	}
	n := x.rows
	if x.count > 0 && (op.Low < 1 || op.High < op.Low || int(op.High) > n) {
		return pjrt.ErrInvalidArgument.Errorf("the attributes low and high are %d and %d, for a matrix of %d rows", op.Low, op.High, n)
	}
	if err := x.want(elements{"tau", len(op.Tau.Data), n - 1}, elements{"info", len(op.Info.Data), 1}); err != nil {
		return err
	}
	tau := make([]W, max(n-1, 0))
	for i := range x.count {
		a := read[W](x, i)
		engineOf[W]().hessenberg(n, int(op.Low)-1, int(op.High), a, tau)
		write(out, i, a)
		narrow(op.Tau.Data[i*(n-1):], tau)
		op.Info.Data[i] = 0
	}
	return nil
}

// sytrd reduces each symmetric matrix to a tridiagonal one, as hetrd does a Hermitian one.
type sytrd[T number, R float, W wide] struct {
	X    ffi.Arg[T]
	Out  ffi.Ret[T]
	D, E ffi.Ret[R]
	Tau  ffi.Ret[T]
	Info ffi.Ret[int32]
	Uplo uint8
}

func (op *sytrd[T, R, W]) run() error {
	x, err := square(op.X)
	if err != nil {
		return err
	}
	uplo, err := uploOf(op.Uplo)
	if err != nil {
		return err
	}
	out, err := x.same("result", op.Out)
	if err != nil {
		return err
	}
	n := x.rows
	if err := x.want(elements{"elements of the diagonal", len(op.D.Data), n},
		elements{"elements beside the diagonal", len(op.E.Data), n - 1},
		elements{"tau", len(op.Tau.Data), n - 1}, elements{"info", len(op.Info.Data), 1}); err != nil {
		return err
	}
	d, e, tau := make([]float64, n), make([]float64, max(n-1, 0)), make([]W, max(n-1, 0))
	for i := range x.count {
		a := read[W](x, i)
		engineOf[W]().tridiagonal(uplo, n, a, d, e, tau)
		write(out, i, a)
		narrow(op.D.Data[i*n:], d)
		narrow(op.E.Data[i*(n-1):], e)
		narrow(op.Tau.Data[i*(n-1):], tau)
		op.Info.Data[i] = 0
	}
	return nil
}
