// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package scaleraw is the raw binding of a vendor's own extension, Example_Scale. The
// rest of it is generated from include/scale_extension.h.
package scaleraw

//go:generate go run github.com/purepjrt/purepjrt/tools/pjrtgen extension ../include/scale_extension.h --package scaleraw --out .
