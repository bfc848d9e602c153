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
	core    model.Ordered[int]
	headers model.Ordered[*model.Ordered[extensionSince]]
}

// extensionSince is the version of the extension, if it has one, and of the API, that
// introduced an item.
type extensionSince struct {
	extension *int
	core      int
}

// UnmarshalJSON reads [extension version or null, API minor].
func (e *extensionSince) UnmarshalJSON(b []byte) error {
	var pair []*int
	if err := json.Unmarshal(b, &pair); err != nil {
		return err
	}
	if len(pair) != 2 || pair[1] == nil {
		return fmt.Errorf("want [extension version or null, API minor], have %s", b)
	}
	e.extension, e.core = pair[0], *pair[1]
	return nil
}

// ReadSince reads since.json.
func ReadSince(r io.Reader) (*Since, error) {
	var doc struct {
		Format  int                                           `json:"format"`
		Minor   int                                           `json:"minor"`
		Core    model.Ordered[int]                            `json:"core"`
		Headers model.Ordered[*model.Ordered[extensionSince]] `json:"headers"`
	}
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	err := d.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the text ends too early")
	case err != nil:
		return nil, err
	case doc.Format != sinceFormat:
		return nil, fmt.Errorf("format %d is unknown; this generator knows format %d", doc.Format, sinceFormat)
	}
	return &Since{doc.Minor, doc.Core, doc.Headers}, nil
}

// Bytes returns the content of since.json: one item a line, so that a diff shows
// what is new.
func (s *Since) Bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"format\":%d,\n\"minor\":%d,\n\"core\":{", sinceFormat, s.Minor)
	for i, k := range s.core.Keys {
		fmt.Fprintf(&b, "%s\n%q:%d", model.Comma(i), k, s.core.Values[k])
	}
	b.WriteString("\n},\n\"headers\":{")
	for i, path := range s.headers.Keys {
		fmt.Fprintf(&b, "%s\n%q:{", model.Comma(i), path)
		list := s.headers.Values[path]
		for j, k := range list.Keys {
			v := list.Values[k]
			version := "null"
			if v.extension != nil {
				version = fmt.Sprint(*v.extension)
			}
			fmt.Fprintf(&b, "%s\n%q:[%s,%d]", model.Comma(j), k, version, v.core)
		}
		if len(list.Keys) > 0 {
			b.WriteByte('\n')
		}
		b.WriteByte('}')
	}
	b.WriteString("\n}\n}\n")
	return b.Bytes()
}

// Lookup is a function for Input.Since: it returns the API minor of an item or, for the
// FFI's header, that header's own minor. It returns 0 for what came before versions were
// recorded.
func (s *Since) Lookup(h *model.Header, item string) int {
	if h.APIVersion != nil {
		return s.core.Values[item]
	}
	list := s.headers.Values[h.Path]
	if list == nil {
		return 0
	}
	v := list.Values[item]
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

// The oldest minors of the FFI and of its extensions that since.json records. They stand
// for that minor or an earlier one.
const (
	oldestFFIMinor          = 2
	oldestFFIExtensionMinor = 1
)

func isFFI(h *model.Header) bool { return strings.Contains("/"+h.Path, "/ffi/") }

// Rename gives items of a header the versions that they have under their older names, which are the
// keys: a program that knows a field by its newer name can use it with plugins as old as before.
func (s *Since) Rename(h *model.Header, names map[string]string) {
	for from, to := range names {
		if list := s.headers.Values[h.Path]; h.APIVersion == nil && list != nil {
			if v, ok := list.Values[from]; ok {
				list.Set(to, v)
			}
		} else if v, ok := s.core.Values[from]; h.APIVersion != nil && ok {
			s.core.Set(to, v)
		}
	}
}

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
				if _, ok := s.core.Values[item]; !ok {
					s.core.Set(item, v.Minor)
					added = append(added, item)
				}
				continue
			}
			list := s.headers.Values[h.Path]
			if list == nil {
				list = new(model.Ordered[extensionSince])
				s.headers.Set(h.Path, list)
			}
			if _, ok := list.Values[item]; !ok {
				list.Set(item, extensionSince{ownVersion(h), v.Minor})
				added = append(added, item)
			}
		}
	}
	return added, nil
}

// ownVersion returns the version that a header other than the core header states for
// itself.
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
