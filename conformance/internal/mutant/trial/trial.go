// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package trial lets checks run on mutants, and on the same plugins without the fault, in
// processes that may die of it. A program that has the checks and the mutants calls Serve when
// it is started as a worker, and otherwise passes what Plugins returns to a driver.Bench.
package trial

import (
	"context"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// CPU is the name of the plugin in front of which most faults are put. It is older than the newest
// one, and has functions that the newest lacks, such as those of costs.
const CPU = "cpu@0.81"

// NewerCPU is the name of the plugin in front of which faults are put if CPU lacks what their
// checks are about, such as element types that came later.
const NewerCPU = "cpu"

// Plugins are the plugins that faults are put in front of.
type Plugins struct {
	CPU string // path of XLA's CPU plugin
	Dir string // for the libraries that are compiled
}

// On returns the plugins with another CPU plugin.
func (p Plugins) On(cpu string) Plugins {
	p.CPU = cpu
	return p
}

// deviceCount is how many devices the CPU plugin has in trials.
const deviceCount = 4

// patience is how long a check waits for what a fault may prevent.
const patience = time.Second

// With returns what the worker of a mutant is told. The error is mutant.ErrNoCompiler for a
// library if there is no compiler.
func (p *Plugins) With(ctx context.Context, m *mutant.Mutant) (session.Setup, error) {
	s, err := p.setup(ctx, m, m)
	if s.Fault == "" {
		s.Fault = m.Name()
	}
	s.Patience, s.NoText = patience, m.NoText
	return s, err
}

// Without returns what the worker of a mutant without its fault is told.
func (p *Plugins) Without(ctx context.Context, m *mutant.Mutant) (session.Setup, error) {
	s, err := p.setup(ctx, m, nil)
	switch {
	case s.Fault != "":
	case m.Sound != nil:
		s.Fault = sound + m.Name()
	default:
		s.Fault = none
	}
	return s, err
}

// setup returns the setup for the base of m; if that is a library, it is compiled with fault,
// or without one if fault is nil.
func (p *Plugins) setup(ctx context.Context, m, fault *mutant.Mutant) (s session.Setup, err error) {
	s.NoDevice, s.Topology = m.NoDevice, m.Topology
	switch m.Base {
	case mutant.CPU:
		s.Plugin = p.CPU
		s.Options = []session.Option{{Name: "cpu_device_count", Value: int64(deviceCount)}}
	case mutant.Library:
		s.Plugin, err = mutant.Compile(ctx, fault, p.Dir)
		s.Fault, s.NoDevice = library, "the plugin is a library that offers nothing"
	}
	return s, err
}

// The faults that a worker is told are names of mutants, and these. An empty fault means the
// plugin as it is.
const (
	none    = "none"    // the plugin without a fault, but wrapped
	library = "library" // the plugin itself, which contains the fault
	sound   = "sound "  // precedes the name of a mutant whose Sound is meant
)

// Serve makes this process a worker that looks up checks and mutants by their names. It does
// not return.
func Serve(checkOf func(name string) (*check.Check, error), mutantOf func(name string) (*mutant.Mutant, error)) {
	var last *serve.Table
	bases := make(map[string]*capi.Table)
	session.Serve(session.Program{
		Check: func(_, name string) (*check.Check, error) { return checkOf(name) },
		Open: func(s session.Setup) (*capi.Table, error) {
			if last != nil {
				// A table that is still in use lives until the end of the process.
				_ = last.Close()
				last = nil
			}
			if s.Fault == library {
				return capi.Open(s.Plugin)
			}
			if bases[s.Plugin] == nil {
				t, err := open(s.Plugin)
				if err != nil {
					return nil, err
				}
				bases[s.Plugin] = t
			}
			base := bases[s.Plugin]
			if s.Fault == "" {
				return base, nil
			}
			var err error
			if last, err = wrapped(base, s.Fault, mutantOf); err != nil {
				return nil, err
			}
			return last.Capi(), nil
		},
	})
}

// wrapped puts a fault in front of a plugin.
func wrapped(base *capi.Table, fault string, mutantOf func(name string) (*mutant.Mutant, error)) (*serve.Table, error) {
	if fault == none {
		return serve.Wrap(base)
	}
	name, isSound := strings.CutPrefix(fault, sound)
	m, err := mutantOf(name)
	if err != nil {
		return nil, err
	}
	if isSound {
		return m.Sound(base)
	}
	return m.Table(base)
}

// open opens the plugin in a file, or Reference if path is empty.
func open(path string) (*capi.Table, error) {
	if path == "" {
		return Reference()
	}
	if err := plugins.Prepare(path); err != nil {
		return nil, err
	}
	return capi.Open(path)
}
