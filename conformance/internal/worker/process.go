// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/subprocess"
)

const (
	outputLimit = 64 << 10 // of what a worker prints
	traceLimit  = 1 << 20  // of what the Go runtime says about a crash
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
	process *subprocess.Process[answer]
	reader  *reader
	notes   *os.File // nil if memory cannot be shared
	dead    *Death
}

// Start starts a worker and waits until it is ready. The process is killed when
// ctx ends.
func Start(ctx context.Context, c Command, limit time.Duration) (_ *Process, err error) {
	if c.Path == "" {
		if c.Path, err = subprocess.Self(); err != nil {
			return nil, fmt.Errorf("find this program, to start workers from: %w", err)
		}
	}
	if c.Token == "" {
		c.Token = "1"
	}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env = append(append(os.Environ(), c.Env...), Variable+"="+c.Token)
	cmd.Cancel = func() error { return subprocess.Kill(cmd) }
	// A process that the plugin started may keep the output open.
	cmd.WaitDelay = 2 * time.Second
	p := &Process{reader: &reader{}, notes: newNotebook()}
	config := subprocess.Config[answer]{
		Name: variables, Output: &subprocess.Tail{Limit: outputLimit}, Trace: &subprocess.Tail{Limit: traceLimit},
		Answers: func(in io.Reader, key []byte) func() (answer, error) {
			p.reader.in, p.reader.key = bufio.NewReader(in), key
			return p.reader.answer
		},
	}
	if p.notes != nil {
		config.Files = []*os.File{p.notes}
	}
	if p.process, err = subprocess.Start(cmd, config); err != nil {
		if p.notes != nil {
			p.notes.Close()
		}
		return nil, fmt.Errorf("start a worker: %w", err)
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

// next waits for an answer. Exactly one of the results is set.
func (p *Process) next(ctx context.Context, limit time.Duration) (*answer, *Death, error) {
	a, err := p.process.Next(ctx, limit)
	switch {
	case err == nil:
		return &a, nil, nil
	case errors.Is(err, subprocess.ErrGone):
		return nil, p.autopsy(), nil
	case errors.Is(err, subprocess.ErrSilent):
		stopped := p.process.Interrogate()
		p.Kill()
		d := p.autopsy()
		d.Kind, d.Signal, d.ExitCode, d.Limit, d.Stopped = Silent, "", 0, limit, stopped
		return nil, d, nil
	}
	p.Kill()
	return nil, nil, err
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
	_ = p.process.Send(append(line, '\n'))
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
	p.process.Bury()
	output, trace := p.process.Output, p.process.Trace
	d := &Death{Output: output.String(), Written: output.Written(), Trace: trace.String(), Notes: p.readNotebook()}
	var signal string
	signal, d.ExitCode = p.process.Ended()
	// The runtime says why it ends in the trace, unless that pipe was closed.
	d.closed = d.ExitCode == subprocess.ExitOrphaned || d.ExitCode == subprocess.ExitNoPipes ||
		d.Trace == "" && d.ExitCode == runtimeExit && goFailure.MatchString(d.Output)
	d.Kind, d.Signal = cause(d.Trace)
	if signal != "" && d.Kind == Exited {
		d.Kind, d.Signal = Crashed, signal
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

// Close ends an idle worker in good order. It returns a Death if the worker ended in
// another way.
func (p *Process) Close() *Death {
	if p.dead != nil {
		return nil
	}
	_ = p.process.Send([]byte("{\"task\":\"\"}\n"))
	p.process.HangUp()
	d := p.autopsy()
	if d.Kind == Exited && d.ExitCode == 0 {
		return nil
	}
	return d
}

// Kill ends the worker and waits for its end.
func (p *Process) Kill() {
	if p.dead == nil {
		p.process.End()
		p.autopsy()
	}
}

// Stray returns what arrived on the pipe for answers since the last call and was not an
// answer: what the plugin wrote to a descriptor that it does not own.
func (p *Process) Stray() Stray { return p.reader.taken() }

// Pid returns the worker's process id.
func (p *Process) Pid() int { return p.process.Pid() }
