// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

func (complexes) cholesky(uplo blas.Uplo, n int, a []complex128) int {
	m := matrix{n, n, a}
	for j := range n {
		if uplo == blas.Upper {
			for i := range j {
				sum := m.at(i, j)
				for k, v := range m.col(i)[:i] {
					sum -= cmplx.Conj(v) * m.at(k, j)
				}
				m.set(i, j, sum/m.at(i, i))
			}
		}
		d := real(m.at(j, j))
		if uplo == blas.Upper {
			for _, v := range m.col(j)[:j] {
				d -= real(v)*real(v) + imag(v)*imag(v)
			}
		}
		if !(d > 0) {
			m.set(j, j, complex(d, 0))
			return j + 1
		}
		d = math.Sqrt(d)
		m.set(j, j, complex(d, 0))
		if uplo == blas.Upper {
			continue
		}
		c := m.col(j)
		for i := j + 1; i < n; i++ {
			c[i] /= complex(d, 0)
		}
		for k := j + 1; k < n; k++ {
			f := cmplx.Conj(c[k])
			to := m.col(k)
			for i := k; i < n; i++ {
				to[i] -= c[i] * f
			}
		}
	}
	return 0
}

// mirrored stores the adjoint of one triangle in the other.
func (m matrix) mirrored(from blas.Uplo) {
	for j := range m.cols {
		m.set(j, j, complex(real(m.at(j, j)), 0))
		for i := j + 1; i < m.rows; i++ {
			if from == blas.Lower {
				m.set(j, i, cmplx.Conj(m.at(i, j)))
			} else {
				m.set(i, j, cmplx.Conj(m.at(j, i)))
			}
		}
	}
}

// tridiagonal reduces a Hermitian matrix to a real tridiagonal one, with the reflectors in the
// triangle that is given.
func (complexes) tridiagonal(uplo blas.Uplo, n int, a []complex128, d, e []float64, tau []complex128) {
	// The product on both sides is easiest on a whole matrix; the triangle that is not given keeps
	// its elements.
	full := newMatrix(n, n)
	copy(full.a, a)
	full.mirrored(uplo)
	m := matrix{n, n, a}
	if uplo == blas.Lower {
		for j := range n - 1 {
			v := append([]complex128(nil), full.col(j)[j+1:]...)
			e[j], tau[j] = reflector(v[0], v[1:])
			d[j] = real(full.at(j, j))
			full.both(v, tau[j], j+1)
			m.set(j, j, complex(d[j], 0))
			copy(m.col(j)[j+1:], v)
			m.set(j+1, j, complex(e[j], 0))
		}
		d[n-1] = real(full.at(n-1, n-1))
		m.set(n-1, n-1, complex(d[n-1], 0))
		return
	}
	for j := n - 1; j > 0; j-- {
		c := full.col(j)
		v := append([]complex128(nil), c[:j]...)
		e[j-1], tau[j-1] = reflector(v[j-1], v[:j-1])
		d[j] = real(c[j])
		v[j-1] = 1
		full.bothWhole(v, tau[j-1], 0)
		m.set(j, j, complex(d[j], 0))
		copy(m.col(j), v)
		m.set(j-1, j, complex(e[j-1], 0))
	}
	d[0] = real(full.at(0, 0))
	m.set(0, 0, complex(d[0], 0))
}

// both multiplies a Hermitian matrix, from row and column from on, by the adjoint of I - tau v v*
// from the left and by itself from the right. v[0] counts as 1.
func (m matrix) both(v []complex128, tau complex128, from int) {
	v[0] = 1
	m.bothWhole(v, tau, from)
}

// bothWhole is both with the whole of v.
func (m matrix) bothWhole(v []complex128, tau complex128, from int) {
	if tau == 0 {
		return
	}
	w := make([]complex128, len(v))
	for k, x := range v {
		for i, y := range m.col(from + k)[from : from+len(v)] {
			w[i] += y * x
		}
	}
	var dot complex128
	for i := range w {
		w[i] *= tau
		dot += cmplx.Conj(w[i]) * v[i]
	}
	half := -tau / 2 * dot
	for i := range w {
		w[i] += half * v[i]
	}
	for k := range v {
		c := m.col(from + k)[from : from+len(v)]
		x, y := cmplx.Conj(v[k]), cmplx.Conj(w[k])
		for i := range c {
			c[i] -= v[i]*y + w[i]*x
		}
	}
}

func (c complexes) eigenHermitian(vectors bool, uplo blas.Uplo, n int, a []complex128, values []float64) bool {
	m := matrix{n, n, a}
	m.mirrored(uplo)
	scale := exponent(a)
	scaled(a, -scale)
	e, tau := make([]float64, max(n-1, 0)), make([]complex128, max(n-1, 0))
	c.tridiagonal(blas.Lower, n, a, values, e, tau)
	ok := false
	if vectors {
		z, work := make([]float64, n*n), make([]float64, max(1, 2*n-2))
		if ok = impl.Dsteqr(lapack.EVTridiag, n, values, e, z, n, work); ok {
			copy(a, m.below(tau).times(z).a)
		}
	} else {
		ok = impl.Dsteqr(lapack.EVCompNone, n, values, e, nil, 1, nil) // gonum's Dsterf scales what it should not
	}
	for i := range values {
		values[i] = math.Ldexp(values[i], scale)
	}
	return ok
}

// svd computes A = U S V*. u has the first columns of U, all of them if it is square, and vt the
// first rows of V*.
func (c complexes) svd(job lapack.SVDJob, rows, cols int, a []complex128, s []float64, u, vt []complex128) bool {
	m := matrix{rows, cols, append([]complex128(nil), a...)}
	if rows < cols {
		// A* = V S U*
		h := m.adjoint()
		if job == lapack.SVDNone {
			return c.svd(job, cols, rows, h.a, s, nil, nil)
		}
		v, ut := newMatrix(cols, len(vt)/cols), newMatrix(rows, rows)
		ok := c.svd(job, cols, rows, h.a, s, v.a, ut.a)
		copy(u, ut.adjoint().a)
		copy(vt, v.adjoint().a)
		return ok
	}
	n := cols
	scale := exponent(m.a)
	scaled(m.a, -scale)
	e := make([]float64, max(n-1, 0))
	tau, right := make([]complex128, n), identity(n)
	reflectors, rightTau := make([][]complex128, n), make([]complex128, n)
	for j := range n {
		s[j], tau[j] = m.eliminate(j, j)
		if j == n-1 {
			break
		}
		v := make([]complex128, n-1-j)
		for i := range v {
			v[i] = cmplx.Conj(m.at(j, j+1+i))
		}
		e[j], rightTau[j] = reflector(v[0], v[1:])
		reflectors[j] = v
		m.fromRight(v, rightTau[j], j+1, j+1, rows)
	}
	work := make([]float64, max(1, 4*n))
	ok := false
	if job == lapack.SVDNone {
		ok = impl.Dbdsqr(blas.Upper, n, 0, 0, 0, s, e, nil, 1, nil, 1, nil, 1, work)
	} else {
		for j := n - 2; j >= 0; j-- {
			right.fromLeft(reflectors[j], rightTau[j], j+1, j+1, n)
		}
		x, yt := make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			x[i*n+i], yt[i*n+i] = 1, 1
		}
		ok = impl.Dbdsqr(blas.Upper, n, n, n, 0, s, e, yt, n, x, n, nil, 1, work)
		q := matrix{rows, len(u) / rows, u}
		copy(q.a, m.a)
		c.formQ(rows, q.cols, n, q.a, tau)
		copy(q.a, matrix{rows, n, q.a[:rows*n]}.times(x).a)
		y := make([]float64, n*n)
		for i := range n {
			for j := range n {
				y[i*n+j] = yt[j*n+i]
			}
		}
		copy(vt, right.times(y).adjoint().a)
	}
	for i := range s {
		s[i] = math.Ldexp(s[i], scale)
	}
	return ok
}
