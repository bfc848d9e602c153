// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each row of the table in SECURITY.md has a promise, who it is against, and tests that exist.
func TestThePromisesOfSecurityHaveTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	require.NoError(t, err)
	tests := testNames(t)
	name := regexp.MustCompile("^`((?:Test|Fuzz)\\w+)`$")
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !assert.Len(t, cells, 3, line) {
			continue
		}
		for _, cell := range strings.Split(strings.TrimSpace(cells[2]), ", ") {
			match := name.FindStringSubmatch(cell)
			if assert.NotNil(t, match, "%q is not the name of a test", cell) {
				assert.True(t, tests[match[1]], "there is no %s", match[1])
			}
		}
	}
	assert.GreaterOrEqual(t, rows, 15)
}

// testNames returns the names of all tests of the repository.
func testNames(t *testing.T) map[string]bool {
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	names := make(map[string]bool)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "bin" || d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range declared.FindAllStringSubmatch(string(text), -1) {
			names[match[1]] = true
		}
		return nil
	})
	require.NoError(t, err)
	return names
}
