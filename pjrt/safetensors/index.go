// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/outside"
)

// longestName is more than the bytes of the name of any file: systems allow 255 characters.
const longestName = 4 * 255

// openIndex opens the files that an index lists.
func openIndex(name string) (*File, error) {
	places, err := readIndex(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	listed := make(map[string][]string) // the arrays of each file
	for array, file := range places {
		// An index comes with a model from anywhere, and must not lead to files elsewhere.
		if file != filepath.Base(file) || !filepath.IsLocal(file) || strings.HasSuffix(file, ".json") || len(file) > longestName {
			return nil, fmt.Errorf("%s: array %q is said to be in %q, which is not the name of a file beside the index",
				name, excerpt.Of(array), excerpt.Of(file))
		}
		listed[file] = append(listed[file], array)
	}
	var parts []*File
	whole := &File{source: name, arrays: make(map[string]section, len(places)), close: func() error {
		var errs []error
		for _, part := range parts {
			errs = append(errs, part.Close())
		}
		return errors.Join(errs...)
	}}
	for i, file := range slices.Sorted(maps.Keys(listed)) {
		part, err := Open(filepath.Join(filepath.Dir(name), file))
		if err == nil {
			parts = append(parts, part)
			err = whole.add(i, part, listed[file])
		}
		if err != nil {
			_ = whole.Close() // the earlier error matters more
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	whole.sort()
	return whole, nil
}

// readIndex returns the file of each array.
func readIndex(name string) (map[string]string, error) {
	file, err := outside.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxHeader+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("it is not an index: it has more than %d bytes", maxHeader)
	}
	var index struct {
		Places map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("it is not an index: %w", err)
	}
	if index.Places == nil {
		return nil, errors.New("it is not an index: it has no weight_map, which says in which file each array is")
	}
	return index.Places, nil
}

// add adds the listed arrays of a part to f.
func (f *File) add(number int, part *File, listed []string) error {
	for _, name := range listed {
		a, err := part.find(name)
		if err != nil {
			return err
		}
		a.part = number
		f.arrays[name] = a
	}
	if part.metadata != nil && f.metadata == nil {
		f.metadata = make(map[string]string)
	}
	maps.Copy(f.metadata, part.metadata)
	return nil
}
