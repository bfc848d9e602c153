// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

func closeAll(t testing.TB, list ...*pjrt.Buffer) {
	t.Helper()
	for _, b := range list {
		require.NoError(t, b.Close())
	}
}

func TestExecutions(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{Devices: 2}, func(t testing.TB, w *world) {
		add := w.compile(t, "add", "(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32>", nil)
		a, b := w.buffer(t, nil, 1, 2, 3), w.buffer(t, nil, 10, 20, 30)
		out, err := add.Execute(w.ctx, []*pjrt.Buffer{a, b}, nil)
		require.NoError(t, err)
		assert.Equal(t, []float32{11, 22, 33}, w.values(t, out[0]))
		chain := out[0]
		for range 50 {
			next, err := add.Execute(w.ctx, []*pjrt.Buffer{chain, a}, nil)
			require.NoError(t, err)
			closeAll(t, chain)
			chain = next[0]
		}
		assert.Equal(t, []float32{61, 122, 183}, w.values(t, chain))
		closeAll(t, chain)

		startedOuts, started, err := add.Start(w.ctx, []*pjrt.Buffer{a, a}, &pjrt.ExecuteOptions{LaunchID: 3})
		require.NoError(t, err)
		require.NoError(t, started.Wait(w.ctx))
		assert.Equal(t, []float32{2, 4, 6}, w.values(t, startedOuts[0]))
		closeAll(t, startedOuts...)
		require.NoError(t, started.Close())

		arguments, err := params.Arguments(a)
		require.NoError(t, err)
		bound, err := add.Bind(w.ctx, arguments[0], pjrt.Argument{Name: "b"})
		require.NoError(t, err)
		out, err = add.Execute(w.ctx, []*pjrt.Buffer{b}, &pjrt.ExecuteOptions{Bound: bound})
		require.NoError(t, err)
		assert.Equal(t, []float32{11, 22, 33}, w.values(t, out[0]))
		closeAll(t, out...)
		require.NoError(t, bound.Close())

		elsewhere := w.buffer(t, w.c.AddressableDevices()[1], 1, 1, 1)
		_, err = add.Execute(w.ctx, []*pjrt.Buffer{a, elsewhere}, nil)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		out, err = add.Execute(w.ctx, []*pjrt.Buffer{a, elsewhere}, &pjrt.ExecuteOptions{CopyArguments: true})
		require.NoError(t, err)
		assert.Equal(t, []float32{2, 3, 4}, w.values(t, out[0]))
		closeAll(t, out...)
		closeAll(t, a, b, elsewhere)

		deleted, err := add.IsDeleted()
		require.NoError(t, err)
		assert.False(t, deleted)
		require.NoError(t, add.Delete())
		deleted, err = add.IsDeleted()
		require.NoError(t, err)
		assert.True(t, deleted)
		require.NoError(t, add.Close())
	})
}

func TestProgramsThatFail(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		a := w.buffer(t, nil, 1)
		for name, want := range map[string]struct {
			code error
			text string
		}{
			"fails":  {pjrt.ErrDataLoss, "the bits are gone"},
			"panics": {pjrt.ErrInternal, "what now"},
			"lies":   {pjrt.ErrInternal, "i8[1] of 1 bytes as result 0 instead of f32[1]"},
		} {
			exe := w.compile(t, name, "(%a: tensor<1xf32>) -> tensor<1xf32>", nil)
			_, err := exe.Execute(w.ctx, []*pjrt.Buffer{a}, nil)
			require.ErrorIs(t, err, want.code)
			assert.ErrorContains(t, err, want.text)
			// The results have the error too, and so do results made from them.
			startedOuts, started, err := exe.Start(w.ctx, []*pjrt.Buffer{a}, nil)
			require.NoError(t, err)
			assert.ErrorIs(t, started.Wait(w.ctx), want.code)
			double := w.compile(t, "double", "(%a: tensor<1xf32>) -> tensor<1xf32>", nil)
			moreOuts, more, err := double.Start(w.ctx, startedOuts, nil)
			require.NoError(t, err)
			assert.ErrorIs(t, more.Wait(w.ctx), want.code)
			closeAll(t, append(startedOuts, moreOuts...)...)
			for _, x := range []interface{ Close() error }{started, more, exe, double} {
				require.NoError(t, x.Close())
			}
		}
		assert.Equal(t, []float32{1}, w.values(t, a), "the argument is unchanged")
		closeAll(t, a)
		_, err := w.c.Compile(w.ctx, module("stranger", "()"), nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorContains(t, err, `"stranger" is not known`)
		assert.ErrorContains(t, err, `"double"`)
	})
}

func TestPropertiesOfExecutables(t *testing.T) {
	t.Parallel()
	opts := pjrttest.Options{Devices: 2}
	walk(t, opts, func(t testing.TB, w *world) {
		w.p.AddProgram(pjrttest.Program{
			Name: "two", Func: pjrttest.Identity, MemoryKinds: []string{"", "pinned_host"},
			Cost: []pjrt.Attribute{{Name: "flops", Value: float32(12)}},
		})
		const signature = "(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, " +
			"%b: tensor<2x3xi8> {mhlo.memory_kind = \"pinned_host\"}) -> (tensor<4xf32>, tensor<2x3xi8>)"
		exe := w.compile(t, "two", signature, &pjrt.CompileOptions{Devices: [][]*pjrt.Device{{w.c.AddressableDevices()[1]}}})
		assert.Equal(t, "two", exe.Name())
		assert.Equal(t, []int{1, 1, 2}, []int{exe.NumReplicas(), exe.NumPartitions(), exe.NumOutputs()})
		assert.Equal(t, w.c.AddressableDevices()[1:], exe.Devices())
		shapes := []pjrt.Shape{{Type: dtype.F32, Dims: []int64{4}}, {Type: dtype.S8, Dims: []int64{2, 3}}}
		outputs, err := exe.Outputs()
		require.NoError(t, err)
		assert.Equal(t, shapes, outputs)
		parameters, err := exe.Parameters()
		require.NoError(t, err)
		assert.Equal(t, shapes, parameters)
		kinds, err := exe.OutputMemoryKinds()
		require.NoError(t, err)
		assert.Equal(t, []string{"device", "pinned_host"}, kinds)
		if kinds, err := exe.ParameterMemoryKinds(); w.has(t, "PJRT_Executable_ParameterMemoryKinds", err) {
			assert.Equal(t, []string{"device", "pinned_host"}, kinds)
		}
		cost, err := exe.CostAnalysis()
		require.NoError(t, err)
		assert.ElementsMatch(t, []pjrt.Attribute{{Name: "bytes accessed", Value: float32(44)}, {Name: "flops", Value: float32(12)}}, cost)
		stats, err := exe.MemoryStats()
		require.NoError(t, err)
		assert.Equal(t, int64(16), stats.Arguments)
		assert.Equal(t, int64(6), stats.HostArguments)
		assert.Equal(t, int64(16), stats.Outputs, "the other result is in the memory of the host")
		assert.Equal(t, int64(16), stats.Aliased)
		size, err := exe.GeneratedCodeSize()
		require.NoError(t, err)
		assert.Positive(t, size)
		program, err := exe.OptimizedProgram()
		require.NoError(t, err)
		assert.Equal(t, module("two", signature).Code, program.Code)
		assert.Equal(t, pjrt.FormatMLIR, program.Format)
		fingerprint, err := exe.Fingerprint()
		require.NoError(t, err)
		elsewhere := w.compile(t, "two", signature, nil)
		other, err := elsewhere.Fingerprint()
		require.NoError(t, err)
		assert.NotEqual(t, fingerprint, other)
		require.NoError(t, elsewhere.Close())
		if options, err := exe.CompileOptions(); w.has(t, "PJRT_Executable_GetCompileOptions", err) {
			assert.Equal(t, [][]int{{1}}, options.DeviceIDs)
		}
		if ids, err := sharding.LogicalIDs(exe); err == nil || w.has(t, "PJRT_LoadedExecutable_AddressableDeviceLogicalIds", err) {
			assert.Equal(t, []sharding.LogicalID{{}}, ids)
		}
		assignment, err := exe.DeviceAssignment() // of a program on one device, with or without the function
		require.NoError(t, err)
		assert.Equal(t, [][]int{{1}}, assignment)
		if layouts, err := exe.OutputLayouts(); w.has(t, "PJRT_Layouts_PJRT_Executable_GetOutputLayouts", err) {
			assert.Equal(t, "{1,0}", layouts[1].Text)
		}
		if layouts, err := exe.ParameterLayouts(); w.has(t, "PJRT_Layouts_PJRT_Executable_GetParameterLayouts", err) {
			assert.Equal(t, "{0}", layouts[0].Text)
		}
		if shardings, err := exe.OutputShardings(); w.has(t, "PJRT_Shardings_PJRT_Executable_OutputShardings", err) {
			assert.Empty(t, shardings)
		}
		data, err := exe.Serialize(w.ctx)
		require.NoError(t, err)
		require.NoError(t, exe.Close())
		again, err := w.c.DeserializeAndLoad(w.ctx, data, nil)
		require.NoError(t, err)
		same, err := again.Fingerprint()
		require.NoError(t, err)
		assert.Equal(t, fingerprint, same)
		require.NoError(t, again.Close())
		whole, err := compile.Decode(data)
		require.NoError(t, err)
		code := whole.Code
		for _, bad := range [][]byte{{1}, code[:len(code)-1], append([]byte("x"), code...), code[:40]} {
			_, err := w.c.DeserializeAndLoad(w.ctx, bad, &pjrt.LoadOptions{Foreign: true})
			assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		}
	})
}

func TestDonations(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		exe := w.compile(t, "double", "(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32>", nil)
		a := w.buffer(t, nil, 1, 2)
		out, err := exe.Execute(w.ctx, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{KeepAll: true})
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 2}, w.values(t, a))
		closeAll(t, out...)
		was, err := raw.UnsafePointer(w.ctx, a)
		require.NoError(t, err)
		out, err = exe.Execute(w.ctx, []*pjrt.Buffer{a}, nil)
		require.NoError(t, err)
		deleted, err := a.IsDeleted()
		require.NoError(t, err)
		assert.True(t, deleted)
		is, err := raw.UnsafePointer(w.ctx, out[0])
		require.NoError(t, err)
		assert.Equal(t, was, is, "the result has the memory of the argument")
		assert.Equal(t, []float32{2, 4}, w.values(t, out[0]))
		_, err = exe.Execute(w.ctx, []*pjrt.Buffer{a}, nil)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, "a second time")
		closeAll(t, a, out[0])

		// The plugin does not write to memory whose address a caller has.
		b := w.buffer(t, nil, 3, 4)
		reference, err := b.Reference(w.ctx)
		require.NoError(t, err)
		was, err = reference.Address()
		require.NoError(t, err)
		out, err = exe.Execute(w.ctx, []*pjrt.Buffer{b}, nil)
		if err == nil {
			is, err = raw.UnsafePointer(w.ctx, out[0])
			require.NoError(t, err)
			assert.NotEqual(t, was, is)
			closeAll(t, out...)
		}
		require.NoError(t, reference.Close())
		closeAll(t, b)
		require.NoError(t, exe.Close())
	})
}

func TestSeveralDevices(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{Devices: 4}, func(t testing.TB, w *world) {
		exe := w.compile(t, "allreduce", "(%a: tensor<2xf32>) -> tensor<2xf32>", &pjrt.CompileOptions{Replicas: 2, Partitions: 2})
		require.Len(t, exe.Devices(), 4)
		var args [][]*pjrt.Buffer
		for i, d := range exe.Devices() {
			args = append(args, []*pjrt.Buffer{w.buffer(t, d, float32(i), 1)})
		}
		out, err := exe.ExecuteAll(w.ctx, args, nil)
		require.NoError(t, err)
		for d, row := range out {
			assert.Equal(t, []float32{6, 4}, w.values(t, row[0]))
			at, err := row[0].Device()
			require.NoError(t, err)
			assert.Same(t, exe.Devices()[d], at)
			closeAll(t, row...)
			closeAll(t, args[d]...)
		}
		require.NoError(t, exe.Close())
		_, err = w.c.Compile(w.ctx, module("allreduce", "(%a: tensor<2xf32>) -> tensor<2xf32>"), &pjrt.CompileOptions{Replicas: 5})
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	})
}

func TestPortablePrograms(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{Devices: 2}, func(t testing.TB, w *world) {
		exe := w.compile(t, "double", "(%a: tensor<1xf32>) -> tensor<1xf32>", &pjrt.CompileOptions{Portable: true})
		assert.Empty(t, exe.Devices())
		for _, d := range w.c.AddressableDevices() {
			a := w.buffer(t, d, 4)
			out, err := exe.Execute(w.ctx, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{Device: d})
			require.NoError(t, err)
			at, err := out[0].Device()
			require.NoError(t, err)
			assert.Same(t, d, at)
			assert.Equal(t, []float32{8}, w.values(t, out[0]))
			closeAll(t, a, out[0])
		}
		require.NoError(t, exe.Close())
	})
}

func TestTransfersWithTheHost(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		w.p.AddProgram(pjrttest.Program{Name: "ask", Launch: func(l *pjrttest.Launch) error {
			if err := l.Send(0, 1, l.Args[0][0].Data); err != nil {
				return err
			}
			l.Output(0, 5, l.Args[0][0])
			answer, err := l.Recv(0, 2, 8)
			if err != nil {
				return err
			}
			l.Results[0] = []pjrt.HostArray{{Type: dtype.F32, Dims: []int64{2}, Data: answer}}
			return nil
		}})
		exe := w.compile(t, "ask", "(%a: tensor<2xf32>) -> tensor<2xf32>", nil)
		a := w.buffer(t, nil, 1, 2)
		sent := make(chan []byte, 1)
		run := func(opts *pjrt.ExecuteOptions) ([]*pjrt.Buffer, error) {
			return exe.Execute(w.ctx, []*pjrt.Buffer{a}, opts)
		}
		send := func(chunk []byte, total int, done bool) error {
			assert.True(t, done)
			assert.Len(t, chunk, total)
			sent <- append([]byte(nil), chunk...)
			return nil
		}
		var streams sync.WaitGroup // may take longer than the execution, but not than w.ctx
		recv := func(s *transfer.Stream) {
			streams.Go(func() {
				defer s.Close()
				chunk := <-sent
				for i := range 2 {
					e, err := s.AddChunk(chunk[4*(1-i) : 4*(2-i)])
					if assert.NoError(t, err) {
						assert.NoError(t, e.Wait(w.ctx))
						assert.NoError(t, e.Close())
					}
				}
			})
		}
		transfers := func(s transfer.SendFunc, r transfer.RecvFunc) []pjrt.ExecuteExtension {
			h := transfer.Host{Send: map[int64]transfer.SendFunc{1: s}, Recv: map[int64]transfer.RecvFunc{2: r}}
			return []pjrt.ExecuteExtension{transfer.Hosts{h}}
		}
		out, err := run(&pjrt.ExecuteOptions{Extensions: transfers(send, recv)})
		require.NoError(t, err)
		assert.Equal(t, []float32{2, 1}, w.values(t, out[0]))
		closeAll(t, out...)

		_, err = run(nil)
		assert.ErrorIs(t, err, pjrt.ErrFailedPrecondition, "there is no SendFunc")
		_, err = run(&pjrt.ExecuteOptions{Extensions: transfers(func([]byte, int, bool) error { return fmt.Errorf("no") }, recv)})
		assert.ErrorContains(t, err, "no")
		_, err = run(&pjrt.ExecuteOptions{Extensions: transfers(send, func(s *transfer.Stream) { assert.NoError(t, s.Close()) })})
		assert.ErrorIs(t, err, pjrt.ErrCancelled, "the stream ends without data")
		<-sent

		if _, minor := w.p.Plugin().Version(); minor >= 112 {
			var values []transfer.Value
			outputs := transfer.Outputs{{ID: 5, Operands: 1, Func: func(v transfer.Value) {
				v.Data = append([]byte(nil), v.Data...)
				values = append(values, v)
			}}}
			out, err := run(&pjrt.ExecuteOptions{Extensions: append(transfers(send, recv), outputs)})
			require.NoError(t, err)
			require.Len(t, values, 1)
			assert.Equal(t, dtype.Bytes([]float32{1, 2}), values[0].Data)
			closeAll(t, out...)
		}
		streams.Wait()
		closeAll(t, a)
		require.NoError(t, exe.Close())
	})
}

func TestExecuteContexts(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		x, err := ffi.NewContext(w.p.Plugin())
		require.NoError(t, err)
		exe := w.compile(t, "identity", "() -> ()", nil)
		_, err = exe.Execute(w.ctx, nil, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{x}})
		if _, minor := w.p.Plugin().Version(); minor >= 64 {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, pjrt.ErrUnimplemented)
		}
		require.NoError(t, x.Close())
		require.NoError(t, exe.Close())
	})
}
