// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// What is in this file ends the process while the program is read, or HLO is made of it, which all
// of XLA's compilers do in the same way.

// Cast is the name of an operation of MLIR that HLO does not have.
const Cast = "unrealized_conversion_cast"

// HugeStride is in the bytecode of all modules with a stride that checkSlice refuses.
const HugeStride = "\xff\xff\x7f"

// checkRead refuses what ends the process wherever it is in the program.
func checkRead(o *Op, c Compiler) error {
	switch {
	case o.Name == Cast:
		return checkCast(o)
	case o.Name == "top_k" || o.Name == "topk":
		if k := o.number("k", 0); k < 0 {
			return fmt.Errorf("the program has a %s with a k of %d, and compilers would end the process: make k the number of elements to find", o.Name, k)
		}
	case c.Minor >= after81 && IsBroadcast(o.Name):
		for _, d := range o.Attributes["broadcast_dimensions"].Numbers {
			if d < 0 {
				return fmt.Errorf("the program has a %s with the broadcast dimension %d, and the compiler would end the process: count dimensions from 0",
					o.Name, d)
			}
		}
	}
	return nil
}

// IsBroadcast reports whether an operation of CHLO has a name and attributes like broadcast_add.
func IsBroadcast(name string) bool {
	return strings.HasPrefix(name, "broadcast_") && name != "broadcast_in_dim"
}

// checkPolygamma refuses polygamma functions of integers, which the compiler does not expect.
func checkPolygamma(o *Op) error {
	if o.Name != "broadcast_polygamma" {
		return nil
	}
	for _, v := range o.Operands {
		if e := strings.TrimPrefix(v.Type.Element, "u"); strings.HasPrefix(e, "i") {
			return fmt.Errorf("the program has a broadcast_polygamma of type %s, and the compiler would end the process: convert it to f32", v.Type.Element)
		}
	}
	return nil
}

// checkCast refuses casts of nothing, which stay until the compiler looks for what they cast.
func checkCast(o *Op) error {
	if len(o.Operands) > 0 {
		return nil
	}
	return errors.New("the program has an unrealized_conversion_cast of nothing, and the compiler would end the process: leave it out")
}

// StrideOverflows reports whether a compiler that counts the elements of a slice, and adds the
// stride to round up, gets a number beyond 64 bits.
func StrideOverflows(start, limit, stride int64) bool {
	return start >= 0 && limit > start && stride > math.MaxInt64-(limit-start-1)
}

// checkSlice refuses a stride for which the compiler's number of elements, rounded up, overflows.
func checkSlice(o *Op) error {
	if len(o.Operands) == 0 || o.Name != "slice" && o.Name != "real_dynamic_slice" {
		return nil
	}
	rank := len(o.Operands[0].Type.Dims)
	of := func(operand int, name string) []int64 {
		if o.Name == "slice" {
			return o.numbers(name, rank, 1)
		}
		if operand < len(o.Operands) && o.Operands[operand].Op != nil && o.Operands[operand].Op.Name == "constant" {
			return o.Operands[operand].Op.numbers("value", rank, 1)
		}
		return make([]int64, rank)
	}
	starts, limits, strides := of(1, "start_indices"), of(2, "limit_indices"), of(3, "strides")
	for i, start := range starts {
		if StrideOverflows(start, limits[i], strides[i]) {
			return fmt.Errorf("a %s in the program has a stride of %d along dimension %d, and compilers would end the process: a stride of %d takes "+
				"the same elements", o.Name, strides[i], i, limits[i]-start)
		}
	}
	return nil
}

// every calls fn with all operations, of functions that nothing calls, too.
func (m *Module) every(fn func(*Op) error) error {
	for _, name := range slices.Sorted(maps.Keys(m.Functions)) {
		if err := m.Functions[name].each(true, fn); err != nil {
			return err
		}
	}
	if m.Main == nil {
		return nil
	}
	return m.Main.each(true, fn)
}
