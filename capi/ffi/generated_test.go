// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/internal/gentest"
)

func TestGeneratedDeclarationsAgreeWithTheMeasuredHeader(t *testing.T) {
	t.Parallel()
	facts := gentest.Facts(t, "../..", capi.APIMinor, func(path string) bool {
		return strings.HasPrefix(path, "xla/ffi/")
	})
	gentest.Run(t, &index, facts)
}

func TestFunctionsFillTheTable(t *testing.T) {
	t.Parallel()
	assert.Len(t, ffiFunctions, 20)
	for i, f := range ffiFunctions {
		assert.EqualValues(t, 48+8*i, f.Offset, f.Name)
		assert.Equal(t, capi.ErrorsFFI, f.Errors, f.Name)
	}
}

// The size constants of the header leave out fields that were added later, but a callee must know that these are there.
func TestSizesReachToTheLastField(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 16, FutureCreateArgsSize)
	assert.EqualValues(t, 24, new(FutureCreateArgs).Function().Size)
	assert.EqualValues(t, 48, new(TypeRegisterArgs).Function().Size)
}

func TestPointersIntoTheCallersMemoryAreNotCleared(t *testing.T) {
	t.Parallel()
	assert.Empty(t, new(ThreadPoolNumThreadsArgs).Function().Zero)
	assert.NotEmpty(t, new(RunIDGetArgs).Function().Zero)
}
