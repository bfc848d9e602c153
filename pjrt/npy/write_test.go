// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

func TestWriteFileAndReadFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "x.npy")
	for _, v := range [][]dtype.BFloat16{{1, 2, 3, 4}, {0x3f80, 0x4000}} {
		a := array.Of(v, int64(len(v)/2), 2)
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
	a := array.ScalarOf[int32](7)
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
	err := npy.WriteFile(name, array.Array{Type: dtype.F32, Dims: []int64{2}, Data: make([]byte, 7)})
	require.ErrorContains(t, err, name)
	dims := make([]int64, 65)
	for i := range dims {
		dims[i] = 1
	}
	err = npy.WriteFile(name, array.Array{Type: dtype.F32, Dims: dims, Data: make([]byte, 4)})
	require.ErrorContains(t, err, "65 dimensions")
	kept, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(kept))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "the half-written file is gone")

	scalar := array.Array{Type: dtype.F32, Data: make([]byte, 4)}
	require.ErrorContains(t, npy.WriteFile(dir, scalar), "is a folder")
	require.ErrorIs(t, npy.WriteFile(filepath.Join(dir, "no", "x.npy"), scalar), os.ErrNotExist)
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
	a := array.Array{Type: dtype.F32, Data: make([]byte, 4)}
	for n := range 128 + 4 {
		f := full(n)
		require.ErrorIs(t, npy.Write(&f, a), errFull)
	}
	f := full(128 + 4)
	require.NoError(t, npy.Write(&f, a))
}

func TestWriteRefusesArraysThatDoNotFitTheirShape(t *testing.T) {
	t.Parallel()
	for _, a := range []array.Array{{}, {Type: dtype.F32, Dims: []int64{2, 3}, Data: make([]byte, 20)}} {
		want := a.Check()
		require.Error(t, want)
		require.ErrorContains(t, npy.Write(io.Discard, a), want.Error())
		require.ErrorContains(t, npy.WriteFile(filepath.Join(t.TempDir(), "x"), a), want.Error())
	}
}
