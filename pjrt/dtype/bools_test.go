// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestTheFirstByteThatIsNoBoolIsFound(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 7, 8, 31, 32, 33, 64, 100} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i % 2)
		}
		require.NoError(t, dtype.CheckBools(data))
		for i := range data {
			for _, wrong := range []byte{2, 3, 128, 255} {
				was := data[i]
				data[i] = wrong
				err := dtype.CheckBools(data)
				require.ErrorContains(t, err, fmt.Sprintf("byte %d of the bools is %d", i, wrong))
				data[n-1] |= 4 // only the first is named
				err = dtype.CheckBools(data)
				assert.ErrorContains(t, err, fmt.Sprintf("byte %d of the bools is %d", i, data[i]))
				data[n-1], data[i] = byte((n-1)%2), was
			}
		}
	}
}

func BenchmarkCheckBools(b *testing.B) {
	data := make([]byte, 1<<24)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		_ = dtype.CheckBools(data)
	}
}
