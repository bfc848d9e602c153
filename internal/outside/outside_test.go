// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package outside

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// says counts what it did not read or write.
type says struct {
	n   int
	err error
}

func (s says) Read([]byte) (int, error)             { return s.n, s.err }
func (s says) ReadAt([]byte, int64) (int, error)    { return s.n, s.err }
func (s says) Write([]byte) (int, error)            { return s.n, s.err }
func readAll(r io.Reader) ([]byte, error)           { return io.ReadAll(Reader(r)) }
func readAt(r io.ReaderAt, p []byte) (int, error)   { return ReaderAt(r).ReadAt(p, 0) }
func writeTo(w io.Writer, text string) (int, error) { return Writer(w).Write([]byte(text)) }

func TestReadersThatKeepTheRulesAreReadAsTheyAre(t *testing.T) {
	const text = "some text"
	for name, r := range map[string]io.Reader{
		"at once": strings.NewReader(text), "a byte at a time": iotest.OneByteReader(strings.NewReader(text)),
		"with its end": iotest.DataErrReader(strings.NewReader(text)), "with pauses": &pausing{text: text},
	} {
		got, err := readAll(r)
		require.NoError(t, err, name)
		assert.Equal(t, text, string(got), name)
	}
	p := make([]byte, 4)
	n, err := readAt(strings.NewReader(text), p)
	require.NoError(t, err)
	assert.Equal(t, text[:4], string(p[:n]))
	var out bytes.Buffer
	_, err = writeTo(&out, text)
	require.NoError(t, err)
	assert.Equal(t, text, out.String())
}

// pausing gives a byte after every 99 times that it gives nothing.
type pausing struct {
	text  string
	reads int
}

func (p *pausing) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	if p.reads++; p.reads%100 != 0 {
		return 0, nil
	}
	n := copy(b[:1], p.text)
	p.text = p.text[n:]
	return n, nil
}

func TestReadersAndWritersThatBreakTheRulesAreErrors(t *testing.T) {
	broken := errors.New("broken")
	_, err := readAll(says{})
	require.ErrorIs(t, err, io.ErrNoProgress)
	_, err = readAt(says{n: 3}, make([]byte, 4))
	require.ErrorIs(t, err, io.ErrNoProgress)
	_, err = writeTo(says{n: 3}, "text")
	require.ErrorIs(t, err, io.ErrShortWrite)
	for _, n := range []int{-1, 1 << 30} {
		_, err = readAll(says{n: n})
		require.ErrorContains(t, err, "the reader says that it read")
		_, err = readAt(says{n: n}, make([]byte, 4))
		require.ErrorContains(t, err, "the reader says that it read")
		_, err = writeTo(says{n: n}, "text")
		require.ErrorContains(t, err, "the writer says that it wrote")
	}
	_, err = readAll(nil)
	require.EqualError(t, err, "the reader is nil")
	_, err = readAt(nil, make([]byte, 4))
	require.EqualError(t, err, "the reader is nil")
	_, err = writeTo(nil, "text")
	require.EqualError(t, err, "the writer is nil")
	for _, do := range []func() error{
		func() error { _, err := readAll(says{err: broken}); return err },
		func() error { _, err := readAt(says{err: broken}, make([]byte, 4)); return err },
		func() error { _, err := writeTo(says{err: broken}, "text"); return err },
	} {
		require.ErrorIs(t, do(), broken)
	}
}

func TestFilesAreOpenedAndFoldersAreNot(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte("text"), 0o600))
	got, err := ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "text", string(got))
	for _, other := range []string{filepath.Dir(name), name + "2", os.DevNull} {
		_, err := ReadFile(other)
		require.ErrorContains(t, err, other)
	}
}
