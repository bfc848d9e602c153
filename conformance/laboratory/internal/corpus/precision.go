// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"bytes"
	"regexp"
)

// product finds the operations that have a precision, and what is stated of each: the text
// between its name and its type.
var product = regexp.MustCompile(`(?s)\b(?:dot_general|dot|convolution|dynamic_conv)\b"?[ (](.*?) : \(`)

// reducedPrecision reports whether a device may multiply the f32 matrices of a program with
// fewer bits than f32 has, as GPUs and TPUs do: StableHLO promises more than the fastest
// product only for operands of the precision HIGHEST. Bytecode does not show it, and counts
// as reduced if it names such an operation.
func reducedPrecision(code []byte) bool {
	if !isText(string(code)) {
		return bytes.Contains(code, []byte("dot_general")) || bytes.Contains(code, []byte("convolution"))
	}
	for _, m := range product.FindAllSubmatch(code, -1) {
		if bytes.Count(m[1], []byte("HIGHEST")) < 2 {
			return true
		}
	}
	return false
}
