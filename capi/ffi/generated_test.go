// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/capi/internal/gentest"
)

func TestGeneratedDeclarationsAgreeWithTheMeasuredHeader(t *testing.T) {
	t.Parallel()
	facts := gentest.Facts(t, "../..", capi.APIMinor, func(path string) bool {
		return strings.HasPrefix(path, "xla/ffi/")
	})
	gentest.Run(t, &index, functions(), facts)
}

// functions returns the functions of the package in the order of their slots.
func functions() []*capi.Function {
	var list []*capi.Function
	for _, v := range index.Types {
		if a, ok := v.(capi.Arguments); ok {
			list = append(list, a.Function())
		}
	}
	slices.SortFunc(list, func(a, b *capi.Function) int { return cmp.Compare(a.Offset, b.Offset) })
	return list
}

func TestFunctionsFillTheTable(t *testing.T) {
	t.Parallel()
	assert.Len(t, functions(), 20)
	for i, f := range functions() {
		assert.EqualValues(t, 48+8*i, f.Offset, f.Name)
		assert.Equal(t, capi.ErrorsFFI, f.Errors, f.Name)
	}
}

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
