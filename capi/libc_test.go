// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package capi_test

import (
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"
)

// libc returns the address of a function of the C library.
func libc(t testing.TB, name string) uintptr {
	t.Helper()
	p, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
	require.NoError(t, err)
	return p
}
