// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package profiler

import (
	"bytes"
	"context"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/pjrt"
)

// Recording records what the process does, from Record to Stop. Its methods may be called
// from any goroutine.
type Recording struct {
	begin   time.Time
	remove  func() // ends the observation of package pjrt
	quit    chan struct{}
	sampled chan struct{} // closed after the last sample

	mu        sync.Mutex
	stopped   bool                  // guarded by mu
	plugins   []*pjrt.Plugin        // guarded by mu; those that profilers record
	profilers []*Profiler           // guarded by mu until stopped
	spans     []Span                // guarded by mu until stopped
	samples   []Sample              // guarded by mu
	devices   map[*pjrt.Device]bool // guarded by mu; whether to ask for their memory
}

// Span is something that the Go side did.
type Span struct {
	// Kind is the kind of the operation, or [Region].
	Kind pjrt.OperationKind
	// Program is the name of the program or of the region, "" if unknown.
	Program string
	// Goroutine is the number of the goroutine that began the span.
	Goroutine uint64
	Start     time.Time
	Duration  time.Duration
	Bytes     int64    // of the program or the array, 0 if unknown
	Devices   []string // that took part
	Err       error
}

// Region is the kind of spans that [Recording.Region] makes.
const Region pjrt.OperationKind = "region"

// Sample is how much memory was in use at one time.
type Sample struct {
	Time time.Time
	// HeapBytes is the size of the objects on Go's heap.
	HeapBytes int64
	// Live counts the objects of package pjrt that are not closed, by kind.
	Live map[string]int
	// DeviceBytes is how much memory each device has allocated, if its plugin reports that.
	DeviceBytes map[string]int64
}

// between is the time between samples.
const between = 5 * time.Millisecond

// Record begins to record the operations of package pjrt in the whole process, and what the
// plugins report about their devices: see [Recording.Add]. Call Stop when everything of
// interest is done; until then, the recording grows by a few hundred bytes for each operation.
func Record(plugins ...*pjrt.Plugin) (*Recording, error) {
	r := &Recording{
		begin: time.Now(), quit: make(chan struct{}), sampled: make(chan struct{}), devices: make(map[*pjrt.Device]bool),
	}
	for _, p := range plugins {
		if err := r.Add(p); err != nil {
			for _, x := range r.profilers {
				_ = x.Close() // the first error counts
			}
			return nil, err
		}
	}
	r.remove = pjrt.Observe((*observer)(r))
	go r.sampleUntilStop()
	return r, nil
}

// Add includes the profiler of a plugin from now on. A plugin that has no profiler, or was
// added before, is ignored.
func (r *Recording) Add(p *pjrt.Plugin) error {
	if r == nil || r.quit == nil {
		return errNoRecording
	}
	if p == nil {
		return pjrt.ErrInvalidArgument.Errorf("the plugin to record is nil")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.stopped:
		return errStopped
	case !extensions.Supported(p, capi.ExtensionTypeProfiler) || slices.Contains(r.plugins, p):
		return nil
	}
	x, err := New(p, nil)
	if err != nil {
		return err
	}
	if err := x.Start(); err != nil {
		_ = x.Close()
		return err
	}
	r.plugins, r.profilers = append(r.plugins, p), append(r.profilers, x)
	return nil
}

var (
	errNoRecording = pjrt.ErrInvalidArgument.Errorf("the recording is nil: make one with profiler.Record")
	errStopped     = pjrt.ErrFailedPrecondition.Errorf("the recording was already stopped")
)

// Region marks a part of the program, such as a training step, until end is called. The region
// belongs to the goroutine that calls Region, and is part of the recording if end is called
// before Stop.
func (r *Recording) Region(name string) (end func()) {
	if r == nil {
		return func() {}
	}
	s := Span{Kind: Region, Program: name, Goroutine: goroutine(), Start: time.Now()}
	return func() {
		s.Duration = time.Since(s.Start)
		r.add(s)
	}
}

func (r *Recording) add(s Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.spans = append(r.spans, s)
	}
}

// Stop ends the recording and returns it. Operations that are still under way are left out. If
// the profiler of a plugin fails, Stop returns both its error and the profile without that
// part. Stopping again is pjrt.ErrFailedPrecondition.
func (r *Recording) Stop() (*Profile, error) {
	if r == nil || r.remove == nil {
		return nil, errNoRecording
	}
	r.mu.Lock()
	was := r.stopped
	r.stopped = true
	r.mu.Unlock()
	if was {
		return nil, errStopped
	}
	r.remove()
	close(r.quit)
	<-r.sampled
	p := &Profile{Begin: r.begin, Spans: r.spans, Samples: r.samples}
	var failed error
	for _, x := range r.profilers {
		err := x.Stop()
		var data []byte
		if err == nil {
			data, err = x.Data()
		}
		if err != nil && failed == nil {
			failed = err
		}
		p.plugins = append(p.plugins, data)
		_ = x.Close() // its data was already read
	}
	p.End = time.Now()
	slices.SortStableFunc(p.Spans, func(a, b Span) int { return a.Start.Compare(b.Start) })
	return p, failed
}

// observer is the Recording as package pjrt sees it.
type observer Recording

// number is the key of a context's goroutine.
type number struct{}

func (o *observer) Start(ctx context.Context, op pjrt.Operation) context.Context {
	return context.WithValue(ctx, number{}, goroutine())
}

func (o *observer) End(ctx context.Context, op pjrt.Operation) {
	r := (*Recording)(o)
	s := Span{Kind: op.Kind, Program: op.Program, Start: op.Start, Duration: op.Duration, Bytes: op.Bytes, Err: op.Err}
	s.Goroutine, _ = ctx.Value(number{}).(uint64)
	for _, d := range op.Devices {
		s.Devices = append(s.Devices, d.String())
	}
	r.add(s)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range op.Devices {
		if _, known := r.devices[d]; !known {
			r.devices[d] = true
		}
	}
}

// goroutine returns the number of the goroutine, which Go reveals only in the text of its
// stack: goroutine 17 [running].
func goroutine() uint64 {
	var text [40]byte
	rest, _ := bytes.CutPrefix(text[:runtime.Stack(text[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(rest, []byte(" "))
	n, _ := strconv.ParseUint(string(digits), 10, 64)
	return n
}

// sampleUntilStop takes samples at the beginning, at the end and in between.
func (r *Recording) sampleUntilStop() {
	defer close(r.sampled)
	tick := time.NewTicker(between)
	defer tick.Stop()
	for {
		r.sample()
		select {
		case <-r.quit:
			r.sample()
			return
		case <-tick.C:
		}
	}
}

func (r *Recording) sample() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	s := Sample{Time: time.Now(), HeapBytes: int64(heap[0].Value.Uint64()), Live: pjrt.Live()}
	r.mu.Lock()
	var ask []*pjrt.Device
	for d, worth := range r.devices {
		if worth {
			ask = append(ask, d)
		}
	}
	r.mu.Unlock()
	for _, d := range ask {
		stats, err := d.MemoryStats()
		if err != nil { // not reported, or the client is closed
			r.mu.Lock()
			r.devices[d] = false
			r.mu.Unlock()
			continue
		}
		if s.DeviceBytes == nil {
			s.DeviceBytes = make(map[string]int64)
		}
		s.DeviceBytes[d.String()] = stats.InUse
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.samples = append(r.samples, s)
}
