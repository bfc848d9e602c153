// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// A plugin may put megabytes into an error, which programs log.
func TestTheMiddleOfALongMessageIsLeftOut(t *testing.T) {
	for size, whole := range map[int]bool{1 << 10: true, 64 << 10: true, 64<<10 + 1: false, 2 << 20: false} {
		text := "begin " + strings.Repeat("x", size-10) + " end"
		table := newFake(t, capi.APIMinor, len(capi.Functions(capi.SectionCore))).withErrors().table(t)
		failure := &fakeError{code: capi.ErrorCodeInternal, message: text}
		var e *capi.Error
		require.ErrorAs(t, table.TakeError(failure.handle()), &e)
		assert.Equal(t, whole, e.Message == text)
		assert.True(t, strings.HasPrefix(e.Message, "begin ") && strings.HasSuffix(e.Message, " end"))
		assert.LessOrEqual(t, len(e.Message), 65<<10)
	}
}
