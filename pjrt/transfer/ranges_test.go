// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRangesAreTheBytesThatWereAdded(t *testing.T) {
	const size = 24
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var got ranges
		var want [size]bool
		for range 8 {
			from := r.Int64N(size)
			to := from + r.Int64N(size+1-from)
			before := got.with(0, 0)
			next := got.with(from, to)
			require.Equal(t, before, got, "with leaves its receiver as it is")
			got = next
			for i := from; i < to; i++ {
				want[i] = true
			}
			var have [size]bool
			for i, x := range got {
				require.Less(t, x.from, x.to)
				if i > 0 {
					require.Greater(t, x.from, got[i-1].to, "ranges are apart")
				}
				for j := x.from; j < x.to; j++ {
					have[j] = true
				}
			}
			require.Equal(t, want, have)
			at, whole := got.gap(size)
			require.Equal(t, want == [size]bool{
				true, true, true, true, true, true, true, true, true, true, true, true,
				true, true, true, true, true, true, true, true, true, true, true, true,
			}, whole)
			if !whole {
				require.False(t, want[at])
			}
		}
	}
}
