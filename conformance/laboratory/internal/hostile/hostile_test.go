// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hostile_test

import (
	"testing"

	"github.com/purepjrt/purepjrt/internal/growth/growthtest"
)

// Results are large structs: of few of them a list takes jumps as it grows.
func TestReadersTakeStepsInProportionToTheirInput(t *testing.T) {
	growthtest.Steps(t, "./growth", "-size", "8192")
}

func TestReadersNeedAtMostTwentyTimesTheMemoryOfTheirInput(t *testing.T) {
	for _, reader := range []string{"report.", "lists.", "callers."} {
		t.Run(reader, func(t *testing.T) { growthtest.Memory(t, "./growth", "-only", reader) })
	}
}
