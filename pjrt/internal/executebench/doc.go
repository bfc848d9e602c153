// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package executebench measures what an execution through package pjrt costs
// against one in C and one through cgo, in one process, on one plugin. Its C code
// is compiled only with cgo, and only the benchmark uses it: see `make bench`.
package executebench
