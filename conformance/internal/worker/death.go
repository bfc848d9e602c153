// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package worker

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/subprocess"
)

// Kind says how a worker ended.
type Kind int

// The kinds of ends.
const (
	Exited   Kind = iota // something called exit
	Crashed              // a signal
	Silent               // it did not answer in time
	Panicked             // the suite's own Go code is at fault
)

// Death says how a worker ended without an answer.
type Death struct {
	Kind     Kind
	Signal   string        // of a crash, such as SIGSEGV
	ExitCode int           // of an exit
	Limit    time.Duration // of silence
	Stopped  bool          // of silence: something had stopped the process, with SIGSTOP or the like
	Output   string        // the end of what it wrote to standard output and error
	Written  int64         // how much it wrote, in bytes
	Trace    string        // the Go runtime's last words
	Notes    []uint16      // the last numbers that it gave Note, the newest first

	closed bool // the worker ended because its pipes were closed
}

// String describes the death in one line.
func (d *Death) String() string {
	switch d.Kind {
	case Crashed:
		if d.Signal == "SIGKILL" {
			return "the process died of SIGKILL: the plugin killed it, or something else did, such as the system when it was out of memory"
		}
		return "the process died of " + d.Signal
	case Silent:
		if d.Stopped {
			return fmt.Sprintf("no answer within %v: the process was stopped, as by SIGSTOP, and was then killed", d.Limit)
		}
		return fmt.Sprintf("no answer within %v; the process was killed", d.Limit)
	case Panicked:
		first, _, _ := strings.Cut(strings.TrimSpace(d.Trace), "\n")
		return "the suite failed: " + first
	}
	switch {
	case d.closed:
		return "the process lost its pipes to the suite: the plugin closed file descriptors that are not its own"
	case d.ExitCode == runtimeExit && d.Trace == "":
		return fmt.Sprintf("the process was ended by exit(%d), or by the Go runtime, which uses this status, because its file descriptors were closed", d.ExitCode)
	}
	return fmt.Sprintf("the process was ended by exit(%d)", d.ExitCode)
}

// runtimeExit is the status of a Go program that cannot go on.
const runtimeExit = 2

var (
	goFailure = regexp.MustCompile(`(?m)^(panic|fatal error|runtime): `)
	frame     = regexp.MustCompile(`(?m)^(\S+)\(.*\)\n\t(?:.*[/\\])?([^/\\]+\.go:\d+)`)
	goroutine = regexp.MustCompile(`(?m)^goroutine \d+ `)
)

// cause reads the runtime's last words.
func cause(trace string) (kind Kind, signal string) {
	if signal := subprocess.SignalIn(trace); signal != "" {
		return Crashed, signal
	}
	if goFailure.MatchString(trace) {
		return Panicked, ""
	}
	return Exited, ""
}

// maxFrames limits the result of Frames.
const maxFrames = 6

// Frames returns where the process was in functions whose import path contains path,
// innermost first: "function (file.go:12)". It looks at the goroutine that crashed, or
// else at the first one in such a function.
func (d *Death) Frames(path string) []string { return Frames(d.Trace, path) }

// Frames is like Death.Frames, for a trace.
func Frames(trace, path string) []string {
	starts := goroutine.FindAllStringIndex(trace, -1)
	for i, s := range starts {
		end := len(trace)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		var frames []string
		for _, m := range frame.FindAllStringSubmatch(trace[s[0]:end], -1) {
			if at := strings.Index(m[1], path); at >= 0 && len(frames) < maxFrames {
				frames = append(frames, fmt.Sprintf("%s (%s)", m[1][at+len(path):], m[2]))
			}
		}
		if frames != nil {
			return frames
		}
	}
	return nil
}
