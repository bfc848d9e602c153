// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"io"
	"os"

	"github.com/vbauerster/mpb/v8/decor"

	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// byteMeter shows the progress of an installation on a terminal.
type byteMeter struct {
	terminal *os.File
	step     string
	bar      *cli.Bar
}

// newByteMeter returns the meter for output to w, or nil if w is not a terminal that can
// overwrite a line.
func newByteMeter(w io.Writer) *byteMeter {
	t := cli.Overwritable(w)
	if t == nil {
		return nil
	}
	return &byteMeter{terminal: t}
}

func (m *byteMeter) show(step string, done, total int64) {
	if step != m.step {
		m.end()
		name := decor.Name(step + " ")
		left := []decor.Decorator{name, decor.CountersKiloByte("% .1f / % .1f ")}
		right := []decor.Decorator{decor.Percentage(decor.WCSyncSpace)}
		if total <= 0 {
			left, right = []decor.Decorator{name, decor.CurrentKiloByte("% .1f "), cli.Turning()}, nil
		}
		m.step, m.bar = step, cli.NewBar(m.terminal, total, left, right)
	}
	m.bar.SetCurrent(done)
}

// above returns a writer that removes the bar before it writes.
func (m *byteMeter) above(w io.Writer) io.Writer { return lines{m, w} }

type lines struct {
	meter *byteMeter
	io.Writer
}

func (l lines) Write(p []byte) (int, error) {
	l.meter.end()
	return l.Writer.Write(p)
}

// end removes the bar.
func (m *byteMeter) end() {
	if m != nil && m.bar != nil {
		m.bar.Finish()
		m.bar, m.step = nil, ""
	}
}
