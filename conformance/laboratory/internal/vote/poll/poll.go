// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/conformance/internal/expect"
	"github.com/purepjrt/purepjrt/conformance/laboratory/internal/vote"
)

// poll is one run of the command.
type poll struct {
	python, folder string
	old            vote.Table
	// chosen, when not nil, holds the programs to vote on besides those whose rows are
	// stale.
	chosen map[string]bool

	mu    sync.Mutex
	new   vote.Table
	seen  map[string]bool
	wrong []string
	stale []string
}

// chosen returns n programs of a table, picked at random by a seed.
func chosen(t vote.Table, n int, seed string) map[string]bool {
	rank := func(id string) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte(seed + "\n" + id))
		return h.Sum64()
	}
	ids := slices.SortedFunc(maps.Keys(t), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	set := make(map[string]bool)
	for _, id := range ids[:min(n, len(ids))] {
		set[id] = true
	}
	return set
}

func (p *poll) run(ctx context.Context, jobs int) error {
	p.seen = make(map[string]bool)
	work := make(chan expect.Check)
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for range jobs {
		wg.Go(func() {
			j := &juror{python: p.python, folder: p.folder}
			defer j.stop()
			for c := range work {
				for _, program := range c.Programs() {
					if ctx.Err() != nil {
						break
					}
					if err := p.program(ctx, j, &program); err != nil {
						cancel(err)
					}
				}
			}
		})
	}
	for _, c := range vote.Checks() {
		work <- c
	}
	close(work)
	wg.Wait()
	return context.Cause(ctx)
}

// program votes on q if it was chosen or its row is stale.
func (p *poll) program(ctx context.Context, j *juror, q *expect.Program) error {
	digest := q.Digest()
	old, known := p.old[q.ID]
	changed := !known || old.Digest != digest
	p.mu.Lock()
	p.seen[q.ID] = true
	p.mu.Unlock()
	if p.chosen != nil && !changed && !p.chosen[q.ID] {
		return nil
	}
	witness, why, err := ballot(ctx, j, q)
	p.mu.Lock()
	defer p.mu.Unlock()
	var a *against
	switch {
	case errors.As(err, &a):
		p.wrong = append(p.wrong, q.ID)
		fmt.Printf("%s: %v\n", q.ID, a)
		return nil
	case err != nil:
		return err
	}
	row := vote.Row{ID: q.ID, Digest: digest, Witness: witness, Why: why}
	p.new[q.ID] = row
	switch {
	case !known:
		p.stale = append(p.stale, q.ID+": it has no row")
	case changed:
		p.stale = append(p.stale, q.ID+": the program or its expected values changed")
	case old != row:
		p.stale = append(p.stale, fmt.Sprintf("%s: the witness was %s (%s), and is %s (%s)", q.ID, old.Witness, old.Why, witness, why))
	}
	return nil
}

// against is the error that a witness contradicts a check and there is no ruling on it.
type against struct{ words string }

func (a *against) Error() string { return a.words }

// ballot asks the witnesses of a program, one after the other, until one agrees.
func ballot(ctx context.Context, j *juror, q *expect.Program) (w vote.Witness, why string, err error) {
	ask := func(by, text string) (agrees bool, reason string, differs error) {
		results, e := j.ask(ctx, by, vote.Ballot(q, text))
		var d *death
		switch {
		case errors.As(e, &d):
			return false, "it ends the interpreter: " + d.words, nil
		case errors.Is(e, errNoProcess):
			err = e
			return false, "", nil
		case e != nil:
			return false, e.Error(), nil
		}
		got, e := vote.Count(q, results)
		if e == nil {
			e = q.Accept(got)
		}
		return e == nil, "", e
	}
	agrees, why, differs := ask("reference", q.Text)
	if agrees || err != nil {
		return vote.Interpreter, "", err
	}
	if differs != nil {
		r := vote.Rule(q.ID)
		if r == nil {
			return "", "", &against{"the interpreter differs: " + differs.Error()}
		}
		why = r.Reason
		if r.Contested {
			return vote.Contested, why, nil
		}
	}
	if q.Plain != "" {
		agrees, _, differs := ask("reference", q.Plain)
		if agrees || err != nil {
			return vote.Plain, why, err
		}
		if differs != nil && vote.Rule(q.ID) == nil {
			return "", "", &against{"the interpreter differs on the plain text: " + differs.Error()}
		}
	}
	agrees, lacking, differs := ask("numpy", q.Text)
	switch {
	case err != nil:
		return "", "", err
	case agrees:
		return vote.NumPy, why, nil
	case differs != nil:
		return "", "", &against{"NumPy differs: " + differs.Error()}
	case vote.Rule(q.ID) != nil:
		return "", "", &against{"there is a ruling against the interpreter, and no second witness: " + lacking}
	}
	return vote.One, why + "; NumPy: " + lacking, nil
}

func (p *poll) summary() string {
	counts := make(map[vote.Witness]int)
	for _, r := range p.new {
		counts[r.Witness]++
	}
	return fmt.Sprintf("%d programs: the interpreter agrees with %d, and with the plain text of %d, NumPy with %d; "+
		"%d have one witness, %d are contested, and %d have a witness against them", len(p.new)+len(p.wrong), counts[vote.Interpreter],
		counts[vote.Plain], counts[vote.NumPy], counts[vote.One], counts[vote.Contested], len(p.wrong))
}

// terse returns the first line of what a process printed, without the parts that differ
// from run to run.
func terse(words string) string {
	line := firstLine(words)
	if i := strings.Index(line, " Visit "); i >= 0 {
		line = line[:i]
	}
	return strings.Join(strings.Fields(line[:min(len(line), 120)]), " ")
}
