// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi/ffi"
)

// The size constants of the header leave out fields that were added later, but a callee must know
// that these are there.
func TestSizesReachToTheLastField(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 16, ffi.FutureCreateArgsSize)
	assert.EqualValues(t, 24, new(ffi.FutureCreateArgs).Function().Size)
	assert.EqualValues(t, 48, new(ffi.TypeRegisterArgs).Function().Size)
}

func TestPointersIntoTheCallersMemoryAreNotCleared(t *testing.T) {
	t.Parallel()
	assert.Empty(t, new(ffi.ThreadPoolNumThreadsArgs).Function().Zero)
	assert.NotEmpty(t, new(ffi.RunIDGetArgs).Function().Zero)
}
