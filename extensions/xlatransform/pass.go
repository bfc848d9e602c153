// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlatransform

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Stage says when in a compilation a pass runs.
type Stage int

// The stages.
const (
	// PreScheduler is after the optimizations, and before the compiler chooses the order in
	// which instructions run. A compilation may reach it more than once, especially after a
	// pass has changed the program.
	PreScheduler Stage = iota
	// PostScheduler is after that: the computations have a Schedule, which they must keep, and
	// which must include whatever a pass adds.
	PostScheduler
)

// String returns the name of the stage.
func (s Stage) String() string {
	switch s {
	case PreScheduler:
		return "PreScheduler"
	case PostScheduler:
		return "PostScheduler"
	}
	return fmt.Sprintf("Stage(%d)", int(s))
}

// Func is a pass. It may change the module, and returns whether it did. An error or a panic
// ends the compilation, and the compilation's error contains its text; so does runtime.Goexit.
//
// The compiler trusts the module that a pass leaves: a wrong one can end the process. Only what
// Encode of package pjrt/hlo refuses, and schedules that are missing or too early, are errors here.
// Try new passes in child processes, with package isolate.
//
// Compilations call a pass in goroutines other than their callers', several at once. The module
// belongs to the call. A pass may use the library; if it compiles, that compilation calls the
// pass again.
type Func func(m *hlo.Module) (changed bool, err error)

// Options are the options of [Register].
type Options struct {
	Stage Stage
}

// Pass is a registered pass. Its methods may be called from any goroutine.
type Pass struct {
	table     *capi.Table
	name      string
	stage     Stage
	callbacks *capi.XLATransformCallbacks

	mu     sync.Mutex
	fn     Func // guarded by mu; nil after Close
	closed bool // guarded by mu
}

// key identifies a pass.
type key struct {
	plugin *capi.API
	name   string
	stage  Stage
}

// passes has the registered passes. The mutex is held while one is registered or removed, so
// that the second of two with the same name finds the first.
var passes struct {
	mu   sync.Mutex
	live map[key]bool // guarded by mu
}

// Register lets fn take part in all of the plugin's compilations in this process that begin
// before Close (PJRT_Register_Xla_Transform_Fn, API 0.110). Passes of a stage run in the order
// that the plugin chooses. If a pass of the stage already has the name, the error is
// pjrt.ErrAlreadyExists. opts may be nil. The error is pjrt.ErrUnimplemented if the plugin does
// not offer the extension.
func Register(p *pjrt.Plugin, name string, fn Func, opts *Options) (*Pass, error) {
	var stage Stage
	if opts != nil {
		stage = opts.Stage
	}
	switch {
	case p == nil:
		return nil, pjrt.ErrInvalidArgument.Errorf("the plugin is nil")
	case name == "":
		return nil, pjrt.ErrInvalidArgument.Errorf("the pass has no name")
	case strings.IndexByte(name, 0) >= 0:
		return nil, pjrt.ErrInvalidArgument.Errorf("the name %q of the pass contains a zero byte", name)
	case fn == nil:
		return nil, pjrt.ErrInvalidArgument.Errorf("the function of the pass %s is nil", name)
	case stage != PreScheduler && stage != PostScheduler:
		return nil, pjrt.ErrInvalidArgument.Errorf("the pass %s is for the unknown stage %v", name, stage)
	}
	x := &Pass{table: raw.Table(p), name: name, stage: stage, fn: fn}
	if !extensions.Supported(p, capi.ExtensionTypeXLATransform) {
		// The error of the plugin's table names the function.
		return nil, new(capi.Call[capi.RegisterXLATransformArgs]).Do(x.table)
	}
	passes.mu.Lock()
	defer passes.mu.Unlock()
	if passes.live[x.key()] {
		return nil, pjrt.ErrAlreadyExists.Errorf("a %v pass already has the name %s: choose another, or close that pass first", stage, name)
	}
	x.callbacks = capi.NewXLATransform(capi.XLATransform{Transform: x.transform})
	var c capi.Call[capi.RegisterXLATransformArgs]
	c.Args.Name, c.Args.NameSize = capi.StringData(name)
	c.Args.Stage, c.Args.Callbacks = capi.XLATransformPipelineStage(stage), x.callbacks
	if err := c.Do(x.table); err != nil {
		x.callbacks.Dtor.Call(x.callbacks)
		return nil, err
	}
	if passes.live == nil {
		passes.live = make(map[key]bool)
	}
	passes.live[x.key()] = true
	return x, nil
}

func (x *Pass) key() key { return key{x.table.API(), x.name, x.stage} }

// Name returns the name of the pass.
func (x *Pass) Name() string {
	if x == nil {
		return ""
	}
	return x.name
}

// Close removes the pass (PJRT_Clear_Xla_Transform_Fn, API 0.111). Compilations that begin
// later do not call it; one that is under way may still be in it. If the plugin cannot remove
// passes, Close returns an error; the function is not called any more, but the name stays
// taken. Closing again does nothing.
func (x *Pass) Close() error {
	if x == nil || x.table == nil {
		return nil
	}
	passes.mu.Lock()
	defer passes.mu.Unlock()
	x.mu.Lock()
	was := x.closed
	x.closed, x.fn = true, nil
	x.mu.Unlock()
	if was {
		return nil
	}
	var c capi.Call[capi.ClearXLATransformArgs]
	c.Args.Name, c.Args.NameSize = capi.StringData(x.name)
	c.Args.Stage, c.Args.Callbacks = capi.XLATransformPipelineStage(x.stage), x.callbacks
	if err := c.Do(x.table); err != nil {
		return err
	}
	delete(passes.live, x.key())
	if !c.Args.Cleared {
		return pjrt.ErrNotFound.Errorf("the plugin has no %v pass %s any more: something else removed it", x.stage, x.name)
	}
	return nil
}

// transform runs the pass on a serialized module. A nil result means that the module stays as
// it is.
func (x *Pass) transform(module []byte) ([]byte, error) {
	x.mu.Lock()
	fn := x.fn
	x.mu.Unlock()
	if fn == nil {
		return nil, nil
	}
	m, err := hlo.Decode(module)
	if err != nil {
		return nil, pjrt.ErrInternal.Errorf("the pass %s got something other than a module from the plugin: %v", x.name, err)
	}
	scheduled := scheduledOf(m)
	changed, err := run(fn, m)
	if err != nil {
		code, why := raw.ErrorParts(err)
		return nil, code.Errorf("the pass %s: %s", x.name, why)
	}
	if !changed {
		return nil, nil
	}
	if err := scheduled.check(m); err != nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the pass %s left a module that would end the process: %v", x.name, err)
	}
	b, err := m.Encode()
	if err != nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the pass %s left a module that cannot be used: %v", x.name, err)
	}
	return b, nil
}

// scheduled has the computations that had a schedule before a pass.
type scheduled map[*hlo.Computation]bool

func scheduledOf(m *hlo.Module) scheduled {
	had := make(scheduled)
	for _, c := range m.Computations {
		if c.Schedule != nil {
			had[c] = true
		}
	}
	return had
}

// check returns an error if m has lost its schedule, or has one that the compiler has not chosen.
// XLA's compiler for GPUs looks for the one, and chooses the other, without asking whether it is
// there.
func (had scheduled) check(m *hlo.Module) error {
	for _, c := range m.Computations {
		switch {
		case c == nil: // Encode says what is wrong
		case len(had) == 0 && c.Schedule != nil:
			return fmt.Errorf("computation %s has a schedule, which the compiler chooses after this stage: leave Schedule nil", c.Name)
		case c.Schedule == nil && (had[c] || len(had) > 0 && c == m.Entry):
			return fmt.Errorf("computation %s has no schedule, and the compiler has chosen the schedules before this stage: keep them, "+
				"and add to them what the pass adds", c.Name)
		}
	}
	return nil
}

// run calls fn, and returns a panic as an error.
func run(fn Func, m *hlo.Module) (changed bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			changed, err = false, pjrt.ErrInternal.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return fn(m)
}
