// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package trainbench compares the backend of package gomlx with GoMLX's own XLA backend,
// which needs cgo: training and inference with several models, on the same plugin and in the
// same process.
package trainbench
