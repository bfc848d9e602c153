// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Growth writes how many steps each reader of package hostile takes on each of its inputs, and how
// many bytes it allocates, as the input grows: a JSON object on each line.
//
// It counts steps only if it was built with -cover -covermode=atomic. A step is the execution of a
// piece of code without branches in a package that -coverpkg names.
//
//	growth [-size BYTES] [-times N] [-sweep=false] [-only READER]
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"runtime/coverage"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/hostile"
)

// Measurement is a line of the output.
type Measurement struct {
	Reader, Input string
	Sizes         []int
	Steps, Bytes  []uint64 // by size
	Error         int      // length of the last error
}

func main() {
	size := flag.Int("size", 2<<10, "the size of the smallest input, in `bytes`")
	times := flag.Int("times", 3, "how many `sizes` there are, each four times the one before")
	sweep := flag.Bool("sweep", true, "also use the inputs that put the same part into each field")
	only := flag.String("only", "", "the beginning of the `name` of the readers to measure")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	for _, r := range hostile.Readers() {
		for _, in := range hostile.Inputs() {
			if !r.Gets(in.Form) || in.Sweep && !*sweep || !strings.HasPrefix(r.Name, *only) {
				continue
			}
			_ = r.Read(in.Make(1)) // what is read once per process
			m := Measurement{Reader: r.Name, Input: in.Name}
			for n := range *times {
				m.add(&r, in.Make(*size<<(2*n)))
			}
			if err := out.Encode(m); err != nil {
				os.Exit(1)
			}
		}
	}
}

// add measures one reading.
func (m *Measurement) add(r *hostile.Reader, b []byte) {
	var before, after runtime.MemStats
	counting := coverage.ClearCounters() == nil
	runtime.ReadMemStats(&before)
	err := r.Read(b)
	var steps uint64
	if counting {
		var counters bytes.Buffer
		runtime.ReadMemStats(&after)
		if err := coverage.WriteCounters(&counters); err != nil {
			panic(err)
		}
		steps = sum(counters.Bytes())
	} else {
		runtime.ReadMemStats(&after)
	}
	m.Sizes = append(m.Sizes, len(b))
	m.Steps = append(m.Steps, steps)
	m.Bytes = append(m.Bytes, after.TotalAlloc-before.TotalAlloc)
	if m.Error = 0; err != nil {
		m.Error = len(err.Error())
	}
}
