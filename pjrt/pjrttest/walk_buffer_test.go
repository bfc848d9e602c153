// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// hosts runs a walk on both kinds of plugins: one whose device memory the host cannot
// address, and one whose device memory it can.
func hosts(t *testing.T, opts pjrttest.Options, fn func(t testing.TB, w *world)) {
	t.Helper()
	for name, host := range map[string]bool{"accelerator": false, "host devices": true} {
		t.Run(name, func(t *testing.T) {
			o := opts
			o.HostDevices = host
			walk(t, o, fn)
		})
	}
}

func TestArraysOfAllTypesGoToTheDeviceAndBack(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		_, minor := w.p.Plugin().Version()
		for code := dtype.Pred; code.Valid(); code++ {
			if code.Size() == 0 || code.Since() > minor {
				continue
			}
			for _, dims := range [][]int64{{}, {5}, {3, 0, 2}, {2, 3, 5}} {
				shape := pjrt.Shape{Type: code, Dims: dims}
				size, err := shape.HostSize()
				require.NoError(t, err)
				data := make([]byte, size)
				for i := range data {
					data[i] = byte(i*7 + 1)
					if code == dtype.Pred {
						data[i] %= 2
					} else if code.Bits() < 8 {
						data[i] &= 1<<code.Bits() - 1
					}
				}
				for _, layout := range []*pjrt.Layout{nil, columns(len(dims))} {
					host := pjrt.HostArray{Type: code, Dims: dims, Data: data}
					b, err := w.c.BufferFromHost(w.ctx, host, &pjrt.BufferOptions{Layout: layout})
					require.NoError(t, err, shape)
					a, err := b.ToHost(w.ctx)
					require.NoError(t, err, shape)
					assert.Equal(t, data, a.Data, "%v in the layout %v", shape, layout)
					size, err := b.OnDeviceSize()
					require.NoError(t, err)
					if code.Bits() == 4 {
						assert.Equal(t, int64(len(data)+1)/2, size, "two elements share a byte")
					}
					got, err := b.Layout()
					require.NoError(t, err)
					if layout != nil {
						assert.Equal(t, layout, got)
					}
					require.NoError(t, b.Close())
				}
			}
		}
	})
}

// columns is the layout of arrays in Fortran.
func columns(rank int) *pjrt.Layout {
	l := &pjrt.Layout{MinorToMajor: []int{}}
	for i := range rank {
		l.MinorToMajor = append(l.MinorToMajor, i)
	}
	return l
}

func TestPropertiesOfBuffers(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{Devices: 2}, func(t testing.TB, w *world) {
		for _, d := range w.c.AddressableDevices() {
			for _, m := range d.Memories() {
				b, err := w.c.BufferFromHost(w.ctx, pjrt.ArrayOf([]int32{1, 2, 3, 4, 5, 6}, 2, 3), &pjrt.BufferOptions{Memory: m})
				require.NoError(t, err)
				require.NoError(t, b.Wait(w.ctx))
				at, err := b.Device()
				require.NoError(t, err)
				assert.Same(t, d, at)
				in, err := b.Memory()
				require.NoError(t, err)
				assert.Same(t, m, in)
				onCPU, err := b.IsOnCPU()
				require.NoError(t, err)
				kind, err := d.Memory("pinned_host")
				require.NoError(t, err)
				if m == kind {
					assert.True(t, onCPU)
				}
				dynamic, err := b.DynamicDims()
				require.NoError(t, err)
				assert.Empty(t, dynamic)
				dims, err := b.UnpaddedDims(w.ctx)
				require.NoError(t, err)
				assert.Equal(t, []int64{2, 3}, dims)
				e, err := b.ReadyEvent()
				require.NoError(t, err)
				require.NoError(t, e.Wait(w.ctx))
				require.NoError(t, e.Close())

				require.NoError(t, b.Delete())
				deleted, err := b.IsDeleted()
				require.NoError(t, err)
				assert.True(t, deleted)
				_, err = b.ToHost(w.ctx)
				assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
				require.NoError(t, b.Close())
			}
		}
	})
}

func TestHostBufferSemantics(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		for _, semantics := range []pjrt.HostBufferSemantics{
			pjrt.OnlyDuringCall, pjrt.UntilTransferCompletes, pjrt.ImmutableZeroCopy, pjrt.MutableZeroCopy,
		} {
			data := pjrt.AlignedSlice[float32](16)
			for i := range data {
				data[i] = float32(i)
			}
			b, err := w.c.BufferFromHost(w.ctx, pjrt.ArrayOf(data, 16), &pjrt.BufferOptions{Semantics: semantics})
			require.NoError(t, err)
			assert.Equal(t, data, w.values(t, b))
			if semantics == pjrt.UntilTransferCompletes {
				<-b.HostDone()
			}
			require.NoError(t, b.Close())
			select {
			case <-b.HostDone():
			case <-w.ctx.Done():
				t.Error("the plugin still holds the host's memory")
			}
		}
	})
}

func TestStridedHostArrays(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		for name, x := range map[string]struct {
			data    []float32
			dims    []int64
			strides []int64
			want    []float32
		}{
			"transposed": {[]float32{1, 2, 3, 4, 5, 6}, []int64{3, 2}, []int64{4, 12}, []float32{1, 4, 2, 5, 3, 6}},
			"reversed":   {[]float32{1, 2, 3}, []int64{3}, []int64{-4}, []float32{3, 2, 1}},
			"with gaps":  {[]float32{1, 9, 2, 9, 3}, []int64{3}, []int64{8}, []float32{1, 2, 3}},
			"repeated":   {[]float32{7}, []int64{3}, []int64{0}, []float32{7, 7, 7}},
		} {
			a := pjrt.HostArray{Type: dtype.F32, Dims: x.dims, Data: dtype.Bytes(x.data)}
			b, err := w.c.BufferFromHost(w.ctx, a, &pjrt.BufferOptions{Strides: x.strides})
			require.NoError(t, err, name)
			assert.Equal(t, x.want, w.values(t, b), name)
			require.NoError(t, b.Close())
		}
	})
}

func TestCopies(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{Devices: 2}, func(t testing.TB, w *world) {
		b := w.buffer(t, nil, 1, 2, 3)
		defer b.Close()
		other := w.c.AddressableDevices()[1]
		moved, err := b.CopyToDevice(w.ctx, other)
		require.NoError(t, err)
		at, err := moved.Device()
		require.NoError(t, err)
		assert.Same(t, other, at)
		pinned, err := other.Memory("pinned_host")
		require.NoError(t, err)
		again, err := moved.CopyToMemory(w.ctx, pinned)
		require.NoError(t, err)
		require.NoError(t, moved.Close())
		assert.Equal(t, []float32{1, 2, 3}, w.values(t, again))
		require.NoError(t, again.Close())
		assert.Equal(t, []float32{1, 2, 3}, w.values(t, b), "the source is unchanged")

		raw := make([]byte, 4)
		if err := transfer.CopyRaw(w.ctx, b, raw, 4); w.has(t, "PJRT_Buffer_CopyRawToHost", err) {
			assert.Equal(t, dtype.Bytes([]float32{2}), raw)
			assert.ErrorIs(t, transfer.CopyRaw(w.ctx, b, raw, 9), pjrt.ErrOutOfRange)
		}
		if future, err := transfer.PrepareCopyRaw(w.ctx, b, 8, 4); w.has(t, "PJRT_Buffer_CopyRawToHostFuture", err) {
			ready, err := future.Event().Ready()
			require.NoError(t, err)
			assert.False(t, ready)
			require.NoError(t, future.Fulfill(raw))
			require.NoError(t, future.Event().Wait(w.ctx))
			assert.Equal(t, dtype.Bytes([]float32{3}), raw)
			require.NoError(t, future.Close())

			failing, err := transfer.PrepareCopyRaw(w.ctx, b, 0, 4)
			require.NoError(t, err)
			require.NoError(t, failing.Fail(&pjrt.Error{Code: pjrt.ErrAborted, Message: "no room"}))
			assert.ErrorContains(t, failing.Event().Wait(w.ctx), "no room")
			require.NoError(t, failing.Close())
		}
		cast, err := w.buffer(t, nil, 1).Bitcast(w.ctx, pjrt.Shape{Type: dtype.S32, Dims: []int64{}}, nil)
		if w.has(t, "PJRT_Buffer_Bitcast", err) {
			bits, err := pjrt.ToScalar[int32](w.ctx, cast)
			require.NoError(t, err)
			assert.Equal(t, int32(0x3f800000), bits)
			require.NoError(t, cast.Close())
		}
	})
}

func TestAddressesAndViews(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		b := w.buffer(t, nil, 1, 2, 3)
		reference, err := b.Reference(w.ctx)
		require.NoError(t, err)
		address, err := reference.Address()
		require.NoError(t, err)
		assert.Zero(t, address%pjrt.HostAlignment)
		same, err := raw.UnsafePointer(w.ctx, b)
		require.NoError(t, err)
		assert.Equal(t, address, same)
		deleted := make(chan struct{})
		view, err := raw.ViewOfDeviceMemory(w.ctx, w.c, address, b.Shape(), &pjrt.ViewOptions{OnDelete: func() { close(deleted) }})
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 2, 3}, w.values(t, view))
		require.NoError(t, view.Close())
		<-deleted
		require.NoError(t, reference.Close())
		require.NoError(t, b.Close())
	})
}

func TestBuffersWithoutData(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{Devices: 2}, func(t testing.TB, w *world) {
		shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{3}}
		if b, err := w.c.UninitializedBuffer(w.ctx, shape, nil); w.has(t, "PJRT_Client_CreateUninitializedBuffer", err) {
			assert.Equal(t, []float32{0, 0, 0}, w.values(t, b), "the buffer does not show old data")
			require.NoError(t, b.Close())
		}
		huge := pjrt.Shape{Type: dtype.F32, Dims: []int64{1 << 38}}
		cause := &pjrt.Error{Code: pjrt.ErrDataLoss, Message: "the disk is gone"}
		if b, err := w.c.ErrorBuffer(w.ctx, huge, cause, nil); w.has(t, "PJRT_Client_CreateErrorBuffer", err) {
			err := b.Wait(w.ctx)
			assert.ErrorIs(t, err, pjrt.ErrDataLoss)
			assert.ErrorContains(t, err, "the disk is gone")
			moved, err := b.CopyToDevice(w.ctx, w.c.AddressableDevices()[1])
			assert.ErrorIs(t, err, pjrt.ErrResourceExhausted, "the copy is of the same size")
			assert.Nil(t, moved)
			require.NoError(t, b.Close())
		}
		b, promise, err := transfer.NewAlias(w.ctx, w.c, shape, nil)
		if !w.has(t, "PJRT_Client_CreateAliasBuffer", err) {
			return
		}
		ctx, cancel := context.WithTimeout(w.ctx, time.Millisecond)
		assert.ErrorIs(t, b.Wait(ctx), context.DeadlineExceeded)
		cancel()
		wrong := w.buffer(t, nil, 1)
		assert.ErrorIs(t, promise.Fulfill(wrong), pjrt.ErrInvalidArgument)
		real := w.buffer(t, nil, 1, 2, 3)
		double := w.compile(t, "double", "(%a: tensor<3xf32>) -> tensor<3xf32>", nil)
		startedOuts, started, err := double.Start(w.ctx, []*pjrt.Buffer{b}, nil)
		require.NoError(t, err)
		require.NoError(t, promise.Fulfill(real))
		require.NoError(t, real.Close())
		assert.Equal(t, []float32{1, 2, 3}, w.values(t, b))
		assert.Equal(t, []float32{2, 4, 6}, w.values(t, startedOuts[0]))
		for _, o := range startedOuts {
			require.NoError(t, o.Close())
		}
		require.NoError(t, started.Close())
		for _, x := range []interface{ Close() error }{promise, b, wrong, double} {
			require.NoError(t, x.Close())
		}
	})
}

func TestDonationWithADependency(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		b := w.buffer(t, nil, 1, 2)
		defer b.Close()
		out, dependency, err := transfer.DonateAfter(w.ctx, b)
		if !w.has(t, "PJRT_Buffer_DonateWithControlDependency", err) {
			return
		}
		deleted, err := b.IsDeleted()
		require.NoError(t, err)
		assert.True(t, deleted)
		e, err := out.ReadyEvent()
		require.NoError(t, err)
		ready, err := e.Ready()
		require.NoError(t, err)
		assert.False(t, ready)
		require.NoError(t, dependency.Fulfill())
		require.NoError(t, e.Wait(w.ctx))
		require.NoError(t, e.Close())
		assert.Equal(t, []float32{1, 2}, w.values(t, out))

		failed, dependency, err := transfer.DonateAfter(w.ctx, out)
		require.NoError(t, err)
		require.NoError(t, dependency.Fail(&pjrt.Error{Code: pjrt.ErrAborted, Message: "no more"}))
		assert.ErrorContains(t, failed.Wait(w.ctx), "no more")
		require.NoError(t, out.Close())
		require.NoError(t, failed.Close())
	})
}

func TestTransferManagers(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{Devices: 2}, func(t testing.TB, w *world) {
		shapes := []pjrt.Shape{
			{Type: dtype.F32, Dims: []int64{4}}, {Type: dtype.S4, Dims: []int64{3}},
			{Type: dtype.F32, Dims: []int64{2}}, {Type: dtype.F32, Dims: []int64{2}},
		}
		m, err := transfer.NewManager(w.ctx, w.c, shapes, &transfer.ManagerOptions{Device: w.c.AddressableDevices()[1]})
		if !w.has(t, "PJRT_Client_CreateBuffersForAsyncHostToDevice", err) {
			return
		}
		assert.Equal(t, 4, m.Len())
		size, err := m.Size(1)
		require.NoError(t, err)
		assert.Equal(t, int64(2), size, "three elements of four bits")
		at, err := m.Device()
		require.NoError(t, err)
		assert.Same(t, w.c.AddressableDevices()[1], at)

		b, err := m.Buffer(0)
		require.NoError(t, err)
		_, err = m.Buffer(0)
		assert.Error(t, err, "a second time")
		wait := func(e *pjrt.Event, err error) {
			t.Helper()
			require.NoError(t, err)
			require.NoError(t, e.Wait(w.ctx))
			require.NoError(t, e.Close())
		}
		wait(m.Send(0, dtype.Bytes([]float32{3, 4}), 8, false))
		e, err := b.ReadyEvent()
		require.NoError(t, err)
		ready, err := e.Ready()
		require.NoError(t, err)
		assert.False(t, ready)
		require.NoError(t, e.Close())
		wait(m.Send(0, dtype.Bytes([]float32{1, 2}), 0, true))
		assert.Equal(t, []float32{1, 2, 3, 4}, w.values(t, b))
		_, err = m.Send(0, nil, 0, true)
		assert.Error(t, err, "after the last")
		require.NoError(t, b.Close())

		w.has(t, "PJRT_AsyncHostToDeviceTransferManager_AddMetadata", m.AddMetadata(map[string]string{"a": "b"}))
		small, err := m.Buffer(1)
		require.NoError(t, err)
		literal := pjrt.HostArray{Type: dtype.S4, Dims: []int64{3}, Data: []byte{1, 2, 7}}
		if e, err := m.SendArray(1, literal); w.has(t, "PJRT_AsyncHostToDeviceTransferManager_TransferLiteral", err) {
			wait(e, nil)
			a, err := small.ToHost(w.ctx)
			require.NoError(t, err)
			assert.Equal(t, literal.Data, a.Data)
		}
		require.NoError(t, small.Close())
		bad, err := m.Buffer(2)
		require.NoError(t, err)
		require.NoError(t, m.Fail(2, &pjrt.Error{Code: pjrt.ErrDataLoss, Message: "broken pipe"}))
		assert.ErrorContains(t, bad.Wait(w.ctx), "broken pipe")
		require.NoError(t, bad.Close())
		never, err := m.Buffer(3)
		require.NoError(t, err)
		require.NoError(t, m.Close())
		assert.ErrorIs(t, never.Wait(w.ctx), pjrt.ErrCancelled)
		require.NoError(t, never.Close())
	})
}

func TestConvenienceFunctionsOfPjrt(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{Devices: 4}, func(t testing.TB, w *world) {
		shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{2}}
		b, err := w.c.BufferFromReader(w.ctx, bytes.NewReader(dtype.Bytes([]float32{5, 6})), shape, nil)
		require.NoError(t, err)
		var written bytes.Buffer
		err = b.ReadInPlace(w.ctx, func(data []byte) error { _, err := written.Write(data); return err })
		require.NoError(t, err)
		assert.Equal(t, dtype.Bytes([]float32{5, 6}), written.Bytes())
		require.NoError(t, b.Close())

		mesh, err := sharding.NewMesh(w.c.AddressableDevices(), sharding.Axis{Name: "x", Size: 2}, sharding.Axis{Name: "y", Size: 2})
		require.NoError(t, err)
		a := pjrt.ArrayOf([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2)
		sharded, err := mesh.Scatter(w.ctx, a, sharding.Partition{"x", "y"})
		require.NoError(t, err)
		whole, err := sharded.Gather(w.ctx)
		require.NoError(t, err)
		assert.Equal(t, a, whole)
		require.NoError(t, sharded.Close())
	})
}
