// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// OffHostSets ends the names of files with sets that were tried with a plugin whose buffers are not
// in the host's memory.
const OffHostSets = ".off-host.tsv"

// Fault is one thing that is wrong with a plugin.
type Fault struct {
	Subject string // as in Row
	Mode    Mode
}

// Set is a plugin with several faults: what was predicted, and what was found.
type Set struct {
	Faults    []Fault
	Predicted []Outcome // of each action of the profile
	Found     []Outcome
	Explained []string // why found differs from predicted, by action; "" where it does not, or the reason is unknown
}

// Unexplained returns the indexes of the actions that went differently than predicted,
// without a reason.
func (s Set) Unexplained() []int {
	var list []int
	for i := range s.Found {
		if s.Found[i] != s.Predicted[i] && s.Explained[i] == "" {
			list = append(list, i)
		}
	}
	return list
}

// String returns the set as a tab-separated line: the faults, the predicted and the
// found outcomes as in profiles, and the reasons.
func (s Set) String() string {
	var faults, reasons []string
	for _, f := range s.Faults {
		faults = append(faults, f.Subject+":"+string(f.Mode))
	}
	for i, r := range s.Explained {
		if r != "" && !slices.Contains(reasons, r) {
			reasons = append(reasons, r)
		}
		if s.Found[i] != s.Predicted[i] && r == "" {
			reasons = append(reasons, "?")
		}
	}
	return strings.Join([]string{strings.Join(faults, " "), marks(s.Predicted), marks(s.Found), strings.Join(reasons, "; ")}, "\t")
}

func marks(outcomes []Outcome) string {
	b := make([]byte, len(outcomes))
	for i, o := range outcomes {
		b[i] = letters[o]
	}
	return string(b)
}

// ParseSet is the reverse of String, except for the reasons, which Explain finds again.
func ParseSet(line string) (Set, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 4 {
		return Set{}, fmt.Errorf("the set has %d fields, not 4", len(fields))
	}
	var s Set
	for word := range strings.FieldsSeq(fields[0]) {
		name, mode, ok := strings.Cut(word, ":")
		if !ok {
			return Set{}, fmt.Errorf("%q is not a fault", excerpt.Of(word))
		}
		s.Faults = append(s.Faults, Fault{name, Mode(mode)})
	}
	var err error
	if s.Predicted, err = parseMarks(fields[1]); err != nil {
		return Set{}, err
	}
	s.Found, err = parseMarks(fields[2])
	return s, err
}

func parseMarks(text string) ([]Outcome, error) {
	var list []Outcome
	for _, letter := range text {
		o := strings.IndexRune(letters, letter)
		if o < 0 {
			return nil, fmt.Errorf("%q is not an outcome: the outcomes are %s", letter, letters)
		}
		list = append(list, Outcome(o))
	}
	return list, nil
}

// Explain predicts what becomes of the actions if the plugin that profiles are measured
// with, which has these extensions, has these faults. Where something else was found,
// it says why, as far as the profile shows it: one fault hides another that would have
// come later.
func (p *Profile) Explain(faults []Fault, extensions []string, found []Outcome) (predicted []Outcome, why []string) {
	// A profile compares with the plugin that it was measured with, which lacks the
	// profiler: that is not a fault here.
	plugin := Plugin{Path: "cpu", Minor: measuredMinor, Wrong: make(map[string]Mode)}
	plugin.Extensions = append(slices.Clone(extensions), profiler)
	for _, f := range faults {
		switch f.Mode {
		case Absent:
			plugin.Extensions = slices.DeleteFunc(plugin.Extensions, func(x string) bool { return x == f.Subject })
		case Older:
			if _, err := fmt.Sscanf(f.Subject, "0.%d", &plugin.Minor); err != nil {
				plugin.Minor = measuredMinor
			}
		default:
			plugin.Wrong[f.Subject] = f.Mode
		}
	}
	for _, f := range capi.Functions(capi.SectionCore) {
		if f.Since > plugin.Minor {
			delete(plugin.Wrong, f.Name) // the table of the older API ends before it
		}
	}
	out := p.Predict(plugin)
	for i, a := range out.Actions {
		o := a.Outcome
		predicted = append(predicted, o)
		reason := ""
		if i < len(found) && found[i] != o {
			reason = explain(out, i, found[i], o)
		}
		why = append(why, reason)
	}
	return predicted, why
}

// explain says why an action went differently than predicted.
func explain(out *Prediction, i int, found, predicted Outcome) string {
	a := out.Actions[i]
	if found > predicted {
		return "" // a client that does worse has no excuse
	}
	for _, c := range a.Causes {
		if c.Assumed && c.Outcome == predicted && isDestroy(c.Subject) {
			return c.String() + ", and may not be called: that depends on the client's garbage collector"
		}
		if c.Assumed && c.Outcome == predicted {
			return c.String() + ", and that the client minds what it then calls instead was assumed"
		}
		if strings.HasPrefix(c.Subject, eventPrefix) && c.Outcome == predicted {
			return c.String() + ", and may not be called: that depends on whether an event is ready"
		}
		if c.Outcome == found {
			return c.String() + ", and comes first"
		}
	}
	for _, c := range a.Causes {
		if isDestroy(c.Subject) && c.Outcome == predicted {
			return c.String() + ", and may not be called: that depends on the client's garbage collector"
		}
	}
	return ""
}
