// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// sequenced is what the functions below were called with, and what they answer.
var sequenced struct {
	calls    []string
	about    []*capi.Event
	event    *capi.Event
	failEach map[string]bool
}

func sequencedCall(name string, e *capi.Event) uintptr {
	sequenced.calls, sequenced.about = append(sequenced.calls, name), append(sequenced.about, e)
	if sequenced.failEach[name] {
		failing = fakeError{code: capi.ErrorCodeAborted, message: name}
		return uintptr(unsafe.Pointer(failing.handle()))
	}
	return 0
}

var (
	sequencedReady = entryOf(func(a *capi.BufferReadyEventArgs) uintptr {
		a.Event = sequenced.event
		return sequencedCall("make", nil)
	})
	sequencedAwait   = entryOf(func(a *capi.EventAwaitArgs) uintptr { return sequencedCall("wait", a.Event) })
	sequencedDestroy = entryOf(func(a *capi.EventDestroyArgs) uintptr { return sequencedCall("destroy", a.Event) })
)

// sequence makes an event, waits for it and destroys it.
type sequence struct {
	capi.Sequence
	ready   capi.Call[capi.BufferReadyEventArgs]
	await   capi.Call[capi.EventAwaitArgs]
	destroy capi.Call[capi.EventDestroyArgs]
}

func newSequence() *sequence {
	s := new(sequence)
	s.Add(&s.ready)
	capi.AddFor(&s.Sequence, &s.await, &s.ready.Args.Event, &s.await.Args.Event)
	capi.AddFor(&s.Sequence, &s.destroy, &s.ready.Args.Event, &s.destroy.Args.Event)
	return s
}

func TestASequenceCallsInOrderUntilACallFails(t *testing.T) {
	event := new(capi.Event)
	all := func(t *testing.T) *fake {
		return newFake(t, capi.APIMinor, 138).set(function[capi.BufferReadyEventArgs](), sequencedReady()).
			set(function[capi.EventAwaitArgs](), sequencedAwait()).set(function[capi.EventDestroyArgs](), sequencedDestroy())
	}
	var told []string
	before := capi.Before(func(f *capi.Function) { told = append(told, f.Name) })
	for _, c := range []struct {
		name    string
		event   *capi.Event
		fails   string
		without *capi.Function
		want    []string
		made    int
		err     string
	}{
		{name: "all", event: event, want: []string{"make", "wait", "destroy"}, made: 3},
		{name: "no handle", want: []string{"make"}, made: 3},
		{name: "first fails", event: event, fails: "make", want: []string{"make"}, err: "ABORTED"},
		{name: "second fails", event: event, fails: "wait", want: []string{"make", "wait"}, made: 1, err: "ABORTED"},
		{name: "last fails", event: event, fails: "destroy", want: []string{"make", "wait", "destroy"}, made: 2, err: "ABORTED"},
		{name: "first is missing", event: event, without: function[capi.BufferReadyEventArgs](), err: "UNIMPLEMENTED"},
		{name: "last is missing", event: event, without: function[capi.EventDestroyArgs](), want: []string{"make", "wait"}, made: 2,
			err: "UNIMPLEMENTED"},
		{name: "missing after a failure", event: event, fails: "make", without: function[capi.EventDestroyArgs](), want: []string{"make"},
			err: "ABORTED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := all(t)
			if c.without != nil {
				f.set(c.without, 0)
			}
			f.withErrors()
			for _, options := range [][]capi.TableOption{{capi.Reentrant()}, {capi.Reentrant(), before}} {
				table, err := capi.NewTable(f.api, options...)
				require.NoError(t, err)
				s := newSequence()
				for range 2 { // it can be used again
					sequenced.calls, sequenced.about, sequenced.event, told = nil, nil, c.event, nil
					sequenced.failEach = map[string]bool{c.fails: true}
					made, err := s.Do(table)
					assert.Equal(t, c.want, sequenced.calls)
					for i, e := range sequenced.about {
						if i > 0 {
							assert.Same(t, c.event, e)
						}
					}
					assert.Equal(t, c.made, made)
					if c.err == "" {
						require.NoError(t, err)
					} else {
						require.ErrorContains(t, err, c.err)
					}
					if len(options) > 1 {
						assert.GreaterOrEqual(t, len(told), len(c.want), "the hook is told of each call")
					}
				}
			}
		})
	}
}

func TestASequenceChecksResults(t *testing.T) {
	f := newFake(t, capi.APIMinor, 138).set(function[capi.BufferReadyEventArgs](), sequencedReady())
	sequenced.event, sequenced.failEach = nil, nil
	s := new(sequence)
	s.Add(&s.ready)
	made, err := s.Do(f.table(t).Checked())
	assert.Zero(t, made)
	assert.ErrorContains(t, err, "left the result event null")
}

func TestAVoidFunctionCannotBePartOfASequence(t *testing.T) {
	assert.Panics(t, func() { new(capi.Sequence).Add(new(capi.Call[capi.ErrorDestroyArgs])) })
}

func TestASequenceWithoutATableIsAnError(t *testing.T) {
	made, err := newSequence().Do(nil)
	assert.Zero(t, made)
	assert.Error(t, err)
}
