// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"context"
	"runtime"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

var errNilBuffer = pjrt.ErrInvalidArgument.Errorf("the buffer is nil")

// CopyRaw fills dst with the bytes that begin at offset in the memory of the buffer, as
// they lie on the device, whatever its type and layout (PJRT_Buffer_CopyRawToHost, since
// API 0.57). The bytes must lie within b.OnDeviceSize. CopyRaw may be called from any
// goroutine.
//
// After an error dst is unchanged. If ctx can end, the plugin copies to other memory first,
// since it may write there after ctx has ended.
func CopyRaw(ctx context.Context, b *pjrt.Buffer, dst []byte, offset int64) (err error) {
	if b == nil {
		return errNilBuffer
	}
	end := bridge.Root.ObserveDownload(ctx, b.Client(), len(dst))
	defer end(&err)
	if ctx.Done() == nil {
		return copyRawNow(ctx, b, dst, offset)
	}
	data, err := abandon.Call(ctx, func() ([]byte, error) {
		data := make([]byte, len(dst))
		return data, copyRawNow(ctx, b, data, offset)
	}, func([]byte) error { return nil })
	if err == nil {
		preempt.Copy(dst, data)
	}
	return err
}

// copyRawNow is CopyRaw on a goroutine that may block in C.
func copyRawNow(ctx context.Context, b *pjrt.Buffer, dst []byte, offset int64) error {
	e, err := startCopyRaw(ctx, b, dst, offset)
	if err != nil {
		return err
	}
	defer e.Close()
	return e.Wait(ctx)
}

// StartCopyRaw is like [CopyRaw] but does not wait for the copy. It does wait until the
// array has been computed, because plugins crash when there is nothing to copy yet. The
// event is ready when dst has the bytes. Until then dst belongs to the plugin, and the
// garbage collector does not free it; the buffer may be closed. The caller closes the
// event. If ctx ends while a function of the plugin blocks, dst belongs to the plugin for ever:
// do not use it again.
func StartCopyRaw(ctx context.Context, b *pjrt.Buffer, dst []byte, offset int64) (*pjrt.Event, error) {
	return abandon.Call(ctx, func() (*pjrt.Event, error) { return startCopyRaw(ctx, b, dst, offset) }, (*pjrt.Event).Close)
}

// startCopyRaw is StartCopyRaw on a goroutine that may block in C.
func startCopyRaw(ctx context.Context, b *pjrt.Buffer, dst []byte, offset int64) (*pjrt.Event, error) {
	_, release, err := raw.AcquireBuffer(b)
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, b, offset, int64(len(dst))); err != nil {
		release()
		return nil, err
	}
	copied, err := copyRaw(ctx, b, dst, offset)
	if err != nil {
		release()
		return nil, err
	}
	return raw.AdoptEvent(b.Client(), copied, func() {
		runtime.KeepAlive(dst)
		release()
	}), nil
}

// copyRaw starts a copy. Nothing takes the contents of the buffer away during the call.
func copyRaw(ctx context.Context, b *pjrt.Buffer, dst []byte, offset int64) (*capi.Event, error) {
	h, release, err := raw.AcquireContents(ctx, b)
	if err != nil {
		return nil, err
	}
	defer release()
	if len(dst) == 0 {
		dst = make([]byte, 1)[:0] // some plugins reject a null address
	}
	var call capi.Call[capi.BufferCopyRawToHostArgs]
	args := &call.Args
	args.Buffer = h
	args.Dst = unsafe.Pointer(unsafe.SliceData(dst))
	args.Offset, args.TransferSize = offset, int64(len(dst))
	err = call.Do(raw.Table(b.Client().Plugin()))
	return args.Event, err
}

// prepare returns an error if the bytes are not within the buffer, and otherwise waits
// until the buffer has its contents.
func prepare(ctx context.Context, b *pjrt.Buffer, offset, size int64) error {
	total, err := b.OnDeviceSize()
	if err != nil {
		return err
	}
	if offset < 0 || size < 0 || offset > total || size > total-offset {
		return outOfRange(offset, size, total)
	}
	return b.Wait(ctx)
}

// RawCopy is the promise of memory to which bytes of a buffer are copied. Its methods may
// be called from any goroutine.
type RawCopy struct {
	size    int64
	event   *pjrt.Event
	promise *promise
	state   *rawCopyState
}

// rawCopyState is apart from RawCopy because the event keeps it alive. If the event kept
// the RawCopy itself alive, the collector could not give up one that was forgotten.
type rawCopyState struct {
	begin capi.BufferCopyRawToHostFutureArgsFutureReadyCallback
	data  uintptr // for begin
	dst   []byte  // kept referenced until the copy is over
}

// PrepareCopyRaw prepares a copy of size bytes at offset, like [CopyRaw], to memory that
// RawCopy.Fulfill provides (PJRT_Buffer_CopyRawToHostFuture, since API 0.84). It waits
// until the array has been computed. The caller closes the RawCopy, and may close the
// buffer earlier.
func PrepareCopyRaw(ctx context.Context, b *pjrt.Buffer, offset, size int64) (*RawCopy, error) {
	if b == nil {
		return nil, errNilBuffer
	}
	return abandon.Call(ctx, func() (*RawCopy, error) { return prepareCopyRaw(ctx, b, offset, size) }, (*RawCopy).Close)
}

// prepareCopyRaw is PrepareCopyRaw on a goroutine that may block in C.
func prepareCopyRaw(ctx context.Context, b *pjrt.Buffer, offset, size int64) (*RawCopy, error) {
	if err := prepare(ctx, b, offset, size); err != nil {
		return nil, err
	}
	h, release, err := raw.AcquireContents(ctx, b)
	if err != nil {
		return nil, err
	}
	defer release()
	client := b.Client()
	var call capi.Call[capi.BufferCopyRawToHostFutureArgs]
	args := &call.Args
	args.Buffer, args.Offset, args.TransferSize = h, offset, size
	if err := call.Do(raw.Table(client.Plugin())); err != nil {
		return nil, err
	}
	state := &rawCopyState{begin: args.FutureReadyCallback, data: args.CallbackData}
	if state.begin == 0 {
		raw.AdoptEvent(client, args.Event, nil).Close()
		return nil, pjrt.ErrInternal.Errorf("the plugin reported success but returned no callback for a prepared copy")
	}
	return &RawCopy{
		size:    size,
		event:   raw.AdoptEvent(client, args.Event, func() { runtime.KeepAlive(state) }),
		promise: newPromise("raw copy", client, state.fail),
		state:   state,
	}, nil
}

// fail tells the plugin that it will get no memory.
func (s *rawCopyState) fail(err error) error {
	c := &capi.BufferCopyRawToHostFutureCallbackArgs{StructSize: capi.BufferCopyRawToHostFutureCallbackArgsSize, CallbackData: s.data}
	code, message := raw.ErrorParts(err)
	c.ErrorCode = code
	c.ErrorMessage, c.ErrorMessageSize = capi.StringData(message)
	s.begin.Call(c)
	runtime.KeepAlive(c)
	return nil
}

var errNilRawCopy = pjrt.ErrInvalidArgument.Errorf("the raw copy is nil")

// Size returns the number of bytes to copy.
func (r *RawCopy) Size() int64 {
	if r == nil {
		return 0
	}
	return r.size
}

// Event returns an event that is ready when the bytes have been copied. If the copy
// failed, the event has its error. The RawCopy owns the event.
func (r *RawCopy) Event() *pjrt.Event {
	if r == nil {
		return nil
	}
	return r.event
}

// Fulfill starts the copy to dst, whose size must be exactly that of the copy. Until the
// event is ready, dst belongs to the plugin, and the garbage collector does not free it.
// After Fulfill, Fail or Close it returns an error.
func (r *RawCopy) Fulfill(dst []byte) error {
	if r == nil || r.promise == nil {
		return errNilRawCopy
	}
	if int64(len(dst)) != r.size {
		return pjrt.ErrInvalidArgument.Errorf("the copy has %d bytes, but dst has room for %d", r.size, len(dst))
	}
	return r.promise.keep(func() error {
		s := r.state
		if s.dst = dst; len(dst) == 0 {
			s.dst = make([]byte, 1) // some plugins reject a null address
		}
		c := &capi.BufferCopyRawToHostFutureCallbackArgs{StructSize: capi.BufferCopyRawToHostFutureCallbackArgsSize, CallbackData: s.data}
		c.Dst = unsafe.Pointer(unsafe.SliceData(s.dst))
		s.begin.Call(c)
		runtime.KeepAlive(c)
		return nil
	})
}

// Fail makes the event fail with err instead of copying anything. After Fulfill, Fail or
// Close it returns an error.
func (r *RawCopy) Fail(err error) error {
	if r == nil || r.promise == nil {
		return errNilRawCopy
	}
	return r.promise.fail(err)
}

// Close fails the copy with pjrt.ErrCancelled, unless Fulfill or Fail was called, and
// closes the event. A copy under way goes on. The error is always nil.
func (r *RawCopy) Close() error {
	if r == nil {
		return nil
	}
	r.promise.close()
	return r.event.Close()
}
