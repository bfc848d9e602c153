// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"fmt"
	"sync"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/corpus"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
)

// suites are the lists of checks that a worker can be asked for. The contract's
// has no name.
var suites = map[string]func() []check.Check{"": suite.Checks}

// checksOf returns the checks of a suite. One that is wrong as data is an error
// of the suite.
func checksOf(name string) ([]check.Check, error) {
	var checks []check.Check
	if list, ok := suites[name]; ok {
		checks = list()
	} else if spec, ok, err := corpus.Parse(name); err != nil {
		return nil, err
	} else if !ok {
		return nil, fmt.Errorf("there is no suite %q", name)
	} else if checks, err = spec.Checks(); err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(checks))
	for i := range checks {
		c := &checks[i]
		if err := c.Validate(); err != nil {
			return nil, err
		}
		if seen[c.Name()] {
			return nil, fmt.Errorf("there are two checks %s", c.Name())
		}
		seen[c.Name()] = true
	}
	return checks, nil
}

// known are the checks of suites other than the contract's by name, by suite.
var known sync.Map

// checkOf returns a check of a suite. One of the contract is found without making
// all of them, which takes longer than most run.
func checkOf(of, name string) (*check.Check, error) {
	if of == "" {
		return suite.Check(name)
	}
	list, ok := known.Load(of)
	if !ok {
		checks, err := checksOf(of)
		if err != nil {
			return nil, err
		}
		byName := make(map[string]*check.Check, len(checks))
		for i := range checks {
			byName[checks[i].Name()] = &checks[i]
		}
		list, _ = known.LoadOrStore(of, byName)
	}
	if c := list.(map[string]*check.Check)[name]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("there is no check %q", name)
}

// Covered returns how many checks there are of each rule that has one, by the
// rule's id. That two plugins agree, DIFF-01, is checked on as many programs when
// there is a second one: see Options.Against.
func Covered() map[string]int {
	covered := map[string]int{"DIFF-01": len(corpus.OwnCases())}
	for _, c := range suite.Checks() {
		covered[c.Rule]++
	}
	return covered
}

// Unobservable returns the rules that no client can see broken, by id, and why:
// there is no check of them for that reason.
func Unobservable() map[string]string { return suite.Unobservable() }
