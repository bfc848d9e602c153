// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"sync"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// Probe is the user_arg of a callback, and records all calls of it: the callbacks of
// package capi see only the first.
type Probe struct {
	UserArg uintptr

	table *capi.Table
	then  func(ProbeCall)

	mu    sync.Mutex
	calls []ProbeCall
}

// ProbeCall is one call of a callback.
type ProbeCall struct {
	Err     error   // of an event; the plugin's object is freed
	Address uintptr // the device_buffer_ptr of a view
}

// Calls returns the calls so far.
func (p *Probe) Calls() []ProbeCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]ProbeCall(nil), p.calls...)
}

// Count returns the number of calls so far.
func (p *Probe) Count() int { return len(p.Calls()) }

func (p *Probe) called(c ProbeCall) {
	if p.then != nil {
		p.then(c)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, c)
}

// probes are the probes that can be called, by user_arg.
var probes struct {
	mu   sync.Mutex
	next uintptr            // guarded by mu
	byID map[uintptr]*Probe // guarded by mu
}

// NewProbe makes a probe with a user_arg of its own. then, if not nil, runs in
// the callback, before the call is counted.
func (t *T) NewProbe(then func(ProbeCall)) *Probe {
	probes.mu.Lock()
	probes.next++
	id := probes.next<<16 | 0xabcd
	probes.mu.Unlock()
	return t.NewProbeAt(id, then)
}

// NewProbeAt makes a probe with a user_arg that no other probe has at the time.
func (t *T) NewProbeAt(userArg uintptr, then func(ProbeCall)) *Probe {
	p := &Probe{UserArg: userArg, table: t.env.Table, then: then}
	probes.mu.Lock()
	defer probes.mu.Unlock()
	if probes.byID == nil {
		probes.byID = make(map[uintptr]*Probe)
	}
	probes.byID[userArg] = p
	t.ownFirst(p, func() {
		probes.mu.Lock()
		defer probes.mu.Unlock()
		delete(probes.byID, userArg)
	})
	return p
}

func probe(userArg uintptr) *Probe {
	probes.mu.Lock()
	defer probes.mu.Unlock()
	return probes.byID[userArg]
}

var readyEntry = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(err *capi.ErrorHandle, userArg uintptr) uintptr {
		if p := probe(userArg); p != nil {
			p.called(ProbeCall{Err: p.table.TakeError(err)})
		}
		return 0
	})
})

var deletedEntry = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(address, userArg uintptr) uintptr {
		if p := probe(userArg); p != nil {
			p.called(ProbeCall{Address: address})
		}
		return 0
	})
})

// OnReady returns the arguments that register the probe with an event.
func (p *Probe) OnReady(e *capi.Event) capi.EventOnReadyArgs {
	return capi.EventOnReadyArgs{Event: e, Callback: capi.EventOnReadyCallback(readyEntry()), UserArg: p.UserArg}
}

// OnDelete returns the probe as the callback of a view, and its argument.
func (p *Probe) OnDelete() (capi.ClientCreateViewOfDeviceBufferArgsOnDeleteCallback, uintptr) {
	return capi.ClientCreateViewOfDeviceBufferArgsOnDeleteCallback(deletedEntry()), p.UserArg
}
