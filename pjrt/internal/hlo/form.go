// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
)

// XLA makes an instruction of its message, and lets some passes look at it, before it checks what
// the message says. No compiler takes what is refused here: the others return an error.

const (
	instructionSlices = 17 // SliceDimensions
	instructionFFT    = 31
	instructionK      = 81
	fftTypes          = 4
)

// wrong returns an error for an instruction on which compilers end the process.
func (i *instruction) wrong(format string, args ...any) error {
	return fmt.Errorf("an instruction %s of the program %s, and compilers would end the process: correct the module",
		i.opcode, fmt.Sprintf(format, args...))
}

// formed are the opcodes that checkForm looks at.
var formed = map[string]bool{
	"partition-id": true, "replica-id": true, "recv": true, "tuple": true, "convolution": true, "fft": true, "topk": true, "slice": true,
	"sort": true,
}

// operated are the opcodes that checkOperated looks at.
var operated = map[string]bool{"dynamic-slice": true, "rng-bit-generator": true}

// checkInstruction returns an error for a HloInstructionProto with an opcode on which compilers end
// the process, whatever else is in the module. It adds the number of a parameter to those of its
// computation.
func checkInstruction(code, opcode []byte, parameters *[]int64) error {
	isParameter := string(opcode) == "parameter"
	if !isParameter && !formed[string(opcode)] {
		return nil
	}
	i, err := readInstruction(code)
	if err != nil {
		return err
	}
	if isParameter {
		*parameters = append(*parameters, i.parameter)
	}
	return i.checkForm()
}

func (i *instruction) checkForm() error {
	switch i.opcode {
	case "partition-id", "replica-id":
		if i.shape.Tuple || i.shape.Element != "ui32" || len(i.shape.Dims) != 0 {
			return i.wrong("does not state that its result is one u32")
		}
	case "recv":
		if !i.shape.Tuple {
			return i.wrong("states a result that is no tuple")
		}
	case "tuple":
		if !i.shape.Tuple || len(i.shape.Parts) != min(len(i.operands), dataflow.MaxParts) {
			return i.wrong("has %d operands and states other results", len(i.operands))
		}
	case "convolution":
		if len(i.operands) != 2 {
			return i.wrong("has %d operands in place of 2", len(i.operands))
		}
	case "fft":
		if i.fft < 0 || i.fft >= fftTypes {
			return i.wrong("has the type %d in place of 0 to 3", i.fft)
		}
	case "topk":
		if i.k < 0 {
			return i.wrong("has a k of %d", i.k)
		}
	case "sort":
		for _, array := range i.shape.Parts {
			if array.Element != "" && len(i.dimensions) > 0 && i.dimensions[0] >= int64(len(array.Dims)) {
				return i.wrong("sorts dimension %d of arrays that have %d", i.dimensions[0], len(array.Dims))
			}
		}
	case "slice":
		for _, s := range i.slices {
			if dataflow.StrideOverflows(s[1], s[2], s[3]) {
				return i.wrong("has a stride of %d", s[3])
			}
		}
	}
	return nil
}

// checkOperated returns an error for an instruction over which compilers for CPUs end the process,
// because it takes or makes something else than its operation does.
func (i *instruction) checkOperated(operands []*dataflow.Value) error {
	switch i.opcode {
	case "dynamic-slice":
		if len(operands) > 0 && (operands[0].Type.Tuple || operands[0].Type.Element == dtype.Token.String()) {
			return i.wrong("has an operand that is no array")
		}
	case "rng-bit-generator":
		if !i.shape.Tuple {
			return i.wrong("states its numbers as a result without its state")
		}
	}
	return nil
}

// checkWindow returns an error for a window that, or what it moves over, has an extent below 0 or
// too large for 64 bits.
func (i *instruction) checkWindow(operands []*dataflow.Value) error {
	if len(operands) == 0 {
		return nil
	}
	dims := operands[0].Type.Dims
	place := func(n int) int { return n }
	switch i.opcode {
	case "convolution":
		numbers, err := readNumbers(i.numbers)
		if err != nil {
			return err
		}
		place = func(n int) int { // of a spatial dimension in the input
			if n < len(numbers.Numbers)/2 {
				return int(numbers.Numbers[n])
			}
			return -1
		}
	case "reduce-window", "select-and-scatter":
	default:
		return nil
	}
	list, err := readDimensions(i.window, windowDimensions)
	if err != nil {
		return err
	}
	for n := range list[1].Numbers {
		size, low, high := list[1].Numbers[n], list[3].Numbers[n], list[4].Numbers[n]
		dilation, base := list[5].Numbers[n], list[6].Numbers[n]
		at := place(n)
		if at < 0 || at >= len(dims) || dims[at] < 0 {
			continue
		}
		if _, ok := dilated(size, dilation); !ok {
			return i.wrong("has a window of %d elements, dilated by %d", size, dilation)
		}
		extent, ok := dilated(dims[at], base)
		if !ok {
			return i.wrong("dilates %d elements by %d", dims[at], base)
		}
		if !isSum(extent, low, high) {
			return i.wrong("pads %d elements by %d and %d", extent, low, high)
		}
	}
	return nil
}

// dilated returns how far n elements reach if each is so many places after the one before. It
// reports false for more than 63 bits. Numbers that mean nothing are left to the compiler.
func dilated(n, by int64) (extent int64, ok bool) {
	if n <= 0 || by <= 0 {
		return n, true
	}
	high, low := bits.Mul64(uint64(n-1), uint64(by))
	return int64(low) + 1, high == 0 && low < math.MaxInt64
}

// isSum reports whether the sum of numbers is one of 63 bits.
func isSum(numbers ...int64) bool {
	sum := int64(0)
	for _, n := range numbers {
		if n > 0 && sum > math.MaxInt64-n || n < 0 && sum < math.MinInt64-n {
			return false
		}
		sum += n
	}
	return sum >= 0
}

// checkParameters returns an error for the numbers of the parameters of a computation if there is
// not one parameter of each number.
func checkParameters(numbers []int64) error {
	for _, n := range numbers {
		if n < 0 || n >= int64(len(numbers)) {
			return fmt.Errorf("a computation of the program has a parameter with the number %d and %d parameters, "+
				"and compilers would end the process: number them from 0", n, len(numbers))
		}
	}
	return nil
}

// local returns the part of the number of an instruction that compilers look at: above it may be
// the number of its computation.
func local(id int64) int64 { return int64(uint32(id)) }

// readSlices adds what a SliceDimensions says, by the numbers of its fields, to a list.
func readSlices(b []byte, list [][4]int64) ([][4]int64, error) {
	var s [4]int64
	err := readVarints(b, s[:])
	return append(list, s), err
}
