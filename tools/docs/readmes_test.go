// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance"
)

// isTest reports whether a block is a whole file of tests.
func isTest(b block) bool {
	return b.kind == "go" && len(b.lines) > 0 && strings.HasPrefix(b.lines[0], "package ") && strings.HasSuffix(b.lines[0], "_test")
}

// A file of tests that a document shows runs in its own module.
func TestTheTestsThatTheDocumentsShowRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles a separate module")
	}
	seen := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if !isTest(b) {
				continue
			}
			seen++
			s := newScene(t)
			s.providePlugin(t)
			require.NoError(t, os.Mkdir(filepath.Join(s.dir, "plugin"), 0o755))
			file := filepath.Join(s.dir, "plugin", "plugin_test.go")
			require.NoError(t, os.WriteFile(file, []byte(strings.Join(b.lines, "\n")+"\n"), 0o644))
			s.run(t, d.name, block{kind: "console", line: b.line, lines: []string{
				"$ cd plugin && go mod init example.com/plugin && go work init . ../purepjrt",
				"$ go test -v -count=1 -run 'TestConformance/EVT-03'",
				"...", "    --- PASS: TestConformance/EVT-03...", "...",
			}})
		}
	}
	assert.Positive(t, seen)
}

// The suite can read the JSON that a document shows.
func TestTheWaiversThatTheDocumentsShowAreRead(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.kind != "json" {
				continue
			}
			seen++
			file := filepath.Join(t.TempDir(), "waivers.json")
			require.NoError(t, os.WriteFile(file, []byte(strings.Join(b.lines, "\n")), 0o644))
			waivers, err := conformance.ReadWaivers(file)
			require.NoError(t, err, "%s:%d", d.name, b.line)
			assert.NotEmpty(t, waivers.Waivers)
		}
	}
	assert.Positive(t, seen)
}

// Our own action has the inputs that a document sets.
func TestTheStepsThatTheDocumentsShowHaveInputsThatExist(t *testing.T) {
	t.Parallel()
	action, err := os.ReadFile(filepath.Join(root, "conformance", "action.yml"))
	require.NoError(t, err)
	inputs, _, _ := strings.Cut(string(action), "\noutputs:")
	seen := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			_, with, ours := strings.Cut(strings.Join(b.lines, "\n"), "uses: purepjrt/purepjrt/conformance@")
			if b.kind != "yaml" || !ours {
				continue
			}
			for _, m := range regexp.MustCompile(`(?m)^    ([a-z]+): `).FindAllStringSubmatch(with, -1) {
				seen++
				assert.Contains(t, inputs, "\n  "+m[1]+":\n", "%s:%d", d.name, b.line)
			}
		}
	}
	assert.Positive(t, seen)
}

// The headers have the functions in the output that a document shows.
func TestTheFunctionsInOutputExist(t *testing.T) {
	t.Parallel()
	var headers strings.Builder
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "third_party", "xla", "xla"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		headers.Write(text)
		return err
	}))
	seen := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.kind != "output" {
				continue
			}
			for _, name := range regexp.MustCompile(`\bPJRT_\w+`).FindAllString(strings.Join(b.lines, "\n"), -1) {
				seen++
				assert.Regexp(t, `\b`+name+`\b`, headers.String(), fmt.Sprintf("%s:%d", d.name, b.line))
			}
		}
	}
	assert.Greater(t, seen, 10)
}
