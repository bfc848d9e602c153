// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package wire_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/wire"
)

func TestFieldsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	b := wire.AppendInt(nil, 1, -2)
	b = wire.AppendBytes(b, 2, "")
	b = wire.AppendFixed64(b, 3, 1<<63)
	b = append(b, "\x25\x01\x00\x00\x80"...) // field 4 of type Fixed32
	b = wire.AppendInts(b, 5, []int32{7, -1})
	b = wire.AppendInt(b, 5, 8)
	b = wire.AppendBools(b, 6, []bool{true, false})
	b = wire.AppendBool(b, 7, false)
	size := len(b)
	b = wire.AppendNonzero(b, 8, 0)
	b = wire.AppendTrue(b, 8, false)
	b = wire.AppendNonempty(b, 8, "")
	b = wire.AppendInts(b, 8, []int(nil))
	assert.Len(t, b, size, "zero values are not written")

	var ints []int32
	var bools []bool
	var raw []byte
	seen := 0
	require.NoError(t, wire.Visit(b, func(f wire.Field) error {
		seen++
		raw = append(raw, f.Raw...)
		switch f.Number {
		case 1:
			assert.True(t, f.Is(1, wire.Varint))
			assert.Equal(t, int64(-2), int64(f.Int))
		case 2:
			assert.True(t, f.Is(2, wire.Bytes))
			assert.Equal(t, []byte{}, f.Bytes)
		case 3:
			assert.True(t, f.Is(3, wire.Fixed64))
			assert.Equal(t, uint64(1)<<63, f.Int)
		case 4:
			assert.True(t, f.Is(4, wire.Fixed32))
			assert.Equal(t, uint64(0x80000001), f.Int)
			assert.False(t, f.IsList(4))
		case 5:
			assert.True(t, f.IsList(5))
			return wire.Ints(&ints, f)
		case 6:
			return wire.Bools(&bools, f)
		case 7:
			assert.False(t, f.Bool())
		}
		return nil
	}))
	assert.Equal(t, 8, seen)
	assert.Equal(t, b, raw)
	assert.Equal(t, []int32{7, -1, 8}, ints, "packed or not")
	assert.Equal(t, []bool{true, false}, bools)
}

func TestMalformedMessagesAreAnError(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]string{
		"no number": "\x00", "tag cut off": "\x80", "varint cut off": "\x08\x80", "bytes cut off": "\x0a\x02x",
		"fixed64 cut off": "\x09\x01", "fixed32 cut off": "\x0d\x01", "group without end": "\x0b", "end of no group": "\x0c",
	} {
		require.ErrorIs(t, wire.Visit([]byte(b), func(wire.Field) error { return nil }), wire.ErrMalformed, name)
		_, err := wire.Message([]byte(b), 1)
		require.ErrorIs(t, err, wire.ErrMalformed, name)
		var got []wire.Number // of the fields before the malformed one, and of that if it has one
		for f, err := range wire.Fields([]byte("\x28\x01" + b)) {
			got = append(got, f.Number)
			require.Equal(t, len(got) > 1, err != nil, name)
		}
		want := wire.Number(b[0] >> 3)
		if name == "tag cut off" {
			want = 0
		}
		assert.Equal(t, []wire.Number{5, want}, got, name)
	}
	var ints []int64
	require.ErrorIs(t, wire.Ints(&ints, wire.Field{Type: wire.Bytes, Bytes: []byte{0x80}}), wire.ErrMalformed)
	stop := errors.New("stop")
	require.ErrorIs(t, wire.Visit([]byte("\x08\x01\x00"), func(wire.Field) error { return stop }), stop)
}

func TestFieldsStopWhereTheLoopDoes(t *testing.T) {
	t.Parallel()
	for want := range 3 {
		got := 0
		for f, err := range wire.Fields([]byte("\x08\x01\x10\x02\x18\x03")) {
			require.NoError(t, err)
			if got == want {
				break
			}
			got++
			assert.Equal(t, uint64(got), f.Int)
		}
		assert.Equal(t, want, got)
	}
}

func TestMessagesThatOccurTwiceAreMerged(t *testing.T) {
	t.Parallel()
	for want, b := range map[string]string{"ab": "\x0a\x01a\x10\x05\x0a\x01b", "abc": "\x0a\x00\x0a\x01a\x0a\x01b\x0a\x01c", "a": "\x0a\x01a\x12\x01b", "": "\x08\x01"} {
		before := []byte(b)
		got, err := wire.Message(before, 1)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
		assert.Equal(t, b, string(before), "the input is not changed")
	}
	got, err := wire.Message([]byte("\x0a\x00\x0a\x00"), 1)
	require.NoError(t, err)
	assert.Equal(t, []byte{}, got, "it is there")
}

func TestTheCanonicalFormOfAMessageDoesNotDependOnTheOrderOfItsMaps(t *testing.T) {
	t.Parallel()
	entry := func(key int, value string) string {
		return string(wire.AppendBytes(wire.AppendInt(nil, 1, int64(key)), 2, value))
	}
	message := func(name string, entries ...string) []byte {
		var inner []byte
		for _, e := range entries {
			inner = wire.AppendBytes(inner, 7, e)
		}
		return wire.AppendBytes(wire.AppendBytes(nil, 1, name), 3, string(inner))
	}
	of := func(b []byte) string {
		c, err := wire.Canonical(b)
		require.NoError(t, err)
		assert.Len(t, c, len(b))
		again, err := wire.Canonical(c)
		require.NoError(t, err)
		assert.Equal(t, c, again)
		return string(c)
	}
	a, b, c := entry(1, "x"), entry(2, "y"), entry(2, "z")
	assert.Equal(t, of(message("gpu", a, b)), of(message("gpu", b, a)))
	seen := make(map[string]bool)
	for _, m := range [][]byte{
		message("gpu", a, b), message("gpu", a, c), message("gpu", a), message("gpu", a, a), message("gpv", a, b), nil,
	} {
		seen[of(m)] = true
	}
	assert.Len(t, seen, 6, "what differs stays different")

	deep := []byte("\x0a\x00")
	for range 1000 {
		deep = wire.AppendBytes(nil, 1, string(deep))
	}
	of(deep)
	_, err := wire.Canonical([]byte("\x0a\x05x"))
	require.ErrorIs(t, err, wire.ErrMalformed)
}

func TestAMessageOfTinyPartsHasNoRoomForThemAll(t *testing.T) {
	t.Parallel()
	type part [32]int64
	small := wire.NewRoom(100)
	for range 10_000 {
		require.NoError(t, wire.Take[part](small), "a small message may have what it wants")
	}
	room := wire.NewRoom(8 << 20)
	var err error
	n := 0
	for ; err == nil; n++ {
		err = wire.Take[part](room)
	}
	require.ErrorIs(t, err, wire.ErrTooLarge)
	assert.Less(t, n*256, 20*(8<<20), "no more than twenty times the message")
}
