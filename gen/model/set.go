// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Set is the headers of one include root, each under the path by which other
// headers include it.
type Set struct {
	headers []*Header
}

// NewSet makes a set of headers. It refuses two headers with the same path: a
// root has one file under each.
func NewSet(headers ...*Header) (*Set, error) {
	s := &Set{headers: slices.Clone(headers)}
	slices.SortStableFunc(s.headers, func(a, b *Header) int {
		if core := cmp.Compare(rank(a), rank(b)); core != 0 {
			return core
		}
		return cmp.Compare(a.Path, b.Path)
	})
	for i, h := range s.headers {
		if i > 0 && s.headers[i-1].Path == h.Path {
			return nil, fmt.Errorf("header %s is given twice; keep one", h.Path)
		}
	}
	return s, nil
}

func rank(h *Header) int {
	if h.APIVersion != nil {
		return 0
	}
	return 1
}

// Headers returns the headers of the set: the core header first, the others by
// path.
func (s *Set) Headers() []*Header { return s.headers }

// Header returns the header at path, or nil if the set has none.
func (s *Set) Header(path string) *Header {
	for _, h := range s.headers {
		if h.Path == path {
			return h
		}
	}
	return nil
}

// Version returns the API version that the set's core header states, or nil if
// no header states one.
func (s *Set) Version() *Version {
	for _, h := range s.headers {
		if h.APIVersion != nil {
			return h.APIVersion
		}
	}
	return nil
}

// UnmarshalJSON reads what MarshalJSON writes: the name alone.
func (o *Opaque) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &o.Name) }
