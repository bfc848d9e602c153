// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestShapesBeyondTheAddressSpaceHaveNoHostSize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		shape pjrt.Shape
		want  int
		says  string
	}{
		{pjrt.Shape{Type: dtype.F32, Dims: []int64{3, 5}}, 60, ""},
		{pjrt.Shape{Type: dtype.S4, Dims: []int64{3}}, 3, ""},
		{pjrt.Shape{Type: dtype.U8, Dims: []int64{1 << 40, 0}}, 0, ""},
		{pjrt.Shape{Type: dtype.U8, Dims: []int64{1 << 48, 0}}, 0, "is empty, but the product of its other dimensions is too large"},
		{pjrt.Shape{Type: dtype.U8, Dims: []int64{0, 1 << 32, 1 << 32}}, 0, "is empty, but"},
		{pjrt.Shape{Type: dtype.U8, Dims: []int64{1 << 62, 4, -1}}, 0, "negative"},
		{pjrt.Shape{Type: dtype.U8, Dims: []int64{1 << 30, 1 << 18}}, 0, "too large for this machine"},
		{pjrt.Shape{Type: dtype.C128, Dims: []int64{1 << 44}}, 0, "too large for this machine"},
		{pjrt.Shape{Type: dtype.U8, Dims: []int64{1 << 62, 4}}, 0, "too large for this machine"},
		{pjrt.Shape{Type: dtype.U8, Dims: []int64{-1}}, 0, "negative"},
	} {
		n, err := test.shape.HostSize()
		if test.says != "" {
			assert.ErrorContains(t, err, test.says, test.shape)
			continue
		}
		assert.NoError(t, err, test.shape)
		assert.Equal(t, test.want, n, test.shape)
	}
}
