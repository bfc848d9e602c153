// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package megascale

import (
	"math"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Handler is a function that is called for errors; see [OnError].
type Handler struct {
	plugin *pjrt.Plugin
	name   string
	handle capi.Handle

	mu     sync.Mutex
	closed bool // guarded by mu
}

// OnError lets the plugin call fn for each error that the runtime reports in this process, until
// the handler is closed (PJRT_Megascale_RegisterErrorHandler, API 0.98). fn runs in a goroutine of
// its own and owns the serialized error, which [Aggregator.Add] takes; a panic or runtime.Goexit in
// it is logged and goes no further. If another handler has the name, the error is
// pjrt.ErrAlreadyExists.
func OnError(p *pjrt.Plugin, name string, fn func(serialized []byte)) (*Handler, error) {
	switch {
	case p == nil:
		return nil, errNilPlugin
	case name == "":
		return nil, pjrt.ErrInvalidArgument.Errorf("the handler has no name")
	case fn == nil:
		return nil, pjrt.ErrInvalidArgument.Errorf("the function of the handler %s is nil", name)
	}
	handlers.mu.Lock()
	defer handlers.mu.Unlock()
	key := handlerKey{raw.Table(p).API(), name}
	if handlers.live[key] {
		return nil, pjrt.ErrAlreadyExists.Errorf("a handler already has the name %s: choose another, or close that one first", name)
	}
	var c capi.Call[capi.MegascaleRegisterErrorHandlerArgs]
	entry, handle := capi.NewMegascaleErrorHandler(fn)
	c.Args.HandlerName, c.Args.HandlerNameSize = capi.StringData(name)
	c.Args.Handler, c.Args.UserData = entry, uintptr(handle)
	if err := c.Do(raw.Table(p)); err != nil {
		handle.Delete()
		return nil, err
	}
	if handlers.live == nil {
		handlers.live = make(map[handlerKey]bool)
	}
	handlers.live[key] = true
	return &Handler{plugin: p, name: name, handle: handle}, nil
}

// handlers has the registered handlers: of two with the same name, the plugin would forget the
// first.
var handlers struct {
	mu   sync.Mutex
	live map[handlerKey]bool // guarded by mu
}

type handlerKey struct {
	plugin *capi.API
	name   string
}

// Close removes the handler (PJRT_Megascale_UnregisterErrorHandler). If the plugin cannot remove
// it, Close returns its error, but the function is not called any more. Closing again does nothing.
func (h *Handler) Close() error {
	if h == nil || h.plugin == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	defer h.handle.Delete()
	var c capi.Call[capi.MegascaleUnregisterErrorHandlerArgs]
	c.Args.HandlerName, c.Args.HandlerNameSize = capi.StringData(h.name)
	if err := c.Do(raw.Table(h.plugin)); err != nil {
		return err // and the name stays taken
	}
	handlers.mu.Lock()
	defer handlers.mu.Unlock()
	delete(handlers.live, handlerKey{raw.Table(h.plugin).API(), h.name})
	return nil
}

// Aggregator gathers the errors of all workers of a job and finds the ones that matter. Its methods
// may be called from any goroutine.
type Aggregator struct {
	plugin *pjrt.Plugin
	ref    *lifetime.Ref[capi.MegascaleErrorAggregator]
}

// NewAggregator makes an aggregator for a kind of application, as the runtime names it
// (PJRT_Megascale_ErrorAggregator_Create, API 0.98). The caller closes it.
func NewAggregator(p *pjrt.Plugin, application string) (*Aggregator, error) {
	if p == nil {
		return nil, errNilPlugin
	}
	table := raw.Table(p)
	var c capi.Call[capi.MegascaleErrorAggregatorCreateArgs]
	c.Args.AppType, c.Args.AppTypeSize = capi.StringData(application)
	if err := c.Do(table); err != nil {
		return nil, err
	}
	return &Aggregator{p, lifetime.New("error aggregator", c.Args.Aggregator, nil, func(h *capi.MegascaleErrorAggregator) {
		_, _ = capi.Do(table, capi.MegascaleErrorAggregatorDeleteArgs{Aggregator: h}) // no caller is left to return an error to
	})}, nil
}

// Add adds an error of a worker: the bytes that the worker's [OnError] function received, or those
// of [Failure.Serialize] (PJRT_Megascale_ErrorAggregator_AddError).
func (x *Aggregator) Add(worker string, serialized []byte) error {
	h, err := x.acquire()
	if err != nil {
		return err
	}
	defer x.ref.Release()
	var c capi.Call[capi.MegascaleErrorAggregatorAddErrorArgs]
	c.Args.Aggregator = h
	c.Args.WorkerID, c.Args.WorkerIDSize = capi.StringData(worker)
	c.Args.SerializedError, c.Args.SerializedErrorSize = capi.BytesData(serialized)
	return c.Do(raw.Table(x.plugin))
}

// Len returns how many errors the aggregator holds (PJRT_Megascale_ErrorAggregator_Size).
func (x *Aggregator) Len() (int, error) {
	h, err := x.acquire()
	if err != nil {
		return 0, err
	}
	defer x.ref.Release()
	c, err := capi.Do(raw.Table(x.plugin), capi.MegascaleErrorAggregatorSizeArgs{Aggregator: h})
	return int(c.Size), err
}

// Active reports whether the aggregator still takes errors (PJRT_Megascale_ErrorAggregator_Active).
func (x *Aggregator) Active() (bool, error) {
	h, err := x.acquire()
	if err != nil {
		return false, err
	}
	defer x.ref.Release()
	c, err := capi.Do(raw.Table(x.plugin), capi.MegascaleErrorAggregatorActiveArgs{Aggregator: h})
	return c.Active, err
}

// Digest evaluates all errors that were added, and shuts the aggregator down, so that it takes no
// more (PJRT_Megascale_ErrorAggregator_ProcessAndShutdown). The caller closes the digest.
func (x *Aggregator) Digest() (*Digest, error) {
	h, err := x.acquire()
	if err != nil {
		return nil, err
	}
	defer x.ref.Release()
	table := raw.Table(x.plugin)
	c, err := capi.Do(table, capi.MegascaleErrorAggregatorProcessAndShutdownArgs{Aggregator: h})
	if err != nil {
		return nil, err
	}
	return &Digest{x, lifetime.New("error digest", c.Digest, x.ref, func(h *capi.MegascaleErrorDigest) {
		_, _ = capi.Do(table, capi.MegascaleErrorDigestDeleteArgs{Digest: h})
	})}, nil
}

func (x *Aggregator) acquire() (*capi.MegascaleErrorAggregator, error) {
	if x == nil || x.ref == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the aggregator is nil: make one with NewAggregator")
	}
	return x.ref.Acquire()
}

// Close frees the aggregator, once nothing uses it. Closing again does nothing.
func (x *Aggregator) Close() error {
	if x == nil || x.ref == nil {
		return nil
	}
	return x.ref.Close()
}

// Digest is what an aggregator has found.
type Digest struct {
	of  *Aggregator
	ref *lifetime.Ref[capi.MegascaleErrorDigest]
}

// Log writes the digest to the log of the plugin (PJRT_Megascale_ErrorAggregator_LogErrorDigest).
// There is no other way to read it. The aggregator must still be open.
func (d *Digest) Log() error {
	if d == nil || d.ref == nil {
		return pjrt.ErrInvalidArgument.Errorf("the digest is nil: Aggregator.Digest makes one")
	}
	aggregator, err := d.of.acquire()
	if err != nil {
		return err
	}
	defer d.of.ref.Release()
	h, err := d.ref.Acquire()
	if err != nil {
		return err
	}
	defer d.ref.Release()
	_, err = capi.Do(raw.Table(d.of.plugin), capi.MegascaleErrorAggregatorLogErrorDigestArgs{Aggregator: aggregator, Digest: h})
	return err
}

// Close frees the digest. Closing again does nothing.
func (d *Digest) Close() error {
	if d == nil || d.ref == nil {
		return nil
	}
	return d.ref.Close()
}

// Failure is an error of a launch, with what the runtime needs to know about it.
type Failure struct {
	// Err is the error.
	Err error
	// Kind is the kind of the error, as the runtime numbers it.
	Kind int
	// Launch is the launch that failed, and Began is when it began.
	Launch int
	Began  time.Time
	// Unrecoverable says why the job cannot go on, as the runtime numbers it; nil if it can.
	Unrecoverable *int
}

// Serialize returns the failure in the form that all workers understand, and whether it is the
// first one of its kind (PJRT_Megascale_GetOrCreateRuntimeError, API 0.103).
func (f Failure) Serialize(p *pjrt.Plugin) (serialized []byte, first bool, err error) {
	switch {
	case p == nil:
		return nil, false, errNilPlugin
	case f.Err == nil:
		return nil, false, pjrt.ErrInvalidArgument.Errorf("the failure has no error: set Err")
	}
	for _, n := range []*int{&f.Kind, &f.Launch, f.Unrecoverable} {
		if n != nil && (*n < math.MinInt32 || *n > math.MaxInt32) {
			return nil, false, pjrt.ErrInvalidArgument.Errorf("the number %d in the failure does not fit into 32 bits", *n)
		}
	}
	var c capi.Call[capi.MegascaleGetOrCreateRuntimeErrorArgs]
	a := &c.Args
	code, text := raw.ErrorParts(f.Err)
	a.ErrorType, a.StatusCode, a.LaunchID = int32(f.Kind), int32(code), int32(f.Launch)
	if !f.Began.IsZero() {
		a.StartTimeNanos = f.Began.UnixNano()
	}
	a.StatusMessage, a.StatusMessageSize = capi.StringData(text)
	if f.Unrecoverable != nil {
		a.HasUnrecoverableErrorType, a.UnrecoverableErrorType = true, int32(*f.Unrecoverable)
	}
	if err := c.Do(raw.Table(p)); err != nil {
		return nil, false, err
	}
	b := capi.Bytes(a.SerializedError, a.SerializedErrorSize)
	a.ErrorDeleter.Call(a.Error)
	return b, a.IsNewError, nil
}
