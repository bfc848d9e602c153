// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc

package ffi_test

import (
	"strings"
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/internal/gentest"
)

func TestCompilersAgreeWithGeneratedDeclarations(t *testing.T) {
	facts := gentest.Facts(t, "../..", capi.APIMinor, func(path string) bool {
		return strings.HasPrefix(path, "xla/ffi/")
	})
	gentest.Compile(t, &index, functions(), facts, "../..")
}
