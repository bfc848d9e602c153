// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package gone is not in the next release.
package gone

// Size is exported.
const Size = 1
