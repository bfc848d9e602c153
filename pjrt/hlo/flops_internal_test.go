// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The pairs are counted without trying each.
func TestProductsOfAWindow(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		w := WindowDimension{
			Stride: 1 + random.Int64N(5), WindowDilation: 1 + random.Int64N(5), BaseDilation: 1 + random.Int64N(5), PaddingLow: random.Int64N(12) - 4,
		}
		input, kernel, places := random.Int64N(9), random.Int64N(9), random.Int64N(9)
		want := int64(0)
		for place := range places {
			for tap := range kernel {
				at := place*w.Stride + tap*w.WindowDilation - w.PaddingLow
				if at >= 0 && at%w.BaseDilation == 0 && at/w.BaseDilation < input {
					want++
				}
			}
		}
		require.Equal(t, want, w.products(input, kernel, places), "%+v over %d, %d, %d", w, input, kernel, places)
	}
	w := WindowDimension{Stride: math.MaxInt64, WindowDilation: 1, BaseDilation: 1, PaddingLow: math.MinInt64}
	require.Equal(t, int64(12), w.products(3, 3, 4), "numbers that no program has")
}
