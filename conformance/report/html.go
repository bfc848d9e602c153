// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/outside"
)

var (
	//go:embed head.html
	headText string
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
)

// kind is a class of results by which the page's filters select.
type kind struct {
	Class, Name string
	Count       int
	On          bool // shown when the page opens
}

// kindOf returns the class of a result.
func kindOf(x Result) string {
	var c Counts
	c.Add(&x)
	switch {
	case c.Pass > 0:
		return "pass"
	case c.Warn > 0:
		return "warn"
	case c.Waived > 0:
		return "waived"
	case c.Blocked > 0:
		return "blocked"
	case c.Skipped > 0:
		return "skip"
	}
	return "fail"
}

// outcomeKind returns the class of a run's outcome.
func outcomeKind(o Outcome) string {
	switch o {
	case Conformant:
		return "pass"
	case WithWaivers:
		return "waived"
	case NotConformant:
		return "fail"
	}
	return "skip"
}

// stateKind returns the class of a level's state.
func stateKind(s LevelState) string {
	switch s {
	case Reached:
		return "pass"
	case ReachedWaived:
		return "waived"
	case InPart:
		return "warn"
	case NotReached:
		return "fail"
	}
	return "skip"
}

// kinds returns the filters. Results that went well are hidden at first, unless all did.
func kinds(r *Report) []kind {
	c := r.Summary.Checks
	clean := c.Fail == 0 && c.Warn == 0
	return []kind{
		{"fail", "Failed", c.Fail, true}, {"warn", "Warned", c.Warn, true}, {"waived", "Waived", c.Waived, clean},
		{"blocked", "Blocked", c.Blocked, false}, {"skip", "Skipped", c.Skipped, clean}, {"pass", "Passed", c.Pass, clean},
	}
}

// worstFirst returns the results in the order of the filters, those of one filter in the order of
// the contract.
func worstFirst(r *Report) []*Result {
	var list []*Result
	for _, k := range kinds(r) {
		for i := range r.Results {
			if kindOf(r.Results[i]) == k.Class {
				list = append(list, &r.Results[i])
			}
		}
	}
	return list
}

// newPage makes a page that begins with what all pages have.
func newPage(text string, functions template.FuncMap) *template.Template {
	head := template.New("page").Funcs(template.FuncMap{
		"outcome": outcomeKind,
		"state":   stateKind,
		"style":   func() template.CSS { return template.CSS(pageStyle) },
	})
	return template.Must(template.Must(head.Funcs(functions).Parse(headText)).Parse(text))
}

var page = newPage(pageText, template.FuncMap{
	"table": func(title string, list []ProgramCount) any {
		return struct {
			Title string
			List  []ProgramCount
		}{title, list}
	},
	"kind":     kindOf,
	"kinds":    kinds,
	"cause":    causeOf,
	"waivedBy": func(r *Report) string { return r.waivedBy() },
	"call":     func(l Lead) string { return strings.Join(l.brief(), "\n") },
	"short":    func(title string) string { return strings.TrimSuffix(strings.Fields(title)[0], ":") },
	"command":  func(r *Report, l Lead) string { return r.command(&l) },
	"what":     func(l Lead) string { return l.what() },
	"frees":    func(r *Report, l Lead) string { return r.frees(&l) },
	"findings": func(x Result) []string { return x.findings() },
	"ordered":  worstFirst,
	"unlisted": func() string { return unlisted },
	"why":      func(x Result) string { return x.why() },
	"unjudged": func(r *Report) string { return r.unjudged() },
	"whyBlock": func(b Block) string { return b.why() },
	"headline": func(x Result) string {
		if len(x.Failures) == 0 {
			return ""
		}
		return x.headline()
	},
	"took": func(d time.Duration) time.Duration { return d.Round(max(time.Microsecond, d/1000)) },
})

// causeOf returns the attribute that connects a result to its cause in the report.
func causeOf(r *Report, x Result) template.HTMLAttr {
	for i, c := range r.Causes {
		if x.Broken() && c.Text == x.cause() {
			return template.HTMLAttr(fmt.Sprintf(` data-cause="%d"`, i))
		}
	}
	return ""
}

// WriteHTML writes the report as a single page that needs no network and no other file.
// Readers can filter and search it. The page follows the reader's choice of light or dark,
// and fits a phone.
func (r *Report) WriteHTML(out io.Writer) error { return page.Execute(outside.Writer(out), r) }
