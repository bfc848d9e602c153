// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
)

type (
	float  interface{ float32 | float64 }
	number interface {
		float32 | float64 | complex64 | complex128
	}
	// wide are the types that everything is computed in.
	wide interface{ float64 | complex128 }
)

// batch is an array of matrices in LAPACK's order: column by column, matrix by matrix.
type batch[T number] struct {
	data              []T
	count, rows, cols int
}

// matrices returns an argument as matrices: its last two dimensions are those of a matrix.
func matrices[T number](what string, a ffi.Arg[T]) (batch[T], error) {
	return batchOf(what, a.Data, a.Dims)
}

func batchOf[T number](what string, data []T, dims []int64) (batch[T], error) {
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

// square returns an argument as square matrices.
func square[T number](a ffi.Arg[T]) (batch[T], error) {
	x, err := matrices("argument", a)
	if err == nil && x.rows != x.cols {
		err = pjrt.ErrInvalidArgument.Errorf("the matrix has %d rows and %d columns, and must be square", x.rows, x.cols)
	}
	return x, err
}

// same returns a result as matrices, of the same number and size as those of x.
func (x batch[T]) same(what string, r ffi.Ret[T]) (batch[T], error) {
	return like(x, what, r, x.rows, x.cols)
}

// inAndOut returns an argument as matrices, and a result that has as many of the same size.
func inAndOut[T number](a ffi.Arg[T], r ffi.Ret[T]) (x, out batch[T], err error) {
	if x, err = matrices("argument", a); err == nil {
		out, err = x.same("result", r)
	}
	return x, out, err
}

// like returns a result as matrices of rows by cols, as many as those of x.
func like[T, S number](x batch[S], what string, r ffi.Ret[T], rows, cols int) (batch[T], error) {
	b, err := batchOf(what, r.Data, r.Dims)
	if err == nil && (b.count != x.count || b.rows != rows || b.cols != cols) {
		err = pjrt.ErrInvalidArgument.Errorf("%s has the dimensions %v instead of %d matrices of %d rows and %d columns",
			what, r.Dims, x.count, rows, cols)
	}
	return b, err
}

// elements are those of an argument or a result beside the matrices, of which each matrix needs
// some.
type elements struct {
	what         string
	number, each int
}

// want returns an error unless there are as many elements as the matrices need.
func (x batch[T]) want(lists ...elements) error {
	for _, l := range lists {
		if x.count > 0 && l.number != x.count*l.each {
			return pjrt.ErrInvalidArgument.Errorf("there are %d %s for %d matrices, which need %d each", l.number, l.what, x.count, l.each)
		}
	}
	return nil
}

// read returns a copy of matrix i in the order of the engine: gonum takes matrices of real numbers
// row by row.
func read[W wide, T number](x batch[T], i int) []W {
	list := widen[W](x.data[i*x.rows*x.cols : (i+1)*x.rows*x.cols])
	if r, ok := any(list).([]float64); ok {
		return any(transposed(x.cols, x.rows, r)).([]W)
	}
	return list
}

// write stores matrix i, which from has in the order of the engine.
func write[W wide, T number](x batch[T], i int, from []W) {
	if r, ok := any(from).([]float64); ok {
		from = any(transposed(x.rows, x.cols, r)).([]W)
	}
	narrow(x.data[i*x.rows*x.cols:], from)
}

// transposed returns the transpose of a matrix whose elements lie row by row.
func transposed(rows, cols int, a []float64) []float64 {
	to := make([]float64, len(a))
	for r := range rows {
		for c := range cols {
			to[c*rows+r] = a[r*cols+c]
		}
	}
	return to
}

// stride returns the distance between rows of n elements: gonum requires at least 1.
func stride(n int) int { return max(n, 1) }

func widen[W wide, T number](from []T) []W {
	to := make([]W, len(from))
	switch from := any(from).(type) {
	case []float32:
		to := any(to).([]float64)
		for i, v := range from {
			to[i] = float64(v)
		}
	case []complex64:
		to := any(to).([]complex128)
		for i, v := range from {
			to[i] = complex128(v)
		}
	case []W:
		copy(to, from)
	}
	return to
}

func narrow[W wide, T number](to []T, from []W) {
	switch to := any(to).(type) {
	case []float32:
		for i, v := range any(from).([]float64) {
			to[i] = float32(v)
		}
	case []complex64:
		for i, v := range any(from).([]complex128) {
			to[i] = complex64(v)
		}
	case []W:
		copy(to, from)
	}
}

// finite reports whether a has neither an infinity nor a NaN: with those the iterations might not
// end.
func finite[W wide](a []W) bool {
	for _, v := range a {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// abs returns the absolute value of a number.
func abs[W wide](v W) float64 {
	switch v := any(v).(type) {
	case float64:
		return math.Abs(v)
	case complex128:
		return size(v)
	}
	return 0
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

// wanted returns whether vectors are asked for.
func wanted(name string, c uint8) (bool, error) {
	if c != 'V' && c != 'N' {
		return false, unknown(name, c)
	}
	return c == 'V', nil
}

func unknown(name string, c uint8) error {
	return pjrt.ErrInvalidArgument.Errorf("the attribute %s is %q, which LAPACK does not know", name, c)
}
