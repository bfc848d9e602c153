// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
)

// Names of the first and of the last action.
const (
	start = "start"
	end   = "exit"
)

// subject is something that is wrong with a plugin.
type subject struct {
	name string
	mode callers.Mode
}

// variables returns the environment variables that give the shim these faults.
func variables(wrong []subject) map[string]string {
	v := make(map[string]string)
	add := func(name, separator, value string) {
		if v[name] != "" {
			value = v[name] + separator + value
		}
		v[name] = value
	}
	for _, s := range wrong {
		switch s.mode {
		case callers.Null, callers.Absent:
			add("PJRT_SHIM_ABSENT", ",", s.name)
		case callers.Unimplemented:
			add("PJRT_SHIM_FAULTS", ";", s.name+":fail=UNIMPLEMENTED")
		case callers.Fails:
			add("PJRT_SHIM_FAULTS", ";", s.name+":fail=INTERNAL")
		case callers.Older:
			v["PJRT_SHIM_MINOR"] = strings.TrimPrefix(s.name, "0.")
		}
	}
	return v
}

// functions returns all functions by name.
func functions() map[string]*capi.Function {
	all := make(map[string]*capi.Function)
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			all[f.Name] = f
		}
	}
	return all
}

// subjects returns the faults to try with a client that makes these calls to the plugin: each
// called function in each mode, each extension of the plugin, and each API minor that added
// functions.
func subjects(calls map[string][]int, plugin *capi.Table) []subject {
	var list []subject
	for _, x := range plugin.Extensions() {
		list = append(list, subject{x.Type.String(), callers.Absent})
	}
	_, minor := plugin.Version()
	for _, m := range callers.Ages() {
		if m < minor {
			list = append(list, subject{fmt.Sprintf("0.%d", m), callers.Older})
		}
	}
	known := functions()
	// What plugins lack most often comes first, for readers of an incomplete profile.
	for _, mode := range []callers.Mode{callers.Unimplemented, callers.Null, callers.Fails} {
		for _, name := range slices.Sorted(maps.Keys(calls)) {
			if f := known[name]; mode == callers.Null || f != nil && !f.Void {
				list = append(list, subject{name, mode})
			}
		}
	}
	return list
}

// concerned returns the actions of a profile that can notice that something is wrong: the first,
// those that call the function, and the last. Any action may use what the first one asks, and all
// may notice a fault that is not a function's.
func concerned(p *callers.Profile, s subject) []string {
	calls, ok := p.Calls[s.name]
	if !ok || calls[0] > 0 {
		return p.Actions
	}
	var list []string
	for i, a := range p.Actions {
		if a == start || a == end || calls[i] > 0 {
			list = append(list, a)
		}
	}
	return list
}

// row turns the results of actions into a row of a profile.
func row(p *callers.Profile, normal []result, results []result, s subject) callers.Row {
	r := callers.Row{Subject: s.name, Mode: s.mode, Outcomes: make([]callers.Outcome, len(p.Actions))}
	worst := callers.Harmless
	calls := p.Calls[s.name]
	function := s.mode == callers.Null || s.mode == callers.Unimplemented || s.mode == callers.Fails
	for _, x := range results {
		i := slices.Index(p.Actions, x.Action)
		o, why := outcome(normal[i], x)
		if o == callers.Harmless && function && (calls == nil || calls[i] == 0 && calls[0] == 0) {
			o = callers.NotCalled
		}
		r.Outcomes[i] = o
		if o > worst {
			worst, r.Why = o, why
		}
		for f := range x.Calls {
			if calls := p.Calls[f]; (calls == nil || calls[i] == 0) && !incidental(f) && !slices.Contains(r.Instead, f) {
				r.Instead = append(r.Instead, f)
			}
		}
	}
	slices.Sort(r.Instead)
	if len(results) == 1 {
		for i, a := range p.Actions[1:] {
			if r.Outcomes[i+1] == callers.NotCalled && a != start {
				r.Outcomes[i+1] = callers.Unreached
			}
		}
	}
	return r
}

// incidental reports whether a client calls a function whenever something is destroyed, or fails.
func incidental(f string) bool {
	return strings.HasPrefix(f, "PJRT_Error_") || strings.HasSuffix(f, "_Destroy") || strings.HasPrefix(f, "PJRT_Event_")
}

// outcome compares the result of an action with the one from a plugin that lacks nothing.
func outcome(normal, x result) (callers.Outcome, string) {
	switch {
	case x.Died != nil && normal.Died != nil && x.Died.How == normal.Died.How && len(x.Died.In) == len(normal.Died.In):
		return callers.Harmless, ""
	case x.Died != nil:
		why := x.Action + ": " + inside(x.Died.How, x.Died.In)
		if x.Died.Why != "" {
			why += ": " + x.Died.Why
		}
		return callers.Ended, short(why)
	case x.Hung != nil && normal.Hung == nil:
		return callers.Hang, short(fmt.Sprintf("%s: %s", x.Action, inside("hangs", x.Hung)))
	case strings.HasPrefix(x.Exception, wrongNumbers):
		return callers.WrongNumbers, short(x.Action + ": " + x.Exception)
	case kind(x.Exception) != kind(normal.Exception):
		if x.Exception == "" {
			return callers.Changed, short(x.Action + ": no exception")
		}
		return callers.Exception, short(x.Action + ": " + x.Exception)
	case x.Seen != normal.Seen:
		return callers.Changed, short(fmt.Sprintf("%s: %s", x.Action, x.Seen))
	}
	return callers.Harmless, ""
}

// wrongNumbers begins the exception by which a driver says that the client has not noticed them.
const wrongNumbers = "wrong numbers: "

// kind returns the part of an exception that does not differ from run to run.
func kind(exception string) string {
	words := strings.Fields(exception)
	return strings.Join(words[:min(len(words), 4)], " ")
}

func inside(how string, calls []string) string {
	if len(calls) == 0 {
		return how
	}
	slices.Sort(calls)
	return how + " in " + strings.Join(slices.Compact(calls), ", ")
}

// mostText bounds the reasons in a profile.
const mostText = 160

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > mostText {
		text = string(r[:mostText-3]) + "..."
	}
	return text
}
