// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package array

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// FormatOptions say how to print an array. A zero field means NumPy's default.
type FormatOptions struct {
	// Precision is how many digits after the point are printed at most. 0 means 8, and a negative
	// number means none.
	Precision int
	// Threshold is how many elements an array has at most that is printed whole. 0 means 1000, and
	// a negative number means any number.
	Threshold int
	// EdgeItems is how many elements at each end of a dimension an abbreviated array shows. 0
	// means 3.
	EdgeItems int
	// LineWidth is the column at which a row is wrapped. 0 means 75.
	LineWidth int
}

func (o FormatOptions) withDefaults() FormatOptions {
	set := func(v *int, zero, negative int) {
		switch {
		case *v == 0:
			*v = zero
		case *v < 0:
			*v = negative
		}
	}
	set(&o.Precision, 8, 0)
	set(&o.Threshold, 1000, int(^uint(0)>>1))
	set(&o.EdgeItems, 3, 0)
	set(&o.LineWidth, 75, 0)
	return o
}

// String returns the array as NumPy's print shows it, or in angle brackets what [Array.Check] says
// is wrong with it. [Array.Format] prints with other precisions and widths.
func (a Array) String() string {
	if err := a.Check(); err != nil {
		return "<" + err.Error() + ">"
	}
	return format(a, FormatOptions{})
}

// Format writes the array to w as NumPy's print shows it, without a newline at the end. Numbers of
// NumPy's own types have the fewest digits that identify them, and are aligned in columns. Numbers
// of ml_dtypes have up to 6 digits and are not aligned. Long arrays are abbreviated. An array
// without elements is written as [].
func (a Array) Format(w io.Writer, o FormatOptions) error {
	if err := a.Check(); err != nil {
		return err
	}
	if w == nil {
		return errors.New("there is no writer to print the array to: it is nil")
	}
	_, err := io.WriteString(w, format(a, o))
	return err
}

// format prints an array whose data fits its shape.
func format(a Array, o FormatOptions) string {
	o = o.withDefaults()
	switch {
	case a.Len() == 0:
		return "[]"
	case len(a.Dims) == 0:
		return scalar(a)
	}
	p := printer{dims: a.Dims, edge: int64(o.EdgeItems)}
	p.short = a.Len() > o.Threshold
	p.words = words(p.shown(a), o.Precision)
	return p.list(0, " ", o.LineWidth)
}

// printer lays words out in nested brackets.
type printer struct {
	dims  []int64
	edge  int64
	short bool     // dimensions of more than twice edge are abbreviated
	words []string // of the shown elements, in order; consumed from the front
}

// ends returns how many elements of a dimension are shown before and after the dots. Without dots,
// all count as after.
func (p *printer) ends(axis int) (lead, trail int64, dots bool) {
	if d := p.dims[axis]; !p.short || (d+1)/2 <= p.edge { // 2 * edge could overflow
		return 0, d, false
	}
	return p.edge, p.edge, true
}

// shown returns the elements that are printed, as an array of one dimension.
func (p *printer) shown(a Array) Array {
	if !p.short {
		return Array{Type: a.Type, Dims: []int64{int64(a.Len())}, Data: a.Data}
	}
	size := int64(a.Type.Size())
	s := Array{Type: a.Type}
	var walk func(axis int, data []byte)
	walk = func(axis int, data []byte) {
		if axis == len(p.dims) {
			s.Data = append(s.Data, data[:size]...)
			return
		}
		n := p.dims[axis]
		step := int64(len(data)) / n
		lead, trail, _ := p.ends(axis)
		for i := range lead {
			walk(axis+1, data[i*step:(i+1)*step])
		}
		for i := n - trail; i < n; i++ {
			walk(axis+1, data[i*step:(i+1)*step])
		}
	}
	walk(0, a.Data)
	s.Dims = []int64{int64(len(s.Data)) / size}
	return s
}

// list prints one bracket of the dimension axis. The lines after the first start with indent; a
// line has width columns, less one for each bracket that closes after it.
func (p *printer) list(axis int, indent string, width int) string {
	lead, trail, dots := p.ends(axis)
	var b strings.Builder
	if axis == len(p.dims)-1 {
		line := indent
		add := func(word string) {
			if len(line)+len(word) > width-1 && len(line) > len(indent) {
				b.WriteString(strings.TrimRight(line, " "))
				b.WriteByte('\n')
				line = indent
			}
			line += word
		}
		for range lead {
			add(p.next())
			line += " "
		}
		if dots {
			add("...")
			line += " "
		}
		for i := range trail {
			add(p.next())
			if i < trail-1 {
				line += " "
			}
		}
		if trail == 0 {
			line = strings.TrimSuffix(line, " ")
		}
		b.WriteString(line)
	} else {
		gap := strings.Repeat("\n", len(p.dims)-axis-1)
		for range lead {
			b.WriteString(indent + p.list(axis+1, indent+" ", width-1) + gap)
		}
		if dots {
			b.WriteString(indent + "..." + gap)
		}
		for i := range trail {
			b.WriteString(indent + p.list(axis+1, indent+" ", width-1))
			if i < trail-1 {
				b.WriteString(gap)
			}
		}
	}
	return "[" + strings.TrimPrefix(b.String(), indent) + "]"
}

func (p *printer) next() string {
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

// words returns the text of each element of a non-empty array of one dimension, padded to align
// where NumPy does.
func words(a Array, precision int) []string {
	out := make([]string, a.Len())
	switch {
	case a.Type == dtype.Pred:
		for i, b := range a.Data {
			out[i] = "False"
			if b != 0 {
				out[i] = " True"
			}
		}
	case foreign(a.Type):
		for i, x := range convert[float64](a) {
			out[i] = foreignText(x)
		}
	case a.Type.IsInteger():
		width := 0
		for i, s := range integers(a) {
			out[i] = s
			width = max(width, len(s))
		}
		for i, s := range out {
			out[i] = strings.Repeat(" ", width-len(s)) + s
		}
	case a.Type.IsComplex():
		re, im, bits := parts(a)
		fr := newFloatFormat(re, bits, precision, false)
		fi := newFloatFormat(im, bits, precision, true)
		for i := range out {
			// The j goes before the spaces that pad the imaginary part.
			part := fi.word(im[i])
			number := strings.TrimRight(part, " ")
			out[i] = fr.word(re[i]) + number + "j" + part[len(number):]
		}
	default:
		x := convert[float64](a)
		f := newFloatFormat(x, a.Type.Bits(), precision, false)
		for i := range out {
			out[i] = f.word(x[i])
		}
	}
	return out
}

// foreign reports whether NumPy knows t only through ml_dtypes, which then prints the elements.
func foreign(t dtype.Type) bool {
	return strings.HasSuffix(t.Descr(), "V1") || strings.HasSuffix(t.Descr(), "V2")
}

// convert returns the elements of a as another type. Callers must ask only for possible casts.
func convert[T dtype.Elem](a Array) []T {
	s := make([]T, a.Len())
	if err := dtype.Convert(dtype.Bytes(s), dtype.Of[T](), a.Data, a.Type); err != nil {
		panic(fmt.Sprintf("array: %v", err))
	}
	return s
}

// parts returns the real and imaginary parts of a complex array, and their width.
func parts(a Array) (re, im []float64, bits int) {
	z := convert[complex128](a)
	re, im = make([]float64, len(z)), make([]float64, len(z))
	for i, v := range z {
		re[i], im[i] = real(v), imag(v)
	}
	return re, im, a.Type.Bits() / 2
}

func integers(a Array) []string {
	out := make([]string, a.Len())
	if a.Type.IsSigned() {
		for i, v := range convert[int64](a) {
			out[i] = strconv.FormatInt(v, 10)
		}
	} else {
		for i, v := range convert[uint64](a) {
			out[i] = strconv.FormatUint(v, 10)
		}
	}
	return out
}
