// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// commitOf makes a repository with the files, and goes there.
func commitOf(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	t.Chdir(dir)
	for _, arguments := range []string{"init -q", "add .", "-c user.name=a -c user.email=a@example.com commit -q -m first"} {
		out, err := exec.Command("git", strings.Fields(arguments)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

const licenseLine = "// SPDX-License-Identifier: Apache-2.0\n"

func sound() map[string]string {
	return map[string]string{
		"LICENSE":                   "a license\n",
		"CHANGELOG.md":              "# Changelog\n\n## v0.1.0\n",
		"go.mod":                    "module " + ours + "\n\ngo 1.26.0\n",
		"a.go":                      licenseLine + "\npackage a\n",
		"pjrt/otel/go.mod":          "module " + ours + "/pjrt/otel\n\ngo 1.26.5\n\nrequire " + ours + " v0.1.0\n",
		"pjrt/otel/b.go":            licenseLine + "\npackage otel\n\nimport _ \"" + ours + "\"\n",
		"tools/testdata/sub/go.mod": "module example.com/sub\n",
	}
}

func TestAReleaseIsBuiltFromItsArchives(t *testing.T) {
	commitOf(t, sound())
	var out strings.Builder
	found, err := release(&out, "v0.1.0")
	require.NoError(t, err)
	assert.Empty(t, found)
	assert.Contains(t, out.String(), ours+"/pjrt/otel: builds, and passes vet, from the archives\n")
	assert.NotContains(t, out.String(), "example.com/sub")
}

func TestWhatIsWrongWithAReleaseIsSaid(t *testing.T) {
	for want, change := range map[string]map[string]string{
		"CHANGELOG.md: there is no section ## v0.1.0": {"CHANGELOG.md": "# Changelog\n"},
		"a.go: the first lines name no license":       {"a.go": "package a\n"},
		"pjrt/otel/go.mod: it requires " + ours + " v0.0.9 instead of v0.1.0": {
			"pjrt/otel/go.mod": "module " + ours + "/pjrt/otel\n\ngo 1.26.5\n\nrequire " + ours + " v0.0.9\n"},
		"pjrt/otel/go.mod: it has replace or exclude": {
			"pjrt/otel/go.mod": "module " + ours + "/pjrt/otel\n\ngo 1.26.5\n\nreplace " + ours + " => ../..\n"},
		"pjrt/otel/go.mod: its version of Go is another than that of the root": {
			"pjrt/otel/go.mod": "module " + ours + "/pjrt/otel\n\ngo 1.25.0\n"},
		"go build -o /dev/null ./...": {"a.go": licenseLine + "\npackage a\n\nvar x int = \"\"\n"},
	} {
		t.Run(want, func(t *testing.T) {
			files := sound()
			for name, text := range change {
				files[name] = text
			}
			commitOf(t, files)
			found, err := release(io.Discard, "v0.1.0")
			require.NoError(t, err)
			assert.Contains(t, strings.Join(found, "\n"), want)
		})
	}
	files := sound()
	delete(files, "LICENSE")
	commitOf(t, files)
	found, err := release(io.Discard, "v0.1.0")
	require.NoError(t, err)
	assert.Contains(t, found, "pjrt/otel: its archive has no LICENSE")
	_, err = release(io.Discard, "0.1")
	require.ErrorContains(t, err, `"0.1" is no version of a module`)
}
