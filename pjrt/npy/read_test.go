// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

// file returns a .npy file of format version 1 with the given header text.
func file(header string, data ...byte) []byte {
	b := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(header)))...)
	return append(append(b, header...), data...)
}

func head(descr, fortran, shape string) string {
	return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n"
}

func TestReadRefusesBadFiles(t *testing.T) {
	t.Parallel()
	f4 := func(shape string, n int) []byte { return file(head("'<f4'", "False", shape), make([]byte, n)...) }
	of := func(descr string) []byte { return file(head(descr, "False", "(1,)"), make([]byte, 64)...) }
	for _, c := range []struct {
		name     string
		file     []byte
		contains string
	}{
		{"empty", nil, "cannot read the .npy header: unexpected EOF"},
		{"cut in magic", []byte("\x93NUM"), "cannot read the .npy header"},
		{"other format", []byte("PK\x03\x04 zip file"), "not a .npy file but a zip archive"},
		{"unknown version", []byte("\x93NUMPY\x04\x00\x10\x00\x00\x00"), "version 4.0 is unknown"},
		{"unknown minor version", []byte("\x93NUMPY\x01\x01\x10\x00"), "version 1.1 is unknown"},
		{"no length", []byte("\x93NUMPY\x01\x00\x10"), "cannot read the length"},
		{"huge header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "4294967295 bytes is too long"},
		{"cut header", []byte("\x93NUMPY\x01\x00\x10\x00{'descr'"), "stops after 8 of 16 bytes"},
		{"no dict", file("hello"), "'h' where { should be"},
		{"dict cut off", file("{'descr': '<f4'"), "ends too early"},
		{"string cut off", file("{'descr': '<f4"), "ends too early"},
		{"value missing", file("{'descr':"), "ends too early"},
		{"no colon", file("{'descr' '<f4'}"), "where : should be"},
		{"no comma", file("{'descr': '<f4' 'shape': ()}"), "where , or } should be"},
		{"key twice", file("{'descr': '<f4', 'descr': '<f4'}"), "occurs twice"},
		{"key no string", file("{1: 2}"), "where a string should be"},
		{"key missing", file("{'descr': '<f4', 'shape': ()}"), `no "fortran_order"`},
		{"key too many", file("{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}"), "other keys"},
		{"text after dict", file(head("'<f4'", "False", "()") + "x"), "where the end should be"},
		{"escape", of(`'<f\x34'`), "escape"},
		{"nested too deeply", file("{'descr': " + strings.Repeat("[", 5000)), "nested too deeply"},
		{"descr number", of("4"), "descr is 4, not a string"},
		{"fortran_order number", file(head("'<f4'", "0", "()")), "fortran_order is 0"},
		{"shape number", file(head("'<f4'", "False", "3")), "shape is 3, not a tuple"},
		{"shape of strings", file(head("'<f4'", "False", "('3',)")), "dimension 0 of shape is 3, not an integer"},
		{"shape cut off", file("{'shape': (3, "), "ends too early"},
		{"shape without comma", file("{'shape': (3 4)}"), "where a comma or ) should be"},
		{"negative dimension", f4("(2, -3)", 24), "dimension 1 of shape (2, -3) is negative"},
		{"dimension beyond 64 bits", f4("(99999999999999999999,)", 4), "99999999999999999999 is not a number of 64 bits"},
		{"just a minus", f4("(-,)", 4), "- is not a number"},
		{"too large", f4("(4611686018427387904, 4)", 16), "too large for memory"},
		{"too large beside a zero", f4("(4611686018427387904, 4, 0)", 0), "too large for memory"},
		{"too large for plugins", f4("(700000000000000000, 0)", 0), "is empty, but the product of its other dimensions is too large for plugins"},
		{"largest product", f4("(9223372036854775807,)", 16), "too large for memory"},
		{"too many dimensions", f4("("+strings.Repeat("1,", 65)+")", 4), "65 dimensions"},
		{"data missing", f4("(3,)", 11), "takes 12 bytes of data, but the file has 11"},
		{"no data", f4("(3,)", 0), "takes 12 bytes of data, but the file has 0"},
		{"huge without data", f4("(1000000, 1000000)", 5), "takes 4000000000000 bytes of data, but the file has 5"},
		{"data left over", f4("(3,)", 13), "takes 12 bytes of data, but the file has 13"},
		{"objects", of("'|O'"), "Python objects"},
		{"unicode", of("'<U7'"), "unicode strings"},
		{"bytes", of("'|S5'"), "byte strings"},
		{"dates", of("'<M8[ns]'"), "dates"},
		{"time differences", of("'<m8[ns]'"), "time differences"},
		{"structured", of("[('a', '<f4'), ('b', '<i4')]"), "structured elements"},
		{"subarray", of("('<f4', (2,))"), "structured elements"},
		{"long double", of("'<f16'"), "long double"},
		{"complex long double", of("'<c32'"), "long double"},
		{"unknown word", of("'<x4'"), `unknown NumPy type "<x4"`},
		{"unknown width", of("'<f3'"), `unknown NumPy type "<f3"`},
		{"two orders", of("'<>f4'"), "unknown NumPy type"},
		{"only order", of("'<'"), "unknown NumPy type"},
		{"empty word", of("''"), "unknown NumPy type"},
		{"void of no width", of("'|V0'"), "unknown NumPy type"},
		{"a page", []byte("<!DOCTYPE html><html>"), "not a .npy file but an HTML page"},
		{"a pointer", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0"), "not a .npy file but a pointer of Git LFS"},
		{"an archive", []byte("PK\x03\x04\x14\x00\x00\x00"), "if it is NumPy's .npz, read it with OpenArchive"},
		{"letter of two sizes", of("'l'"), "unknown NumPy type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, err := npy.Read(bytes.NewReader(c.file))
			require.ErrorContains(t, err, c.contains)
			assert.Zero(t, a)

			// ReadFile knows the size beforehand, and its error names the file.
			name := filepath.Join(t.TempDir(), "bad.npy")
			require.NoError(t, os.WriteFile(name, c.file, 0o600))
			_, err = npy.ReadFile(name)
			require.ErrorContains(t, err, c.contains)
			assert.ErrorContains(t, err, name)
		})
	}
}

func TestReadTakesLooseHeaders(t *testing.T) {
	t.Parallel()
	data := []byte{0, 0, 128, 63, 0, 0, 0, 64}
	for name, header := range map[string]string{
		"plain":            head("'<f4'", "False", "(2,)"),
		"no spaces":        "{'descr':'<f4','fortran_order':False,'shape':(2,)}",
		"other order":      "{'shape': (2,), 'fortran_order': False, 'descr': '<f4'}",
		"double quotes":    `{"descr": "<f4", "fortran_order": False, "shape": (2,)}`,
		"python 2 long":    head("'<f4'", "False", "(2L,)"),
		"list shape":       head("'<f4'", "False", "[2]"),
		"native order":     head("'=f4'", "False", "(2,)"),
		"no order":         head("'f4'", "False", "(2,)"),
		"irrelevant order": head("'|f4'", "False", "(2,)"),
		"by name":          head("'float32'", "False", "(2,)"),
		"fortran":          head("'<f4'", "True", "(2,)"),
		"padding of zeros": head("'<f4'", "False", "(2,)") + "\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := npy.Read(iotest.OneByteReader(bytes.NewReader(file(header, data...))))
			require.NoError(t, err)
			v, err := array.ToSlice[float32](a)
			require.NoError(t, err)
			assert.Equal(t, []float32{1, 2}, v)
			assert.Equal(t, []int64{2}, a.Dims)
		})
	}
}

func TestReadHeaderLeavesTheDataUnread(t *testing.T) {
	t.Parallel()
	r := bytes.NewReader(file(head("'>i2'", "True", "(2, 1)"), 0, 1, 0, 2))
	h, err := npy.ReadHeader(r)
	require.NoError(t, err)
	assert.Equal(t, ">i2", h.Descr)
	assert.Equal(t, dtype.S16, h.Type)
	assert.Equal(t, 2, h.Size)
	assert.True(t, h.BigEndian)
	assert.True(t, h.Fortran)
	assert.Equal(t, []int64{2, 1}, h.Dims)
	assert.Equal(t, 4, r.Len())
}

func TestReadAsTakesWordsBitForBit(t *testing.T) {
	t.Parallel()
	words := func(descr string) *bytes.Reader {
		return bytes.NewReader(file(head("'"+descr+"'", "False", "(2,)"), 0x80, 0x3f, 0x01, 0xff))
	}
	for _, descr := range []string{"<V2", "|V2", ">V2"} {
		for _, typ := range []dtype.Type{dtype.BF16, dtype.F16, dtype.U16} {
			a, err := npy.ReadAs(words(descr), typ)
			require.NoError(t, err)
			assert.Equal(t, array.Array{Type: typ, Dims: []int64{2}, Data: []byte{0x80, 0x3f, 0x01, 0xff}}, a)
		}
	}
	_, err := npy.Read(words("<V2"))
	require.ErrorIs(t, err, npy.ErrOpaque)
	require.ErrorContains(t, err, `"<V2" of 2 bytes`)
	for _, typ := range []dtype.Type{dtype.F8E5M2, dtype.F32} {
		_, err = npy.ReadAs(words("<V2"), typ)
		require.ErrorContains(t, err, "is 2 bytes wide and cannot be read as "+typ.String())
	}
	_, err = npy.ReadAs(words("<V2"), dtype.Token)
	require.ErrorContains(t, err, "it holds no data")
	_, err = npy.ReadFileAs("x.npy", dtype.Invalid)
	require.ErrorContains(t, err, "it holds no data")
}

func TestReadAsCastsNumbers(t *testing.T) {
	t.Parallel()
	in := file(head("'>f4'", "True", "(2, 2)"), 0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0x40, 0x40, 0, 0, 0xc0, 0x80, 0, 0)
	a, err := npy.ReadAs(bytes.NewReader(in), dtype.S8)
	require.NoError(t, err)
	v, err := array.ToSlice[int8](a)
	require.NoError(t, err)
	assert.Equal(t, []int8{1, 3, 2, -4}, v)

	_, err = npy.ReadAs(bytes.NewReader(file(head("'<c8'", "False", "()"), make([]byte, 8)...)), dtype.F32)
	require.ErrorContains(t, err, "imaginary parts would be lost")
}

func TestReadMakesBoolsZeroOrOne(t *testing.T) {
	t.Parallel()
	a, err := npy.Read(bytes.NewReader(file(head("'|b1'", "False", "(3,)"), 0, 1, 255)))
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 1, 1}, a.Data)
}

func TestReadReturnsErrorsOfTheReader(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	whole := file(head("'<f4'", "False", "(2,)"), make([]byte, 8)...)
	for n := range len(whole) + 1 {
		_, err := npy.Read(io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken, "after %d bytes", n)
	}
}

func TestReadAllocatesOnlyWhatArrives(t *testing.T) {
	huge := file(head("'<f8'", "False", "(100000, 100000)"), make([]byte, 100)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := npy.Read(bytes.NewReader(huge))
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func TestReadFileThatDoesNotExist(t *testing.T) {
	t.Parallel()
	_, err := npy.ReadFile(filepath.Join(t.TempDir(), "absent.npy"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = npy.ReadFile(t.TempDir())
	require.Error(t, err)
}

func FuzzRead(f *testing.F) {
	g, err := golden()
	require.NoError(f, err)
	for _, c := range g.Files {
		f.Add(c.File)
	}
	f.Add(file(head("'<f4'", "False", "(4611686018427387904, 4)")))
	f.Add(file(head("'|u1'", "False", "(700000000000000000, 0)")))
	f.Add(file("{'descr': [('a', '<f4')], 'fortran_order': True, 'shape': (1L,)}", 1, 2, 3, 4))
	f.Add([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		// Go's fuzzer minimizes each input that reaches new code, with as many attempts as the
		// square of its length, and reports no progress meanwhile. With inputs of some kilobytes it
		// seems to stall, for up to a minute each.
		const longest = 512
		if len(in) > longest {
			return
		}
		a, err := npy.Read(bytes.NewReader(in))
		if errors.Is(err, npy.ErrOpaque) {
			a, err = npy.ReadAs(bytes.NewReader(in), dtype.BF16)
		}
		if err != nil {
			return
		}
		require.NoError(t, a.Check())
		var b bytes.Buffer
		require.NoError(t, npy.Write(&b, a))
		again, err := npy.ReadAs(&b, a.Type)
		require.NoError(t, err)
		require.Equal(t, a.Type, again.Type)
		require.Equal(t, a.Dims, again.Dims)
		require.True(t, bytes.Equal(a.Data, again.Data))
		_ = a.String()
	})
}
