// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

import (
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The commands of the Dockerfile work, except those that install packages, and what it copies
// needs no more of an image than containers.md says.
func TestTheDockerfileBuildsWhatAnImageNeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds two programs that other tests build too")
	}
	t.Parallel()
	s := newScene(t)
	docs := documents(t)
	d := docs[slices.IndexFunc(docs, func(d document) bool { return d.name == guides+"containers.md" })]
	file := d.blocks[slices.IndexFunc(d.blocks, func(b block) bool { return b.kind == "dockerfile" })]
	out := t.TempDir()
	runs, copied := 0, 0
	for _, line := range file.lines {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "RUN apt-get"), len(words) == 0:
		case words[0] == "RUN":
			runs++
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			cmd := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(strings.TrimPrefix(line, "RUN "), "/out/", out+"/"))
			cmd.Dir, cmd.Env = s.clone, s.env
			said, err := cmd.CombinedOutput()
			cancel()
			require.NoError(t, err, "%s: %s", line, said)
		case words[0] == "COPY" && words[1] == "--from=build":
			for _, name := range words[2 : len(words)-1] {
				copied++
				needsNoMore(t, filepath.Join(out, strings.TrimPrefix(name, "/out/")), d.text)
			}
		case words[0] == "ENV":
			_, value, _ := strings.Cut(words[1], "=cpu:/")
			assert.FileExists(t, filepath.Join(out, value))
		}
	}
	assert.Equal(t, 3, runs)
	assert.Equal(t, 2, copied)
}

// needsNoMore checks the libraries and versions that an executable or a library needs.
func needsNoMore(t *testing.T, file, text string) {
	t.Helper()
	f, err := elf.Open(file)
	require.NoError(t, err)
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	require.NoError(t, err)
	for _, library := range libraries {
		name, _, _ := strings.Cut(library, ".so")
		assert.True(t, strings.Contains(text, "`"+name+"`") || strings.HasPrefix(name, "ld-linux"), "%s needs %s", file, library)
	}
	symbols, err := f.ImportedSymbols()
	require.NoError(t, err)
	for _, symbol := range symbols {
		if version, ok := strings.CutPrefix(symbol.Version, "GLIBC_2."); ok {
			minor, _, _ := strings.Cut(version, ".")
			n, err := strconv.Atoi(minor)
			require.NoError(t, err)
			assert.LessOrEqual(t, n, 27, "%s: %s of %s", file, symbol.Name, symbol.Version)
		}
	}
	info, err := os.Stat(file)
	require.NoError(t, err)
	if strings.HasSuffix(file, ".so") {
		assert.Contains(t, text, strconv.Itoa(int(info.Size()/1e6))+" MB for CPUs")
	}
}
