// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Handler is a custom call in Go. The struct T describes the calls: each field of type Arg,
// Ret, AnyArg or AnyRet is the next argument or result, the last one may be a slice of all
// that remain, and every other field takes an attribute.
//
//	type scale struct {
//		In     ffi.Arg[float32]
//		Out    ffi.Ret[float32]
//		Factor float32                          // the attribute factor
//		Steps  []int64 `ffi:"steps,optional"`   // an array, empty if it is missing
//		Where  struct{ Layer int; Name string } // a dictionary
//	}
//
// The name of an attribute is the field's tag, or the field's name in lower case with
// underscores: max_steps for MaxSteps. Strings, bools, integers, floats, complex numbers,
// slices of numbers, and structs and map[string]any for dictionaries take the attributes that
// they can hold: an int takes any integer in its range, and a float64 takes an f32 too. An
// any takes every attribute, and a map[string]any with the tag ",rest" takes all that no
// other field takes. Without such a map, an attribute that has no field is an error. So is a
// field whose attribute is missing, unless its tag has the option optional.
//
// S is the state of a custom call in an executable. If it is an io.Closer, it is closed
// when the executable is destroyed.
//
// The functions run on threads of the plugin, on several at once. An error makes the
// execution fail with its code and text; a panic makes it fail as INTERNAL. A function must not
// call runtime.Goexit, as testing.T.FailNow does: nothing returns to the plugin then, the
// goroutine that executes may end, and the plugin keeps the arguments and the executable for as
// long as the process runs. The operation is filled in for each call, and is valid until the
// function returns.
//
// A function may call the library, and should pass it Call.Context: with that context or one
// derived from it, in any goroutine, a wait that would have to wait for the function's own
// execution fails with pjrt.ErrFailedPrecondition. Such waits are for a result of the
// execution, its event, an argument that it may donate, a place under a limit of executions,
// and, on a plugin that runs a client's executions in order, a later one of the client that is
// not over when its call returns. With another context such a wait ends only when that context
// ends, and the execution with it. While a function waits, it keeps a thread of the plugin from
// other work.
type Handler[T, S any] struct {
	// Execute is called each time a program reaches the custom call.
	Execute func(c *Call, op *T, state S) error
	// Instantiate makes the state when a program is compiled or loaded, which fails if
	// Instantiate returns an error. The operation has only attributes.
	Instantiate func(c *Call, op *T) (S, error)
	// Prepare and Initialize precede an execution, on plugins that have these stages, such
	// as those for GPUs. The memory of arguments and results has no contents yet.
	Prepare, Initialize func(c *Call, op *T, state S) error

	// Platform is XLA's name for the platform whose programs call the handler. Empty means
	// the plugin's platform: see PlatformOf.
	Platform string
	// Replayable promises that a call may be recorded once and replayed, as command
	// buffers of GPUs do.
	Replayable bool
}

// Register makes fn the handler of a custom call, known to all clients of the plugin until
// the process ends (PJRT_FFI_Register_Handler, API 0.73). [Handler] says what the struct T
// is, and what fn may do; [Target] writes the operation that calls it. Register a handler
// before compiling programs that call it. If the name is already registered, the error is
// pjrt.ErrAlreadyExists. Register may be called from any goroutine.
func Register[T any](p *pjrt.Plugin, target string, fn func(c *Call, op *T) error) error {
	if fn == nil {
		return pjrt.ErrInvalidArgument.Errorf("the handler of the custom call %s is nil", target)
	}
	return RegisterHandler(p, target, Handler[T, struct{}]{
		Execute: func(c *Call, op *T, _ struct{}) error { return fn(c, op) },
	})
}

// RegisterHandler is [Register] for a handler that has a state, functions for stages other
// than execution, or a platform. A handler that has only Execute is registered as by
// Register, others through XLA's own table (XLA_FFI_Handler_Register), since PJRT's function
// takes only the first kind. A state needs XLA FFI API 0.2.
func RegisterHandler[T, S any](p *pjrt.Plugin, target string, h Handler[T, S]) error {
	if p == nil {
		return errNilPlugin
	}
	if err := checkName(target, h.Platform); err != nil {
		return err
	}
	if h.Execute == nil {
		return pjrt.ErrInvalidArgument.Errorf("the handler of the custom call %s is nil", target)
	}
	plan, err := planOf(reflect.TypeFor[T]())
	if err != nil {
		return err
	}
	if h.Platform == "" {
		h.Platform = PlatformOf(p)
	}
	if !extensions.Supported(p, capi.ExtensionTypeFFI) {
		// The error of the plugin's table names the function.
		return new(capi.Call[capi.FFIRegisterHandlerArgs]).Do(raw.Table(p))
	}
	s := &served[T, S]{Handler: h, target: target, plan: plan, host: h.Platform == hostPlatform}
	if h.Instantiate != nil || h.Prepare != nil || h.Initialize != nil {
		return s.registerStages(p)
	}
	code, err := s.entry(s.execute, 0)
	if err != nil {
		return err
	}
	err = RegisterC(p, CustomCall{Target: target, Platform: h.Platform, Handler: code, Replayable: h.Replayable})
	if err != nil {
		code.Release()
		return err
	}
	raw.FollowExecutions(p)
	return nil
}

const hostPlatform = "Host"

// PlatformOf returns XLA's name for the platform of a plugin's handlers: CUDA, ROCM or TPU
// for XLA's plugins for these, and Host for other plugins and nil.
func PlatformOf(p *pjrt.Plugin) string {
	if t := raw.Table(p); t != nil && t.HasSection(capi.SectionExtension(capi.ExtensionTypeTPUTopology)) {
		return "TPU"
	}
	for _, a := range p.Attributes() {
		switch a.Name {
		case "cuda_version":
			return "CUDA"
		case "rocm_version":
			return "ROCM"
		}
	}
	return hostPlatform
}

// checkName returns an error for a target or platform that C cannot take.
func checkName(target, platform string) error {
	if target == "" {
		return pjrt.ErrInvalidArgument.Errorf("the custom call has no name")
	}
	if strings.IndexByte(target+platform, 0) >= 0 {
		return pjrt.ErrInvalidArgument.Errorf("the target %q or the platform %q of the custom call contains a zero byte", target, platform)
	}
	return nil
}

// served is a handler in use.
type served[T, S any] struct {
	Handler[T, S]
	target string
	plan   *plan
	host   bool // the handler can read the memory of buffers
	state  *cffi.TypeID
	ops    sync.Pool // of *T
	spare  atomic.Pointer[T]
}

// entry makes the C function of one stage.
func (s *served[T, S]) entry(fn cffi.HandlerFunc, state int64) (cffi.Handler, error) {
	return cffi.NewHandler(fn, &cffi.HandlerOptions{Traits: s.traits(), StateType: cffi.TypeID{TypeID: state}})
}

func (s *served[T, S]) traits() cffi.HandlerTraits {
	if s.Replayable {
		return cffi.HandlerTraits(cffi.HandlerTraitsBitsCommandBufferCompatible)
	}
	return 0
}

func (s *served[T, S]) registerStages(p *pjrt.Plugin) error {
	host, err := hostOf(p)
	if err != nil {
		return err
	}
	s.state = &host.state
	registering.Lock()
	defer registering.Unlock()
	if err := isFree(p, s.target, s.Platform); err != nil {
		return err
	}
	var bundle cffi.HandlerBundle
	var made []cffi.Handler
	var state int64
	add := func(to *cffi.Handler, fn cffi.HandlerFunc) {
		if err == nil {
			if *to, err = s.entry(fn, state); err == nil {
				made = append(made, *to)
			}
		}
	}
	if s.Instantiate != nil {
		state = host.state.TypeID
		add(&bundle.Instantiate, s.instantiate)
		state = 0
	}
	if s.Prepare != nil {
		add(&bundle.Prepare, s.prepare)
	}
	if s.Initialize != nil {
		add(&bundle.Initialize, s.initialize)
	}
	add(&bundle.Execute, s.execute)
	if err == nil {
		err = cffi.Register(host.api, s.target, s.Platform, bundle, s.traits())
	}
	if err != nil {
		for _, h := range made {
			h.Release()
		}
		return err
	}
	raw.Table(p).NoteRegistration(capi.Registration{
		Function: (*capi.FFIRegisterHandlerArgs)(nil).Function(),
		Name:     s.target, Platform: s.Platform, Traits: capi.FFIHandlerTraitsBits(s.traits()),
	})
	raw.FollowExecutions(p)
	return nil
}

// take returns an operation to fill in.
func (s *served[T, S]) take() *T {
	if op := s.spare.Swap(nil); op != nil {
		return op
	}
	if op, ok := s.ops.Get().(*T); ok {
		return op
	}
	return new(T)
}

// give returns an operation to the pool.
func (s *served[T, S]) give(op *T) {
	s.plan.forget(unsafe.Pointer(op))
	if !s.spare.CompareAndSwap(nil, op) {
		s.ops.Put(op)
	}
}

// failed adds the name of the custom call to an error.
func (s *served[T, S]) failed(err error) error {
	code, why := raw.ErrorParts(err)
	return code.Errorf("the custom call %s: %s", s.target, why)
}

func (s *served[T, S]) execute(frame *cffi.CallFrame) error {
	return s.run(frame, s.host, s.Execute)
}

func (s *served[T, S]) prepare(frame *cffi.CallFrame) error {
	return s.run(frame, false, s.Prepare)
}

func (s *served[T, S]) initialize(frame *cffi.CallFrame) error {
	return s.run(frame, false, s.Initialize)
}

// run calls a function that has operands and a state.
func (s *served[T, S]) run(frame *cffi.CallFrame, read bool, fn func(*Call, *T, S) error) error {
	op := s.take()
	defer s.give(op)
	p := unsafe.Pointer(op)
	if err := s.plan.bindOperands(p, frame, read); err != nil {
		return s.failed(err)
	}
	if err := s.plan.attrs.decode(p, &frame.Attrs); err != nil {
		return s.failed(err)
	}
	state, err := s.stateOf(frame)
	if err != nil {
		return s.failed(err)
	}
	c := newCall(s.target, frame)
	defer c.end()
	return fn(c, op, state)
}

// kept is a state that XLA owns, as a handle.
type kept[S any] struct{ state S }

// Release implements capi.Releaser.
func (k *kept[S]) Release() {
	if c, ok := any(k.state).(io.Closer); ok {
		_ = c.Close() // no caller is left to return an error to
	}
}

func (s *served[T, S]) instantiate(frame *cffi.CallFrame) error {
	op := s.take()
	defer s.give(op)
	if err := s.plan.attrs.decode(unsafe.Pointer(op), &frame.Attrs); err != nil {
		return s.failed(err)
	}
	c := &Call{target: s.target, frame: frame, stage: frame.Stage}
	defer c.end()
	state, err := s.Instantiate(c, op)
	if err != nil {
		return err
	}
	k := &kept[S]{state}
	h := capi.NewHandle(k)
	if err := frame.SetState(*s.state, uintptr(h), cffi.Deleter()); err != nil {
		h.Delete()
		k.Release()
		return s.failed(err)
	}
	return nil
}

// stateOf returns the state that instantiate made.
func (s *served[T, S]) stateOf(frame *cffi.CallFrame) (state S, err error) {
	if s.Instantiate == nil {
		return state, nil
	}
	word, err := frame.State(*s.state, cffi.ExecutionStageInstantiate)
	if err != nil {
		return state, err
	}
	v, ok := capi.Handle(word).Value()
	if k, is := v.(*kept[S]); ok && is {
		return k.state, nil
	}
	return state, pjrt.ErrInternal.Errorf("the state of the executable is a %T", v)
}

// host is what a plugin lends outside calls.
type host struct {
	mu    sync.Mutex
	api   *cffi.API   // guarded by mu until it is set
	state cffi.TypeID // of all states; guarded by mu until api is set
}

var hosts sync.Map // of *capi.API to *host

// hostOf returns the table of the plugin's FFI. It registers a handler that no program
// calls, because a plugin shows its table only to handlers.
func hostOf(p *pjrt.Plugin) (*host, error) {
	table := raw.Table(p)
	v, _ := hosts.LoadOrStore(table.API(), new(host))
	h := v.(*host)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.api != nil {
		return h, nil
	}
	var api *cffi.API
	code, err := cffi.NewHandler(func(*cffi.CallFrame) error {
		return pjrt.ErrUnimplemented.Errorf("no program may call this")
	}, &cffi.HandlerOptions{Asked: func(a *cffi.API) { api = a }})
	if err != nil {
		return nil, err
	}
	if err := RegisterC(p, CustomCall{Target: "purepjrt.table", Platform: PlatformOf(p), Handler: code}); err != nil {
		code.Release()
		return nil, err
	}
	if api == nil {
		return nil, pjrt.ErrUnimplemented.Errorf("%v does not show its FFI to the handler that was registered", p)
	}
	id, err := cffi.RegisterType(api, fmt.Sprintf("purepjrt.state.%p", h), cffi.Deleter())
	if err != nil {
		return nil, err
	}
	h.api, h.state = api, id
	return h, nil
}
