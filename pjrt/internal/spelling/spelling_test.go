// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package spelling_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt/internal/spelling"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3},
		{"cuont", "count", 2}, {"preallocat", "preallocate", 1}, {"kitten", "sitting", 3},
	} {
		assert.Equal(t, c.want, spelling.Distance(c.a, c.b), "%s %s", c.a, c.b)
		assert.Equal(t, c.want, spelling.Distance(c.b, c.a), "%s %s", c.b, c.a)
	}
}
