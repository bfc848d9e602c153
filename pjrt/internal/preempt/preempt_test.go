// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package preempt

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The results are those of package bytes, wherever the steps end.
func TestStepsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, step - 1, step, step + 1, 2 * step, 2*step + 7} {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(i % 251)
		}
		assert.True(t, bytes.Equal(b, Clone(b)), size)
		dst := make([]byte, size+3)
		Copy(dst, b)
		assert.True(t, bytes.Equal(b, dst[:size]), size)
		var w bytes.Buffer
		require.NoError(t, Write(&w, b))
		assert.True(t, bytes.Equal(b, w.Bytes()), size)
		assert.Equal(t, -1, IndexByte(b, 255), size)
		assert.False(t, Contains(b, []byte("\xfe\xff")), size)
		assert.Equal(t, bytes.Contains(b, nil), Contains(b, nil), size)
		for _, at := range []int{0, 1, step - 2, step - 1, step, step + 1, 2*step - 1, size - 2, size - 1} {
			if at < 0 || at >= size {
				continue
			}
			old := b[at]
			b[at] = 255
			assert.Equal(t, at, IndexByte(b, 255), "%d of %d", at, size)
			assert.True(t, Contains(b, []byte{255}), "%d of %d", at, size)
			if at+1 < size {
				part := bytes.Clone(b[at : at+2])
				assert.True(t, Contains(b, part), "%d of %d", at, size)
				b[at+1]++
				assert.False(t, Contains(b, part), "%d of %d", at, size)
				b[at+1]--
			}
			b[at] = old
		}
	}
}

type brokenWriter struct{ n int }

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.n--; w.n < 0 {
		return 0, errors.New("no room")
	}
	return len(b), nil
}

func TestAnErrorEndsTheWriting(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		require.ErrorContains(t, Write(&brokenWriter{n}, make([]byte, 2*step+1)), "no room")
	}
	require.NoError(t, Write(&brokenWriter{3}, make([]byte, 2*step+1)))
}
