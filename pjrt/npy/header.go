// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/filetype"
)

// Header is what a .npy file says about its array.
type Header struct {
	// Descr is the file's own word for its elements, such as <f4.
	Descr string
	// Type is the element type, or [dtype.Invalid] if the elements are opaque words, which only the
	// caller can name.
	Type dtype.Type
	// Size is the number of bytes of one element.
	Size int
	// BigEndian says that numbers have their most significant byte first.
	BigEndian bool
	// Fortran says that the first index varies fastest.
	Fortran bool
	// Dims is the shape; it is empty for a scalar.
	Dims []int64

	// bytes is the length of the data, which is known to fit in memory.
	bytes int64
	// length is the number of bytes before the data.
	length int64
}

// Limits on what a file may ask for before it is checked. NumPy has at most 64 dimensions, and the
// header of an array of numbers with that many takes less than 2 KiB.
const (
	maxHeader = 1 << 16
	maxDims   = 64
)

// byteCount returns the bytes that an array takes. Like NumPy, it rejects a shape whose non-zero
// dimensions multiply to more than memory can hold, even if another dimension is zero.
func byteCount(dims []int64, size int) (int64, error) {
	n, empty := uint64(size), false
	for i, d := range dims {
		if d < 0 {
			return 0, fmt.Errorf("dimension %d of shape %s is negative", i, tuple(dims))
		}
		if d == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > math.MaxInt {
			return 0, fmt.Errorf("shape %s with elements of %d bytes is too large for memory", tuple(dims), size)
		}
		n = lo
	}
	if empty {
		return 0, nil
	}
	return int64(n), nil
}

// tuple writes dims as Python writes a tuple.
func tuple(dims []int64) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, d := range dims {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, d)
	}
	if len(dims) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
	return b.String()
}

const magic = "\x93NUMPY"

// ReadHeader reads the start of a .npy file of format version 1, 2 or 3, and stops where the data
// begins.
func ReadHeader(r io.Reader) (*Header, error) { return readHeader(outside.Reader(r)) }

func readHeader(r io.Reader) (*Header, error) {
	var pre [len(magic) + 2]byte
	if _, err := io.ReadFull(r, pre[:]); err != nil {
		return nil, fmt.Errorf("cannot read the .npy header: %w", ended(err))
	}
	if string(pre[:len(magic)]) != magic {
		return nil, otherFile(pre[:], r)
	}
	major, minor := pre[len(magic)], pre[len(magic)+1]
	width := 4
	switch {
	case major == 1 && minor == 0:
		width = 2
	case (major == 2 || major == 3) && minor == 0:
	default:
		return nil, fmt.Errorf(".npy format version %d.%d is unknown: 1.0, 2.0 and 3.0 can be read", major, minor)
	}
	var word [4]byte
	if _, err := io.ReadFull(r, word[:width]); err != nil {
		return nil, fmt.Errorf("cannot read the length of the .npy header: %w", ended(err))
	}
	n := binary.LittleEndian.Uint32(word[:])
	if n > maxHeader {
		return nil, fmt.Errorf(".npy header of %d bytes is too long: an array of numbers needs at most %d", n, maxHeader)
	}
	text := make([]byte, n)
	if m, err := io.ReadFull(r, text); err != nil {
		return nil, fmt.Errorf(".npy header stops after %d of %d bytes: %w", m, n, ended(err))
	}
	h, err := parseHeader(string(text))
	if err != nil {
		return nil, err
	}
	h.length = int64(len(pre)+width) + int64(n)
	return h, nil
}

// otherFile is the error for a file that is no .npy file, and begins with pre; r has the rest.
func otherFile(pre []byte, r io.Reader) error {
	start := make([]byte, 512)
	n, _ := io.ReadFull(r, start[copy(start, pre):])
	switch kind := filetype.Of(start[:len(pre)+n]); {
	case bytes.HasPrefix(pre, []byte("PK\x03\x04")):
		return errors.New("not a .npy file but a zip archive: if it is NumPy's .npz, read it with OpenArchive")
	case kind != "":
		return errors.New("not a .npy file but " + kind)
	}
	return fmt.Errorf("not a .npy file: it starts with %q instead of %q", pre[:len(magic)], magic)
}

// ended turns io.EOF into io.ErrUnexpectedEOF, because here the end of the input means that the
// file was cut off.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func parseHeader(text string) (*Header, error) {
	p := &literal{text: text}
	d, err := p.dict()
	if err != nil {
		return nil, fmt.Errorf(".npy header %q: %w", excerpt.Of(text), err)
	}
	h := new(Header)
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if _, ok := d[key]; !ok {
			return nil, fmt.Errorf(".npy header %q has no %q", excerpt.Of(text), key)
		}
	}
	if len(d) != 3 {
		return nil, fmt.Errorf(".npy header %q has other keys than descr, fortran_order and shape", excerpt.Of(text))
	}
	if _, ok := d["descr"].([]any); ok {
		return nil, errors.New("the array has structured elements (several named fields): save each field as a separate array")
	}
	descr, ok := d["descr"].(string)
	if !ok {
		return nil, fmt.Errorf(".npy header: descr is %s, not a string", shown(d["descr"]))
	}
	if err := h.describe(descr); err != nil {
		return nil, err
	}
	if h.Fortran, ok = d["fortran_order"].(bool); !ok {
		return nil, fmt.Errorf(".npy header: fortran_order is %s, not True or False", shown(d["fortran_order"]))
	}
	dims, ok := d["shape"].([]any)
	if !ok {
		return nil, fmt.Errorf(".npy header: shape is %s, not a tuple", shown(d["shape"]))
	}
	if len(dims) > maxDims {
		return nil, fmt.Errorf(".npy header: shape has %d dimensions, more than the %d that NumPy has", len(dims), maxDims)
	}
	h.Dims = make([]int64, len(dims))
	for i, v := range dims {
		if h.Dims[i], ok = v.(int64); !ok {
			return nil, fmt.Errorf(".npy header: dimension %d of shape is %s, not an integer", i, shown(v))
		}
	}
	h.bytes, err = byteCount(h.Dims, h.Size)
	return h, err
}

// refused describes NumPy's kinds of elements that are not numbers.
var refused = map[byte]string{
	'O': "Python objects, which are pickled and can run code when loaded",
	'U': "unicode strings",
	'S': "byte strings",
	'a': "byte strings",
	'M': "dates",
	'm': "time differences",
	'T': "strings",
}

// letters are NumPy's codes of one letter for types whose size is the same on all machines.
var letters = map[string]string{
	"?": "b1", "b": "i1", "B": "u1", "h": "i2", "H": "u2", "i": "i4", "I": "u4", "q": "i8", "Q": "u8",
	"e": "f2", "f": "f4", "d": "f8", "F": "c8", "D": "c16",
}

// describe finds the element type behind a word such as <f4.
func (h *Header) describe(descr string) error {
	h.Descr = descr
	for _, t := range dtype.All() {
		if t.NumPy() != "" && t.NumPy() == descr {
			h.Type, h.Size = t, t.Size()
			return nil
		}
	}
	word := strings.TrimLeft(descr, "<>=|")
	order := descr[:len(descr)-len(word)]
	if len(order) > 1 || word == "" {
		return fmt.Errorf("unknown NumPy type %q", excerpt.Of(descr))
	}
	if what, ok := refused[word[0]]; ok {
		return fmt.Errorf("the elements (NumPy type %q) are %s: only arrays of numbers and bools can be read", excerpt.Of(descr), what)
	}
	if order != "" {
		h.BigEndian = order == ">"
	}
	if word[0] == 'V' {
		h.BigEndian = false // NumPy does not swap what it does not know
		n, err := strconv.ParseUint(word[1:], 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("unknown NumPy type %q", excerpt.Of(descr))
		}
		h.Size = int(n)
		return nil
	}
	if long, ok := letters[word]; ok {
		word = long
	}
	// float8_e5m2 is the only type for which ml_dtypes writes NumPy's kind f.
	if word == "f1" {
		h.Type, h.Size = dtype.F8E5M2, 1
		return nil
	}
	for _, t := range dtype.All() {
		if d := t.Descr(); d != "" && d[1] != 'V' && d[1:] == word {
			h.Type, h.Size = t, t.Size()
			return nil
		}
	}
	if word == "f16" || word == "f12" || word == "c32" || word == "c24" {
		return fmt.Errorf("NumPy type %q (long double) differs from machine to machine: save the array as float64 or complex128", descr)
	}
	return fmt.Errorf("unknown NumPy type %q", excerpt.Of(descr))
}

// shown returns a value in a header for an error.
func shown(v any) string { return excerpt.Of(fmt.Sprint(v)) }
