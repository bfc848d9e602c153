// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Mapping is host memory that devices transfer from and to without a copy in between.
// Its methods may be called from any goroutine.
type Mapping struct {
	data    []byte
	ref     *lifetime.Ref[byte]
	closed  atomic.Bool
	outcome *error // of PJRT_Client_DmaUnmap
}

// span is a range of addresses, up to but not including end.
type span struct{ start, end uintptr }

// mapped holds the memory that is mapped for all clients.
var mapped = struct {
	mu    sync.Mutex
	spans map[weak.Pointer[pjrt.Client]][]span // guarded by mu
	// pins keep memory that a plugin refused to unmap, since devices may use it until
	// the process ends.
	pins []*runtime.Pinner // guarded by mu
}{spans: make(map[weak.Pointer[pjrt.Client]][]span)}

// MapDMA lets the devices of the client transfer from and to data without a copy in
// between (PJRT_Client_DmaMap, API 0.67), until Mapping.Close. Until then MapDMA pins the
// memory; the caller may still read and write it. The memory must not overlap any that is
// already mapped for the client. Some plugins require whole pages. Many plugins, XLA's
// plugin for CPUs among them, do not implement the function; the error is then
// pjrt.ErrUnimplemented. MapDMA may be called from any goroutine.
func MapDMA(client *pjrt.Client, data []byte) (*Mapping, error) {
	h, release, err := raw.AcquireClient(client)
	if err != nil {
		return nil, err
	}
	defer release()
	if len(data) == 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("there is no memory to map: data is empty")
	}
	start := unsafe.SliceData(data)
	s := span{uintptr(unsafe.Pointer(start)), uintptr(unsafe.Pointer(start)) + uintptr(len(data))}
	of := weak.Make(client)
	if err := claim(of, s); err != nil {
		return nil, err
	}
	pins := new(runtime.Pinner)
	pins.Pin(start)
	table := raw.Table(client.Plugin())
	var call capi.Call[capi.ClientDMAMapArgs]
	call.Args.Client = h
	call.Args.Data, call.Args.Size = unsafe.Pointer(start), uintptr(len(data))
	if err := call.Do(table); err != nil {
		pins.Unpin()
		disclaim(of, s)
		return nil, err
	}
	outcome := new(error)
	ref := lifetime.New("DMA mapping", start, raw.Parent(client), func(start *byte) {
		var call capi.Call[capi.ClientDMAUnmapArgs]
		call.Args.Client, call.Args.Data = h, unsafe.Pointer(start)
		if *outcome = call.Do(table); *outcome != nil {
			mapped.mu.Lock()
			defer mapped.mu.Unlock()
			mapped.pins = append(mapped.pins, pins)
			return
		}
		pins.Unpin()
		disclaim(of, s)
	})
	return &Mapping{data: data, ref: ref, outcome: outcome}, nil
}

// claim notes that memory is about to be mapped for a client. It returns an error if part
// of the memory is already mapped.
func claim(of weak.Pointer[pjrt.Client], s span) error {
	mapped.mu.Lock()
	defer mapped.mu.Unlock()
	for _, m := range mapped.spans[of] {
		if s.start < m.end && m.start < s.end {
			return pjrt.ErrInvalidArgument.Errorf("the memory, or part of it, is already mapped for the client")
		}
	}
	mapped.spans[of] = append(mapped.spans[of], s)
	return nil
}

// disclaim notes that memory is no longer mapped.
func disclaim(of weak.Pointer[pjrt.Client], s span) {
	mapped.mu.Lock()
	defer mapped.mu.Unlock()
	list := mapped.spans[of]
	if i := slices.Index(list, s); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	if mapped.spans[of] = list; len(list) == 0 {
		delete(mapped.spans, of)
	}
}

// Data returns the memory that is mapped.
func (m *Mapping) Data() []byte {
	if m == nil {
		return nil
	}
	return m.data
}

// Close ends the mapping (PJRT_Client_DmaUnmap) and returns the plugin's error. Transfers
// that use the memory must be over. When the plugin refuses, the memory is never freed.
// Closing again does nothing.
func (m *Mapping) Close() error {
	if m == nil || m.ref == nil || !m.closed.CompareAndSwap(false, true) {
		return nil
	}
	m.ref.Close()
	return *m.outcome
}
