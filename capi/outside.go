// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"github.com/purepjrt/purepjrt/capi/internal/ccall"
	"github.com/purepjrt/purepjrt/capi/internal/enumtext"
)

// The declarations in this file are for packages that pjrtgen extension writes outside of this
// module. Packages of this module use the internal packages.

// CallN calls the C function at the address code, which must not be 0, with up to 15 words of
// integer or pointer arguments. It returns its two result registers; which of them hold anything
// depends on the function. What an argument points to stays alive and in place during the call if
// uintptr(unsafe.Pointer(p)) is written in the call itself.
//
// It is for functions whose arguments are not one args struct, such as callbacks. Functions of
// tables are called with Call, which is faster.
//
//go:uintptrescapes
func CallN(code uintptr, args ...uintptr) (r1, r2 uintptr) { return ccall.CallN(code, args...) }

// EnumText turns the values of a C enumeration into text and back, as for the enumerations of this
// package: its methods are String, Parse and All. It is read only, and any goroutine may use it.
type EnumText[E enumtext.Integer] = enumtext.Enum[E]

// EnumValue is one enumerator of an EnumText with its three names: short, C and Go.
type EnumValue[E enumtext.Integer] = enumtext.Value[E]
