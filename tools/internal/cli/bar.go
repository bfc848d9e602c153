// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cli

import (
	"io"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"
)

// The looks of a bar, as templates of package pb. The text of the element what comes first.
const (
	BarOfTotal   = `{{string . "what"}} {{counters . }} {{bar . }} {{percent . }}`
	BarOfUnknown = `{{string . "what"}} {{counters . }} {{cycle . "|" "/" "-" "\\"}}` // of an unknown total
	BarOfText    = `{{string . "what"}}`
	barOfTime    = `{{string . "what"}} {{etime . }} {{cycle . "|" "/" "-" "\\"}}`
)

// NewBar makes a progress bar on a terminal. Start shows it, and Finish removes it.
func NewBar(terminal *os.File, look, what string, total int64) *pb.ProgressBar {
	width := Columns(terminal) - 1
	bar := pb.ProgressBarTemplate(look).New(int(total)).SetWriter(terminal).SetWidth(width)
	bar.Set(pb.Terminal, true).Set(pb.CleanOnFinish, true)
	// A line that wraps could not be overwritten; pb shortens only lines with a bar.
	const besides = 12 // columns of what else such a line shows
	if look == BarOfText {
		what = Clip(what, width)
	} else {
		what = Clip(what, max(width-besides, width/2))
	}
	return bar.Set("what", what)
}

// Clip shortens a text to a number of columns.
func Clip(text string, columns int) string {
	if runes := []rune(text); len(runes) > columns {
		return string(runes[:max(0, columns-3)]) + "..."
	}
	return text
}

// patience is how long something may take before Busy shows a line for it.
const patience = time.Second

// Busy shows on a terminal what is taking so long, until stop is called.
func Busy(w io.Writer, what string) (stop func()) {
	t := Overwritable(w)
	if t == nil {
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
		bar := NewBar(t, barOfTime, what, 0).Start()
		<-end
		bar.Finish()
	}()
	return func() { close(end); <-ended }
}
