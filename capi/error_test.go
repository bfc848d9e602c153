// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
)

func TestErrorfMakesAnErrorWithTheCode(t *testing.T) {
	t.Parallel()
	err := capi.ErrorCodeOutOfRange.Errorf("%d is not below %d", 3, 2)
	assert.EqualError(t, err, "OUT_OF_RANGE: 3 is not below 2")
	assert.ErrorIs(t, err, capi.ErrorCodeOutOfRange)
	assert.Equal(t, capi.ErrorCodeOutOfRange, capi.CodeOf(err))
}
