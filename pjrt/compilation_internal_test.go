// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The memory of the programs is never written, so it takes no room.
func TestAProgramThatIsTooLargeSaysSo(t *testing.T) {
	const note = "the program has 2147483648 bytes, and messages of XLA at most 2147483647: pass large constants as arguments"
	code := make([]byte, math.MaxInt32+1)
	code[0] = 'x'
	_, err := Program{Code: code, Format: FormatHLO}.parse()
	require.EqualError(t, err, "INVALID_ARGUMENT: "+note)
	_, err = Program{Code: code[:math.MaxInt32], Format: FormatHLO}.parse()
	require.NoError(t, err)
	c := &compilation{code: code}
	err = c.explain(&Plugin{}, &Error{Code: ErrInternal, Message: "Failed to serialize the module"})
	require.EqualError(t, err, "INTERNAL: Failed to serialize the module: "+note)
	c.code = code[:math.MaxInt32]
	refused := &Error{Code: ErrInternal, Message: "Failed to serialize the module"}
	assert.Equal(t, refused, c.explain(&Plugin{}, refused))
}

// Whoever has the memory behind a program may write there while a plugin reads the program.
func TestOnlyAZeroByteOfTheProgramsOwnMemoryEndsIt(t *testing.T) {
	page := make([]byte, 16<<10)
	filled := []byte("moduleX")
	for name, c := range map[string]struct {
		code []byte
		want bool
	}{
		"a zero byte behind it":         {page[:100:101], true},
		"a file, as os.ReadFile has it": {append(make([]byte, 0, 512), "module"...), true},
		"nothing behind it":             {page[:100:100], false},
		"another byte behind it":        {filled[:6], false},
		"much memory behind it":         {page[:100], false},
		"empty":                         {nil, false},
	} {
		assert.Equal(t, c.want, isTerminated(c.code), name)
	}
}
