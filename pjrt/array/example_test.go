// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package array_test

import (
	"fmt"
	"os"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func ExampleArray() {
	a := array.Of([]float32{1, 2.5, -3, 1.0 / 3}, 2, 2)
	fmt.Println(a.Shape())
	fmt.Println(a)
	// Output:
	// f32[2,2]
	// [[ 1.          2.5       ]
	//  [-3.          0.33333334]]
}

func ExampleDims() {
	shape := []int{2, 3}
	a := array.Of(make([]float32, 6), array.Dims[int64](shape)...)
	fmt.Println(a.Shape())
	shape = array.Dims[int](a.Dims)
	fmt.Println(shape)
	// Output:
	// f32[2,3]
	// [2 3]
}

func ExampleArray_Format() {
	a := array.Of([]float64{1, 0.5, 0.123, 2}, 2, 2)
	if err := a.Format(os.Stdout, array.FormatOptions{Precision: 2}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [[1.   0.5 ]
	//  [0.12 2.  ]]
}

func ExampleArray_Cast() {
	a := array.Of([]float64{-1.5, 0, 300})
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
