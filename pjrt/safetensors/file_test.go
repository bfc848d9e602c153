// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

// file returns a file with a header and the given number of bytes of data.
func file(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	for i := range data {
		b = append(b, byte(i))
	}
	return b
}

func open(b []byte) (*safetensors.File, error) {
	return safetensors.New(bytes.NewReader(b), int64(len(b)))
}

// The file was written by Python's package safetensors.
func TestAFileIsRead(t *testing.T) {
	t.Parallel()
	f, err := open(file(`{"__metadata__":{"format":"pt"},"b":{"dtype":"I16","shape":[],"data_offsets":[16,18]},`+
		`"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"none":{"dtype":"BF16","shape":[0,3],"data_offsets":[18,18]}}   `, 18))
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "none"}, f.Names())
	assert.Equal(t, map[string]string{"format": "pt"}, f.Metadata())
	shape, err := f.Shape("a")
	require.NoError(t, err)
	assert.Equal(t, "f32[2,2]", shape.String())
	a, err := f.Read("b")
	require.NoError(t, err)
	assert.Equal(t, pjrt.HostArray{Type: dtype.S16, Dims: []int64{}, Data: []byte{16, 17}}, a)
	a, err = f.Read("none")
	require.NoError(t, err)
	assert.Equal(t, "bf16[0,3]", a.Shape().String())
	_, err = f.Read("c")
	require.ErrorContains(t, err, `the file has no array "c" among its 3 arrays`)
	_, err = f.Shape("c")
	require.Error(t, err)
	_, _, err = f.Reader("c")
	require.Error(t, err)
	require.NoError(t, f.Close())
}

func TestDamagedAndHostileFilesAreErrors(t *testing.T) {
	t.Parallel()
	one := func(entry string) []byte { return file(`{"a":`+entry+`}`, 16) }
	huge := binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"empty":         {nil, "it has only 0 bytes"},
		"short":         {[]byte("abc"), "it has only 3 bytes"},
		"a huge header": {append(huge, make([]byte, 8)...), "or it is truncated"},
		"cut off":       {one(`{}`)[:12], "or it is truncated"},
		"no JSON":       {file(`hello`, 0), "the header is not a JSON object"},
		"a list":        {file(`[1,2]`, 0), "the header is not a JSON object"},
		"no type":       {one(`{"shape":[4],"data_offsets":[0,16]}`), `array "a": it has no dtype`},
		"no shape":      {one(`{"dtype":"F32","data_offsets":[0,16]}`), "it has no shape"},
		"a null shape":  {one(`{"dtype":"F32","shape":null,"data_offsets":[0,16]}`), "its shape is null"},
		"no offsets":    {one(`{"dtype":"F32","shape":[0]}`), "it has no data_offsets"},
		"one offset":    {one(`{"dtype":"F32","shape":[0],"data_offsets":[0]}`), "its data_offsets are 1 numbers"},
		"three offsets": {one(`{"dtype":"F32","shape":[4],"data_offsets":[0,16,16]}`), "its data_offsets are 3 numbers"},
		"another case":  {one(`{"dtype":"F32","Shape":[4],"data_offsets":[0,16]}`), "it has no shape"},
		"a shape twice": {one(`{"dtype":"F32","shape":[2],"shape":[4],"data_offsets":[0,16]}`), "it has two members shape"},
		"an array twice": {file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}`, 16),
			`the header has two arrays "a"`},
		"two metadata":     {file(`{"__metadata__":{},"__metadata__":{}}`, 0), "the metadata twice"},
		"bad UTF-8":        {file("{\"\xff\":1}", 0), "the header is not UTF-8"},
		"half a character": {file(`{"\ud800x":1}`, 0), `half of a character, \ud800`},
		"the other half":   {file(`{"\\\udc00":1}`, 0), `half of a character, \udc00`},
		"half a byte":      {file(`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`, 2), "do not fill whole bytes"},
		"a zip":            {append([]byte("PK\x03\x04"), make([]byte, 60)...), "it is not a safetensors file, but a zip"},
		"negative":         {one(`{"dtype":"F32","shape":[-4],"data_offsets":[0,16]}`), "-4"},
		"overflow":         {one(`{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,16]}`), `array "a"`},
		"too little":       {one(`{"dtype":"F32","shape":[5],"data_offsets":[0,16]}`), "its data has 16 bytes, but the shape f32[5] takes 20"},
		"beyond":           {one(`{"dtype":"F32","shape":[5],"data_offsets":[0,20]}`), "from byte 0 to 20, but the file has 16 bytes"},
		"backwards":        {one(`{"dtype":"F32","shape":[4],"data_offsets":[16,0]}`), "from byte 16 to 0"},
		"negative data":    {one(`{"dtype":"F32","shape":[4],"data_offsets":[-16,0]}`), `array "a"`},
		"a gap":            {one(`{"dtype":"F32","shape":[2],"data_offsets":[8,16]}`), "begins at 8, but the one before ends at 0"},
		"a rest":           {one(`{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`), "the arrays have 8 bytes, but the file has 16"},
		"an overlap":       {file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[3],"data_offsets":[4,16]}}`, 16), `array "b" begins at 4, but the one before ends at 8`},
		"the metadata":     {file(`{"__metadata__":{"a":1}}`, 0), "the metadata is not a JSON object of strings"},
	} {
		_, err := open(c.content)
		assert.ErrorContains(t, err, c.want, name)
	}
}

func TestReadReturnsWhatWriteWrote(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "x.safetensors")
	arrays := map[string]pjrt.HostArray{
		"layers.0.weight": pjrt.ArrayOf([]float32{1, 2, 3, 4, 5, 6}, 2, 3),
		"bias":            pjrt.ArrayOf([]dtype.BFloat16{1, 2, 3}, 3),
		"flag":            pjrt.ScalarOf[bool](true),
		"big":             pjrt.ArrayOf([]float64{math.Pi}, 1, 1),
		"eight":           pjrt.ArrayOf([]dtype.Float8E4M3FN{7, 8}, 2),
		"aligned":         pjrt.ArrayOf(make([]uint8, 64), 64),
	}
	require.NoError(t, safetensors.WriteFile(name, arrays, map[string]string{"by": "a test"}))
	require.NoError(t, safetensors.WriteFile(name, arrays, map[string]string{"by": "a test"}), "again")
	f, err := safetensors.Open(name)
	require.NoError(t, err)
	defer f.Close()
	assert.Equal(t, []string{"aligned", "big", "layers.0.weight", "bias", "eight", "flag"}, f.Names(), "the widest elements come first")
	assert.Equal(t, map[string]string{"by": "a test"}, f.Metadata())
	for name, want := range arrays {
		got, err := f.Read(name)
		require.NoError(t, err)
		assert.Equal(t, want.Shape().String(), got.Shape().String())
		assert.Equal(t, want.Data, got.Data)
	}
	files, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	assert.Len(t, files, 1, "no temporary file is left")
}

func TestPackedElementsHaveAByteEach(t *testing.T) {
	t.Parallel()
	content := file(`{"four":{"dtype":"F4","shape":[2,2],"data_offsets":[0,2]},"six":{"dtype":"F6_E3M2","shape":[4],"data_offsets":[2,5]}}`, 5)
	copy(content[len(content)-5:], []byte{0x21, 0x43, 0b10_000001, 0b0011_0000, 0b000100_00})
	f, err := open(content)
	require.NoError(t, err)
	four, err := f.Read("four")
	require.NoError(t, err)
	assert.Equal(t, pjrt.HostArray{Type: dtype.F4E2M1FN, Dims: []int64{2, 2}, Data: []byte{1, 2, 3, 4}}, four)
	six, err := f.Read("six")
	require.NoError(t, err)
	assert.Equal(t, pjrt.HostArray{Type: dtype.F6E3M2FN, Dims: []int64{4}, Data: []byte{1, 2, 3, 4}}, six)
}

func TestAnUnknownTypeLeavesTheOtherArraysReadable(t *testing.T) {
	t.Parallel()
	f, err := open(file(`{"new":{"dtype":"Q3","shape":[9],"data_offsets":[0,4]},"old":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}`, 6))
	require.NoError(t, err)
	assert.Equal(t, []string{"new", "old"}, f.Names())
	_, err = f.Read("old")
	require.NoError(t, err)
	for _, ask := range []func() error{
		func() error { _, err := f.Read("new"); return err },
		func() error { _, err := f.Shape("new"); return err },
		func() error { _, _, err := f.Reader("new"); return err },
	} {
		require.EqualError(t, ask(), `array "new": the element type "Q3" is unknown`)
	}
}

func TestAMissingArrayNamesTheNearestOnesAndTheFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "x.safetensors")
	one := pjrt.ArrayOf([]float32{1}, 1)
	require.NoError(t, safetensors.WriteFile(name, map[string]pjrt.HostArray{"fc1.weight": one, "fc2.weight": one, "other": one}, nil))
	f, err := safetensors.Open(name)
	require.NoError(t, err)
	defer f.Close()
	_, err = f.Read("fc9.weight")
	require.EqualError(t, err, name+` has no array "fc9.weight" among its 3 arrays; did you mean "fc1.weight", "fc2.weight"?`)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestArraysThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	type arrays = map[string]pjrt.HostArray
	one := pjrt.ArrayOf([]float32{1}, 1)
	for name, c := range map[string]struct {
		arrays arrays
		want   string
	}{
		"a type":   {arrays{"a": {Type: dtype.S4, Dims: []int64{1}, Data: []byte{1}}}, "the format has no element type i4"},
		"the name": {arrays{"__metadata__": one}, "an array cannot be called __metadata__"},
		"data":     {arrays{"a": {Type: dtype.F32, Dims: []int64{2}, Data: one.Data}}, "takes 8 bytes, but its data has 4"},
		"packed":   {arrays{"a": {Type: dtype.F4E2M1FN, Dims: []int64{2}, Data: []byte{1, 2}}}, "can be read but not written"},
		"negative": {arrays{"a": {Type: dtype.F32, Dims: []int64{-2}}}, `array "a"`},
	} {
		require.ErrorContains(t, safetensors.Write(&bytes.Buffer{}, c.arrays, nil), c.want, name)
	}
	require.ErrorContains(t, safetensors.Write(failing{}, arrays{"a": one}, nil), "the disk is full")
	dir := t.TempDir()
	require.Error(t, safetensors.WriteFile(filepath.Join(dir, "none", "x"), arrays{"a": one}, nil))
	require.Error(t, safetensors.WriteFile(filepath.Join(dir, "x"), arrays{"__metadata__": one}, nil))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, files)
	_, err = safetensors.Open(dir)
	require.ErrorContains(t, err, ", not a regular file")
	_, err = safetensors.Open(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestWriteFileFollowsLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("target", link))
	require.NoError(t, safetensors.WriteFile(link, map[string]pjrt.HostArray{"a": pjrt.ScalarOf[float32](1)}, nil))
	target, err := os.Readlink(link)
	require.NoError(t, err)
	assert.Equal(t, "target", target)
	f, err := safetensors.Open(filepath.Join(dir, "target"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func FuzzNew(f *testing.F) {
	f.Add(file(`{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}`, 16))
	f.Add(file(`{"__metadata__":{"format":"pt"}}`, 0))
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := open(content)
		if err != nil {
			return
		}
		for _, name := range file.Names() {
			if _, err := file.Read(name); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
	})
}
