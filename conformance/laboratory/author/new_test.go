// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

// begin makes the files of a check from the root of the repository, without writing them.
func begin(t *testing.T, rule, variant string) (*beginning, map[string][]byte, error) {
	t.Helper()
	b := &beginning{rule: rule, variant: variant, severity: rules.Should, read: os.ReadFile}
	files, err := b.files()
	return b, files, err
}

// What the command writes compiles in every package, and is added to the package's checks
// and mutants.
func TestABeginningCompiles(t *testing.T) {
	t.Chdir("../../..")
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	dir := t.TempDir()
	vet := []string{"vet", "-overlay", filepath.Join(dir, "overlay.json")}
	for _, c := range []struct{ rule, variant, pkg string }{
		{"LOAD-15", "", "library"}, {"CLI-12", "another end", "client"}, {"EVT-30", "", "buffers"}, {"RUN-01", "test", "programs"},
		{"XLAY-01", "again", "extension"}, {"PERF-11", "", "quality"},
	} {
		b, files, err := begin(t, c.rule, c.variant)
		require.NoError(t, err, c.rule)
		assert.Equal(t, rules.ByID(c.rule) == nil, b.added, c.rule)
		assert.Equal(t, "conformance/internal/checks/"+c.pkg, filepath.ToSlash(filepath.Dir(b.file)))
		vet = append(vet, "./"+filepath.Dir(b.file))
		lists := 0
		for name, data := range files {
			if name == rulesFile || name == countsFile {
				continue // each case begins with the lists as they are
			}
			if name != b.file {
				lists += strings.Count(string(data), strings.ToLower(strings.ReplaceAll(c.rule, "-", ""))+identifier(c.variant))
			}
			at := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
			require.NoError(t, os.WriteFile(at, data, 0o600))
			full, err := filepath.Abs(name)
			require.NoError(t, err)
			overlay.Replace[full] = at
		}
		assert.Equal(t, 2, lists, "%s in the lists of checks and of mutants", c.rule)
		assert.Contains(t, b.next(files), b.file)
	}
	text, err := json.Marshal(overlay)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(vet[2], text, 0o600))
	out, err := exec.CommandContext(t.Context(), "go", vet...).CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

func TestANewRuleIsARowWithoutTexts(t *testing.T) {
	t.Chdir("../../..")
	b, files, err := begin(t, "EVT-30", "")
	require.NoError(t, err)
	require.True(t, b.added)
	var list struct{ Rules []rules.Rule }
	require.NoError(t, json.Unmarshal(files[rulesFile], &list))
	require.Len(t, list.Rules, len(rules.All())+1)
	for i, r := range list.Rules {
		if r.ID == "EVT-30" {
			assert.Equal(t, "EVT", list.Rules[i-1].Group())
			assert.NotEqual(t, "EVT", list.Rules[i+1].Group())
			assert.Empty(t, r.Text, "a test of the rules fails until somebody writes it")
		}
	}
	before, err := os.ReadFile(countsFile)
	require.NoError(t, err)
	assert.NotEqual(t, string(before), string(files[countsFile]), "the rule is counted")
	assert.Contains(t, b.next(files), rulesFile)
}

func TestWhatCannotBegin(t *testing.T) {
	t.Chdir("../../..")
	for rule, want := range map[string]string{
		"evt-30": "the id of a rule", "EVT-3": "the id of a rule", "NONE-01": "there is no group NONE", "EVT-04": "there is a check EVT-04",
		"REPT-05": "no package",
	} {
		_, _, err := begin(t, rule, "")
		assert.ErrorContains(t, err, want, rule)
	}
}
