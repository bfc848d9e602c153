// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"context"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Dependency is the promise that a buffer from DonateAfter waits for. Its methods may be
// called from any goroutine.
type Dependency struct {
	promise *promise
	ready   capi.BufferDonateWithControlDependencyArgsDependencyReadyCallback
	data    uintptr // for ready
}

// DonateAfter moves the contents of b into a new buffer, which is ready only after
// Dependency.Fulfill (PJRT_Buffer_DonateWithControlDependency, since API 0.88). On success
// b is deleted. The caller still closes b, and closes both results.
func DonateAfter(ctx context.Context, b *pjrt.Buffer) (*pjrt.Buffer, *Dependency, error) {
	type donated struct {
		out *pjrt.Buffer
		d   *Dependency
	}
	r, err := abandon.Call(ctx, func() (r donated, err error) {
		r.out, r.d, err = donateAfter(b)
		return r, err
	}, func(r donated) error {
		r.d.Close()
		return r.out.Close()
	})
	return r.out, r.d, err
}

// donateAfter is DonateAfter on a goroutine that may block in C.
func donateAfter(b *pjrt.Buffer) (*pjrt.Buffer, *Dependency, error) {
	h, release, err := raw.AcquireToConsume(b)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	client := b.Client()
	var call capi.Call[capi.BufferDonateWithControlDependencyArgs]
	args := &call.Args
	args.Buffer = h
	if err := call.Do(raw.Table(client.Plugin())); err != nil {
		return nil, nil, err
	}
	out, err := raw.AdoptBufferOf(client, args.OutBuffer, b.Shape())
	if err != nil {
		return nil, nil, err
	}
	if args.DependencyReadyCallback == 0 {
		out.Close()
		return nil, nil, pjrt.ErrInternal.Errorf("the plugin reported success but returned no callback for a control dependency")
	}
	d := &Dependency{ready: args.DependencyReadyCallback, data: args.CallbackData}
	d.promise = newPromise("control dependency", client, tellDependency(d.ready, d.data))
	return out, d, nil
}

// tellDependency returns the function that tells the plugin how a dependency ended; a nil
// error means success.
func tellDependency(ready capi.BufferDonateWithControlDependencyArgsDependencyReadyCallback, data uintptr) func(error) error {
	return func(err error) error {
		c := &capi.BufferDonateWithControlDependencyCallbackArgs{
			StructSize: capi.BufferDonateWithControlDependencyCallbackArgsSize, CallbackData: data,
		}
		if err != nil {
			code, message := raw.ErrorParts(err)
			c.ErrorCode = code
			c.ErrorMessage, c.ErrorMessageSize = capi.StringData(message)
		}
		ready.Call(c)
		runtime.KeepAlive(c)
		return nil
	}
}

var errNilDependency = pjrt.ErrInvalidArgument.Errorf("the dependency is nil")

// Fulfill makes the new buffer ready. After Fulfill, Fail or Close it returns an error.
func (d *Dependency) Fulfill() error {
	if d == nil || d.promise == nil {
		return errNilDependency
	}
	return d.promise.keep(func() error { return tellDependency(d.ready, d.data)(nil) })
}

// Fail makes the new buffer fail with err. After Fulfill, Fail or Close it returns an
// error.
func (d *Dependency) Fail(err error) error {
	if d == nil || d.promise == nil {
		return errNilDependency
	}
	return d.promise.fail(err)
}

// Close fails the new buffer with pjrt.ErrCancelled, unless Fulfill or Fail was called.
// The error is always nil.
func (d *Dependency) Close() error {
	if d != nil {
		d.promise.close()
	}
	return nil
}
