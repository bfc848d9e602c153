// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package executebench compares the cost of an execution through package pjrt, in C, and through cgo, in one process
// with one plugin. Its C code is compiled only with cgo, and only the benchmark uses it: see `make bench`.
package executebench
