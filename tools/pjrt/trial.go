// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/subprocess"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// A plugin may end the process that uses it, where others return an error. So list, doctor and info
// use it in a child.

// task is what a child does with a plugin.
type task struct {
	Plugin  string // path of the library, or of the configuration file
	Gently  bool   // leave the memory of the devices to others
	Explore bool   // fill in the report

	Replay *replayTask // repeat a session, and nothing else
}

// The steps of a task, as they begin a sentence.
const (
	loading    = "loading it"
	creating   = "creating a client"
	describing = "asking the client for its devices"
)

// progress is how far a child came, and what it found so far.
type progress struct {
	Step   string // what it does next; empty at the end
	Loaded bool
	Kind   string  // of the plugin, as far as it is known
	Minor  int     // of its API
	Report *report // unless the task does not ask for it
	Error  string  // why the plugin does not load, or why there is no client

	Replayed *replayed // at the end of a replay
}

const outputLimit = 1 << 20

// trial is what became of a task.
type trial struct {
	progress        // of the last answer
	ended    error  // why there are no further answers; nil if all is done
	output   string // what the plugin printed
}

// err says why there is no client, or nil if there is one.
func (t *trial) err() error {
	if t.ended == nil && t.Error != "" {
		return errors.New(t.Error)
	}
	return t.ended
}

// located returns the path by which a child finds the candidate.
func located(c plugins.Candidate) string {
	path := c.Path
	if strings.EqualFold(filepath.Ext(c.Detail), ".json") {
		path = c.Detail
	}
	if !plugins.IsPath(path) {
		path = "." + string(filepath.Separator) + path
	}
	return path
}

// childError says that no child can be started.
type childError struct{ err error }

func (e *childError) Error() string {
	text := e.err.Error()
	if remedy := e.remedy(); remedy != "" {
		text += "; " + remedy + ", or leave out the child with list --try=none"
	}
	return text
}

func (e *childError) Unwrap() error { return e.err }

// remedy says what this machine lacks for a child, if that is known.
func (e *childError) remedy() string {
	for path, mount := range map[string]string{"/proc/self": "mount -t proc proc /proc", os.DevNull: "mount --bind /dev DIR/dev"} {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && strings.Contains(e.err.Error(), path) {
			return path + " is missing, as containers and chroots have it: " + mount
		}
	}
	return ""
}

// start starts a child that does a task.
func start(what task) (*subprocess.Process[*progress], error) {
	self, err := subprocess.Self()
	if err != nil {
		return nil, &childError{fmt.Errorf("this program cannot be found to start it again: %w", err)}
	}
	cmd := exec.Command(self)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), trialVariable+"=1", "GOTRACEBACK=none")
	cmd.WaitDelay = 5 * time.Second // a process that the plugin started may hold the output open
	child, err := subprocess.Start(cmd, subprocess.Config[*progress]{
		Name:   trialVariable,
		Output: &subprocess.Tail{Limit: outputLimit},
		Trace:  &subprocess.Tail{Limit: outputLimit},
		Answers: func(in io.Reader, key []byte) func() (*progress, error) {
			return func() (*progress, error) {
				p := new(progress)
				return p, receive(in, key, p)
			}
		},
	})
	if err != nil {
		return nil, &childError{fmt.Errorf("a child process, to use the plugin in, cannot be started: %w", err)}
	}
	request, err := message(child.Key, &what)
	if err != nil {
		child.End()
		return nil, err
	}
	go func() { _ = child.Send(request) }() // an error means that the child is gone, which Next finds out
	return child, nil
}

// try does a task in a child. The error is that of ctx, or says that there is no child.
func try(ctx context.Context, what task, limit time.Duration) (*trial, error) {
	child, err := start(what)
	if err != nil {
		return nil, err
	}
	defer child.End()
	t := &trial{progress: progress{Step: loading}} // a child that cannot start is taken for one that ends at once
	deadline := time.Now().Add(limit)
	for {
		left := time.Duration(0)
		if limit > 0 {
			left = max(time.Until(deadline), time.Nanosecond)
		}
		p, err := child.Next(ctx, left)
		switch {
		case err == nil:
			t.progress = *p
			if t.Step != "" {
				continue
			}
			child.HangUp()
			child.Bury()
		case errors.Is(err, subprocess.ErrGone):
			child.Bury()
			t.ended = fmt.Errorf("%s ends the process%s", t.Step, ending(child))
		case errors.Is(err, subprocess.ErrSilent):
			child.End()
			t.ended = fmt.Errorf("%s takes longer than %v, after which the process was ended", t.Step, limit)
		default:
			return nil, err
		}
		t.output = withoutGo(child.Output.String())
		return t, nil
	}
}

// ending says how a child ended, and what the plugin said before.
func ending(child *subprocess.Process[*progress]) string {
	output, trace := child.Output.String(), child.Trace.String()
	signal, status := child.Ended()
	how := cmp.Or(signal, subprocess.SignalIn(trace), fmt.Sprintf("exit status %d", status))
	if words := lastWords(output); words != "" {
		return fmt.Sprintf(" (%s): %s", how, words)
	}
	return fmt.Sprintf(" (%s), and the plugin says nothing", how)
}

var (
	// goReport matches the beginning of what Go's runtime writes when it ends the process.
	goReport = regexp.MustCompile(`(?m)^(SIG[A-Z0-9]+: |panic: |fatal error: |runtime: |Exception 0x)`)
	// reason matches lines in which C++ programs say why they end: uncaught exceptions, failed
	// checks.
	reason = regexp.MustCompile(`^\s*what\(\): |^F\d{4} |Check failed: |Assertion .* failed|^LLVM ERROR: |^terminate called`)
	// stack matches lines with which a stack begins, or of which it consists.
	stack = regexp.MustCompile(`(?i)^\s*(backtrace|stack trace|\*\*\* |---? |#\d+ |@\s+0x|0x[0-9a-f]{6,})`)
)

// withoutGo cuts off what Go's runtime says when it ends the process.
func withoutGo(output string) string {
	if at := goReport.FindStringIndex(output); at != nil {
		return output[:at[0]]
	}
	return output
}

// lastWords returns what a plugin that ended the process said about it, in one line.
func lastWords(output string) string {
	output = withoutGo(output)
	var lines []string
	begun := false
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case reason.MatchString(line):
			begun, lines = true, []string{strings.TrimSpace(strings.TrimPrefix(line, "what():"))}
		case begun && stack.MatchString(line):
			return shortened(lines)
		case !stack.MatchString(line):
			lines = append(lines, line)
		}
	}
	if !begun && len(lines) > 3 {
		lines = lines[len(lines)-3:]
	}
	return shortened(lines)
}

// shortened joins lines to one of bearable length.
func shortened(lines []string) string {
	const most = 400
	line := strings.ReplaceAll(cli.OneLine(strings.Join(lines, "\n")), ":; ", ": ")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "..."
	}
	return line
}
