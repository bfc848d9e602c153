// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// barOfChecks is the look of the bar while checks run.
const barOfChecks = `{{counters . }}{{string . "what"}} {{bar . }}{{string . "rest"}}`

// progress shows the progress of a run of the suite: with a bar on a terminal, elsewhere
// with a new line from time to time.
type progress struct {
	out      io.Writer
	terminal *os.File // nil if there is none that can overwrite a line
	bar      *pb.ProgressBar
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
		p.phase = g.Phase
		switch g.Phase {
		case "probe", "plan":
			p.bar = cli.NewBar(p.terminal, cli.BarOfText, progressLine(g), 0)
		default:
			p.bar = cli.NewBar(p.terminal, barOfChecks, "", int64(g.Total))
			p.bar.Set("what", checksDone(g)).Set("rest", p.rest(g))
		}
		p.bar.Start().Write()
		return
	}
	p.bar.SetCurrent(int64(g.Done)).Set("what", checksDone(g)).Set("rest", p.rest(g))
}

// end clears the line on the terminal.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Finish()
		p.bar = nil
	}
}

// checksDone describes the outcomes of the checks so far. The bar itself counts the checks.
func checksDone(g conformance.Progress) string {
	if g.Phase == "rerun" {
		return fmt.Sprintf(" failed checks again, %d differ", g.Failed)
	}
	return " checks" + outcomes(g)
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
