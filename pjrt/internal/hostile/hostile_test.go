// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hostile_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/hostile"
	"github.com/purepjrt/purepjrt/pjrt/internal/source"
)

// measurement is what the program growth writes.
type measurement struct {
	Reader, Input string
	Sizes         []int
	Steps, Bytes  []uint64
	Peak          uint64
	PeakSize      uint64
	Error         int
}

// counted are the packages whose steps count. Those of Go that are written in assembly do not.
var counted = []string{
	"github.com/purepjrt/purepjrt/...", "google.golang.org/protobuf/encoding/protowire",
	"bytes", "encoding/json", "maps", "slices", "sort", "strconv", "strings",
}

// measure builds the program growth with these flags, and returns what it measures.
func measure(t *testing.T, flags, args []string) (list []measurement) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "growth")
	build := exec.Command("go", append(append([]string{"build"}, flags...), "-o", program, "./growth")...)
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
		var m measurement
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m))
		list = append(list, m)
	}
	require.NoError(t, c.Wait())
	require.NotEmpty(t, list)
	return list
}

// growth returns how many times as much the growth from the second to the third size takes as that
// from the first to the second: 4 if it is linear, a little more if something is sorted, 16 if it
// is quadratic. What is the same for all sizes does not count, nor does a little.
func growth(of []uint64, little uint64) float64 {
	first, second := of[1]-of[0], of[2]-of[1]
	if of[1] < of[0] || of[2] < of[1] {
		return 0
	}
	return float64(second) / float64(max(first, little))
}

// A program of any size stops being read when its context ends.
func TestReadingAProgramEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, in := range hostile.Inputs() {
		if in.Form > hostile.Message || in.Sweep {
			continue
		}
		s, err := source.Parse(in.Make(64<<10), "")
		if err != nil {
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		assert.ErrorIs(t, s.Read(ctx, source.Compiler{}), context.Canceled, in.Name)
		assert.NoError(t, s.Check(1), "%s: nothing was read", in.Name)
		assert.NoError(t, s.Read(context.Background(), source.Compiler{}), in.Name)
	}
}

// Inputs of three sizes take steps and allocate bytes in proportion, whatever is in them. Counting
// steps, not time, gives the same result on each machine.
func TestReadersTakeStepsInProportionToTheirInput(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it compiles everything once more, to count steps")
	}
	list := measure(t, []string{"-cover", "-covermode=atomic", "-coverpkg=" + strings.Join(counted, ",")}, nil)
	for _, m := range list {
		what := m.Reader + ": " + m.Input
		assert.Positive(t, m.Steps[2], what)
		// What reads only the beginning of the smaller ones is not quadratic.
		if m.Steps[2] > 40*uint64(m.Sizes[2]) {
			assert.Less(t, growth(m.Steps, 1<<10), 8.0, "%s: %d bytes take %d steps", what, m.Sizes, m.Steps)
		}
		assert.Less(t, growth(m.Bytes, 64<<10), 8.0, "%s: %d bytes take %d bytes of memory", what, m.Sizes, m.Bytes)
		assert.Less(t, m.Error, longestError, "%s: the error is long", what)
	}
}

// The promise about memory: what a reader has at one time is at most so many times its input, and
// what any input may take.
const (
	timesInput = 20
	anyInput   = 32 << 20
)

// Readers that allocate much have little of it at one time: each that may have more than the
// promise reads an input of 2 MiB.
func TestReadersNeedAtMostTwentyTimesTheMemoryOfTheirInput(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	measured := 0
	for _, m := range measure(t, nil, []string{"-peak", "2097152"}) {
		if m.PeakSize == 0 {
			continue
		}
		measured++
		assert.LessOrEqual(t, m.Peak, anyInput+timesInput*m.PeakSize, "%s: %s: %d bytes", m.Reader, m.Input, m.PeakSize)
	}
	assert.Positive(t, measured)
}

// Whatever the input, reading it is bounded in allocations, and in steps when the test was built
// with -covermode=atomic: a fuzzer finds inputs that nobody thought of.
func FuzzReadersDoLittleWork(f *testing.F) {
	forms := make(map[hostile.Form]bool)
	for _, in := range hostile.Inputs() {
		if !forms[in.Form] {
			forms[in.Form] = true
			f.Add(in.Make(200))
		}
	}
	readers := hostile.Readers()
	f.Fuzz(func(t *testing.T, b []byte) {
		for i := range readers {
			r := &readers[i]
			w := r.Measure(b)
			if most := uint64(64<<20 + 1000*len(b)); w.Bytes > most {
				t.Errorf("%s allocates %d bytes for %d", r.Name, w.Bytes, len(b))
			}
			if most := uint64(1<<26 + 4000*len(b)); w.Steps > most {
				t.Errorf("%s takes %d steps for %d bytes", r.Name, w.Steps, len(b))
			}
			if w.Error != nil && len(w.Error.Error()) > longestError {
				t.Errorf("%s returns an error of %d bytes", r.Name, len(w.Error.Error()))
			}
		}
	})
}

// longestError is how long the text of an error about an input may be.
const longestError = 2000
