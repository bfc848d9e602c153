// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/purepjrt/purepjrt/internal/outside"
)

// badgeText returns the text of the badge: the highest level reached without waivers, and the list
// by which it is judged. A run of chosen checks earns no level.
func (r *Report) badgeText() (text, colour string) {
	level, title := "", ""
	for _, l := range r.Levels {
		if !strings.HasPrefix(l.Name, "L") || l.State != Reached {
			break
		}
		level = l.Name
		title, _, _ = strings.Cut(l.Title, ":")
	}
	switch {
	case r.Run.Filter != "" || r.Run.Shard != "" || r.Run.Only > 0 || r.Run.Interrupted:
		return "partial run", "#6e7781"
	case r.Programs != nil:
		c := r.Summary.Checks
		text = fmt.Sprintf("%d of %d programs", c.Pass, c.Total()-c.Skipped)
		if c.Fail+c.Warn > 0 {
			return text, "#cf222e"
		}
		return text, "#1a7f37"
	case level != "":
		return strings.TrimRight(fmt.Sprintf("%s %s %s", level, strings.ToLower(title), r.Run.List), " "), "#1a7f37"
	case r.Verdict == WithWaivers:
		return "with waivers", "#9a6700"
	case r.Verdict == Incomplete:
		return "incomplete", "#6e7781"
	}
	return "not conformant", "#cf222e"
}

// WriteBadge writes a badge as SVG: the highest level that the plugin reached
// without waivers.
func (r *Report) WriteBadge(out io.Writer) error {
	out = outside.Writer(out)
	const label = "PJRT conformance"
	text, colour := r.badgeText()
	// Approximate widths in a sans-serif face of 11 pixels.
	left, right := 10+7*len(label), 10+7*len(text)
	tip := fmt.Sprintf("%s; %s; suite %s; %s", r.Sentence(), r.Plugin.identify(), r.Suite.Version, r.Started.Format("2006-01-02"))
	_, err := fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" aria-label="%[2]s: %[3]s">
<title>%[4]s</title>
<clipPath id="r"><rect width="%[1]d" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="%[5]d" height="20" fill="#444c56"/><rect x="%[5]d" width="%[6]d" height="20" fill="%[7]s"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
<text x="%[8]d" y="14">%[2]s</text><text x="%[9]d" y="14">%[3]s</text>
</g>
</svg>
`, left+right, label, html.EscapeString(text), html.EscapeString(clean(tip)), left, right, colour, left/2, left+right/2)
	return err
}
