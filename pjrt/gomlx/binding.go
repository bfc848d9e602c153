// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/purepjrt/purepjrt/pjrt"
)

// lastID is the number of the latest Buffer. Numbers rather than pointers tell the
// arguments of two executions apart, so that a program does not keep the memory of the
// first one's.
var lastID atomic.Uint64

// repeatsToBind is after how many executions with the same arguments these are bound: two
// may be chance, and binding costs as much as it saves in a few executions.
const repeatsToBind = 3

// binding holds arguments that executions of a program no longer check, because they stay
// the same. A buffer that is finalized or donated drops its bindings. A buffer that the
// program forgot stays as long as its binding: until the arguments change, or the
// executable is finalized or collected.
type binding struct {
	program *program
	bound   *pjrt.Bound
	fixed   []bool    // by parameter
	buffers []*Buffer // by device, then parameter; nil for open ones

	mu    sync.Mutex
	users int  // guarded by mu; executions under way
	ended bool // guarded by mu; bound is closed once there are no users
}

// binding returns the binding for an execution, or nil. The caller must release it.
func (p *program) binding(l *launch) *binding {
	n := len(p.executable.parameters)
	if n == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bound != nil {
		if p.bound.matches(l) {
			return p.bound.retain()
		}
		dropped := p.bound
		p.bound, p.repeats = nil, 0
		dropped.forget()
	}
	p.compare(l, n)
	if p.repeats < repeatsToBind || len(p.same) == 0 {
		return nil
	}
	p.repeats = 0
	if p.bound = p.bind(l, n); p.bound == nil {
		return nil
	}
	return p.bound.retain()
}

// boundBuffers returns the buffers that are bound now, by device, then parameter; nil for open ones.
func (p *program) boundBuffers() []*Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bound == nil {
		return nil
	}
	return p.bound.buffers
}

// retain adds an execution that uses the arguments. The caller holds program.mu, so that the
// binding cannot end before.
func (b *binding) retain() *binding {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.users++
	return b
}

// release ends the use that retain began.
func (b *binding) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.users--
	if b.ended && b.users == 0 {
		b.bound.Close()
	}
}

// compare finds out which arguments are the same as in the last execution.
func (p *program) compare(l *launch, n int) {
	if len(p.last) != len(l.buffers) {
		p.last = make([]uint64, len(l.buffers))
	}
	count, differs := 0, false
	for i := range n {
		same := true
		for k := i; k < len(l.buffers); k += n {
			id := l.buffers[k].id
			if l.donated(k) {
				id = 0
			}
			if id == 0 || p.last[k] != id {
				same = false
			}
			p.last[k] = id
		}
		if !same {
			continue
		}
		if count >= len(p.same) || p.same[count] != i {
			differs = true
			p.same = append(p.same[:count], i)
		}
		count++
	}
	if count != len(p.same) {
		differs = true
		p.same = p.same[:count]
	}
	if differs {
		p.repeats = 0
	}
	p.repeats++
}

// bind makes a binding of the arguments that stayed the same, or returns nil.
func (p *program) bind(l *launch, n int) *binding {
	b := &binding{program: p, fixed: make([]bool, n), buffers: make([]*Buffer, len(l.buffers))}
	args := make([]pjrt.Argument, n)
	for _, i := range p.same {
		b.fixed[i] = true
		args[i].Name = p.executable.names[i]
		for k := i; k < len(l.buffers); k += n {
			args[i].Buffers = append(args[i].Buffers, l.arrays[k])
			b.buffers[k] = l.buffers[k]
		}
	}
	bound, err := p.loaded.Bind(context.Background(), args...)
	if err != nil {
		return nil // the execution says what is wrong with the arguments
	}
	b.bound = bound
	for _, buffer := range b.buffers {
		if buffer != nil && !buffer.keptBy(b) {
			b.forget()
			return nil
		}
	}
	return b
}

// matches reports whether the binding has the arguments of an execution.
func (b *binding) matches(l *launch) bool {
	for i, buffer := range b.buffers {
		if buffer != nil && (buffer != l.buffers[i] || l.donated(i)) {
			return false
		}
	}
	return true
}

// openOf returns the arguments that are not bound.
func (b *binding) openOf(l *launch) []*pjrt.Buffer {
	open := l.open
	for i, a := range l.arrays {
		if b.buffers[i] == nil {
			open = append(open, a)
		}
	}
	return open
}

// drop ends the binding. Executions under way keep the arguments.
func (b *binding) drop() {
	p := b.program
	p.mu.Lock()
	if p.bound == b {
		p.bound, p.repeats = nil, 0
	}
	p.mu.Unlock()
	b.forget()
}

// forget releases the arguments, once no execution uses them.
func (b *binding) forget() {
	self := weak.Make(b)
	for _, buffer := range b.buffers {
		if buffer != nil {
			buffer.mu.Lock()
			buffer.bindings = slices.DeleteFunc(buffer.bindings, func(o weak.Pointer[binding]) bool { return o == self })
			buffer.mu.Unlock()
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	if b.users == 0 {
		b.bound.Close()
	}
}

// keptBy notes that a binding keeps the buffer. It reports false if the buffer was
// finalized or donated.
func (b *Buffer) keptBy(by *binding) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.array == nil || b.donated {
		return false
	}
	// A weight must not keep executables that the program forgot.
	b.bindings = append(b.bindings, weak.Make(by))
	return true
}
