// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance"
)

// progress shows the progress of a run of the conformance suite: on a terminal in one line that it overwrites,
// elsewhere with a new line from time to time.
type progress struct {
	out      io.Writer
	terminal bool
	columns  int // of the terminal
	width    int // of the line now on the terminal
	last     time.Time
	phase    string
}

// Minimum time between two updates.
const (
	terminalPause = 100 * time.Millisecond
	plainPause    = 10 * time.Second
)

func newProgress(out io.Writer) *progress {
	p := &progress{out: verbatim(out), columns: usualColumns}
	if t := terminalOf(out); t != nil && os.Getenv("TERM") != "dumb" {
		p.terminal, p.columns = true, columns(t)
	}
	return p
}

func (p *progress) show(g conformance.Progress) {
	now := time.Now()
	pause := plainPause
	if p.terminal {
		pause = terminalPause
	}
	if g.Phase == p.phase && now.Sub(p.last) < pause && g.Done < g.Total {
		return
	}
	p.phase, p.last = g.Phase, now
	if !p.terminal {
		fmt.Fprintln(p.out, progressLine(g, false))
		return
	}
	line := progressLine(g, true)
	line = line[:min(len(line), p.columns-1)] // a longer line would wrap, and could not be overwritten
	fmt.Fprintf(p.out, "\r%s%s", line, strings.Repeat(" ", max(0, p.width-len(line))))
	p.width = len(line)
}

func progressLine(g conformance.Progress, name bool) string {
	elapsed := g.Elapsed.Round(time.Second)
	if g.Elapsed < 10*time.Second {
		elapsed = g.Elapsed.Round(100 * time.Millisecond)
	}
	left := g.Total - g.Done
	var line string
	switch g.Phase {
	case "probe":
		return "inspecting the plugin"
	case "plan":
		return planLine(g.Plan)
	case "rerun":
		line = fmt.Sprintf("failed checks again: %d done, %d differ, %d left, %v", g.Done, g.Failed, left, elapsed)
	default:
		line = fmt.Sprintf("%d done, %d failed, ", g.Done, g.Failed)
		if g.Waived > 0 {
			line += fmt.Sprintf("%d waived, ", g.Waived)
		}
		if g.Blocked > 0 {
			line += fmt.Sprintf("%d blocked, ", g.Blocked)
		}
		line += fmt.Sprintf("%d left, %v", left, elapsed)
	}
	if rest := remaining(g); rest > 0 {
		line += fmt.Sprintf(", about %v to go", rest)
	}
	if name && g.Result != nil && left > 0 {
		line += "  " + g.Result.Check
	}
	return line
}

// planLine says what a run is going to do.
func planLine(p *conformance.Plan) string {
	line := fmt.Sprintf("%d checks", p.Checks)
	if p.Compiles == 0 {
		return line
	}
	line += fmt.Sprintf(", about %d programs to compile", p.Compiles)
	if p.First > 0 {
		line += fmt.Sprintf(" (%v at %v each)", p.Compile.Round(time.Second), p.First.Round(time.Millisecond))
	}
	return line
}

// remaining estimates how long the phase will still take. It returns 0 if it is too early for an estimate.
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

// end clears the line on the terminal.
func (p *progress) end() {
	if p.terminal && p.width > 0 {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", p.width))
	}
}
