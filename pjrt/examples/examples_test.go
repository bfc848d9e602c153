// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package examples_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// patience bounds the time of a build and of a program, even on a busy machine.
const patience = 5 * time.Minute

// built is the folder for the programs, which TestMain makes.
var built string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if built, err = os.MkdirTemp("", "examples-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(built)
		return m.Run()
	}())
}

var build = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "go", "build", "-o", built+string(filepath.Separator), "./...").CombinedOutput()
	return string(out), err
})

// command returns the program of a folder, which runs with the plugin for CPUs.
func command(t *testing.T, folder string, args ...string) *exec.Cmd {
	t.Helper()
	out, err := build()
	require.NoError(t, err, out)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(built, folder), args...)
	cmd.Env = append(os.Environ(), plugins.NamesAndLibraryPaths+"=cpu:"+plugintest.Path(t, "cpu"), cache.DirVariable+"="+filepath.Join(built, "cache"))
	return cmd
}

// output runs a program and returns what it printed.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	return string(out)
}

func TestProgramsPrintTheirResults(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]string{
		"add":    "[2 4 6 8]\n",
		"linear": "y = 2.00*x0 -3.00*x1 +1.00\n",
		"mlp":    "0 xor 0 is false\n0 xor 1 is true\n1 xor 0 is true\n1 xor 1 is false\n",
		"spmd": `each of 4 devices has f32[2,2]
[[  2.  10.]
 [  4.  30.]
 [  6.  50.]
 [  8.  70.]
 [ 10.  90.]
 [ 12. 110.]
 [ 14. 130.]
 [ 16. 150.]]
sum 712
`,
		"customcall": "[-2 -1 0 1 2]\n",
		"tested":     "5050\n",
	} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, output(t, command(t, folder)))
		})
	}
}

func TestTheTransformerContinuesItsSentence(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles and runs a model twice: make test-all")
	}
	assert.Equal(t, "A quick brown fox jumps over the lazy dog.\n", output(t, command(t, "transformer", "transformer/model", "A quick")))
	again := command(t, "transformer", "-n", "5", "-v", "transformer/model", "A quick")
	var logged bytes.Buffer
	again.Stderr = &logged
	text, err := again.Output()
	require.NoError(t, err, logged.String())
	assert.Equal(t, "A quick brow\n", string(text))
	assert.Equal(t, 2, strings.Count(logged.String(), `"msg":"pjrt load"`), logged.String())
	assert.NotContains(t, logged.String(), `"msg":"pjrt compile"`, "the cache has both programs")
}

func TestTheProgramOfTheReadmeIsTheExample(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, text, ok := strings.Cut(string(readme), "\n```go\npackage main\n")
	require.True(t, ok, "README.md has no block that is a whole program")
	block, _, ok := strings.Cut(text, "```\n")
	require.True(t, ok)
	source, err := os.ReadFile("add/main.go")
	require.NoError(t, err)
	_, program, ok := strings.Cut(string(source), "\npackage main\n")
	require.True(t, ok)
	assert.Equal(t, program, block)
}
