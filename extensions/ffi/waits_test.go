// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
)

const side = 512

// product returns a program that takes a while, so that the plugin does not run it on the
// caller's thread. If name is not empty, the program then calls that handler.
func product(name string) string {
	code := `func.func @main(%a: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
`
	if name == "" {
		return code + "  return %0 : tensor<512x512xf32>\n}"
	}
	return code + `  %1 = stablehlo.custom_call @` + name + `(%0) {api_version = 4 : i32} : (tensor<512x512xf32>) -> tensor<512x512xf32>
  return %1 : tensor<512x512xf32>
}`
}

func square(t testing.TB, c *pjrt.Client) *pjrt.Buffer {
	t.Helper()
	b, err := pjrt.FromSlice(context.Background(), c, make([]float32, side*side), side, side)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// A handler that waits for itself is refused with its context, and with another one waits
// until that context ends. Each attempt is made with both.
func TestHandlersMayNotWaitForThemselves(t *testing.T) {
	background := context.Background()
	client, other := newClient(t), newClient(t)
	x, y := square(t, client), square(t, other)
	small := upload(t, client, 1, 2, 3, 4)
	large, elsewhere := compile(t, client, product("")), compile(t, other, product(""))
	beside, err := client.Compile(background, pjrt.Program{Code: []byte(product(""))},
		&pjrt.CompileOptions{Devices: [][]*pjrt.Device{{client.Devices()[1]}}})
	require.NoError(t, err)
	defer beside.Close()
	z, err := x.CopyToDevice(background, client.Devices()[1])
	require.NoError(t, err)
	defer z.Close()
	quick := compile(t, client, `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}`)
	run := func(ctx context.Context, exe *pjrt.LoadedExecutable, a *pjrt.Buffer) error {
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{a}, nil)
		for _, b := range outs {
			b.Close()
		}
		return err
	}
	// What the handler finds of its own execution once it has begun.
	var out *pjrt.Buffer
	var done *pjrt.Event
	type attempt struct {
		name string
		do   func(ctx context.Context) error
		want string // of the refusal, or "" if there is no need to wait for the execution
	}
	attempts := []attempt{
		{"a result", func(ctx context.Context) error { return second(out.ToHost(ctx)) }, "the f32[512,512] buffer waits for the end of the execution of main"},
		{"its contents", func(ctx context.Context) error { return out.Wait(ctx) }, "the f32[512,512] buffer waits for"},
		{"into memory", func(ctx context.Context) error { return second(out.ToHostInto(ctx, make([]byte, 4*side*side))) }, "the f32[512,512] buffer waits for"},
		{"its event", func(ctx context.Context) error { return done.Wait(ctx) }, "the event waits for"},
		{"the event of a result", func(ctx context.Context) error {
			e, err := out.ReadyEvent()
			if err != nil {
				return err
			}
			defer e.Close()
			return e.Wait(ctx)
		}, "the event waits for"},
		{"a program of a result", func(ctx context.Context) error { return run(ctx, large, out) }, "an argument of main waits for"},
		{"a copy of a result", func(ctx context.Context) error {
			b, err := out.CopyToDevice(ctx, client.Devices()[1])
			if err != nil {
				return err
			}
			defer b.Close()
			return b.Wait(ctx)
		}, "waits for the end of the execution of main"},
		{"in another goroutine", func(ctx context.Context) error {
			err := make(chan error)
			go func() { err <- second(out.ToHost(ctx)) }()
			return <-err
		}, "the f32[512,512] buffer waits for"},
		{"a large program of the client", func(ctx context.Context) error { return run(ctx, large, x) }, "this execution of main waits for"},
		{"a place under a limit", func(ctx context.Context) error { return run(ctx, quick, small) }, "the limit of 1 executions is reached"},
		{"an argument", func(ctx context.Context) error { return second(x.ToHost(ctx)) }, ""},
		{"a program without a wait", func(ctx context.Context) error {
			outs, e, err := large.Start(ctx, []*pjrt.Buffer{x}, nil)
			if err == nil {
				e.Close()
				outs[0].Close()
			}
			return err
		}, ""},
		{"a large program on another device", func(ctx context.Context) error { return run(ctx, beside, z) }, ""},
		{"a large program of another client", func(ctx context.Context) error { return run(ctx, elsewhere, y) }, ""},
		{"a compilation", func(ctx context.Context) error {
			exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(product(""))}, nil)
			exe.Close()
			return err
		}, ""},
		{"closing what it uses", func(context.Context) error { return out.Close() }, ""},
	}
	for _, a := range attempts {
		t.Run(a.name, func(t *testing.T) {
			begun := make(chan struct{})
			var own, derived, another error
			name := target()
			require.NoError(t, ffi.Register(client.Plugin(), name, func(c *ffi.Call, _ *struct {
				In  ffi.AnyArg
				Out ffi.AnyRet
			}) error {
				<-begun
				ctx, cancel := context.WithCancel(c.Context())
				defer cancel()
				own, derived = a.do(c.Context()), a.do(ctx)
				if a.want == "" {
					another = a.do(background)
					return nil
				}
				brief, cancel := context.WithTimeout(background, 20*time.Millisecond)
				defer cancel()
				another = a.do(brief)
				return nil
			}))
			exe := compile(t, client, product(name))
			if a.name == "a place under a limit" {
				client.LimitInFlight(1)
				defer client.LimitInFlight(0)
			}
			outs, e, serr := exe.Start(background, []*pjrt.Buffer{x}, nil)
			require.NoError(t, serr)
			out, done = outs[0], e
			close(begun)
			require.NoError(t, e.Wait(background))
			e.Close()
			out.Close()
			if a.want == "" {
				require.NoError(t, own)
				require.NoError(t, derived)
				require.NoError(t, another)
				return
			}
			for _, err := range []error{own, derived} {
				require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
				require.ErrorContains(t, err, a.want)
			}
			require.ErrorIs(t, another, context.DeadlineExceeded)
		})
	}
}

// The context of a handler refuses nothing once the execution is over.
func TestTheContextOfAHandlerThatHasReturnedMayWait(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	var handlers context.Context
	exe := handle(t, client, "", func(c *ffi.Call, op *unary) error {
		handlers = c.Context()
		copy(op.Out.Data, op.In.Data)
		return nil
	})
	a := upload(t, client, 1, 2, 3, 4)
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{a}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	require.NoError(t, outs[0].Wait(handlers))

	// A wait for an execution that the handler's had nothing to do with.
	release, name := make(chan struct{}), target()
	require.NoError(t, ffi.Register(client.Plugin(), name, func(*ffi.Call, *struct {
		In  ffi.AnyArg
		Out ffi.AnyRet
	}) error {
		<-release
		return nil
	}))
	client.LimitInFlight(1)
	defer client.LimitInFlight(0)
	large, e, err := compile(t, client, product(name)).Start(ctx, []*pjrt.Buffer{square(t, client)}, nil)
	require.NoError(t, err)
	defer large[0].Close()
	defer e.Close()
	brief, cancel := context.WithTimeout(handlers, 20*time.Millisecond)
	defer cancel()
	_, err = exe.Execute(brief, []*pjrt.Buffer{a}, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded, "there is no place under the limit yet")
	close(release)
	require.NoError(t, e.Wait(handlers))
}

// The plugin has not queued what runs while it calls the handler from the call that executes
// the program. Nobody can know that, so it takes another context than the handler's to wait.
func TestHandlersMayRunPrograms(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	x := square(t, client)
	release, held := make(chan struct{}), target()
	require.NoError(t, ffi.Register(client.Plugin(), held, func(*ffi.Call, *struct {
		In  ffi.AnyArg
		Out ffi.AnyRet
	}) error {
		<-release // a large program would be over soon, and then there is nothing to refuse
		return nil
	}))
	large := compile(t, client, product(held))
	a := upload(t, client, 1, 2, 3, 4)
	double := handle(t, client, "", func(_ *ffi.Call, op *unary) error {
		for i, v := range op.In.Data {
			op.Out.Data[i] = 2 * v
		}
		return nil
	})
	var refused error
	exe := handle(t, client, "", func(c *ffi.Call, op *unary) error {
		_, refused = large.Execute(c.Context(), []*pjrt.Buffer{x}, nil)
		close(release)
		outs, err := large.Execute(ctx, []*pjrt.Buffer{x}, nil)
		if err != nil {
			return err
		}
		outs[0].Close()
		b, err := pjrt.FromSlice(ctx, client, op.In.Data, 4)
		if err != nil {
			return err
		}
		defer b.Close()
		if outs, err = double.Execute(c.Context(), []*pjrt.Buffer{b}, nil); err != nil {
			return err
		}
		defer outs[0].Close()
		if _, err := a.ToHost(c.Context()); err != nil {
			return err // the argument of this execution
		}
		result, err := pjrt.ToSlice[float32](c.Context(), outs[0])
		copy(op.Out.Data, result)
		return err
	})
	outs, err := execute(t, exe, nil, a)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
	require.ErrorIs(t, refused, pjrt.ErrFailedPrecondition)
	require.ErrorContains(t, refused, "this execution of main waits for")
}

func TestHandlersMayNotWaitForADonatedArgument(t *testing.T) {
	client := newClient(t)
	name := target()
	var a *pjrt.Buffer
	var errs []error
	require.NoError(t, ffi.Register(client.Plugin(), name, func(c *ffi.Call, op *unary) error {
		errs = append(errs, second(a.ToHost(c.Context())), a.Wait(c.Context()), a.Delete())
		copy(op.Out.Data, op.In.Data)
		return nil
	}))
	exe := compile(t, client, `func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @`+name+`(%a) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %0, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}`)
	a = upload(t, client, 1, 2, 3, 4)
	outs, err := execute(t, exe, nil, a)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
	require.ErrorContains(t, errs[0], "donated")
}
