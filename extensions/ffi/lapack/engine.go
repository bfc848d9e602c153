// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/blas"
	blasgonum "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// engine computes with matrices of one type, as the functions of LAPACK do that its methods are
// named after in words. Those that iterate report whether they ended. Matrices of real numbers are
// row by row, and those of complex numbers column by column.
type engine[W wide] interface {
	// cholesky returns the order of the first leading minor that is not positive definite, or 0.
	cholesky(uplo blas.Uplo, n int, a []W) int
	eigenHermitian(vectors bool, uplo blas.Uplo, n int, a []W, values []float64) bool
	svd(job lapack.SVDJob, rows, cols int, a []W, s []float64, u, vt []W) bool
	qr(rows, cols int, a, tau []W)
	// pivotedQR orders the columns, of which those in first come first.
	pivotedQR(rows, cols int, a []W, order []int, first []bool, tau []W)
	formQ(rows, cols, reflectors int, a, tau []W)
	applyQ(left, adjoint bool, rows, cols int, a, tau, c []W)
	// lu stores which row each row was exchanged with.
	lu(rows, cols int, a []W, pivots []int)
	hessenberg(n, low, high int, a, tau []W)
	tridiagonal(uplo blas.Uplo, n int, a []W, d, e []float64, tau []W)
}

// engineOf returns the engine for a type.
func engineOf[W wide]() engine[W] {
	var w W
	var e any = reals{}
	if _, ok := any(w).(complex128); ok {
		e = complexes{}
	}
	return e.(engine[W])
}

var (
	impl gonum.Implementation
	blss blasgonum.Implementation
)

// reals computes with gonum.
type reals struct{}

func (reals) cholesky(uplo blas.Uplo, n int, a []float64) int {
	before := append([]float64(nil), a...)
	if impl.Dpotrf(uplo, n, a, stride(n)) {
		return 0
	}
	return sort.Search(n, func(k int) bool {
		return !impl.Dpotrf(uplo, k+1, append([]float64(nil), before...), stride(n))
	}) + 1
}

func (r reals) eigenHermitian(vectors bool, uplo blas.Uplo, n int, a, values []float64) bool {
	if !vectors {
		// gonum's Dsyev calls Dsterf here, which scales what it should not.
		e, tau := make([]float64, max(n-1, 0)), make([]float64, max(n-1, 0))
		r.tridiagonal(uplo, n, a, values, e, tau)
		return impl.Dsteqr(lapack.EVCompNone, n, values, e, nil, 1, nil)
	}
	work := workspace(func(work []float64, size int) {
		impl.Dsyev(lapack.EVCompute, uplo, n, a, stride(n), values, work, size)
	})
	return impl.Dsyev(lapack.EVCompute, uplo, n, a, stride(n), values, work, len(work))
}

func (reals) svd(job lapack.SVDJob, rows, cols int, a, s, u, vt []float64) bool {
	uCols := len(u) / rows
	svd := func(work []float64, size int) bool {
		return impl.Dgesvd(job, job, rows, cols, a, stride(cols), s, u, stride(uCols), vt, stride(cols), work, size)
	}
	work := workspace(func(work []float64, size int) { svd(work, size) })
	return svd(work, len(work))
}

func (reals) qr(rows, cols int, a, tau []float64) {
	work := workspace(func(work []float64, size int) { impl.Dgeqrf(rows, cols, a, stride(cols), tau, work, size) })
	impl.Dgeqrf(rows, cols, a, stride(cols), tau, work, len(work))
}

func (reals) pivotedQR(rows, cols int, a []float64, order []int, first []bool, tau []float64) {
	mark := func() {
		for j, f := range first {
			order[j] = -1 // free
			if f {
				order[j] = j
			}
		}
	}
	mark()
	work := workspace(func(work []float64, size int) { impl.Dgeqp3(rows, cols, a, stride(cols), order, tau, work, size) })
	mark()
	impl.Dgeqp3(rows, cols, a, stride(cols), order, tau, work, len(work))
}

func (reals) formQ(rows, cols, reflectors int, a, tau []float64) {
	work := workspace(func(work []float64, size int) { impl.Dorgqr(rows, cols, reflectors, a, stride(cols), tau, work, size) })
	impl.Dorgqr(rows, cols, reflectors, a, stride(cols), tau, work, len(work))
}

func (reals) applyQ(left, adjoint bool, rows, cols int, a, tau, c []float64) {
	side, trans, size := blas.Right, blas.NoTrans, cols
	if left {
		side, size = blas.Left, rows
	}
	if adjoint {
		trans = blas.Trans
	}
	lda := stride(len(a) / size)
	apply := func(work []float64, size int) {
		impl.Dormqr(side, trans, rows, cols, len(tau), a, lda, tau, c, stride(cols), work, size)
	}
	work := workspace(apply)
	apply(work, len(work))
}

func (reals) lu(rows, cols int, a []float64, pivots []int) {
	impl.Dgetrf(rows, cols, a, stride(cols), pivots)
}

func (reals) hessenberg(n, low, high int, a, tau []float64) {
	clear(tau)
	work := workspace(func(work []float64, size int) { impl.Dgehrd(n, low, high-1, a, stride(n), tau, work, size) })
	impl.Dgehrd(n, low, high-1, a, stride(n), tau, work, len(work))
}

func (reals) tridiagonal(uplo blas.Uplo, n int, a, d, e, tau []float64) {
	work := workspace(func(work []float64, size int) { impl.Dsytrd(uplo, n, a, stride(n), d, e, tau, work, size) })
	impl.Dsytrd(uplo, n, a, stride(n), d, e, tau, work, len(work))
}

// schur turns a into the quasi-triangular T of a = Z T Zᵀ, and stores Z and the eigenvalues.
func (reals) schur(n int, a, z, re, im []float64) bool {
	_, scale := math.Frexp(max(slices.Max(a), -slices.Min(a)))
	times := func(list []float64, exponent int) {
		for i, v := range list {
			list[i] = math.Ldexp(v, exponent)
		}
	}
	times(a, -scale)
	defer func() { times(a, scale); times(re, scale); times(im, scale) }()
	tau := make([]float64, max(n-1, 0))
	reals{}.hessenberg(n, 0, n, a, tau)
	copy(z, a)
	work := workspace(func(work []float64, size int) { impl.Dorghr(n, 0, n-1, z, stride(n), tau, work, size) })
	impl.Dorghr(n, 0, n-1, z, stride(n), tau, work, len(work))
	for i := 2; i < n; i++ {
		clear(a[i*n : i*n+i-1])
	}
	iterate := func(work []float64, size int) int {
		return impl.Dhseqr(lapack.EigenvaluesAndSchur, lapack.SchurOrig, n, 0, n-1, a, stride(n), re, im, z, stride(n), work, size)
	}
	work = workspace(func(work []float64, size int) { iterate(work, size) })
	return iterate(work, len(work)) == 0
}

// eigen computes the eigenvalues, and the left and right eigenvectors where those are not nil.
func (reals) eigen(n int, a, re, im []float64, left, right []complex128) bool {
	jobL, jobR := lapack.LeftEVNone, lapack.RightEVNone
	var l, r []float64
	if left != nil {
		jobL, l = lapack.LeftEVCompute, make([]float64, n*n)
	}
	if right != nil {
		jobR, r = lapack.RightEVCompute, make([]float64, n*n)
	}
	eigen := func(work []float64, size int) int {
		return impl.Dgeev(jobL, jobR, n, a, stride(n), re, im, l, stride(n), r, stride(n), work, size)
	}
	work := workspace(func(work []float64, size int) { eigen(work, size) })
	if eigen(work, len(work)) != 0 {
		return false
	}
	unpack(n, im, l, left)
	unpack(n, im, r, right)
	return true
}

// unpack turns pairs of columns for conjugate eigenvalues into vectors, one after the other.
func unpack(n int, im, packed []float64, to []complex128) {
	if packed == nil {
		return
	}
	for j := 0; j < n; j++ {
		for i := range n {
			if im[j] == 0 {
				to[j*n+i] = complex(packed[i*n+j], 0)
				continue
			}
			v := complex(packed[i*n+j], packed[i*n+j+1])
			to[j*n+i], to[(j+1)*n+i] = v, complex(real(v), -imag(v))
		}
		if im[j] != 0 {
			j++
		}
	}
}

// complexes computes with complex numbers, for which gonum has no LAPACK, except for what becomes
// real on the way.
type complexes struct{}

func (complexes) lu(rows, cols int, a []complex128, pivots []int) {
	m := matrix{rows, cols, a}
	for j := range pivots {
		c := m.col(j)
		best := j
		for i := j + 1; i < rows; i++ {
			if size(c[i]) > size(c[best]) {
				best = i
			}
		}
		pivots[j] = best
		if c[best] == 0 {
			continue
		}
		if best != j {
			for k := range cols {
				x := m.col(k)
				x[j], x[best] = x[best], x[j]
			}
		}
		for i := j + 1; i < rows; i++ {
			c[i] /= c[j]
		}
		for k := j + 1; k < cols; k++ {
			x := m.col(k)
			f := x[j]
			for i := j + 1; i < rows; i++ {
				x[i] -= c[i] * f
			}
		}
	}
}
