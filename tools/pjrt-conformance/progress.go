// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8/decor"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// progress shows the progress of a run of the suite: with a bar on a terminal, elsewhere
// with a new line from time to time.
type progress struct {
	out      io.Writer
	terminal *os.File // nil if there is none that can overwrite a line
	bar      *cli.Bar
	shown    atomic.Pointer[conformance.Progress] // what the bar shows, on a goroutine of its own
	last     time.Time
	phase    string
}

// plainPause is the minimum time between two lines where there is no terminal.
const plainPause = 10 * time.Second

func newProgress(out io.Writer) *progress {
	return &progress{out: cli.Verbatim(out), terminal: cli.Overwritable(out)}
}

func (p *progress) show(g conformance.Progress) {
	if p.terminal != nil {
		p.draw(g)
		return
	}
	now := time.Now()
	if g.Phase == p.phase && now.Sub(p.last) < plainPause && g.Done < g.Total {
		return
	}
	p.phase, p.last = g.Phase, now
	fmt.Fprintln(p.out, progressLine(g))
}

// draw shows the progress on the terminal.
func (p *progress) draw(g conformance.Progress) {
	if g.Phase != p.phase {
		p.end()
	}
	p.shown.Store(&g)
	if g.Phase != p.phase {
		p.phase = g.Phase
		switch g.Phase {
		case "probe", "plan":
			p.bar = cli.NewBar(p.terminal, 0, []decor.Decorator{decor.Name(progressLine(g))}, nil)
		default:
			left := decor.Any(func(decor.Statistics) string { return checksDone(*p.shown.Load()) + " " })
			right := decor.Any(func(decor.Statistics) string { return p.rest(*p.shown.Load()) })
			p.bar = cli.NewBar(p.terminal, int64(g.Total), []decor.Decorator{left}, []decor.Decorator{right})
		}
	}
	p.bar.SetCurrent(int64(g.Done))
}

// end clears the line on the terminal.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Finish()
		p.bar = nil
	}
}

// checksDone describes the outcomes of the checks so far.
func checksDone(g conformance.Progress) string {
	if g.Phase == "rerun" {
		return fmt.Sprintf("%d / %d failed checks again, %d differ", g.Done, g.Total, g.Failed)
	}
	return fmt.Sprintf("%d / %d checks%s", g.Done, g.Total, outcomes(g))
}

// outcomes counts what did not pass.
func outcomes(g conformance.Progress) (text string) {
	text = fmt.Sprintf(", %d failed", g.Failed)
	if g.Waived > 0 {
		text += fmt.Sprintf(", %d waived", g.Waived)
	}
	if g.Blocked > 0 {
		text += fmt.Sprintf(", %d blocked", g.Blocked)
	}
	return text
}

// widthOfName is the width reserved for the name of a check, so that the bar does not change its
// length with each name.
const widthOfName = 32

// rest returns the text after the bar, as far as the terminal has room for it.
func (p *progress) rest(g conformance.Progress) (text string) {
	width := cli.Columns(p.terminal)
	if width < 60 {
		return ""
	}
	text = fmt.Sprintf(" %v", sinceStart(g))
	if rest := remaining(g); rest > 0 {
		text += fmt.Sprintf(", about %v to go", rest)
	}
	if width >= 120 && g.Result != nil {
		text += fmt.Sprintf("  %-*s", widthOfName, cli.Clip(g.Result.Check, widthOfName))
	}
	return text
}

func sinceStart(g conformance.Progress) time.Duration {
	if g.Elapsed < 10*time.Second {
		return g.Elapsed.Round(100 * time.Millisecond)
	}
	return g.Elapsed.Round(time.Second)
}

// progressLine returns the line that is shown without a terminal.
func progressLine(g conformance.Progress) string {
	left := g.Total - g.Done
	var line string
	switch g.Phase {
	case "probe":
		return "inspecting the plugin"
	case "plan":
		return planLine(g.Plan)
	case "rerun":
		line = fmt.Sprintf("failed checks again: %d done, %d differ, %d left, %v", g.Done, g.Failed, left, sinceStart(g))
	default:
		line = fmt.Sprintf("%d done%s, %d left, %v", g.Done, outcomes(g), left, sinceStart(g))
	}
	if rest := remaining(g); rest > 0 {
		line += fmt.Sprintf(", about %v to go", rest)
	}
	return line
}

// planLine describes what a run is going to do.
func planLine(p *conformance.Plan) string {
	line := fmt.Sprintf("%d checks", p.Checks)
	if p.Compiles > 0 {
		line += fmt.Sprintf(", about %d programs to compile", p.Compiles)
		if p.First > 0 {
			line += fmt.Sprintf(" (%v at %v each)", p.Compile.Round(time.Second), p.First.Round(time.Millisecond))
		}
	}
	return line + fmt.Sprintf("; at most %v", p.Bound)
}

// remaining estimates how long the phase will still take. It returns 0 if it is too early for an
// estimate.
func remaining(g conformance.Progress) time.Duration {
	if g.Done < g.Total/20+1 || g.Done == g.Total || g.Elapsed-g.Began < 2*time.Second {
		return 0
	}
	rest := time.Duration(float64(g.Elapsed-g.Began) * float64(g.Total-g.Done) / float64(g.Done))
	if rest < 10*time.Second {
		return rest.Round(time.Second)
	}
	return rest.Round(5 * time.Second)
}
