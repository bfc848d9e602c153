// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

func TestWriteFileAndReadFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "x.npy")
	for _, v := range [][]dtype.BFloat16{{1, 2, 3, 4}, {0x3f80, 0x4000}} {
		a, err := npy.FromSlice(v, int64(len(v)/2), 2)
		require.NoError(t, err)
		require.NoError(t, npy.WriteFile(name, a))
		back, err := npy.ReadFileAs(name, dtype.BF16)
		require.NoError(t, err)
		assert.Equal(t, a, back)
	}
	entries, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no other file is left")
}

func TestWriteFileKeepsModeAndLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.npy"), filepath.Join(dir, "link.npy")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o600))
	require.NoError(t, os.Chmod(target, 0o640))
	require.NoError(t, os.Symlink(target, link))
	a, err := npy.FromSlice([]int32{7})
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(link, a))
	st, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, st.Mode()&os.ModeSymlink)
	st, err = os.Stat(target)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), st.Mode().Perm())
	_, err = npy.ReadFile(target)
	require.NoError(t, err)
}

func TestWriteFileLeavesTheOldFileOnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "x.npy")
	require.NoError(t, os.WriteFile(name, []byte("precious"), 0o600))
	err := npy.WriteFile(name, &npy.Array{Type: dtype.F32, Dims: []int64{2}, Data: make([]byte, 7)})
	require.ErrorContains(t, err, name)
	dims := make([]int64, 65)
	for i := range dims {
		dims[i] = 1
	}
	err = npy.WriteFile(name, &npy.Array{Type: dtype.F32, Dims: dims, Data: make([]byte, 4)})
	require.ErrorContains(t, err, "65 dimensions")
	kept, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(kept))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "the half-written file is gone")

	scalar := &npy.Array{Type: dtype.F32, Data: make([]byte, 4)}
	require.ErrorContains(t, npy.WriteFile(dir, scalar), "is a folder")
	require.ErrorIs(t, npy.WriteFile(filepath.Join(dir, "no", "x.npy"), scalar), os.ErrNotExist)
}

func TestWriteFileToADevice(t *testing.T) {
	t.Parallel()
	a := &npy.Array{Type: dtype.F32, Data: make([]byte, 4)}
	require.NoError(t, npy.WriteFile(os.DevNull, a))
	st, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	assert.False(t, st.Mode().IsRegular(), "the device is still a device")
}

// full is a writer that fails after this many bytes.
type full int

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if len(b) > int(*f) {
		n := int(*f)
		*f = 0
		return n, errFull
	}
	*f -= full(len(b))
	return len(b), nil
}

func TestWriteReturnsErrorsOfTheWriter(t *testing.T) {
	t.Parallel()
	a := &npy.Array{Type: dtype.F32, Data: make([]byte, 4)}
	for n := range 128 + 4 {
		f := full(n)
		require.ErrorIs(t, npy.Write(&f, a), errFull)
	}
	f := full(128 + 4)
	require.NoError(t, npy.Write(&f, a))
	f = 0
	require.ErrorIs(t, a.Format(&f, npy.FormatOptions{}), errFull)
}

func TestBadArraysAreRefusedEverywhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		array    npy.Array
		contains string
	}{
		{"zero", npy.Array{}, "element type invalid holds no data"},
		{"token", npy.Array{Type: dtype.Token}, "element type token holds no data"},
		{"short data", npy.Array{Type: dtype.F32, Dims: []int64{2, 3}, Data: make([]byte, 20)},
			"shape (2, 3) takes 24 bytes, but its data has 20"},
		{"long data", npy.Array{Type: dtype.S4, Dims: []int64{3}, Data: make([]byte, 4)}, "shape (3,) takes 3 bytes"},
		{"scalar without data", npy.Array{Type: dtype.S8}, "shape () takes 1 bytes"},
		{"negative", npy.Array{Type: dtype.F32, Dims: []int64{-1}}, "negative"},
		{"overflow", npy.Array{Type: dtype.F32, Dims: []int64{math.MaxInt64, 4}}, "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := &c.array
			require.ErrorContains(t, a.Check(), c.contains)
			require.ErrorContains(t, npy.Write(io.Discard, a), c.contains)
			require.ErrorContains(t, npy.WriteFile(filepath.Join(t.TempDir(), "x"), a), c.contains)
			_, err := a.Cast(dtype.F64)
			require.ErrorContains(t, err, c.contains)
			_, err = npy.ToSlice[float32](a)
			require.ErrorContains(t, err, c.contains)
			require.ErrorContains(t, a.Format(&bytes.Buffer{}, npy.FormatOptions{}), c.contains)
			assert.Contains(t, a.String(), c.contains)
		})
	}
}

func TestSlices(t *testing.T) {
	t.Parallel()
	s := []dtype.Int4{dtype.Wrap[dtype.Int4](-1), dtype.Wrap[dtype.Int4](5)}
	a, err := npy.FromSlice(s, 2)
	require.NoError(t, err)
	s[0] = 0
	back, err := npy.ToSlice[dtype.Int4](a)
	require.NoError(t, err)
	assert.Equal(t, []dtype.Int4{15, 5}, back, "the array is a copy")
	back[1] = 0
	assert.Equal(t, []byte{15, 5}, a.Data, "the slice is a copy")

	_, err = npy.ToSlice[dtype.Uint4](a)
	require.ErrorContains(t, err, "array holds i4, not ui4")
	_, err = npy.FromSlice(s, 3)
	require.ErrorContains(t, err, "its data has 2")
	empty, err := npy.FromSlice([]bool{}, 0, 5)
	require.NoError(t, err)
	assert.Zero(t, empty.Len())
	assert.Zero(t, (&npy.Array{}).Len())
}

func TestCastKeepsTheShape(t *testing.T) {
	t.Parallel()
	a, err := npy.FromSlice([]float64{0, -1.5, math.NaN(), 300}, 2, 2)
	require.NoError(t, err)
	c, err := a.Cast(dtype.Pred)
	require.NoError(t, err)
	assert.Equal(t, &npy.Array{Type: dtype.Pred, Dims: []int64{2, 2}, Data: []byte{0, 1, 1, 1}}, c)
	same, err := a.Cast(dtype.F64)
	require.NoError(t, err)
	same.Data[0], same.Dims[0] = 1, 4
	assert.Zero(t, a.Data[0], "a cast to the same type copies")
	assert.Equal(t, int64(2), a.Dims[0])

	z, err := a.Cast(dtype.C64)
	require.NoError(t, err)
	_, err = z.Cast(dtype.F32)
	require.ErrorContains(t, err, "imaginary parts would be lost")
	_, err = a.Cast(dtype.Token)
	require.ErrorContains(t, err, "have no elements")
}

func TestFormatOptionsBeyondNumPy(t *testing.T) {
	t.Parallel()
	show := func(a *npy.Array, o npy.FormatOptions) string {
		var b bytes.Buffer
		require.NoError(t, a.Format(&b, o))
		return b.String()
	}
	a, err := npy.FromSlice([]float32{0.5, 2.25}, 2)
	require.NoError(t, err)
	assert.Equal(t, "[0. 2.]", show(a, npy.FormatOptions{Precision: -1}))
	many, err := npy.FromSlice(make([]int8, 1001), 1001)
	require.NoError(t, err)
	assert.NotContains(t, show(many, npy.FormatOptions{Threshold: -1}), "...")
	assert.Equal(t, "[...]", show(many, npy.FormatOptions{EdgeItems: -1}))
}
