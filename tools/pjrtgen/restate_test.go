// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	crossHost  = "xla/pjrt/extensions/cross_host_transfers/pjrt_c_api_cross_host_transfers_extension.h"
	newHeader  = "xla/pjrt/extensions/door/door_extension.h"
	oldVersion = "api_major: 0\napi_minor: 100\n" + coreName + ": 0.100 unknown\n" + crossHost + ": 0.99 tf-nightly 2.0\n"
	// unmapEnd ends a struct of the core header, after its last field.
	unmapEnd = "};\nPJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaUnmap_Args, data);"
)

// checkouts makes a folder with our headers, and another with the originals of the next
// minor, which adds a function, a field, a value and an extension.
func checkouts(t *testing.T) (ours, originals string) {
	t.Helper()
	ours, originals = filepath.Join(t.TempDir(), "ours"), filepath.Join(t.TempDir(), "originals")
	for _, dir := range []string{ours, originals} {
		for _, path := range []string{coreName, crossHost} {
			writeFile(t, filepath.Join(dir, filepath.FromSlash(path)), read(t, filepath.Join("../../third_party/xla", path)))
		}
	}
	writeFile(t, filepath.Join(ours, "VERSION"), oldVersion)
	change := func(path string, pairs ...string) {
		file := filepath.Join(originals, filepath.FromSlash(path))
		text := read(t, file)
		for i := 0; i < len(pairs); i += 2 {
			require.Contains(t, text, pairs[i])
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		writeFile(t, file, text)
	}
	core := read(t, filepath.Join(originals, coreName))
	minor := core[strings.Index(core, "#define PJRT_API_MINOR "):]
	minor = minor[:strings.IndexByte(minor, '\n')]
	change(coreName,
		minor, "#define PJRT_API_MINOR 999",
		unmapEnd, "  // Theirs.\n  bool is_secret;  // theirs\n};\nPJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaUnmap_Args, is_secret);",
	)
	writeFile(t, filepath.Join(originals, newHeader),
		"// Theirs.\n#ifndef DOOR_H_\n#define DOOR_H_\n\n#include \"xla/pjrt/c/pjrt_c_api.h\"\n\n#define PJRT_API_DOOR_EXTENSION_VERSION 1\n\n"+
			"typedef struct PJRT_Door_Extension {\n  PJRT_Extension_Base base;  // theirs\n} PJRT_Door_Extension;\n#endif\n")
	return ours, originals
}

func TestRestateBringsOurHeadersToTheNextMinor(t *testing.T) {
	t.Parallel()
	ours, originals := checkouts(t)
	before := read(t, filepath.Join(ours, coreName))
	require.NoError(t, os.Remove(filepath.Join(originals, filepath.FromSlash(crossHost))))

	out, err := pjrtgen("restate", "--headers", ours, originals)
	require.NoError(t, err)
	assert.Contains(t, out, "to 0.999\n"+coreName+"\n  changed   PJRT_API_MINOR\n  describe  PJRT_Client_DmaUnmap_Args.is_secret\n")
	assert.Contains(t, out, "not among the originals, and left as they are:\n  "+crossHost+"\n")
	assert.Contains(t, out, "1 new item to describe; next: the facts, which make update writes\n")
	assert.Contains(t, out, "new, and not taken: "+newHeader+" (--take "+newHeader+")\n")
	after := read(t, filepath.Join(ours, coreName))
	assert.Contains(t, after, "  void* data;\n  bool is_secret;\n")
	assert.NotContains(t, strings.ToLower(after), "theirs")
	assert.Len(t, strings.Split(after, "\n"), len(strings.Split(before, "\n"))+1, "nothing else changed")
	assert.Equal(t, "api_major: 0\napi_minor: 999\n"+coreName+": 0.999 unknown\n"+crossHost+": 0.99 tf-nightly 2.0\n", read(t, filepath.Join(ours, "VERSION")))

	// A second run has nothing to do, except for a header that is now taken.
	out, err = pjrtgen("restate", "--headers", ours, "--take", newHeader, originals)
	require.NoError(t, err)
	assert.Contains(t, out, newHeader+"\n  describe  PJRT_API_DOOR_EXTENSION_VERSION\n  describe  struct PJRT_Door_Extension with 1 field\n")
	assert.NotContains(t, out, "not taken")
	assert.Equal(t, after, read(t, filepath.Join(ours, coreName)))
	taken := read(t, filepath.Join(ours, newHeader))
	assert.NotContains(t, strings.ToLower(taken), "theirs")
	assert.Contains(t, taken, "PJRT_Extension_Base base;")
}

func TestRestateReadsWheels(t *testing.T) {
	t.Parallel()
	ours, originals := checkouts(t)
	wheel := filepath.Join(t.TempDir(), "some.whl")
	f, err := os.Create(wheel)
	require.NoError(t, err)
	w := zip.NewWriter(f)
	for name, text := range map[string]string{
		"some/include/" + coreName:                               read(t, filepath.Join(originals, coreName)),
		"some/include/xla/../../../../../evil.h":                 "x",
		"some/include/tsl/other.h":                               "not C",
		"other/" + strings.ReplaceAll(crossHost, "xla/", "not/"): "not C",
	} {
		e, err := w.Create(name)
		require.NoError(t, err)
		_, err = e.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	out, err := pjrtgen("restate", "--headers", ours, wheel)
	require.NoError(t, err)
	assert.Contains(t, out, "describe  PJRT_Client_DmaUnmap_Args.is_secret")
}

func TestRestateChangesNothingWhenItFails(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads all headers several times: make test-all")
	}
	ours, originals := checkouts(t)
	edit := func(t *testing.T, dir, from, to string) {
		t.Helper()
		file := filepath.Join(dir, coreName)
		text := read(t, file)
		require.Contains(t, text, from)
		writeFile(t, file, strings.Replace(text, from, to, 1))
	}
	copied := func(t *testing.T) string {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(originals)))
		return dir
	}
	empty := t.TempDir()
	notWheel := filepath.Join(empty, "x.whl")
	writeFile(t, notWheel, "x")
	for name, c := range map[string]struct {
		originals func(t *testing.T) string
		take      string
		want      string
	}{
		"nothing there":                {func(*testing.T) string { return filepath.Join(empty, "none") }, "", "cannot read the originals: "},
		"no headers":                   {func(*testing.T) string { return empty }, "", "has no " + coreName + ": name a checkout"},
		"not a wheel":                  {func(*testing.T) string { return notWheel }, "", "x.whl is not a wheel: "},
		"a header that does not exist": {copied, "xla/none.h", "none.h: no such file"},
		"a path outside":               {copied, "../x.h", "give the path by which other headers include it"},
		"an older version": {func(t *testing.T) string {
			dir := copied(t)
			edit(t, dir, "PJRT_API_MINOR 999", "PJRT_API_MINOR 1")
			return dir
		}, "", "restate only adds what newer ones have gained"},
		"a field that is gone": {func(t *testing.T) string {
			dir := copied(t)
			edit(t, dir, "  void* data;\n  // Theirs.\n", "")
			return dir
		}, "", "the newer header has no PJRT_Client_DmaUnmap_Args.data"},
		"two fields in one declaration": {func(t *testing.T) string {
			dir := copied(t)
			edit(t, dir, "  bool is_secret;", "  bool is_secret, and_more;")
			return dir
		}, "", "add it to ours by hand"},
		"a fault": {func(t *testing.T) string {
			dir := copied(t)
			edit(t, dir, "  bool is_secret;", "  boolean is_secret;")
			return dir
		}, "", coreName + ":"},
	} {
		t.Run(name, func(t *testing.T) {
			before := read(t, filepath.Join(ours, coreName))
			args := []string{"restate", "--headers", ours}
			if c.take != "" {
				args = append(args, "--take", c.take)
			}
			_, err := pjrtgen(append(args, c.originals(t))...)
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, before, read(t, filepath.Join(ours, coreName)))
			assert.Equal(t, oldVersion, read(t, filepath.Join(ours, "VERSION")))
		})
	}
}
