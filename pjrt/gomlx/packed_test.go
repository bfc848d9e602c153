// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNarrowIntegersAreArgumentsAndResults(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]string{"shared": "", "copied": ",shared=false"} {
		b := open(t, options)
		for _, c := range []struct {
			dtype  dtypes.DType
			packed []byte
			want   []int32
		}{
			{dtypes.Int4, []byte{0xf1, 0x78, 0x02}, []int32{1, -1, -8, 7, 2}},
			{dtypes.Uint4, []byte{0xf1, 0x78, 0x02}, []int32{1, 15, 8, 7, 2}},
			{dtypes.Int2, []byte{0b10_11_00_01, 0b01}, []int32{1, 0, -1, -2, 1}},
			{dtypes.Uint2, []byte{0b10_11_00_01, 0b01}, []int32{1, 0, 3, 2, 1}},
		} {
			t.Run(name+"/"+c.dtype.String(), func(t *testing.T) {
				shape := shapes.Make(c.dtype, 5)
				x, err := b.BufferFromFlatData(0, c.packed, shape)
				require.NoError(t, err)
				all := []compute.Buffer{x}
				read := make([]byte, len(c.packed))
				require.NoError(t, x.ToFlatData(read))
				assert.Equal(t, c.packed, read)
				if b.HasSharedBuffers() {
					flat, err := x.Data()
					require.NoError(t, err)
					assert.Equal(t, c.packed, flat)
					shared, flat, err := b.NewSharedBuffer(0, shape)
					require.NoError(t, err)
					copy(flat.([]byte), c.packed)
					all = append(all, shared)
				}
				exe := compile(t, b, func(f compute.Function, x []compute.Value) ([]compute.Value, error) {
					wide, err := f.ConvertDType(x[0], dtypes.Int32)
					if err != nil {
						return nil, err
					}
					again, err := f.ConvertDType(wide, c.dtype)
					return []compute.Value{wide, again}, err
				}, shape)
				for _, in := range all {
					out, err := exe.Execute([]compute.Buffer{in}, nil, 0)
					require.NoError(t, err)
					same(t, vec(c.want...), download(t, b, out[0]))
					read := make([]byte, len(c.packed))
					require.NoError(t, out[1].ToFlatData(read))
					assert.Equal(t, c.packed, read)
				}
				for _, wrong := range []any{make([]byte, 5), make([]int8, len(c.packed)), nil} {
					_, err := b.BufferFromFlatData(0, wrong, shape)
					assert.ErrorContains(t, err, "pjrt backend: ")
					assert.ErrorContains(t, x.ToFlatData(wrong), "pjrt backend: ")
				}
			})
		}
	}
}
