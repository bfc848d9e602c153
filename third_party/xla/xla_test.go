// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xla

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/facts"
)

func TestFactsAndHeadersNameEachOther(t *testing.T) {
	t.Parallel()
	var found []string
	err := filepath.WalkDir("xla", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, filepath.ToSlash(path))
		}
		return err
	})
	require.NoError(t, err)
	assert.ElementsMatch(t, slices.Collect(maps.Keys(readFacts(t))), found)
}

func TestHeadersDeclareWhatTheFactsName(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`\w+`)
	for path, h := range readFacts(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		words := map[string]bool{}
		for _, w := range word.FindAllString(string(text), -1) {
			words[w] = true
		}
		names := append([]string{h.Guard}, h.Opaque...)
		for _, m := range h.Macros {
			names = append(names, m.Name)
		}
		for _, f := range h.Prototypes {
			names = append(names, f.Name)
		}
		for _, item := range h.items() {
			item = strings.TrimPrefix(item, "struct ")
			names = append(names, strings.Split(item, ".")...)
		}
		for _, name := range names {
			// A *_STRUCT_SIZE macro may be pasted together.
			assert.True(t, words[name] || strings.HasSuffix(name, "_STRUCT_SIZE"), "%s does not name %s", path, name)
		}
	}
}

func TestVersionsAgree(t *testing.T) {
	t.Parallel()
	v := readVersion(t)
	assert.Equal(t, string(v.Bytes()), readText(t, "VERSION"), "one form for all who write it")
	minor := v.Minor
	facts := readFacts(t)
	assert.Equal(t, slices.Sorted(maps.Keys(facts)), slices.Sorted(maps.Keys(v.Headers)))
	for path, o := range v.Headers {
		assert.LessOrEqual(t, o.Minor, minor, path)
	}
	assert.Equal(t, minor, v.Headers[coreHeader].Minor)
	assert.Equal(t, minor, defined(t, coreHeader, "PJRT_API_MINOR"), "VERSION against the header")
	assert.Equal(t, &version{Major: defined(t, coreHeader, "PJRT_API_MAJOR"), Minor: minor}, facts[coreHeader].APIVersion)
	for path, h := range facts {
		if h.ExtensionVersion != nil {
			assert.Equal(t, h.ExtensionVersion.Value, int64(defined(t, path, h.ExtensionVersion.Macro)), path)
		}
	}

	var s sinceFile
	readJSON(t, "since.json", &s)
	assert.Equal(t, minor, s.Minor, "VERSION against since.json")
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// Facts that pjrtgen update wrote without a compiler are only what pjrtgen has read.
func TestACompilerHasConfirmedTheFacts(t *testing.T) {
	t.Parallel()
	files, err := facts.Unwitnessed("facts")
	require.NoError(t, err)
	assert.Empty(t, files, "no compiler has confirmed these: run make update again where gcc and g++ are installed")
}

// sinceFile is since.json. README.md explains it.
type sinceFile struct {
	Format  int
	Minor   int
	Core    map[string]int
	Headers map[string]map[string][2]*int
}

func TestSinceCoversTheFactsAndNothingElse(t *testing.T) {
	t.Parallel()
	var s sinceFile
	readJSON(t, "since.json", &s)
	assert.Equal(t, 1, s.Format)

	facts := readFacts(t)
	for path, h := range facts {
		have := s.Core
		if path != coreHeader {
			have = map[string]int{}
			require.Contains(t, s.Headers, path)
			for item, since := range s.Headers[path] {
				require.NotNil(t, since[1], "%s: %s has no core minor", path, item)
				have[item] = *since[1]
				if since[0] == nil {
					assert.Nil(t, h.ExtensionVersion, "%s: %s has no extension version", path, item)
				} else if h.ExtensionVersion != nil {
					assert.LessOrEqual(t, int64(*since[0]), h.ExtensionVersion.Value, "%s: %s", path, item)
				}
			}
		}
		// Names are sorted and compared as lists, so that duplicates show.
		items := h.items()
		slices.Sort(items)
		assert.Equal(t, items, slices.Sorted(maps.Keys(have)), path)
		for item, minor := range have {
			assert.True(t, 0 <= minor && minor <= s.Minor, "%s: %s is since minor %d", path, item, minor)
		}
	}
	assert.Len(t, s.Headers, len(facts)-1)
}

// history is facts/history.json. README.md explains it.
type history struct {
	FirstMinor int `json:"first_minor"`
	LastMinor  int `json:"last_minor"`
	API        [][5]int64
	Functions  []struct {
		Minor     int
		Functions []string
		Append    []string
	}
	StructSizes map[string][][2]*int64 `json:"struct_sizes"`
	Enums       map[string]map[string][][2]*int64
}

// order returns the function slots of a minor version.
func (h history) order(minor int) []string {
	var out []string
	for _, step := range h.Functions {
		switch {
		case step.Minor > minor:
			return out
		case step.Append != nil:
			out = append(slices.Clone(out), step.Append...)
		default:
			out = step.Functions
		}
	}
	return out
}

// at returns the value that holds at a minor version; null when there was none.
func at(runs [][2]*int64, minor int) *int64 {
	var out *int64
	for _, run := range runs {
		if *run[0] <= int64(minor) {
			out = run[1]
		}
	}
	return out
}

func readHistory(t *testing.T) history {
	t.Helper()
	var h history
	readJSON(t, "facts/history.json", &h)
	return h
}

func TestHistoryEndsAtTheFacts(t *testing.T) {
	t.Parallel()
	hist := readHistory(t)
	core := readFacts(t)[coreHeader]
	minor := versionMinor(t)
	require.Equal(t, minor, hist.LastMinor)

	var slots []string
	for _, table := range core.Tables {
		if table.Struct == "PJRT_Api" {
			for _, f := range table.Functions {
				slots = append(slots, f.Name)
			}
		}
	}
	assert.Equal(t, slots, hist.order(minor))

	want, have := map[string]int64{}, map[string]int64{}
	for _, s := range core.Structs {
		want[s.Name] = s.size()
	}
	for name, runs := range hist.StructSizes {
		if size := at(runs, minor); size != nil {
			have[name] = *size
		}
	}
	assert.Equal(t, want, have)

	want, have = map[string]int64{}, map[string]int64{}
	for _, e := range core.Enums {
		for _, v := range e.Values {
			want[v.Name] = v.Value
		}
	}
	for _, values := range hist.Enums {
		for name, runs := range values {
			if value := at(runs, minor); value != nil {
				have[name] = *value
			}
		}
	}
	assert.Equal(t, want, have)
}

func TestHistoryIsConsistent(t *testing.T) {
	t.Parallel()
	hist := readHistory(t)
	var s sinceFile
	readJSON(t, "since.json", &s)

	first := map[string]int{}
	var row [5]int64
	for minor := hist.FirstMinor; minor <= hist.LastMinor; minor++ {
		order := hist.order(minor)
		for _, name := range order {
			if _, ok := first[name]; !ok {
				first[name] = minor
			}
		}
		for _, r := range hist.API {
			if r[0] <= int64(minor) {
				row = r
			}
		}
		size, functions, start := row[1], row[3], row[4]
		assert.Len(t, order, int(functions), "minor %d", minor)
		assert.Equal(t, size, start+8*functions, "minor %d: the table ends at its last slot", minor)
	}
	for _, name := range hist.order(hist.LastMinor) {
		assert.Equal(t, s.Core[name], first[name], name)
	}
}
