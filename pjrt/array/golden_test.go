// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package array_test

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// golden holds what NumPy printed. testdata/golden.py made it.
var golden = sync.OnceValues(func() (g struct {
	Text []struct {
		Type string
		Dims []int64
		Data []byte
		Opts struct{ Precision, Threshold, EdgeItems, LineWidth int }
		Text string
	}
	Float16 []uint32
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

func TestFormatPrintsLikeNumPy(t *testing.T) {
	t.Parallel()
	g, err := golden()
	require.NoError(t, err)
	require.Greater(t, len(g.Text), 200)
	for i, c := range g.Text {
		t.Run(fmt.Sprintf("%d %s %v", i, c.Type, c.Dims), func(t *testing.T) {
			t.Parallel()
			typ, err := dtype.Parse(c.Type)
			require.NoError(t, err)
			a := array.Array{Type: typ, Dims: c.Dims, Data: c.Data}
			var b strings.Builder
			require.NoError(t, a.Format(&b, array.FormatOptions(c.Opts)))
			assert.Equal(t, c.Text, b.String())
		})
	}
}

func TestEveryFloat16PrintsLikeNumPy(t *testing.T) {
	t.Parallel()
	g, err := golden()
	require.NoError(t, err)
	for block, want := range g.Float16 {
		lines := make([]string, 256)
		for i := range lines {
			a := array.Array{Type: dtype.F16, Data: binary.LittleEndian.AppendUint16(nil, uint16(256*block+i))}
			lines[i] = a.String()
		}
		if got := crc32.ChecksumIEEE([]byte(strings.Join(lines, "\n"))); got != want {
			t.Errorf("codes from %#x print differently: %v", 256*block, lines)
		}
	}
}
