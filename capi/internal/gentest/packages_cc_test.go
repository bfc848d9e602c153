// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc

package gentest

import "testing"

func TestCompilersAgreeWithDeclarations(t *testing.T) {
	compilePackage(t, "../..", &capiIndex, allFunctions(), headersOf(t, false))
}

func TestCompilersAgreeWithFFIDeclarations(t *testing.T) {
	compilePackage(t, "../../ffi", &ffiIndex, ffiFunctions(), headersOf(t, true))
}
