// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// sinceFormat is the format of since.json that this package reads and writes.
const sinceFormat = 1

// Since says in which version each item of the headers first appeared. It is the
// content of since.json: state, which Update extends when headers bring
// something new.
type Since struct {
	Minor   int // the newest API minor that it has seen
	core    *items[int]
	headers *items[*items[extensionSince]]
}

// extensionSince is the version of the extension, if it has one, and of the API
// when an item came.
type extensionSince struct {
	extension *int
	core      int
}

// items is a map that keeps the order in which its keys came.
type items[T any] struct {
	keys   []string
	values map[string]T
}

func newItems[T any]() *items[T] { return &items[T]{values: make(map[string]T)} }

func (m *items[T]) set(key string, v T) {
	if _, ok := m.values[key]; !ok {
		m.keys = append(m.keys, key)
	}
	m.values[key] = v
}

// NewSince returns a Since that knows nothing yet.
func NewSince() *Since {
	return &Since{core: newItems[int](), headers: newItems[*items[extensionSince]]()}
}

// ReadSince reads since.json.
func ReadSince(r io.Reader) (*Since, error) {
	s := NewSince()
	d := json.NewDecoder(r)
	format := 0
	err := object(d, func(key string) error {
		switch key {
		case "format":
			return d.Decode(&format)
		case "minor":
			return d.Decode(&s.Minor)
		case "core":
			return object(d, func(item string) error {
				var minor int
				err := d.Decode(&minor)
				s.core.set(item, minor)
				return err
			})
		case "headers":
			return object(d, func(path string) error {
				list := newItems[extensionSince]()
				s.headers.set(path, list)
				return object(d, func(item string) error {
					var pair []*int
					if err := d.Decode(&pair); err != nil {
						return err
					}
					if len(pair) != 2 || pair[1] == nil {
						return fmt.Errorf("%s in %s: want [extension version or null, API minor]", item, path)
					}
					list.set(item, extensionSince{pair[0], *pair[1]})
					return nil
				})
			})
		}
		return fmt.Errorf("unknown key %q", key)
	})
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("the text ends too early")
	}
	if err != nil {
		return nil, err
	}
	if format != sinceFormat {
		return nil, fmt.Errorf("format %d is unknown; this generator knows format %d", format, sinceFormat)
	}
	return s, nil
}

// object reads a JSON object and calls f for each key, in order. f reads the
// value.
func object(d *json.Decoder, f func(key string) error) error {
	if t, err := d.Token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return fmt.Errorf("want an object, have %v", t)
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		if err := f(t.(string)); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// Bytes returns the content of since.json: one item a line, so that a diff shows
// what is new.
func (s *Since) Bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"format\":%d,\n\"minor\":%d,\n\"core\":{", sinceFormat, s.Minor)
	for i, k := range s.core.keys {
		fmt.Fprintf(&b, "%s\n%q:%d", comma(i), k, s.core.values[k])
	}
	b.WriteString("\n},\n\"headers\":{")
	for i, path := range s.headers.keys {
		fmt.Fprintf(&b, "%s\n%q:{", comma(i), path)
		list := s.headers.values[path]
		for j, k := range list.keys {
			v := list.values[k]
			version := "null"
			if v.extension != nil {
				version = fmt.Sprint(*v.extension)
			}
			fmt.Fprintf(&b, "%s\n%q:[%s,%d]", comma(j), k, version, v.core)
		}
		if len(list.keys) > 0 {
			b.WriteByte('\n')
		}
		b.WriteByte('}')
	}
	b.WriteString("\n}\n}\n")
	return b.Bytes()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// Lookup is the function that Input.Since wants: the API minor of an item, for
// the FFI's header its own minor. What came before versions were recorded has 0.
func (s *Since) Lookup(h *model.Header, item string) int {
	if h.APIVersion != nil {
		return s.core.values[item]
	}
	list := s.headers.values[h.Path]
	if list == nil {
		return 0
	}
	v := list.values[item]
	if !isFFI(h) {
		return v.core
	}
	oldest := oldestFFIMinor
	if macroEnding(h, ffiExtensionMinor) != nil {
		oldest = oldestFFIExtensionMinor
	}
	if v.extension == nil || *v.extension <= oldest {
		return 0
	}
	return *v.extension
}

// The oldest minors of the FFI and of its extensions that since.json records. They mean
// that one or an earlier one.
const (
	oldestFFIMinor          = 2
	oldestFFIExtensionMinor = 1
)

func isFFI(h *model.Header) bool { return strings.Contains("/"+h.Path, "/ffi/") }

// Update adds the items of the headers that s does not have, under the versions
// that the headers state, and returns their names. The core header must be among
// the headers.
func (s *Since) Update(set *model.Set) ([]string, error) {
	v := set.Version()
	if v == nil {
		return nil, errors.New("no header states PJRT_API_MINOR")
	}
	s.Minor = max(s.Minor, v.Minor)
	var added []string
	for _, h := range set.Headers() {
		for _, item := range h.Items() {
			if h.APIVersion != nil {
				if _, ok := s.core.values[item]; !ok {
					s.core.set(item, v.Minor)
					added = append(added, item)
				}
				continue
			}
			list := s.headers.values[h.Path]
			if list == nil {
				list = newItems[extensionSince]()
				s.headers.set(h.Path, list)
			}
			if _, ok := list.values[item]; !ok {
				list.set(item, extensionSince{ownVersion(h), v.Minor})
				added = append(added, item)
			}
		}
	}
	return added, nil
}

// ownVersion is the version that a header other than the core states of itself.
func ownVersion(h *model.Header) *int {
	n := macroValue(h, "XLA_FFI_API_MINOR")
	switch {
	case h.ExtensionVersion != nil:
		n = &h.ExtensionVersion.Value
	case n == nil && isFFI(h):
		n = macroEnding(h, ffiExtensionMinor)
	}
	if n == nil {
		return nil
	}
	i := int(*n)
	return &i
}
