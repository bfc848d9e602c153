// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

func TestFunctionsOfSeveralArgumentsAreCalled(t *testing.T) {
	t.Parallel()
	sum := purego.NewCallback(func(a, b, c uintptr) uintptr { return a + 10*b + 100*c })
	r1, _ := capi.CallN(sum, 1, 2, 3)
	assert.EqualValues(t, 321, r1)
}

func TestEnumerationsOfOthersHaveTexts(t *testing.T) {
	t.Parallel()
	type mode int32
	modes := capi.EnumText[mode]{Type: "Mode", Values: []capi.EnumValue[mode]{{Value: 7, Text: "FAST", C: "ACME_MODE_FAST", Go: "ModeFast"}}}
	assert.Equal(t, "FAST", modes.String(7))
	assert.Equal(t, "Mode(8)", modes.String(8))
	got, err := modes.Parse("ModeFast")
	require.NoError(t, err)
	assert.Equal(t, mode(7), got)
	assert.Equal(t, []mode{7}, modes.All())
}
