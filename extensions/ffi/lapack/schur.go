// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"math"
	"math/cmplx"
)

const eps = 0x1p-52

// size is a measure of a number that is quick and never far from its absolute value.
func size(v complex128) float64 { return math.Abs(real(v)) + math.Abs(imag(v)) }

// schur turns m into the upper triangular T of m = Z T Z*, and returns Z. It reports whether the
// iteration converged.
func (m matrix) schur() (z matrix, ok bool) {
	n := m.rows
	tau := make([]complex128, max(n-1, 0))
	complexes{}.hessenberg(n, 0, n, m.a, tau)
	z = m.below(tau)
	for j := range n {
		clear(m.col(j)[min(j+2, n):])
	}
	return z, m.iterate(z)
}

// iterate is the QR iteration on a matrix of Hessenberg's form, one shift at a time.
func (m matrix) iterate(z matrix) bool {
	n := m.rows
	tiny := math.Ldexp(1, max(exponent(m.a)-1000, -1020))
	tries := 0
	for last := n - 1; last > 0; {
		// A small element beside the diagonal divides the matrix in two.
		first := last
		for ; first > 0; first-- {
			near := size(m.at(first, first)) + size(m.at(first-1, first-1))
			if small := size(m.at(first, first-1)); small <= tiny || small <= eps*near {
				m.set(first, first-1, 0)
				break
			}
		}
		if first == last {
			last, tries = last-1, 0
			continue
		}
		if tries++; tries > 300 {
			return false
		}
		m.step(z, first, last, m.shift(last, tries))
	}
	return true
}

// shift returns the eigenvalue of the last two rows that is nearer to the last element, or a
// different number from time to time, which ends cycles.
func (m matrix) shift(last, tries int) complex128 {
	a, b := m.at(last-1, last-1), m.at(last-1, last)
	c, d := m.at(last, last-1), m.at(last, last)
	if tries%10 == 0 {
		return d + complex(0.75*cmplx.Abs(c), 0)
	}
	half := (a - d) / 2
	root := cmplx.Sqrt(half*half + b*c)
	if real(half)*real(root)+imag(half)*imag(root) < 0 {
		root = -root
	}
	// d minus bc over the larger of both denominators is exact to more digits than d + half - root.
	if sum := half + root; sum != 0 {
		return d - b*c/sum
	}
	return d
}

// step is a step of the QR iteration on rows and columns first to last.
func (m matrix) step(z matrix, first, last int, shift complex128) {
	x, y := m.at(first, first)-shift, m.at(first+1, first)
	for k := first; k < last; k++ {
		if k > first {
			x, y = m.at(k, k-1), m.at(k+1, k-1)
		}
		c, s := rotation(x, y)
		conj := cmplx.Conj(s)
		for j := max(k-1, first); j < m.cols; j++ {
			col := m.col(j)
			p, q := col[k], col[k+1]
			col[k], col[k+1] = c*p+s*q, c*q-conj*p
		}
		if k > first {
			m.set(k+1, k-1, 0)
		}
		rotate := func(p, q []complex128) {
			for i := range p {
				p[i], q[i] = c*p[i]+conj*q[i], c*q[i]-s*p[i]
			}
		}
		rows := min(k+3, last+1)
		rotate(m.col(k)[:rows], m.col(k + 1)[:rows])
		rotate(z.col(k), z.col(k+1))
	}
}

// rotation returns c and s, of which c is real, so that -conj(s) x + c y is zero.
func rotation(x, y complex128) (c, s complex128) {
	a, b := cmplx.Abs(x), cmplx.Abs(y)
	switch {
	case b == 0:
		return 1, 0
	case a == 0:
		return 0, cmplx.Conj(y) / complex(b, 0)
	}
	length := math.Hypot(a, b)
	return complex(a/length, 0), x / complex(a, 0) * cmplx.Conj(y) / complex(length, 0)
}

// balance multiplies rows and divides columns by powers of two so that both are about as large,
// which makes eigenvalues more exact, and returns the factors.
func (m matrix) balance() []float64 {
	factors := make([]float64, m.rows)
	for i := range factors {
		factors[i] = 1
	}
	for again, rounds := true, 0; again && rounds < 100; rounds++ {
		again = false
		for i := range factors {
			var row, col float64
			for j := range m.cols {
				if j != i {
					row += size(m.at(i, j))
					col += size(m.at(j, i))
				}
			}
			if row == 0 || col == 0 {
				continue
			}
			f, before := 1.0, row+col
			for col < row/2 && f < 0x1p400 {
				f, col, row = f*2, col*2, row/2
			}
			for col >= row*2 && f > 0x1p-400 {
				f, col, row = f/2, col/2, row*2
			}
			if col+row >= 0.95*before || factors[i]*f > 0x1p400 || factors[i]*f < 0x1p-400 {
				continue
			}
			again = true
			factors[i] *= f
			for j := range m.cols {
				m.set(i, j, m.at(i, j)/complex(f, 0))
			}
			c := m.col(i)
			for j := range c {
				c[j] *= complex(f, 0)
			}
		}
	}
	return factors
}

// eigen computes the eigenvalues of a matrix, and its left and right eigenvectors where those are
// not nil.
func eigen(n int, a, values, left, right []complex128) bool {
	m := matrix{n, n, a}
	scale := exponent(a)
	scaled(a, -scale)
	factors := m.balance()
	z, ok := m.schur()
	if !ok {
		return false
	}
	for j := range values {
		v := m.at(j, j)
		values[j] = complex(math.Ldexp(real(v), scale), math.Ldexp(imag(v), scale))
	}
	var largest float64
	for _, v := range a {
		largest = max(largest, size(v))
	}
	for j := range n {
		if right != nil {
			m.vector(z, j, largest, factors, false, right[j*n:(j+1)*n])
		}
		if left != nil {
			m.vector(z, j, largest, factors, true, left[j*n:(j+1)*n])
		}
	}
	return true
}

// vector stores the eigenvector of the triangular m's element j of the diagonal in to, in the
// coordinates that z and the factors of balance lead back to.
func (m matrix) vector(z matrix, j int, largest float64, factors []float64, left bool, to []complex128) {
	n := m.rows
	x := make([]complex128, n)
	x[j] = 1
	small := max(eps*size(m.at(j, j)), eps*eps*largest, 0x1p-1000)
	gap := func(i int) complex128 {
		d := m.at(i, i) - m.at(j, j)
		if size(d) < small {
			d = complex(small, 0) // the eigenvalues are the same, as far as they are known
		}
		return d
	}
	// tame keeps the numbers far from overflow.
	tame := func(i int) {
		if size(x[i]) > 0x1p600 {
			scaled(x, -exponent(x))
		}
	}
	if left {
		for i := j + 1; i < n; i++ {
			var sum complex128
			for k := j; k < i; k++ {
				sum += cmplx.Conj(m.at(k, i)) * x[k]
			}
			x[i] = -sum / cmplx.Conj(gap(i))
			tame(i)
		}
	} else {
		for i := j - 1; i >= 0; i-- {
			var sum complex128
			for k := i + 1; k <= j; k++ {
				sum += m.at(i, k) * x[k]
			}
			x[i] = -sum / gap(i)
			tame(i)
		}
	}
	clear(to)
	for k, f := range x {
		for i, v := range z.col(k) {
			to[i] += v * f
		}
	}
	scaled(to, -exponent(to))
	for i := range to {
		if left {
			to[i] /= complex(factors[i], 0)
		} else {
			to[i] *= complex(factors[i], 0)
		}
	}
	unit(to)
}

// unit gives a vector the length 1, and makes its largest element real.
func unit(x []complex128) {
	scaled(x, -exponent(x))
	best := 0
	for i, v := range x {
		if cmplx.Abs(v) > cmplx.Abs(x[best]) {
			best = i
		}
	}
	by := complex(cmplx.Abs(x[best])/norm(x), 0) / x[best]
	for i := range x {
		x[i] *= by
	}
	x[best] = complex(real(x[best]), 0)
}
