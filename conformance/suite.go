// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"fmt"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// Suite is a set of checks that replaces those of the contract. Package laboratory makes suites;
// its methods are for this package.
type Suite interface {
	// Token identifies the workers that Run starts for the suite.
	Token() string
	// Prepare returns the name by which workers know the suite, and its checks. self starts this
	// program as a worker; factor multiplies time limits, and 0 means 1.
	Prepare(self worker.Command, factor float64) (name string, checks []check.Check, err error)
	// Find returns a check of the suite called name. A worker calls it, without Prepare.
	Find(name, check string) (*check.Check, error)
	// ServePeer makes this process another one that the checks start, if it was asked with a token
	// that the suite made from that of the workers. It then does not return.
	ServePeer(asked, token string)
	// Tally sums up what was found.
	Tally([]report.Result) *report.Programs
	// CommandLine returns the words of a command line that say what to run on which plugin. text
	// returns the word for an option.
	CommandLine(plugin string, text func(session.Option) string) []string
}

// testSuites are sets of checks that tests of this package run in place of the contract's, by name.
var testSuites = make(map[string]func() []check.Check)

// checks returns the checks of a run, and the name by which workers know them. A malformed check is
// an error.
func (o *Options) checks() (name string, checks []check.Check, err error) {
	switch {
	case o.Suite != nil && o.suite != "":
		return "", nil, fmt.Errorf("the suite %q for tests replaces the contract's checks already", o.suite)
	case o.Suite != nil:
		name, checks, err = o.Suite.Prepare(worker.Command{Args: o.WorkerArgs, Token: o.token}, o.TimeoutFactor)
	case o.suite == "":
		checks = suite.Checks()
	case testSuites[o.suite] == nil:
		err = fmt.Errorf("there is no suite %q", o.suite)
	default:
		name, checks = o.suite, testSuites[o.suite]()
	}
	if err != nil {
		return "", nil, err
	}
	seen := make(map[string]bool, len(checks))
	for i := range checks {
		c := &checks[i]
		if err := c.Validate(); err != nil {
			return "", nil, err
		}
		if seen[c.Name()] {
			return "", nil, fmt.Errorf("there are two checks %s", c.Name())
		}
		seen[c.Name()] = true
	}
	return name, checks, nil
}

// find returns a check by its name, in a worker. It finds a check of the contract without making
// all of them, which takes longer than most checks run.
func (o *Options) find(of, name string) (*check.Check, error) {
	switch {
	case o.Suite != nil:
		return o.Suite.Find(of, name)
	case of == "":
		return suite.Check(name)
	case testSuites[of] == nil:
		return nil, fmt.Errorf("there is no suite %q", of)
	}
	return check.Find(testSuites[of](), name)
}

// Covered returns the number of checks of each rule that has any, by the rule's id.
func Covered() map[string]int {
	covered := make(map[string]int)
	for _, c := range suite.Checks() {
		covered[c.Rule]++
	}
	return covered
}

// Unobservable returns the rules that have no check because no client can see them
// broken: the reasons, by id.
func Unobservable() map[string]string { return suite.Unobservable() }
