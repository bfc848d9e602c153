// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// DMAMapping is host memory that devices can transfer from and to directly.
type DMAMapping struct {
	data    []byte
	ref     *lifetime.Ref[byte]
	claimed atomic.Bool // by Unmap or Close
	outcome *error      // of the plugin's unmapping
}

// span is a range of addresses, up to but not including end.
type span struct{ start, end uintptr }

// stuck are mappings that a plugin refused to end. Devices may use their memory
// for as long as the process runs, so it must stay.
var stuck struct {
	mu   sync.Mutex
	pins []*runtime.Pinner // guarded by mu
}

// MapDMA lets devices transfer from and to data without a copy in between
// (PJRT_Client_DmaMap, API 0.67), until Unmap. The memory is pinned and kept
// alive so long; what is in it stays the caller's. It must not overlap memory
// that is mapped already. Some plugins want whole pages. Many, CPU's among them,
// do not implement it: the error is ErrUnimplemented then.
func (c *Client) MapDMA(data []byte) (*DMAMapping, error) {
	if len(data) == 0 {
		return nil, invalid("there is no memory to map: data is empty")
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	start := unsafe.SliceData(data)
	s := span{uintptr(unsafe.Pointer(start)), uintptr(unsafe.Pointer(start)) + uintptr(len(data))}
	if err := c.claimSpan(s); err != nil {
		return nil, err
	}
	pins := new(runtime.Pinner)
	pins.Pin(start)
	var call capi.Call[capi.ClientDMAMapArgs]
	call.Args.Client = h
	call.Args.Data, call.Args.Size = unsafe.Pointer(start), uintptr(len(data))
	if err := call.Do(c.table); err != nil {
		pins.Unpin()
		c.giveSpanUp(s)
		return nil, err
	}
	outcome := new(error)
	ref := lifetime.New("DMA mapping", start, c.ref, func(start *byte) {
		if *outcome = c.unmapDMA(h, start); *outcome != nil {
			stuck.mu.Lock()
			defer stuck.mu.Unlock()
			stuck.pins = append(stuck.pins, pins)
			return
		}
		pins.Unpin()
		c.giveSpanUp(s)
	})
	return &DMAMapping{data: data, ref: ref, outcome: outcome}, nil
}

// unmapDMA undoes the mapping in the plugin. The mapping keeps the client.
func (c *Client) unmapDMA(h *capi.Client, start *byte) error {
	var call capi.Call[capi.ClientDMAUnmapArgs]
	call.Args.Client, call.Args.Data = h, unsafe.Pointer(start)
	return call.Do(c.table)
}

// claimSpan notes that memory is mapped, unless some of it is already.
func (c *Client) claimSpan(s span) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.mapped {
		if s.start < m.end && m.start < s.end {
			return invalid("the memory, or some of it, is mapped already")
		}
	}
	c.mapped = append(c.mapped, s)
	return nil
}

func (c *Client) giveSpanUp(s span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.mapped, s); i >= 0 {
		c.mapped = slices.Delete(c.mapped, i, i+1)
	}
}

// Data returns the memory that is mapped.
func (m *DMAMapping) Data() []byte { return m.data }

// Unmap ends the mapping (PJRT_Client_DmaUnmap). No transfer may use the memory
// any more. Unmapping again is an error, with ErrClosed in its chain. When the
// plugin fails, the memory is kept until the process ends.
func (m *DMAMapping) Unmap() error {
	if m == nil {
		return invalid("the mapping is nil")
	}
	if !m.claimed.CompareAndSwap(false, true) {
		return &closedError{"the memory was unmapped before"}
	}
	m.ref.Close()
	return *m.outcome
}

// Close ends the mapping like Unmap, but does nothing when that has happened.
func (m *DMAMapping) Close() error {
	if m == nil || !m.claimed.CompareAndSwap(false, true) {
		return nil
	}
	m.ref.Close()
	return *m.outcome
}

// closedError is ErrClosed with words of its own.
type closedError struct{ text string }

func (e *closedError) Error() string { return e.text }
func (e *closedError) Unwrap() error { return ErrClosed }
