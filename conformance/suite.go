// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"fmt"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/buffers"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/numeric"
)

// parts are the packages that hold the checks.
var parts = []func() []check.Check{
	func() []check.Check { return buffers.Checks },
	numeric.Checks,
}

// suites are the lists of checks that a worker can be asked for. The contract's
// has no name.
var suites = map[string]func() []check.Check{"": contract}

// contract returns every check of the contract.
func contract() []check.Check {
	var all []check.Check
	for _, part := range parts {
		all = append(all, part()...)
	}
	return all
}

// checksOf returns the checks of a suite. One that is wrong as data is an error
// of the suite.
func checksOf(suite string) ([]check.Check, error) {
	list, ok := suites[suite]
	if !ok {
		return nil, fmt.Errorf("there is no suite %q", suite)
	}
	checks := list()
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

// Covered returns how many checks there are of each rule that has one, by the
// rule's id.
func Covered() map[string]int {
	covered := make(map[string]int)
	for _, c := range contract() {
		covered[c.Rule]++
	}
	return covered
}
