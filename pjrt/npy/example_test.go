// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy_test

import (
	"bytes"
	"fmt"
	"os"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

func ExampleArray_Format() {
	a, err := npy.FromSlice([]float32{1, 2.5, -3, 1.0 / 3}, 2, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a)
	// Output:
	// [[ 1.          2.5       ]
	//  [-3.          0.33333334]]
}

func ExampleFprint() {
	a, err := npy.FromSlice([]float64{1, 0.5, 0.123, 2}, 2, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = npy.Fprint(os.Stdout, *a, npy.FormatOptions{Precision: 2})
	fmt.Println(err)
	// Output:
	// [[1.   0.5 ]
	//  [0.12 2.  ]]
	// <nil>
}

func ExampleReadAs() {
	a, err := npy.FromSlice([]dtype.BFloat16{dtype.Round[dtype.BFloat16](1.5), dtype.Round[dtype.BFloat16](-2)}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := npy.Write(&file, a); err != nil {
		fmt.Println(err)
		return
	}
	// The file holds words of two bytes and does not say that they are bf16.
	back, err := npy.ReadAs(&file, dtype.BF16)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(back.Type, back)
	// Output: bf16 [1.5 -2]
}

func ExampleArray_Cast() {
	a, err := npy.FromSlice([]float64{-1.5, 0, 300}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range []dtype.Type{dtype.S32, dtype.Pred, dtype.F8E4M3FN} {
		c, err := a.Cast(t)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t, c)
	}
	// Output:
	// i32 [ -1   0 300]
	// i1 [ True False  True]
	// f8E4M3FN [-1.5 0 288]
}
