// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/subprocess"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// Options are the options of New. Their zero value suits most programs.
type Options struct {
	// Command is the program that children run, with its arguments, such as the command pjrt. It
	// must call Main first. Nil means this program.
	Command []string
	// Env is added to the environment of children, as NAME=VALUE.
	Env []string
	// Children is how many processes there may be, and so how many programs are compiled at once;
	// others wait. 0 means 4.
	Children int
	// Timeout ends the child of a compilation or trial that takes longer. 0 means no limit but the
	// caller's context.
	Timeout time.Duration
	// Memory is how many bytes of memory a child may have, on Linux: allocations above that fail,
	// and compilers then end the child. It includes what the plugin needs without a program, such
	// as stacks of 8 MB for several threads for each core. 0 means no limit.
	Memory int64
	// Uses is after how many compilations a child is replaced, so that what compilers leak does not
	// add up. 0 means 500.
	Uses int
	// Idle is how long a child that has nothing to do is kept. 0 means 5 minutes.
	Idle time.Duration
	// SecondClient lets children make clients of plugins for which they otherwise compile for a
	// topology: see the package documentation. On GPUs such a client does not preallocate memory.
	SecondClient bool
	// Output receives what children write to their standard output and error, from several
	// goroutines. Nil drops all but the last lines before a crash.
	Output io.Writer
}

// Compiler compiles in child processes. Its methods may be called from any goroutine.
type Compiler struct {
	opts   Options
	turns  chan struct{} // has an element for each child in use
	closed context.Context
	close  context.CancelFunc

	mu           sync.Mutex
	idle         []*child            // guarded by mu; the most recently used one last
	environments map[string][]string // guarded by mu; by the plugin
}

var (
	_ compile.Compiler = (*Compiler)(nil)
	_ compile.Loader   = (*Compiler)(nil)
)

// New returns a Compiler. It starts no process yet. It fails if the options are wrong, in a child,
// and if children would run this program without Main.
func New(opts Options) (*Compiler, error) {
	switch {
	case opts.Children < 0 || opts.Timeout < 0 || opts.Memory < 0 || opts.Uses < 0 || opts.Idle < 0:
		return nil, pjrt.ErrInvalidArgument.Errorf("an option of the isolated compiler is negative: %d children, a timeout of %v, %d "+
			"bytes of memory, %d uses, %v idle",
			opts.Children, opts.Timeout, opts.Memory, opts.Uses, opts.Idle)
	case len(opts.Command) > 0 && opts.Command[0] == "":
		return nil, pjrt.ErrInvalidArgument.Errorf("the command of the isolated compiler has an empty name")
	case opts.Memory > 0 && !subprocess.CanLimitMemory:
		return nil, pjrt.ErrUnimplemented.Errorf("the memory of child processes can be limited on Linux only")
	case os.Getenv(childVariable) != "":
		return nil, pjrt.ErrFailedPrecondition.Errorf("this process was started to compile for another one, and does not call " +
			"isolate.Main at the beginning of main")
	case len(opts.Command) == 0 && !entered.Load():
		return nil, pjrt.ErrFailedPrecondition.Errorf("this program has not called isolate.Main: call it at the beginning of main, or " +
			"of TestMain, or name another program in Command")
	}
	opts.Children, opts.Uses, opts.Idle = cmp.Or(opts.Children, 4), cmp.Or(opts.Uses, 500), cmp.Or(opts.Idle, 5*time.Minute)
	opts.Command, opts.Env = slices.Clone(opts.Command), slices.Clone(opts.Env)
	c := &Compiler{opts: opts, turns: make(chan struct{}, opts.Children), environments: make(map[string][]string)}
	c.closed, c.close = context.WithCancel(context.Background())
	return c, nil
}

// Close ends all children. Compilations under way fail with pjrt.ErrClosed, and so do later ones.
func (c *Compiler) Close() error {
	if c == nil || c.close == nil {
		return nil
	}
	c.close()
	c.mu.Lock()
	idle := c.idle
	c.idle = nil
	c.mu.Unlock()
	for _, child := range idle {
		child.idle.Stop()
		child.End()
	}
	return nil
}

// Compile implements [compile.Compiler]. If the child ends without an answer, the error is a
// *Crash.
func (c *Compiler) Compile(ctx context.Context, job *compile.Job) (*compile.Result, error) {
	if c == nil || c.close == nil {
		return nil, errNil
	}
	if job == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the job is nil")
	}
	r, err := c.request(&job.Target)
	if err != nil {
		return nil, err
	}
	if err := checkPasses(job); err != nil {
		return nil, err
	}
	r.Code, r.Format, r.Options = job.Code, job.Format, job.Options
	a, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	return a.result(), nil
}

// TryLoad implements [compile.Loader]. If the child ends without an answer, the error is a *Crash
// with the code pjrt.ErrDataLoss.
func (c *Compiler) TryLoad(ctx context.Context, load *compile.Load) error {
	if c == nil || c.close == nil {
		return errNil
	}
	if load == nil || len(load.Executable) == 0 {
		return pjrt.ErrInvalidArgument.Errorf("there is no executable to load")
	}
	r, err := c.request(&load.Target)
	switch {
	case err != nil:
		return err
	case !r.Client:
		return pjrt.ErrUnimplemented.Errorf("a child process cannot load an executable of the %s plugin, because it cannot have "+
			"a client beside that of the program: set isolate.Options.SecondClient if it can, or load without a trial", load.Kind)
	}
	r.Executable, r.Options, r.Origin = load.Executable, load.Options, load.ComputationOrigin
	_, err = c.do(ctx, r)
	return err
}

var errNil = pjrt.ErrInvalidArgument.Errorf("the isolated compiler is nil: make one with isolate.New")

// request returns the request for a target, without a program.
func (c *Compiler) request(t *compile.Target) (*request, error) {
	if t.Plugin == "" {
		return nil, pjrt.ErrUnimplemented.Errorf("a child process cannot have the plugin, because it is part of this program: " +
			"register it by a name (raw.Register) before isolate.Main")
	}
	r := &request{Plugin: t.Plugin, File: t.File}
	for _, x := range t.Registered {
		r.Registered = append(r.Registered, registration{x.Function.Name, x.Name, x.Platform, x.Traits, x.APIVersion})
	}
	if t.Client && !t.Peers && (t.Kind == "cpu" || c.opts.SecondClient) {
		r.Client, r.Create = true, createOptions(t)
		return r, nil
	}
	if t.Client && t.Kind == "cpu" {
		return nil, pjrt.ErrUnimplemented.Errorf("a child process cannot compile for a CPU client of several processes: " +
			"it would have to join them, and XLA's CPU plugin does not compile for topologies")
	}
	if t.Topology == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("there is no topology to compile for")
	}
	var err error
	if r.Topology, err = t.Topology(); err != nil {
		return nil, capi.CodeOf(err).Errorf("a child process cannot compile for the topology, which the plugin cannot serialize: %v", err)
	}
	return r, nil
}

// createOptions returns the create options of the client of a child.
func createOptions(t *compile.Target) []capi.Attribute {
	switch t.Kind {
	case "cuda", "rocm", "oneapi":
		const preallocate = "preallocate"
		list := slices.DeleteFunc(slices.Clone(t.Create), func(a capi.Attribute) bool { return a.Name == preallocate })
		return append(list, capi.Attribute{Name: preallocate, Value: false})
	}
	return t.Create
}

// checkPasses returns an error if the compiler would call functions of this process.
func checkPasses(job *compile.Job) error {
	for _, x := range job.Registered {
		switch x.Function {
		case (*capi.RegisterXLATransformArgs)(nil).Function():
			return pjrt.ErrUnimplemented.Errorf("the transformation %q is a function of this process, and a child process "+
				"that compiles cannot call it: clear it, or compile without isolation", x.Name)
		case (*capi.RegisterCustomPartitionerArgs)(nil).Function():
			// All forms of programs have names in plain bytes.
			if bytes.Contains(job.Code, []byte(x.Name)) {
				return pjrt.ErrUnimplemented.Errorf("the partitioner of the custom call %q is a function of this process, "+
					"and a child process that compiles cannot call it: compile without isolation", x.Name)
			}
		}
	}
	return nil
}

// do has a child answer the request. If the child did other work before, its crash may not be the
// request's fault, so a new child gets the request too.
func (c *Compiler) do(ctx context.Context, r *request) (*answer, error) {
	if err := abandon.Err(ctx, nil, ""); err != nil {
		return nil, err
	}
	if c.closed.Err() != nil {
		return nil, errClosed
	}
	select {
	case c.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, abandon.Err(ctx, nil, "a free child process")
	case <-c.closed.Done():
		return nil, errClosed
	}
	defer func() { <-c.turns }()
	call, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.closed, cancel)()
	a, err := c.attempt(call, r)
	var crash *Crash
	switch {
	case err == nil && a.Error != nil:
		return nil, a.Error
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return nil, abandon.Err(ctx, nil, "the child process")
	case c.closed.Err() != nil:
		return nil, errClosed
	case errors.As(err, &crash):
		if crash.trial = r.Executable != nil; crash.trial && crash.code == pjrt.ErrInternal {
			crash.code = pjrt.ErrDataLoss
		}
	}
	return nil, err
}

var errClosed = fmt.Errorf("isolate: the compiler is %w", pjrt.ErrClosed)

func (c *Compiler) attempt(ctx context.Context, r *request) (*answer, error) {
	session := sessionOf(r)
	child := c.take(session)
	for {
		if child == nil {
			var err error
			if child, err = startChild(ctx, &c.opts, session, c.environment(r.Plugin)); err != nil {
				return nil, err
			}
		}
		a, err := child.do(ctx, r, c.opts.Timeout)
		if err == nil {
			c.put(child)
			return a, nil
		}
		var crash *Crash
		if !errors.As(err, &crash) {
			return nil, err
		}
		if child.uses > 1 && crash.Timeout == 0 {
			child = nil
			continue
		}
		crash.limited(c.opts.Memory)
		return nil, crash
	}
}

// environment returns the environment of children with the plugin. It stays as it was at first:
// plugins read most variables once.
func (c *Compiler) environment(plugin string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.environments[plugin]
	if !ok {
		e = append(childEnvironment(os.Environ()), c.opts.Env...)
		c.environments[plugin] = e
	}
	return slices.Clone(e)
}

// take returns an idle child for the session, or nil. If there is none, it makes room for another
// child.
func (c *Compiler) take(session string) *child {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.idle) - 1; i >= 0; i-- {
		child := c.idle[i]
		if child.session != session {
			continue
		}
		c.idle = slices.Delete(c.idle, i, i+1)
		child.idle.Stop()
		if !child.Gone() {
			return child
		}
		go child.End()
	}
	// This call's child is one of the busy ones.
	if n := len(c.turns) + len(c.idle) - c.opts.Children; n > 0 {
		for _, child := range c.idle[:n] {
			child.idle.Stop()
			go child.End()
		}
		c.idle = slices.Delete(c.idle, 0, n)
	}
	return nil
}

// put keeps a child that has answered, or ends it.
func (c *Compiler) put(child *child) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if child.uses >= c.opts.Uses || c.closed.Err() != nil {
		go child.End()
		return
	}
	c.idle = append(c.idle, child)
	child.idle = time.AfterFunc(c.opts.Idle, func() {
		c.mu.Lock()
		i := slices.Index(c.idle, child)
		if i >= 0 {
			c.idle = slices.Delete(c.idle, i, i+1)
		}
		c.mu.Unlock()
		if i >= 0 {
			child.End()
		}
	})
}
