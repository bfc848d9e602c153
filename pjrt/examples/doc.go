// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package examples is empty: each folder below it is a complete program to start from.
//
//   - add adds two matrices; it is the program of the README.
package examples
