// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Again returns the names of the checks that are worth running again once something was
// repaired: those that failed, warned or were blocked, in the order of the report.
func (r *Report) Again() []string {
	names := []string{}
	for i := range r.Results {
		if x := &r.Results[i]; x.noteworthy() || x.Verdict == Blocked {
			names = append(names, x.Check)
		}
	}
	return names
}

// Merge makes one report from the reports of all parts of a run, which may come from several
// machines. The parts must have the same plugin, suite and options, and none may be missing.
// Merge works out again which failures block other checks.
func Merge(parts []*Report) (*Report, error) {
	if len(parts) == 0 {
		return nil, errors.New("there are no reports to merge")
	}
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b *Report) int { return a.shard() - b.shard() })
	if err := mergeable(parts); err != nil {
		return nil, err
	}
	first := parts[0]
	all := *first
	all.Run.Shard, all.Run.Jobs, all.Run.Left = "", 0, 0
	all.Duration, all.Results, all.Skew, all.Problems = 0, nil, nil, nil
	worked, unimplemented := make(map[string]bool), make(map[string]bool)
	for _, p := range parts {
		all.Duration += p.Duration
		all.Run.Jobs = max(all.Run.Jobs, p.Run.Jobs)
		all.Run.Left += p.Run.Left
		all.Run.Interrupted = all.Run.Interrupted || p.Run.Interrupted
		if p.Started.Before(all.Started) {
			all.Started = p.Started
		}
		all.Skew = append(all.Skew, p.Skew...)
		for _, problem := range p.Problems {
			if !slices.Contains(all.Problems, problem) {
				all.Problems = append(all.Problems, problem)
			}
		}
		for _, f := range p.Capabilities.Worked {
			worked[f] = true
		}
		for _, f := range p.Capabilities.Unimplemented {
			unimplemented[f] = true
		}
	}
	all.Results = results(parts)
	all.Capabilities.Worked = slices.Sorted(maps.Keys(worked))
	all.Capabilities.Unimplemented = slices.Sorted(maps.Keys(unimplemented))
	all.Waivers = mergeWaivers(parts)
	all.Block()
	all.Summarize()
	return &all, nil
}

// results returns the results of all parts in the order of the contract, as they were before any
// was blocked.
func results(parts []*Report) []Result {
	var all []Result
	at := make(map[string]int)
	for k, more := 0, true; more; k++ {
		more = false
		for _, p := range parts { // neighbours are in different parts
			if k >= len(p.Results) {
				continue
			}
			more = true
			x := p.Results[k]
			if x.Verdict == Blocked && x.Found != "" {
				x.Verdict, x.Found, x.BlockedBy = x.Found, "", ""
			}
			if i, ok := at[x.Check]; !ok {
				at[x.Check] = len(all)
				all = append(all, x)
			} else if all[i].Verdict.Skipped() { // every part probed the plugin; this one found something
				all[i] = x
			}
		}
	}
	order := make(map[string]int)
	for i, rule := range rules.All() {
		order[rule.ID] = i
	}
	slices.SortStableFunc(all, func(a, b Result) int { return order[a.Rule] - order[b.Rule] })
	return all
}

// shard returns the number of the part that the report covers, or 0.
func (r *Report) shard() int {
	var n, of int
	_, _ = fmt.Sscanf(r.Run.Shard, "%d/%d", &n, &of) // mergeable rejects what is not a part
	return n
}

// mergeable says why parts do not make one run.
func mergeable(parts []*Report) error {
	first := parts[0]
	var of int
	for i, p := range parts {
		if p.Programs != nil {
			return fmt.Errorf("the report of %s is about programs: only reports of the contract's checks can be merged", p.Plugin.File)
		}
		var n, all int
		if _, err := fmt.Sscanf(p.Run.Shard, "%d/%d", &n, &all); err != nil {
			return fmt.Errorf("the report of %s is not from a part of the checks: run them with --shard", p.Plugin.File)
		}
		if of = all; n != i+1 {
			return fmt.Errorf("the part %d/%d of the checks is missing, or another part is there twice", i+1, all)
		}
		for _, d := range Differences(first, p) {
			what, _, _ := strings.Cut(d, ":")
			if !slices.Contains([]string{"part of the checks", "machine", "interrupted", "devices"}, what) {
				return fmt.Errorf("the parts %s and %s are not from the same run: %s", first.Run.Shard, p.Run.Shard, d)
			}
		}
	}
	if len(parts) != of {
		return fmt.Errorf("the part %d/%d of the checks is missing", len(parts)+1, of)
	}
	return nil
}

// mergeWaivers combines the uses of waivers. A waiver is stale only if no part has a use for it.
func mergeWaivers(parts []*Report) []WaiverUse {
	var all []WaiverUse
	at := make(map[[2]string]int)
	for _, p := range parts {
		for _, u := range p.Waivers {
			key := [2]string{u.File, fmt.Sprint(u.Check, u.Verdicts, u.Digests, u.Reason)}
			i, ok := at[key]
			if !ok {
				at[key] = len(all)
				u.Excused = slices.Clone(u.Excused)
				all = append(all, u)
				continue
			}
			all[i].Excused = append(all[i].Excused, u.Excused...)
			if u.Problem == "" {
				all[i].Problem = ""
			}
		}
	}
	return all
}
