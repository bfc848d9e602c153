// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/wire"
)

type whole struct {
	name         string
	names        []string
	blob, unread []byte
	count        int32
	yes          bool
	counts       []int
	flags        []bool
	part         *inner
	embedded     inner
	parts        []inner
	apart        string
	rest         []byte
}

type inner struct {
	n    int64
	rest []byte
}

var innerTable = wire.NewTable(func(x *inner) *[]byte { return &x.rest },
	wire.Int(1, func(x *inner) *int64 { return &x.n }),
)

var wholeTable = wire.NewTable(func(x *whole) *[]byte { return &x.rest },
	wire.Text(2, func(x *whole) *string { return &x.name }),
	wire.Texts(1, func(x *whole) *[]string { return &x.names }),
	wire.Blob(3, func(x *whole) *[]byte { return &x.blob }),
	wire.Unread(4, func(x *whole) *[]byte { return &x.unread }),
	wire.Int(5, func(x *whole) *int32 { return &x.count }),
	wire.Bool(6, func(x *whole) *bool { return &x.yes }),
	wire.IntList(7, func(x *whole) *[]int { return &x.counts }),
	wire.BoolList(8, func(x *whole) *[]bool { return &x.flags }),
	wire.Nested(9, func(x *whole) **inner { return &x.part }, innerTable),
	wire.NestedList(10, func(x *whole) *[]inner { return &x.parts }, innerTable),
	wire.Embedded(12, func(x *whole) *inner { return &x.embedded }, innerTable),
	wire.Apart(11, func(b []byte, x *whole) []byte { return wire.AppendNonempty(b, 11, x.apart) }),
)

func TestTablesReadAndWriteMessages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		message, written string // written is empty if it is the same
		want             whole
	}{
		"nothing": {},
		"everything, in the order of the table": {
			message: "\x12\x01a" + "\x0a\x00\x0a\x01b" + "\x1a\x01c" + "\x22\x01d" + "\x28\x05" + "\x30\x01" +
				"\x3a\x02\x07\x08" + "\x42\x02\x01\x00" + "\x4a\x02\x08\x09" + "\x52\x00\x52\x02\x08\x01" + "\x62\x02\x08\x03" + "\x5a\x01e",
			want: whole{
				name: "a", names: []string{"", "b"}, blob: []byte("c"), unread: []byte("d"), count: 5, yes: true, counts: []int{7, 8},
				flags: []bool{true, false}, part: &inner{n: 9}, parts: []inner{{}, {n: 1}}, embedded: inner{n: 3},
				apart: "e",
			},
		},
		"the default values": {
			message: "\x12\x00\x1a\x00\x22\x00\x28\x00\x30\x00\x3a\x00\x4a\x00\x62\x00", written: "\x4a\x00",
			want: whole{blob: []byte{}, part: &inner{}},
		},
		"lists that are not packed": {message: "\x38\x07\x40\x01\x38\x08", written: "\x3a\x02\x07\x08\x42\x01\x01",
			want: whole{counts: []int{7, 8}, flags: []bool{true}}},
		"fields that occur twice": {message: "\x12\x01a\x1a\x01c\x22\x01d\x4a\x02\x08\x09\x12\x01b\x1a\x01e\x22\x01f\x4a\x02\x10\x01",
			written: "\x12\x01b\x1a\x01e\x22\x02df\x4a\x04\x08\x09\x10\x01",
			want:    whole{name: "b", blob: []byte("e"), unread: []byte("df"), part: &inner{9, []byte("\x10\x01")}}},
		"unknown fields": {message: "\x68\x01\x5a\x01e\x52\x02\x10\x01\x65\x01\x02\x03\x04", written: "\x52\x02\x10\x01\x5a\x01e\x68\x01\x65\x01\x02\x03\x04",
			want: whole{apart: "e", parts: []inner{{rest: []byte("\x10\x01")}}, rest: []byte("\x68\x01\x65\x01\x02\x03\x04")}},
		"fields of other types": {message: "\x10\x01\x2a\x01x\x50\x01\x58\x01\x3d\x01\x02\x03\x04",
			want: whole{rest: []byte("\x10\x01\x2a\x01x\x50\x01\x58\x01\x3d\x01\x02\x03\x04")}},
	} {
		var got whole
		require.NoError(t, wholeTable.ReadApart([]byte(c.message), &got, func(f wire.Field) error {
			assert.Equal(t, wire.Number(11), f.Number, name)
			got.apart = string(f.Bytes)
			return nil
		}), name)
		assert.Equal(t, c.want, got, name)
		if c.written == "" {
			c.written = c.message
		}
		assert.Equal(t, c.written, string(wholeTable.Append(nil, &got)), name)
	}
	require.ErrorIs(t, wholeTable.Read([]byte("\x4a\x01\x08"), new(whole)), wire.ErrMalformed)
}

func TestMessagesAreWrittenWithTheirSizes(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 127, 128, 20_000} {
		x := &inner{rest: []byte(strings.Repeat("x", size))}
		want := wire.AppendBytes([]byte("before"), 3, x.rest)
		assert.Equal(t, string(want), string(innerTable.AppendField([]byte("before"), 3, x)))
		if size == 0 {
			want = []byte("before")
		}
		assert.Equal(t, string(want), string(innerTable.AppendNonempty([]byte("before"), 3, x)))
	}
}
