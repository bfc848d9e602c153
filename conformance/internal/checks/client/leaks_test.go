// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What the checks of this package make of a plugin, they destroy.
func TestChecksLeaveNothingBehind(t *testing.T) {
	assert.Greater(t, suite.RunForLeaks(t), 60)
}
