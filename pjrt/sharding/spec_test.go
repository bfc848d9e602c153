// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
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
		s, err := sharding.Decode(pjrt.Sharding{Proto: []byte(message)})
		require.NoError(t, err, want)
		assert.Equal(t, want, s.String())
		again, err := sharding.Decode(s.Encode())
		require.NoError(t, err, want)
		assert.Equal(t, s, again, want)
		assert.Equal(t, want, pjrt.Sharding{Proto: []byte(message)}.String())
	}
	for want, message := range map[string]string{
		"malformed protobuf message":               "\xff",
		"a sharding has the devices of [16777216]": "\x08\x03\x4a\x04\x80\x80\x80\x08",
		"a sharding has the devices of [0]":        "\x08\x03\x4a\x01\x00",
		"a sharding transposes [2 2] by [0 0]":     "\x08\x03\x4a\x02\x02\x02\x52\x02\x00\x00",
		"a sharding transposes [2 2] by [0]":       "\x08\x03\x4a\x02\x02\x02\x52\x01\x00",
	} {
		_, err := sharding.Decode(pjrt.Sharding{Proto: []byte(message)})
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.Equal(t, "<"+want+">", pjrt.Sharding{Proto: []byte(message)}.String())
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x08\x03\x1a\x02\x02\x02\x4a\x02\x02\x02\x52\x02\x01\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := sharding.Decode(pjrt.Sharding{Proto: b}); err == nil {
			assert.Equal(t, s.String(), pjrt.Sharding{Proto: b}.String())
		}
	})
}
