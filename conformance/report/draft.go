// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/internal/outside"
)

// WriteWaivers writes a draft of a waiver file for all failures that break conformance. The
// reasons say what was found, and the digests identify it; whoever uses the draft has to
// add why, and a witness. WriteWaivers leaves out checks that pass although they are
// waived, and checks in which the suite is at fault.
func (r *Report) WriteWaivers(out io.Writer) error {
	out = outside.Writer(out)
	f := WaiverFile{
		Plugin:  PluginMatch{Name: r.Plugin.File, Platform: r.Plugin.Platform, API: r.Plugin.API()},
		Waivers: []Waiver{},
	}
	if r.Plugin.Path != "" {
		f.Plugin.File = r.Plugin.File
	}
	for i := range r.Results {
		x := &r.Results[i]
		if !x.Broken() || x.Verdict == UnexpectedPass {
			continue
		}
		w := Waiver{Check: x.Check, Verdicts: []Verdict{x.Verdict}, Reason: "found: " + x.draftReason()}
		if x.Digest != "" {
			w.Digests = []string{x.Digest}
		}
		if x.Varies {
			w.Digests, w.Varies = nil, "what is found differs from run to run"
		}
		if x.Verdict == Flaky {
			w.Verdicts, w.Digests, w.Varies = nil, nil, "its verdict differs from run to run"
			for _, v := range append([]Verdict{Flaky}, x.Attempts...) {
				if slices.Contains(excusable, v) && !slices.Contains(w.Verdicts, v) {
					w.Verdicts = append(w.Verdicts, v)
				}
			}
		}
		f.Waivers = append(f.Waivers, w)
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", text)
	return err
}

func (x *Result) draftReason() string {
	if c := x.cause(); c != "" {
		return shorten(printable(strings.Join(strings.Fields(c), " ")), 2*causeLength)
	}
	return x.Verdict.Meaning()
}
