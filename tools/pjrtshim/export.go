// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package main

// extern void pjrtShimEnd(void);
import "C"

// GetPjrtApi is what a client looks for in the library. The table is the same
// each time, and stays until the process ends: start keeps it. It goes out as a
// number, since Go memory that C may keep is nothing that cgo's checks know.
//
//export GetPjrtApi
func GetPjrtApi() uintptr { return start().Address() }

// pjrtShimEnd is called when the process ends.
//
//export pjrtShimEnd
func pjrtShimEnd() { end() }

// main is never called: a library has none, but Go wants one.
func main() {}
