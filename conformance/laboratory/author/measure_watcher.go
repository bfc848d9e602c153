// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed drive.py watch.py
var scripts embed.FS

// watcher is a Python process that has user actions taken with a client of PJRT, in processes that
// it forks.
type watcher struct {
	hello
	dir     string // of the scripts
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	jobs    int
}

// hello is what the process says first.
type hello struct {
	Client  string   // such as jax@0.8.1
	With    []string // versions of what it consists of
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

// start starts Python with JAX, or with a program that takes the actions. Its plugin is the shim
// library in front of the one that is measured with.
func (m *measurer) start(ctx context.Context, python string) (_ *watcher, err error) {
	c := new(watcher)
	if c.dir, err = os.MkdirTemp("", "callers"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(c.dir))
		}
	}()
	if err := os.CopyFS(c.dir, scripts); err != nil {
		return nil, err
	}
	// GoMLX takes a plugin for one whose buffers are in the host's memory if its name says so.
	name := map[bool]string{false: "cpu", true: "watched"}[m.offHost]
	library := filepath.Join(c.dir, "pjrt_c_api_"+name+"_plugin.so")
	if err := os.Symlink(m.shim, library); err != nil {
		return nil, err
	}
	c.command = exec.CommandContext(ctx, python, filepath.Join(c.dir, "drive.py"))
	if m.program != "" {
		c.command = exec.CommandContext(ctx, python, filepath.Join(c.dir, "watch.py"), m.program)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PJRT_") && !strings.HasPrefix(v, "JAX_") && !strings.HasPrefix(v, "XLA_") {
			c.command.Env = append(c.command.Env, v)
		}
	}
	// NumPy must not start threads, since the process forks.
	c.command.Env = append(c.command.Env, "OPENBLAS_NUM_THREADS=1", "JAX_PLATFORMS=watched",
		"PJRT_NAMES_AND_LIBRARY_PATHS=watched:"+library, "CALLER_PLUGIN="+library,
		"PJRT_SHIM_PLUGIN="+m.plugin, "PJRT_SHIM_GROW=1")
	if m.offHost {
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
		return nil, errors.Join(fmt.Errorf("%s does not start: %w", c.command, err), c.close())
	}
	if c.Threads != 1 {
		err := fmt.Errorf("%s: importing %s starts %d threads, so the process cannot fork", python, c.Client, c.Threads-1)
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *watcher) answer(v any) error {
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	// The folder has another name each time.
	return json.Unmarshal(bytes.ReplaceAll(line, []byte(c.dir+"/"), nil), v)
}

// do takes actions with a plugin whose faults the variables describe. If the process ends
// during one, another process starts and takes those that are left. The results are in the
// order of the actions. If the first action fails, do takes no others.
func (c *watcher) do(variables map[string]string, actions []string) ([]result, error) {
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
			return nil, fmt.Errorf("%s: the process that forks ended: %w", c.Client, err)
		}
		if a.Job != c.jobs || len(a.Results) == 0 || a.Results[0].Action != first {
			return nil, fmt.Errorf("%s: the answer to job %d is %+v", c.Client, c.jobs, a)
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
			return nil, fmt.Errorf("%s: job %d took %d actions of %d", c.Client, c.jobs, len(done), len(left))
		}
		if len(left) > 0 && len(done) == 0 {
			return nil, fmt.Errorf("%s: job %d ended between two actions", c.Client, c.jobs)
		}
		all = append(all, done...)
		if left = left[len(done):]; len(left) == 0 {
			return all, nil
		}
	}
}

func (c *watcher) close() error {
	_ = c.in.Close()
	return errors.Join(c.command.Wait(), os.RemoveAll(c.dir))
}
