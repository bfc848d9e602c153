// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

func TestAnswerIsAnArrayWithItsLengthBehindOrInFrontOfIt(t *testing.T) {
	t.Parallel()
	kind := capi.MemoryKindArgs{}
	text, n := check.Answer[capi.MemoryKindArgs, byte](&kind)
	assert.Same(t, &kind.KindSize, n)
	assert.True(t, text == &kind.Kind)

	attributes := capi.DeviceDescriptionAttributesArgs{}
	values, n := check.Answer[capi.DeviceDescriptionAttributesArgs, capi.NamedValue](&attributes)
	assert.Same(t, &attributes.NumAttributes, n)
	assert.True(t, values == &attributes.Attributes)

	assert.Panics(t, func() { check.Answer[capi.MemoryKindIDArgs, byte](&capi.MemoryKindIDArgs{}) })
}

func TestHandlesAreInTheOrderOfTheFields(t *testing.T) {
	t.Parallel()
	args := capi.BufferCopyToDeviceArgs{}
	handles := check.Handles[capi.BufferCopyToDeviceArgs, capi.Buffer](&args)
	assert.Len(t, handles, 2)
	assert.True(t, handles[0] == &args.Buffer && handles[1] == &args.DstBuffer)
	assert.Empty(t, check.Handles[capi.BufferCopyToDeviceArgs, capi.Event](&args))
	b := new(capi.Buffer)
	assert.Same(t, b, check.About[capi.BufferDimensionsArgs](b).Buffer)
}
