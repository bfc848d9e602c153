// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype_test

import (
	"fmt"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func ExampleParse() {
	for _, s := range []string{"f32", "s32", "bfloat16", "i1"} {
		t, err := dtype.Parse(s)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t, t.XLA(), t.NumPy(), t.Size())
	}
	// Output:
	// f32 F32 float32 4
	// i32 S32 int32 4
	// bf16 BF16 bfloat16 2
	// i1 PRED bool 1
}

func ExampleRound() {
	// A number between two values of the type is rounded to the nearer one. In this type, numbers
	// too large become NaN.
	for _, x := range []float64{0.3, 448, 1000} {
		fmt.Println(dtype.Round[dtype.Float8E4M3FN](x))
	}
	// Output:
	// 0.3125
	// 448
	// nan
}

func ExampleWrap() {
	fmt.Println(dtype.Wrap[dtype.Int4](7), dtype.Wrap[dtype.Int4](8), dtype.Wrap[dtype.Uint2](5))
	// Output: 7 -8 1
}

func ExampleConvert() {
	src := []float32{1.5, -2.25, 3}
	dst := make([]dtype.BFloat16, len(src))
	if err := dtype.Convert(dtype.Bytes(dst), dtype.BF16, dtype.Bytes(src), dtype.F32); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dst)
	// Output: [1.5 -2.25 3]
}

func ExampleOf() {
	fmt.Println(dtype.Of[float32](), dtype.Of[bool](), dtype.Of[dtype.Int4]())
	// Output: f32 i1 i4
}
