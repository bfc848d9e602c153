// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build special

package example

import "testing"

func TestWithTag(t *testing.T) {
	if withTag() != 5 {
		t.Fail()
	}
}
