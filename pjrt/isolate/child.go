// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// The environment variables of a child. childVariable marks a process as a child.
const (
	childVariable  = "PJRT_ISOLATE_CHILD"
	pipesVariable  = "PJRT_ISOLATE_PIPES"  // its ends of the pipes: requests, answers, the last words of Go's runtime
	keyVariable    = "PJRT_ISOLATE_KEY"    // what precedes each message, in hexadecimal
	memoryVariable = "PJRT_ISOLATE_MEMORY" // how much memory it may have, in bytes; empty for any amount
)

const (
	outputLimit = 64 << 10
	// startLimit is how long a child may take until it reaches Main.
	startLimit = 2 * time.Minute
	// grace is how long a child whose pipes are closed may take to end, and how long the last output of one that is gone
	// may take to arrive.
	grace = 5 * time.Second
)

// child is a process that compiles. Its methods are for one goroutine at a time.
type child struct {
	cmd      *exec.Cmd
	session  string // what it was made for
	key      []byte
	requests *os.File
	answers  chan *answer // closed when no more can come
	output   *tail
	trace    *tail
	readers  sync.WaitGroup
	exited   chan struct{} // closed when the process was waited for
	uses     int
	idle     *time.Timer // ends the child; nil while it is in use
}

// startChild starts a child and waits until it is ready.
func startChild(ctx context.Context, opts *Options, session string, environment []string) (*child, error) {
	c := &child{
		session: session,
		key:     make([]byte, keySize),
		output:  &tail{limit: outputLimit, next: opts.Output},
		trace:   &tail{limit: outputLimit},
		answers: make(chan *answer),
		exited:  make(chan struct{}),
	}
	_, _ = rand.Read(c.key) // never fails
	command := opts.Command
	if len(command) == 0 {
		self, err := thisProgram()
		if err != nil {
			return nil, unavailable("this program cannot be found to start it again: %v", err)
		}
		command = []string{self}
	}
	c.cmd = exec.Command(command[0], command[1:]...)
	if len(opts.Command) == 0 {
		c.cmd.Args[0] = os.Args[0]
	}
	c.cmd.Env = append(environment, childVariable+"=1", keyVariable+"="+hex.EncodeToString(c.key),
		"GOTRACEBACK=none") // stacks of Go say nothing about the compiler
	if opts.Memory > 0 {
		c.cmd.Env = append(c.cmd.Env, memoryVariable+"="+strconv.FormatInt(opts.Memory, 10))
	}
	c.cmd.Stdout, c.cmd.Stderr = c.output, c.output
	// A process that the plugin started may hold the output open.
	c.cmd.WaitDelay = grace
	if err := c.start(); err != nil {
		return nil, unavailable("a child process cannot be started from %s: %v", strings.Join(command, " "), err)
	}
	a, err := c.next(ctx, startLimit)
	var crash *Crash
	switch {
	case errors.As(err, &crash):
		crash.limited(opts.Memory)
		return nil, unavailable("the child process %s did not begin to serve, as isolate.Main makes it do: it %s",
			strings.Join(command, " "), crash.end())
	case err != nil:
		return nil, err
	case a.Hello != protocol:
		c.end()
		return nil, unavailable("the child process %s is of another version of this package: it has protocol %d, and this program has %d",
			strings.Join(command, " "), a.Hello, protocol)
	}
	return c, nil
}

func unavailable(format string, args ...any) error {
	return raw.Errorf(pjrt.ErrUnavailable, format, args...)
}

// thisProgram returns the path of this program, even if its file was replaced.
func thisProgram() (string, error) {
	if runtime.GOOS == "linux" {
		const link = "/proc/self/exe"
		if _, err := os.Stat(link); err == nil {
			return link, nil
		}
	}
	return os.Executable()
}

// start makes the pipes and starts the process.
func (c *child) start() (err error) {
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
			return err
		}
		if i == 0 {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	if err := attach(c.cmd, pipesVariable, theirs); err != nil {
		return err
	}
	if err := c.cmd.Start(); err != nil {
		return err
	}
	c.requests = ours[0]
	c.readers.Go(func() {
		defer ours[2].Close()
		_, _ = io.Copy(c.trace, ours[2])
	})
	c.readers.Go(func() {
		defer ours[1].Close()
		defer close(c.answers)
		for {
			a := new(answer)
			if readMessage(ours[1], c.key, a) != nil {
				return // the process is gone, or damaged
			}
			select {
			case c.answers <- a:
			case <-c.exited:
				select {
				case c.answers <- a:
				case <-time.After(grace):
					return
				}
			}
		}
	})
	go func() {
		_ = c.cmd.Wait() // the state says how it ended
		close(c.exited)
	}()
	return nil
}

// do sends a request and returns the answer. If there is none, the child is gone, and the error is a *Crash or that of
// ctx.
func (c *child) do(ctx context.Context, r *request, limit time.Duration) (*answer, error) {
	c.uses++
	c.output.reset()
	message, err := encodeMessage(c.key, r)
	if err != nil {
		c.end()
		return nil, err
	}
	// An error means that the child is gone, and next finds out why.
	go func() { _, _ = c.requests.Write(message) }()
	return c.next(ctx, limit)
}

// next waits for an answer. After an error, the child is gone.
func (c *child) next(ctx context.Context, limit time.Duration) (*answer, error) {
	var timeout <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		timeout = timer.C
	}
	exited := c.exited
	for {
		select {
		case a, ok := <-c.answers:
			if ok {
				return a, nil
			}
			return nil, c.autopsy()
		case <-exited:
			// An answer may be on its way, or a process that the plugin started may hold the pipe open.
			exited, timeout = nil, time.After(grace/10)
			limit = 0
		case <-ctx.Done():
			go c.end()
			return nil, ctx.Err()
		case <-timeout:
			if exited == nil {
				return nil, c.autopsy()
			}
			c.end()
			crash := c.autopsy()
			crash.Signal, crash.ExitStatus, crash.Timeout, crash.code = "", 0, limit, pjrt.ErrDeadlineExceeded
			return nil, crash
		}
	}
}

// autopsy says how the process ended. It kills one that has closed its pipes but still runs.
func (c *child) autopsy() *Crash {
	select {
	case <-c.exited:
	case <-time.After(grace):
	}
	c.end()
	return newCrash(signalOf(c.cmd.ProcessState), c.cmd.ProcessState.ExitCode(), c.output.String(), c.trace.String())
}

// gone reports whether the process has ended.
func (c *child) gone() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// end kills the process and those that it started, and waits for it to end. Nothing is lost: a child has no state
// except what it made for itself.
func (c *child) end() {
	kill(c.cmd)
	<-c.exited
	c.requests.Close()
	done := make(chan struct{})
	go func() {
		c.readers.Wait()
		close(done)
	}()
	for answers, late := c.answers, time.After(grace); ; {
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

// childEnvironment returns an environment without what a child must not have: the files that package trace writes are
// this process's.
func childEnvironment(environment []string) []string {
	var list []string
	for _, v := range environment {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case name == "GOTRACEBACK", strings.HasPrefix(name, "PJRT_TRACE"), strings.HasPrefix(name, "PJRT_ISOLATE_"):
		case name == "PJRT_RECORD", name == "PJRT_VALIDATE", name == "PJRT_SUMMARY":
		default:
			list = append(list, v)
		}
	}
	return list
}

// sessionOf returns a text that differs between requests that need different children.
func sessionOf(r *request) string {
	if !r.Client {
		return r.Plugin
	}
	return fmt.Sprintf("%s\x00%q", r.Plugin, r.Create)
}
