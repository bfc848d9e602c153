// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package excerpt_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/internal/excerpt"
)

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	short := strings.Repeat("a", excerpt.Limit)
	assert.Equal(t, short, excerpt.Of(short))
	assert.Equal(t, short+"...", excerpt.Of(short+"b"))
	cut := excerpt.Of("a" + strings.Repeat("é", excerpt.Limit))
	assert.True(t, utf8.ValidString(cut), "it is cut within a letter")
	assert.Len(t, excerpt.OfList(make([]int, 100)), 16)
	assert.Len(t, excerpt.OfList([]int{1}), 1)
}
