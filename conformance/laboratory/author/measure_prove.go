// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
)

// random returns the source of random choices, and prints its seed.
func (m *measurer) random() *rand.Rand {
	if m.seed == 0 {
		m.seed = rand.Uint64N(1 << 32)
	}
	fmt.Printf("seed %d\n", m.seed)
	return rand.New(rand.NewPCG(m.seed, 0))
}

// compare measures some rows of a profile again, and fails if one is different.
func (m *measurer) compare(ctx context.Context, c *watcher) error {
	p, err := readProfile(m.file(c))
	if err != nil {
		return err
	}
	if m.offHost && p.OffHost != nil {
		p = p.At(true)
	}
	if !slices.Equal(p.Actions, c.Actions) {
		return fmt.Errorf("%s: the profile has other actions than the program: remove it, and measure again", m.file(c))
	}
	normal, err := m.normal(c, p)
	if err != nil {
		return err
	}
	random := m.random()
	different := 0
	for n, i := range random.Perm(len(p.Rows)) {
		if n == m.check {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		old := p.Rows[i]
		if old.Subject == callers.Baseline {
			continue
		}
		s := subject{old.Subject, old.Mode}
		results, err := c.do(variables([]subject{s}), concerned(p, s))
		if err != nil {
			return err
		}
		found := row(p, normal, results, s)
		if slices.Equal(found.Outcomes, old.Outcomes) || timed(s) && slices.Max(found.Outcomes) == slices.Max(old.Outcomes) {
			continue
		}
		different++
		for i, o := range found.Outcomes {
			if o != old.Outcomes[i] {
				fmt.Printf("%s: %s %s: %s: %s, and %s in the profile: %s\n",
					p.Client, s.name, s.mode, p.Actions[i], o, old.Outcomes[i], found.Why)
			}
		}
	}
	fmt.Printf("%s: %d rows measured again, %d differ\n", p.Client, m.check, different)
	if different > 0 {
		return fmt.Errorf("%s: %d rows are not what the profile says", p.Client, different)
	}
	return nil
}

// timed reports whether the client calls a function only if an event is ready when it asks, or not
// yet.
func timed(s subject) bool { return strings.HasPrefix(s.name, "PJRT_Event_") }

// prove compares predictions with what happens with plugins that have several faults,
// and writes the comparison beside the profile. It fails if the client does worse than
// predicted, or better without a reason that the profile gives. Sets that the file has
// are not measured again.
func (m *measurer) prove(ctx context.Context, c *watcher) error {
	p, err := readProfile(m.file(c))
	if err != nil {
		return err
	}
	file := filepath.Join(m.out, "sets", base(c)+".tsv")
	if m.offHost {
		if p.OffHost == nil {
			return fmt.Errorf("%s: nothing was measured off the host: measure with -off-host, and without -sets", m.file(c))
		}
		p = p.At(true)
		file = filepath.Join(m.out, "sets", base(c)+callers.OffHostSets)
	}
	normal, err := m.normal(c, p)
	if err != nil {
		return err
	}
	sets, err := readSets(file)
	if err != nil {
		return err
	}
	random := m.random()
	all := subjects(p.Calls, m.table)
	for len(sets) < m.sets {
		if err := ctx.Err(); err != nil {
			return err
		}
		faults := draw(random, all)
		results, err := c.do(variables(faults), c.Actions)
		if err != nil {
			return err
		}
		s := callers.Set{Found: row(p, normal, results, subject{}).Outcomes}
		for _, f := range faults {
			s.Faults = append(s.Faults, callers.Fault{Subject: f.name, Mode: f.mode})
		}
		s.Predicted, s.Explained = p.Explain(s.Faults, m.extensions(), s.Found)
		sets = append(sets, s)
		fmt.Printf("%s set %d: %s\n", p.Client, len(sets), s)
		if err := writeSets(file, sets); err != nil {
			return err
		}
	}
	wrong := 0
	for i := range sets {
		s := &sets[i]
		s.Predicted, s.Explained = p.Explain(s.Faults, m.extensions(), s.Found)
		for _, a := range s.Unexplained() {
			wrong++
			fmt.Printf("%s set %d: %s: %s was predicted, and %s was found\n", p.Client, i+1, p.Actions[a], s.Predicted[a], s.Found[a])
		}
	}
	if err := writeSets(file, sets); err != nil {
		return err
	}
	if wrong > 0 {
		return fmt.Errorf("%s: %d actions differ from the prediction without a reason", p.Client, wrong)
	}
	return nil
}

// extensions returns the names of the plugin's extensions.
func (m *measurer) extensions() []string {
	var names []string
	for _, x := range m.table.Extensions() {
		names = append(names, x.Type.String())
	}
	return names
}

// draw returns one to five faults, at most one of which makes the API older.
func draw(random *rand.Rand, all []subject) []subject {
	names := make(map[string]bool)
	var faults []subject
	older := false
	for want := 1 + random.IntN(5); len(faults) < want; {
		s := all[random.IntN(len(all))]
		if names[s.name] || s.mode == callers.Older && older {
			continue
		}
		names[s.name] = true
		older = older || s.mode == callers.Older
		faults = append(faults, s)
	}
	return faults
}

func readSets(path string) ([]callers.Set, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var sets []callers.Set
	for line := range strings.Lines(string(text)) {
		s, err := callers.ParseSet(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func writeSets(path string, sets []callers.Set) error {
	var b strings.Builder
	for _, s := range sets {
		b.WriteString(s.String() + "\n")
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
