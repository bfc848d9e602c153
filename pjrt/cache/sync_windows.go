// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache

// syncDir does nothing, because Windows writes a rename to disk at once.
func syncDir(string) error { return nil }
