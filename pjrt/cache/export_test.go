// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache

import "context"

// Store puts bytes under a key, as if a plugin had serialized them.
func Store(c *Cache, key entryKey, executable []byte) { c.store(context.Background(), key, executable) }
