// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"math/cmplx"

	"gonum.org/v1/gonum/blas"
)

// solveTriangular replaces b, of rows times cols elements, by the solution of op(a) x = b, or of
// x op(a) = b. Matrices are as the engine of W has them. Gonum's own function skips zeros, though
// zero times NaN or infinity is NaN: what diverged would look solved.
func solveTriangular[W wide](side blas.Side, uplo blas.Uplo, trans blas.Transpose, diag blas.Diag, rows, cols int, a, b []W) {
	n, others := cols, rows // how many unknowns each system has, and how many systems there are
	if side == blas.Left {
		n, others = rows, cols
	}
	rowStep, colStep, unknownStep, otherStep := n, 1, 1, cols // by rows, from the right
	if side == blas.Left {
		unknownStep, otherStep = cols, 1
	}
	if _, ok := any(a).([]complex128); ok { // by columns
		rowStep, colStep = 1, n
		unknownStep, otherStep = rows, 1
		if side == blas.Left {
			unknownStep, otherStep = 1, rows
		}
	}
	// A system from the right is one from the left with everything transposed.
	lower := uplo == blas.Lower
	if (trans != blas.NoTrans) != (side == blas.Right) {
		rowStep, colStep, lower = colStep, rowStep, !lower
	}
	x := make([]W, len(b)) // the systems side by side: a row for each unknown
	for i := range n {
		for k := range others {
			x[i*others+k] = b[i*unknownStep+k*otherStep]
		}
	}
	row := func(i int) []W { return x[i*others : (i+1)*others] }
	for step := range n {
		i := step
		if !lower {
			i = n - 1 - step
		}
		to := row(i)
		for earlier := range step {
			j := earlier
			if !lower {
				j = n - 1 - earlier
			}
			subtract(to, conjugate(a[i*rowStep+j*colStep], trans), row(j))
		}
		if diag == blas.NonUnit {
			d := conjugate(a[i*(rowStep+colStep)], trans)
			for k := range to {
				to[k] /= d
			}
		}
	}
	for i := range n {
		for k := range others {
			b[i*unknownStep+k*otherStep] = x[i*others+k]
		}
	}
}

// subtract subtracts a multiple of one row from another.
func subtract[W wide](to []W, factor W, row []W) {
	if factor == 0 { // which gonum skips
		for k, v := range row {
			to[k] -= factor * v
		}
		return
	}
	switch to := any(to).(type) {
	case []float64:
		blss.Daxpy(len(to), -any(factor).(float64), any(row).([]float64), 1, to, 1)
	case []complex128:
		blss.Zaxpy(len(to), -any(factor).(complex128), any(row).([]complex128), 1, to, 1)
	}
}

// conjugate returns the element of op(a) for one of a.
func conjugate[W wide](v W, trans blas.Transpose) W {
	if c, ok := any(v).(complex128); ok && trans == blas.ConjTrans {
		return any(cmplx.Conj(c)).(W)
	}
	return v
}
