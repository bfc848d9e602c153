// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Dies is the mode of a function that ends the process, or does not return. A client has no way to
// survive that.
const Dies Mode = "dies"

// Miscomputes is the mode of a function that succeeds with wrong numbers. No client notices.
const Miscomputes Mode = "miscomputes"

// Plugin is what a client finds in a plugin.
type Plugin struct {
	Path       string          // of its library
	Minor      int             // of its API
	OffHost    bool            // PJRT_Buffer_IsOnCpu says that buffers are not in the host's memory
	Extensions []string        // the names of those in its chain
	Wrong      map[string]Mode // the functions that have a null slot, are unimplemented, fail, or die
	Details    map[string]string
}

// Verdict sums up a prediction.
type Verdict string

// The verdicts.
const (
	Runs     Verdict = "runs"        // all actions do what they do with a plugin that lacks nothing
	Degraded Verdict = "degraded"    // some raise an exception, or show less
	Wrong    Verdict = "wrong"       // some return wrong numbers
	Aborts   Verdict = "would abort" // some end the process, or hang
)

// Cause is one thing that is wrong with a plugin, and what a client makes of it.
type Cause struct {
	Subject string  `json:"subject"`      // as in Row
	Of      string  `json:"of,omitempty"` // what the function fails for, if it does not for all: Text or Artifacts
	Mode    Mode    `json:"mode"`
	Rule    string  `json:"rule,omitempty"` // that the plugin breaks with it
	Outcome Outcome `json:"-"`
	What    string  `json:"outcome"`       // Outcome in words
	Why     string  `json:"why,omitempty"` // what the client said when the profile was measured
	Detail  string  `json:"detail,omitempty"`
	// Assumed says that the outcome was not measured: the client calls something else instead,
	// which is also at fault, or destroys objects at another time than when it was measured.
	Assumed bool `json:"assumed,omitempty"`
}

// String returns the cause in one line.
func (c Cause) String() string {
	s := strings.TrimPrefix(c.Subject, "PJRT_")
	if c.Of != "" {
		s += " of " + c.Of
	}
	s += " " + map[Mode]string{
		Null: "is null", Unimplemented: "is unimplemented", Fails: "fails", Dies: "ends the process or does not return",
		Miscomputes: "makes wrong numbers",
		Absent:      "is an extension that the plugin lacks",
	}[c.Mode]
	if c.Mode == Older {
		s = "the plugin's API is as old as " + c.Subject
	}
	if c.Rule != "" {
		s += " (rule " + c.Rule + ")"
	}
	if c.Mode == Miscomputes && c.Detail != "" {
		s += ": " + c.Detail
	}
	return s
}

// Action is what becomes of one user action.
type Action struct {
	Name     string  `json:"action"`
	Does     string  `json:"does"` // in words
	Outcome  Outcome `json:"-"`
	What     string  `json:"outcome"` // Outcome in words
	Measured bool    `json:"measured"`
	Causes   []Cause `json:"causes,omitempty"` // the worst first; none without effect
}

// Prediction is what a client will do with a plugin.
type Prediction struct {
	Client  string   `json:"client"`
	Verdict Verdict  `json:"verdict"`
	Actions []Action `json:"actions"`
	// Harmless has the faults of functions that the client calls, or may call, that affect no
	// action.
	Harmless []Cause  `json:"harmless"`
	Notes    []string `json:"notes,omitempty"`
}

// The plugin that profiles are measured with lacks an extension, without which some clients do not
// survive an action.
const (
	profiler      = "Profiler"
	profileAction = "profile"
)

// outcomeOf returns what becomes of an action with the plugin that profiles are measured with.
func (p *Profile) outcomeOf(action string) Outcome {
	if i := slices.Index(p.Actions, action); i >= 0 {
		return p.Whole().Outcomes[i]
	}
	return NotCalled
}

// measuredMinor is the API minor of the plugin that profiles are measured with.
const measuredMinor = 81

// Predict says what the client will do with a plugin. Each action gets the worst outcome that
// any of the plugin's faults has. Where two of them meet, the first may hide the second: the
// client may then do better than predicted, not worse.
func (p *Profile) Predict(plugin Plugin) *Prediction {
	whole := p
	offHost := p.offHost(plugin)
	p = p.At(offHost)
	out := &Prediction{Client: p.Client, Verdict: Runs, Harmless: []Cause{}}
	if offHost && whole.OffHost == nil {
		out.Notes = append(out.Notes, "the plugin says that its buffers are not in the host's memory, and the profile was measured "+
			"with a plugin whose buffers are: the client may not call some of the functions named here")
	}
	for i, name := range p.Actions {
		normal := p.Whole().Outcomes[i]
		out.Actions = append(out.Actions, Action{Name: name, Does: p.Words(name), Outcome: Harmless, Measured: normal <= Changed})
	}
	for _, c := range p.causes(plugin) {
		outcomes, why, assumed := p.outcomes(c, plugin)
		effect := false
		for i, o := range outcomes {
			if o <= Harmless {
				continue
			}
			effect = true
			a := &out.Actions[i]
			c.Outcome, c.What, c.Why, c.Assumed = o, o.String(), why, assumed[i]
			a.Causes = append(a.Causes, c)
			a.Outcome = max(a.Outcome, o)
		}
		if !effect {
			c.Outcome, c.What = Harmless, Harmless.String()
			out.Harmless = append(out.Harmless, c)
		}
	}
	p.assumeDestroyed(out)
	out.decide(plugin)
	return out
}

// makers are the functions that give a client the objects that a function destroys. A client that
// keeps an object for later destroys it early if an exception comes between.
var makers = map[string][]string{
	"PJRT_Buffer_Destroy": {"PJRT_Client_BufferFromHostBuffer", "PJRT_LoadedExecutable_Execute", "PJRT_Buffer_CopyToDevice",
		"PJRT_Buffer_CopyToMemory"},
	"PJRT_Executable_Destroy":       {"PJRT_LoadedExecutable_GetExecutable"},
	"PJRT_LoadedExecutable_Destroy": {"PJRT_Client_Compile", "PJRT_Executable_DeserializeAndLoad"},
}

// assumeDestroyed raises the outcomes of actions that make objects and raise exceptions, if the
// client does not survive the function that destroys such an object.
func (p *Profile) assumeDestroyed(out *Prediction) {
	for _, a := range out.Actions {
		for _, c := range a.Causes {
			if c.Outcome < Hang {
				continue
			}
			for i := range out.Actions {
				other := &out.Actions[i]
				makes := slices.ContainsFunc(makers[c.Subject], func(f string) bool { return p.Calls[f] != nil && p.Calls[f][i] > 0 })
				if makes && other.Outcome > Harmless && other.Outcome < Hang {
					c.Assumed = true
					other.Causes = append(other.Causes, c)
					other.Outcome = c.Outcome
				}
			}
		}
	}
}

// decide fills in what follows from the outcomes of the actions.
func (out *Prediction) decide(plugin Plugin) {
	starts := out.Actions[0].Outcome <= Changed
	for i := range out.Actions {
		a := &out.Actions[i]
		slices.SortStableFunc(a.Causes, func(x, y Cause) int { return int(y.Outcome) - int(x.Outcome) })
		if !starts && i > 0 {
			a.Outcome, a.Causes = Unreached, nil
		}
		a.What = a.Outcome.String()
		switch {
		case a.Outcome >= Hang:
			out.Verdict = Aborts
		case a.Outcome == WrongNumbers && out.Verdict != Aborts:
			out.Verdict = Wrong
		case a.Outcome > Harmless && out.Verdict == Runs && a.Outcome != Unreached:
			out.Verdict = Degraded
		}
	}
	if plugin.Minor > measuredMinor {
		out.Notes = append(out.Notes, fmt.Sprintf("the plugin is of API 0.%d, the profile was measured with API 0.%d: "+
			"what the client does with newer functions is not known", plugin.Minor, measuredMinor))
	}
}

// causes returns what is wrong with the plugin, as far as the client may notice.
func (p *Profile) causes(plugin Plugin) []Cause {
	var list []Cause
	for key, mode := range plugin.Wrong {
		name, of, part := strings.Cut(key, " of ")
		if p.mayCall(name) && (!part || of == p.traits().sends) {
			list = append(list, Cause{Subject: name, Of: of, Mode: mode, Rule: RuleOf(name, mode), Detail: plugin.Details[key]})
		}
	}
	slices.SortFunc(list, func(a, b Cause) int { return strings.Compare(a.Subject, b.Subject) })
	for _, r := range p.Rows {
		if r.Mode == Absent && !slices.Contains(plugin.Extensions, r.Subject) {
			list = append(list, Cause{Subject: r.Subject, Mode: Absent})
		}
	}
	if !slices.Contains(plugin.Extensions, profiler) && p.outcomeOf(profileAction) > Changed {
		list = append(list, Cause{Subject: profiler, Mode: Absent})
	}
	if plugin.Minor < measuredMinor {
		age := 0
		for _, a := range Ages() {
			if a <= plugin.Minor {
				age = a
			}
		}
		if age == 0 {
			age = Ages()[0]
		}
		list = append(list, Cause{Subject: fmt.Sprintf("0.%d", age), Mode: Older})
	}
	return list
}

// mayCall reports whether the client calls a function, even if only when another is missing.
func (p *Profile) mayCall(name string) bool {
	if _, ok := p.Calls[name]; ok {
		return true
	}
	return slices.ContainsFunc(p.Rows, func(r Row) bool { return slices.Contains(r.Instead, name) })
}

// outcomes returns the outcome of each action for one cause, the reason, and which outcomes were
// not measured.
func (p *Profile) outcomes(c Cause, plugin Plugin) (out []Outcome, why string, assumed []bool) {
	row := p.Row(c.Subject, c.Mode)
	if c.Mode == Miscomputes {
		out, assumed = make([]Outcome, len(p.Actions)), make([]bool, len(p.Actions))
		for i, n := range p.Calls[c.Subject] {
			if n > 0 {
				out[i] = WrongNumbers
			}
		}
		return out, "the client does not notice", assumed
	}
	if c.Mode == Dies || c.Mode == Fails {
		// Where one error was measured, it stands for the others.
		row = cmp.Or(p.Row(c.Subject, Fails), p.Row(c.Subject, Unimplemented))
	}
	if row == nil && c.Mode != Null {
		row = p.Row(c.Subject, Null) // of functions that return nothing
	}
	out, assumed = make([]Outcome, len(p.Actions)), make([]bool, len(p.Actions))
	if row != nil {
		copy(out, row.Outcomes)
		why = row.Why
	}
	if row != nil && strings.HasPrefix(c.Subject, eventPrefix) && p.mayCall("PJRT_Event_IsReady") {
		// Which of these functions is called depends on whether an event is ready when the client
		// asks. A client that does not ask always waits.
		worst := slices.Max(row.Outcomes)
		for i := range out {
			if p.callsEvents(i) {
				out[i] = worst
			}
		}
	}
	if c.Subject == profiler {
		i := slices.Index(p.Actions, profileAction)
		out[i], why = p.Whole().Outcomes[i], "profiles are measured with a plugin that lacks this extension: "+p.Whole().Why
	}
	if c.Mode == Dies {
		for i, n := range p.Calls[c.Subject] {
			if n > 0 {
				out[i], why = Ended, "the function does not return"
			}
		}
	}
	if row != nil {
		assumed = p.assume(row, plugin, out)
		p.assumeAnyMode(row, out, assumed)
	}
	if c.Mode == Unimplemented || c.Mode == Fails {
		p.assumeErrors(c.Subject, plugin, out, assumed)
	}
	return out, why, assumed
}

// readsErrors are the functions that a client calls for each error.
var readsErrors = []string{"PJRT_Error_Destroy", "PJRT_Error_GetCode", "PJRT_Error_Message"}

// assumeErrors raises the outcomes of the actions that call a function which returns an error, if
// the client cannot read errors.
func (p *Profile) assumeErrors(function string, plugin Plugin, out []Outcome, assumed []bool) {
	worst := Harmless
	for _, f := range readsErrors {
		if mode, wrong := plugin.Wrong[f]; wrong && f != function {
			if row := p.Row(f, mode); row != nil {
				worst = max(worst, slices.Max(row.Outcomes))
			}
		}
	}
	for i, n := range p.Calls[function] {
		if n > 0 && worst > out[i] {
			out[i], assumed[i] = worst, true
		}
	}
}

// assume raises the outcomes of actions in which the client calls something else instead of
// the faulty function, if that is faulty too: what follows was not measured. It returns which
// outcomes it raised.
func (p *Profile) assume(row *Row, plugin Plugin, out []Outcome) []bool {
	assumed := make([]bool, len(out))
	for _, f := range row.Instead {
		mode, wrong := plugin.Wrong[f]
		if !wrong {
			continue
		}
		worst := Ended
		if other := p.Row(f, mode); other != nil {
			worst = slices.Max(other.Outcomes[1:])
		}
		for i, o := range out {
			calls := p.Calls[row.Subject] != nil && p.Calls[row.Subject][i] > 0
			if i > 0 && (calls || o > Harmless) && o >= Harmless && worst > o && worst > Harmless {
				out[i], assumed[i] = worst, true
			}
		}
	}
	return assumed
}

// assumeAnyMode raises the outcomes of a function that destroys objects to those that it has in
// another mode. When the client calls it depends on its garbage collector, so a measurement may
// have missed an action.
func (p *Profile) assumeAnyMode(row *Row, out []Outcome, assumed []bool) {
	if !isDestroy(row.Subject) {
		return
	}
	for _, r := range p.Rows {
		if r.Subject != row.Subject || r.Mode == Null && row.Mode != Null {
			continue // a slot that is null is worse than an error
		}
		for i, o := range r.Outcomes {
			if o >= Hang && out[i] < Hang {
				out[i], assumed[i] = o, true
			}
		}
	}
}

// isDestroy reports whether a function destroys objects of the client.
func isDestroy(function string) bool { return strings.HasSuffix(function, "_Destroy") }

// eventPrefix begins the names of the functions of events.
const eventPrefix = "PJRT_Event_"

// callsEvents reports whether an action calls a function of events.
func (p *Profile) callsEvents(action int) bool {
	for f, counts := range p.Calls {
		if strings.HasPrefix(f, eventPrefix) && counts[action] > 0 {
			return true
		}
	}
	return false
}

// RuleOf returns the id of the conformance rule that a plugin breaks if a function has a mode,
// or "" if that breaks none.
func RuleOf(function string, m Mode) string {
	switch m {
	case Null:
		return "LOAD-08"
	case Unimplemented, Fails, Dies:
	default:
		return ""
	}
	name := strings.TrimPrefix(function, "PJRT_")
	var first string
	for _, r := range rules.All() {
		if r.Group() == "SKEW" { // about the sizes of args
			continue
		}
		subjects := strings.FieldsFunc(r.Subject, func(c rune) bool { return c == ',' || c == '/' || c == ' ' || c == '+' })
		if !slices.Contains(subjects, name) {
			continue
		}
		if r.Severity == rules.Must {
			return r.ID
		}
		if first == "" {
			first = r.ID
		}
	}
	return first
}
