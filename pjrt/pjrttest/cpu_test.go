// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// comparison is something that must have the same outcome on both plugins.
type comparison struct {
	name string
	do   func(t testing.TB, w *world) any
}

// addition and the other programs are texts that XLA compiles; the test registers Go
// functions under the same names.
const (
	addition = `module @addition {
  func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.add %a, %b : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}`
	doubling = `module @doubling {
  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`
	several = `module @several {
  func.func @main(%a: tensor<i8>, %b: tensor<2xi1>) -> (tensor<2xi1>, tensor<i8>, tensor<2xi1>) {
    return %b, %a, %b : tensor<2xi1>, tensor<i8>, tensor<2xi1>
  }
}`
)

func (w *world) xla(t testing.TB, text string, opts *pjrt.CompileOptions) *pjrt.LoadedExecutable {
	t.Helper()
	exe, err := w.c.Compile(w.ctx, pjrt.Program{Code: []byte(text)}, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, exe.Close()) })
	return exe
}

// array uploads an array that is closed at the end of the test.
func (w *world) array(t testing.TB, a pjrt.HostArray, opts *pjrt.BufferOptions) *pjrt.Buffer {
	t.Helper()
	b, err := w.c.BufferFromHost(w.ctx, a, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func floats(n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(i) - 1.5
	}
	return s
}

// code is the outcome of a call that may fail. The messages of the two plugins differ.
func code(err error) string {
	if err == nil {
		return "OK"
	}
	return capi.CodeOf(err).String()
}

var comparisons = []comparison{
	{"sizes on the device", func(t testing.TB, w *world) any {
		sizes := make(map[string]int64)
		for typ := dtype.Pred; typ.Valid(); typ++ {
			if _, minor := w.p.Plugin().Version(); typ.Size() == 0 || typ.Since() > minor {
				continue
			}
			for _, dims := range [][]int64{{}, {5}, {3, 0}, {3, 3}} {
				shape := pjrt.Shape{Type: typ, Dims: dims}
				n, err := shape.HostSize()
				require.NoError(t, err)
				b, err := w.c.BufferFromHost(w.ctx, pjrt.HostArray{Type: typ, Dims: dims, Data: make([]byte, n)}, nil)
				if err != nil {
					continue // the version of XLA does not have the type
				}
				sizes[shape.String()], err = b.OnDeviceSize()
				require.NoError(t, err)
				require.NoError(t, b.Close())
			}
		}
		return sizes
	}},
	{"bytes on the device", func(t testing.TB, w *world) any {
		all := make(map[dtype.Type][2][]byte)
		data := []byte{0xf1, 0x02, 0x77, 0x0e, 0x85, 0, 0xff, 0x7f}
		for typ, n := range map[dtype.Type]int{dtype.S4: 5, dtype.U4: 7, dtype.F32: 2} {
			b := w.array(t, pjrt.HostArray{Type: typ, Dims: []int64{int64(n)}, Data: data[:n*typ.Size()]}, nil)
			size, err := b.OnDeviceSize()
			require.NoError(t, err)
			raw := make([]byte, size)
			require.NoError(t, transfer.CopyRaw(w.ctx, b, raw, 0))
			a, err := b.ToHost(w.ctx)
			require.NoError(t, err)
			all[typ] = [2][]byte{raw, a.Data}
		}
		return all
	}},
	{"strides", func(t testing.TB, w *world) any {
		var all []any
		for _, x := range []struct {
			n       int
			dims    []int64
			strides []int64
		}{
			{6, []int64{3, 2}, []int64{4, 12}}, {3, []int64{3}, []int64{-4}}, {5, []int64{3}, []int64{8}}, {1, []int64{3}, []int64{0}},
			{12, []int64{2, 3, 2}, []int64{-24, 8, -4}},
		} {
			a := pjrt.HostArray{Type: dtype.F32, Dims: x.dims, Data: dtype.Bytes(floats(x.n))}
			b := w.array(t, a, &pjrt.BufferOptions{Strides: x.strides})
			all = append(all, w.values(t, b))
		}
		return all
	}},
	{"device layouts", func(t testing.TB, w *world) any {
		var all []any
		for _, l := range []*pjrt.Layout{nil, pjrt.RowMajor(2)} {
			b := w.array(t, pjrt.ArrayOf(floats(6), 2, 3), &pjrt.BufferOptions{Layout: l})
			layout, err := b.Layout()
			require.NoError(t, err)
			raw := make([]byte, 24)
			require.NoError(t, transfer.CopyRaw(w.ctx, b, raw, 0))
			all = append(all, layout.MinorToMajor, raw, w.values(t, b))
		}
		return all
	}},
	{"sums", func(t testing.TB, w *world) any {
		exe := w.xla(t, addition, nil)
		a, b := w.array(t, pjrt.ArrayOf(floats(6), 2, 3), nil), w.array(t, pjrt.ArrayOf([]float32{5, 4, 3, 2, 1, 0}, 2, 3), nil)
		out, err := exe.Execute(w.ctx, []*pjrt.Buffer{a, b}, nil)
		require.NoError(t, err)
		defer closeAll(t, out...)
		device, err := out[0].Device()
		require.NoError(t, err)
		kind, err := out[0].Memory()
		require.NoError(t, err)
		return []any{w.values(t, out[0]), out[0].Shape(), device.ID(), kind == device.DefaultMemory()}
	}},
	{"several results", func(t testing.TB, w *world) any {
		exe := w.xla(t, several, nil)
		a, b := w.array(t, pjrt.ScalarOf[int8](-7), nil), w.array(t, pjrt.ArrayOf([]bool{true, false}, 2), nil)
		out, err := exe.Execute(w.ctx, []*pjrt.Buffer{a, b}, nil)
		require.NoError(t, err)
		var all []any
		for i, o := range out {
			x, err := o.ToHost(w.ctx)
			require.NoError(t, err)
			all = append(all, x)
			require.NoError(t, out[i].Delete()) // each is a buffer of its own
		}
		closeAll(t, out...)
		shapes, err := exe.Outputs()
		require.NoError(t, err)
		return append(all, shapes, exe.NumOutputs(), exe.Name())
	}},
	{"keepAll", func(t testing.TB, w *world) any {
		exe := w.xla(t, doubling, nil)
		var all []any
		for _, keepAll := range []bool{true, false} {
			a := w.array(t, pjrt.ArrayOf(floats(4), 4), nil)
			out, err := exe.Execute(w.ctx, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{KeepAll: keepAll})
			require.NoError(t, err)
			deleted, err := a.IsDeleted()
			require.NoError(t, err)
			_, again := exe.Execute(w.ctx, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{KeepAll: true})
			_, read := a.ToHost(w.ctx)
			all = append(all, w.values(t, out[0]), deleted, code(again) == "OK", code(read) == "OK")
			closeAll(t, out...)
		}
		return all
	}},
	{"replicas", func(t testing.TB, w *world) any {
		exe := w.xla(t, doubling, &pjrt.CompileOptions{Replicas: 2})
		var args [][]*pjrt.Buffer
		for i, d := range exe.Devices() {
			args = append(args, []*pjrt.Buffer{w.array(t, pjrt.ArrayOf([]float32{float32(i), 1, 2, 3}, 4), &pjrt.BufferOptions{Device: d})})
		}
		out, err := exe.ExecuteAll(w.ctx, args, nil)
		require.NoError(t, err)
		all := []any{exe.NumReplicas(), exe.NumPartitions(), exe.Devices()[1].ID()}
		for _, row := range out {
			all = append(all, w.values(t, row[0]))
			closeAll(t, row...)
		}
		assignment, err := exe.DeviceAssignment()
		require.NoError(t, err)
		return append(all, assignment)
	}},
	{"serialized executables", func(t testing.TB, w *world) any {
		exe := w.xla(t, addition, nil)
		data, err := exe.Serialize(w.ctx)
		require.NoError(t, err)
		again, err := w.c.DeserializeAndLoad(w.ctx, data, nil)
		require.NoError(t, err)
		defer again.Close()
		a := w.array(t, pjrt.ArrayOf(floats(6), 2, 3), nil)
		out, err := again.Execute(w.ctx, []*pjrt.Buffer{a, a}, nil)
		require.NoError(t, err)
		defer closeAll(t, out...)
		return []any{w.values(t, out[0]), again.Name(), again.NumOutputs()}
	}},
	{"deleted buffers", func(t testing.TB, w *world) any {
		b := w.array(t, pjrt.ArrayOf(floats(3), 3), nil)
		before, err := b.ReadyEvent()
		require.NoError(t, err)
		require.NoError(t, b.Delete())
		require.NoError(t, b.Delete(), "again")
		earlier := before.Wait(w.ctx)
		require.NoError(t, before.Close())
		after, err := b.ReadyEvent()
		later := err
		if err == nil {
			later = after.Wait(w.ctx)
			require.NoError(t, after.Close())
		}
		_, pointer := raw.UnsafePointer(w.ctx, b)
		_, copied := b.CopyToDevice(w.ctx, w.c.AddressableDevices()[1])
		device, err := b.Device()
		require.NoError(t, err)
		return []any{code(earlier), code(later), code(pointer), code(copied), b.Shape(), device.ID()}
	}},
	{"copies", func(t testing.TB, w *world) any {
		b := w.array(t, pjrt.ArrayOf(floats(3), 3), nil)
		moved, err := b.CopyToDevice(w.ctx, w.c.AddressableDevices()[1])
		require.NoError(t, err)
		device, err := moved.Device()
		require.NoError(t, err)
		values := w.values(t, moved)
		closeAll(t, moved)
		return []any{device.ID(), values, w.values(t, b)}
	}},
	{"transfer managers", func(t testing.TB, w *world) any {
		shapes := []pjrt.Shape{{Type: dtype.F32, Dims: []int64{4}}, {Type: dtype.S4, Dims: []int64{3}}}
		m, err := transfer.NewManager(w.ctx, w.c, shapes, nil)
		require.NoError(t, err)
		b, err := m.Buffer(0)
		require.NoError(t, err)
		var sizes []int64
		for i := range m.Len() {
			n, err := m.Size(i)
			require.NoError(t, err)
			sizes = append(sizes, n)
		}
		for i, offset := range []int64{8, 0} {
			e, err := m.Send(0, dtype.Bytes(floats(2)), offset, i == 1)
			require.NoError(t, err)
			require.NoError(t, e.Wait(w.ctx))
			require.NoError(t, e.Close())
		}
		values := w.values(t, b)
		closeAll(t, b)
		failing, err := m.Buffer(1)
		require.NoError(t, err)
		require.NoError(t, m.Fail(1, &pjrt.Error{Code: pjrt.ErrAborted, Message: "no"}))
		failed := failing.Wait(w.ctx)
		closeAll(t, failing)
		require.NoError(t, m.Close())
		return []any{sizes, values, code(failed)}
	}},
	{"aliases", func(t testing.TB, w *world) any {
		shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{3}}
		alias, promise, err := transfer.NewAlias(w.ctx, w.c, shape, nil)
		if err != nil {
			return code(err)
		}
		require.NoError(t, promise.Fail(&pjrt.Error{Code: pjrt.ErrDataLoss, Message: "gone"}))
		failed := alias.Wait(w.ctx)
		require.NoError(t, promise.Close())
		closeAll(t, alias)
		return code(failed)
	}},
	{"lookups and assignments", func(t testing.TB, w *world) any {
		var all []any
		for _, id := range []int{-1, 0, 3, 4, 1 << 20} {
			d, err := w.c.LookupDevice(id)
			all = append(all, d != nil, code(err))
		}
		for _, n := range [][2]int{{1, 1}, {2, 2}, {4, 1}} {
			assignment, err := w.c.DefaultDeviceAssignment(n[0], n[1])
			require.NoError(t, err)
			for _, row := range assignment {
				for _, d := range row {
					all = append(all, d.ID())
				}
			}
		}
		return all
	}},
	{"host sizes", func(t testing.TB, w *world) any {
		var all []uintptr
		for _, a := range []pjrt.HostArray{
			pjrt.ArrayOf(floats(6), 2, 3), pjrt.ArrayOf(make([]dtype.Int4, 5), 5),
			pjrt.ScalarOf[bool](true), pjrt.ArrayOf([]float64{}, 0, 7),
		} {
			b := w.array(t, a, nil)
			all = append(all, hostSizeOf(t, w, b))
		}
		return all
	}},
}

// hostSizeOf asks for the size of a download as a caller in C does.
func hostSizeOf(t testing.TB, w *world, b *pjrt.Buffer) uintptr {
	t.Helper()
	a, err := b.ToHost(w.ctx)
	require.NoError(t, err)
	return uintptr(len(a.Data))
}

func TestThePluginBehavesLikeTheCPUPlugin(t *testing.T) {
	cpu := plugintest.Plugin(t)
	_, minor := cpu.Version()
	ctx := context.Background()
	real, err := cpu.NewClient(ctx, &pjrt.ClientOptions{Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: int64(4)}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, real.Close()) })

	p := pjrttest.New(t, pjrttest.Options{Minor: minor, Devices: 4, HostDevices: true})
	p.Program("addition", pjrttest.Signature{}, pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] }))
	p.Program("doubling", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return x + x }))
	p.Program("several", pjrttest.Signature{}, func(a []pjrt.HostArray) ([]pjrt.HostArray, error) {
		return slices.Concat(a[1:], a), nil
	})
	for _, c := range comparisons {
		t.Run(c.name, func(t *testing.T) {
			want := c.do(t, &world{p, real, ctx})
			got := c.do(t, &world{p, p.Client(), ctx})
			assert.Equal(t, want, got)
			assert.NotEmpty(t, fmt.Sprint(want))
		})
	}
	settled(t, p)
}
