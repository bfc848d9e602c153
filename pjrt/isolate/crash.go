// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/subprocess"
	"github.com/purepjrt/purepjrt/pjrt"
)

// Crash is the error of a compilation or trial whose process ended, or was ended, without an
// answer. Its code, for errors.Is, is pjrt.ErrInternal; pjrt.ErrDataLoss in a trial of an
// executable; pjrt.ErrDeadlineExceeded after Options.Timeout; or pjrt.ErrResourceExhausted if the
// process ran out of the memory that Options.Memory allows.
type Crash struct {
	Signal     string        // that ended the process, such as SIGSEGV; "" if none did
	ExitStatus int           // of a process that exited; on Windows also the number of an exception; -1 if it is not known
	Timeout    time.Duration // that the process exceeded; 0 for all other ends
	Output     string        // the last lines that the process wrote to its standard output and error, and the one that says why it aborted

	code   capi.ErrorCode
	memory int64 // that the process was allowed, 0 for any
	trial  bool
}

// Error says how the process ended and what it wrote last.
func (e *Crash) Error() string {
	switch {
	case e == nil:
		return "no crash"
	case e.trial:
		return fmt.Sprintf("%v: the child process that tried to load the executable %s", e.code, e.end())
	}
	return fmt.Sprintf("%v: the child process that compiled the program %s", e.code, e.end())
}

// end continues a sentence whose subject is the process.
func (e *Crash) end() string {
	var b strings.Builder
	switch {
	case e.Timeout > 0:
		fmt.Fprintf(&b, "had no result after %v and was killed", e.Timeout)
	case e.Signal == "SIGKILL":
		b.WriteString("was killed by SIGKILL, which the system sends when memory runs out")
	case e.Signal != "":
		fmt.Fprintf(&b, "died of %s", e.Signal)
	default:
		b.WriteString(subprocess.Status(e.ExitStatus))
	}
	if e.memory > 0 {
		fmt.Fprintf(&b, "; it was allowed %d bytes of memory", e.memory)
	}
	if e.Output == "" {
		b.WriteString("; it wrote nothing")
	} else {
		fmt.Fprintf(&b, "; it wrote last:\n%s", e.Output)
	}
	return b.String()
}

// Unwrap returns the code.
func (e *Crash) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.code
}

var (
	// lastWords matches the beginning of what Go's runtime writes when it ends the process.
	lastWords   = regexp.MustCompile(`(?m)^(SIG[A-Z0-9]+: |panic: |fatal error: |runtime: |Exception 0x)`)
	outOfMemory = regexp.MustCompile(`(?i)bad_alloc|out of memory|cannot allocate memory|resource temporarily unavailable|` +
		`failed to allocate|allocation failed|RESOURCE_EXHAUSTED`)
	// fatalLine matches what XLA's log says before it ends the process: F, the month and the day.
	fatalLine = regexp.MustCompile(`^F\d{4} `)
)

const (
	maxLines    = 20
	maxLineSize = 400
)

// newCrash describes the end of a process that wrote output, and whose Go runtime wrote trace.
// signal is the one that the system reports, or "" if there is none.
func newCrash(signal string, status int, output, trace string) *Crash {
	e := &Crash{Signal: signal, ExitStatus: status, code: pjrt.ErrInternal}
	if signal == "" {
		e.Signal = subprocess.SignalIn(trace)
	}
	if e.Signal != "" {
		e.ExitStatus = 0
	}
	// The runtime writes the same to standard error.
	if at := lastWords.FindStringIndex(output); trace != "" && at != nil {
		output = output[:at[0]]
		if e.Signal == "" {
			output += firstLines(trace) // Go code failed, and only this says why
		}
	}
	e.Output = lastLines(output)
	return e
}

// limited notes how many bytes of memory the process was allowed.
func (e *Crash) limited(memory int64) {
	if e.memory = memory; memory > 0 && outOfMemory.MatchString(e.Output) {
		e.code = pjrt.ErrResourceExhausted
	}
}

// firstLines returns what Go's runtime says before the stacks.
func firstLines(trace string) string {
	reason, _, _ := strings.Cut(trace, "\n\n")
	lines := strings.SplitAfterN(reason, "\n", 6)
	return strings.Join(lines[:min(len(lines), 5)], "")
}

// lastLines returns the last lines of a text that are not empty. If a stack of C functions fills
// them, the line before it that says why the process ended comes first.
func lastLines(text string) string {
	var lines []string
	fatal := -1
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if line == "" {
			continue
		}
		if len(line) > maxLineSize {
			line = strings.ToValidUTF8(line[:maxLineSize], "") + "..."
		}
		if fatalLine.MatchString(line) {
			fatal = len(lines)
		}
		lines = append(lines, line)
	}
	if first := len(lines) - maxLines; first > 0 {
		if fatal >= 0 && fatal < first {
			lines[first] = lines[fatal]
		}
		lines = lines[first:]
	}
	return strings.Join(lines, "\n")
}
