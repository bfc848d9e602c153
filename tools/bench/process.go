// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// process is a child that does jobs, as package child describes.
type process struct {
	program string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    bytes.Buffer // its standard error

	open, client time.Duration // how long the child's start took
	api          string        // the version of the plugin's API
}

// start begins a program and waits until it is ready.
func start(program string, args, env []string) (*process, error) {
	p := &process{program: program, cmd: exec.Command(args[0], args[1:]...)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = &p.said
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := p.line()
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Sscanf(line, "ready %d %d %s", &p.open, &p.client, &p.api); err != nil {
		return nil, fmt.Errorf("%s began with %q", program, line)
	}
	return p, nil
}

// line reads the next answer.
func (p *process) line() (string, error) {
	line, err := p.out.ReadString('\n')
	if err != nil || strings.HasPrefix(line, "error") {
		p.cmd.Process.Kill()
		p.cmd.Wait() // so that all of its output is there
		tail := p.said.String()
		return "", fmt.Errorf("%s ended: %s%s", p.program, line, tail[max(0, len(tail)-2000):])
	}
	return strings.TrimSpace(line), nil
}

// ask sends a line and returns the numbers in the answer, or false if the child answers absent.
func (p *process) ask(format string, args ...any) (numbers [2]float64, ok bool, err error) {
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		return numbers, false, fmt.Errorf("%s does not read: %w", p.program, err)
	}
	line, err := p.line()
	if err != nil || line == "absent" {
		return numbers, false, err
	}
	fmt.Sscanf(line, "ok %g %g", &numbers[0], &numbers[1])
	return numbers, true, nil
}

// run returns the nanoseconds that each of n operations took.
func (p *process) run(n, warm int) (float64, error) {
	took, _, err := p.ask("run %d %d", n, warm)
	return took[0] / float64(n), err
}

// Close ends the child by closing its input.
func (p *process) Close() error {
	p.in.Close()
	return p.cmd.Wait()
}
