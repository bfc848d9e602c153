// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy_test

import (
	"bytes"
	"fmt"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

func ExampleReadAs() {
	a := array.Of([]dtype.BFloat16{dtype.Round[dtype.BFloat16](1.5), dtype.Round[dtype.BFloat16](-2)})
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
