// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Plan is what a run is going to do.
type Plan struct {
	Checks   int
	Compiles int           // about how many programs there are to compile
	First    time.Duration // how long the first program took; 0: the plugin compiles none for a device
	Compile  time.Duration // how long all take if each takes as long as the first
	Bound    time.Duration // after what time the run ends, whatever the plugin does
}

// compilesText says for each rule how many programs its checks compile on the CPU plugin, in
// the profile quick: rule, programs, checks. Command author compiles writes it, and make
// conformance compares it with what was compiled.
//
//go:embed compiles.tsv
var compilesText string

// compiles returns how many programs a check of a rule compiles on average.
var compiles = sync.OnceValue(func() map[string]float64 {
	all := make(map[string]float64)
	for line := range strings.Lines(compilesText) {
		var rule string
		var programs, checks float64
		if _, err := fmt.Sscanf(line, "%s %g %g", &rule, &programs, &checks); err != nil {
			panic(err) // a test reads it
		}
		all[rule] = programs / checks
	}
	return all
})

// Compiles reports whether the checks of a rule compile programs in the profile quick.
func Compiles(rule string) bool { return compiles()[rule] > 0 }

// plan estimates the work of the checks.
func (d *driver) plan(list []*check.Check) *Plan {
	p := &Plan{Checks: len(list), First: d.firstCompile}
	programs := 0.0
	for _, c := range list {
		programs += compiles()[c.Rule]
	}
	if d.Setup.Suite == "" {
		p.Compiles = int(programs + 0.5)
	}
	p.Compile = time.Duration(p.Compiles) * p.First / time.Duration(max(1, d.jobs()))
	return p
}

// slowCompile is how long a small program takes a compiler for which the limits of checks, which
// leave room for faster ones, are too short.
const slowCompile = 200 * time.Millisecond

// compiling returns how much longer than its limit a check may run because the compiler is slow:
// three times what its programs take if each takes as long as the first.
func (d *driver) compiling(c *check.Check) time.Duration {
	if d.firstCompile < slowCompile {
		return 0
	}
	return time.Duration(3 * max(1, compiles()[c.Rule]) * float64(d.firstCompile))
}
