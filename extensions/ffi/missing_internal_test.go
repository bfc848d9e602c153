// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// XLA's compilers for CUDA of jax-cuda12-pjrt 0.4.34 and jax-cuda13-pjrt 0.12 say this.
func TestACompilerForGPUsIsToldWhereToRegister(t *testing.T) {
	t.Parallel()
	const message = "No registered implementation for custom call to nobody for platform CUDA"
	for _, code := range []capi.ErrorCode{pjrt.ErrUnimplemented, pjrt.ErrNotFound} {
		assert.Equal(t, "register one with Register of extensions/gpu before compiling", missingHandler(&pjrt.Error{Code: code, Message: message}))
	}
	assert.Empty(t, missingHandler(&pjrt.Error{Code: pjrt.ErrInternal, Message: message}))
	assert.Empty(t, missingHandler(&pjrt.Error{Code: pjrt.ErrNotFound, Message: "no devices"}))
}
