// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cli

import (
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A Bar is a line on a terminal that is overwritten while something goes on.
type Bar struct {
	lines *mpb.Progress
	bar   *mpb.Bar
}

// NewBar shows a bar, with these decorations to its left and right. Of a total that is not positive
// it shows the decorations alone. The terminal cuts a line that is too long for it.
func NewBar(terminal *os.File, total int64, left, right []decor.Decorator) *Bar {
	style := mpb.NopStyle()
	if total > 0 {
		style = mpb.BarStyle().Filler("-").Tip(">").Padding("_")
	}
	lines := mpb.New(mpb.WithOutput(terminal))
	return &Bar{lines, lines.New(max(0, total), style,
		mpb.PrependDecorators(left...), mpb.AppendDecorators(right...), mpb.BarRemoveOnComplete(), mpb.BarFillerTrim())}
}

// SetCurrent says how much of the total is done.
func (b *Bar) SetCurrent(n int64) { b.bar.SetCurrent(n) }

// Finish shows the line as it is in the end, and removes it.
func (b *Bar) Finish() {
	b.bar.Abort(true)
	b.lines.Wait()
}

// Turning is a decoration which shows that something goes on.
func Turning() decor.Decorator { return decor.Spinner([]string{"|", "/", "-", "\\"}) }

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
		started := time.Now()
		select {
		case <-end:
			return
		case <-time.After(patience):
		}
		elapsed := decor.NewElapsed(decor.ET_STYLE_GO, started)
		bar := NewBar(t, 0, []decor.Decorator{decor.Name(what + " "), elapsed, decor.Name(" "), Turning()}, nil)
		<-end
		bar.Finish()
	}()
	return func() { close(end); <-ended }
}
