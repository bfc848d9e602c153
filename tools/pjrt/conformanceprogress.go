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

// progress shows how far a run of the conformance suite is: on a terminal a line
// that is written over again and again, elsewhere a line now and then.
type progress struct {
	out      io.Writer
	terminal bool
	width    int // of the line that stands on the terminal
	last     time.Time
	phase    string
}

// Pauses between two lines of progress.
const (
	terminalPause = 100 * time.Millisecond
	plainPause    = 10 * time.Second
)

func newProgress(out io.Writer) *progress {
	p := &progress{out: out}
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil {
			p.terminal = info.Mode()&os.ModeCharDevice != 0
		}
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
	line := progressLine(g)
	if !p.terminal {
		fmt.Fprintln(p.out, line)
		return
	}
	fmt.Fprintf(p.out, "\r%s%s", line, strings.Repeat(" ", max(0, p.width-len(line))))
	p.width = len(line)
}

func progressLine(g conformance.Progress) string {
	elapsed := g.Elapsed.Round(100 * time.Millisecond)
	switch g.Phase {
	case "probe":
		return "looking at the plugin"
	case "rerun":
		return fmt.Sprintf("running failed checks again: %d done, %d differ, %d left, %v", g.Done, g.Failed, g.Total-g.Done, elapsed)
	}
	return fmt.Sprintf("%d done, %d failed, %d left, %v", g.Done, g.Failed, g.Total-g.Done, elapsed)
}

// end leaves the terminal's line clean.
func (p *progress) end() {
	if p.terminal && p.width > 0 {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", p.width))
	}
}
