// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Programs have constants of hundreds of megabytes.
func TestATextIsCopiedOnceOrNotAtAll(t *testing.T) {
	const size = 4 << 20 // in text, two digits a byte
	code := []byte(fmt.Sprintf(`func.func @main() -> tensor<%dxui8> {
  %%0 = stablehlo.constant dense<"0x%s"> : tensor<%dxui8>
  return %%0 : tensor<%dxui8>
}`, size, strings.Repeat("01", size), size, size))
	code = append(code, 0)[:len(code)]
	client := newClient(t)
	ending, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		code   []byte
		copies int
	}{
		"no end, and no zero byte behind the text": {context.Background(), code[:len(code):len(code)], 1},
		"no end, and a zero byte":                  {context.Background(), code, 0},
		"it can end":                               {ending, code, 1},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		exe, err := client.Compile(c.ctx, pjrt.Program{Code: c.code}, nil)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.NoError(t, exe.Close())
		allocated := int(after.TotalAlloc - before.TotalAlloc)
		assert.Equal(t, c.copies, (allocated+len(code)/2)/len(code), "%s: %d bytes for a program of %d", name, allocated, len(code))
	}
}
