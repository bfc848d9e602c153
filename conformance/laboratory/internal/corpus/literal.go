// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// parseTensor reads tensor<2x3xf32>. Dynamic dimensions and element types that
// PJRT lacks are errors.
func parseTensor(text string) (dtype.Type, []int64, error) {
	inside, ok := strings.CutPrefix(strings.TrimSpace(text), "tensor<")
	inside, closed := strings.CutSuffix(inside, ">")
	if !ok || !closed {
		return 0, nil, fmt.Errorf("%q is not a tensor type", text)
	}
	if strings.Contains(inside, "!quant.") {
		return 0, nil, &Unusable{"one of its values has a quantized type, which buffers do not have"}
	}
	if at := strings.Index(inside, ","); at >= 0 {
		inside = inside[:at] // the encoding
	}
	dims := []int64{}
	for {
		n := 0
		for n < len(inside) && inside[n] >= '0' && inside[n] <= '9' {
			n++
		}
		switch {
		case strings.HasPrefix(inside, "?"), strings.HasPrefix(inside, "*"):
			return 0, nil, fmt.Errorf("%s has no fixed shape", text)
		case n == 0 || n == len(inside) || inside[n] != 'x':
			t, err := dtype.Parse(inside)
			if err == nil && t == dtype.Token {
				err = errors.New("a token has no elements")
			}
			if err != nil {
				return 0, nil, fmt.Errorf("%s: %w", text, err)
			}
			return t, dims, nil
		}
		d, err := strconv.ParseInt(inside[:n], 10, 64)
		if err != nil {
			return 0, nil, fmt.Errorf("%s: %w", text, err)
		}
		if len(dims) == maxRank {
			return 0, nil, fmt.Errorf("%q has more than %d dimensions", cut(text), maxRank)
		}
		dims = append(dims, d)
		inside = inside[n+1:]
	}
}

// maxRank limits the dimensions of a type, and so how deep the lists of a literal are nested.
const maxRank = 256

// maxLiteral limits the elements of a literal, in case its type is nonsense.
const maxLiteral = 1 << 28

// parseDense reads the body of a dense literal of a type. It reads splats, nested lists,
// complex pairs, bit patterns in hexadecimal and strings of bytes.
func parseDense(body string, t dtype.Type, dims []int64) (*array.Array, error) {
	n := int64(1)
	for _, d := range dims {
		if n *= d; n > maxLiteral || n < 0 {
			return nil, fmt.Errorf("a literal of %s is too large", tensor(t, dims))
		}
	}
	a := &array.Array{Type: t, Dims: dims, Data: make([]byte, 0, n*int64(t.Size()))}
	body = strings.TrimSpace(body)
	var err error
	switch {
	case body == "":
		if n != 0 {
			err = fmt.Errorf("it is empty, and %s has %d elements", tensor(t, dims), n)
		}
		return a, err
	case strings.HasPrefix(body, `"`):
		if a.Data, err = blob(body, t, int(n)); err != nil {
			return nil, err
		}
		return a, nil
	}
	l := &literal{text: body, t: t}
	if body[0] == '[' {
		a.Data, err = l.list(a.Data, dims)
	} else if a.Data, err = l.element(a.Data); err == nil { // a splat
		one := a.Data
		a.Data = make([]byte, 0, n*int64(len(one)))
		for range n {
			a.Data = append(a.Data, one...)
		}
	}
	if err == nil && strings.TrimSpace(l.text) != "" {
		err = fmt.Errorf("%q is left after the elements", cut(l.text))
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

func cut(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// blob reads "0x0A0B...": the elements' bytes, or those of the one element that all equal.
// A bool is a byte or, as older releases wrote it, a bit.
func blob(body string, t dtype.Type, n int) ([]byte, error) {
	digits, ok := strings.CutPrefix(strings.Trim(body, `"`), "0x")
	if !ok {
		return nil, fmt.Errorf("%s is not a string of bytes", cut(body))
	}
	data, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cut(body), err)
	}
	size := t.Size()
	splat := func(one []byte) []byte {
		out := make([]byte, 0, n*size)
		for range n {
			out = append(out, one...)
		}
		return out
	}
	switch {
	case t == dtype.Pred && len(data) != n && len(data) == (n+7)/8 && len(data) > 1:
		out := make([]byte, n)
		for i := range out {
			out[i] = data[i/8] >> (i % 8) & 1
		}
		return out, nil
	case len(data) == size && t == dtype.Pred:
		if n > 1 && n <= 8 && data[0] != 0 && data[0] != 1 && data[0] != 0xFF {
			out := make([]byte, n)
			for i := range out {
				out[i] = data[0] >> i & 1
			}
			return out, nil
		}
		return splat([]byte{min(data[0], 1)}), nil
	case len(data) == n*size:
		if t == dtype.Pred {
			for i := range data {
				data[i] = min(data[i], 1)
			}
		}
		return data, nil
	case len(data) == size:
		return splat(data), nil
	}
	return nil, fmt.Errorf("it has %d bytes, and %d elements of %v have %d", len(data), n, t, n*size)
}

// literal holds the rest of a list of elements.
type literal struct {
	text string
	t    dtype.Type
}

func (l *literal) take(token byte) bool {
	l.text = strings.TrimLeft(l.text, " \t\r\n")
	if l.text == "" || l.text[0] != token {
		return false
	}
	l.text = l.text[1:]
	return true
}

// list reads the elements of an array with the given dimensions.
func (l *literal) list(data []byte, dims []int64) ([]byte, error) {
	if len(dims) == 0 {
		return l.element(data)
	}
	if !l.take('[') {
		return nil, fmt.Errorf("expected a list of %d, got %q", dims[0], cut(l.text))
	}
	var err error
	for i := range dims[0] {
		if i > 0 && !l.take(',') {
			return nil, fmt.Errorf("a list has %d elements, expected %d", i, dims[0])
		}
		if data, err = l.list(data, dims[1:]); err != nil {
			return nil, err
		}
	}
	if !l.take(']') {
		return nil, fmt.Errorf("a list of %d goes on with %q", dims[0], cut(l.text))
	}
	return data, nil
}

func (l *literal) element(data []byte) ([]byte, error) {
	if !l.t.IsComplex() {
		return scalar(data, l.t, l.word())
	}
	part := partOf(l.t)
	if !l.take('(') {
		return nil, fmt.Errorf("expected a pair, got %q", cut(l.text))
	}
	data, err := scalar(data, part, l.word())
	if err != nil {
		return nil, err
	}
	if !l.take(',') {
		return nil, fmt.Errorf("expected the imaginary part, got %q", cut(l.text))
	}
	if data, err = scalar(data, part, l.word()); err != nil {
		return nil, err
	}
	if !l.take(')') {
		return nil, fmt.Errorf("expected the end of a pair, got %q", cut(l.text))
	}
	return data, nil
}

// word takes the text before the next comma or bracket.
func (l *literal) word() string {
	at := strings.IndexAny(l.text, ",)]")
	if at < 0 {
		at = len(l.text)
	}
	w := strings.TrimSpace(l.text[:at])
	l.text = l.text[at:]
	return w
}

// scalar appends an element that is not complex.
func scalar(data []byte, t dtype.Type, word string) ([]byte, error) {
	size := t.Size()
	bits := func(x uint64) []byte {
		for i := range size {
			data = append(data, byte(x>>(8*i)))
		}
		return data
	}
	pattern, isHex := strings.CutPrefix(word, "0x")
	switch {
	case t == dtype.Pred:
		switch word {
		case "true", "1":
			return append(data, 1), nil
		case "false", "0":
			return append(data, 0), nil
		}
		return nil, fmt.Errorf("%q is not a bool", word)
	case isHex && t.IsFloat():
		x, err := strconv.ParseUint(pattern, 16, t.Bits())
		if err != nil {
			return nil, fmt.Errorf("%q is not a bit pattern of %v", word, t)
		}
		return bits(x), nil
	case t.IsFloat():
		x, err := strconv.ParseFloat(word, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, fmt.Errorf("%q is not a number", word)
		}
		return roundTo(data, t, word, x)
	}
	x, ok := new(big.Int).SetString(word, 0)
	limit := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	if !ok || x.Cmp(limit) >= 0 || new(big.Int).Neg(x).Cmp(limit) > 0 {
		return nil, fmt.Errorf("%q is not a value of %v", word, t)
	}
	if x.Sign() < 0 {
		x.Add(x, new(big.Int).Lsh(big.NewInt(1), 64))
	}
	v := x.Uint64()
	if t.IsSubByte() {
		v &= 1<<t.Bits() - 1
	}
	return bits(v), nil
}

// roundTo appends a decimal number as a float of the type.
func roundTo(data []byte, t dtype.Type, word string, x float64) ([]byte, error) {
	if t == dtype.F32 {
		// Directly to the type: through float64 it would be rounded twice.
		f, err := strconv.ParseFloat(word, 32)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, err
		}
		b := math.Float32bits(float32(f))
		return append(data, byte(b), byte(b>>8), byte(b>>16), byte(b>>24)), nil
	}
	wide := make([]byte, 8)
	for i := range wide {
		wide[i] = byte(math.Float64bits(x) >> (8 * i))
	}
	one := make([]byte, t.Size())
	if err := dtype.Convert(one, t, wide, dtype.F64); err != nil {
		return nil, err
	}
	return append(data, one...), nil
}

// printDense is the reverse of parseDense: it returns dense<...>, with floats as bits.
func printDense(a *array.Array) string {
	if a.Len() == 0 {
		return "dense<>"
	}
	var b strings.Builder
	b.WriteString("dense<")
	printList(&b, a, 0, 0)
	b.WriteString(">")
	return b.String()
}

func printList(b *strings.Builder, a *array.Array, d, at int) {
	if d == len(a.Dims) {
		size := a.Type.Size()
		one := a.Data[at*size : (at+1)*size]
		switch {
		case a.Type == dtype.Pred:
			b.WriteString(strconv.FormatBool(one[0] != 0))
		case a.Type.IsComplex():
			fmt.Fprintf(b, "(%s, %s)", bitsOf(one[:size/2]), bitsOf(one[size/2:]))
		case a.Type.IsFloat():
			b.WriteString(bitsOf(one))
		default:
			b.WriteString(element(a, at))
		}
		return
	}
	stride := 1
	for _, n := range a.Dims[d+1:] {
		stride *= int(n)
	}
	b.WriteByte('[')
	for i := range int(a.Dims[d]) {
		if i > 0 {
			b.WriteString(", ")
		}
		printList(b, a, d+1, at+i*stride)
	}
	b.WriteByte(']')
}

// bitsOf formats little-endian bytes as one number.
func bitsOf(data []byte) string {
	var b strings.Builder
	b.WriteString("0x")
	for i := len(data) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "%02X", data[i])
	}
	return b.String()
}
