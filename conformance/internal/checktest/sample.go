// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package checktest

import (
	"slices"
	"testing"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Sample chooses what a test of many checks runs. In a full run (make test-all) that is
// everything. In a short one (make test, go test -short) it is two checks of each group of
// rules, such as EVT: the first quick ones that run in the test's own process, or the first
// quick ones if each needs its own process. A Sample is for one goroutine.
type Sample struct {
	full   bool
	taken  map[string]int // by group
	byName map[string]*check.Check
	alone  map[string]bool // groups in which every quick check needs a process of its own
}

// perGroup is how many checks of a group a short run has.
const perGroup = 2

// NewSample returns a sample of checks, none of which is taken yet.
func NewSample(checks []check.Check) *Sample {
	s := &Sample{
		full: !testing.Short(), taken: make(map[string]int),
		byName: make(map[string]*check.Check), alone: make(map[string]bool),
	}
	for i := range checks {
		c := &checks[i]
		s.byName[c.Name()] = c
		if c.Profile > check.Quick {
			continue
		}
		g := group(c)
		if alone, seen := s.alone[g]; !seen || alone {
			s.alone[g] = c.Hostile
		}
	}
	return s
}

// Takes reports whether the check is in the sample. It must be called once for each check.
func (s *Sample) Takes(c *check.Check) bool {
	if s.full {
		return true
	}
	g := group(c)
	if c.Profile > check.Quick || s.taken[g] == perGroup || c.Hostile && !s.alone[g] {
		return false
	}
	s.taken[g]++
	return true
}

// TakesMutant does the same for a mutant and its check. Mutants that are
// compiled from C, and those that are found by waiting, are left to full runs.
func (s *Sample) TakesMutant(m *mutant.Mutant) bool {
	if s.full {
		return true
	}
	c := s.byName[m.Check]
	return c != nil && !m.Waits && m.Base != mutant.Library && s.Takes(c)
}

func group(c *check.Check) string { return rules.ByID(c.Rule).Group() }

// UpTo returns the checks of a profile and of smaller ones. Checks of larger profiles do the
// same for longer, or with more values.
func UpTo(p check.Profile, checks []check.Check) []check.Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c check.Check) bool { return c.Profile > p })
}

// TakesPlugin reports whether tests run on the plugin with a name. A short run uses only the
// CPU plugin and the in-memory one, so that it downloads little.
func TakesPlugin(name string) bool {
	return !testing.Short() || name == trial.CPU || name == Memory
}
