// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package example

import "testing"

func TestSystem(t *testing.T) {
	if system == "" {
		t.Error("the system has no name")
	}
}
