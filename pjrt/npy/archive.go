// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Archive is a .npz file: .npy files in a zip archive, compressed or not, as numpy.savez writes it.
// Its methods may be called from any goroutine.
type Archive struct {
	names []string
	files map[string]*zip.File
	size  int64
	close func() error
}

// OpenArchive opens the named .npz file. The caller closes the Archive. Errors name the file.
func OpenArchive(name string) (*Archive, error) {
	f, err := outside.Open(name)
	if err != nil {
		return nil, err
	}
	var a *Archive
	info, err := f.Stat()
	if err == nil {
		a, err = NewArchive(f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a.close = f.Close
	return a, nil
}

// NewArchive reads the directory of a .npz file of size bytes. Two arrays of one name are an error,
// and files in the archive that are not called .npy are left out.
func NewArchive(r io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(outside.ReaderAt(r), size)
	if err != nil {
		return nil, fmt.Errorf("not a .npz file: %w", err)
	}
	a := &Archive{files: make(map[string]*zip.File), size: size}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if a.files[name] != nil {
			return nil, fmt.Errorf("the archive has two arrays called %q", excerpt.Of(name))
		}
		a.names = append(a.names, name)
		a.files[name] = f
	}
	if len(a.names) == 0 {
		return nil, errors.New("the zip archive has no .npy file in it, so it is no .npz file; PyTorch's .pt files are zip archives, too")
	}
	return a, nil
}

// Names returns the names of the arrays, without the ending .npy, in the order of the archive.
func (a *Archive) Names() []string {
	if a == nil {
		return nil
	}
	return append([]string(nil), a.names...)
}

// Read reads an array as the function Read does. An error names the array.
func (a *Archive) Read(name string) (array.Array, error) { return a.read(name, dtype.Invalid) }

// ReadAs reads an array as the function ReadAs does. An error names the array.
func (a *Archive) ReadAs(name string, t dtype.Type) (array.Array, error) {
	if t.Size() == 0 {
		return array.Array{}, fmt.Errorf("cannot read elements as %v: it holds no data", t)
	}
	return a.read(name, t)
}

func (a *Archive) read(name string, t dtype.Type) (array.Array, error) {
	if a == nil || a.files[name] == nil {
		return array.Array{}, fmt.Errorf("the archive has no array %q, only %s",
			excerpt.Of(name), excerpt.Of(strings.Join(a.Names(), ", ")))
	}
	x, err := a.readFile(a.files[name], t)
	if err != nil {
		return array.Array{}, fmt.Errorf("array %q: %w", excerpt.Of(name), err)
	}
	return x, nil
}

// usual is how many times as long as a compressed file the array in it usually is at most.
const usual = 16

// readFile reads an array into memory of its size. The size in the directory is not to be trusted:
// if it is more than usual, readFile first reads the file to see that the data is there.
func (a *Archive) readFile(file *zip.File, t dtype.Type) (array.Array, error) {
	size := int64(file.UncompressedSize64)
	if most := usual * min(file.CompressedSize64, uint64(a.size)); file.UncompressedSize64 > most {
		var err error
		if size, err = measure(file); err != nil {
			return array.Array{}, err
		}
	}
	f, err := file.Open()
	if err != nil {
		return array.Array{}, err
	}
	defer f.Close()
	return read(f, t, size)
}

// measure returns the size of a file whose data has the length that its header says.
func measure(file *zip.File) (size int64, err error) {
	f, err := file.Open()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	h, err := readHeader(f)
	if err != nil {
		return 0, err
	}
	if err := h.end(io.CopyN(io.Discard, f, h.bytes)); err != nil {
		return 0, err
	}
	return h.length + h.bytes, h.nothingAfter(f)
}

// Close closes the file that OpenArchive opened.
func (a *Archive) Close() error {
	if a == nil || a.close == nil {
		return nil
	}
	return a.close()
}
