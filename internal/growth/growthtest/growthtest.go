// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package growthtest checks what a program of package growth measures.
package growthtest

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/growth"
)

// LongestError is how long the text of an error about an input may be.
const LongestError = 2000

// counted are the packages whose steps count. Those of Go that are written in assembly do not.
var counted = []string{
	"github.com/purepjrt/purepjrt/...", "google.golang.org/protobuf/encoding/protowire",
	"bytes", "encoding/json", "maps", "slices", "sort", "strconv", "strings",
}

// measure builds the program in a folder with these flags, and returns what it measures.
func measure(t *testing.T, folder string, flags, args []string) (list []growth.Measurement) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "growth")
	build := exec.Command("go", append(append([]string{"build"}, flags...), "-o", program, folder)...)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	c := exec.Command(program, args...)
	// Collections that stop the program until they have swept make the largest heap depend on the
	// reader alone.
	c.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir(), "GODEBUG=gcstoptheworld=2")
	c.Stderr = os.Stderr
	pipe, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		var m growth.Measurement
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m))
		list = append(list, m)
	}
	require.NoError(t, c.Wait())
	require.NotEmpty(t, list)
	return list
}

// grows returns how many times as much the growth from the second to the third size takes as that
// from the first to the second: 4 if it is linear, a little more if something is sorted, 16 if it
// is quadratic. What is the same for all sizes does not count, nor does a little.
func grows(of []uint64, little uint64) float64 {
	first, second := of[1]-of[0], of[2]-of[1]
	if of[1] < of[0] || of[2] < of[1] {
		return 0
	}
	return float64(second) / float64(max(first, little))
}

// Steps checks, for the rows of the program in a folder, that inputs of three sizes take steps and
// allocate bytes in proportion, whatever is in them. Counting steps, not time, gives the same
// result on each machine. The program gets the arguments.
func Steps(t *testing.T, folder string, args ...string) {
	t.Helper()
	t.Parallel()
	if testing.Short() {
		t.Skip("it compiles everything once more, to count steps")
	}
	list := measure(t, folder, []string{"-cover", "-covermode=atomic", "-coverpkg=" + strings.Join(counted, ",")}, args)
	for _, m := range list {
		what := m.Reader + ": " + m.Input
		assert.Positive(t, m.Steps[2], what)
		// What reads only the beginning of the smaller ones is not quadratic.
		if m.Steps[2] > 40*uint64(m.Sizes[2]) {
			assert.Less(t, grows(m.Steps, 1<<10), 8.0, "%s: %d bytes take %d steps", what, m.Sizes, m.Steps)
		}
		assert.Less(t, grows(m.Bytes, 64<<10), 8.0, "%s: %d bytes take %d bytes of memory", what, m.Sizes, m.Bytes)
		assert.Less(t, m.Error, LongestError, "%s: the error is long", what)
	}
}

// The promise about memory: what a reader has at one time is at most so many times its input, and
// what any input may take.
const (
	timesInput = 20
	anyInput   = 32 << 20
)

// Memory checks, for the rows of the program in a folder, that readers which allocate much have
// little of it at one time: each that may have more than the promise reads an input of 2 MiB.
func Memory(t *testing.T, folder string, args ...string) {
	t.Helper()
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	measured := 0
	for _, m := range measure(t, folder, nil, append(args, "-peak", "2097152")) {
		if m.PeakSize == 0 {
			continue
		}
		measured++
		assert.LessOrEqual(t, m.Peak, anyInput+timesInput*m.PeakSize, "%s: %s: %d bytes", m.Reader, m.Input, m.PeakSize)
	}
	assert.Positive(t, measured)
}
