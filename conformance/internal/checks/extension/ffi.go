// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// number makes what is new to the plugin, which never forgets a name. Each rule counts its own
// names, so that the programs of a check do not depend on those that ran before.
var (
	number atomic.Int64
	fresh  sync.Map
)

func freshName(t *check.T) string {
	n, _ := fresh.LoadOrStore(t.Rule().ID, new(atomic.Int64))
	return fmt.Sprintf("extension_suite_%s_%d", strings.ReplaceAll(t.Rule().ID, "-", "_"), n.(*atomic.Int64).Add(1))
}

// registerType registers a type of user data.
func registerType(t *check.T, name string, id int64) (int64, error) {
	args := capi.FFITypeRegisterArgs{TypeInfo: new(capi.FFITypeInfo), TypeID: id}
	args.TypeName, args.TypeNameSize = capi.StringData(name)
	out, err := check.Try(t, args)
	return out.TypeID, err
}

// newType registers a new type and returns its id.
func newType(t *check.T) int64 {
	args := capi.FFITypeRegisterArgs{TypeInfo: new(capi.FFITypeInfo)}
	args.TypeName, args.TypeNameSize = capi.StringData(freshName(t))
	id := check.Call(t, args).TypeID
	if id == 0 {
		t.Fatalf("PJRT_FFI_Type_Register: expected a type_id that is not zero")
	}
	return id
}

// scale writes the operand of a call times factor into its result, if both are in host
// memory.
func scale(f *ffi.CallFrame, factor float32, host bool) error {
	in, err := f.Args.Buffer(0)
	if err != nil {
		return err
	}
	out, err := f.Rets.Buffer(0)
	if err != nil || !host {
		return err
	}
	from, err := ffi.Elements[float32](in)
	if err != nil {
		return err
	}
	to, err := ffi.Elements[float32](out)
	for i := range to {
		to[i] = factor * from[i]
	}
	return err
}

// calls returns a program that calls a handler with an attribute.
func calls(name string) string {
	return `module @calls {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @` + name + `(%a) {api_version = 4 : i32, has_side_effect = true, backend_config = {scale = 3.0 : f32}} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`
}

// runCall compiles and executes a program with one argument and one result.
func runCall(t *check.T, text string) (*capi.Buffer, error) {
	c := t.Client()
	exe, err := t.TryCompile(c, text, check.Devices(1, 1))
	if err != nil {
		t.NeedsText(t.Program("mlir", text), err)
		return nil, err
	}
	x := check.NewExecution(exe, 1, []*capi.Buffer{check.Upload(t, c, []float32{1, 2, 3, 4})})
	if err := x.Start(t); err != nil {
		return nil, err
	}
	if err := t.Await(x.Events[0]); err != nil {
		return nil, err
	}
	return x.Outputs[0][0], nil
}

// survived fails the check unless the client still computes.
func survived(t *check.T) {
	c := t.Client()
	out := t.Run(t.Compile(c, check.AddOne), 1, check.Upload(t, c, []float32{1, 2, 3, 4}))
	check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "a program afterwards")
}

var ffiChecks = []check.Check{
	{Rule: "XFFI-01", Library: true, Run: func(t *check.T) {
		names, seen := []string{freshName(t), freshName(t), freshName(t)}, make(map[int64]string)
		check.Call(t, func() capi.FFITypeRegisterArgs { // skips the check if there are no types
			args := capi.FFITypeRegisterArgs{TypeInfo: new(capi.FFITypeInfo)}
			args.TypeName, args.TypeNameSize = capi.StringData(freshName(t))
			return args
		}())
		for _, name := range names {
			id, err := registerType(t, name, 0)
			switch {
			case err != nil:
				t.Fatalf("registering the type %s: expected success, got %v", name, err)
			case id == 0:
				t.Errorf("the type %s has the id 0", name)
			case seen[id] != "":
				t.Errorf("the types %s and %s both have the id %d", seen[id], name, id)
			}
			seen[id] = name
			if again, err := registerType(t, name, 0); err == nil {
				check.Equal(t, id, again, "the id of a type that is registered again")
			} else {
				t.Notef("a type is refused that is registered again: %v", err)
			}
		}
	}},
	{Rule: "XFFI-02", Library: true, Run: func(t *check.T) {
		id, name := newType(t), freshName(t)
		own, err := registerType(t, name, 0)
		if err != nil {
			t.Fatalf("registering a type: expected success, got %v", err)
		}
		_, err = registerType(t, name, id)
		t.ErrorCode(err, fmt.Sprintf("registering the type %s, which has the id %d, with the id %d of another type", name, own, id))
	}},
	{Rule: "XFFI-03", Library: true, Run: func(t *check.T) {
		id := newType(t)
		context := check.Optional(t, capi.ExecuteContextCreateArgs{}).Context
		args := capi.FFIUserDataAddArgs{Context: context, UserData: capi.FFIUserData{TypeID: id, Data: 7}}
		check.Call(t, args)
		args.UserData.Data = 8
		_, err := check.Try(t, args)
		t.ErrorCode(err, "adding a second value of a type to a context")
		args.UserData.TypeID = newType(t)
		check.Call(t, args)
		check.Optional(t, capi.ExecuteContextDestroyArgs{Context: context})
	}},
	{Rule: "XFFI-04", Library: true, Hostile: true, Run: func(t *check.T) {
		_, err := check.Try(t, capi.FFIUserDataAddArgs{UserData: capi.FFIUserData{TypeID: newType(t), Data: 7}})
		t.ErrorCode(err, "adding user data to a null context")
	}},
	{Rule: "XFFI-05", Run: func(t *check.T) {
		var called atomic.Int64
		host := t.FFIPlatform() == "Host"
		name := freshName(t)
		check.Call(t, check.HandlerArgs(name, t.FFIPlatform(), t.NewHandler(func(f *ffi.CallFrame) error {
			called.Add(1)
			factor, err := ffi.Attribute[float32](&f.Attrs, "scale")
			if err != nil {
				return err
			}
			return scale(f, factor, host)
		})))
		out, err := runCall(t, calls(name))
		if err != nil {
			t.Fatalf("a program with a registered handler: expected success, got %v", err)
		}
		if called.Load() == 0 {
			t.Errorf("the handler was not called")
		}
		if host {
			check.ExpectBuffer(t, out, []float32{3, 6, 9, 12}, "the handler's result")
		}
		handlersApart(t, host)
	}},
	{Rule: "XFFI-06", Library: true, Hostile: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.FFIRegisterHandlerArgs]())
		on := "Host"
		if !noClient(t) {
			on = t.FFIPlatform()
		}
		_, err := check.Try(t, check.HandlerArgs(freshName(t), on, 0))
		t.ErrorCode(err, "registering a null handler")
		var called atomic.Int64
		name := freshName(t)
		_, err = check.Try(t, check.HandlerArgs(name, "no such platform", t.NewHandler(func(*ffi.CallFrame) error {
			called.Add(1)
			return nil
		})))
		if err != nil || noClient(t) {
			return
		}
		t.Notef("a handler for an unknown platform was accepted")
		_, err = runCall(t, calls(name))
		t.ErrorCode(err, "a program that calls a handler of another platform")
		check.Equal(t, int64(0), called.Load(), "calls of a handler of another platform")
	}},
	{Rule: "XFFI-07", Hostile: true, Run: func(t *check.T) {
		const message = "refused by the suite's handler"
		name := freshName(t)
		check.Call(t, check.HandlerArgs(name, t.FFIPlatform(), t.NewHandler(func(*ffi.CallFrame) error {
			return &capi.Error{Code: capi.ErrorCodeDataLoss, Message: message}
		})))
		_, err := runCall(t, calls(name))
		if t.ErrorCode(err, "executing a program whose handler fails") && !strings.Contains(err.Error(), message) {
			t.Errorf("the error of a failed handler: expected an error with %q, got %v", message, err)
		}
		survived(t)
	}},
	{Rule: "XFFI-08", Hostile: true, Run: func(t *check.T) {
		_, err := runCall(t, calls(freshName(t)))
		t.ErrorCode(err, "a program that calls a handler that was not registered")
		survived(t)
	}},
}

// handlersApart registers several handlers, one whose name begins with that of another among them,
// and calls them in another order.
func handlersApart(t *check.T, host bool) {
	first := freshName(t)
	names := []string{first, first + "_more", freshName(t)}
	calledWith := make([]atomic.Int64, len(names))
	for i, name := range names {
		check.Call(t, check.HandlerArgs(name, t.FFIPlatform(), t.NewHandler(func(f *ffi.CallFrame) error {
			calledWith[i].Add(1)
			return scale(f, float32(10*i+10), host)
		})))
	}
	for _, i := range []int{1, 0, 2} {
		before := calledWith[i].Load()
		out, err := runCall(t, calls(names[i]))
		if err != nil {
			t.Fatalf("a program with handler %d of %d: expected success, got %v", i, len(names), err)
		}
		if calledWith[i].Load() == before {
			t.Errorf("handler %d of %d, %s, was not called by a program that names it", i, len(names), names[i])
		}
		if host {
			n := float32(10*i + 10)
			check.ExpectBuffer(t, out, []float32{n, 2 * n, 3 * n, 4 * n}, fmt.Sprintf("the result of handler %d of %d", i, len(names)))
		}
	}
}

// gpuArgs returns the args that register a GPU's custom call.
func gpuArgs(name string, version int32, h uintptr) capi.GPURegisterCustomCallArgs {
	args := capi.GPURegisterCustomCallArgs{APIVersion: version, HandlerExecute: h}
	args.FunctionName, args.FunctionNameSize = capi.StringData(name)
	return args
}

var gpuChecks = []check.Check{
	{Rule: "XGPU-01", Library: true, Run: func(t *check.T) {
		var asked atomic.Int64
		h, err := ffi.NewHandler(func(*ffi.CallFrame) error { return nil }, &ffi.HandlerOptions{Asked: func(*ffi.API) { asked.Add(1) }})
		if err != nil {
			t.Fatalf("%v", err)
		}
		t.Cleanup(func() { h.Release() })
		check.Call(t, gpuArgs(freshName(t), 1, uintptr(h)))
		if asked.Load() == 0 {
			t.Errorf("api_version 1: the handler was registered but never asked for its metadata")
		}
		check.Call(t, gpuArgs(freshName(t), 0, uintptr(h)))
	}},
	{Rule: "XGPU-02", Library: true, Run: func(t *check.T) {
		h := t.NewHandler(func(*ffi.CallFrame) error { return nil })
		args := gpuArgs(freshName(t), 1, uintptr(h))
		const old = 64 // without traits
		args.Traits = 0xffffffff
		if _, _, err := check.Place(t, args, check.Guarded(old)); err != nil {
			t.Errorf("registering with a struct of %d bytes, which has no traits: expected success, got %v", old, err)
		}
		args = gpuArgs(freshName(t), 1, uintptr(h))
		check.Call(t, args)
	}},
	{Rule: "XGPU-03", Library: true, Run: func(t *check.T) {
		h := t.NewHandler(func(*ffi.CallFrame) error { return nil })
		other := t.NewHandler(func(*ffi.CallFrame) error { return nil })
		name := freshName(t)
		check.Call(t, gpuArgs(name, 1, uintptr(h)))
		_, err := check.Try(t, gpuArgs(name, 1, uintptr(other)))
		t.ErrorCode(err, "registering another handler under a name that has one")
	}},
	{Rule: "XGPU-04", Library: true, Hostile: true, Run: func(t *check.T) {
		h := t.NewHandler(func(*ffi.CallFrame) error { return nil })
		_, err := check.Try(t, gpuArgs(freshName(t), 7, uintptr(h)))
		t.ErrorCode(err, "registering a custom call with the api_version 7")
	}},
}
