// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package array has the shapes of arrays, arrays in the memory of the host, and their text. Every
// package of this module that speaks of an array uses these types: pjrt.Shape and pjrt.HostArray
// are other names for [Shape] and [Array].
//
// It needs no plugin, and no other package than dtype. Shapes and arrays are plain data, so several
// goroutines may read one at once.
package array
