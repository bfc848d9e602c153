// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// usualBounds are how long the checks of a profile may take at most on a plugin that compiles and
// answers at once. On a small machine, checks that do not hang take a fifth of that.
var usualBounds = map[check.Profile]time.Duration{
	check.Smoke: 3 * time.Minute, check.Quick: 15 * time.Minute, check.Core: 90 * time.Minute, check.Full: 6 * time.Hour,
}

// slowest is how much longer than planned compilers and clients may take.
const slowest = 5

// bound returns after what time the checks end, whatever the plugin does.
func (d *driver) bound(p *Plan, list []*check.Check) time.Duration {
	if d.Bound > 0 {
		return d.Bound
	}
	bound := d.scale(usualBounds[d.Profile])
	if d.Setup.Pace > 0 {
		bound *= 2 // calls make the limits of checks longer, too
	}
	clients := 2 * d.report.Run.Jobs
	for _, c := range list {
		if d.lone(c) && !c.Library {
			clients++
		}
	}
	compiling := p.Compile
	if d.Setup.Suite != "" { // nothing is known about users' programs
		compiling = time.Duration(len(list)) * (2*d.firstCompile + time.Second) / time.Duration(max(1, d.report.Run.Jobs))
	}
	slow := compiling + time.Duration(clients)*d.report.Capabilities.ClientTime/time.Duration(max(1, d.report.Run.Jobs))
	return (bound + slowest*slow).Round(time.Second)
}

// errBound is the cause for which the context of the checks ends when their time is up.
var errBound = errors.New("the time for the checks is up")

// overdue says that the time for the checks was up, if that is why they ended.
func (d *driver) overdue(ctx context.Context) {
	if !errors.Is(context.Cause(ctx), errBound) {
		return
	}
	left := 0
	for _, r := range d.results {
		if r == nil {
			left++
		}
	}
	what := fmt.Sprintf("%d checks did not run", left)
	if left == 0 {
		what = "some failed checks were not run again"
	}
	d.problem(fmt.Sprintf("the run ended after its bound of %v, so %s", d.report.Run.Bound, what))
}
