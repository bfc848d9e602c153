// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBytesHaveAUnit(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 5 << 20: "5 MiB", -2048: "-2 KiB", 1 << 60: "1.049e+06 TiB"} {
		assert.Equal(t, want, formatBytes(n))
	}
}
