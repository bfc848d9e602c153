// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

type goldenArray struct {
	Type string
	Dims []int64
	Data []byte
}

func (g goldenArray) array(t *testing.T) array.Array {
	t.Helper()
	typ, err := dtype.Parse(g.Type)
	require.NoError(t, err)
	return array.Array{Type: typ, Dims: g.Dims, Data: g.Data}
}

type goldenFile struct {
	goldenArray
	File  []byte
	Plain bool // row-major and little-endian, format version 1: what Write should give
}

// golden holds what NumPy saved. testdata/golden.py made it.
var golden = sync.OnceValues(func() (g struct {
	Files []goldenFile
}, err error) {
	f, err := os.Open("testdata/golden.json.gz")
	if err != nil {
		return g, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return g, err
	}
	err = json.NewDecoder(z).Decode(&g)
	return g, err
})

func TestReadGivesWhatNumPySaved(t *testing.T) {
	t.Parallel()
	g, err := golden()
	require.NoError(t, err)
	require.Greater(t, len(g.Files), 100)
	for i, c := range g.Files {
		t.Run(fmt.Sprintf("%d %s %v", i, c.Type, c.Dims), func(t *testing.T) {
			t.Parallel()
			want := c.array(t)
			got, err := npy.ReadAs(bytes.NewReader(c.File), want.Type)
			require.NoError(t, err)
			assert.Equal(t, want.Type, got.Type)
			assert.Equal(t, append([]int64{}, want.Dims...), got.Dims)
			assert.Equal(t, want.Data, append([]byte{}, got.Data...))

			got, err = npy.Read(bytes.NewReader(c.File))
			if strings.HasPrefix(want.Type.Descr(), "<V") && want.Type != dtype.F8E5M2 {
				assert.ErrorIs(t, err, npy.ErrOpaque)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, want.Type, got.Type)
		})
	}
}

func TestWriteGivesTheBytesOfNumPy(t *testing.T) {
	t.Parallel()
	g, err := golden()
	require.NoError(t, err)
	compared := 0
	for _, c := range g.Files {
		if !c.Plain {
			continue
		}
		compared++
		want := c.File
		if c.Type == "float8_e5m2" {
			// NumPy cannot load <f1, the word that ml_dtypes writes for this type.
			want = bytes.Replace(want, []byte("'<f1'"), []byte("'<V1'"), 1)
		}
		var b bytes.Buffer
		require.NoError(t, npy.Write(&b, c.array(t)))
		assert.Equal(t, want, b.Bytes(), "%s %v", c.Type, c.Dims)
	}
	assert.Greater(t, compared, 90)
}
