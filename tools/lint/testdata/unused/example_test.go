// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package example

import "testing"

func TestForTests(t *testing.T) {
	if forTests() != 3 {
		t.Fail()
	}
}

func helper() {}
