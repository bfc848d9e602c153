// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package worker

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	outputLimit = 64 << 10 // of what a worker prints
	traceLimit  = 1 << 20  // of what the Go runtime says about a crash
	// exitGrace is how long a worker whose pipes are closed may take to end.
	exitGrace = 5 * time.Second
	// lastAnswer is how long an answer may still be under way when its process has
	// ended.
	lastAnswer = 500 * time.Millisecond
)

// Command says how to start workers. The program must call Serve when Variable is in
// its environment.
type Command struct {
	Path  string   // absolute; empty means this program
	Args  []string // without the program's name
	Env   []string // added to this process's environment
	Token string   // value of Variable; empty means 1
}

// Process is a worker. Its methods are for one goroutine at a time.
type Process struct {
	cmd      *exec.Cmd
	requests *os.File
	reader   *reader
	answers  chan answer // closed when no more can come
	output   *tail
	trace    *tail
	notes    *os.File // nil if memory cannot be shared
	readers  sync.WaitGroup
	exited   chan struct{} // closed when the process was waited for
	dead     *Death
}

// Start starts a worker and waits until it is ready. The process is killed when
// ctx ends.
func Start(ctx context.Context, c Command, limit time.Duration) (*Process, error) {
	if c.Path == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program, to start workers from: %w", err)
		}
		c.Path = self
	}
	if c.Token == "" {
		c.Token = "1"
	}
	p := &Process{
		output: &tail{limit: outputLimit}, trace: &tail{limit: traceLimit},
		answers: make(chan answer), exited: make(chan struct{}),
	}
	p.cmd = exec.CommandContext(ctx, c.Path, c.Args...)
	key := rand.Text()
	p.reader = &reader{key: []byte(key)}
	p.cmd.Env = append(append(os.Environ(), c.Env...), Variable+"="+c.Token, keyVariable+"="+key)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	p.cmd.Cancel = func() error { kill(p.cmd); return nil }
	// A process that the plugin started may keep the output open.
	p.cmd.WaitDelay = 2 * time.Second
	if err := p.start(); err != nil {
		return nil, err
	}
	switch a, d, err := p.next(ctx, limit); {
	case err != nil:
		return nil, err
	case d != nil:
		return nil, fmt.Errorf("the worker %s did not start: %v%s", strings.Join(append([]string{c.Path}, c.Args...), " "),
			d, lastLines(d.Output))
	case a.Task != helloTask:
		p.Kill()
		return nil, fmt.Errorf("the worker %s said %q where it should have said %q", c.Path, a.Task, helloTask)
	}
	return p, nil
}

func lastLines(output string) string {
	output = strings.TrimSpace(output)
	if output == "" {
		return "; it printed nothing"
	}
	return "; it printed: " + output[max(0, len(output)-2000):]
}

// start makes the pipes and starts the process.
func (p *Process) start() (err error) {
	var ours, theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			for _, f := range append(ours, p.notes) {
				f.Close()
			}
		}
	}()
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("start a worker: %w", err)
		}
		if i == 0 {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	given := theirs
	if p.notes = newNotebook(); p.notes != nil {
		given = append(slices.Clone(theirs), p.notes)
	}
	if err := attach(p.cmd, given); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	p.requests = ours[0]
	p.readers.Add(2)
	go p.readAnswers(ours[1])
	go func() {
		defer p.readers.Done()
		defer ours[2].Close()
		_, _ = io.Copy(p.trace, ours[2])
	}()
	go func() {
		_ = p.cmd.Wait() // the state says how it ended
		close(p.exited)
	}()
	return nil
}

func (p *Process) readAnswers(f *os.File) {
	defer p.readers.Done()
	defer close(p.answers)
	defer f.Close()
	p.reader.in = bufio.NewReader(f)
	for {
		text, err := p.reader.next()
		if err != nil {
			return
		}
		var a answer
		if err := json.Unmarshal(text, &a); err != nil {
			return
		}
		select {
		case p.answers <- a:
		case <-p.exited:
			// There may be no receiver for the last answer of a dead process.
			select {
			case p.answers <- a:
			case <-time.After(exitGrace):
				return
			}
		}
	}
}

// next waits for an answer. Exactly one of the results is set.
func (p *Process) next(ctx context.Context, limit time.Duration) (*answer, *Death, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a, ok := <-p.answers:
		if ok {
			return &a, nil, nil
		}
		return nil, p.autopsy(), nil
	case <-p.exited:
		// The pipes may still be open, in a process that the plugin started, and the
		// answer may still be under way.
		select {
		case a, ok := <-p.answers:
			if ok {
				return &a, nil, nil
			}
		case <-time.After(lastAnswer):
		}
		return nil, p.autopsy(), nil
	case <-ctx.Done():
		p.Kill()
		return nil, nil, ctx.Err()
	case <-timer.C:
		stopped := stopped(p.cmd.Process.Pid)
		if grace, ok := interrogate(p.cmd); ok {
			select {
			case <-p.exited:
			case <-time.After(grace):
			}
		}
		p.Kill()
		d := p.autopsy()
		d.Kind, d.Signal, d.ExitCode, d.Limit, d.Stopped = Silent, "", 0, limit, stopped
		return nil, d, nil
	}
}

// Do does a task in the worker and stores its result. If it returns a Death, there is
// no result and the worker has ended. An error is the task's own, ctx's, or says that
// the worker was already gone.
func (p *Process) Do(ctx context.Context, task string, params any, limit time.Duration, result any) (*Death, error) {
	if p.dead != nil {
		return nil, errors.New("the worker is gone")
	}
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(request{task, text})
	if err != nil {
		return nil, err
	}
	// If this fails the process is dead, and next finds out why.
	_, _ = p.requests.Write(append(line, '\n'))
	a, d, err := p.next(ctx, limit)
	switch {
	case err != nil:
		return nil, err
	case d != nil:
		return d, nil
	case a.Task != task:
		p.Kill()
		return nil, fmt.Errorf("the worker answered %q to %q", a.Task, task)
	case a.Error != "":
		return nil, errors.New(a.Error)
	}
	return nil, json.Unmarshal(a.Result, result)
}

// autopsy finds out how the process ended.
func (p *Process) autopsy() *Death {
	if p.dead != nil {
		return p.dead
	}
	select {
	case <-p.exited:
	case <-time.After(exitGrace):
		kill(p.cmd)
		<-p.exited
	}
	bury(p.cmd)
	p.requests.Close()
	p.drain()
	d := &Death{ExitCode: p.cmd.ProcessState.ExitCode(), Output: p.output.String(), Written: p.output.Written(), Trace: p.trace.String(),
		Notes: p.readNotebook()}
	// The runtime says why it ends in the trace, unless that pipe was closed.
	d.closed = d.ExitCode == exitOrphaned || d.ExitCode == exitNoPipes || d.Trace == "" && d.ExitCode == runtimeExit &&
		goFailure.MatchString(d.Output)
	d.Kind, d.Signal = cause(d.Trace)
	if s := signalOf(p.cmd.ProcessState); s != "" && d.Kind == Exited {
		d.Kind, d.Signal = Crashed, s
	}
	if at := goFailure.FindStringIndex(d.Output); d.closed && at != nil {
		d.Output, d.Trace = d.Output[:at[0]], d.Output[at[0]:]
	}
	p.dead = d
	return d
}

// readNotebook returns the last notes of a process that has ended.
func (p *Process) readNotebook() []uint16 {
	if p.notes == nil {
		return nil
	}
	defer p.notes.Close()
	memory := make([]byte, noteSlots*noteSize)
	if _, err := p.notes.ReadAt(memory, 0); err != nil {
		return nil
	}
	return readNotes(memory)
}

// drain waits until the pipes of a dead process are read to their end.
func (p *Process) drain() {
	done := make(chan struct{})
	go func() { p.readers.Wait(); close(done) }()
	timeout := time.After(exitGrace)
	answers := p.answers
	for {
		select {
		case <-done:
			return
		case _, ok := <-answers:
			if !ok {
				answers = nil
			}
		case <-timeout:
			return // a process that the plugin started still has them
		}
	}
}

// Close ends an idle worker in good order. It returns a Death if the worker ended in
// another way.
func (p *Process) Close() *Death {
	if p.dead != nil {
		return nil
	}
	_, _ = p.requests.WriteString("{\"task\":\"\"}\n")
	p.requests.Close()
	d := p.autopsy()
	if d.Kind == Exited && d.ExitCode == 0 {
		return nil
	}
	return d
}

// Kill ends the worker and waits for its end.
func (p *Process) Kill() {
	if p.dead == nil {
		select {
		case <-p.exited: // by now its id may belong to another process
		default:
			kill(p.cmd)
			<-p.exited
		}
		p.autopsy()
	}
}

// Stray returns what arrived on the pipe for answers since the last call and was not an
// answer: what the plugin wrote to a descriptor that it does not own.
func (p *Process) Stray() Stray { return p.reader.taken() }

// Pid returns the worker's process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }
