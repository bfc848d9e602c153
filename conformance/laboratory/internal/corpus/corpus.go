// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package corpus makes checks from programs that come from elsewhere: a folder of programs
// with NumPy files of their arguments and results, and the test data of a StableHLO
// checkout. It also compares two plugins on such programs, and on the suite's own, with
// random inputs.
//
// The name of a check says where its program comes from. Programs are read by the processes
// that run them; a list of checks needs only their names.
package corpus

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/pjrt/array"
)

// Spec says which programs to run and what to compare their results with. The workers get
// its text, and make the same checks from it.
type Spec struct {
	// Programs is a folder of programs.
	Programs string `json:"programs,omitempty"`
	// StableHLO is a checkout of StableHLO.
	StableHLO string `json:"stablehlo,omitempty"`
	// Against, if not nil, is the plugin whose results are compared with those of the
	// checked one. The suite's own numeric programs are run as well.
	Against *Peer `json:"against,omitempty"`
}

// Peer is the second plugin of a comparison and how its process is started.
type Peer struct {
	Plugin  string           `json:"plugin"`
	Options []session.Option `json:"options,omitempty"`
	// Rounds is how many times a program runs with random inputs, which are drawn from
	// Seed.
	Rounds int    `json:"rounds,omitempty"`
	Seed   uint64 `json:"seed,omitempty"`
	// Reproducers is the folder for the smallest programs with different results. If it is
	// empty, none are written.
	Reproducers string `json:"reproducers,omitempty"`
	// Args and Token turn this program into the process of that plugin.
	Args  []string `json:"args,omitempty"`
	Token string   `json:"token,omitempty"`
	// Factor multiplies time limits; 0 means 1.
	Factor float64 `json:"factor,omitempty"`
}

// Case is a program that has not been read yet.
type Case struct {
	Name    string
	Set     string // the set that it belongs to, for people
	Profile check.Profile
	// Load reads the program. A *Unusable error says that it cannot become a check of this
	// kind.
	Load func() (*Program, error)
}

// Program is a program that can be run.
type Program struct {
	Code    []byte // StableHLO as text or bytecode
	Args    []*array.Array
	Results []Result
	// Replicas and Partitions, when not zero, say how many devices run the program. Args
	// and Results are then those of all devices, starting with replica 0 and partition 0,
	// then partition 1 and so on. With several partitions, the arrays in the code have a
	// first dimension whose elements are the partitions.
	Replicas, Partitions int
	// Doubt says, when not empty, why a difference proves nothing.
	Doubt string
	// Optional says that a plugin may not know what the program asks for, and may refuse to
	// compile it.
	Optional bool
	// Fuzz reports whether an argument can be replaced by another one of its type.
	Fuzz func(argument int) bool
}

// Result is what one result of a program must be.
type Result struct {
	Want *array.Array // nil: result number As
	As   int
	Free bool // any value will do
	Policy
}

// Unusable is the error of a program that cannot be run by this suite.
type Unusable struct{ Reason string }

// Error returns the reason.
func (u *Unusable) Error() string { return u.Reason }

// Cases returns the programs of the folders of s. It returns an error if a folder itself is
// wrong, so that nothing could be said about a plugin.
func (s Spec) Cases() ([]Case, error) {
	var all []Case
	if s.Programs != "" {
		cases, err := Folder(s.Programs)
		if err != nil {
			return nil, fmt.Errorf("programs: %w", err)
		}
		all = append(all, cases...)
	}
	if s.StableHLO != "" {
		cases, err := StableHLO(s.StableHLO)
		if err != nil {
			return nil, fmt.Errorf("StableHLO: %w", err)
		}
		all = append(all, cases...)
	}
	return all, nil
}

// caseLimit is how long one program may take to compile and run.
const caseLimit = time.Minute

// Checks returns a check for each program of s.
func (s Spec) Checks() ([]check.Check, error) {
	cases, err := s.Cases()
	if err != nil {
		return nil, err
	}
	if s.Against != nil {
		return s.Against.checks(append(cases, OwnCases()...)), nil
	}
	var list []check.Check
	for _, c := range cases {
		list = append(list, check.Check{
			Rule: "RUN-02", Variant: c.Name, Profile: c.Profile, Timeout: caseLimit,
			Run: func(t *check.T) { c.run(t) },
		})
	}
	return list, nil
}

// open reads the program, or ends the check.
func (c *Case) open(t *check.T) *Program {
	p, err := c.Load()
	var u *Unusable
	switch {
	case errors.As(err, &u):
		t.SkipEnvf("%s", u.Reason)
	case err != nil:
		t.Fatalf("the program could not be read: %v", err)
	}
	return p
}

// run runs the program and compares its results.
func (c *Case) run(t *check.T) {
	p := c.open(t)
	var got []*array.Array
	if err := execute(t, p.unit(), [][]*array.Array{p.Args}, func(results []*array.Array) { got = results }); err != nil {
		p.refused(t, err)
		return
	}
	if len(got) != len(p.Results) {
		t.Fatalf("expected %d results, got %d", len(p.Results), len(got))
	}
	var wrong []error
	for i, r := range p.Results {
		if r.Free {
			continue
		}
		want := r.Want
		if want == nil {
			want = got[r.As]
		}
		if err := r.Compare(want, got[i]); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", p.place(i), err))
		}
	}
	if len(wrong) > 0 && p.Doubt != "" {
		t.SkipEnvf("%s; the results of this plugin differ: %s", p.Doubt, joined(wrong))
	}
	for _, w := range wrong {
		t.Errorf("%v", w)
	}
}

// joined returns errors in one line.
func joined(list []error) string {
	var all []string
	for _, err := range list {
		all = append(all, err.Error())
	}
	return strings.Join(all, "; ")
}

// place names a result and the device that it belongs to.
func (p *Program) place(i int) string {
	u := p.unit()
	if u.devices() == 1 {
		return fmt.Sprintf("result %d", i)
	}
	each := len(p.Results) / u.devices()
	at := i / each
	return fmt.Sprintf("result %d of replica %d, partition %d", i%each, at/u.Partitions, at%u.Partitions)
}

// refused judges the error of a program that could not be run.
func (p *Program) refused(t *check.T, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		t.Fatalf("%v", err)
	}
	switch {
	case r.unimplemented() || p.Optional && r.lacking():
		t.SkipUnimplf("the plugin does not compile it: %v", r.err)
	case p.Doubt != "":
		t.SkipEnvf("%s; this plugin does not compile it: %v", p.Doubt, r.err)
	}
	t.Fatalf("expected the program to compile, got %v", r.err)
}
