// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed drive.py
var script []byte

// jax is a Python process that has imported JAX, and takes user actions in processes that it
// forks.
type jax struct {
	hello
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	jobs    int
}

// hello is what the process says first.
type hello struct {
	JAX     string
	JAXLib  string
	Python  string
	Actions []string
	Threads int // of the process, which can only fork while it has one
}

// job is what a forked process does.
type job struct {
	Job       int               `json:"job"`
	Variables map[string]string `json:"variables"`
	Actions   []string          `json:"actions"`
}

// result is what became of an action.
type result struct {
	Action    string
	Calls     map[string]int
	Seen      string
	Exception string
	Hung      []string // the calls that it hangs in, if it hangs
	Died      *death
}

// death is how a process ended during an action.
type death struct {
	How string
	In  []string // calls under way
	Why string
}

// startJAX starts Python with JAX, whose plugin is the shim library in front of plugin. With
// offHost the plugin says that its buffers are not in the host's memory.
func startJAX(ctx context.Context, python, shim, plugin string, offHost bool) (*jax, error) {
	dir, err := os.MkdirTemp("", "callers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "drive.py")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		return nil, err
	}
	c := &jax{command: exec.CommandContext(ctx, python, file)}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PJRT_") && !strings.HasPrefix(v, "JAX_") && !strings.HasPrefix(v, "XLA_") {
			c.command.Env = append(c.command.Env, v)
		}
	}
	// NumPy must not start threads, since the process forks.
	c.command.Env = append(c.command.Env, "OPENBLAS_NUM_THREADS=1", "PJRT_NAMES_AND_LIBRARY_PATHS=watched:"+shim, "JAX_PLATFORMS=watched",
		"PJRT_SHIM_PLUGIN="+plugin, "PJRT_SHIM_GROW=1")
	if offHost {
		c.command.Env = append(c.command.Env, "PJRT_SHIM_OFF_HOST=1")
	}
	c.command.Stderr = os.Stderr
	if c.in, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	if err := c.answer(&c.hello); err != nil {
		return nil, errors.Join(fmt.Errorf("%s does not import JAX: %w", python, err), c.close())
	}
	if c.Threads != 1 {
		err := fmt.Errorf("%s: importing JAX %s starts %d threads, so the process cannot fork", python, c.JAX, c.Threads-1)
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *jax) answer(v any) error {
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

// do takes actions with a plugin whose faults the variables describe. If the process ends
// during one, another process starts and takes those that are left. The results are in the
// order of the actions. If the first action fails, do takes no others.
func (c *jax) do(variables map[string]string, actions []string) ([]result, error) {
	var all []result
	first := actions[0]
	left := actions[1:]
	for {
		c.jobs++
		line, err := json.Marshal(job{c.jobs, variables, append([]string{first}, left...)})
		if err != nil {
			return nil, err
		}
		if _, err := c.in.Write(append(line, '\n')); err != nil {
			return nil, err
		}
		var a struct {
			Job     int
			Results []result
		}
		if err := c.answer(&a); err != nil {
			return nil, fmt.Errorf("JAX %s: the process that forks ended: %w", c.JAX, err)
		}
		if a.Job != c.jobs || len(a.Results) == 0 || a.Results[0].Action != first {
			return nil, fmt.Errorf("JAX %s: the answer to job %d is %+v", c.JAX, c.jobs, a)
		}
		start := a.Results[0]
		if len(all) == 0 {
			all = append(all, start)
		}
		if start.Died != nil || start.Hung != nil || start.Exception != "" {
			return all, nil
		}
		done := a.Results[1:]
		if len(done) > len(left) {
			return nil, fmt.Errorf("JAX %s: job %d took %d actions of %d", c.JAX, c.jobs, len(done), len(left))
		}
		if len(left) > 0 && len(done) == 0 {
			return nil, fmt.Errorf("JAX %s: job %d ended between two actions", c.JAX, c.jobs)
		}
		all = append(all, done...)
		if left = left[len(done):]; len(left) == 0 {
			return all, nil
		}
	}
}

func (c *jax) close() error {
	_ = c.in.Close()
	return c.command.Wait()
}
