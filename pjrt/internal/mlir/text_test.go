// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
)

// Any byte may be at any place, and the spaces of text beside it.
func TestTextHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	const size = 19
	for _, around := range []byte{'a', '\n', ' ', '~'} {
		for at := range size {
			for c := range 256 {
				text := bytes.Repeat([]byte{around}, size)
				text[at] = byte(c)
				want := c >= ' ' && c < 0x7f || bytes.IndexByte([]byte("\n\t\r\f"), byte(c)) >= 0
				assert.Equal(t, want, mlir.IsText(text), "%#x at %d of %q", c, at, around)
			}
		}
	}
	assert.True(t, mlir.IsText(nil))
	assert.True(t, mlir.IsText([]byte("// größer als 世界\nmodule {}")))
	assert.False(t, mlir.IsText([]byte("// größer als 世界\x00module {}")))
	assert.False(t, mlir.IsText([]byte("ML\xefR")), "bytecode")
}
