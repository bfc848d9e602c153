// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package subprocess runs children that answer requests, and that may die.
//
// Requests, answers and the last words of Go's runtime have pipes of their own, so a plugin in the
// child may print anything: it is kept as output. A plugin may also write to descriptors that are
// not its own, so a key that only parent and child know precedes each answer. How messages look
// is for the packages that exchange them.
package subprocess

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"
)

const (
	// grace is how long a child whose pipes are closed may take to end, and how long the last
	// output of one that is gone may take to arrive.
	grace = 5 * time.Second
	// lastAnswer is how long an answer may be under way when its process has ended.
	lastAnswer = grace / 10
)

// pipes is how many a child has: requests, answers, the last words of Go's runtime.
const pipes = 3

// The errors of [Process.Next] that are not those of its context.
var (
	ErrGone   = errors.New("the child process has ended or closed its pipes")
	ErrSilent = errors.New("the child process did not answer in time")
)

// Config says how to talk to a child.
type Config[A any] struct {
	// Name is what the names of the child's environment variables begin with.
	Name string
	// Output keeps what the child prints, and Trace what Go's runtime says about a crash.
	Output, Trace *Tail
	// Answers returns a function that reads the next answer, and fails when there are no more.
	Answers func(in io.Reader, key []byte) (next func() (A, error))
	// Files are further files for the child. The caller closes them.
	Files []*os.File
}

// Process is a child whose answers have type A. Its methods are for one goroutine at a time, except
// that Send may block in one of its own, and End may be called at any time.
type Process[A any] struct {
	Output, Trace *Tail
	// Key precedes each answer.
	Key []byte

	cmd      *exec.Cmd
	requests *os.File
	answers  chan A // closed when no more can come
	readers  sync.WaitGroup
	exited   chan struct{} // closed when the process was waited for
	end      sync.Once
}

// Self returns the path of this program, even if its file was replaced.
func Self() (string, error) {
	if runtime.GOOS == "linux" {
		const link = "/proc/self/exe"
		if _, err := os.Stat(link); err == nil {
			return link, nil
		}
	}
	return os.Executable()
}

// Start starts cmd, whose program must call [Inherit] with the same name. The child has a process
// group of its own: an interrupt from the terminal is the parent's to handle.
func Start[A any](cmd *exec.Cmd, c Config[A]) (_ *Process[A], err error) {
	p := &Process[A]{
		Output: c.Output, Trace: c.Trace, Key: []byte(rand.Text()),
		cmd: cmd, answers: make(chan A), exited: make(chan struct{}),
	}
	var ours, theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			for _, f := range ours {
				f.Close()
			}
		}
	}()
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(slices.Clone(cmd.Env), c.Name+keySuffix+"="+string(p.Key))
	if err := attach(cmd, c.Name+pipesSuffix, slices.Concat(theirs, c.Files)); err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = p.Output, p.Output
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.requests = ours[0]
	p.readers.Go(func() {
		defer ours[1].Close()
		defer close(p.answers)
		p.forward(c.Answers(ours[1], p.Key))
	})
	p.readers.Go(func() {
		defer ours[2].Close()
		_, _ = io.Copy(p.Trace, ours[2])
	})
	go func() {
		_ = cmd.Wait() // the state says how it ended, if nobody else waited for it
		close(p.exited)
	}()
	return p, nil
}

// forward hands answers to Next until there are no more.
func (p *Process[A]) forward(next func() (A, error)) {
	for {
		a, err := next()
		if err != nil {
			return
		}
		select {
		case p.answers <- a:
		case <-p.exited:
			// Nobody may want the last answer of a process that has ended.
			select {
			case p.answers <- a:
			case <-time.After(grace):
				return
			}
		}
	}
}

// Send writes to the pipe for requests. It may block until the child reads. An error means that the
// child is gone, and Next finds out why.
func (p *Process[A]) Send(request []byte) error {
	_, err := p.requests.Write(request)
	return err
}

// Next waits for an answer, no longer than limit unless that is 0. Otherwise the error is ErrGone,
// ErrSilent or that of ctx; after the last two, the process still runs.
func (p *Process[A]) Next(ctx context.Context, limit time.Duration) (answer A, err error) {
	var timeout <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		timeout = timer.C
	}
	for exited := p.exited; ; {
		select {
		case a, ok := <-p.answers:
			if ok {
				return a, nil
			}
			return answer, ErrGone
		case <-exited:
			// An answer may be under way, or a process that the plugin started may hold the pipe
			// open.
			exited, timeout = nil, time.After(lastAnswer)
		case <-ctx.Done():
			return answer, ctx.Err()
		case <-timeout:
			if exited == nil {
				return answer, ErrGone
			}
			return answer, ErrSilent
		}
	}
}

// HangUp closes the pipe for requests, after which a child ends by itself.
func (p *Process[A]) HangUp() { p.requests.Close() }

// Bury lets a process that has closed its pipes end by itself, and then does what End does.
func (p *Process[A]) Bury() {
	p.endsWithin(grace)
	p.End()
}

// Interrogate makes the child's Go runtime print what every goroutine is doing and end the process,
// where that is possible, and waits for it. It reports whether something had stopped the process,
// as SIGSTOP does.
func (p *Process[A]) Interrogate() (wasStopped bool) {
	wasStopped = stopped(p.Pid())
	if patience, ok := interrogate(p.cmd); ok {
		p.endsWithin(patience)
	}
	return wasStopped
}

func (p *Process[A]) endsWithin(d time.Duration) {
	select {
	case <-p.exited:
	case <-time.After(d):
	}
}

// End kills the process and those that it started, waits for its end, and reads what is left in its
// pipes. Only the first call does so: later the id of the process may belong to another one.
func (p *Process[A]) End() { p.end.Do(p.kill) }

func (p *Process[A]) kill() {
	_ = Kill(p.cmd)
	<-p.exited
	p.requests.Close()
	done := make(chan struct{})
	go func() {
		p.readers.Wait()
		close(done)
	}()
	for answers, late := p.answers, time.After(grace); ; {
		select {
		case <-done:
			return
		case _, ok := <-answers:
			if !ok {
				answers = nil
			}
		case <-late:
			return // a process outside of the group holds the pipes
		}
	}
}

// Gone reports whether the process has ended.
func (p *Process[A]) Gone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// Pid returns the id of the process.
func (p *Process[A]) Pid() int { return p.cmd.Process.Pid }

// Ended returns how the process ended: by a signal, whose name is "" if there was none, or with a
// status. The status is Unknown if only other code of this program was told, because it waited for
// all child processes or ignores SIGCHLD. Ended may be called once End or Bury has returned.
func (p *Process[A]) Ended() (signal string, status int) {
	if p.cmd.ProcessState == nil {
		return "", Unknown
	}
	return signalOf(p.cmd.ProcessState), p.cmd.ProcessState.ExitCode()
}

// Unknown is the status of a process of which it is not known how it ended.
const Unknown = -1

// Status describes the status of a process that no signal ended.
func Status(status int) string {
	if status == Unknown {
		return "ended without a known status, because other code of this program waits for all child processes"
	}
	return fmt.Sprintf("exited with status %d", status)
}
