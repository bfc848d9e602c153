// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

func TestReadConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := put(t, []byte(`{
		"library_path": "lib/x.so",
		"create_options": {
			"visible_devices": [0, 1], "memory_fraction": 0.5, "preallocate": false, "allocator": "bfc",
			"node_id": 3, "empty": [], "tiny": 1e-3
		},
		"priority": 450, "experimental": true, "fail_quietly": true
	}`), dir, "toy.json")
	c, err := readConfig(path)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "lib", "x.so"), c.libraryPath)
	assert.Equal(t, []capi.Attribute{
		{Name: "allocator", Value: "bfc"}, {Name: "empty", Value: []int64{}}, {Name: "memory_fraction", Value: float32(0.5)},
		{Name: "node_id", Value: int64(3)}, {Name: "preallocate", Value: false}, {Name: "tiny", Value: float32(1e-3)},
		{Name: "visible_devices", Value: []int64{0, 1}},
	}, c.options)
	assert.Equal(t, 450, *c.priority)
	assert.True(t, *c.experimental)
	assert.True(t, c.failQuietly)

	c, err = readConfig(put(t, []byte(`{"library_path": "/x.so", "create_option": {"a": 1}}`), dir, "short.json"))
	require.NoError(t, err)
	assert.Equal(t, "/x.so", c.libraryPath)
	assert.Len(t, c.options, 1)
	assert.Nil(t, c.priority)
	assert.Nil(t, c.experimental)
}

func TestHostileConfigs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<16)
	for content, want := range map[string]string{
		"":                                       "it ends too early",
		"{":                                      "it ends too early",
		`{"library_path": "x"`:                   "it ends too early",
		"nonsense":                               "it is not JSON: invalid character",
		"null":                                   "the file is null, not an object",
		"[]":                                     "the file is a list, not an object",
		`"x"`:                                    "the file is a string, not an object",
		"{}":                                     "it has no library_path",
		`{"library_path": ""}`:                   "library_path is empty",
		`{"library_path": 3}`:                    "library_path is a number, not a string",
		`{"library_path": null}`:                 "library_path is null, not a string",
		`{"library_path": "x"} {}`:               "there is more text after the file",
		`{"library_path": "x"} x`:                "there is more text after the file",
		`{"library_path": "x", "librarypath":1}`: `unknown key "librarypath": the keys are library_path, create_options,`,
		`{"` + long + `": 1}`:                    `unknown key "xxx`,
		`{"library_path": "x", "library_path": "y"}`:                                  `the file has the key "library_path" twice`,
		`{"library_path": "x", "create_options": []}`:                                 "create_options is a list, not an object",
		`{"library_path": "x", "create_options": null}`:                               "create_options is null, not an object",
		`{"library_path": "x", "create_options": {}, "create_option": {}}`:            "create_options and create_option mean the same",
		`{"library_path": "x", "create_options": {"a": 1, "a": 2}}`:                   `create_options has the key "a" twice`,
		`{"library_path": "x", "create_options": {"": 1}}`:                            `has the key "", which cannot be the name`,
		`{"library_path": "x", "create_options": {"a\u0000": 1}}`:                     "which cannot be the name",
		`{"library_path": "x", "create_options": {"a": null}}`:                        "create_options.a is null, not a string, a number",
		`{"library_path": "x", "create_options": {"a": {}}}`:                          "create_options.a is an object",
		`{"library_path": "x", "create_options": {"a": [1, "2"]}}`:                    "create_options.a[1] is a string, not an integer",
		`{"library_path": "x", "create_options": {"a": [1.5]}}`:                       "create_options.a[0] is 1.5, not a 64-bit integer",
		`{"library_path": "x", "create_options": {"a": [[1]]}}`:                       "create_options.a[0] is a list, not an integer",
		`{"library_path": "x", "create_options": {"a": 9223372036854775808}}`:         "not a 64-bit integer",
		`{"library_path": "x", "create_options": {"a": 1e39}}`:                        "does not fit in a 32-bit float",
		`{"library_path": "x", "create_options": {"a": 1e999}}`:                       "does not fit in a 32-bit float",
		`{"library_path": "x", "priority": 1.5}`:                                      "priority is a number, not an integer",
		`{"library_path": "x", "priority": null}`:                                     "priority is null, not an integer",
		`{"library_path": "x", "experimental": "yes"}`:                                "experimental is a string, not true or false",
		`{"library_path": "x", "fail_quietly": 1}`:                                    "fail_quietly is a number, not true or false",
		`{"library_path": "x", "create_options": ` + strings.Repeat("[", 1<<18) + `}`: "it is not JSON",
	} {
		path := put(t, []byte(content), t.TempDir(), "x.json")
		_, err := readConfig(path)
		require.ErrorContains(t, err, want, "%.100s", content)
		require.ErrorContains(t, err, "plugin configuration "+path)
		assert.Less(t, len(err.Error()), 600)
	}
}

func TestConfigsThatAreNotFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := filepath.Join(dir, "big.json")
	require.NoError(t, os.WriteFile(big, make([]byte, maxConfig+1), 0o644))
	for path, want := range map[string]string{
		filepath.Join(dir, "missing.json"): "no such file",
		dir:                                "it is a directory, not a regular file",
		os.DevNull:                         ", not a regular file",
		big:                                "it has more than 1048576 bytes",
	} {
		_, err := readConfig(path)
		require.ErrorContains(t, err, want)
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(`{"library_path": "x", "create_options": {"a": [1, 2], "b": 1.5, "c": "d", "e": true}, "priority": 3}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := parseConfig(content)
		if err != nil {
			return
		}
		require.NotEmpty(t, c.libraryPath)
		for _, o := range c.options {
			require.NotEmpty(t, o.Name)
			switch o.Value.(type) {
			case string, bool, int64, float32, []int64:
			default:
				t.Fatalf("%s has a value of type %T", o.Name, o.Value)
			}
		}
	})
}
