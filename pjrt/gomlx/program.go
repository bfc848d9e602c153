// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"context"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"github.com/purepjrt/purepjrt/pjrt"
)

// program is one form of a compiled program.
type program struct {
	executable *Executable
	loaded     *pjrt.LoadedExecutable
	devices    []compute.DeviceNum // nil if each execution chooses one
	slots      []resultSlot        // by result

	mu      sync.Mutex
	shapes  []shapes.Shape // guarded by mu; of the results on one device
	last    []uint64       // guarded by mu; the arguments of the last execution that may be bound
	same    []int          // guarded by mu; the parameters whose arguments did not change in the last execution
	repeats int            // guarded by mu; for how many executions in a row
	bound   *binding       // guarded by mu; may be nil
}

// close closes the program; nil has nothing to close.
func (p *program) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	bound := p.bound
	p.mu.Unlock()
	if bound != nil {
		bound.drop()
	}
	p.loaded.Close()
}

// launch is one execution. Launches are reused, so that executions do not allocate
// their lists.
type launch struct {
	buffers []*Buffer      // the arguments, acquired
	arrays  []*pjrt.Buffer // their arrays
	donate  []bool         // empty for none
	taken   []bool         // those that are donated and whose memory results may take; empty for none
	open    []*pjrt.Buffer // the arguments that are not bound
	results []*pjrt.Buffer
	key     []byte
	options pjrt.ExecuteOptions
}

var launches = sync.Pool{New: func() any { return new(launch) }}

// reset releases the arguments and returns the launch to the pool.
func (l *launch) reset() {
	for _, b := range l.buffers {
		b.release()
	}
	clear(l.buffers)
	clear(l.arrays)
	clear(l.open)
	clear(l.results)
	*l = launch{buffers: l.buffers[:0], arrays: l.arrays[:0], donate: l.donate[:0], taken: l.taken[:0],
		open: l.open[:0], results: l.results[:0], key: l.key[:0], options: pjrt.ExecuteOptions{Keep: l.options.Keep[:0]}}
	launches.Put(l)
}

// donated reports whether argument i is donated.
func (l *launch) donated(i int) bool { return i < len(l.donate) && l.donate[i] }

// run executes the program.
func (p *program) run(l *launch, num compute.DeviceNum) ([]compute.Buffer, error) {
	ctx := context.Background()
	b := p.executable.backend
	l.options.ReuseResults = true
	if p.devices == nil {
		l.options.Device = b.devices[num]
	} else if bound := p.binding(l); bound != nil {
		defer bound.release()
		l.options.Bound = bound.bound
		l.open = bound.openOf(l)
	}
	args := l.arrays
	if l.options.Bound != nil {
		args = l.open
	}
	if len(p.devices) > 1 {
		return p.runOnAll(ctx, l, args)
	}
	if len(p.devices) == 1 {
		num = p.devices[0]
	}
	for i := range p.slots {
		l.results = append(l.results, p.slots[i].take())
	}
	if err := p.loaded.ExecuteInto(ctx, l.results, args, &l.options); err != nil {
		for i, closed := range l.results {
			p.slots[i].put(closed)
		}
		return nil, err
	}
	return p.wrap(make([]compute.Buffer, 0, len(l.results)), l.results, num)
}

// runOnAll executes the program on several devices.
func (p *program) runOnAll(ctx context.Context, l *launch, args []*pjrt.Buffer) ([]compute.Buffer, error) {
	n := len(args) / len(p.devices)
	lists := make([][]*pjrt.Buffer, len(p.devices))
	for d := range lists {
		lists[d] = args[d*n : d*n+n]
	}
	l.options.ReuseResults = false
	results, err := p.loaded.ExecuteAll(ctx, lists, &l.options)
	if err != nil {
		return nil, err
	}
	all := make([]compute.Buffer, 0, len(p.devices)*len(p.slots))
	for d, list := range results {
		if all, err = p.wrap(all, list, p.devices[d]); err != nil {
			for _, rest := range results[d+1:] {
				closeAll(rest)
			}
			return nil, err
		}
	}
	return all, nil
}

func closeAll(arrays []*pjrt.Buffer) {
	for _, a := range arrays {
		a.Close()
	}
}

// wrap appends the results of one device to list, as Buffers. If it fails, it closes all.
func (p *program) wrap(list []compute.Buffer, arrays []*pjrt.Buffer, num compute.DeviceNum) ([]compute.Buffer, error) {
	kinds := p.shapesOf(arrays)
	b := p.executable.backend
	for i, array := range arrays {
		buffer := &Buffer{backend: b, array: array, shape: kinds[i], device: num, id: lastID.Add(1), slot: &p.slots[i]}
		if err := b.adopt(buffer); err != nil {
			closeAll(arrays[i:])
			for _, made := range list {
				made.(*Buffer).finalize()
			}
			return nil, err
		}
		list = append(list, buffer)
	}
	return list, nil
}

// shapesOf returns the shapes of the results on one device.
func (p *program) shapesOf(arrays []*pjrt.Buffer) []shapes.Shape {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shapes == nil {
		for _, a := range arrays {
			p.shapes = append(p.shapes, fromPJRT(a.Shape()))
		}
	}
	return p.shapes
}

// resultSlot holds closed arrays of one result. Executions reuse them for new results,
// so that they allocate nothing in package pjrt.
type resultSlot struct {
	mu     sync.Mutex
	closed []*pjrt.Buffer // guarded by mu
}

// spareResults is how many closed arrays a slot keeps.
const spareResults = 4

// take returns a closed array, or nil.
func (s *resultSlot) take() *pjrt.Buffer {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.closed) - 1
	if n < 0 {
		return nil
	}
	array := s.closed[n]
	s.closed = s.closed[:n]
	return array
}

// put keeps a closed array that is no longer used.
func (s *resultSlot) put(array *pjrt.Buffer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if array != nil && len(s.closed) < spareResults {
		s.closed = append(s.closed, array)
	}
}
