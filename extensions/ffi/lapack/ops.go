// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"sort"

	"gonum.org/v1/gonum/blas"
	blasgonum "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
)

var (
	impl gonum.Implementation
	blss blasgonum.Implementation
)

// potrf computes the Cholesky factorization of each matrix.
type potrf[T real] struct {
	X    ffi.Arg[T]
	Out  ffi.Ret[T]
	Info ffi.Ret[int32]
	Uplo uint8
}

func (op *potrf[T]) run() error {
	x, err := matrices("argument", op.X)
	if err != nil {
		return err
	}
	if err := x.wantSquare(); err != nil {
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
	if err := x.wantEach("info", len(op.Info.Data), 1); err != nil {
		return err
	}
	for i := range x.count {
		a := x.read(i)
		if impl.Dpotrf(uplo, x.rows, a, stride(x.rows)) {
			op.Info.Data[i] = 0
		} else {
			op.Info.Data[i] = notPositive(uplo, x.rows, x.read(i))
		}
		out.write(i, a)
	}
	return nil
}

// notPositive returns the order of the first leading minor that is not positive definite.
func notPositive(uplo blas.Uplo, n int, a []float64) int32 {
	return int32(sort.Search(n, func(k int) bool {
		minor := append([]float64(nil), a...)
		return !impl.Dpotrf(uplo, k+1, minor, stride(n))
	}) + 1)
}

// syevd computes the eigenvalues and eigenvectors of each symmetric matrix.
type syevd[T real] struct {
	X       ffi.Arg[T]
	Vectors ffi.Ret[T]
	Values  ffi.Ret[T]
	Info    ffi.Ret[int32]
	Mode    uint8
	Uplo    uint8
}

func (op *syevd[T]) run() error {
	x, err := matrices("argument", op.X)
	if err != nil {
		return err
	}
	if err := x.wantSquare(); err != nil {
		return err
	}
	uplo, err := uploOf(op.Uplo)
	if err != nil {
		return err
	}
	mode := lapack.EVJob(op.Mode)
	if mode != lapack.EVNone && mode != lapack.EVCompute {
		return unknown("mode", op.Mode)
	}
	out, err := x.same("result", op.Vectors)
	if err != nil {
		return err
	}
	n := x.rows
	if err := x.wantEach("eigenvalues", len(op.Values.Data), n); err != nil {
		return err
	}
	if err := x.wantEach("info", len(op.Info.Data), 1); err != nil {
		return err
	}
	w := make([]float64, n)
	for i := range x.count {
		a := x.read(i)
		op.Info.Data[i] = 1
		if finite(a) {
			work := workspace(func(work []float64, size int) { impl.Dsyev(mode, uplo, n, a, stride(n), w, work, size) })
			if impl.Dsyev(mode, uplo, n, a, stride(n), w, work, len(work)) {
				op.Info.Data[i] = 0
			}
		}
		out.write(i, a)
		narrow(op.Values.Data[i*n:], w)
	}
	return nil
}

// gesdd computes the singular value decomposition of each matrix.
type gesdd[T real] struct {
	X      ffi.Arg[T]
	Out    ffi.Ret[T] // is undefined
	Values ffi.Ret[T]
	U, VT  ffi.Ret[T]
	Info   ffi.Ret[int32]
	Mode   uint8
}

func (op *gesdd[T]) run() error {
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
	if err := x.wantEach("singular values", len(op.Values.Data), k); err != nil {
		return err
	}
	if err := x.wantEach("info", len(op.Info.Data), 1); err != nil {
		return err
	}
	var us, vs batch[T]
	var u, vt []float64
	if job != lapack.SVDNone {
		if us, err = x.like("result U", op.U, x.rows, uCols); err != nil {
			return err
		}
		if vs, err = x.like("result VT", op.VT, vRows, x.cols); err != nil {
			return err
		}
		u, vt = make([]float64, x.rows*uCols), make([]float64, vRows*x.cols)
	} else {
		clear(op.U.Data)
		clear(op.VT.Data)
	}
	s := make([]float64, k)
	for i := range x.count {
		a := x.read(i)
		op.Info.Data[i] = -4 // LAPACK's code for a matrix with a NaN
		if finite(a) {
			svd := func(work []float64, size int) bool {
				return impl.Dgesvd(job, job, x.rows, x.cols, a, stride(x.cols), s, u, stride(uCols), vt, stride(x.cols), work, size)
			}
			op.Info.Data[i] = 1
			if work := workspace(func(work []float64, size int) { svd(work, size) }); svd(work, len(work)) {
				op.Info.Data[i] = 0
			}
		}
		out.write(i, a)
		narrow(op.Values.Data[i*k:], s)
		if job != lapack.SVDNone {
			us.write(i, u)
			vs.write(i, vt)
		}
	}
	return nil
}

// geqrf computes the QR factorization of each matrix, as reflectors.
type geqrf[T real] struct {
	X   ffi.Arg[T]
	Out ffi.Ret[T]
	Tau ffi.Ret[T]
}

func (op *geqrf[T]) run() error {
	x, out, err := inAndOut(op.X, op.Out)
	if err != nil {
		return err
	}
	k := min(x.rows, x.cols)
	if err := x.wantEach("tau", len(op.Tau.Data), k); err != nil {
		return err
	}
	tau := make([]float64, k)
	for i := range x.count {
		a := x.read(i)
		work := workspace(func(work []float64, size int) { impl.Dgeqrf(x.rows, x.cols, a, stride(x.cols), tau, work, size) })
		impl.Dgeqrf(x.rows, x.cols, a, stride(x.cols), tau, work, len(work))
		out.write(i, a)
		narrow(op.Tau.Data[i*k:], tau)
	}
	return nil
}

// geqp3 is geqrf with the columns in an order that it chooses, counted from 1. Columns
// with a nonzero entry in Order go to the front.
type geqp3[T real] struct {
	X        ffi.Arg[T]
	Order    ffi.Arg[int32]
	Out      ffi.Ret[T]
	OutOrder ffi.Ret[int32]
	Tau      ffi.Ret[T]
}

func (op *geqp3[T]) run() error {
	x, out, err := inAndOut(op.X, op.Out)
	if err != nil {
		return err
	}
	k := min(x.rows, x.cols)
	if err := x.wantEach("tau", len(op.Tau.Data), k); err != nil {
		return err
	}
	if err := x.wantEach("columns", len(op.Order.Data), x.cols); err != nil {
		return err
	}
	if err := x.wantEach("columns", len(op.OutOrder.Data), x.cols); err != nil {
		return err
	}
	tau, order := make([]float64, k), make([]int, x.cols)
	for i := range x.count {
		a := x.read(i)
		free := func() {
			for j := range order {
				order[j] = -1 // free
				if op.Order.Data[i*x.cols+j] != 0 {
					order[j] = j
				}
			}
		}
		free()
		work := workspace(func(work []float64, size int) { impl.Dgeqp3(x.rows, x.cols, a, stride(x.cols), order, tau, work, size) })
		free()
		impl.Dgeqp3(x.rows, x.cols, a, stride(x.cols), order, tau, work, len(work))
		out.write(i, a)
		narrow(op.Tau.Data[i*k:], tau)
		for j, p := range order {
			op.OutOrder.Data[i*x.cols+j] = int32(p) + 1
		}
	}
	return nil
}

// orgqr computes the orthogonal matrix from the reflectors of geqrf.
type orgqr[T real] struct {
	X   ffi.Arg[T]
	Tau ffi.Arg[T]
	Out ffi.Ret[T]
}

func (op *orgqr[T]) run() error {
	x, out, err := inAndOut(op.X, op.Out)
	if err != nil {
		return err
	}
	k := 0
	if n := len(op.Tau.Dims); n > 0 {
		k = int(op.Tau.Dims[n-1])
	}
	if err := x.wantEach("tau", len(op.Tau.Data), k); err != nil {
		return err
	}
	if x.cols > x.rows || k > x.cols {
		return pjrt.ErrInvalidArgument.Errorf("there are %d reflectors for a matrix of %d rows and %d columns", k, x.rows, x.cols)
	}
	for i := range x.count {
		a, tau := x.read(i), widen(op.Tau.Data[i*k:(i+1)*k])
		work := workspace(func(work []float64, size int) { impl.Dorgqr(x.rows, x.cols, k, a, stride(x.cols), tau, work, size) })
		impl.Dorgqr(x.rows, x.cols, k, a, stride(x.cols), tau, work, len(work))
		out.write(i, a)
	}
	return nil
}

// getrf computes the LU factorization of each matrix. Pivots has, for each row, the row
// that it was exchanged with, counted from 1.
type getrf[T real] struct {
	X      ffi.Arg[T]
	Out    ffi.Ret[T]
	Pivots ffi.Ret[int32]
	Info   ffi.Ret[int32]
}

func (op *getrf[T]) run() error {
	x, out, err := inAndOut(op.X, op.Out)
	if err != nil {
		return err
	}
	k := min(x.rows, x.cols)
	if err := x.wantEach("pivots", len(op.Pivots.Data), k); err != nil {
		return err
	}
	if err := x.wantEach("info", len(op.Info.Data), 1); err != nil {
		return err
	}
	pivots := make([]int, k)
	for i := range x.count {
		a := x.read(i)
		impl.Dgetrf(x.rows, x.cols, a, stride(x.cols), pivots)
		op.Info.Data[i] = 0
		for j := range k {
			if a[j*x.cols+j] == 0 {
				op.Info.Data[i] = int32(j) + 1 // the first zero
				break
			}
		}
		out.write(i, a)
		for j, p := range pivots {
			op.Pivots.Data[i*k+j] = int32(p) + 1
		}
	}
	return nil
}

// trsm solves a triangular system for each matrix.
type trsm[T real] struct {
	A      ffi.Arg[T]
	B      ffi.Arg[T]
	Out    ffi.Ret[T]
	Diag   uint8
	Side   uint8
	TransX uint8
	Uplo   uint8
}

func (op *trsm[T]) run() error {
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
	for i := range b.count {
		x := b.read(i)
		blss.Dtrsm(side, uplo, trans, diag, b.rows, b.cols, 1, a.read(i), stride(n), x, stride(b.cols))
		out.write(i, x)
	}
	return nil
}
