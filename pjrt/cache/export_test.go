// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache

import "github.com/purepjrt/purepjrt/pjrt"

// Store puts bytes under a key, as if a plugin had serialized them.
func Store(c *Cache, key pjrt.CompileKey, executable []byte) { c.store(key, executable) }
