// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// entry is a check of programs that consist only of their inputs and results.
type entry struct {
	rule    string
	variant string
	profile check.Profile
	timeout time.Duration
	hostile bool
	forms   []form // nil: parameters and constants
	// programs makes the programs. Anything that takes long is left to their fill.
	programs func() []program
}

// bothWays returns the forms of a check of many programs: constants as well as parameters
// for the types that every plugin has, only parameters for others.
func bothWays(t dtype.Type) []form {
	if mustCompile(t) {
		return nil
	}
	return []form{parameters}
}

// one makes an entry from one finished program.
func one(rule, variant string, profile check.Profile, p program) entry {
	return entry{rule: rule, variant: variant, profile: profile, programs: func() []program { return []program{p} }}
}

// formsOf returns the check of the forms of an operation on a type, which take long to compile.
func formsOf(operation string, t dtype.Type, programs func() []program) entry {
	return entry{
		rule: "RUN-02", variant: operation + "/forms/" + t.String(), profile: max(profileOf(t), check.Core),
		timeout: 8 * check.DefaultTimeout, forms: bothWays(t), programs: programs,
	}
}

func (e *entry) check() check.Check {
	limit := e.timeout
	if limit == 0 && e.profile >= check.Core {
		limit = 4 * check.DefaultTimeout // many programs, each of which has to compile
	}
	return check.Check{
		Rule: e.rule, Variant: e.variant, Profile: e.profile, Timeout: limit, Hostile: e.hostile,
		Run: e.run,
	}
}

// run runs the programs. It skips the check when the plugin refuses all of them, and notes
// when it refuses some.
func (e *entry) run(t *check.T) {
	ps := e.programs()
	var refused []string
	for _, p := range ps {
		p.needs(t)
		if why := p.try(t, e.forms...); why != "" {
			refused = append(refused, why)
		}
	}
	if len(refused) > 0 && len(refused) == len(ps) && !t.Failed() {
		t.SkipUnimplf("%s", refused[0])
	}
	for _, why := range refused {
		t.Notef("%s", why)
	}
}

// name returns the name of the check.
func (e *entry) name() string { return e.rule + "/" + e.variant }
