// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// maxHeader is the format's limit for the size of the header, in bytes.
const maxHeader = 100_000_000

// metadataKey is the only member of the header that is not an array.
const metadataKey = "__metadata__"

// types maps the format's names of element types to types.
var types = map[string]dtype.Type{
	"BOOL": dtype.Pred,
	"U8":   dtype.U8, "U16": dtype.U16, "U32": dtype.U32, "U64": dtype.U64,
	"I8": dtype.S8, "I16": dtype.S16, "I32": dtype.S32, "I64": dtype.S64,
	"F16": dtype.F16, "F32": dtype.F32, "F64": dtype.F64, "BF16": dtype.BF16, "C64": dtype.C64,
	"F8_E5M2": dtype.F8E5M2, "F8_E4M3": dtype.F8E4M3FN, "F8_E8M0": dtype.F8E8M0FNU,
}

var typeNames = func() map[dtype.Type]string {
	m := make(map[dtype.Type]string, len(types))
	for name, t := range types {
		m[t] = name
	}
	return m
}()

// File is an open file of arrays, or the several files of an index, which act as one. Its methods
// may be called from any goroutine.
type File struct {
	close    func() error
	arrays   map[string]section
	names    []string // of arrays, in the order of Names
	metadata map[string]string
}

// section says where the data of an array is.
type section struct {
	r            io.ReaderAt
	part         int // number of its file among those of an index
	shape        array.Shape
	offset, size int64
}

// header is an array in the header of a file.
type header struct {
	Type    string    `json:"dtype"`
	Dims    []int64   `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// Open opens a file and checks its header. The caller closes it.
//
// A name that ends in .json names an index, such as model.safetensors.index.json, which says in
// which of several files each array is. The files are in the folder of the index. The File has only
// the arrays that the index lists.
func Open(name string) (*File, error) {
	if strings.HasSuffix(name, ".json") {
		return openIndex(name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	var f *File
	if err == nil {
		if f, err = New(file, info.Size()); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	if err != nil {
		_ = file.Close() // the earlier error matters more
		return nil, err
	}
	f.close = file.Close
	return f, nil
}

// New reads the header of a file of size bytes from r. The File reads from r as long as it is used,
// and the caller still owns r.
func New(r io.ReaderAt, size int64) (*File, error) {
	var prefix [8]byte
	if size < int64(len(prefix)) {
		return nil, fmt.Errorf("it is not a safetensors file: it has only %d bytes", max(size, 0))
	}
	if _, err := r.ReadAt(prefix[:], 0); err != nil {
		return nil, fmt.Errorf("reading the size of the header: %w", err)
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n < 2 || n > maxHeader || n > uint64(size)-8 {
		return nil, fmt.Errorf("it is not a safetensors file, or it is truncated: it announces a header of %d bytes, but has %d bytes", n, size)
	}
	text := make([]byte, n)
	if _, err := r.ReadAt(text, 8); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the header: %w", err)
	}
	f := &File{close: func() error { return nil }, arrays: make(map[string]section)}
	if err := f.readHeader(r, text, 8+int64(n), size); err != nil {
		return nil, err
	}
	return f, nil
}

// readHeader reads the header of a file whose data is between start and end of r.
func (f *File) readHeader(r io.ReaderAt, text []byte, start, end int64) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("the header is not a JSON object: %w", cmp.Or(err, errors.New("it does not begin with a brace")))
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return fmt.Errorf("the header is not a JSON object: %w", err)
		}
		name, _ := t.(string) // the decoder takes nothing else
		if name == metadataKey {
			if err := d.Decode(&f.metadata); err != nil {
				return fmt.Errorf("the metadata is not a JSON object of strings: %w", err)
			}
			continue
		}
		var h header
		if err := d.Decode(&h); err != nil {
			return fmt.Errorf("array %q: %w", excerpt.Of(name), err)
		}
		a, err := h.array(uint64(end-start), start)
		if err != nil {
			return fmt.Errorf("array %q: %w", excerpt.Of(name), err)
		}
		if _, ok := f.arrays[name]; ok {
			return fmt.Errorf("the header has two arrays %q", excerpt.Of(name))
		}
		a.r = r
		f.arrays[name] = a
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("the header is not a JSON object: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the header is not one JSON object: there is more after it")
	}
	f.sort()
	// The arrays must fill the file without gaps.
	at := start
	for _, name := range f.names {
		a := f.arrays[name]
		if a.offset != at {
			return fmt.Errorf("array %q begins at %d, but the one before ends at %d", excerpt.Of(name), a.offset-start, at-start)
		}
		at += a.size
	}
	if at != end {
		return fmt.Errorf("the arrays have %d bytes, but the file has %d bytes of data", at-start, end-start)
	}
	return nil
}

// sort makes the list of names, in the order in which the data is in the files.
func (f *File) sort() {
	type place struct {
		part         int
		offset, size int64
		name         string
	}
	places := make([]place, 0, len(f.arrays))
	for name, a := range f.arrays {
		places = append(places, place{a.part, a.offset, a.size, name})
	}
	slices.SortFunc(places, func(x, y place) int {
		return cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(x.offset, y.offset), cmp.Compare(x.size, y.size),
			cmp.Compare(x.name, y.name))
	})
	f.names = make([]string, len(places))
	for i, p := range places {
		f.names[i] = p.name
	}
}

// array checks an entry of the header. room is the number of bytes for all arrays.
func (h *header) array(room uint64, start int64) (section, error) {
	t, ok := types[h.Type]
	if !ok {
		return section{}, fmt.Errorf("the element type %q is unknown", excerpt.Of(h.Type))
	}
	a := section{shape: array.Shape{Type: t, Dims: h.Dims}}
	size, err := a.shape.HostSize()
	if err != nil {
		return section{}, err
	}
	if h.Offsets[0] > h.Offsets[1] || h.Offsets[1] > room {
		return section{}, fmt.Errorf("its data is from byte %d to %d, but the file has %d bytes of data", h.Offsets[0], h.Offsets[1], room)
	}
	if h.Offsets[1]-h.Offsets[0] != uint64(size) {
		return section{}, fmt.Errorf("its data has %d bytes, but the shape %v takes %d", h.Offsets[1]-h.Offsets[0], a.shape, size)
	}
	a.offset, a.size = start+int64(h.Offsets[0]), int64(size)
	return a, nil
}

// Close closes the files that Open opened. Arrays that were read stay valid.
func (f *File) Close() error { return f.close() }

// Names returns the names of the arrays, in the order in which their data is in
// the file. Those of an index come file by file, in the order of the files' names.
func (f *File) Names() []string { return slices.Clone(f.names) }

// Metadata returns the metadata of the file, or nil if it has none. It merges the metadata of
// several files; where they differ, the last file wins.
func (f *File) Metadata() map[string]string { return maps.Clone(f.metadata) }

// Shape returns the shape of an array.
func (f *File) Shape(name string) (array.Shape, error) {
	a, err := f.find(name)
	return array.Shape{Type: a.shape.Type, Dims: slices.Clone(a.shape.Dims)}, err
}

func (f *File) find(name string) (section, error) {
	a, ok := f.arrays[name]
	if !ok {
		return section{}, fmt.Errorf("the file has no array %q among its %d arrays", excerpt.Of(name), len(f.arrays))
	}
	return a, nil
}

// Reader returns a reader of the data of an array, for Client.BufferFromReader.
func (f *File) Reader(name string) (io.Reader, array.Shape, error) {
	a, err := f.find(name)
	if err != nil {
		return nil, array.Shape{}, err
	}
	return io.NewSectionReader(a.r, a.offset, a.size), array.Shape{Type: a.shape.Type, Dims: slices.Clone(a.shape.Dims)}, nil
}

// Read reads an array.
func (f *File) Read(name string) (array.Array, error) {
	r, shape, err := f.Reader(name)
	if err != nil {
		return array.Array{}, err
	}
	data := make([]byte, f.arrays[name].size)
	if _, err := io.ReadFull(r, data); err != nil {
		return array.Array{}, fmt.Errorf("array %q: %w", excerpt.Of(name), err)
	}
	return array.Array{Type: shape.Type, Dims: shape.Dims, Data: data}, nil
}
