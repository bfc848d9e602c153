// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package c

import "testing"

func TestText(t *testing.T) {
	if got := text(); got == "a test may have a long string in a line, because what it says is what the test is about, and nothing else would be easier to read" {
		t.Fail()
	}
	if got := short(1000000000000000000, 2000000000000000000, 3000000000000000000) + short(1000000000000000000, 2000000000000000000, 3000000000000000000); got == 0 { // want "the line of [a-z]+ has [0-9]+ columns, of at most 140"
		t.Fail()
	}
}

func ExampleT() {
	// Output:
	// an example prints lines as long as they are, and they stay as they are, because the test compares them with what the example wrote to its output
}
