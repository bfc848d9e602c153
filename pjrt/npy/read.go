// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// ErrOpaque is wrapped by the error of [Read] and [ReadFile] for a file whose elements are words
// without a type, such as bf16 and the 8-bit floats. Use [ReadAs] or [ReadFileAs] for such a file.
var ErrOpaque = errors.New("the elements are words without a type: read them with ReadAs or ReadFileAs, and name the type")

// Read reads a .npy file to its end. Arrays in Fortran order and big-endian numbers come back
// row-major and little-endian. Missing and surplus data are errors. Read allocates memory as the
// data arrives; it does not trust the size in the header.
func Read(r io.Reader) (array.Array, error) {
	return read(r, dtype.Invalid, -1)
}

// ReadAs is [Read] with the elements as type t. It takes opaque words, which must be as wide as t,
// bit for bit. If the file names its type, ReadAs casts the elements as [array.Array.Cast] does.
func ReadAs(r io.Reader, t dtype.Type) (array.Array, error) {
	if t.Size() == 0 {
		return array.Array{}, fmt.Errorf("cannot read elements as %v: it holds no data", t)
	}
	return read(r, t, -1)
}

// ReadFile reads the named .npy file as [Read] does. Errors name the file.
func ReadFile(name string) (array.Array, error) {
	return readFile(name, dtype.Invalid)
}

// ReadFileAs reads the named .npy file as [ReadAs] does. Errors name the file.
func ReadFileAs(name string, t dtype.Type) (array.Array, error) {
	if t.Size() == 0 {
		return array.Array{}, fmt.Errorf("%s: cannot read elements as %v: it holds no data", name, t)
	}
	return readFile(name, t)
}

func readFile(name string, t dtype.Type) (array.Array, error) {
	f, err := outside.Open(name)
	if err != nil {
		return array.Array{}, err
	}
	defer f.Close()
	size := int64(-1)
	if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
		size = st.Size()
	}
	a, err := read(f, t, size)
	if err != nil {
		return array.Array{}, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// read reads an array from r, which holds size bytes, or an unknown number if size is -1.
func read(r io.Reader, want dtype.Type, size int64) (array.Array, error) {
	r = outside.Reader(r)
	h, err := readHeader(r)
	if err != nil {
		return array.Array{}, err
	}
	t := h.Type
	if t == dtype.Invalid {
		switch {
		case want == dtype.Invalid:
			return array.Array{}, fmt.Errorf("NumPy type %q of %d bytes: %w", h.Descr, h.Size, ErrOpaque)
		case want.Size() != h.Size:
			return array.Array{}, fmt.Errorf("NumPy type %q is %d bytes wide and cannot be read as %v of %d bytes", h.Descr, h.Size, want,
				want.Size())
		}
		t = want
	}
	if want.IsFloat() && t.IsComplex() || want.IsInteger() && t.IsComplex() {
		return array.Array{}, fmt.Errorf("elements are %v and cannot be read as %v: the imaginary parts would be lost", t, want)
	}
	// NumPy has empty arrays of larger dimensions than plugins take.
	if _, err := (array.Shape{Type: t, Dims: h.Dims}).HostSize(); err != nil {
		return array.Array{}, err
	}
	data, err := h.data(r, size)
	if err != nil {
		return array.Array{}, err
	}
	if h.BigEndian {
		swap(data, t)
	}
	if t == dtype.Pred {
		for i, b := range data {
			if b != 0 {
				data[i] = 1
			}
		}
	}
	if h.Fortran {
		data = rowMajor(data, h.Dims, h.Size)
	}
	a := array.Array{Type: t, Dims: h.Dims, Data: data}
	if want != dtype.Invalid && want != t {
		return a.Cast(want)
	}
	return a, nil
}

// data reads the elements. If the size of the file is known, it finds a wrong length before it
// allocates memory.
func (h *Header) data(r io.Reader, size int64) ([]byte, error) {
	if size >= 0 {
		if have := size - h.length; have != h.bytes {
			return nil, h.wrongLength(have, "")
		}
	}
	var data []byte
	var err error
	if size >= 0 {
		data = make([]byte, h.bytes)
		var n int
		n, err = io.ReadFull(r, data)
		data = data[:n]
	} else {
		var b bytes.Buffer
		_, err = io.CopyN(&b, r, h.bytes)
		data = b.Bytes()
	}
	if err := h.end(int64(len(data)), err); err != nil {
		return nil, err
	}
	return data, h.nothingAfter(r)
}

// end returns the error for data of which n bytes were there before err.
func (h *Header) end(n int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return h.wrongLength(n, "")
	}
	if err != nil {
		return fmt.Errorf("reading %d bytes of data: %w", h.bytes, err)
	}
	return nil
}

// nothingAfter returns an error if r, which is after the data, is not at its end.
func (h *Header) nothingAfter(r io.Reader) error {
	var extra [1]byte
	switch _, err := io.ReadFull(r, extra[:]); err {
	case io.EOF:
		return nil
	case nil:
		return h.wrongLength(h.bytes+1, " or more")
	default:
		return fmt.Errorf("looking for the end of the data: %w", err)
	}
}

func (h *Header) wrongLength(have int64, more string) error {
	err := fmt.Errorf("shape %s of %q takes %d bytes of data, but the file has %d%s", tuple(h.Dims), h.Descr, h.bytes, have, more)
	if have < h.bytes {
		return fmt.Errorf("%w: %w", err, io.ErrUnexpectedEOF)
	}
	return err
}

// swap reverses the bytes of every number in place. A complex number is two numbers.
func swap(data []byte, t dtype.Type) {
	size := t.Size()
	if t.IsComplex() {
		size /= 2
	}
	for i := 0; i < len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// rowMajor returns column-major data of the given shape in row-major order.
func rowMajor(data []byte, dims []int64, size int) []byte {
	if len(dims) < 2 || len(data) == 0 {
		return data
	}
	strides := make([]int, len(dims))
	step := size
	for i, d := range dims {
		strides[i] = step
		step *= int(d)
	}
	out := make([]byte, 0, len(data))
	index := make([]int64, len(dims))
	pos := 0
	for len(out) < len(data) {
		out = append(out, data[pos:pos+size]...)
		// Increment the last index. An index that reaches its dimension goes back to 0 and carries.
		for axis := len(dims) - 1; axis >= 0; axis-- {
			index[axis]++
			pos += strides[axis]
			if index[axis] < dims[axis] {
				break
			}
			pos -= strides[axis] * int(dims[axis])
			index[axis] = 0
		}
	}
	return out
}
