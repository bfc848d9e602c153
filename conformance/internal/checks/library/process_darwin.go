// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

// allCategories is LC_ALL.
const allCategories = 0

// kernelProperties returns nothing here: no call of the kernel reads the handlers
// without changing them.
func kernelProperties() []property { return nil }
