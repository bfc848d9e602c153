// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package rules

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// Case is one of upstream's own tests of a plugin's behaviour, with the rules that state
// the same.
type Case struct {
	ID      string   `json:"id"`      // permanent, such as U-0012
	Tier    string   `json:"tier"`    // A and A2: C level, B and C: C++ client, D: one backend
	File    string   `json:"file"`    // in upstream's tree
	Test    string   `json:"test"`    // its name there
	Asserts string   `json:"asserts"` // what it asserts
	Rules   []string `json:"rules"`   // ids; a bare group where no single rule fits
	ABI     string   `json:"abi"`     // Y: any plugin can show it; P: some platforms can; N: needs C++ internals
}

//go:embed upstream.json
var upstreamText []byte

var upstream = sync.OnceValue(func() []Case {
	var all []Case
	if err := json.Unmarshal(upstreamText, &all); err != nil {
		panic(fmt.Sprintf("rules: the embedded list of upstream's tests does not parse: %v", err))
	}
	return all
})

// Upstream returns the cases of upstream's tests, in order of their ids. The caller must
// not change the slice.
func Upstream() []Case { return upstream() }

// Covered reports whether every rule that the case names has a check; checked says whether
// a rule id has one. A case that names only groups, or nothing, is not covered.
func (c *Case) Covered(checked func(id string) bool) bool {
	single := false
	for _, r := range c.Rules {
		if !strings.Contains(r, "-") {
			continue
		}
		single = true
		if !checked(r) {
			return false
		}
	}
	return single
}
