// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// An entry is a file: the magic number, the key, the length of the executable,
// the executable, and the SHA-256 of all that.
const (
	magic      = "PJRTEXE\x01"
	headerSize = len(magic) + len(entryKey{}) + 8
	frameSize  = headerSize + sha256.Size
)

// entrySuffix ends the name of an entry, after the digits of its key.
const entrySuffix = ".pjrtexe"

// errDamaged says that an entry is not what store wrote.
var errDamaged = errors.New("damaged entry")

// entryKey is the result of Client.CompileKey.
type entryKey [sha256.Size]byte

func entryName(key entryKey) string { return hex.EncodeToString(key[:]) + entrySuffix }

// isEntry reports whether a file has the name of an entry.
func isEntry(name string) bool {
	digits, ok := strings.CutSuffix(name, entrySuffix)
	return ok && len(digits) == 2*len(entryKey{}) && strings.Trim(digits, "0123456789abcdef") == ""
}

// frame returns what precedes and follows the executable in its file.
func frame(key entryKey, executable []byte) (header, sum []byte) {
	header = append([]byte(magic), key[:]...)
	header = binary.LittleEndian.AppendUint64(header, uint64(len(executable)))
	h := sha256.New()
	h.Write(header)
	_ = preempt.Write(h, executable) // a hash never returns an error
	return header, h.Sum(nil)
}

// readEntry reads a file of size bytes, checks it and returns the executable in
// it.
func readEntry(key entryKey, r io.Reader, size int64) ([]byte, error) {
	header := make([]byte, headerSize)
	switch n, err := io.ReadFull(r, header); {
	case isEnd(err):
		return nil, fmt.Errorf("%w: it has only %d bytes", errDamaged, n)
	case err != nil:
		return nil, err
	}
	length := binary.LittleEndian.Uint64(header[headerSize-8:])
	switch {
	case !bytes.HasPrefix(header, []byte(magic)):
		return nil, fmt.Errorf("%w: it is not an entry of a cache", errDamaged)
	case !bytes.Equal(header[len(magic):headerSize-8], key[:]):
		return nil, fmt.Errorf("%w: it has another key", errDamaged)
	case size < int64(frameSize) || length != uint64(size)-uint64(frameSize):
		return nil, fmt.Errorf("%w: its length is wrong", errDamaged)
	}
	rest := make([]byte, size-int64(headerSize))
	switch _, err := io.ReadFull(r, rest); {
	case isEnd(err):
		return nil, fmt.Errorf("%w: it shrank while it was read", errDamaged)
	case err != nil:
		return nil, err
	}
	executable := rest[:length]
	if _, sum := frame(key, executable); !bytes.Equal(rest[length:], sum) {
		return nil, fmt.Errorf("%w: its checksum is wrong", errDamaged)
	}
	return executable, nil
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
