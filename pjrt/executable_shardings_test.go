// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

func TestShardings(t *testing.T) {
	t.Parallel()
	for want, message := range map[string]string{
		"{replicated}":               "",
		"{maximal device=3}":         "\x08\x01\x1a\x01\x01\x22\x01\x03",
		"{manual}":                   "\x08\x04",
		"{unknown}":                  "\x08\x05",
		"{sharding(9)}":              "\x08\x09",
		"{devices=[2,1]0,1}":         "\x08\x03\x1a\x02\x02\x01\x22\x02\x00\x01",
		"{devices=[4]0,1,2,3}":       "\x08\x03\x1a\x01\x04\x4a\x01\x04",
		"{devices=[2,2]0,2,1,3}":     "\x08\x03\x1a\x02\x02\x02\x4a\x02\x02\x02\x52\x02\x01\x00",
		"{devices=[3,2]0,3,1,4,2,5}": "\x08\x03\x1a\x02\x03\x02\x4a\x02\x02\x03\x52\x02\x01\x00",
		"{devices=[2,2]0,1,2,3 last_tile_dim_replicate}":               "\x08\x03\x1a\x02\x02\x02\x4a\x01\x04\x30\x01",
		"{devices=[1,2,2]0,1,2,3 last_tile_dims={manual, replicated}}": "\x08\x03\x1a\x03\x01\x02\x02\x4a\x01\x04\x42\x02\x04\x00",
		"{{replicated}, {manual}}":                                     "\x08\x02\x2a\x00\x2a\x02\x08\x04",
	} {
		s, err := pjrt.DecodeSharding([]byte(message))
		require.NoError(t, err, want)
		assert.Equal(t, want, s.String())
		assert.Equal(t, message, string(s.Proto))
	}
	for want, message := range map[string]string{
		"malformed protobuf message":               "\xff",
		"a sharding has the devices of [16777216]": "\x08\x03\x4a\x04\x80\x80\x80\x08",
		"a sharding has the devices of [0]":        "\x08\x03\x4a\x01\x00",
		"a sharding transposes [2 2] by [0 0]":     "\x08\x03\x4a\x02\x02\x02\x52\x02\x00\x00",
		"a sharding transposes [2 2] by [0]":       "\x08\x03\x4a\x02\x02\x02\x52\x01\x00",
	} {
		_, err := pjrt.DecodeSharding([]byte(message))
		require.ErrorContains(t, err, want)
	}
}

func TestDeviceLayouts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pjrt.DeviceLayout{
		"{}":                     {Layout: &pjrt.Layout{MinorToMajor: []int{}}},
		"{1,0}":                  {Layout: &pjrt.Layout{MinorToMajor: []int{1, 0}}},
		"{1,0:T(8,128)(2,1)}":    {Layout: &pjrt.Layout{MinorToMajor: []int{1, 0}, Tiles: [][]int64{{8, 128}, {2, 1}}}},
		"{0:T(256)L(4)E(4)S(5)}": {Layout: &pjrt.Layout{MinorToMajor: []int{0}, Tiles: [][]int64{{256}}}, MemorySpace: 5, ElementBits: 4},
		"{1,0:S(1)}":             {Layout: &pjrt.Layout{MinorToMajor: []int{1, 0}}, MemorySpace: 1},
		"{1,0:T(*,128)}":         {},
		"{1,x}":                  {},
		"{1,0":                   {},
		"":                       {},
		"{1,0:T(8}":              {},
	} {
		want.Text = text
		assert.Equal(t, want, pjrt.ParseDeviceLayout(text), text)
	}
}

func FuzzTextsAndMessagesOfPlugins(f *testing.F) {
	f.Add([]byte("{1,0:T(8,128)(2,1)S(5)}"))
	f.Add([]byte("\x08\x03\x1a\x02\x02\x02\x4a\x02\x02\x02\x52\x02\x01\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = pjrt.ParseDeviceLayout(string(b)).Layout.String()
		if s, err := pjrt.DecodeSharding(b); err == nil {
			_ = s.String()
		}
	})
}
