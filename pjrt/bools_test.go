// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// Programs disagree about bools that are neither 0 nor 1, so none gets in.
func TestBytesThatAreNoBoolsReachNoProgram(t *testing.T) {
	ctx := context.Background()
	client, newer := newClient(t), pjrttest.New(t, pjrttest.Options{}).Client()
	shape := pjrt.Shape{Type: dtype.Pred, Dims: []int64{2, 20}}
	for name, in := range map[string]func(data []byte) (*pjrt.Buffer, error){
		"array": func(data []byte) (*pjrt.Buffer, error) {
			return client.BufferFromHost(ctx, pjrt.HostArray{Type: shape.Type, Dims: shape.Dims, Data: data}, nil)
		},
		"without a copy": func(data []byte) (*pjrt.Buffer, error) {
			return client.BufferFromHost(ctx, pjrt.HostArray{Type: shape.Type, Dims: shape.Dims, Data: data},
				&pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy})
		},
		"by columns": func(data []byte) (*pjrt.Buffer, error) {
			return client.BufferFromHost(ctx, pjrt.HostArray{Type: shape.Type, Dims: shape.Dims, Data: data},
				&pjrt.BufferOptions{Strides: []int64{1, 2}})
		},
		"slice": func(data []byte) (*pjrt.Buffer, error) {
			// What unsafe code makes of bytes.
			bools := reflect.NewAt(reflect.ArrayOf(len(data), reflect.TypeFor[bool]()), reflect.ValueOf(data).UnsafePointer()).Elem()
			return pjrt.FromSlice(ctx, client, bools.Slice(0, len(data)).Interface().([]bool), shape.Dims...)
		},
		"reader": func(data []byte) (*pjrt.Buffer, error) {
			return client.BufferFromReader(ctx, bytes.NewReader(data), shape, nil)
		},
		"view": func(data []byte) (*pjrt.Buffer, error) {
			return client.ViewOfHostMemory(ctx, pjrt.HostArray{Type: shape.Type, Dims: shape.Dims, Data: data}, nil)
		},
		"view of an address": func(data []byte) (*pjrt.Buffer, error) {
			return raw.ViewOfDeviceMemory(ctx, client, reflect.ValueOf(data).Pointer(), shape, nil)
		},
		"pieces": func(data []byte) (*pjrt.Buffer, error) {
			m, err := transfer.NewManager(ctx, client, []pjrt.Shape{shape}, nil)
			require.NoError(t, err)
			defer m.Close()
			e, err := m.Send(0, data, 0, true)
			if err != nil {
				return nil, err
			}
			defer e.Close()
			return m.Buffer(0)
		},
		"a whole array for a manager": func(data []byte) (*pjrt.Buffer, error) {
			m, err := transfer.NewManager(ctx, newer, []pjrt.Shape{shape}, nil)
			require.NoError(t, err)
			defer m.Close()
			e, err := m.SendArray(0, pjrt.HostArray{Type: shape.Type, Dims: shape.Dims, Data: data})
			if err != nil {
				return nil, err
			}
			defer e.Close()
			return m.Buffer(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			data := pjrt.AlignedSlice[uint8](40)
			data[3], data[39] = 1, 1
			b, err := in(data)
			require.NoError(t, err)
			require.NoError(t, b.Wait(ctx))
			require.NoError(t, b.Close())
			for _, at := range []int{0, 17, 39} {
				data := bytes.Clone(data)
				wrong := pjrt.AlignedSlice[uint8](40)
				copy(wrong, data)
				wrong[at] = 255
				_, err := in(wrong)
				require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
				assert.ErrorContains(t, err, "of the bools is 255: it must be 0 or 1")
			}
		})
	}
	// What lies between the elements is no bool.
	b, err := client.BufferFromHost(ctx, pjrt.HostArray{Type: dtype.Pred, Dims: []int64{2}, Data: []byte{1, 77, 0}},
		&pjrt.BufferOptions{Strides: []int64{2}})
	require.NoError(t, err)
	require.NoError(t, b.Close())
}
