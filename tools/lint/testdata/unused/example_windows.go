// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package example

// Windows is there on one system only.
func Windows() int { return forWindows() }
