// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package callbench measures the call path of package capi against C and
// against cgo, in one process, on one plugin. Its C code is compiled only with
// cgo, and only the benchmarks use it: see `make bench`.
package callbench
