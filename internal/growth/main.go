// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package growth

import (
	"encoding/json"
	"flag"
	"iter"
	"os"
	"slices"
	"strings"
)

// Row is a reader with an input.
type Row struct {
	Reader, Input string
	Read          func(b []byte) error
	// Make returns an input of about size bytes.
	Make func(size int) []byte
	// Sweep says that the input is one of many that put the same part into each field.
	Sweep bool
}

// measurement is a line of the output.
type measurement struct {
	Reader, Input string
	Sizes         []int
	Steps, Bytes  []uint64 // by size
	// Peak is how much an input of PeakSize bytes makes the heap grow, at most, with garbage if it
	// keeps what is promised. It is 0 if the reader allocates so little that it cannot be much.
	Peak, PeakSize uint64
	Error          int // length of the last error
}

// Main is the main function of a program that writes a measurement of each row as a line of JSON.
// Its flags choose rows and sizes.
func Main(rows iter.Seq[Row]) {
	size := flag.Int("size", 1<<10, "the size of the smallest input, in `bytes`")
	times := flag.Int("times", 3, "how many `sizes` there are, each four times the one before")
	sweep := flag.Bool("sweep", true, "also use the inputs that put the same part into each field")
	peak := flag.Int("peak", 0, "measure how much memory a reader has at one time for an input of so many `bytes`")
	only := flag.String("only", "", "the beginnings of the `names` of the readers to measure, with commas between them")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	for r := range rows {
		begins := func(name string) bool { return strings.HasPrefix(r.Reader, name) }
		if r.Sweep && !*sweep || !slices.ContainsFunc(strings.Split(*only, ","), begins) {
			continue
		}
		_ = r.Read(r.Make(1)) // what is read once per process
		m := measurement{Reader: r.Reader, Input: r.Input}
		for n := range *times {
			m.add(r.Read, r.Make(*size<<(2*n)))
		}
		if *peak > 0 && m.allocatesMuch() {
			b := r.Make(*peak)
			m.PeakSize = uint64(len(b))
			m.Peak = peakOf(r.Read, b, promised(m.PeakSize)/8*7)
		}
		if err := out.Encode(m); err != nil {
			os.Exit(1)
		}
	}
}

// add measures one reading.
func (m *measurement) add(read func([]byte) error, b []byte) {
	w := Measure(read, b)
	m.Sizes, m.Steps, m.Bytes = append(m.Sizes, len(b)), append(m.Steps, w.Steps), append(m.Bytes, w.Bytes)
	if m.Error = 0; w.Error != nil {
		m.Error = len(w.Error.Error())
	}
}

// A reader may allocate so many bytes, and so many for each byte of its input, before its largest
// heap is measured, which takes long.
const (
	much    = 20
	muchAny = 16 << 20
)

// allocatesMuch reports whether the reader allocates so much that it may have as much at one time.
func (m *measurement) allocatesMuch() bool {
	last := len(m.Sizes) - 1
	return last > 0 && m.Bytes[last] > min(muchAny, m.Bytes[last-1]+much*uint64(m.Sizes[last]-m.Sizes[last-1]))
}
