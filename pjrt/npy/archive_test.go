// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
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

// zipped returns an archive of one file, to which the directory gives the stated size.
func zipped(t *testing.T, method uint16, file []byte, stated uint64) []byte {
	t.Helper()
	var packed bytes.Buffer
	if method == zip.Deflate {
		w, err := flate.NewWriter(&packed, flate.BestSpeed)
		require.NoError(t, err)
		_, err = w.Write(file)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	} else {
		packed.Write(file)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{
		Name: "a.npy", Method: method, CRC32: crc32.ChecksumIEEE(file), CompressedSize64: uint64(packed.Len()), UncompressedSize64: stated,
	})
	require.NoError(t, err)
	_, err = w.Write(packed.Bytes())
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// It counts what all goroutines allocate, and so runs alone.
func TestAnArrayOfAnArchiveIsReadIntoMemoryOfItsSize(t *testing.T) {
	const size, other = 8 << 20, 1 << 20 // other is what reading takes besides
	long := func(fill func([]byte)) []byte {
		f := file(head("'|u1'", "False", fmt.Sprintf("(%d,)", size)), make([]byte, size)...)
		fill(f[len(f)-size:])
		return f
	}
	zeros := long(func([]byte) {})
	noise := long(func(b []byte) {
		random := rand.New(rand.NewPCG(1, 2))
		for i := range b {
			b[i] = byte(random.Uint32()) & 15
		}
	})
	cut, more := zeros[:len(zeros)-5], append(zeros, 0)
	for name, c := range map[string]struct {
		archive []byte
		most    uint64
		want    string // of the error
	}{
		"stored":                   {zipped(t, zip.Store, noise, uint64(len(noise))), size + other, ""},
		"compressed":               {zipped(t, zip.Deflate, noise, uint64(len(noise))), size + other, ""},
		"compressed much":          {zipped(t, zip.Deflate, zeros, uint64(len(zeros))), size + other, ""},
		"cut off":                  {zipped(t, zip.Deflate, cut, uint64(len(cut))), other, "but the file has 8388603"},
		"too long":                 {zipped(t, zip.Deflate, more, uint64(len(more))), other, "but the file has 8388609 or more"},
		"longer in the directory":  {zipped(t, zip.Deflate, cut, uint64(len(zeros))), other, "unexpected EOF"},
		"shorter in the directory": {zipped(t, zip.Deflate, zeros, 1000), other, "but the file has "},
		"huge in the directory":    {zipped(t, zip.Deflate, zeros, 1<<60), other, "unexpected EOF"},
	} {
		a, err := npy.NewArchive(bytes.NewReader(c.archive), int64(len(c.archive)))
		require.NoError(t, err, name)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		x, err := a.Read("a")
		runtime.ReadMemStats(&after)
		assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, c.most, name)
		if c.want != "" {
			require.ErrorContains(t, err, c.want, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Len(t, x.Data, size, name)
	}
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
