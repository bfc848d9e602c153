// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package hidden may change.
package hidden

// In is exported, in a package that nobody else can import.
const In = "before"
