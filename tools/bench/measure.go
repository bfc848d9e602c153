// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// The shape of a measurement.
const (
	batchTime   = time.Millisecond       // short, so that most batches are not interrupted
	jobTime     = 100 * time.Millisecond // of a batch of a job: the first milliseconds after a pause are not like the others
	batches     = 7                      // of each program in a round, where they are short
	leastRounds = 5                      // however long they take
)

// measurer measures rows with the programs that are running.
type measurer struct {
	place     place
	processes []*process
	served    map[string]map[string][]float64 // what serving measured, by job and program
	servers   map[string]float64              // the memory of the servers, by program
	rounds    int                             // maximum
	budget    time.Duration                   // for one row; at least leastRounds rounds are done
}

// taking is a program that takes part in a row.
type taking struct {
	*process
	n     int       // operations in a batch
	warm  int       // operations before it that are not timed
	took  float64   // nanoseconds of an operation, roughly
	times []float64 // nanoseconds of an operation, one for each round
	most  float64   // the memory of a process that does nothing else, at once, in bytes
}

// measure measures a row. It returns nil if no program has the row's job.
func (m *measurer) measure(r row) (*Row, error) {
	if r.own != nil {
		return r.own(m, r)
	}
	// On a GPU the memory of the host is of little interest, and clients take long to start.
	if r.starts > 0 && !(m.place.gpu && group(r.name) == jobs) {
		return m.measureAnew(r)
	}
	taking, err := m.sample(m.processes, r)
	if err != nil {
		return nil, err
	}
	return r.result(taking)
}

// measureAnew measures a row in new processes, several times.
func (m *measurer) measureAnew(r row) (*Row, error) {
	part := *m
	part.rounds, part.budget = max(1, m.rounds/r.starts), m.budget/time.Duration(r.starts)
	times, most := map[string][]float64{}, map[string]float64{}
	var result *Row
	for range r.starts {
		err := func() (err error) {
			processes, err := startAll(&m.place, r.has)
			defer func() { err = cmp.Or(err, closeAll(processes)) }()
			if err != nil {
				return err
			}
			taking, err := part.sample(processes, r)
			if err != nil {
				return err
			}
			for _, t := range taking {
				times[t.program] = append(times[t.program], t.times...)
				t.times = times[t.program]
				if group(r.name) == jobs {
					most[t.program] = max(most[t.program], peak(t.cmd.Process))
					t.most = most[t.program]
				}
			}
			result, err = r.result(taking)
			return err
		}()
		if err != nil {
			return nil, err
		}
	}
	return result, nil
}

// sample lets the programs that have the row's job take turns at it.
func (m *measurer) sample(processes []*process, r row) ([]*taking, error) {
	var all []*taking
	for _, p := range processes {
		if !r.has(p.program) {
			continue
		}
		t, err := prepare(p, r)
		if err != nil {
			return nil, err
		}
		if t != nil {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, m.takeTurns(all, r.rounds)
}

// result returns the result of the programs that took turns, and ends their jobs. It returns nil if
// there are none.
func (r row) result(all []*taking) (*Row, error) {
	if len(all) == 0 {
		return nil, nil
	}
	result := &Row{Name: r.name, Cells: map[string]*Cell{}}
	jax := slices.IndexFunc(all, func(t *taking) bool { return t.program == withJAX })
	for _, t := range all {
		c := &Cell{Nanoseconds: quartilesOf(t.times), Memory: t.most}
		if all[0].program == baseline && r.unit == nil { // a size may be 0
			ratio := quartilesOf(ratiosOf(t.times, all[0].times))
			c.Ratio = &ratio
		}
		if jax >= 0 && group(r.name) == jobs {
			ratio := quartilesOf(ratiosOf(t.times, all[jax].times))
			c.OfJAX = &ratio
		}
		n := min(t.n, 1000)
		var allocs [2]float64
		var ok bool
		var err error
		if r.unit == nil {
			if allocs, ok, err = t.ask("allocs %d", n); err != nil {
				return nil, err
			}
		}
		if ok {
			// What the runtime itself allocates now and then is less than half an object.
			c.Allocs, c.Bytes = ptr(math.Round(allocs[0]/float64(n))), ptr(math.Round(allocs[1]/float64(n)))
		}
		result.Cells[t.program] = c
		if _, _, err := t.ask("finish"); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func ptr[T any](v T) *T { return &v }

// prepare finds how many operations make a batch: one if the row sets its number of rounds. It
// returns nil if the program does not have the job.
func prepare(p *process, r row) (*taking, error) {
	_, ok, err := p.ask("prepare %s %d", r.jobOf(p.program), r.param)
	if err != nil || !ok {
		return nil, err
	}
	t := &taking{process: p, n: 1}
	aim := float64(batchTime)
	if group(r.name) == jobs {
		aim = float64(jobTime)
	}
	for r.rounds == 0 {
		if t.took, err = p.run(t.n, 1); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		if t.took*float64(t.n) >= aim/2 || t.n >= 1<<24 {
			t.n = max(1, int(aim/max(t.took, 1)))
			// After a pause, caches and schedulers need a while to settle.
			if group(r.name) == jobs {
				t.warm = t.n / 10
			} else if t.n >= 8 {
				t.warm = t.n
			}
			return t, nil
		}
		t.n *= 4
	}
	return t, nil
}

// takeTurns fills in the times of all programs. It does the given number of rounds, or as many
// as there is time for if that is 0.
func (m *measurer) takeTurns(taking []*taking, rounds int) error {
	var all float64 // one batch of each
	for _, t := range taking {
		all += t.took * float64(t.n)
	}
	perRound := batches
	for perRound > 1 && all*float64(perRound*leastRounds) > float64(m.budget) {
		perRound--
	}
	if rounds > 0 {
		perRound = 1
	} else {
		rounds = min(m.rounds, max(leastRounds, int(float64(m.budget)/(all*float64(perRound)))))
	}
	for round := range rounds {
		samples := make([][]float64, len(taking))
		for range perRound {
			for i := range taking {
				i = (i + round) % len(taking)
				t := taking[i]
				took, err := t.run(t.n, t.warm)
				if err != nil {
					return err
				}
				samples[i] = append(samples[i], took)
			}
		}
		for i, t := range taking {
			t.times = append(t.times, low(samples[i]))
		}
	}
	return nil
}
