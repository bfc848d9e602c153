// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package rules lists what a PJRT plugin must, should and may do: the contract that the
// conformance suite checks. The ids are permanent; no id is ever reused for another rule.
package rules

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/purepjrt/purepjrt/capi"
)

// Severity says what it means if a plugin breaks a rule.
type Severity string

// The severities.
const (
	Must   Severity = "MUST"   // a failure makes the plugin non-conformant at the rule's level
	Should Severity = "SHOULD" // a failure is a warning
	Opt    Severity = "OPT"    // skipped when the plugin does not offer the feature, else as strict as Must
	Robust Severity = "ROBUST" // about calls that no known client makes: a failure is a warning
)

// Severities returns every severity, the strictest first.
func Severities() []Severity { return []Severity{Must, Opt, Should, Robust} }

// Binding reports whether a plugin that breaks a rule of the severity is not conformant.
func (s Severity) Binding() bool { return s == Must || s == Opt }

// Basis says where a rule comes from.
type Basis string

// The bases.
const (
	Header    Basis = "H" // text or struct comment of the C header
	Extension Basis = "E" // header of an extension
	XLA       Basis = "X" // fixed only by what XLA's own plugins do
	Caller    Basis = "V" // a known caller, such as JAX, depends on it
	Inferred  Basis = "I" // robustness that is written nowhere
)

// String describes the basis in words.
func (b Basis) String() string {
	switch b {
	case Header:
		return "header"
	case Extension:
		return "extension header"
	case XLA:
		return "behaviour of XLA's plugins"
	case Caller:
		return "a known caller depends on it"
	case Inferred:
		return "inferred"
	}
	return string(b)
}

// About reports whether the rule names a function of the API, by its C name.
func (r *Rule) About(function string) bool {
	words := strings.FieldsFunc(r.Subject, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return slices.Contains(words, strings.TrimPrefix(function, "PJRT_"))
}

// Group is a set of rules about one subject.
type Group struct {
	Name  string `json:"name"`  // such as H2D
	Level string `json:"level"` // L0 to L4, X, Q, self; or a range such as L0-L3
	Title string `json:"title"`
}

// Rule is one rule of the contract.
type Rule struct {
	ID       string   `json:"id"`       // permanent, such as H2D-04
	Text     string   `json:"rule"`     // the rule in words
	Subject  string   `json:"subject"`  // functions without PJRT_, or what it is about
	Since    string   `json:"since"`    // base, a version such as 0.84, or ext
	Severity Severity `json:"severity"` //
	Basis    Basis    `json:"basis"`
	How      string   `json:"how"`      // how it is checked
	Upstream string   `json:"upstream"` // what upstream tests of it: C, W (wrapper), B (one backend), no
	Fault    string   `json:"fault"`    // the wrong behaviour that a check of it catches
}

// Group returns the name of the rule's group.
func (r *Rule) Group() string {
	g, _, _ := strings.Cut(r.ID, "-")
	return g
}

// Minor returns the API minor of the newest function or field that the rule needs. It
// returns 0 if every supported plugin has them, or if an extension decides.
func (r *Rule) Minor() int {
	_, minor, ok := strings.Cut(r.Since, ".")
	n, err := strconv.Atoi(minor)
	if !ok || err != nil {
		return 0
	}
	return n
}

//go:embed rules.json
var text []byte

type document struct {
	Groups []Group `json:"groups"`
	Rules  []Rule  `json:"rules"`
}

type table struct {
	document
	byID   map[string]*Rule
	groups map[string]*Group
}

var load = sync.OnceValue(func() *table {
	var t table
	if err := json.Unmarshal(text, &t.document); err != nil {
		panic(fmt.Sprintf("rules: the embedded list does not parse: %v", err))
	}
	t.byID = make(map[string]*Rule, len(t.Rules))
	for i := range t.Rules {
		t.byID[t.Rules[i].ID] = &t.Rules[i]
	}
	t.groups = make(map[string]*Group, len(t.Groups))
	for i := range t.Groups {
		t.groups[t.Groups[i].Name] = &t.Groups[i]
	}
	return &t
})

// All returns every rule in the order of the contract. The caller owns the slice, but must
// not change the rules.
func All() []*Rule {
	t := load()
	all := make([]*Rule, len(t.Rules))
	for i := range t.Rules {
		all[i] = &t.Rules[i]
	}
	return all
}

// Groups returns every group in the order of the contract.
func Groups() []*Group {
	t := load()
	all := make([]*Group, len(t.Groups))
	for i := range t.Groups {
		all[i] = &t.Groups[i]
	}
	return all
}

// ByID returns the rule with the id, or nil if there is none.
func ByID(id string) *Rule { return load().byID[id] }

// GroupByName returns the group with the name, or nil if there is none.
func GroupByName(name string) *Group { return load().groups[name] }

// Newest is the newest API minor that the list covers.
const Newest = capi.APIMinor
