// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package growth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// LongestError is how long the text of an error about an input may be.
const LongestError = 2000

// counted are the packages whose steps count. Those of Go that are written in assembly do not.
var counted = []string{
	"github.com/purepjrt/purepjrt/...", "google.golang.org/protobuf/encoding/protowire",
	"bytes", "encoding/json", "maps", "slices", "sort", "strconv", "strings",
}

// measure builds the program in the folder of this test with these flags, and returns what it
// measures. A test of its own could not count steps: Go writes the counters of tests only when they
// end, and would compile what only tests import once more, too.
func measure(flags, args []string) (list []measurement, err error) {
	dir, err := os.MkdirTemp("", "growth")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "program")
	build := exec.Command("go", append(append([]string{"build"}, flags...), "-o", program, ".")...)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	c := exec.Command(program, args...)
	// Collections that stop the program until they have swept make the largest heap depend on the
	// reader alone.
	c.Env = append(os.Environ(), "GOCOVERDIR="+dir, "GODEBUG=gcstoptheworld=2")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, err
	}
	for lines := json.NewDecoder(bytes.NewReader(out)); lines.More(); {
		var m measurement
		if err := lines.Decode(&m); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// steepness returns how many times as much the growth from the second to the third size takes as
// that from the first to the second: 4 if it is linear, a little more if something is sorted, 16 if
// it is quadratic. What is the same for all sizes does not count, nor does a little.
func steepness(of []uint64, little uint64) float64 {
	first, second := of[1]-of[0], of[2]-of[1]
	if of[1] < of[0] || of[2] < of[1] {
		return 0
	}
	return float64(second) / float64(max(first, little))
}

// steep is the steepness from which on something is not in proportion.
const steep = 8

// Steps checks, for the rows of the program whose test calls it, that inputs of three sizes take
// steps and allocate bytes in proportion, whatever is in them. Counting steps, not time, gives the
// same result on each machine. The program gets the arguments.
func Steps(args ...string) error {
	list, err := measure([]string{"-cover", "-covermode=atomic", "-coverpkg=" + strings.Join(counted, ",")}, args)
	if err == nil && len(list) == 0 {
		err = errors.New("nothing was measured")
	}
	failed := []error{err}
	for _, m := range list {
		check := func(ok bool, format string, values ...any) {
			if !ok {
				failed = append(failed, fmt.Errorf("%s: %s: %s", m.Reader, m.Input, fmt.Sprintf(format, values...)))
			}
		}
		check(m.Steps[2] > 0, "it takes no steps")
		// What reads only the beginning of the smaller ones is not quadratic.
		linear := m.Steps[2] <= 40*uint64(m.Sizes[2]) || steepness(m.Steps, 1<<10) < steep
		check(linear, "%d bytes take %d steps", m.Sizes, m.Steps)
		check(steepness(m.Bytes, 64<<10) < steep, "%d bytes take %d bytes of memory", m.Sizes, m.Bytes)
		check(m.Error < LongestError, "the error has %d bytes", m.Error)
	}
	return errors.Join(failed...)
}

// The promise about memory: what a reader has at one time is at most so many times its input, and
// what any input may take.
const (
	timesInput = 20
	anyInput   = 32 << 20
)

func promised(size uint64) uint64 { return anyInput + timesInput*size }

// Memory checks, for the rows of the program whose test calls it, that readers which allocate much
// have little of it at one time: each that may have more than the promise reads an input of 2 MiB.
func Memory(args ...string) error {
	list, err := measure(nil, append(args, "-peak", "2097152"))
	failed := []error{err}
	measured := 0
	for _, m := range list {
		if m.PeakSize == 0 {
			continue
		}
		measured++
		if m.Peak > promised(m.PeakSize) {
			failed = append(failed, fmt.Errorf("%s: %s: %d bytes take %d bytes at one time", m.Reader, m.Input, m.PeakSize, m.Peak))
		}
	}
	if err == nil && measured == 0 {
		failed = append(failed, errors.New("nothing was measured"))
	}
	return errors.Join(failed...)
}
