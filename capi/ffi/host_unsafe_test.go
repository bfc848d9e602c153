// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// hostAPI returns the table that the CPU plugin passes to a handler when it is registered.
func hostAPI(t testing.TB, table *capi.Table) *ffi.API {
	t.Helper()
	var api *ffi.API
	register(t, table, func(*ffi.CallFrame) error { return nil }, &ffi.HandlerOptions{Asked: func(a *ffi.API) { api = a }})
	require.NotNil(t, api)
	return api
}

// release is a value that reports when C releases it.
type release chan struct{}

func (r release) Release() { close(r) }

func (r release) released(within time.Duration) bool {
	select {
	case <-r:
		return true
	case <-time.After(within):
		return false
	}
}

func TestFunctionsOfTheTable(t *testing.T) {
	client := newClient(t)
	name := register(t, raw.Table(client.Plugin()), func(frame *ffi.CallFrame) error {
		table, err := frame.Table()
		require.NoError(t, err)
		again, err := ffi.Table(frame.API)
		require.NoError(t, err)
		assert.Same(t, table, again)

		var ordinal capi.Call[ffi.DeviceOrdinalGetArgs]
		ordinal.Args.Ctx = frame.Ctx
		require.NoError(t, ordinal.Do(table))
		assert.EqualValues(t, 0, ordinal.Args.DeviceOrdinal)

		var run capi.Call[ffi.RunIDGetArgs]
		run.Args.Ctx = frame.Ctx
		require.NoError(t, run.Do(table))
		assert.EqualValues(t, 77, run.Args.RunID)

		// The CPU has no streams and no separate device memory.
		var stream capi.Call[ffi.StreamGetArgs]
		stream.Args.Ctx = frame.Ctx
		require.ErrorContains(t, stream.Do(table), "XLA_FFI_Stream_Get: "+codeOf(t, "UNIMPLEMENTED")+": ")

		var threads capi.Call[ffi.ThreadPoolNumThreadsArgs]
		n := new(int64)
		threads.Args.Ctx, threads.Args.NumThreads = frame.Ctx, n
		require.NoError(t, threads.Do(table))
		assert.Positive(t, *n)

		done := make(chan struct{})
		var schedule capi.Call[ffi.ThreadPoolScheduleArgs]
		task, h := ffi.NewTask(func() { close(done) })
		schedule.Args.Ctx, schedule.Args.Task, schedule.Args.Data = frame.Ctx, task, uintptr(h)
		require.NoError(t, schedule.Do(table))
		<-done

		// Functions with another form before version 0.4 look missing.
		aborted := capi.ErrorCodeAborted
		if hostMinor(t) < 4 {
			aborted = capi.ErrorCodeUnknown
			for _, err := range []error{
				new(capi.Call[ffi.StateSetArgs]).Do(table), new(capi.Call[ffi.StateGetArgs]).Do(table), new(capi.Call[ffi.TypeRegisterArgs]).Do(table),
				new(capi.Call[ffi.HandlerRegisterArgs]).Do(table), new(capi.Call[ffi.ErrorGetDetailsArgs]).Do(table),
				new(capi.Call[ffi.InvokeContextFindExtensionArgs]).Do(table),
			} {
				require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
				require.ErrorContains(t, err, "the host's table does not have this function")
			}
		} else {
			_, err := frame.Collectives()
			require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
			require.ErrorContains(t, err, "does not offer the extension collectives")
		}

		e := ffi.NewError(frame.API, &capi.Error{Code: capi.ErrorCodeAborted, Message: "enough"})
		require.NotNil(t, e)
		assert.Equal(t, &capi.Error{Code: aborted, Message: "enough"}, ffi.TakeError(frame.API, e))
		err = ffi.TakeError(frame.API, ffi.NewError(frame.API, errors.New("the name a\x00b is wrong")))
		assert.ErrorContains(t, err, `the name a\x00b is wrong`, "C's text does not end at a zero byte")
		assert.NoError(t, ffi.TakeError(frame.API, nil))
		assert.Nil(t, ffi.NewError(frame.API, nil))
		return nil
	}, nil)
	exe, err := client.Compile(context.Background(), callTarget(name, ""), nil)
	require.NoError(t, err)
	defer exe.Close()
	_, err = execute(client, exe, &pjrt.ExecuteOptions{LaunchID: 77})
	require.NoError(t, err)
}

func TestACallEndsWhenItsFutureIsSet(t *testing.T) {
	client := newClient(t)
	for _, fails := range []bool{false, true} {
		name := register(t, raw.Table(client.Plugin()), func(frame *ffi.CallFrame) error {
			table, err := frame.Table()
			require.NoError(t, err)
			api := frame.API
			out, err := frame.Rets.Buffer(0)
			require.NoError(t, err)
			x, err := ffi.Elements[float32](out)
			require.NoError(t, err)
			var create capi.Call[ffi.FutureCreateArgs]
			require.NoError(t, create.Do(table))
			require.NoError(t, frame.SetFuture(create.Args.Future))
			time.AfterFunc(50*time.Millisecond, func() {
				for i := range x {
					x[i] = float32(i)
				}
				if fails {
					var set capi.Call[ffi.FutureSetErrorArgs]
					set.Args.Future = create.Args.Future
					set.Args.Error = ffi.NewError(api, &capi.Error{Code: capi.ErrorCodeOutOfRange, Message: "too late"})
					assert.NoError(t, set.Do(table))
					return
				}
				var set capi.Call[ffi.FutureSetAvailableArgs]
				set.Args.Future = create.Args.Future
				assert.NoError(t, set.Do(table))
			})
			return nil
		}, nil)
		got, err := run(t, client, callTarget(name, ""))
		if fails {
			require.ErrorIs(t, err, capi.ErrorCodeOutOfRange)
			require.ErrorContains(t, err, "too late")
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, vector(0, 1, 2, 3), got)
	}
}

func TestEachTypeHasAnID(t *testing.T) {
	api := hostAPI(t, raw.Table(newClient(t).Plugin()))
	a, err := ffi.RegisterType(api, target(), ffi.Deleter())
	require.NoError(t, err)
	assert.NotZero(t, a.TypeID)
	name := target()
	b, err := ffi.RegisterType(api, name, 0)
	require.NoError(t, err)
	assert.NotEqual(t, a, b)
	_, err = ffi.RegisterType(api, name, 0)
	require.ErrorContains(t, err, "XLA_FFI_Type_Register: "+codeOf(t, "INTERNAL")+": Type name "+name+" already registered")
}

func TestStatePassesFromStageToStage(t *testing.T) {
	client := newClient(t)
	table := raw.Table(client.Plugin())
	api := hostAPI(t, table)
	id, err := ffi.RegisterType(api, target(), ffi.Deleter())
	require.NoError(t, err)
	type state struct {
		release
		scale float32
	}
	s := &state{make(release), 3}
	var stages []ffi.ExecutionStage
	handler := func(fn ffi.HandlerFunc, options *ffi.HandlerOptions) ffi.Handler {
		return newHandler(t, func(frame *ffi.CallFrame) error {
			stages = append(stages, frame.Stage)
			return fn(frame)
		}, options)
	}
	none := func(*ffi.CallFrame) error { return nil }
	bundle := ffi.HandlerBundle{
		Instantiate: handler(func(frame *ffi.CallFrame) error {
			return frame.SetState(id, uintptr(capi.NewHandle(s)), ffi.Deleter())
		}, &ffi.HandlerOptions{StateType: id}),
		Prepare:    handler(none, nil),
		Initialize: handler(none, nil),
		Execute: handler(func(frame *ffi.CallFrame) error {
			word, err := frame.State(id, ffi.ExecutionStageInstantiate)
			if err != nil {
				return err
			}
			v, ok := capi.Handle(word).Value()
			require.True(t, ok)
			out, err := frame.Rets.Buffer(0)
			require.NoError(t, err)
			x, err := ffi.Elements[float32](out)
			require.NoError(t, err)
			for i := range x {
				x[i] = v.(*state).scale
			}
			if hostMinor(t) == 2 { // newer plugins end the process when asked for the state of a stage that they lack
				_, err = frame.State(id, ffi.ExecutionStagePrepare)
				require.ErrorContains(t, err, "XLA_FFI_State_Get: UNIMPLEMENTED: XLA FFI API 0.2 keeps states of the stage INSTANTIATE only")
			}
			return nil
		}, nil),
	}
	name := target()
	require.NoError(t, ffi.Register(api, name, "Host", bundle, 0))
	got, err := run(t, client, callTarget(name, ""))
	require.NoError(t, err)
	assert.Equal(t, vector(3, 3, 3, 3), got)
	assert.Equal(t, []ffi.ExecutionStage{ffi.ExecutionStageInstantiate, ffi.ExecutionStageExecute}, stages, "the CPU has no other stages")
	assert.True(t, s.released(time.Minute), "the state was freed with the program")

	bundle.Record = bundle.Execute
	require.ErrorContains(t, ffi.Register(api, target(), "Host", bundle, 0),
		fmt.Sprintf("XLA FFI API 0.%d has no stage in which operations are recorded", hostMinor(t)))
}

func TestUserDataOfTheExecuteContextReachesHandlers(t *testing.T) {
	table, err := capi.Open(plugintest.Path(t, "cpu"))
	require.NoError(t, err)

	var typ capi.Call[capi.FFITypeRegisterArgs]
	typ.Args.TypeName, typ.Args.TypeNameSize = capi.StringData(target())
	typ.Args.TypeInfo = capi.NewFFITypeInfo()
	require.NoError(t, typ.Do(table))
	require.NotZero(t, typ.Args.TypeID)

	var seen []string
	name := register(t, table, func(frame *ffi.CallFrame) error {
		_, err := frame.UserData(ffi.TypeID{TypeID: 1 << 40})
		require.ErrorContains(t, err, "XLA_FFI_InvokeContext_Get: "+codeOf(t, "NOT_FOUND")+": ")
		word, err := frame.UserData(ffi.TypeID{TypeID: typ.Args.TypeID})
		if err != nil {
			return err
		}
		v, ok := capi.Handle(word).Value()
		require.True(t, ok)
		seen = append(seen, v.(string))
		return nil
	}, nil)

	var execContext capi.Call[capi.ExecuteContextCreateArgs]
	require.NoError(t, execContext.Do(table))
	userData, handle := capi.NewFFIUserData(typ.Args.TypeID, "from the caller")
	defer handle.Delete()
	var add capi.Call[capi.FFIUserDataAddArgs]
	add.Args.Context, add.Args.UserData = execContext.Args.Context, userData
	require.NoError(t, add.Do(table))
	second, spare := capi.NewFFIUserData(typ.Args.TypeID, "another")
	defer spare.Delete()
	add.Args.UserData = second
	require.Error(t, add.Do(table), "a context has one value per type")

	executeWith(t, table, name, execContext.Args.Context)
	assert.Equal(t, []string{"from the caller"}, seen)

	var destroy capi.Call[capi.ExecuteContextDestroyArgs]
	destroy.Args.Context = execContext.Args.Context
	require.NoError(t, destroy.Do(table))
}

// executeWith runs the target with an execute context, through the raw binding.
func executeWith(t *testing.T, table *capi.Table, name string, ctx *capi.ExecuteContext) {
	t.Helper()
	var client capi.Call[capi.ClientCreateArgs]
	require.NoError(t, client.Do(table))
	defer func() {
		var c capi.Call[capi.ClientDestroyArgs]
		c.Args.Client = client.Args.Client
		assert.NoError(t, c.Do(table))
	}()
	code := `module @m {
  func.func @main() -> tensor<4xf32> {
    %0 = stablehlo.custom_call @` + name + `() {api_version = 4 : i32, backend_config = {}} : () -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`
	program := &capi.Program{StructSize: capi.ProgramSize}
	program.Code, program.CodeSize = capi.StringData(code)
	program.Format, program.FormatSize = capi.StringData("mlir")
	var compile capi.Call[capi.ClientCompileArgs]
	compile.Args.Client, compile.Args.Program = client.Args.Client, program
	// One replica, one partition.
	compile.Args.CompileOptions, compile.Args.CompileOptionsSize = capi.StringData("\x1a\x04\x20\x01\x28\x01")
	require.NoError(t, compile.Do(table))
	defer func() {
		var c capi.Call[capi.LoadedExecutableDestroyArgs]
		c.Args.Executable = compile.Args.Executable
		assert.NoError(t, c.Do(table))
	}()
	inputs, outputs, events := make([]*capi.Buffer, 1), make([]*capi.Buffer, 1), make([]*capi.Event, 1)
	inputLists, outputLists := []**capi.Buffer{&inputs[0]}, []**capi.Buffer{&outputs[0]}
	var run capi.Call[capi.LoadedExecutableExecuteArgs]
	run.Args.Executable, run.Args.NumDevices = compile.Args.Executable, 1
	run.Args.Options = &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize, Context: ctx}
	run.Args.ArgumentLists, run.Args.OutputLists = unsafe.SliceData(inputLists), unsafe.SliceData(outputLists)
	run.Args.DeviceCompleteEvents = unsafe.SliceData(events)
	require.NoError(t, run.Do(table))
	var wait capi.Call[capi.EventAwaitArgs]
	wait.Args.Event = events[0]
	assert.NoError(t, wait.Do(table))
	var event capi.Call[capi.EventDestroyArgs]
	event.Args.Event = events[0]
	assert.NoError(t, event.Do(table))
	var buffer capi.Call[capi.BufferDestroyArgs]
	buffer.Args.Buffer = outputs[0]
	assert.NoError(t, buffer.Do(table))
}
