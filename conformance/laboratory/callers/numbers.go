// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// wrongElement matches what checks find if a number is not what it should be.
var wrongElement = regexp.MustCompile(`\belement \d+ of \d+: expected |\b\d+ of \d+ elements differ\b`)

// Add adds what the suite found with a plugin: the functions whose checks of numbers failed. They
// make wrong numbers, unless something worse is known of them.
func (p *Plugin) Add(r *report.Report) {
	if p.Wrong == nil {
		p.Wrong = make(map[string]Mode)
	}
	if p.Details == nil {
		p.Details = make(map[string]string)
	}
	core := capi.Functions(capi.SectionCore)
	for i := range r.Results {
		x := &r.Results[i]
		if !x.Broken() {
			continue
		}
		at := slices.IndexFunc(x.Failures, wrongElement.MatchString)
		if at < 0 {
			continue
		}
		for _, word := range strings.FieldsFunc(x.Subject, func(c rune) bool { return c == ',' || c == '/' || c == ' ' || c == '+' }) {
			name := "PJRT_" + word
			_, known := p.Wrong[name]
			if known || !slices.ContainsFunc(core, func(f *capi.Function) bool { return f.Name == name }) {
				continue
			}
			first, _, _ := strings.Cut(x.Failures[at], "\n")
			p.Wrong[name], p.Details[name] = Miscomputes, x.Check+": "+first
		}
	}
}
