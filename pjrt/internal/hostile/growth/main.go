// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Growth writes how many steps each reader of package hostile takes on each of its inputs, and how
// many bytes it allocates, as the input grows: a JSON object on each line.
//
// It counts steps only if it was built with -cover -covermode=atomic and -coverpkg.
//
//	growth [-size BYTES] [-times N] [-peak BYTES] [-sweep=false] [-only READER]
package main

import (
	"encoding/json"
	"flag"
	"os"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/hostile"
)

// Measurement is a line of the output.
type Measurement struct {
	Reader, Input string
	Sizes         []int
	Steps, Bytes  []uint64 // by size
	// Peak is how much an input of PeakSize bytes makes the heap grow, at most. It is 0 if the
	// reader allocates so little that it cannot be much.
	Peak, PeakSize uint64
	Error          int // length of the last error
}

func main() {
	size := flag.Int("size", 2<<10, "the size of the smallest input, in `bytes`")
	times := flag.Int("times", 3, "how many `sizes` there are, each four times the one before")
	sweep := flag.Bool("sweep", true, "also use the inputs that put the same part into each field")
	peak := flag.Int("peak", 0, "measure how much memory a reader has at one time for an input of so many `bytes`")
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
			if *peak > 0 && m.allocatesMuch() {
				b := in.Make(*peak)
				m.Peak, m.PeakSize = r.Peak(b), uint64(len(b))
			}
			if err := out.Encode(m); err != nil {
				os.Exit(1)
			}
		}
	}
}

// add measures one reading.
func (m *Measurement) add(r *hostile.Reader, b []byte) {
	w := r.Measure(b)
	m.Sizes, m.Steps, m.Bytes = append(m.Sizes, len(b)), append(m.Steps, w.Steps), append(m.Bytes, w.Bytes)
	if m.Error = 0; w.Error != nil {
		m.Error = len(w.Error.Error())
	}
}

// much is how many bytes a reader may allocate for each byte of its input before its largest heap
// is measured, which takes long.
const much = 20

// allocatesMuch reports whether the reader allocates so much that it may have as much at one time.
func (m *Measurement) allocatesMuch() bool {
	last := len(m.Sizes) - 1
	return last > 0 && m.Bytes[last] > m.Bytes[last-1]+much*uint64(m.Sizes[last]-m.Sizes[last-1])
}
