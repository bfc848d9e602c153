// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache

import (
	"context"
	"time"
)

// Store puts bytes under a key, as if a plugin had serialized them.
func Store(c *Cache, key entryKey, executable []byte) { c.store(context.Background(), key, executable) }

// Limit changes how long a Cache waits for other processes.
func Limit(c *Cache, compile, change, notice time.Duration) {
	c.limits = limits{compile: compile, change: change, notice: notice}
}
