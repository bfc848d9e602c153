// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaproto_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// checkWhole checks that writing the options loses nothing.
func checkWhole(t *testing.T, o *xlaproto.CompileOptions) {
	t.Helper()
	b := o.Marshal()
	again, err := xlaproto.UnmarshalCompileOptions(b)
	require.NoError(t, err)
	require.Equal(t, b, again.Marshal())
	require.Equal(t, o, again)
}

// The files were written by XLA's own library.
func TestOptionsOfXLAAreReadAndWritten(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"options-full.pb", "options-default.pb"} {
		b, err := os.ReadFile("../../testdata/" + name)
		require.NoError(t, err)
		o, err := xlaproto.UnmarshalCompileOptions(b)
		require.NoError(t, err)
		assert.Empty(t, string(o.Unknown)+string(o.Build.Unknown), "all fields that XLA writes are known")
		require.NoError(t, o.Check())
		checkWhole(t, o)
	}
	assert.Empty(t, new(xlaproto.CompileOptions).Marshal())
}

func TestUnknownFieldsAreKept(t *testing.T) {
	t.Parallel()
	unknown := []byte("\x9a\x06\x01x")
	tile := xlaproto.Tile{Dims: []int64{8}, Unknown: unknown}
	shape := xlaproto.Shape{
		ElementType: 11, Dims: []int64{2}, Dynamic: []bool{true}, Unknown: unknown,
		Layout: &xlaproto.Layout{MinorToMajor: []int{0}, Tiles: []xlaproto.Tile{tile}, ElementBits: 4, MemorySpace: 5, TailPadding: 6, Unknown: unknown},
	}
	assignment := xlaproto.NewDeviceAssignment([][]int{{0, 1}, {2, 3}})
	assert.True(t, assignment.Plain())
	assert.Equal(t, [][]int{{0, 1}, {2, 3}}, assignment.IDs())
	assignment.Partitions[1].Unknown = unknown
	assert.False(t, assignment.Plain())
	o := &xlaproto.CompileOptions{
		ArgumentLayouts: []xlaproto.Shape{{ElementType: xlaproto.PrimitiveTuple, Tuple: []xlaproto.Shape{shape}}},
		Overrides: []xlaproto.Override{
			{Name: "a", Value: true}, {Name: "b", Unknown: unknown}, {Name: "a", Value: 0.5, Unknown: unknown}, {Name: "", Value: ""}, {Name: "c", Value: int64(-1)},
		},
		Build:   xlaproto.BuildOptions{ResultLayout: &shape, DeviceAssignment: assignment, Unknown: unknown},
		Unknown: unknown,
	}
	checkWhole(t, o)
}

func TestDeeplyNestedTuplesAreKeptUnread(t *testing.T) {
	t.Parallel()
	shape := xlaproto.Shape{ElementType: 11}
	for range 200 {
		shape = xlaproto.Shape{ElementType: xlaproto.PrimitiveTuple, Tuple: []xlaproto.Shape{shape}}
	}
	b := shape.Marshal()
	got, err := xlaproto.UnmarshalShape(b)
	require.NoError(t, err)
	assert.Equal(t, b, got.Marshal())
	depth := 0
	for s := &got; len(s.Tuple) > 0; s = &s.Tuple[0] {
		depth++
	}
	assert.Equal(t, xlaproto.MaxTupleDepth+1, depth)

	sharding := ""
	for range 100 {
		sharding = "\x2a" + string([]byte{byte(len(sharding)%0x80) | 0x80, byte(len(sharding) / 0x80)}) + sharding
	}
	_, err = xlaproto.UnmarshalSharding([]byte(sharding))
	require.ErrorContains(t, err, "nested more than 64 deep")
}

func TestEnums(t *testing.T) {
	t.Parallel()
	for name, number := range map[string]int32{"": 0, "O0": 9, "O1": 19, "O2": 29, "O3": 39} {
		got, ok := xlaproto.Efforts.Number(name)
		assert.True(t, ok)
		assert.Equal(t, number, got)
		back, ok := xlaproto.Efforts.Name(number)
		assert.True(t, ok)
		assert.Equal(t, name, back)
	}
	_, ok := xlaproto.Efforts.Number("O4")
	assert.False(t, ok)
	_, ok = xlaproto.Efforts.Name(1)
	assert.False(t, ok)
	assert.Equal(t, `"", "high" or "highest"`, xlaproto.Precisions.String())
}

func FuzzUnmarshalCompileOptions(f *testing.F) {
	for _, name := range []string{"options-full.pb", "options-default.pb"} {
		b, err := os.ReadFile("../../testdata/" + name)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte(strings.Repeat("\x0a\x05\x10\x0b\x9a\x06\x00", 2)))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := xlaproto.UnmarshalCompileOptions(b)
		if err != nil {
			return
		}
		// Empty and absent values mean the same. After one round they are absent.
		again, err := xlaproto.UnmarshalCompileOptions(o.Marshal())
		require.NoError(t, err)
		checkWhole(t, again)
	})
}
