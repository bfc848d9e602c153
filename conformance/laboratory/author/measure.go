// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

var measureCommand = command{"measure", "[flags] PYTHON...", `
Finds out what clients do with a plugin that lacks something, and writes their profiles, which
package callers embeds. Each PYTHON is an interpreter with another version of JAX, or, with
-program, any one, which watches the program take the actions with another client. A first run
counts the calls of each user action; then each called function in turn has a null slot, returns
UNIMPLEMENTED, or fails, and each extension and each newer part of the table is missing. A profile
is written after each row, and rows that it has are not measured again.
`, func(flags *flag.FlagSet) func(context.Context, []string) error {
	var m measurer
	flags.StringVar(&m.shim, "shim", "bin/libpjrt_shim.so", "the library of tools/pjrtshim")
	flags.StringVar(&m.named, "plugin", "cpu@0.81", "the plugin that the clients use: a name, or the path of its library")
	flags.StringVar(&m.with, "with", "xla-cpu-pjrt 0.0.1", "the plugin's package and version, as a new profile names them")
	flags.StringVar(&m.out, "out", "conformance/laboratory/callers/profiles", "the folder of the profiles")
	flags.StringVar(&m.program, "program", "", "a program that takes the actions in place of JAX, such as pjrt/gomlx/internal/drive")
	flags.IntVar(&m.check, "check", 0, "measure this many rows again, chosen at random, and compare them with the profile")
	flags.IntVar(&m.sets, "sets", 0, "compare predictions for this many random sets of missing functions with what happens")
	flags.BoolVar(&m.offHost, "off-host", false, "let the plugin say that its buffers are not in the host's memory")
	flags.BoolVar(&m.calls, "calls", false, "only count the calls of the actions, which takes minutes")
	flags.Uint64Var(&m.seed, "seed", 0, "the seed of the random choices; 0 takes a new one each time")
	return m.run
}}

// measurer measures profiles.
type measurer struct {
	shim, out   string
	named, with string
	program     string
	check, sets int
	offHost     bool
	calls       bool // only
	seed        uint64

	plugin string
	table  *capi.Table
}

func (m *measurer) run(ctx context.Context, pythons []string) error {
	if len(pythons) == 0 {
		return errors.New("name interpreters that have JAX, such as bin/callers/jax-0.8.1/bin/python")
	}
	found, err := plugins.Find(ctx, m.named)
	if err != nil {
		return err
	}
	m.plugin = found.Path
	if m.table, err = capi.Open(m.plugin); err != nil {
		return err
	}
	if m.shim, err = filepath.Abs(m.shim); err != nil {
		return err
	}
	if m.program != "" {
		if m.program, err = filepath.Abs(m.program); err != nil {
			return err
		}
	}
	for _, python := range pythons {
		c, err := m.start(ctx, python)
		if err != nil {
			return err
		}
		switch {
		case m.check > 0:
			err = m.compare(ctx, c)
		case m.sets > 0:
			err = m.prove(ctx, c)
		default:
			err = m.measure(ctx, c)
		}
		if err := errors.Join(err, c.close()); err != nil {
			return err
		}
	}
	return nil
}

// base names the files of a client.
func base(c *watcher) string { return strings.Replace(c.Client, "@", "-", 1) }

func (m *measurer) file(c *watcher) string { return filepath.Join(m.out, base(c)+".tsv") }

// measure fills in the profile of a client. Where the plugin's buffers are not in the host's
// memory, it measures only the functions that the client calls in other actions, or more or less
// often, than it does otherwise.
func (m *measurer) measure(ctx context.Context, c *watcher) error {
	whole, err := readProfile(m.file(c))
	switch {
	case errors.Is(err, os.ErrNotExist) && !m.offHost,
		err == nil && strings.Join(whole.Actions, " ") != strings.Join(c.Actions, " "):
		whole = &callers.Profile{Client: c.Client, Actions: c.Actions}
		whole.With = append(slices.Clone(c.With), m.with)
	case err != nil:
		return err
	}
	p := whole
	if m.offHost {
		if p = whole.OffHost; p == nil {
			p = &callers.Profile{Client: whole.Client, Actions: c.Actions}
			whole.OffHost = p
		}
	}
	normal, err := m.normal(c, p)
	if err != nil {
		return err
	}
	if err := m.alone(c, p); err != nil {
		return err
	}
	if err := writeProfile(m.file(c), whole); err != nil {
		return err
	}
	if m.calls {
		return nil
	}
	list := subjects(p.Calls, m.table)
	if m.offHost {
		list = slices.DeleteFunc(list, func(s subject) bool { return slices.Equal(p.Calls[s.name], whole.Calls[s.name]) })
	}
	for i, s := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.Row(s.name, s.mode) != nil {
			continue
		}
		results, err := c.do(variables([]subject{s}), concerned(p, s))
		if err != nil {
			return err
		}
		r := row(p, normal, results, s)
		p.Set(r)
		fmt.Printf("%s %d/%d %s %s: %s\n", p.Client, i+1, len(list), s.name, s.mode, r.Why)
		if err := writeProfile(m.file(c), whole); err != nil {
			return err
		}
	}
	return nil
}

// normal takes all actions with a plugin that lacks nothing, and counts their calls.
func (m *measurer) normal(c *watcher, p *callers.Profile) ([]result, error) {
	normal, err := c.do(nil, c.Actions)
	if err != nil {
		return nil, err
	}
	if len(normal) != len(c.Actions) {
		return nil, fmt.Errorf("%s does not start with %s: %+v", c.Client, m.plugin, normal[0])
	}
	outcomes := make([]callers.Outcome, len(c.Actions))
	var why []string
	for i, r := range normal {
		o, w := outcome(result{Action: r.Action, Seen: r.Seen}, r)
		if outcomes[i] = o; o > callers.Changed {
			why = append(why, w)
		}
	}
	if p.Calls == nil {
		p.Calls = make(map[string][]int)
		p.SetWhole(outcomes, strings.Join(why, "; "))
		count(p, normal)
	}
	return normal, nil
}

// alone takes each action in a process of its own, and counts its calls: what a client
// asks only once, it asks in the first action that needs the answer, and any action may
// be the first.
func (m *measurer) alone(c *watcher, p *callers.Profile) error {
	for _, a := range p.Actions[1:] {
		results, err := c.do(nil, []string{start, a})
		if err != nil {
			return err
		}
		count(p, results[1:])
	}
	// Rows that were measured with other counts may lack an action, or report calls
	// that are not new.
	p.Rows = slices.DeleteFunc(p.Rows, func(r callers.Row) bool {
		calls, ok := p.Calls[r.Subject]
		for i, o := range r.Outcomes {
			if ok && o == callers.NotCalled && (calls[i] > 0 || calls[0] > 0) {
				return true
			}
		}
		return false
	})
	for i := range p.Rows {
		r := &p.Rows[i]
		r.Instead = slices.DeleteFunc(r.Instead, func(f string) bool {
			for i, o := range r.Outcomes {
				taken := o != callers.NotCalled && o != callers.Unreached && p.Actions[i] != start && p.Actions[i] != end
				if calls := p.Calls[f]; taken && calls != nil && calls[i] == 0 {
					return false
				}
			}
			return p.Calls[f] != nil
		})
	}
	return nil
}

// count raises the counts of calls to those in results.
func count(p *callers.Profile, results []result) {
	for _, r := range results {
		i := slices.Index(p.Actions, r.Action)
		for f, n := range r.Calls {
			if p.Calls[f] == nil {
				p.Calls[f] = make([]int, len(p.Actions))
			}
			p.Calls[f][i] = max(p.Calls[f][i], n)
		}
	}
}

func readProfile(path string) (*callers.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := callers.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// writeProfile replaces a profile in one step, since another process may be reading it.
func writeProfile(path string, p *callers.Profile) error { return outside.WriteFile(path, p.Write) }
