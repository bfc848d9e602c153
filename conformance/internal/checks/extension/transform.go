// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

const (
	preScheduler  = capi.XLATransformPipelineStagePreScheduler
	postScheduler = capi.XLATransformPipelineStagePostScheduler
)

// transformation is a registered transformation.
type transformation struct {
	name      string
	stage     capi.XLATransformPipelineStage
	callbacks *capi.XLATransformCallbacks
	watch     watch
	calls     atomic.Int64
}

// transform registers a transformation of programs. The name is only valid during the call
// and has no NUL after it: afterwards its memory holds something else.
func transform(t *check.T, stage capi.XLATransformPipelineStage, f func([]byte) ([]byte, error)) *transformation {
	x := &transformation{name: freshName(t), stage: stage}
	x.callbacks = watchTransform(&x.watch, capi.XLATransform{Transform: func(b []byte) ([]byte, error) {
		x.calls.Add(1)
		return f(b)
	}})
	text := []byte(x.name + "_and_more")
	check.Call(t, capi.RegisterXLATransformArgs{Stage: stage, Callbacks: x.callbacks, Name: &text[0], NameSize: uintptr(len(x.name))})
	for i := range text {
		text[i] = 'x'
	}
	return x
}

// clear unregisters the transformation and returns what the plugin says about it.
func (x *transformation) clear(t *check.T) bool {
	args := capi.ClearXLATransformArgs{Stage: x.stage, Callbacks: x.callbacks}
	args.Name, args.NameSize = capi.StringData(x.name)
	return check.Call(t, args).Cleared
}

// transformed compiles a program with a transformation, which it then unregisters.
func transformed(t *check.T, text string, f func([]byte) ([]byte, error)) (x *transformation, e *built, err error) {
	t.Require(check.FunctionOf[capi.ClearXLATransformArgs]())
	x = transform(t, preScheduler, f)
	e, err = build(t, text)
	check.Equal(t, true, x.clear(t), "cleared, of a transformation that was registered")
	x.watch.check(t, "the transformation")
	return x, e, err
}

// built is a compiled program: for the client, or else ahead of time.
type built struct {
	loaded     *capi.LoadedExecutable // nil if compiled ahead of time
	executable *capi.Executable
}

// build compiles for the client or the topology.
func build(t *check.T, text string) (*built, error) { return buildWith(t, text, check.Devices(1, 1)) }

// buildWith is build with a serialized CompileOptionsProto.
func buildWith(t *check.T, text string, options []byte) (*built, error) {
	if !noClient(t) {
		loaded, err := t.TryCompile(t.Client(), text, options)
		if err != nil {
			return nil, err
		}
		return &built{loaded, t.Executable(loaded)}, nil
	}
	args := capi.CompileArgs{Topology: t.Topology(), Program: t.Program("mlir", text)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(options)
	out, err := check.Try(t, args)
	if err != nil {
		return nil, err
	}
	return &built{nil, check.Own(t, out.Executable)}, nil
}

// adds fails the check unless the program adds n to its argument. A result shows this or,
// without a device, the compiler's code.
func (e *built) adds(t *check.T, n, other float32, what string) {
	if e.loaded != nil {
		out := t.Run(e.loaded, 1, check.Upload(t, t.Client(), []float32{1, 2, 3, 4}))
		check.ExpectBuffer(t, out[0], []float32{1 + n, 2 + n, 3 + n, 4 + n}, what)
		return
	}
	code := optimized(t, e.executable)
	if !bytes.Contains(code, float(n)) || bytes.Contains(code, float(other)) {
		t.Errorf("%s: expected the constant %v instead of %v in the optimized program of %d bytes", what, n, other, len(code))
	}
}

// optimized returns the program as the compiler left it.
func optimized(t *check.T, e *capi.Executable) []byte {
	program := &capi.Program{StructSize: capi.ProgramSize}
	check.Optional(t, capi.ExecutableOptimizedProgramArgs{Executable: e, Program: program})
	code := make([]byte, program.CodeSize)
	program.Code, _ = check.First(code)
	check.Optional(t, capi.ExecutableOptimizedProgramArgs{Executable: e, Program: program})
	return code
}

// float returns a float as a message holds it.
func float(x float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)) }

// adder returns a program that adds n to its argument.
func adder(n float32) string {
	return strings.Replace(check.AddOne, "dense<1.0>", fmt.Sprintf("dense<%e>", n), 1)
}

// distinct returns a number that no program of the suite has added so far.
func distinct() float32 { return 1000 + float32(number.Add(1)) + 0.125 }

// canCompile skips the check if nothing can be compiled.
func canCompile(t *check.T) {
	if _, err := build(t, adder(distinct())); err != nil {
		t.SkipEnvf("a plain program cannot be compiled: %v", err)
	}
}

var transformChecks = []check.Check{
	{Rule: "XTF-01", Library: true, Hostile: true, Run: func(t *check.T) {
		canCompile(t)
		from := distinct()
		to := from + 4096
		var module []byte
		x, e, err := transformed(t, adder(from), func(b []byte) ([]byte, error) {
			module = slices.Clone(b)
			return bytes.ReplaceAll(b, float(from), float(to)), nil
		})
		if err != nil {
			t.Fatalf("compiling with a transformation that changes a number: expected success, got %v", err)
		}
		if x.calls.Load() == 0 {
			t.Fatalf("the transformation was not called")
		}
		isMessage(t, module, "the program that a transformation got")
		if !bytes.Contains(module, float(from)) {
			t.Fatalf("the program that a transformation got: expected the constant %v of the program in it, got %d bytes without", from, len(module))
		}
		e.adds(t, to, from, "a program of which a transformation changed a constant")
		again, err := build(t, adder(from))
		if err != nil {
			t.Fatalf("compiling after a transformation was cleared: expected success, got %v", err)
		}
		again.adds(t, from, to, "the same program without the transformation")
	}},
	{Rule: "XTF-01", Variant: "stages", Library: true, Hostile: true, Run: inOrder},
	{Rule: "XTF-02", Library: true, Hostile: true, Run: func(t *check.T) {
		canCompile(t)
		t.Require(check.FunctionOf[capi.ClearXLATransformArgs]())
		leave := func([]byte) ([]byte, error) { return nil, nil }
		x, other := transform(t, preScheduler, leave), transform(t, preScheduler, leave)
		if _, err := build(t, adder(distinct())); err != nil || x.calls.Load() == 0 || other.calls.Load() == 0 {
			t.Fatalf("compiling with two transformations: expected calls of both, got %d and %d (%v)", x.calls.Load(),
				other.calls.Load(), err)
		}
		check.Equal(t, true, x.clear(t), "cleared, the first time")
		check.Equal(t, false, x.clear(t), "cleared, the second time")
		before, kept := x.calls.Load(), other.calls.Load()
		if _, err := build(t, adder(distinct())); err != nil {
			t.Errorf("compiling after a transformation was cleared: expected success, got %v", err)
		}
		check.Equal(t, before, x.calls.Load(), "calls of a transformation, after it was cleared")
		if other.calls.Load() == kept {
			t.Errorf("after one transformation was cleared, another one is no longer called")
		}
		check.Equal(t, true, other.clear(t), "cleared, of the other transformation")
	}},
	{Rule: "XTF-03", Library: true, Hostile: true, Run: func(t *check.T) {
		canCompile(t)
		const message = "refused by the suite's transformation"
		live := capi.LiveHandles()
		x, _, err := transformed(t, adder(distinct()), func([]byte) ([]byte, error) {
			return nil, &capi.Error{Code: capi.ErrorCodeDataLoss, Message: message}
		})
		if x.calls.Load() == 0 {
			t.Fatalf("the transformation was not called")
		}
		check.Equal(t, live, capi.LiveHandles(), "errors of the transformation that were not freed")
		var e *capi.Error
		switch {
		case !errors.As(err, &e):
			t.Errorf("compiling with a transformation that fails: expected an error, got %v", err)
		case e.Code != capi.ErrorCodeDataLoss || !strings.Contains(e.Message, message):
			t.Errorf("the error of a failed transformation: expected DATA_LOSS with %q, got %v", message, err)
		}
		canCompile(t)
	}},
	{Rule: "XTF-04", Library: true, Hostile: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.XLATransformGetHLOPassPipelineTraceArgs]())
		canCompile(t)
		var module []byte
		if _, _, err := transformed(t, adder(distinct()), func(b []byte) ([]byte, error) {
			module = slices.Clone(b)
			return nil, nil
		}); err != nil || module == nil {
			t.SkipUnimplf("there was no program to trace: %v", err)
		}
		size := float64(len(passTrace(t, module)))
		t.Flat(400, max(512, size/2), "a trace that is made and destroyed", func() { passTrace(t, module) })
	}},
}

// inOrder registers a transformation at each stage: they must run in the order of the
// stages, not in the order of registration.
func inOrder(t *check.T) {
	canCompile(t)
	t.Require(check.FunctionOf[capi.ClearXLATransformArgs]())
	var mu sync.Mutex
	var order []capi.XLATransformPipelineStage
	at := func(stage capi.XLATransformPipelineStage) *transformation {
		return transform(t, stage, func([]byte) ([]byte, error) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, stage)
			return nil, nil
		})
	}
	post, pre := at(postScheduler), at(preScheduler)
	_, err := build(t, adder(distinct()))
	for _, x := range []*transformation{post, pre} {
		check.Equal(t, true, x.clear(t), "cleared, of the stage %v", x.stage)
		if x.calls.Load() == 0 {
			t.Errorf("the transformation of the stage %v was not called", x.stage)
		}
	}
	if err != nil {
		t.Fatalf("compiling with a transformation at each stage: expected success, got %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(order) > 1 && (order[0] != preScheduler || order[len(order)-1] != postScheduler) {
		t.Errorf("the stages: expected %v first and %v last, got %v", preScheduler, postScheduler, order)
	}
}

// passTrace returns the trace of what passes did to a program.
func passTrace(t *check.T, module []byte) string {
	var args capi.XLATransformGetHLOPassPipelineTraceArgs
	args.HLOModule.Data, args.HLOModule.Size = capi.BytesData(module)
	out, err := check.Try(t, args)
	switch {
	case err != nil && noClient(t):
		// The call does not name the target; a client would determine it.
		t.SkipEnvf("without a device the plugin traces nothing: %v", err)
	case err != nil:
		t.Fatalf("expected the passes of the program that was compiled, got %v", err)
	}
	text := capi.Bytes(out.Trace.SerializedTrace, out.Trace.SerializedTraceSize)
	isMessage(t, text, "the trace of passes")
	check.Call(t, capi.XLATransformDestroyHLOPassPipelineTraceArgs{Trace: &out.Trace})
	return string(text)
}
