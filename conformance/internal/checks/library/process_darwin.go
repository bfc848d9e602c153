// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

// allCategories is LC_ALL.
const allCategories = 0

// kernelProperties looks at nothing here: the kernel has no call for it that
// leaves the handlers alone.
func kernelProperties() []property { return nil }
