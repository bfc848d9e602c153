// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/internal/spelling"
)

// File is an open file of arrays, or the several files of an index, which act as one. Its methods
// may be called from any goroutine.
type File struct {
	source   string // what errors call it
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
	packed       int   // bits of an element, if the file packs elements; else 0
	err          error // why the array cannot be read, though its data can be skipped
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
	file, size, err := outside.OpenRegular(name)
	if err != nil {
		return nil, err
	}
	f, err := New(file, size)
	if err != nil {
		_ = file.Close() // the earlier error matters more
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.source, f.close = name, file.Close
	return f, nil
}

// New reads the header of a file of size bytes from r. The File reads from r as long as it is used,
// and the caller still owns r.
func New(r io.ReaderAt, size int64) (*File, error) {
	r = outside.ReaderAt(r)
	var prefix [8]byte
	if size < int64(len(prefix)) {
		return nil, fmt.Errorf("it is not a safetensors file: it has only %d bytes", max(size, 0))
	}
	if _, err := r.ReadAt(prefix[:], 0); err != nil {
		return nil, fmt.Errorf("reading the size of the header: %w", err)
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if kind := kindOf(r, size); kind != "" {
		return nil, fmt.Errorf("it is not a safetensors file, but %s", kind)
	}
	if n < 2 || n > maxHeader || n > uint64(size)-8 {
		return nil, fmt.Errorf("it is not a safetensors file, or it is truncated: it announces a header of %d bytes, but has %d bytes", n, size)
	}
	text := make([]byte, n)
	if _, err := r.ReadAt(text, 8); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the header: %w", err)
	}
	f := &File{source: "the file", close: func() error { return nil }, arrays: make(map[string]section)}
	if err := f.readHeader(r, text, 8+int64(n), size); err != nil {
		return nil, err
	}
	return f, nil
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

// Close closes the files that Open opened. Arrays that were read stay valid.
func (f *File) Close() error {
	if f == nil || f.close == nil {
		return nil
	}
	return f.close()
}

// Names returns the names of the arrays, in the order in which their data is in
// the file. It includes arrays of a type that this package does not know; the other methods return
// an error for them. Those of an index come file by file, in the order of the files' names.
func (f *File) Names() []string {
	if f == nil {
		return nil
	}
	return slices.Clone(f.names)
}

// Metadata returns the metadata of the file, or nil if it has none. It merges the metadata of
// several files; where they differ, the last file wins.
func (f *File) Metadata() map[string]string {
	if f == nil {
		return nil
	}
	return maps.Clone(f.metadata)
}

// Shape returns the shape of an array.
func (f *File) Shape(name string) (array.Shape, error) {
	a, err := f.find(name)
	return array.Shape{Type: a.shape.Type, Dims: slices.Clone(a.shape.Dims)}, err
}

var errNil = errors.New("safetensors: the file is nil")

func (f *File) find(name string) (section, error) {
	if f == nil {
		return section{}, errNil
	}
	a, ok := f.arrays[name]
	if !ok {
		return section{}, fmt.Errorf("%s has no array %q among its %d arrays%s", f.source, excerpt.Of(name), len(f.arrays), f.nearest(name))
	}
	if a.err != nil {
		return section{}, fmt.Errorf("array %q: %w", excerpt.Of(name), a.err)
	}
	return a, nil
}

// nearest names the arrays whose names look most like one that the file lacks.
func (f *File) nearest(name string) string {
	const most = 3
	if len(name) > maxName {
		return ""
	}
	type candidate struct {
		name     string
		distance int
	}
	var list []candidate
	for _, n := range f.names {
		if len(n) > maxName {
			continue
		}
		if d := spelling.Distance(n, name); d <= (len(name)+2)/3 {
			list = append(list, candidate{n, d})
		}
		if len(list) == maxCandidates {
			break
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(x.distance, y.distance) })
	var names []string
	for _, c := range list[:min(most, len(list))] {
		names = append(names, strconv.Quote(c.name))
	}
	if names == nil {
		return ""
	}
	return "; did you mean " + strings.Join(names, ", ") + "?"
}

// Names longer than this are not compared with others, and no more than so many are: the time for
// an error stays short.
const (
	maxName       = 256
	maxCandidates = 1000
)

// Reader returns a reader of the data of an array, for Client.BufferFromReader. Elements that the
// file packs, those of 4 and 6 bits, have a byte each in the data; the file has the first element
// in the lowest bits.
func (f *File) Reader(name string) (io.Reader, array.Shape, error) {
	a, err := f.find(name)
	if err != nil {
		return nil, array.Shape{}, err
	}
	return a.reader(), array.Shape{Type: a.shape.Type, Dims: slices.Clone(a.shape.Dims)}, nil
}

// hostSize is how many bytes the array has in the host's memory.
func (a *section) hostSize() int64 {
	if a.packed > 0 {
		return a.size * 8 / int64(a.packed)
	}
	return a.size
}

// Read reads an array.
func (f *File) Read(name string) (array.Array, error) {
	s, err := f.find(name)
	if err != nil {
		return array.Array{}, err
	}
	a, err := s.array()
	if err != nil {
		return array.Array{}, fmt.Errorf("array %q: %w", excerpt.Of(name), err)
	}
	return a, nil
}

// reader reads the data as it is in the host's memory.
func (a *section) reader() io.Reader {
	r := io.NewSectionReader(a.r, a.offset, a.size)
	if a.packed == 0 {
		return r
	}
	return &unpacker{r: bufio.NewReader(r), bits: a.packed, left: a.hostSize()}
}

// array reads the array.
func (a *section) array() (array.Array, error) {
	data := make([]byte, a.hostSize())
	_, err := io.ReadFull(a.reader(), data)
	return array.Array{Type: a.shape.Type, Dims: slices.Clone(a.shape.Dims), Data: data}, err
}
