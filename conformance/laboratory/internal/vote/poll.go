// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package vote

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/conformance/internal/expect"
)

//go:embed evaluate.py model.py
var scripts embed.FS

// Poll asks the witnesses of programs. The programs run in child processes, since some crash
// StableHLO's interpreter.
type Poll struct {
	// Python is the interpreter that has jaxlib.
	Python string
	// Sample is how many programs Run votes on besides those that are new or changed since the
	// table was written; it then writes nothing. If it is negative, Run votes on all programs and
	// writes the table.
	Sample int
	// Changed makes Run vote only on programs that are new or changed since the table was written,
	// and write the table with the other rows as they are. Sample does not count then.
	Changed bool
	// Seed decides which programs are chosen.
	Seed string
	// Table is the file to write.
	Table string
	// Jobs is the number of child processes.
	Jobs int

	folder string // of the scripts
	old    Table
	// chosen, when not nil, holds the programs to vote on besides those whose rows are
	// stale.
	chosen map[string]bool

	mu    sync.Mutex
	new   Table
	seen  map[string]bool
	wrong []string
	stale []string
}

// Run votes, and prints what it found. It fails when a witness contradicts a value and there is no
// ruling on it, or when the table is stale.
func (p *Poll) Run(ctx context.Context) error {
	var err error
	if p.folder, err = os.MkdirTemp("", "poll"); err != nil {
		return err
	}
	defer os.RemoveAll(p.folder)
	if err := os.CopyFS(p.folder, scripts); err != nil {
		return err
	}
	if p.old, err = Votes(); err != nil && (p.Sample >= 0 || p.Changed) {
		return err
	}
	p.new = make(Table)
	if p.Changed {
		p.Sample, p.chosen = -1, make(map[string]bool)
	} else if p.Sample >= 0 {
		p.chosen = chosen(p.old, p.Sample, p.Seed)
		fmt.Printf("voting on what changed and on %d other programs, chosen by the seed %s\n", len(p.chosen), p.Seed)
	}
	if err := p.all(ctx); err != nil {
		return err
	}
	fmt.Println(p.summary())
	switch {
	case len(p.wrong) > 0:
		return fmt.Errorf("witnesses contradict %d programs", len(p.wrong))
	case p.Sample < 0:
		return os.WriteFile(p.Table, []byte(p.new.String()), 0o644)
	}
	for id := range p.old {
		if !p.seen[id] {
			p.stale = append(p.stale, id+": there is no such program")
		}
	}
	for _, s := range p.stale {
		fmt.Println("stale:", s)
	}
	if len(p.stale) > 0 {
		return errors.New("the table is stale: run make votes to write it anew")
	}
	return nil
}

// chosen returns n programs of a table, picked at random by a seed.
func chosen(t Table, n int, seed string) map[string]bool {
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

func (p *Poll) all(ctx context.Context) error {
	p.seen = make(map[string]bool)
	work := make(chan expect.Check)
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for range p.Jobs {
		wg.Go(func() {
			j := &juror{python: p.Python, folder: p.folder}
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
	for _, c := range Checks() {
		work <- c
	}
	close(work)
	wg.Wait()
	return context.Cause(ctx)
}

// program votes on q if it was chosen or its row is stale.
func (p *Poll) program(ctx context.Context, j *juror, q *expect.Program) error {
	digest := q.Digest()
	old, known := p.old[q.ID]
	changed := !known || old.Digest != digest
	choose := p.chosen == nil || changed || p.chosen[q.ID]
	p.mu.Lock()
	p.seen[q.ID] = true
	if !choose && p.Changed {
		p.new[q.ID] = old
	}
	p.mu.Unlock()
	if !choose {
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
	row := Row{ID: q.ID, Digest: digest, Witness: witness, Why: why}
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
func ballot(ctx context.Context, j *juror, q *expect.Program) (w Witness, why string, err error) {
	ask := func(by, text string) (agrees bool, reason string, differs error) {
		results, e := j.ask(ctx, by, Ballot(q, text))
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
		got, e := Count(q, results)
		if e == nil {
			e = q.Accept(got)
		}
		return e == nil, "", e
	}
	agrees, why, differs := ask("reference", q.Text)
	if agrees || err != nil {
		return Interpreter, "", err
	}
	if differs != nil {
		r := Rule(q.ID)
		if r == nil {
			return "", "", &against{"the interpreter differs: " + differs.Error()}
		}
		why = r.Reason
		if r.Contested {
			return Contested, why, nil
		}
	}
	if q.Plain != "" {
		agrees, _, differs := ask("reference", q.Plain)
		if agrees || err != nil {
			return Plain, why, err
		}
		if differs != nil && Rule(q.ID) == nil {
			return "", "", &against{"the interpreter differs on the plain text: " + differs.Error()}
		}
	}
	agrees, lacking, differs := ask("numpy", q.Text)
	switch {
	case err != nil:
		return "", "", err
	case agrees:
		return NumPy, why, nil
	case differs != nil:
		return "", "", &against{"NumPy differs: " + differs.Error()}
	case Rule(q.ID) != nil:
		return "", "", &against{"there is a ruling against the interpreter, and no second witness: " + lacking}
	}
	return One, why + "; NumPy: " + lacking, nil
}

func (p *Poll) summary() string {
	counts := make(map[Witness]int)
	for _, r := range p.new {
		counts[r.Witness]++
	}
	return fmt.Sprintf("%d programs: the interpreter agrees with %d, and with the plain text of %d, NumPy with %d; "+
		"%d have one witness, %d are contested, and %d have a witness against them", len(p.new)+len(p.wrong), counts[Interpreter],
		counts[Plain], counts[NumPy], counts[One], counts[Contested], len(p.wrong))
}

// terse returns the first line of what a process printed, without the parts that differ
// from run to run.
func terse(words string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
	if i := strings.Index(line, " Visit "); i >= 0 {
		line = line[:i]
	}
	return strings.Join(strings.Fields(line[:min(len(line), 120)]), " ")
}
