// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"math"
	"math/cmplx"
)

// matrix is a matrix of complex numbers, column by column.
type matrix struct {
	rows, cols int
	a          []complex128
}

func newMatrix(rows, cols int) matrix {
	return matrix{rows, cols, make([]complex128, rows*cols)}
}

func identity(n int) matrix {
	m := newMatrix(n, n)
	for i := range n {
		m.set(i, i, 1)
	}
	return m
}

func (m matrix) at(i, j int) complex128 { return m.a[j*m.rows+i] }

func (m matrix) set(i, j int, v complex128) { m.a[j*m.rows+i] = v }

func (m matrix) col(j int) []complex128 { return m.a[j*m.rows : (j+1)*m.rows] }

// adjoint returns the conjugate transpose.
func (m matrix) adjoint() matrix {
	t := newMatrix(m.cols, m.rows)
	for j := range m.cols {
		for i, v := range m.col(j) {
			t.set(j, i, cmplx.Conj(v))
		}
	}
	return t
}

// times returns the product with a square matrix of real numbers, which is row by row.
func (m matrix) times(b []float64) matrix {
	p := newMatrix(m.rows, m.cols)
	for k := range m.cols {
		from := m.col(k)
		for j := range m.cols {
			f := complex(b[k*m.cols+j], 0)
			to := p.col(j)
			for i, v := range from {
				to[i] += v * f
			}
		}
	}
	return p
}

// norm returns the Euclidean norm, whose squares neither overflow nor vanish on the way.
func norm(x []complex128) float64 {
	var sum float64
	for _, v := range x {
		sum += real(v)*real(v) + imag(v)*imag(v)
	}
	if sum > 1e-280 && sum < 1e300 {
		return math.Sqrt(sum)
	}
	scale := exponent(x)
	sum = 0
	for _, v := range x {
		re, im := math.Ldexp(real(v), -scale), math.Ldexp(imag(v), -scale)
		sum += re*re + im*im
	}
	return math.Ldexp(math.Sqrt(sum), scale)
}

// exponent returns the exponent of the largest part of a number.
func exponent(x []complex128) int {
	var most float64
	for _, v := range x {
		most = max(most, math.Abs(real(v)), math.Abs(imag(v)))
	}
	_, e := math.Frexp(most)
	return e
}

// scaled multiplies all numbers by a power of two.
func scaled(x []complex128, exponent int) {
	for i, v := range x {
		x[i] = complex(math.Ldexp(real(v), exponent), math.Ldexp(imag(v), exponent))
	}
}

// reflector finds H = I - tau v v*, whose v begins with 1, so that H* turns the vector that begins
// with alpha and goes on with x into (beta, 0, ...). It stores the rest of v in x.
func reflector(alpha complex128, x []complex128) (beta float64, tau complex128) {
	rest := norm(x)
	if rest == 0 && imag(alpha) == 0 {
		return real(alpha), 0
	}
	// Below this a division by beta loses digits.
	const tiny = 0x1p-969
	shifts := 0
	length := func() float64 { return -math.Copysign(math.Hypot(cmplx.Abs(alpha), rest), real(alpha)) }
	for beta = length(); math.Abs(beta) < tiny && shifts < 20; beta = length() {
		shifts++
		scaled(x, 500)
		alpha = complex(math.Ldexp(real(alpha), 500), math.Ldexp(imag(alpha), 500))
		rest = norm(x)
	}
	tau = complex((beta-real(alpha))/beta, -imag(alpha)/beta)
	by := 1 / (alpha - complex(beta, 0))
	for i := range x {
		x[i] *= by
	}
	return math.Ldexp(beta, -500*shifts), tau
}

// fromLeft multiplies rows from of columns first to last of m by I - tau v v* from the left. v[0]
// counts as 1.
func (m matrix) fromLeft(v []complex128, tau complex128, from, first, last int) {
	if tau == 0 {
		return
	}
	for j := first; j < last; j++ {
		c := m.col(j)[from : from+len(v)]
		sum := c[0]
		for i, x := range v[1:] {
			sum += cmplx.Conj(x) * c[i+1]
		}
		sum *= tau
		c[0] -= sum
		for i, x := range v[1:] {
			c[i+1] -= sum * x
		}
	}
}

// fromRight multiplies columns from of rows first to last of m by I - tau v v* from the right. v[0]
// counts as 1.
func (m matrix) fromRight(v []complex128, tau complex128, from, first, last int) {
	if tau == 0 {
		return
	}
	sum := append([]complex128(nil), m.col(from)[first:last]...)
	for k, x := range v[1:] {
		for i, y := range m.col(from + 1 + k)[first:last] {
			sum[i] += y * x
		}
	}
	for k := range v {
		f := tau
		if k > 0 {
			f *= cmplx.Conj(v[k])
		}
		c := m.col(from + k)[first:last]
		for i, s := range sum {
			c[i] -= s * f
		}
	}
}

// eliminate makes column j zero below row i, and applies the reflector to the columns right of it.
func (m matrix) eliminate(i, j int) (beta float64, tau complex128) {
	v := m.col(j)[i:]
	beta, tau = reflector(v[0], v[1:])
	v[0] = complex(beta, 0)
	m.fromLeft(v, cmplx.Conj(tau), i, j+1, m.cols)
	return beta, tau
}

// qr factors the matrix: R, and below its diagonal the reflectors of Q.
func (complexes) qr(rows, cols int, a, tau []complex128) {
	m := matrix{rows, cols, a}
	for j := range tau {
		_, tau[j] = m.eliminate(j, j)
	}
}

func (complexes) pivotedQR(rows, cols int, a []complex128, order []int, first []bool, tau []complex128) {
	m := matrix{rows, cols, a}
	for j := range order {
		order[j] = j
	}
	swap := func(i, j int) {
		order[i], order[j] = order[j], order[i]
		x, y := m.col(i), m.col(j)
		for k := range x {
			x[k], y[k] = y[k], x[k]
		}
	}
	fixed := 0
	for j, f := range first {
		if f {
			swap(fixed, j)
			fixed++
		}
	}
	for j := range tau {
		if j >= fixed {
			best, most := j, -1.0
			for c := j; c < cols; c++ {
				if n := norm(m.col(c)[j:]); n > most {
					best, most = c, n
				}
			}
			if best != j {
				swap(j, best)
			}
		}
		_, tau[j] = m.eliminate(j, j)
	}
}

// formQ turns the first reflectors of qr into the first columns of Q.
func (complexes) formQ(rows, cols, reflectors int, a, tau []complex128) {
	m := matrix{rows, cols, a}
	for j := reflectors; j < cols; j++ {
		clear(m.col(j))
		m.set(j, j, 1)
	}
	for j := reflectors - 1; j >= 0; j-- {
		c := m.col(j)
		m.fromLeft(c[j:], tau[j], j, j+1, cols)
		for i := j + 1; i < rows; i++ {
			c[i] *= -tau[j]
		}
		c[j] = 1 - tau[j]
		clear(c[:j])
	}
}

// applyQ multiplies c by Q, or its adjoint, whose reflectors are in the columns of a.
func (complexes) applyQ(left, adjoint bool, rows, cols int, a, tau, c []complex128) {
	m := matrix{rows, cols, c}
	size := cols
	if left {
		size = rows
	}
	for n := range tau {
		j := n
		if left != adjoint {
			j = len(tau) - 1 - n
		}
		v, t := a[j*size+j:(j+1)*size], tau[j]
		if adjoint {
			t = cmplx.Conj(t)
		}
		if left {
			m.fromLeft(v, t, j, 0, cols)
		} else {
			m.fromRight(v, t, j, 0, rows)
		}
	}
}

// hessenberg reduces rows and columns low to high-1 of a matrix to the form of Hessenberg, with the
// reflectors below it.
func (complexes) hessenberg(n, low, high int, a, tau []complex128) {
	m := matrix{n, n, a}
	clear(tau)
	for j := low; j < high-1; j++ {
		v := m.col(j)[j+1 : high]
		var beta float64
		beta, tau[j] = reflector(v[0], v[1:])
		m.fromRight(v, tau[j], j+1, 0, high)
		m.fromLeft(v, cmplx.Conj(tau[j]), j+1, j+1, n)
		v[0] = complex(beta, 0)
	}
}

// below returns the unitary matrix of reflectors that hessenberg, or tridiagonal with the lower
// triangle, leaves below the diagonal next to the main one.
func (m matrix) below(tau []complex128) matrix {
	n := m.rows
	q := identity(n)
	for j := n - 2; j >= 0; j-- {
		q.fromLeft(m.col(j)[j+1:], tau[j], j+1, j+1, n)
	}
	return q
}
