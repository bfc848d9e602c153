// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package session

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
)

// A worker notes the function's number before each call, and taskNote before each task:
// the function that a dead worker called last is often the culprit.
const taskNote = 0

// calls counts the calls of this process.
var calls atomic.Int64

// mostEarned limits what calls add to a check's limit, as a multiple of it, so that a
// check that makes calls for ever also ends.
const mostEarned = 9

// earned returns a function that says how much longer than its limit a check that
// begins now may run.
func (s *session) earned(limit time.Duration) func() time.Duration {
	before := calls.Load()
	return func() time.Duration {
		return min(time.Duration(calls.Load()-before)*s.setup.Pace, mostEarned*limit)
	}
}

var numbered = sync.OnceValues(func() ([]*capi.Function, map[*capi.Function]uint16) {
	list := []*capi.Function{nil}
	numbers := make(map[*capi.Function]uint16)
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			numbers[f] = uint16(len(list))
			list = append(list, f)
		}
	}
	return list, numbers
})

// noted returns the table, made again so that it notes its calls.
func noted(t *capi.Table) (*capi.Table, error) {
	_, numbers := numbered()
	return observed(t, func(f *capi.Function) {
		calls.Add(1)
		worker.Note(numbers[f])
	})
}

// observed returns the table, made again so that it calls before ahead of each call.
func observed(t *capi.Table, before func(*capi.Function)) (*capi.Table, error) {
	options := []capi.TableOption{capi.Before(before)}
	if t.Reentrant() {
		options = append(options, capi.Reentrant())
	}
	return capi.NewTable(t.API(), options...)
}

// Calls returns the functions that the notes stand for, back to the beginning of the
// newest task.
func Calls(notes []uint16) []string {
	list, _ := numbered()
	if i := slices.Index(notes, taskNote); i >= 0 {
		notes = notes[:i]
	}
	var names []string
	for _, n := range notes {
		if int(n) < len(list) {
			names = append(names, list[n].Name)
		}
	}
	return names
}
