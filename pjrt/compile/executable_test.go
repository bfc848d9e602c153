// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package compile_test

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/compile"
)

func example() *compile.Executable {
	return &compile.Executable{
		Plugin: compile.Plugin{Digest: sha256.Sum256([]byte("plugin")), File: sha256.Sum256([]byte("file")), Major: 0, Minor: 81},
		System: compile.System{
			Platform: "tpu", PlatformVersion: "built on Monday", Kinds: []string{"TPU v5 lite", ""}, Devices: 4, Bounds: []int64{2, 2, 1},
			CPUFeatures: []string{"avx", "avx2"},
		},
		ABI:     &compile.ABIVersion{Platform: 1 << 63, Proto: []byte{0, 1, 2}},
		Devices: 2, Partitions: 2,
		Code: []byte("code"),
	}
}

func TestAnExecutableIsReadAsItWasWritten(t *testing.T) {
	for name, e := range map[string]*compile.Executable{
		"all fields": example(),
		"no fields":  {Code: []byte{}},
	} {
		t.Run(name, func(t *testing.T) {
			data := e.Encode()
			assert.True(t, compile.IsExecutable(data))
			got, err := compile.Decode(data)
			require.NoError(t, err)
			assert.Equal(t, e, got)
			_ = append(got.Code, "more"...)
			_, err = compile.Decode(data)
			assert.NoError(t, err, "appending to the code does not overwrite what follows it")
		})
	}
}

func TestEveryChangedOrMissingByteIsNoticed(t *testing.T) {
	data := example().Encode()
	for i := range data {
		changed := append([]byte(nil), data...)
		changed[i] ^= 0x10
		_, err := compile.Decode(changed)
		if i < 8 {
			require.ErrorIs(t, err, compile.ErrFormat, "byte %d", i)
			continue
		}
		require.ErrorIs(t, err, compile.ErrDamaged, "byte %d", i)
	}
	for n := range data {
		_, err := compile.Decode(data[:n])
		if n < 8 {
			require.ErrorIs(t, err, compile.ErrFormat, "%d bytes", n)
			continue
		}
		require.ErrorIs(t, err, compile.ErrDamaged, "%d bytes", n)
	}
	_, err := compile.Decode(append(data, 0))
	require.ErrorIs(t, err, compile.ErrDamaged)
	_, err = compile.Decode(nil)
	require.ErrorIs(t, err, compile.ErrFormat)
}

// signed puts parts between the magic bytes and their checksum.
func signed(parts ...[]byte) []byte {
	b := []byte("PJRTSAV\x01")
	for _, p := range parts {
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func TestWrongLengthsWithTheRightChecksumAreAnError(t *testing.T) {
	u32, u64 := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"header beyond the end": {signed(u32(nil, 1<<31), u64(nil, 0)), "its header has 2147483648 bytes, of which 0 are there"},
		"header over the size":  {signed(u32(nil, 1), u64(nil, 0)), "its header has 1 bytes, of which 0 are there"},
		"code beyond the end":   {signed(u32(nil, 0), u64(nil, 1<<63)), "its program has 9223372036854775808 bytes, of which 0 are there"},
		"more than the code":    {signed(u32(nil, 0), u64(nil, 1), []byte("ab")), "its program has 1 bytes, of which 2 are there"},
		"header not a message":  {signed(u32(nil, 1), []byte{0xff}, u64(nil, 0)), "its header cannot be read: malformed protobuf message"},
		"short digest":          {signed(u32(nil, 3), []byte{0x0a, 1, 7}, u64(nil, 0)), "the digest has 1 bytes"},
		"impossible number":     {signed(u32(nil, 6), []byte{0x60, 0xff, 0xff, 0xff, 0xff, 0x7f}, u64(nil, 0)), "field 12 has the number 34359738367"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compile.Decode(c.data)
			require.ErrorIs(t, err, compile.ErrDamaged)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestFieldsOfLaterVersionsAreIgnored(t *testing.T) {
	header := []byte{0xa0, 0x06, 1, 0x60, 3} // field 100 is 1, field 12 is 3
	data := signed(binary.LittleEndian.AppendUint32(nil, uint32(len(header))), header, binary.LittleEndian.AppendUint64(nil, 1), []byte("x"))
	e, err := compile.Decode(data)
	require.NoError(t, err)
	assert.Equal(t, &compile.Executable{Devices: 3, Code: []byte("x")}, e)
}

func FuzzDecode(f *testing.F) {
	f.Add(example().Encode())
	f.Add([]byte("PJRTSAV\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := compile.Decode(data)
		if err != nil {
			return
		}
		again, err := compile.Decode(e.Encode())
		require.NoError(t, err)
		assert.Equal(t, e, again)
	})
}
