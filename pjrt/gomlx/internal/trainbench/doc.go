// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package trainbench compares the backend of package gomlx with GoMLX's own XLA backend,
// which needs cgo, and with GoMLX's backend in pure Go: training and inference with several
// models, in the same process, and on the same plugin but for the last backend.
package trainbench
