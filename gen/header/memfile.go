// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"io"
	"io/fs"
	"time"
)

// memFile is a read-only file in memory.
type memFile struct {
	name string
	text []byte
	off  int

	absent bool   // it says that it is no file
	onRead func() // called when it is read, unless it is nil
}

func (f *memFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *memFile) Close() error               { return nil }

func (f *memFile) Read(p []byte) (int, error) {
	if f.onRead != nil {
		f.onRead()
	}
	if f.off == len(f.text) {
		return 0, io.EOF
	}
	n := copy(p, f.text[f.off:])
	f.off += n
	return n, nil
}

func (f *memFile) Name() string       { return f.name }
func (f *memFile) Size() int64        { return int64(len(f.text)) }
func (f *memFile) Mode() fs.FileMode  { return 0o444 }
func (f *memFile) ModTime() time.Time { return time.Time{} }
func (f *memFile) IsDir() bool        { return f.absent }
func (f *memFile) Sys() any           { return nil }
