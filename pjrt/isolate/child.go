// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/subprocess"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
)

// The environment variables of a child. childVariable marks a process as a child.
const (
	variables      = "PJRT_ISOLATE" // what the names of package subprocess begin with
	childVariable  = variables + "_CHILD"
	memoryVariable = variables + "_MEMORY" // how much memory it may have, in bytes; empty for any amount
)

const (
	outputLimit = 64 << 10
	// startLimit is how long a child may take until it reaches Main.
	startLimit = 2 * time.Minute
)

// child is a process that compiles. Its methods are for one goroutine at a time.
type child struct {
	*subprocess.Process[*answer]
	session string // what it was made for
	uses    int
	idle    *time.Timer // ends the child; nil while it is in use
}

// startChild starts a child and waits until it is ready.
func startChild(ctx context.Context, opts *Options, session string, environment []string) (*child, error) {
	command := opts.Command
	if len(command) > 0 {
		bridge.Root.WarnOfOthers("the program of isolated compilers", command[0])
	} else {
		self, err := subprocess.Self()
		if err != nil {
			return nil, pjrt.ErrUnavailable.Errorf("this program cannot be found to start it again: %v: mount /proc, or set Command in isolate.Options", err)
		}
		command = []string{self}
	}
	cmd := exec.Command(command[0], command[1:]...)
	if len(opts.Command) == 0 {
		cmd.Args[0] = os.Args[0]
	}
	cmd.Env = append(environment, childVariable+"=1", "GOTRACEBACK=none") // stacks of Go say nothing about the compiler
	if opts.Memory > 0 {
		cmd.Env = append(cmd.Env, memoryVariable+"="+strconv.FormatInt(opts.Memory, 10))
	}
	// A process that the plugin started may hold the output open.
	cmd.WaitDelay = 5 * time.Second
	process, err := subprocess.Start(cmd, subprocess.Config[*answer]{
		Name:   variables,
		Output: &subprocess.Tail{Limit: outputLimit, Next: opts.Output},
		Trace:  &subprocess.Tail{Limit: outputLimit},
		Answers: func(in io.Reader, key []byte) func() (*answer, error) {
			return func() (*answer, error) {
				a := new(answer)
				return a, readMessage(in, key, a)
			}
		},
	})
	if err != nil {
		return nil, pjrt.ErrUnavailable.Errorf("a child process cannot be started from %s: %v", strings.Join(command, " "), err)
	}
	c := &child{Process: process, session: session}
	a, err := c.next(ctx, startLimit)
	var crash *Crash
	switch {
	case errors.As(err, &crash):
		crash.limited(opts.Memory)
		return nil, pjrt.ErrUnavailable.Errorf("the child process %s did not begin to serve, as isolate.Main makes it do: it %s",
			strings.Join(command, " "), crash.end())
	case err != nil:
		return nil, err
	case a.Hello != protocol:
		c.End()
		return nil, pjrt.ErrUnavailable.Errorf("the child process %s is of another version of this package: it has protocol %d, and "+
			"this program has %d",
			strings.Join(command, " "), a.Hello, protocol)
	}
	return c, nil
}

// do sends a request and returns the answer. If there is none, the child is gone, and the error is
// a *Crash or that of ctx.
func (c *child) do(ctx context.Context, r *request, limit time.Duration) (*answer, error) {
	c.uses++
	c.Output.Reset()
	message, err := encodeMessage(c.Key, r)
	if err != nil {
		c.End()
		return nil, err
	}
	// An error means that the child is gone, and next finds out why.
	go func() { _ = c.Send(message) }()
	return c.next(ctx, limit)
}

// next waits for an answer. After an error, the child is gone. Nothing is lost: a child has no
// state except what it made for itself.
func (c *child) next(ctx context.Context, limit time.Duration) (*answer, error) {
	a, err := c.Next(ctx, limit)
	switch {
	case err == nil:
		return a, nil
	case errors.Is(err, subprocess.ErrGone):
		c.Bury() // it may still run
		return nil, c.crash()
	case errors.Is(err, subprocess.ErrSilent):
		c.End()
		crash := c.crash()
		crash.Signal, crash.ExitStatus, crash.Timeout, crash.code = "", 0, limit, pjrt.ErrDeadlineExceeded
		return nil, crash
	}
	go c.End()
	return nil, err
}

// crash says how the process ended.
func (c *child) crash() *Crash {
	signal, status := c.Ended()
	return newCrash(signal, status, c.Output.String(), c.Trace.String())
}

// childEnvironment returns an environment without what a child must not have: the files that
// package trace writes are this process's.
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
	plugin := fmt.Sprintf("%s\x00%x", r.Plugin, r.File)
	if !r.Client {
		return plugin
	}
	return fmt.Sprintf("%s\x00%q", plugin, r.Create)
}
