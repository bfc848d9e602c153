// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"io"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
)

// The progress bars: with a total, and without one.
const (
	barOfTotal   = `{{string . "what"}} {{counters . }} {{bar . }} {{percent . }}`
	barOfUnknown = `{{string . "what"}} {{counters . }} {{cycle . "|" "/" "-" "\\"}}`
	barOfTime    = `{{string . "what"}} {{etime . }} {{cycle . "|" "/" "-" "\\"}}`
	barOfChecks  = `{{counters . }}{{string . "what"}} {{bar . }}{{string . "rest"}}`
	barOfText    = `{{string . "what"}}`
)

// newBar makes a progress bar on a terminal. Start shows it, and Finish removes it.
func newBar(terminal *os.File, look, what string, total int64) *pb.ProgressBar {
	width := columns(terminal) - 1
	bar := pb.ProgressBarTemplate(look).New(int(total)).SetWriter(terminal).SetWidth(width)
	bar.Set(pb.Terminal, true).Set(pb.CleanOnFinish, true)
	// A line that wraps could not be overwritten; pb shortens only lines with a bar.
	const besides = 12 // columns of what else such a line shows
	if look == barOfText {
		what = clip(what, width)
	} else {
		what = clip(what, max(width-besides, width/2))
	}
	return bar.Set("what", what)
}

// clip shortens a text to a number of columns.
func clip(text string, columns int) string {
	if runes := []rune(text); len(runes) > columns {
		return string(runes[:max(0, columns-3)]) + "..."
	}
	return text
}

// byteMeter shows the progress of an installation on a terminal.
type byteMeter struct {
	terminal *os.File
	step     string
	bar      *pb.ProgressBar
}

// newByteMeter returns the meter for output to w, or nil if w is not a terminal that can
// overwrite a line.
func newByteMeter(w io.Writer) *byteMeter {
	t := terminalOf(w)
	if t == nil || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return &byteMeter{terminal: t}
}

func (m *byteMeter) show(step string, done, total int64) {
	if step != m.step {
		m.end()
		look := barOfTotal
		if total <= 0 {
			look = barOfUnknown
		}
		m.step, m.bar = step, newBar(m.terminal, look, step, total).Set(pb.Bytes, true).Set(pb.SIBytesPrefix, true).Start()
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

// patience is how long something may take before busy shows a line for it.
const patience = time.Second

// busy shows on a terminal what is taking so long, until stop is called.
func busy(w io.Writer, what string) (stop func()) {
	t := terminalOf(w)
	if t == nil || os.Getenv("TERM") == "dumb" {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-end:
			return
		case <-time.After(patience):
		}
		bar := newBar(t, barOfTime, what, 0).Start()
		<-end
		bar.Finish()
	}()
	return func() { close(end); <-ended }
}
