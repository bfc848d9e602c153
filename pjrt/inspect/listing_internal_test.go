// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheListingOfAProgramEnds(t *testing.T) {
	t.Parallel()
	c := Computation{Instructions: make([]Instruction, 10)}
	for i := range c.Instructions {
		c.Instructions[i].Name = "a"
	}
	l := &listing{3 * len(c.Instructions[0].String())}
	var first, second strings.Builder
	require.NoError(t, l.of(c).Render(&first))
	require.NoError(t, l.of(c).Render(&second))
	assert.Equal(t, strings.Repeat("a =  ()\n", 3)+"... 7 more\n", first.String())
	assert.Equal(t, "... 10 more\n", second.String())
}
