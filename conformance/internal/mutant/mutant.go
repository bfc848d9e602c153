// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package mutant describes the faults that the checks of the conformance suite must find.
// A mutant is a plugin with one fault: capi/serve puts the fault in front of a plugin
// without it. A check that does not fail on the mutant would not find the fault in a real
// plugin either.
package mutant

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// Mutant is one fault and the check that finds it.
type Mutant struct {
	Check string // name of the check that must not pass, such as EVT-03
	Fault string // the fault in words
	// Hooks makes the fault, anew for each run. It must leave the rest of the plugin
	// intact.
	Hooks func() []serve.Hook
	// Wrap makes a fault that hooks cannot: it returns another table in front of the
	// plugin's. Either Hooks or Wrap is set.
	Wrap func(*capi.Table) (*serve.Table, error)
	// Sound makes the plugin without the fault, if that is more than the base: a table in
	// front of the base that does what the base does not. Nil means the base itself. Hooks are
	// put in front of it.
	Sound Plugin
	// Base is the plugin that the fault is put in front of.
	Base Base
	// NoDevice and Topology are what the check finds in its environment, also on the
	// plugin without the fault.
	NoDevice, Topology string
	// NoText is what the probe of the plugin with the fault says; see check.Env.
	NoText string

	// Reported names where a user of a real plugin reported the fault, such as zml#748;
	// empty if no report is known. Fault describes it in our own words.
	Reported string

	// Waits says that the check takes long to find the fault, because it waits for
	// something that never happens. Tests run such checks side by side.
	Waits bool

	source string // of a library; see LibraryOf
}

// Plugin makes a plugin from a base, and puts faults in front of it.
type Plugin func(base *capi.Table, faults ...serve.Hook) (*serve.Table, error)

// Refused is part of what a plugin says if it refuses the program that has the fault also without
// it. A check that may skip such a program cannot show anything then.
const Refused = "the plugin refuses the program that would have the fault"

// Base names a plugin without faults.
type Base int

// The bases.
const (
	CPU     Base = iota // XLA's CPU plugin, with four devices
	Memory              // the in-memory plugin of pjrt/pjrttest, of the newest API
	Library             // a library in C that offers nothing; see LibraryOf
)

// Name returns the check and the fault.
func (m *Mutant) Name() string { return m.Check + ": " + m.Fault }

// Find returns the mutant with a name, or nil.
func Find(mutants []Mutant, name string) *Mutant {
	for i := range mutants {
		if mutants[i].Name() == name {
			return &mutants[i]
		}
	}
	return nil
}

// Table puts the fault in front of a plugin.
func (m *Mutant) Table(base *capi.Table) (*serve.Table, error) {
	switch {
	case m.Base == Library:
		return nil, fmt.Errorf("mutant %s is a library", m.Name())
	case m.Wrap != nil && m.Hooks == nil:
		return m.Wrap(base)
	case m.Hooks != nil && m.Wrap == nil && m.Sound != nil:
		return m.Sound(base, m.Hooks()...)
	case m.Hooks != nil && m.Wrap == nil:
		return serve.Wrap(base, m.Hooks()...)
	}
	return nil, fmt.Errorf("mutant %s: exactly one of Hooks and Wrap must be set", m.Name())
}

// Waiting returns the mutant as one that is found by waiting.
func (m Mutant) Waiting() Mutant {
	m.Waits = true
	return m
}

// InMemory returns the mutant as one in front of the in-memory plugin, for faults of what the
// CPU plugin is too old for or cannot do.
func (m Mutant) InMemory() Mutant {
	m.Base = Memory
	return m
}

// InMemory returns the mutants as ones in front of the in-memory plugin.
func InMemory(list ...Mutant) []Mutant {
	for i := range list {
		list[i].Base = Memory
	}
	return list
}

// On returns the mutants as ones in front of what sound makes.
func On(sound Plugin, list ...Mutant) []Mutant {
	for i := range list {
		list[i].Sound = sound
	}
	return list
}

// On returns the mutant as one in front of a plugin that is made from the base, for faults of
// what the base does not do.
func (m Mutant) On(sound Plugin) Mutant {
	m.Sound = sound
	return m
}

// ForTopology returns the mutant as one for checks that make the topology with a name.
func (m Mutant) ForTopology(name string) Mutant {
	m.Topology = name
	return m
}

// And returns the mutant with the hooks of others.
func (m Mutant) And(others ...Mutant) Mutant {
	hooks := m.Hooks
	m.Hooks = func() []serve.Hook {
		all := hooks()
		for _, o := range others {
			all = append(all, o.Hooks()...)
		}
		return all
	}
	return m
}

// ReportedAs returns the mutant as a fault that users met and reported there.
func (m Mutant) ReportedAs(where string) Mutant {
	m.Reported = where
	return m
}

// Hooked makes a mutant whose fault is several hooks, or has a state. The hooks share what the
// function declares, and each run begins with new ones.
func Hooked(check, fault string, hooks func() []serve.Hook) Mutant {
	return Mutant{Check: check, Fault: fault, Hooks: hooks}
}

// Of makes a mutant whose fault is one hook of the function that takes A.
func Of[A any](check, fault string, f func(c *serve.Invocation, args *A)) Mutant {
	return Hooked(check, fault, func() []serve.Hook { return []serve.Hook{serve.Around(f)} })
}
