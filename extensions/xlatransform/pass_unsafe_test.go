// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlatransform_test

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/xlatransform"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// standIn is a plugin that has only the extension, and runs the registered passes.
type standIn struct {
	*pjrt.Plugin
	table      *serve.Table
	registered map[string]*capi.XLATransformCallbacks
	stages     map[string]capi.XLATransformPipelineStage
	refuse     error  // what registering returns
	trace      []byte // a HloModuleMetadataProto
	traced     func(module []byte) error
	destroyed  int
}

// start serves a stand-in with an API minor.
func start(t testing.TB, minor int) *standIn {
	t.Helper()
	s := &standIn{registered: make(map[string]*capi.XLATransformCallbacks), stages: make(map[string]capi.XLATransformPipelineStage)}
	x := &serve.XLATransformExtension{
		RegisterXLATransform: func(a *capi.RegisterXLATransformArgs) error {
			if s.refuse != nil {
				return s.refuse
			}
			name := capi.String(a.Name, a.NameSize)
			s.registered[name], s.stages[name] = a.Callbacks, a.Stage
			return nil
		},
		ClearXLATransform: func(a *capi.ClearXLATransformArgs) error {
			name := capi.String(a.Name, a.NameSize)
			c := s.registered[name]
			if a.Cleared = c != nil && c == a.Callbacks && s.stages[name] == a.Stage; a.Cleared {
				delete(s.registered, name)
				c.Dtor.Call(c)
			}
			return nil
		},
		GetHLOPassPipelineTrace: func(a *capi.XLATransformGetHLOPassPipelineTraceArgs) error {
			if s.traced != nil {
				if err := s.traced(capi.Bytes(a.HLOModule.Data, a.HLOModule.Size)); err != nil {
					return err
				}
			}
			a.Trace.SerializedTrace, a.Trace.SerializedTraceSize = capi.BytesData(s.trace)
			return nil
		},
		DestroyHLOPassPipelineTrace: func(a *capi.XLATransformDestroyHLOPassPipelineTraceArgs) {
			assert.Equal(t, uintptr(len(s.trace)), a.Trace.SerializedTraceSize)
			s.destroyed++
		},
	}
	p := &serve.Plugin{
		Minor: minor, XLATransform: x,
		PluginInitialize: func(*capi.PluginInitializeArgs) error { return nil },
	}
	table, err := p.Serve()
	require.NoError(t, err)
	s.table = table
	t.Cleanup(func() { table.Close() })
	s.Plugin, err = raw.Plugin(table.Capi())
	require.NoError(t, err)
	return s
}

// compile calls a pass as a compilation does. It returns the program that the pass made, or nil.
func (s *standIn) compile(t testing.TB, name string, module []byte) ([]byte, error) {
	t.Helper()
	c := s.registered[name]
	require.NotNil(t, c)
	a := &capi.XLATransformArgs{StructSize: capi.XLATransformArgsSize}
	a.HLOModule.Data, a.HLOModule.Size = capi.BytesData(module)
	c.TransformHLOModule.Call(c, a)
	runtime.KeepAlive(module)
	defer a.Header.CleanupFn.Call(a.Header.Data)
	if a.Header.HasError {
		return nil, &capi.Error{Code: a.Header.Code, Message: capi.String(a.Header.ErrorMsg.Data, a.Header.ErrorMsg.Size)}
	}
	if !a.Changed {
		return nil, nil
	}
	return append([]byte{}, unsafe.Slice(a.TransformedHLOModule.Data, a.TransformedHLOModule.Size)...), nil
}

// negate returns the module of a program.
func negate(t testing.TB) (*hlo.Module, []byte) {
	t.Helper()
	c := &hlo.Computation{Name: "main"}
	a := c.Add(&hlo.Instruction{Name: "a", Opcode: "parameter", Shape: hlo.Array(dtype.F32, 2)})
	c.Root = c.Add(&hlo.Instruction{Name: "b", Opcode: "negate", Shape: a.Shape, Operands: []*hlo.Instruction{a}})
	m := &hlo.Module{Name: "negate", Computations: []*hlo.Computation{c}, Entry: c}
	code, err := m.Encode()
	require.NoError(t, err)
	return m, code
}

func look(*hlo.Module) (bool, error) { return false, nil }

func TestAPassLooksAndRewrites(t *testing.T) {
	s := start(t, 0)
	require.True(t, extensions.Supported(s.Plugin, capi.ExtensionTypeXLATransform))
	_, module := negate(t)
	seen := ""
	p, err := xlatransform.Register(s.Plugin, "pass", func(m *hlo.Module) (bool, error) {
		seen = m.Entry.Root.Opcode
		m.Entry.Root.Opcode = "abs"
		return seen == "negate", nil
	}, &xlatransform.Options{Stage: xlatransform.PostScheduler})
	require.NoError(t, err)
	assert.Equal(t, "pass", p.Name())
	assert.Equal(t, capi.XLATransformPipelineStagePostScheduler, s.stages["pass"])
	live := capi.LiveHandles()
	out, err := s.compile(t, "pass", module)
	require.NoError(t, err)
	m, err := hlo.Decode(out)
	require.NoError(t, err)
	assert.Equal(t, "abs", m.Entry.Root.Opcode)
	out, err = s.compile(t, "pass", out)
	require.NoError(t, err)
	assert.Nil(t, out, "the pass said that it changed nothing")
	assert.Equal(t, live, capi.LiveHandles())
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	assert.Empty(t, s.registered)
}

func TestWhatEndsACompilation(t *testing.T) {
	s := start(t, 0)
	_, module := negate(t)
	for name, c := range map[string]struct {
		fn   xlatransform.Func
		code error
		want string
	}{
		"error":  {func(*hlo.Module) (bool, error) { return true, errors.New("no f64 here") }, pjrt.ErrUnknown, "the pass error: no f64 here"},
		"code":   {func(*hlo.Module) (bool, error) { return false, pjrt.ErrOutOfRange.Errorf("too far") }, pjrt.ErrOutOfRange, "too far"},
		"panic":  {func(*hlo.Module) (bool, error) { panic("lost") }, pjrt.ErrInternal, "the pass panic: panic: lost"},
		"goexit": {func(*hlo.Module) (bool, error) { runtime.Goexit(); return false, nil }, pjrt.ErrAborted, "ended its goroutine"},
		"damage": {func(m *hlo.Module) (bool, error) { m.Entry.Root = nil; return true, nil }, pjrt.ErrInvalidArgument, "the root is not one"},
	} {
		p, err := xlatransform.Register(s.Plugin, name, c.fn, nil)
		require.NoError(t, err)
		_, err = s.compile(t, name, module)
		require.ErrorIs(t, err, c.code, name)
		require.ErrorContains(t, err, c.want, name)
		_, err = s.compile(t, name, []byte("garbage"))
		require.ErrorIs(t, err, pjrt.ErrInternal, name)
		require.ErrorContains(t, err, "something other than a module")
		require.NoError(t, p.Close())
	}
}

func TestAPassKeepsTheSchedule(t *testing.T) {
	s := start(t, 0)
	plain, without := negate(t)
	entry := plain.Entry
	entry.Schedule = entry.Instructions
	with, err := plain.Encode()
	require.NoError(t, err)
	renew := func(m *hlo.Module) {
		c := &hlo.Computation{Name: "new", Instructions: m.Entry.Instructions, Root: m.Entry.Root}
		*m = hlo.Module{Name: "new", Computations: []*hlo.Computation{c}, Entry: c}
	}
	const lost, early = "has no schedule", "leave Schedule nil"
	for name, c := range map[string]struct {
		module []byte
		fn     func(m *hlo.Module)
		want   string // in the error, or empty
	}{
		"kept": {with, func(m *hlo.Module) { m.Entry.Root.Opcode = "abs" }, ""},
		"kept and longer": {with, func(m *hlo.Module) {
			m.Entry.Add(&hlo.Instruction{Opcode: "abs", Shape: m.Entry.Root.Shape, Operands: []*hlo.Instruction{m.Entry.Root}})
		}, ""},
		"all removed":        {with, (*hlo.Module).Unschedule, "computation main " + lost},
		"one removed":        {with, func(m *hlo.Module) { m.Entry.Schedule = nil }, lost},
		"a new module":       {with, renew, "computation new " + lost},
		"never there":        {without, func(m *hlo.Module) { m.Entry.Root.Opcode = "abs" }, ""},
		"never there, new":   {without, renew, ""},
		"removed in vain":    {without, (*hlo.Module).Unschedule, ""},
		"given":              {without, func(m *hlo.Module) { m.Entry.Schedule = m.Entry.Instructions }, "computation main has a schedule"},
		"given, and a hint":  {without, func(m *hlo.Module) { m.Entry.Schedule = m.Entry.Instructions }, early},
		"without an entry":   {with, func(m *hlo.Module) { m.Entry = nil }, "cannot be used"},
		"a nil computation":  {with, func(m *hlo.Module) { m.Computations = append(m.Computations, nil) }, "cannot be used"},
		"without any, empty": {with, func(m *hlo.Module) { *m = hlo.Module{} }, "cannot be used"},
	} {
		p, err := xlatransform.Register(s.Plugin, "p", func(m *hlo.Module) (bool, error) { c.fn(m); return true, nil }, nil)
		require.NoError(t, err)
		_, err = s.compile(t, "p", c.module)
		if c.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
			require.ErrorContains(t, err, c.want, name)
		}
		require.NoError(t, p.Close())
	}
}

func TestRegistrationsThatAreRefused(t *testing.T) {
	s := start(t, 0)
	for want, try := range map[string]func() error{
		"the plugin is nil": func() error { _, err := xlatransform.Register(nil, "x", look, nil); return err },
		"has no name":       func() error { _, err := xlatransform.Register(s.Plugin, "", look, nil); return err },
		"a zero byte":       func() error { _, err := xlatransform.Register(s.Plugin, "a\x00b", look, nil); return err },
		"pass x is nil":     func() error { _, err := xlatransform.Register(s.Plugin, "x", nil, nil); return err },
		"stage Stage(7)": func() error {
			_, err := xlatransform.Register(s.Plugin, "x", look, &xlatransform.Options{Stage: 7})
			return err
		},
	} {
		err := try()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		require.ErrorContains(t, err, want)
	}

	first, err := xlatransform.Register(s.Plugin, "taken", look, nil)
	require.NoError(t, err)
	_, err = xlatransform.Register(s.Plugin, "taken", look, nil)
	require.ErrorIs(t, err, pjrt.ErrAlreadyExists)
	require.NoError(t, first.Close())
	again, err := xlatransform.Register(s.Plugin, "taken", look, nil)
	require.NoError(t, err)
	require.NoError(t, again.Close())

	s.refuse = pjrt.ErrResourceExhausted.Errorf("enough passes")
	_, err = xlatransform.Register(s.Plugin, "refused", look, nil)
	require.ErrorIs(t, err, pjrt.ErrResourceExhausted)
	s.refuse = nil
	p, err := xlatransform.Register(s.Plugin, "refused", look, nil)
	require.NoError(t, err, "the name is free")
	require.NoError(t, p.Close())

	old := pjrttest.New(t, pjrttest.Options{Minor: 81}).Plugin()
	_, err = xlatransform.Register(old, "x", look, nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	require.ErrorContains(t, err, "XlaTransform")
	m, _ := negate(t)
	_, err = xlatransform.Trace(old, m)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	require.NoError(t, (*xlatransform.Pass)(nil).Close())
	require.NoError(t, new(xlatransform.Pass).Close())
	assert.Empty(t, (*xlatransform.Pass)(nil).Name())
}

func TestAPassThatThePluginKeeps(t *testing.T) {
	s := start(t, 110) // which cannot remove passes
	_, module := negate(t)
	calls := 0
	p, err := xlatransform.Register(s.Plugin, "kept", func(*hlo.Module) (bool, error) { calls++; return false, nil }, nil)
	require.NoError(t, err)
	_, err = s.compile(t, "kept", module)
	require.NoError(t, err)
	require.ErrorIs(t, p.Close(), pjrt.ErrUnimplemented)
	_, err = s.compile(t, "kept", module)
	require.NoError(t, err)
	assert.Equal(t, 1, calls, "the function is not called after Close")
	_, err = xlatransform.Register(s.Plugin, "kept", look, nil)
	require.ErrorIs(t, err, pjrt.ErrAlreadyExists)

	lost := start(t, 0)
	p, err = xlatransform.Register(lost.Plugin, "lost", look, nil)
	require.NoError(t, err)
	c := lost.registered["lost"]
	delete(lost.registered, "lost")
	require.ErrorIs(t, p.Close(), pjrt.ErrNotFound)
	c.Dtor.Call(c)
}

func TestAPassOutlivesItsPlugin(t *testing.T) {
	s := start(t, 0)
	p, err := xlatransform.Register(s.Plugin, "late", look, nil)
	require.NoError(t, err)
	require.NoError(t, s.table.Close())
	require.ErrorIs(t, p.Close(), pjrt.ErrFailedPrecondition)
	require.NoError(t, p.Close())
}

func TestTheTraceOfTheCompilersPasses(t *testing.T) {
	s := start(t, 0)
	m, module := negate(t)
	s.trace = []byte("\x2a\x29\x08\x03\x12\x07algsimp\x1a\x08simplify\x28\x01\x40\xe8\x07\x48\xf2\x07\x5a\x0a\x0a\x06folded\x10\x05")
	s.trace[1] = byte(len(s.trace) - 2)
	var got []byte
	s.traced = func(b []byte) error {
		got = b
		_, err := xlatransform.Trace(s.Plugin, m)
		assert.ErrorIs(t, err, pjrt.ErrFailedPrecondition, "a pass that asks for a trace would never end")
		return nil
	}
	runs, err := xlatransform.Trace(s.Plugin, m)
	require.NoError(t, err)
	assert.Equal(t, module, got)
	require.Len(t, runs, 1)
	assert.Equal(t, int64(1000), runs[0].Start.UnixMicro())
	assert.Equal(t, int64(10), runs[0].Duration.Microseconds())
	runs[0].Start, runs[0].Duration = runs[0].Start.UTC(), 0
	assert.Equal(t, "algsimp", runs[0].Pass)
	assert.Equal(t, "simplify", runs[0].Pipeline)
	assert.Equal(t, int64(3), runs[0].ID)
	assert.True(t, runs[0].Changed)
	assert.Equal(t, map[string]int64{"folded": 5}, runs[0].Metrics)
	assert.Equal(t, 1, s.destroyed)

	s.traced, s.trace = nil, []byte("\x2a\x7f")
	_, err = xlatransform.Trace(s.Plugin, m)
	require.ErrorIs(t, err, pjrt.ErrInternal)
	require.ErrorContains(t, err, "cannot be read")
	_, err = xlatransform.Trace(nil, m)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = xlatransform.Trace(s.Plugin, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = xlatransform.Trace(start(t, 113).Plugin, m)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
}
