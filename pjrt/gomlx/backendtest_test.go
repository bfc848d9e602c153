// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"testing"

	"github.com/gomlx/compute/support/backendtest"
)

// GoMLX's own suite says what a backend must do.
func TestTheBackendCompliesWithGoMLXsSuite(t *testing.T) {
	t.Parallel()
	backendtest.RunAll(t, open(t, ",dynamic=true"), nil)
}
