// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

// NumPy's own codes of one letter, as np.dtype(letter).str says them.
func TestLettersNameTypes(t *testing.T) {
	t.Parallel()
	for letter, want := range map[string]dtype.Type{
		"?": dtype.Pred, "b": dtype.S8, "B": dtype.U8, "h": dtype.S16, "H": dtype.U16, "i": dtype.S32, "I": dtype.U32, "q": dtype.S64,
		"Q": dtype.U64, "e": dtype.F16, "f": dtype.F32, "d": dtype.F64, "F": dtype.C64, "D": dtype.C128,
	} {
		one := make([]byte, want.Size())
		one[0] = 1
		a, err := npy.Read(bytes.NewReader(file(head("'"+letter+"'", "False", "()"), one...)))
		require.NoError(t, err, letter)
		assert.Equal(t, array.Array{Type: want, Dims: []int64{}, Data: one}, a, letter)
	}
	a, err := npy.Read(bytes.NewReader(file(head("'>f'", "False", "()"), 0x3f, 0x80, 0, 0)))
	require.NoError(t, err)
	assert.Equal(t, "1", a.String()[:1])
}

// testdata/two.npz is what numpy.savez_compressed wrote.
func TestAnArchiveOfNumPyIsRead(t *testing.T) {
	t.Parallel()
	a, err := npy.OpenArchive("testdata/two.npz")
	require.NoError(t, err)
	defer a.Close()
	assert.Equal(t, []string{"w", "b"}, a.Names())
	w, err := a.Read("w")
	require.NoError(t, err)
	assert.Equal(t, array.Of([]float32{0, 1, 2, 3, 4, 5}, 2, 3), w)
	_, err = a.Read("b")
	require.ErrorIs(t, err, npy.ErrOpaque)
	require.ErrorContains(t, err, `array "b"`)
	b, err := a.ReadAs("b", dtype.BF16)
	require.NoError(t, err)
	assert.Equal(t, "[1 2.5]", b.String())
	_, err = a.Read("c")
	require.ErrorContains(t, err, `the archive has no array "c", only w, b`)
	_, err = a.ReadAs("b", dtype.Token)
	require.ErrorContains(t, err, "it holds no data")
	_, err = npy.ReadFile("testdata/two.npz")
	require.ErrorContains(t, err, "read it with OpenArchive")
}

func TestBadArchivesAreRefused(t *testing.T) {
	t.Parallel()
	archive := func(names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name}) // not compressed
			require.NoError(t, err)
			require.NoError(t, npy.Write(w, array.Of([]int8{1})))
		}
		require.NoError(t, z.Close())
		return b.Bytes()
	}
	damaged := archive("a.npy")
	damaged[bytes.Index(damaged, []byte("\x93NUMPY"))+128]++ // the number, which the checksum covers
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":        {nil, "not a .npz file"},
		"cut off":      {archive("a.npy")[:50], "not a .npz file"},
		"PyTorch's":    {archive("archive/data.pkl", "archive/data/0"), "PyTorch's .pt files are zip archives, too"},
		"a name twice": {archive("a.npy", "a.npy"), `two arrays called "a"`},
	} {
		_, err := npy.NewArchive(bytes.NewReader(c.file), int64(len(c.file)))
		require.ErrorContains(t, err, c.want, name)
		path := filepath.Join(t.TempDir(), "bad.npz")
		require.NoError(t, os.WriteFile(path, c.file, 0o600))
		_, err = npy.OpenArchive(path)
		require.ErrorContains(t, err, path, name)
	}
	a, err := npy.NewArchive(bytes.NewReader(damaged), int64(len(damaged)))
	require.NoError(t, err)
	_, err = a.Read("a")
	require.ErrorIs(t, err, zip.ErrChecksum)
	require.NoError(t, a.Close())
	var none *npy.Archive
	assert.Empty(t, none.Names())
	require.NoError(t, none.Close())
	_, err = none.Read("a")
	require.Error(t, err)
}
