// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The checks of this package destroy what they make.
func TestChecksLeaveNothingBehind(t *testing.T) {
	assert.Greater(t, suite.RunForLeaks(t), 40)
}
