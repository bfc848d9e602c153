// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
)

// childLimit is how long a child may take for each step of its start.
const childLimit = time.Minute

// Spawner returns a function that starts the children of checks: workers with the
// plugin of a setup.
func Spawner(command worker.Command, setup Setup) func(context.Context) (check.Child, error) {
	return func(ctx context.Context) (check.Child, error) {
		p, err := worker.Start(ctx, command, childLimit)
		if err != nil {
			return nil, err
		}
		c := &child{p}
		if err := c.open(ctx, setup); err != nil {
			p.Kill()
			return nil, err
		}
		return c, nil
	}
}

// Opening begins the error of a process that could not load the library.
const Opening = "open the plugin: "

// child is a worker that a check started.
type child struct{ process *worker.Process }

func (c *child) open(ctx context.Context, setup Setup) error {
	var opened Opened
	death, err := c.process.Do(ctx, TaskOpen, setup, childLimit, &opened)
	switch {
	case err != nil:
		return err
	case death != nil:
		return errors.New(Opening + death.String())
	case opened.Problem != "":
		return errors.New(Opening + opened.Problem)
	}
	if setup.Uninitialized {
		return nil
	}
	var problem string
	death, err = c.process.Do(ctx, TaskInitialize, nil, childLimit, &problem)
	if err == nil && death != nil {
		err = fmt.Errorf("PJRT_Plugin_Initialize: %s", death)
	}
	return err
}

func (c *child) Step(ctx context.Context, name, step string, limit time.Duration) (*check.Result, *check.Ending, error) {
	r := new(check.Result)
	death, err := c.process.Do(ctx, TaskStep, Step{name, step}, limit, r)
	if err != nil {
		return nil, nil, err
	}
	if death != nil {
		return nil, &check.Ending{How: death.String(), Output: spoken(death), Hung: death.Kind == worker.Silent,
			Suite: death.Kind == worker.Panicked}, nil
	}
	return r, nil, nil
}

// spoken returns what a dead worker printed before the Go runtime did.
func spoken(d *worker.Death) string {
	first, _, _ := strings.Cut(strings.TrimSpace(d.Trace), "\n")
	if i := strings.Index(d.Output, first); first != "" && i >= 0 {
		return d.Output[:i]
	}
	return d.Output
}

func (c *child) Kill() { c.process.Kill() }
