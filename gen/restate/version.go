// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package restate

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Version is the content of the file VERSION beside the headers, which says with which original
// each header was last compared:
//
//	api_major: 0
//	api_minor: 117
//	xla/ffi/api/c_api.h: 0.117 tf-nightly 2.23.0.dev20261026
//	xla/pjrt/c/pjrt_c_api_cpu.h: 0.114 commit 183fa00cb5d82384463a1a7aed1ab06bc9026974 2026-08-22T00:55:15-07:00
type Version struct {
	Major, Minor int
	Headers      map[string]Origin // by path
}

// Origin is the original that a header was last compared with.
type Origin struct {
	Minor  int // of the API, that the originals stated
	Source Source
}

// Source says where an original comes from: "commit HASH DATE" of openxla/xla, a wheel's
// "NAME VERSION", or UnknownSource.
type Source string

// UnknownSource is the source of headers whose origin is not known.
const UnknownSource Source = "unknown"

// CommitSource is the source of the headers of a commit of openxla/xla.
func CommitSource(hash, date string) Source { return Source("commit " + hash + " " + date) }

var sourceForm = regexp.MustCompile(
	`^(unknown|commit [0-9a-f]{40} \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)|[\w.-]+ [\w.+!-]+)$`)

// Valid reports whether a source has one of the three forms.
func (s Source) Valid() bool { return sourceForm.MatchString(string(s)) }

// ReadVersion reads VERSION.
func ReadVersion(text []byte) (*Version, error) {
	v := &Version{Minor: -1, Major: -1, Headers: make(map[string]Origin)}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("VERSION: %q is not of the form key: value", line)
		}
		var n int
		var err error
		switch key {
		case "api_major":
			_, err = fmt.Sscanf(value, "%d", &v.Major)
		case "api_minor":
			_, err = fmt.Sscanf(value, "%d", &v.Minor)
		default:
			minor, from, _ := strings.Cut(value, " ")
			_, err = fmt.Sscanf(minor, "0.%d", &n)
			if _, twice := v.Headers[key]; twice {
				return nil, fmt.Errorf("VERSION: %s is listed twice", key)
			}
			if !Source(from).Valid() {
				return nil, fmt.Errorf("VERSION: %q: the source of a header is %q, \"commit HASH DATE\" or a wheel's name and version",
					line, UnknownSource)
			}
			v.Headers[key] = Origin{n, Source(from)}
		}
		if err != nil {
			return nil, fmt.Errorf("VERSION: %q: no number where a version is expected", line)
		}
	}
	if v.Major < 0 || v.Minor < 0 {
		return nil, errors.New("VERSION has no api_major or no api_minor")
	}
	return v, nil
}

// Bytes returns the content of VERSION.
func (v *Version) Bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "api_major: %d\napi_minor: %d\n", v.Major, v.Minor)
	for _, path := range slices.Sorted(maps.Keys(v.Headers)) {
		fmt.Fprintf(&b, "%s: 0.%d %s\n", path, v.Headers[path].Minor, v.Headers[path].Source)
	}
	return b.Bytes()
}

// Compared records that a header was compared with an original. An unknown source does
// not replace a known one of the same minor.
func (v *Version) Compared(path string, o Origin) {
	if was, ok := v.Headers[path]; ok && o.Source == UnknownSource && was.Minor == o.Minor {
		return
	}
	v.Headers[path] = o
}

// wheelName is the file name of a wheel: its project, and its version.
var wheelName = regexp.MustCompile(`^([A-Za-z0-9_.]+)-([A-Za-z0-9_.!+]+)-.*\.whl$`)

// WheelSource returns the source that a wheel's file name states.
func WheelSource(base string) Source {
	m := wheelName.FindStringSubmatch(base)
	if m == nil {
		return UnknownSource
	}
	return Source(strings.ReplaceAll(m[1], "_", "-") + " " + m[2])
}
