// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"hash/maphash"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

// loan is memory of the client that the plugin may read until an event is ready. Until then the
// client must neither free nor change it.
type loan struct {
	at, size uintptr
	sum      uint64
	call     string // that lent it
	function string
}

var hashSeed = maphash.MakeSeed()

// watchMemory remembers the contents of memory that a call lends to the plugin, and checks them
// when the plugin no longer needs the memory.
func (v *validator) watchMemory(k *call) {
	event := "done_with_h2d_transfer"
	switch k.args.Name {
	case "PJRT_Client_BufferFromHostBuffer_Args":
		event = "done_with_host_buffer"
		// With the other semantics, the client may use the memory after the call, or the plugin may
		// write to it.
		switch capi.HostBufferSemantics(k.view.WordOf("host_buffer_semantics")) {
		case capi.HostBufferSemanticsImmutableUntilTransferCompletes, capi.HostBufferSemanticsImmutableZeroCopy:
		default:
			return
		}
	case "PJRT_AsyncHostToDeviceTransferManager_TransferData_Args", "PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args":
	default:
		return
	}
	data := k.view.HostData()
	done := uintptr(k.view.WordOf(event))
	if !memoryReadable() || len(data) == 0 || done == 0 {
		return
	}
	l := &loan{at: uintptr(k.view.WordOf("data")), size: uintptr(len(data)), sum: maphash.Bytes(hashSeed, data), call: k.String(),
		function: k.function.Name}
	settle := v.s.events.add(done, func(bool) { v.check(l) })
	// The client may never use the event, so ask the plugin as well.
	var c capi.Call[capi.EventOnReadyArgs]
	callback, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) {
		settle.run(v.s.real.TakeError(err) != nil)
	})
	c.Args.Event = describe.PointerOf[capi.Event](done)
	c.Args.Callback, c.Args.UserArg = callback, uintptr(handle)
	if c.Do(v.s.real) != nil {
		handle.Delete()
	}
}

// check compares the memory with its contents at the time of the call.
func (v *validator) check(l *loan) {
	if v.s.closed.Load() {
		return
	}
	const chunk = 1 << 18
	var h maphash.Hash
	h.SetSeed(hashSeed)
	buffer := make([]byte, min(l.size, chunk))
	for at := uintptr(0); at < l.size; at += chunk {
		part := buffer[:min(chunk, l.size-at)]
		if !readMemory(part, l.at+at) {
			v.s.reports.add(hostMemory, l.function, "%s lent %d bytes at %#x, which were freed before the event that says that the plugin is done with them", l.call, l.size, l.at)
			return
		}
		_, _ = h.Write(part)
	}
	if h.Sum64() != l.sum {
		v.s.reports.add(hostMemory, l.function, "%s lent %d bytes at %#x, which were changed or freed before the event that says that the plugin is done with them", l.call, l.size, l.at)
	}
}
