// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package suite collects the checks of the contract. To add a package of checks, add a line to
// groups, and one for its mutants to those of the command mutants, which has them apart so that
// only it links them.
//
// A package of checks joins its lists in Checks and Mutants, in doc.go, beside Unobservable. A
// list of checks that is written out is a variable, since it costs a process next to nothing
// when it starts; one that is computed is a function, and so is every list of mutants.
package suite

import (
	"maps"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/buffers"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/client"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/extension"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/library"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/numeric"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/programs"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/quality"
)

// group is a package of checks, which are made once.
type group struct {
	checks       func() []check.Check
	unobservable map[string]string
}

// newGroup puts the simplest checks of a package into the profile smoke.
func newGroup(checks func() []check.Check, unobservable map[string]string) group {
	return group{sync.OnceValue(func() []check.Check {
		all := checks()
		for i := range all {
			if c := &all[i]; c.Profile == check.Quick && !c.Hostile && smoke[c.Rule] {
				c.Profile = check.Smoke
			}
		}
		return all
	}), unobservable}
}

// The groups. The numeric checks come last, since they take the longest to make.
var groups = []group{
	newGroup(library.Checks, library.Unobservable),
	newGroup(client.Checks, client.Unobservable),
	newGroup(buffers.Checks, buffers.Unobservable),
	newGroup(programs.Checks, programs.Unobservable),
	newGroup(extension.Checks, extension.Unobservable),
	newGroup(quality.Checks, quality.Unobservable),
	newGroup(numeric.Checks, numeric.Unobservable),
}

// Checks returns every check of the contract.
func Checks() []check.Check {
	var all []check.Check
	for _, g := range groups {
		all = append(all, g.checks()...)
	}
	return all
}

// Check returns the check with a name. It makes the checks of only as many groups as it
// must.
func Check(name string) (c *check.Check, err error) {
	for _, g := range groups {
		if c, err = check.Find(g.checks(), name); err == nil {
			return c, nil
		}
	}
	return nil, err
}

// smoke are the rules whose quick checks the profile smoke runs, except those that need a
// process of their own: what the simplest program with one result uses.
var smoke = set(`
	LOAD-01 LOAD-02 LOAD-04 LOAD-05 LOAD-06 LOAD-08
	ERR-01 ERR-02 ERR-03 ERR-05 ERR-06 ERR-07
	ATTR-01 ATTR-05 ATTR-06 ATTR-07 ATTR-08 ATTR-12 ATTR-13
	XCH-01 XCH-02 XCH-03
	CLI-01 CLI-11 CLI-14 CLI-16 CLI-18 CLI-19 CLI-20 CLI-21 CLI-22 CLI-23
	DDESC-01 DDESC-02 DDESC-03 DDESC-04 DDESC-05 DDESC-06 DDESC-08
	DEV-01 DEV-02 DEV-03 DEV-04 DEV-05
	MEM-01 MEM-02 MEM-03 MEM-05 MEM-06 MEM-07 MEM-08
	EVT-01 EVT-02 EVT-03 EVT-06 EVT-07 EVT-10 EVT-11 EVT-12 EVT-13
	H2D-01 H2D-02 H2D-03 H2D-04 H2D-08 H2D-17
	BUF-01 BUF-02 BUF-09 BUF-10 BUF-11 BUF-13 BUF-14 BUF-15 BUF-19 BUF-25
	D2H-01 D2H-03 D2H-04 D2H-05 COPY-01
	CMP-01 CMP-05 CMP-07 CMP-12
	EXE-01 EXE-03 EXE-04 EXE-07 EXE-11
	LEX-01 LEX-08
	RUN-01 RUN-03 RUN-05 RUN-06 RUN-09 RUN-20 RUN-26`)

func set(ids string) map[string]bool {
	m := make(map[string]bool)
	for _, id := range strings.Fields(ids) {
		m[id] = true
	}
	return m
}

// Unobservable returns the rules that no client can see broken, by id, and why.
func Unobservable() map[string]string {
	all := make(map[string]string)
	for _, g := range groups {
		maps.Copy(all, g.unobservable)
	}
	return all
}
