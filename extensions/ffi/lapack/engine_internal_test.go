// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

func (m matrix) clone() matrix { return matrix{m.rows, m.cols, append([]complex128(nil), m.a...)} }

func (m matrix) mul(b matrix) matrix {
	p := newMatrix(m.rows, b.cols)
	for j := range b.cols {
		for k, f := range b.col(j) {
			for i, v := range m.col(k) {
				p.a[j*m.rows+i] += v * f
			}
		}
	}
	return p
}

// columns multiplies each column by a number.
func (m matrix) columns(by []complex128) matrix {
	p := m.clone()
	for j := range p.cols {
		for i := range p.col(j) {
			p.col(j)[i] *= by[j]
		}
	}
	return p
}

func complexOf(x []float64) []complex128 {
	to := make([]complex128, len(x))
	for i, v := range x {
		to[i] = complex(v, 0)
	}
	return to
}

// near requires that two matrices differ by rounding, measured by the norm of the first.
func near(t *testing.T, want, got matrix, what string) {
	t.Helper()
	require.Len(t, got.a, len(want.a), what)
	diff := make([]complex128, len(want.a))
	for i := range diff {
		diff[i] = want.a[i] - got.a[i]
	}
	limit := 100 * eps * norm(want.a) * math.Sqrt(float64(1+len(want.a)))
	if d := norm(diff); !(d <= limit) {
		t.Fatalf("%s: the difference is %g, and at most %g is rounding", what, d, limit)
	}
}

func orthonormal(t *testing.T, m matrix, what string) {
	t.Helper()
	near(t, identity(m.cols), m.adjoint().mul(m), what)
}

// kinds are matrices of all sorts.
func kinds(random *rand.Rand, rows, cols int) map[string]matrix {
	entry := func() complex128 { return complex(random.NormFloat64(), random.NormFloat64()) }
	fill := func(f func(i, j int) complex128) matrix {
		m := newMatrix(rows, cols)
		for j := range cols {
			for i := range rows {
				m.set(i, j, f(i, j))
			}
		}
		return m
	}
	u, v := make([]complex128, rows), make([]complex128, cols)
	for i := range u {
		u[i] = entry()
	}
	for j := range v {
		v[j] = entry()
	}
	return map[string]matrix{
		"random":   fill(func(int, int) complex128 { return entry() }),
		"huge":     fill(func(int, int) complex128 { return entry() * 0x1p990 }),
		"tiny":     fill(func(int, int) complex128 { return entry() * 0x1p-900 }),
		"rank one": fill(func(i, j int) complex128 { return u[i] * v[j] }),
		"zero":     fill(func(int, int) complex128 { return 0 }),
		"ones":     fill(func(int, int) complex128 { return 1 }),
		"diagonal": fill(func(i, j int) complex128 {
			if i == j {
				return complex(float64(i+1), 0)
			}
			return 0
		}),
		"shift": fill(func(i, j int) complex128 {
			if i == (j+1)%max(rows, 1) {
				return 1
			}
			return 0
		}),
		"nilpotent": fill(func(i, j int) complex128 {
			if j == i+1 {
				return 1i
			}
			return 0
		}),
		"graded": fill(func(i, j int) complex128 { return entry() * complex(math.Pow(10, -float64(i+j)), 0) }),
	}
}

// Each factorization gives its matrix back, up to rounding, whatever its size and its numbers are.
func TestComplexFactorizationsGiveTheirMatrixBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	e := complexes{}
	for _, dims := range [][2]int{{1, 1}, {2, 2}, {3, 3}, {7, 7}, {40, 40}, {5, 3}, {3, 5}, {1, 4}, {4, 1}, {30, 12}} {
		rows, cols := dims[0], dims[1]
		k := min(rows, cols)
		for name, m := range kinds(random, rows, cols) {
			what := fmt.Sprintf("%s %dx%d", name, rows, cols)

			a, tau := m.clone(), make([]complex128, k)
			e.qr(rows, cols, a.a, tau)
			q, r := newMatrix(rows, k), newMatrix(k, cols)
			copy(q.a, a.a)
			for j := range cols {
				copy(r.col(j)[:min(j+1, k)], a.col(j))
			}
			e.formQ(rows, k, k, q.a, tau)
			orthonormal(t, q, what+": Q")
			near(t, m, q.mul(r), what+": QR")
			c := m.clone()
			e.applyQ(true, true, rows, cols, append([]complex128(nil), a.a[:rows*k]...), tau, c.a)
			whole := newMatrix(rows, cols)
			for j := range cols {
				copy(whole.col(j)[:k], r.col(j))
			}
			near(t, whole, c, what+": Q* A")

			a = m.clone()
			order := make([]int, cols)
			first := make([]bool, cols)
			first[cols-1] = true
			e.pivotedQR(rows, cols, a.a, order, first, tau)
			require.Equal(t, cols-1, order[0])
			copy(q.a, a.a)
			e.formQ(rows, k, k, q.a, tau)
			permuted := newMatrix(rows, cols)
			clear(r.a)
			for j, from := range order {
				copy(permuted.col(j), m.col(from))
				copy(r.col(j)[:min(j+1, k)], a.col(j))
			}
			near(t, permuted, q.mul(r), what+": pivoted QR")

			a = m.clone()
			pivots := make([]int, k)
			e.lu(rows, cols, a.a, pivots)
			l, u := newMatrix(rows, k), newMatrix(k, cols)
			for j := range k {
				copy(l.col(j)[j:], a.col(j)[j:])
				l.set(j, j, 1)
			}
			for j := range cols {
				copy(u.col(j)[:min(j+1, k)], a.col(j))
			}
			swapped := m.clone()
			for i, p := range pivots {
				for j := range cols {
					x := swapped.col(j)
					x[i], x[p] = x[p], x[i]
				}
			}
			near(t, swapped, l.mul(u), what+": LU")

			for _, job := range []lapack.SVDJob{lapack.SVDAll, lapack.SVDStore} {
				n, wide := k, k
				if job == lapack.SVDAll {
					n, wide = rows, cols
				}
				left, right, s := newMatrix(rows, n), newMatrix(wide, cols), make([]float64, k)
				require.True(t, e.svd(job, rows, cols, m.clone().a, s, left.a, right.a), what)
				orthonormal(t, left, what+": U")
				orthonormal(t, right.adjoint(), what+": V")
				part, rest := newMatrix(rows, k), newMatrix(k, cols)
				copy(part.a, left.a)
				for j := range cols {
					copy(rest.col(j), right.col(j)[:k])
				}
				near(t, m, part.columns(complexOf(s)).mul(rest), what+": U S V*")
				alone := make([]float64, k)
				require.True(t, e.svd(lapack.SVDNone, rows, cols, m.clone().a, alone, nil, nil))
				near(t, matrix{k, 1, complexOf(s)}, matrix{k, 1, complexOf(alone)}, what+": singular values alone")
			}
			if rows != cols {
				continue
			}
			squareMatrix(t, what, m)
		}
	}
}

func squareMatrix(t *testing.T, what string, m matrix) {
	t.Helper()
	e, n := complexes{}, m.rows
	scaled(m.a, -exponent(m.a)) // as the callers of schur do
	a := m.clone()
	z, ok := a.schur()
	require.True(t, ok, what)
	orthonormal(t, z, what+": Z")
	for j := range n {
		for i := j + 1; i < n; i++ {
			require.Zero(t, a.at(i, j), what)
		}
	}
	near(t, m, z.mul(a).mul(z.adjoint()), what+": Z T Z*")

	values, left, right := make([]complex128, n), newMatrix(n, n), newMatrix(n, n)
	require.True(t, eigen(n, m.clone().a, values, left.a, right.a), what)
	for j := range n {
		for name, v := range map[string]matrix{"right": {n, 1, right.col(j)}, "left": {n, 1, left.col(j)}} {
			require.InDelta(t, 1, norm(v.a), 1e-14, what)
			by, product := values[j], m.mul(v)
			if name == "left" {
				by, product = cmplx.Conj(values[j]), m.adjoint().mul(v)
			}
			want := v.columns([]complex128{by})
			for i := range want.a {
				want.a[i] -= product.a[i]
			}
			require.LessOrEqual(t, norm(want.a), 1e-12*norm(m.a)+1e-300, "%s: %s eigenvector %d", what, name, j)
		}
	}

	h := m.clone()
	tau := make([]complex128, max(n-1, 0))
	e.hessenberg(n, 0, n, h.a, tau)
	q := h.below(tau)
	for j := range n {
		clear(h.col(j)[min(j+2, n):])
	}
	near(t, m, q.mul(h).mul(q.adjoint()), what+": Q H Q*")

	hermitian := m.adjoint()
	for i := range hermitian.a {
		hermitian.a[i] += m.a[i]
	}
	for _, uplo := range []blas.Uplo{blas.Lower, blas.Upper} {
		a := hermitian.clone()
		for j := range n { // the other triangle must not be read
			for i := range n {
				if uplo == blas.Lower && i < j || uplo == blas.Upper && i > j {
					a.set(i, j, cmplx.NaN())
				}
			}
		}
		given := a.clone()
		w := make([]float64, n)
		require.True(t, e.eigenHermitian(true, uplo, n, a.a, w), what)
		orthonormal(t, a, what+": eigenvectors")
		near(t, hermitian, a.columns(complexOf(w)).mul(a.adjoint()), what+": V W V*")
		for i := 1; i < n; i++ {
			require.LessOrEqual(t, w[i-1], w[i], what)
		}
		alone := make([]float64, n)
		require.True(t, e.eigenHermitian(false, uplo, n, given.clone().a, alone), what)
		near(t, matrix{n, 1, complexOf(w)}, matrix{n, 1, complexOf(alone)}, what+": eigenvalues alone")

		positive := hermitian.mul(hermitian)
		for i := range n {
			positive.set(i, i, positive.at(i, i)+1)
		}
		factor := positive.clone()
		require.Zero(t, e.cholesky(uplo, n, factor.a), what)
		for j := range n {
			for i := range n {
				if uplo == blas.Lower && i < j || uplo == blas.Upper && i > j {
					require.Equal(t, positive.at(i, j), factor.at(i, j), what)
					factor.set(i, j, 0)
				}
			}
		}
		if uplo == blas.Lower {
			near(t, positive, factor.mul(factor.adjoint()), what+": L L*")
		} else {
			near(t, positive, factor.adjoint().mul(factor), what+": U* U")
		}
	}
}

// Systems with any triangle, from either side, are solved.
func TestComplexTriangularSystemsAreSolved(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 9} {
		a, b := kinds(random, n, n)["random"], kinds(random, n, n)["random"]
		for i := range n {
			a.set(i, i, a.at(i, i)+complex(float64(3*n), 0))
		}
		for _, uplo := range []blas.Uplo{blas.Lower, blas.Upper} {
			for _, diag := range []blas.Diag{blas.Unit, blas.NonUnit} {
				triangle := newMatrix(n, n)
				for j := range n {
					for i := range n {
						if i > j && uplo == blas.Lower || i < j && uplo == blas.Upper {
							triangle.set(i, j, a.at(i, j))
						}
					}
					triangle.set(j, j, 1)
					if diag == blas.NonUnit {
						triangle.set(j, j, a.at(j, j))
					}
				}
				for _, trans := range []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans} {
					op := triangle
					if trans != blas.NoTrans {
						op = triangle.adjoint()
					}
					if trans == blas.Trans {
						for i, v := range op.a {
							op.a[i] = cmplx.Conj(v)
						}
					}
					for _, side := range []blas.Side{blas.Left, blas.Right} {
						x := b.clone()
						solveTriangular(side, uplo, trans, diag, n, n, a.a, x.a)
						// What the solution lacks is measured by the sizes of what is multiplied.
						product := op.mul(x)
						if side == blas.Right {
							product = x.mul(op)
						}
						for i := range product.a {
							product.a[i] -= b.a[i]
						}
						require.LessOrEqual(t, norm(product.a), 1e-13*norm(op.a)*norm(x.a)*float64(n),
							"%d %c %c %c %c", n, uplo, diag, trans, side)
					}
				}
			}
		}
	}
}

// What is no number stays none, beside zeros too, from either side and for both kinds of numbers.
func TestTriangularSystemsKeepNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		first, below, second float64 // of the matrix
		b                    [2]float64
		finite               [2]bool // of the solution
	}{
		"a matrix with NaN":      {1, nan, 2, [2]float64{0, 1}, [2]bool{true, false}},
		"a matrix with infinity": {1, inf, 2, [2]float64{0, 1}, [2]bool{true, false}},
		"NaN times zero":         {1, 0, 2, [2]float64{nan, 1}, [2]bool{false, false}},
		"infinity times zero":    {1, 0, 2, [2]float64{inf, 1}, [2]bool{false, false}},
		"zero over zero":         {0, 0, 1, [2]float64{0, 1}, [2]bool{false, false}},
		"numbers":                {1, 2, 4, [2]float64{1, 1}, [2]bool{true, true}},
	} {
		isNumber := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
		for _, side := range []blas.Side{blas.Left, blas.Right} {
			rows, cols, trans := 2, 1, blas.NoTrans
			if side == blas.Right {
				rows, cols, trans = 1, 2, blas.Trans
			}
			x := c.b
			solveTriangular(side, blas.Lower, trans, blas.NonUnit, rows, cols, []float64{c.first, 0, c.below, c.second}, x[:])
			z := []complex128{complex(c.b[0], 0), complex(c.b[1], 0)}
			a := []complex128{complex(c.first, 0), complex(c.below, 0), 0, complex(c.second, 0)}
			solveTriangular(side, blas.Lower, trans, blas.NonUnit, rows, cols, a, z)
			for i, finite := range c.finite {
				assert.Equal(t, finite, isNumber(x[i]), "%s, %c: %v", name, side, x)
				assert.Equal(t, finite, isNumber(real(z[i])) && isNumber(imag(z[i])), "%s, %c: %v", name, side, z)
			}
		}
	}
}

func TestTridiagonalSystemsAreSolved(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for n := 1; n < 20; n++ {
		lower, d, upper := make([]complex128, n), make([]complex128, n), make([]complex128, n)
		for i := range n {
			lower[i] = complex(random.NormFloat64(), random.NormFloat64())
			d[i] = complex(random.NormFloat64(), 0) * complex(float64(i%3), 0) // also zeros, which need exchanges
			upper[i] = complex(random.NormFloat64(), random.NormFloat64())
		}
		if n == 1 {
			d[0] = 2i
		}
		a := newMatrix(n, n)
		for i := range n {
			a.set(i, i, d[i])
			if i > 0 {
				a.set(i, i-1, lower[i])
				a.set(i-1, i, upper[i-1])
			}
		}
		b := kinds(random, n, 2)["random"]
		x := b.clone()
		info := tridiagonalSystem(lower, d, upper, x.a, 2, 0)
		if n%3 == 1 && n > 1 && info != 0 {
			continue // a singular one, which is said
		}
		require.Zero(t, info)
		product := a.mul(x)
		for i := range product.a {
			product.a[i] -= b.a[i]
		}
		require.LessOrEqual(t, norm(product.a), 1e-13*norm(a.a)*norm(x.a))
	}
}

// gonum computes with real numbers, and must be called as it wants to be, also with numbers that it
// has to scale.
func TestRealFactorizationsGiveTheirMatrixBack(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	e := reals{}
	// rowwise returns the real parts, in the order of gonum.
	rowwise := func(m matrix) []float64 {
		list := make([]float64, 0, len(m.a))
		for i := range m.rows {
			for j := range m.cols {
				list = append(list, real(m.at(i, j)))
			}
		}
		return list
	}
	whole := func(rows, cols int, a []float64) matrix {
		m := newMatrix(rows, cols)
		for i, v := range a {
			m.set(i/cols, i%cols, complex(v, 0))
		}
		return m
	}
	for _, dims := range [][2]int{{1, 1}, {2, 2}, {7, 7}, {40, 40}, {5, 3}, {3, 5}} {
		rows, cols := dims[0], dims[1]
		k := min(rows, cols)
		for name, m := range kinds(random, rows, cols) {
			what := fmt.Sprintf("%s %dx%d", name, rows, cols)
			m = whole(rows, cols, rowwise(m))
			u, vt, s := make([]float64, rows*k), make([]float64, k*cols), make([]float64, k)
			require.True(t, e.svd(lapack.SVDStore, rows, cols, rowwise(m), s, u, vt), what)
			near(t, m, whole(rows, k, u).columns(complexOf(s)).mul(whole(k, cols, vt)), what+": U S V")
			alone := make([]float64, k)
			require.True(t, e.svd(lapack.SVDNone, rows, cols, rowwise(m), alone, nil, nil), what)
			near(t, matrix{k, 1, complexOf(s)}, matrix{k, 1, complexOf(alone)}, what+": singular values alone")
			if rows != cols {
				continue
			}
			n := rows
			sum := m.adjoint()
			for i := range sum.a {
				sum.a[i] += m.a[i]
			}
			for _, uplo := range []blas.Uplo{blas.Lower, blas.Upper} {
				a, w, alone := rowwise(sum), make([]float64, n), make([]float64, n)
				require.True(t, e.eigenHermitian(true, uplo, n, a, w), what)
				v := whole(n, n, a)
				near(t, sum, v.columns(complexOf(w)).mul(v.adjoint()), what+": V W V")
				require.True(t, e.eigenHermitian(false, uplo, n, rowwise(sum), alone), what)
				near(t, matrix{n, 1, complexOf(w)}, matrix{n, 1, complexOf(alone)}, what+": eigenvalues alone")
			}
			a, z, re, im := rowwise(m), make([]float64, n*n), make([]float64, n), make([]float64, n)
			require.True(t, e.schur(n, a, z, re, im), what)
			q := whole(n, n, z)
			orthonormal(t, q, what+": Z")
			near(t, m, q.mul(whole(n, n, a)).mul(q.adjoint()), what+": Z T Z")
			scaled(m.a, -exponent(m.a)) // so that the products below do not overflow
			right := newMatrix(n, n)
			require.True(t, e.eigen(n, rowwise(m), re, im, nil, right.a), what)
			for j := range n {
				v := matrix{n, 1, right.col(j)}
				want := v.columns([]complex128{complex(re[j], im[j])})
				for i, x := range m.mul(v).a {
					want.a[i] -= x
				}
				require.LessOrEqual(t, norm(want.a), 1e-12*norm(m.a)+1e-300, "%s: eigenvector %d", what, j)
			}
		}
	}
}

func TestTheFirstListWithTooFewOrTooManyElementsIsNamed(t *testing.T) {
	two := batch[float64]{count: 2, rows: 3, cols: 3}
	enough, few := elements{"eigenvalues", 6, 3}, elements{"info", 1, 1}
	require.NoError(t, two.want(enough, enough))
	require.ErrorContains(t, two.want(enough, few, elements{"pivots", 7, 3}), "there are 1 info for 2 matrices, which need 1 each")
	require.NoError(t, batch[float64]{}.want(enough, few), "without matrices")
}
