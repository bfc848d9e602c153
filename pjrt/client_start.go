// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"time"
)

// slowStart is the time after which a start counts as slow.
const slowStart = 20 * time.Second

// warnWhenSlow logs that something of the plugin takes longer than
// after, unless stop is called before. 0 means slowStart, less than 0 never.
func (p *Plugin) warnWhenSlow(what string, after time.Duration) (stop func()) {
	if after < 0 {
		return func() {}
	}
	if after == 0 {
		after = slowStart
	}
	plugin := p.String()
	timer := time.AfterFunc(after, func() {
		notices().Warn("slow start of a PJRT plugin: "+what+" is still under way", "plugin", plugin, "after", after)
	})
	return func() { timer.Stop() }
}

// warnOfSecond logs that a client is about to take device memory in
// advance that another one of the process may have.
func (p *Plugin) warnOfSecond(create []Attribute) {
	if n := p.clients.Load(); n > 0 && p.preallocates(create) {
		notices().Warn("another client of a PJRT plugin preallocates device memory, which may not be left: "+
			"share one client, or switch preallocation off", "plugin", p.String(), "clients", n)
	}
}

// preallocates reports whether a client with these options takes most of the
// memory of its devices when it is made. Of the known plugins those for GPUs do.
func (p *Plugin) preallocates(create []Attribute) bool {
	preallocate := p.kind.GPU()
	for _, o := range create {
		switch o.Name {
		case "preallocate":
			preallocate = preallocate && o.Value == true
		case "allocator":
			preallocate = preallocate && o.Value != string(AllocatorPlatform)
		}
	}
	return preallocate
}
