// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package python

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/subprocess"
)

// MaxOutput is how many bytes a command may print to either of its outputs. What Python and pip
// print has a few kilobytes.
const MaxOutput = 1 << 20

// OutputError says that a command printed more than [MaxOutput] bytes, and was ended: what is
// called Python is something else.
type OutputError struct {
	Path  string // of the command
	Begin string // of what it printed
}

// Error names the command, and shows how its output begins.
func (e *OutputError) Error() string {
	return fmt.Sprintf("%s prints more than %d bytes, so it is not Python, or is broken; the output begins %q", e.Path, MaxOutput, e.Begin)
}

// lifeline is the variable that tells begin.py that standard input is a pipe which this process
// holds open, and that the interpreter must end when the pipe does.
const lifeline = "PUREPJRT_PYTHON_LIFELINE"

// Run runs a command that [Command] or [Module] returned and that reads nothing, and returns what
// it printed. The command ends with this process, even if that is killed. A command that prints
// without end is ended; the error is an [*OutputError] then.
func Run(cmd *exec.Cmd) (stdout, stderr string, err error) {
	if _, err := cmd.StdinPipe(); err != nil { // Wait closes it
		return "", "", err
	}
	cmd.Env = append(cmd.Env, lifeline+"=1")
	out, said := &output{cmd: cmd}, &output{cmd: cmd}
	cmd.Stdout, cmd.Stderr = out, said
	err = cmd.Run()
	for _, o := range []*output{out, said} {
		if o.over {
			return out.text.String(), said.text.String(), &OutputError{cmd.Path, excerpt.OfName(o.text.String())}
		}
	}
	return out.text.String(), said.text.String(), err
}

// output keeps what a command prints, and ends the command when it is too much.
type output struct {
	cmd  *exec.Cmd
	text bytes.Buffer
	over bool
	kill sync.Once
}

// Write never fails. It may be called until the command has been waited for.
func (o *output) Write(p []byte) (int, error) {
	if room := MaxOutput - o.text.Len(); len(p) > room {
		o.over = true
		o.text.Write(p[:room])
		o.kill.Do(func() { _ = subprocess.Kill(o.cmd) })
		return len(p), nil
	}
	return o.text.Write(p)
}

// advice matches the lines in which pip tells what else could be done, and those that only give an
// error a name.
var advice = regexp.MustCompile(`^(\[notice\]|hint: |note: |error: [a-z-]+$)`)

// mostLines is how many lines of a message without a beginning are shown.
const mostLines = 5

// Reason returns what Python or pip says about a failure, in one line: the last error of pip with
// the lines that belong to it, the last line of a traceback or of pip's help, or else the last
// lines. It is empty if nothing was said.
func Reason(output string) string {
	var lines []string
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !advice.MatchString(line) {
			lines = append(lines, line)
		}
	}
	const mark = "ERROR: "
	first := max(0, len(lines)-mostLines)
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, mark):
			first = i
		case line == "Usage:", strings.HasPrefix(line, "Traceback"):
			first = len(lines) - 1
		}
	}
	return excerpt.Of(strings.TrimPrefix(strings.Join(lines[first:], " "), mark))
}
