// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// withOptions executes check.AddOne with options that change nothing, and
// expects the right result.
func withOptions(t *check.T, what string, set func(o *capi.ExecuteOptions), after func(o *capi.ExecuteOptions)) bool {
	c := t.Client()
	x := check.NewExecution(t.Shared(check.AddOne), 1, []*capi.Buffer{upload4(t, c)})
	set(x.Options)
	if !t.NoError(x.Start(t), "executing with "+what) {
		return false
	}
	if after != nil {
		after(x.Options)
	}
	return t.NoError(finish(t, x), "the execution with "+what) &&
		check.ExpectBuffer(t, x.Outputs[0][0], []float32{2, 3, 4, 5}, "an execution with "+what)
}

var executeOptionChecks = []check.Check{
	{Rule: "XOPT-01", Run: func(t *check.T) {
		withOptions(t, "zeroed options",
			func(o *capi.ExecuteOptions) { *o = capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize} }, nil)
	}},
	{Rule: "XOPT-02", Run: func(t *check.T) {
		for _, id := range []int32{0, 1, -1, math.MaxInt32, math.MinInt32, 0} {
			withOptions(t, fmt.Sprintf("launch_id %d", id), func(o *capi.ExecuteOptions) { o.LaunchID = id }, nil)
		}
	}},
	{Rule: "XOPT-04", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		for _, list := range [][]int64{{-1, 99}, {math.MaxInt64}, {math.MinInt64}, {0, 0, 0}, {99, 0}} {
			exe := t.Compile(c, check.Donate)
			a, bystander := upload4(t, c), upload4(t, c)
			x := check.NewExecution(exe, 1, []*capi.Buffer{a})
			x.Options.NonDonatableInputIndices, x.Options.NumNonDonatableInputIndices = check.First(list)
			if err := x.Start(t); err != nil {
				t.Notef("non_donatable_input_indices %v are refused: %v", list, err)
				check.Equal(t, false, t.IsDeleted(a), "is_deleted of the argument of a refused execution")
			} else {
				t.NoError(finish(t, x), fmt.Sprintf("the execution with non_donatable_input_indices %v", list))
				check.ExpectBuffer(t, x.Outputs[0][0], []float32{2, 4, 6, 8},
					fmt.Sprintf("an execution with non_donatable_input_indices %v", list))
				if slices.Contains(list, 0) &&
					check.Equal(t, false, t.IsDeleted(a), "is_deleted of argument 0 with non_donatable_input_indices %v", list) {
					check.ExpectBuffer(t, a, []float32{1, 2, 3, 4}, fmt.Sprintf("argument 0 with non_donatable_input_indices %v", list))
				}
			}
			check.ExpectBuffer(t, bystander, []float32{1, 2, 3, 4}, "another buffer")
		}
	}},
	{Rule: "XOPT-05", Run: func(t *check.T) {
		withOptions(t, "call_location null", func(o *capi.ExecuteOptions) { o.CallLocation = nil }, nil)
		t.Since(76, "call_location")
		location := []byte("conformance.go:1\x00")
		withOptions(t, "a call_location", func(o *capi.ExecuteOptions) { o.CallLocation = &location[0] }, func(*capi.ExecuteOptions) {
			for i := range location {
				location[i] = 'x' // now without a NUL
			}
		})
	}},
	{Rule: "XOPT-06", Run: func(t *check.T) {
		t.Since(78, "task_ids")
		tasks, incarnations := []int32{0}, []int64{1}
		withOptions(t, "the incarnation of a task", func(o *capi.ExecuteOptions) {
			o.NumTasks, o.TaskIDs, o.IncarnationIDs = 1, &tasks[0], &incarnations[0]
		}, func(*capi.ExecuteOptions) { tasks[0], incarnations[0] = math.MinInt32, math.MinInt64 })
	}},
	{Rule: "XOPT-07", Run: func(t *check.T) {
		t.Since(97, "multi_slice_config")
		withOptions(t, "multi_slice_config null", func(o *capi.ExecuteOptions) { o.MultiSliceConfig = nil }, nil)
	}},
	{Rule: "XOPT-22", Run: func(t *check.T) {
		withOptions(t, "custom_options null", func(o *capi.ExecuteOptions) { o.CustomOptions, o.NumCustomOptions = nil, 0 }, nil)
		t.Since(116, "custom_options")
		values, n := t.NamedValues([]capi.Attribute{{Name: "text", Value: "some"}, {Name: "number", Value: int64(-1)},
			{Name: "numbers", Value: []int64{1, 2, 3}}, {Name: "real", Value: float32(0.5)}, {Name: "switch", Value: true}}...)
		withOptions(t, "custom options of each type", func(o *capi.ExecuteOptions) {
			o.CustomOptions, o.NumCustomOptions = values, n
		}, func(*capi.ExecuteOptions) { *values = capi.NamedValue{} })
	}},
}

// newContext makes an execute context. The caller destroys it.
func newContext(t *check.T) *capi.ExecuteContext {
	context := check.Optional(t, capi.ExecuteContextCreateArgs{}).Context
	if context == nil {
		t.Fatalf("PJRT_ExecuteContext_Create: success without a context")
	}
	return context
}

// ownContext makes an execute context that is destroyed when the check ends.
func ownContext(t *check.T) *capi.ExecuteContext {
	context := newContext(t)
	t.Cleanup(func() { dropContext(t, context) })
	return context
}

func dropContext(t *check.T, context *capi.ExecuteContext) {
	_, err := check.Try(t, capi.ExecuteContextDestroyArgs{Context: context})
	t.NoError(err, "PJRT_ExecuteContext_Destroy")
}

var contextChecks = []check.Check{
	{Rule: "CTX-01", Library: true, Run: func(t *check.T) {
		a, b := newContext(t), newContext(t)
		if a == b {
			t.Errorf("PJRT_ExecuteContext_Create twice: expected two contexts, got %p twice", a)
			return
		}
		dropContext(t, a)
		d := newContext(t)
		if d == b {
			t.Errorf("PJRT_ExecuteContext_Create: expected a new context, got %p, which is in use", b)
			return
		}
		dropContext(t, b)
		dropContext(t, d)
	}},
	{Rule: "CTX-02", Library: true, Hostile: true, Run: func(t *check.T) {
		check.Optional(t, capi.ExecuteContextDestroyArgs{})
	}},
	{Rule: "CTX-03", Run: func(t *check.T) {
		t.Since(64, "context")
		c := t.Client()
		context := ownContext(t)
		withOptions(t, "a context", func(o *capi.ExecuteOptions) { o.Context = context }, nil)
		// Each context must have its own data of each type.
		contexts := []*capi.ExecuteContext{context, ownContext(t), ownContext(t)}
		ids := make([]int64, 3) // of types
		n := handlerNumber.Add(1)
		for j := range ids {
			register := capi.FFITypeRegisterArgs{TypeInfo: &capi.FFITypeInfo{}}
			register.TypeName, register.TypeNameSize = capi.StringData(fmt.Sprintf("suite_type_%d_%d", n, j))
			ids[j] = check.Optional(t, register).TypeID
		}
		value := func(i, j int) uintptr { return ^uintptr(0) / 255 * uintptr(17+len(ids)*i+j) } // all bits count
		for i, own := range contexts {
			for j, id := range ids {
				check.Optional(t, capi.FFIUserDataAddArgs{Context: own, UserData: capi.FFIUserData{TypeID: id, Data: value(i, j)}})
			}
		}
		type seen struct {
			data []uintptr
			err  error
		}
		answers := make(chan seen, 8)
		exe := compileOrSkip(t, c, handler(t, func(f *ffi.CallFrame) error {
			var s seen
			for _, id := range ids {
				data, err := f.UserData(ffi.TypeID{TypeID: id})
				s.data, s.err = append(s.data, data), errors.Join(s.err, err)
			}
			answers <- s
			return nil
		}), options{}, "a program with a registered custom call is refused")
		for _, i := range []int{0, 1, 2, 1, 0} {
			x := check.NewExecution(exe, 1, []*capi.Buffer{upload4(t, c)})
			x.Options.Context = contexts[i]
			if !t.NoError(x.Start(t), "executing a custom call with a context") ||
				!t.NoError(finish(t, x), "the execution with a context") {
				return
			}
			select {
			case s := <-answers:
				if t.NoError(s.err, "the handler asking for the user data of the context") {
					for j := range ids {
						check.Equal(t, value(i, j), s.data[j], "user data of type %d of %d in context %d of %d that the handler sees",
							j+1, len(ids), i+1, len(contexts))
					}
				}
			default:
				t.Errorf("executing a custom call: expected its handler to be called before the complete event is ready, but it was not")
			}
		}
	}},
	{Rule: "CTX-04", Run: func(t *check.T) {
		t.Since(64, "context")
		c := t.Client()
		context := ownContext(t)
		exe := t.Compile(c, check.AddOne)
		in := upload4(t, c)
		together(t, 8, func(int) error {
			for range 8 {
				x := check.NewExecution(exe, 1, []*capi.Buffer{in})
				x.Options.Context = context
				got := make([]float32, 4)
				if err := runOnce(t, x, got); err != nil {
					return fmt.Errorf("executing with a context that other threads use: %w", err)
				}
				if err := differ(got, []float32{2, 3, 4, 5}); err != nil {
					return fmt.Errorf("an execution with a context that other threads use: %w", err)
				}
			}
			return nil
		})
	}},
	{Rule: "CTX-05", Hostile: true, Run: func(t *check.T) {
		t.Since(64, "context")
		c := t.Client()
		exe := t.Compile(c, check.Heavy)
		in := check.HeavyArgument(t, c)
		for range 4 {
			context := newContext(t)
			x := check.NewExecution(exe, 1, []*capi.Buffer{in})
			x.Options.Context = context
			err := x.Start(t)
			dropContext(t, context)
			if !t.NoError(err, "executing with a context") ||
				!t.NoError(finish(t, x), "an execution whose context was destroyed at once") ||
				!check.ExpectBuffer(t, x.Outputs[0][0], check.HeavyResult(), "an execution whose context was destroyed at once") {
				return
			}
		}
	}},
}

var dependencyChecks = []check.Check{
	{Rule: "DON-11", Run: func(t *check.T) {
		c := t.Client()
		a := upload4(t, c)
		d := dependent(t, a)
		check.Equal(t, true, t.IsDeleted(a), "is_deleted of the source of PJRT_Buffer_DonateWithControlDependency")
		ready := t.Ready(d.OutBuffer)
		time.Sleep(5 * time.Millisecond)
		check.Equal(t, false, t.IsReady(ready), "new buffer is ready before the dependency was reported as done")
		resolve(d, capi.ErrorCodeOK, "")
		t.NoError(t.Await(ready), "the new buffer after its dependency was done")
	}},
	{Rule: "DON-12", Run: func(t *check.T) {
		d := dependent(t, upload4(t, t.Client()))
		resolve(d, capi.ErrorCodeOK, "")
		check.ExpectBuffer(t, d.OutBuffer, []float32{1, 2, 3, 4}, "the new buffer of PJRT_Buffer_DonateWithControlDependency")
		out, err := attempt(t, t.Compile(t.Client(), check.AddOne), 1, d.OutBuffer)
		if t.NoError(err, "executing on the new buffer") {
			check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "a program on the new buffer")
		}
	}},
	{Rule: "DON-13", Run: func(t *check.T) {
		d := dependent(t, upload4(t, t.Client()))
		const message = "the suite's dependency failed"
		resolve(d, capi.ErrorCodeDataLoss, message)
		err := t.Await(t.Ready(d.OutBuffer))
		if t.ErrorCode(err, "the ready event of a buffer whose dependency failed", capi.ErrorCodeDataLoss) &&
			!check.Says(err.Error(), message) {
			t.Errorf("the ready event of a buffer whose dependency failed: expected an error with the text %q, got %v", message, err)
		}
		if data, err := tryDownload(t, d.OutBuffer); err == nil {
			t.Errorf("reading a buffer whose dependency failed: expected an error, got %v", data)
		}
	}},
	{Rule: "DON-14", Run: func(t *check.T) {
		c := t.Client()
		// Resolved on another thread and in reverse order, one of them after its buffer was
		// destroyed.
		var list []capi.BufferDonateWithControlDependencyArgs
		for range 4 {
			list = append(list, dependent(t, upload4(t, c)))
		}
		for i := range list {
			for j := range i {
				if list[i].CallbackData == list[j].CallbackData && list[i].CallbackData != 0 {
					t.Fatalf("callback_data of two dependencies: expected different ones, got %#x twice", list[i].CallbackData)
				}
			}
		}
		check.Destroy(t, list[0].OutBuffer)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := len(list) - 1; i >= 0; i-- {
				resolve(list[i], capi.ErrorCodeOK, "")
			}
		}()
		<-done
		for _, d := range list[1:] {
			check.ExpectBuffer(t, d.OutBuffer, []float32{1, 2, 3, 4}, "a buffer whose dependency was done on another thread")
		}
	}},
}

// dependent makes a buffer ready only when its dependency is done. The check
// owns the new buffer.
func dependent(t *check.T, b *capi.Buffer) capi.BufferDonateWithControlDependencyArgs {
	d := check.Optional(t, capi.BufferDonateWithControlDependencyArgs{Buffer: b})
	if d.OutBuffer == nil || d.DependencyReadyCallback == 0 {
		t.Fatalf("PJRT_Buffer_DonateWithControlDependency: expected a buffer and a callback, got %p and %#x", d.OutBuffer,
			uintptr(d.DependencyReadyCallback))
	}
	check.Own(t, d.OutBuffer)
	return d
}

// resolve reports a dependency as done, or as failed.
func resolve(d capi.BufferDonateWithControlDependencyArgs, code capi.ErrorCode, message string) {
	args := &capi.BufferDonateWithControlDependencyCallbackArgs{
		StructSize: capi.BufferDonateWithControlDependencyCallbackArgsSize, CallbackData: d.CallbackData, ErrorCode: code,
	}
	args.ErrorMessage, args.ErrorMessageSize = check.Message(message)
	d.DependencyReadyCallback.Call(args)
}
