// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package vote

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/expect"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Ballot returns a text of a program with its inputs as constants and with its results in
// types that NumPy has.
func Ballot(p *expect.Program, text string) string {
	var args, types, results, lines, out, outTypes []string
	for i, in := range p.Inputs {
		args, types = append(args, fmt.Sprintf("%%a%d", i)), append(types, in.Type)
		lines = append(lines, fmt.Sprintf("%%a%d = stablehlo.constant %s : %s", i, in.Literal, in.Type))
	}
	for _, w := range p.Want {
		results = append(results, w.Type)
	}
	lines = append(lines, fmt.Sprintf("%%r:%d = func.call @program(%s) : (%s) -> (%s)", len(results), strings.Join(args, ", "),
		strings.Join(types, ", "), strings.Join(results, ", ")))
	give := func(name string, t dtype.Type, dims []int64) {
		out, outTypes = append(out, name), append(outTypes, check.Tensor(t, dims))
	}
	for i, w := range p.Want {
		as := carrier(w.Array.Type)
		to := check.Tensor(as, w.Dims)
		switch {
		case w.Array.Type.IsComplex():
			for _, part := range []string{"real", "imag"} {
				name := fmt.Sprintf("%%%s%d", part, i)
				lines = append(lines, fmt.Sprintf("%s = stablehlo.%s %%r#%d : (%s) -> %s", name, part, i, w.Type, to))
				give(name, as, w.Dims)
			}
		case as != w.Array.Type:
			name := fmt.Sprintf("%%o%d", i)
			lines = append(lines, fmt.Sprintf("%s = stablehlo.convert %%r#%d : (%s) -> %s", name, i, w.Type, to))
			give(name, as, w.Dims)
		default:
			give(fmt.Sprintf("%%r#%d", i), as, w.Dims)
		}
	}
	lines = append(lines, fmt.Sprintf("return %s : %s", strings.Join(out, ", "), strings.Join(outTypes, ", ")))
	text = strings.Replace(text, "func.func @main(", "func.func private @program(", 1)
	text = strings.TrimSuffix(strings.TrimSpace(text), "}")
	return fmt.Sprintf("%sfunc.func @main() -> (%s) {\n  %s\n}\n}\n", text, strings.Join(outTypes, ", "), strings.Join(lines, "\n  "))
}

// carrier returns the type in which a ballot returns values of type t. It can hold every
// value of t.
func carrier(t dtype.Type) dtype.Type {
	switch {
	case t == dtype.C128:
		return dtype.F64
	case t == dtype.C64, t.IsFloat() && t != dtype.F64:
		return dtype.F32
	case t == dtype.Pred:
		return dtype.U8
	case t.IsSubByte() && t.IsSigned():
		return dtype.S8
	case t.IsSubByte():
		return dtype.U8
	}
	return t
}

// Count reads the results of a ballot.
func Count(p *expect.Program, results [][]byte) ([]*array.Array, error) {
	var arrays []*array.Array
	next := func(n int) ([]byte, error) {
		if len(results) == 0 {
			return nil, fmt.Errorf("expected %d results, got too few", len(p.Want))
		}
		data := results[0]
		results = results[1:]
		if len(data) != n {
			return nil, fmt.Errorf("expected a result of %d bytes, got %d", n, len(data))
		}
		return data, nil
	}
	for _, w := range p.Want {
		t := w.Array.Type
		as := carrier(t)
		n := len(w.Data) / t.Size()
		data, err := next(n * as.Size())
		if err != nil {
			return nil, err
		}
		a := &array.Array{Type: t, Dims: w.Dims, Data: make([]byte, len(w.Data))}
		switch {
		case t.IsComplex():
			imag, err := next(n * as.Size())
			if err != nil {
				return nil, err
			}
			for i := range n {
				at := 2 * i * as.Size()
				copy(a.Data[at:], data[i*as.Size():(i+1)*as.Size()])
				copy(a.Data[at+as.Size():], imag[i*as.Size():(i+1)*as.Size()])
			}
		case t.IsSubByte() && !t.IsFloat():
			for i, b := range data {
				a.Data[i] = b & (1<<t.Bits() - 1)
			}
		case as == t || t == dtype.Pred:
			copy(a.Data, data)
		default:
			if err := narrow(a.Data, t, data); err != nil {
				return nil, err
			}
		}
		arrays = append(arrays, a)
	}
	return arrays, nil
}

// narrow converts F32 values to a type of fewer bits, which must be able to represent them.
func narrow(dst []byte, t dtype.Type, src []byte) error {
	if err := dtype.Convert(dst, t, src, dtype.F32); err != nil {
		return err
	}
	back := make([]byte, len(src))
	if err := dtype.Convert(back, dtype.F32, dst, t); err != nil {
		return err
	}
	for i := 0; i < len(src); i += 4 {
		x, y := math.Float32frombits(binary.LittleEndian.Uint32(src[i:])), math.Float32frombits(binary.LittleEndian.Uint32(back[i:]))
		if x != y && (x == x || y == y) {
			return fmt.Errorf("element %d: %v is not a value of %v", i/4, x, t)
		}
	}
	return nil
}
