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

// suites are the lists of checks that a worker can be asked for. The contract's suite is
// named "".
var suites = map[string]func() []check.Check{"": suite.Checks}

// checksOf returns the checks of a suite. A malformed check is an error.
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

// known caches the checks of suites other than the contract's, by suite and then by name.
var known sync.Map

// checkOf returns a check of a suite. It finds a check of the contract without making
// all of them, which takes longer than most checks run.
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

// Covered returns the number of checks of each rule that has any, by the rule's id. For
// DIFF-01, which says that two plugins agree, it is the number of the suite's programs on
// which they are compared; see Options.Against.
func Covered() map[string]int {
	covered := map[string]int{"DIFF-01": len(corpus.OwnCases())}
	for _, c := range suite.Checks() {
		covered[c.Rule]++
	}
	return covered
}

// Unobservable returns the rules that have no check because no client can see them
// broken: the reasons, by id.
func Unobservable() map[string]string { return suite.Unobservable() }
