// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
)

type real interface{ float32 | float64 }

// batch is an array of matrices in LAPACK's order: column by column, matrix by matrix.
// gonum takes them row by row.
type batch[T real] struct {
	data              []T
	count, rows, cols int
}

// matrices returns an argument as matrices: its last two dimensions are those of a matrix.
func matrices[T real](what string, a ffi.Arg[T]) (batch[T], error) {
	return batchOf(what, a.Data, a.Dims)
}

func batchOf[T real](what string, data []T, dims []int64) (batch[T], error) {
	n := len(dims)
	if n < 2 {
		return batch[T]{}, pjrt.ErrInvalidArgument.Errorf("%s has the dimensions %v, and matrices have at least two", what, dims)
	}
	b := batch[T]{data, 1, int(dims[n-2]), int(dims[n-1])}
	for _, d := range dims[:n-2] {
		b.count *= int(d)
	}
	if len(data) != b.count*b.rows*b.cols {
		return batch[T]{}, pjrt.ErrInvalidArgument.Errorf("%s has the dimensions %v and %d elements", what, dims, len(data))
	}
	if b.rows == 0 || b.cols == 0 {
		b.count = 0
	}
	return b, nil
}

// same returns a result as matrices, of the same number and size as those of x.
func (x batch[T]) same(what string, r ffi.Ret[T]) (batch[T], error) {
	return x.like(what, r, x.rows, x.cols)
}

// inAndOut returns an argument as matrices, and a result that has as many of the same size.
func inAndOut[T real](a ffi.Arg[T], r ffi.Ret[T]) (x, out batch[T], err error) {
	if x, err = matrices("argument", a); err == nil {
		out, err = x.same("result", r)
	}
	return x, out, err
}

// like returns a result as matrices of rows by cols, as many as those of x.
func (x batch[T]) like(what string, r ffi.Ret[T], rows, cols int) (batch[T], error) {
	b, err := batchOf(what, r.Data, r.Dims)
	if err == nil && (b.count != x.count || b.rows != rows || b.cols != cols) {
		err = pjrt.ErrInvalidArgument.Errorf("%s has the dimensions %v instead of %d matrices of %d rows and %d columns",
			what, r.Dims, x.count, rows, cols)
	}
	return b, err
}

func (x batch[T]) wantSquare() error {
	if x.rows != x.cols {
		return pjrt.ErrInvalidArgument.Errorf("the matrix has %d rows and %d columns, and must be square", x.rows, x.cols)
	}
	return nil
}

// wantEach returns an error unless there are n elements for each matrix.
func (x batch[T]) wantEach(what string, have, n int) error {
	if x.count > 0 && have != x.count*n {
		return pjrt.ErrInvalidArgument.Errorf("there are %d %s for %d matrices, which need %d each", have, what, x.count, n)
	}
	return nil
}

// read returns a copy of matrix i, row by row.
func (x batch[T]) read(i int) []float64 {
	from := x.data[i*x.rows*x.cols:]
	to := make([]float64, x.rows*x.cols)
	for r := range x.rows {
		for c := range x.cols {
			to[r*x.cols+c] = float64(from[c*x.rows+r])
		}
	}
	return to
}

// write stores matrix i, which from has row by row.
func (x batch[T]) write(i int, from []float64) {
	to := x.data[i*x.rows*x.cols:]
	for r := range x.rows {
		for c := range x.cols {
			to[c*x.rows+r] = T(from[r*x.cols+c])
		}
	}
}

// stride returns the distance between rows of n elements: gonum requires at least 1.
func stride(n int) int { return max(n, 1) }

func widen[T real](from []T) []float64 {
	to := make([]float64, len(from))
	for i, v := range from {
		to[i] = float64(v)
	}
	return to
}

func narrow[T real](to []T, from []float64) {
	for i, v := range from {
		to[i] = T(v)
	}
}

// finite reports whether a has neither an infinity nor a NaN: with those gonum might
// not terminate.
func finite(a []float64) bool {
	for _, v := range a {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// workspace asks a LAPACK function how much memory it works best with, and allocates it.
func workspace(ask func(work []float64, size int)) []float64 {
	size := make([]float64, 1)
	ask(size, -1)
	return make([]float64, max(int(size[0]), 1))
}

// uploOf returns which triangle of a matrix is used.
func uploOf(c uint8) (blas.Uplo, error) {
	if u := blas.Uplo(c); u == blas.Upper || u == blas.Lower {
		return u, nil
	}
	return 0, unknown("uplo", c)
}

func unknown(name string, c uint8) error {
	return pjrt.ErrInvalidArgument.Errorf("the attribute %s is %q, which LAPACK does not know", name, c)
}
