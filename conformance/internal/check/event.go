// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"time"

	"github.com/purepjrt/purepjrt/capi"
)

// Wait waits for an event, destroys it and returns its error. If the event is not ready
// before the check's time is up, the check fails and ends; the waiting thread is then
// lost, and the check's objects are abandoned.
func (t *T) Wait(e *capi.Event) error {
	err := t.Await(e)
	destroy(t, capi.EventDestroyArgs{Event: e})
	return err
}

// Await is like Wait, without destroying the event.
func (t *T) Await(e *capi.Event) error {
	if e == nil {
		t.Fatalf("expected an event, got null")
	}
	type answer struct{ err error }
	done := make(chan answer, 1)
	go func() {
		_, err := Try(t, capi.EventAwaitArgs{Event: e})
		done <- answer{err}
	}()
	select {
	case a := <-done:
		return a.err
	case <-t.ctx.Done():
		t.Stuck("PJRT_Event_Await did not return before the check's time was up")
		panic("unreachable")
	}
}

// IsReady reports whether an event is ready.
func (t *T) IsReady(e *capi.Event) bool {
	return Call(t, capi.EventIsReadyArgs{Event: e}).IsReady
}

// TryWait waits for an event on the calling thread, destroys it, and returns the first error.
// Unlike Wait, it never ends the check, so any goroutine may call it.
func TryWait(t *T, e *capi.Event) error {
	if e == nil {
		return nil // see Execution.Complete
	}
	_, err := Try(t, capi.EventAwaitArgs{Event: e})
	if _, destroyed := Try(t, capi.EventDestroyArgs{Event: e}); err == nil {
		err = destroyed
	}
	return err
}

// Soon reports whether f becomes true within limit.
func (t *T) Soon(limit time.Duration, f func() bool) bool {
	deadline := time.Now().Add(limit)
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 20*time.Millisecond) {
		if f() {
			return true
		}
		left := time.Until(deadline)
		if left <= 0 || t.ctx.Err() != nil {
			return false
		}
		time.Sleep(min(pause, left))
	}
}

// Eventually fails the check unless f becomes true within limit.
func (t *T) Eventually(limit time.Duration, what string, f func() bool) bool {
	if t.Soon(limit, f) {
		return true
	}
	t.Errorf("%s: not within %v", what, limit)
	return false
}

// Pending is a buffer whose contents do not exist yet.
type Pending struct {
	Buffer  *capi.Buffer
	Manager *capi.AsyncHostToDeviceTransferManager
	t       *T
	data    []float32
}

// NewPending makes a buffer of f32 elements that is not ready before Fulfil or Fail is
// called. Without asynchronous transfers the check is skipped. The check owns what was
// made; a buffer that is unfulfilled when the check ends is made an error.
func (t *T) NewPending(c *Client, elements int) *Pending {
	return t.NewPendingOn(c, c.Devices[0], elements)
}

// NewPendingOn is NewPending on a device.
func (t *T) NewPendingOn(c *Client, d *capi.Device, elements int) *Pending {
	if len(c.Memories) == 0 {
		t.SkipUnimplf("making a pending buffer needs a memory, and the client has none")
	}
	spec := capi.ShapeSpec{StructSize: capi.ShapeSpecSize, ElementType: capi.BufferTypeF32}
	spec.Dims, spec.NumDims = First([]int64{int64(elements)})
	manager := Optional(t, capi.ClientCreateBuffersForAsyncHostToDeviceArgs{
		Client: c.Handle, ShapeSpecs: &spec, NumShapeSpecs: 1,
		Memory: Optional(t, capi.DeviceDefaultMemoryArgs{Device: d}).Memory,
	}).TransferManager
	Own(t, manager)
	b := Own(t, Optional(t, capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs{TransferManager: manager}).BufferOut)
	return &Pending{Buffer: b, Manager: manager, t: t, data: make([]float32, elements)}
}

// Fulfil gives the buffer its contents, 1, 2, 3 and so on, and waits until they are
// transferred.
func (p *Pending) Fulfil() {
	for i := range p.data {
		p.data[i] = float32(i + 1)
	}
	out := Optional(p.t, capi.AsyncHostToDeviceTransferManagerTransferDataArgs{
		TransferManager: p.Manager, Data: Pointer(p.data), TransferSize: int64(4 * len(p.data)), IsLastTransfer: true,
	})
	if err := p.t.Wait(out.DoneWithH2dTransfer); err != nil {
		p.t.Fatalf("PJRT_AsyncHostToDeviceTransferManager_TransferData: expected its event to succeed, got %v", err)
	}
}

// Fail makes the buffer an error.
func (p *Pending) Fail(code capi.ErrorCode, message string) {
	args := capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs{TransferManager: p.Manager, ErrorCode: code}
	args.ErrorMessage, args.ErrorMessageSize = Message(message)
	Optional(p.t, args)
}

// Ready returns the ready event of a buffer. The check owns it.
func (t *T) Ready(b *capi.Buffer) *capi.Event {
	return Own(t, Call(t, capi.BufferReadyEventArgs{Buffer: b}).Event)
}

// DefaultMemory returns the default memory of the client's first device.
func (t *T) DefaultMemory(c *Client) *capi.Memory {
	return Optional(t, capi.DeviceDefaultMemoryArgs{Device: c.Devices[0]}).Memory
}
