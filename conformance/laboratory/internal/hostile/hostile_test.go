// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/internal/growth"
)

func TestReadersTakeStepsInProportionToTheirInput(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it compiles everything once more, to count steps")
	}
	// Results are large structs: of few of them a list takes jumps as it grows.
	assert.NoError(t, growth.Steps("-size", "8192"))
}

func TestReadersNeedAtMostTwentyTimesTheMemoryOfTheirInput(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	assert.NoError(t, growth.Memory("-only", "report.,lists.,callers."))
}
