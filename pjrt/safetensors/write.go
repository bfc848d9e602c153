// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt/array"
)

// alignment is the one of pjrt.HostAlignment.
const alignment = 64

// Write writes named arrays, and metadata, which may be nil. Each array is aligned for its
// elements, and for buffers of the mapped file (see LoadOptions.Map) if its size and those of the
// arrays with such sizes allow it: those whose size is a multiple of 64 come first, then those with
// larger elements.
func Write(w io.Writer, arrays map[string]array.Array, metadata map[string]string) error {
	w = outside.Writer(w)
	names := slices.SortedFunc(maps.Keys(arrays), func(a, b string) int {
		x, y := arrays[a], arrays[b]
		return cmp.Or(cmp.Compare(min(len(x.Data)%alignment, 1), min(len(y.Data)%alignment, 1)),
			-cmp.Compare(x.Type.Bits(), y.Type.Bits()), cmp.Compare(a, b))
	})
	members := make(map[string]any, len(names)+1)
	if len(metadata) > 0 {
		members[metadataKey] = metadata
	}
	offset := uint64(0)
	for _, name := range names {
		a := arrays[name]
		t, ok := typeNames[a.Type]
		switch size, err := a.Shape().HostSize(); {
		case name == metadataKey:
			return fmt.Errorf("safetensors: an array cannot be called %s", name)
		case !ok:
			return fmt.Errorf("safetensors: array %q: the format has no element type %v", name, a.Type)
		case packed[a.Type] > 0:
			return fmt.Errorf("safetensors: array %q: arrays of type %v can be read but not written", name, a.Type)
		case err != nil:
			return fmt.Errorf("safetensors: array %q: %w", name, err)
		case size != len(a.Data):
			return fmt.Errorf("safetensors: array %q: the shape %v takes %d bytes, but its data has %d",
				name, a.Shape(), size, len(a.Data))
		}
		dims := a.Dims
		if dims == nil {
			dims = []int64{} // not null
		}
		end := offset + uint64(len(a.Data))
		members[name] = header{Type: t, Dims: dims, Offsets: [2]uint64{offset, end}}
		offset = end
	}
	text, err := json.Marshal(members)
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	for (8+len(text))%alignment != 0 {
		text = append(text, ' ') // aligns the data
	}
	if len(text) > maxHeader {
		return fmt.Errorf("safetensors: the header has %d bytes, but the format allows only %d", len(text), maxHeader)
	}
	parts := [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text}
	for _, name := range names {
		parts = append(parts, arrays[name].Data)
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("safetensors: %w", err)
		}
	}
	return nil
}

// WriteFile writes the arrays to the named file as [Write] does. The file appears whole or not at
// all: WriteFile writes a new file in the same folder and then renames it, so an error, such as a
// full disk, leaves an older file unchanged. WriteFile follows symbolic links. It writes directly
// to a name that is not a regular file, such as a pipe.
func WriteFile(name string, arrays map[string]array.Array, metadata map[string]string) error {
	return outside.WriteFile(name, func(w io.Writer) error { return Write(w, arrays, metadata) })
}
