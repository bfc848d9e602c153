// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import "github.com/purepjrt/purepjrt/capi/internal/ccall"

// CallN calls the C function at the address code, which must not be 0, with up to 15 words of
// integer or pointer arguments. It returns its two result registers; which of them hold anything
// depends on the function. What an argument points to stays alive and in place during the call if
// uintptr(unsafe.Pointer(p)) is written in the call itself.
//
// It is for packages that pjrtgen extension writes outside of this module, and there for functions
// whose arguments are not one args struct, such as callbacks. Functions of tables are called with
// Call, which is faster.
//
//go:uintptrescapes
func CallN(code uintptr, args ...uintptr) (r1, r2 uintptr) { return ccall.CallN(code, args...) }
