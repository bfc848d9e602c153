// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// pending returns a buffer whose contents have not come yet.
func pending(t testing.TB, c *pjrt.Client, shape pjrt.Shape) (*pjrt.Buffer, *transfer.Alias) {
	t.Helper()
	b, f, err := transfer.NewAlias(context.Background(), c, shape, nil)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close(); b.Close() })
	return b, f
}

// closing closes what came with no error.
func closing[C io.Closer](c C, err error) error {
	if err == nil {
		err = c.Close()
	}
	return err
}

func TestReadingEndsWithTheContext(t *testing.T) {
	client := newClient(t)
	b, f := pending(t, client, matrix(1, 2, 3, 4).Shape())
	canary := bytes.Repeat([]byte{0xaa}, 16)
	dst := bytes.Clone(canary)
	reads := map[string]func(context.Context) error{
		"Wait":         b.Wait,
		"ToHost":       func(ctx context.Context) error { _, err := b.ToHost(ctx); return err },
		"ToHostInto":   func(ctx context.Context) error { _, err := b.ToHostInto(ctx, dst); return err },
		"CopyRaw":      func(ctx context.Context) error { return transfer.CopyRaw(ctx, b, dst, 0) },
		"StartCopyRaw": func(ctx context.Context) error { return closing(transfer.StartCopyRaw(ctx, b, dst, 0)) },
		"ReadInPlace": func(ctx context.Context) error {
			return b.ReadInPlace(ctx, func([]byte) error { return errors.New("called too early") })
		},
		"Reference":     func(ctx context.Context) error { return closing(b.Reference(ctx)) },
		"UnsafePointer": func(ctx context.Context) error { _, err := raw.UnsafePointer(ctx, b); return err },
	}
	for name, read := range reads {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		assert.ErrorIs(t, read(ctx), context.DeadlineExceeded, name)
		cancel()
		assert.ErrorIs(t, read(ctx), context.DeadlineExceeded, name+" of an ended context")
	}
	assert.Equal(t, canary, dst, "what belongs to the caller is as it was")
	// When the contents have come, all calls but ReadInPlace succeed.
	require.NoError(t, f.Fulfill(upload(t, client, matrix(1, 2, 3, 4))))
	for name, read := range reads {
		if name != "ReadInPlace" {
			assert.NoError(t, read(context.Background()), name)
		}
	}
	assert.ErrorContains(t, reads["ReadInPlace"](context.Background()), "called too early")
}

// All results of a program are alike, and a question costs as much as the copy of a short array.
func TestReadingResultsAsksOnceWhatTheResultsOfAProgramAreLike(t *testing.T) {
	ctx := context.Background()
	p := pjrttest.New(t, pjrttest.Options{HostDevices: true})
	p.Program("copies", pjrttest.Signature{}, func(args []pjrt.HostArray) ([]pjrt.HostArray, error) { return args, nil })
	client := p.Client()
	args := []*pjrt.Buffer{upload(t, client, floats(1, 2, 3, 4)), upload(t, client, floats(10, 20, 30, 40))}
	questions := func() (n int) {
		for _, name := range []string{"DynamicDimensionIndices", "IsOnCpu", "OnDeviceSizeInBytes", "GetMemoryLayout"} {
			n += p.Calls("PJRT_Buffer_" + name)
		}
		return n
	}
	for name, opts := range map[string]*pjrt.ExecuteOptions{"new": nil, "reused": {ReuseResults: true}} {
		exe, outs := compile(t, client, copies(2)), make([]*pjrt.Buffer, 2)
		asked, transfers := 0, p.Calls("PJRT_Buffer_ToHostBuffer")
		for i := range 8 {
			require.NoError(t, exe.ExecuteInto(ctx, outs, args, opts))
			for k, o := range outs {
				assert.Equal(t, read(t, args[k]), read(t, o))
				o.Close()
			}
			if i == 0 {
				asked = questions()
			}
		}
		assert.Equal(t, asked, questions(), name)
		assert.Equal(t, transfers, p.Calls("PJRT_Buffer_ToHostBuffer"), name)
	}
}

func TestReadingWaitsForTheContents(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	want := matrix(1, 2, 3, 4)
	b, f := pending(t, client, want.Shape())
	ready, err := b.ReadyEvent()
	require.NoError(t, err)
	defer ready.Close()
	is, err := ready.Ready()
	require.NoError(t, err)
	assert.False(t, is)
	dst := make([]byte, 16)
	copied, err := b.ToHostAsync(dst)
	require.NoError(t, err)
	defer copied.Close()
	results := make(chan pjrt.HostArray, 4)
	for range cap(results) {
		go func() {
			a, err := b.ToHost(ctx)
			assert.NoError(t, err)
			results <- a
		}()
	}
	time.Sleep(5 * time.Millisecond)
	assert.Empty(t, results)
	require.NoError(t, f.Fulfill(upload(t, client, want)))
	for range cap(results) {
		assert.Equal(t, want, <-results)
	}
	require.NoError(t, copied.Wait(ctx))
	assert.Equal(t, want.Data, dst)
	require.NoError(t, ready.Wait(ctx))
	raw := make([]byte, 8)
	copiedRaw, err := transfer.StartCopyRaw(ctx, b, raw, 4)
	require.NoError(t, err)
	defer copiedRaw.Close()
	require.NoError(t, copiedRaw.Wait(ctx))
	assert.Equal(t, want.Data[4:12], raw)
}

// Short arrays are copied under one lock. Whatever fails on the way to the memory, the plugin
// copies instead, and gets back each reference that it gave.
func TestReadingCopiesMemoryThatTheHostCanReadAndElseThePluginCopies(t *testing.T) {
	ctx := context.Background()
	var failing string
	var up, down, transfers int
	client := startClient(t, behind(t, raw.Table(newClient(t).Plugin()),
		serve.Around(func(c *serve.Invocation, _ *capi.BufferIncreaseExternalReferenceCountArgs) {
			if failing == "the reference" {
				c.Fail(capi.ErrorCodeUnimplemented, "refused")
				return
			}
			up++
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, _ *capi.BufferDecreaseExternalReferenceCountArgs) {
			down++
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, a *capi.BufferOpaqueDeviceMemoryDataPointerArgs) {
			if failing == "the address" {
				c.Fail(capi.ErrorCodeUnimplemented, "refused")
				return
			}
			if c.Forward(); failing == "an address of 0" {
				a.DeviceMemoryPtr = 0
			}
		}),
		serve.Around(func(c *serve.Invocation, _ *capi.BufferToHostBufferArgs) {
			transfers++
			c.Forward()
		})))
	for _, failing = range []string{"", "the reference", "the address", "an address of 0"} {
		for _, n := range []int{1, 4, 1 << 12, 1<<12 + 1, 1 << 18} {
			t.Run(fmt.Sprint(failing, n), func(t *testing.T) {
				want := make([]float32, n)
				for i := range want {
					want[i] = float32(i + 1)
				}
				b, err := pjrt.FromSlice(ctx, client, want)
				require.NoError(t, err)
				defer b.Close()
				up, down, transfers = 0, 0, 0
				got := make([]float32, n)
				_, err = b.ToHostInto(ctx, dtype.Bytes(got))
				require.NoError(t, err)
				assert.Equal(t, want, got)
				assert.Equal(t, up, down)
				assert.Equal(t, failing != "the reference", up == 1)
				assert.Equal(t, failing != "", transfers == 1)
				require.NoError(t, b.Delete())
				_, err = b.ToHostInto(ctx, dtype.Bytes(got))
				require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
				assert.Equal(t, up, down)
			})
		}
	}
}

func TestAnAsyncReadOutlivesItsBufferAndItsEvent(t *testing.T) {
	client := newClient(t)
	want := matrix(1, 2, 3, 4)
	b, f, err := transfer.NewAlias(context.Background(), client, want.Shape(), nil)
	require.NoError(t, err)
	dst := make([]byte, 16)
	copied, err := b.ToHostAsync(dst)
	require.NoError(t, err)
	again, err := b.ToHostAsync(make([]byte, 16))
	require.NoError(t, err)
	again.Close()
	b.Close()
	require.NoError(t, f.Fulfill(upload(t, client, want)))
	require.NoError(t, copied.Wait(context.Background()))
	copied.Close()
	assert.Equal(t, want.Data, dst)
}

func TestReadingNeedsEnoughMemoryForTheArray(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	b := upload(t, client, matrix(1, 2, 3, 4))
	dst := bytes.Repeat([]byte{0xaa}, 20)
	n, err := b.ToHostInto(ctx, dst)
	require.NoError(t, err)
	assert.Equal(t, 16, n)
	assert.Equal(t, append(bytes.Clone(matrix(1, 2, 3, 4).Data), 0xaa, 0xaa, 0xaa, 0xaa), dst)
	_, err = b.ToHostInto(ctx, dst[:15])
	require.ErrorContains(t, err, "an array of shape f32[2,2] takes 16 bytes, and dst has 15")
	_, err = b.ToHostAsync(dst[:15])
	require.ErrorContains(t, err, "and dst has 15")
	_, err = b.ToHostAsync(dst)
	require.ErrorContains(t, err, "and dst has 20")

	for _, dims := range [][]int64{{0}, {3, 0, 2}} {
		empty := upload(t, client, pjrt.HostArray{Type: dtype.F32, Dims: dims})
		a, err := empty.ToHost(ctx)
		require.NoError(t, err)
		assert.Empty(t, a.Data)
		assert.Equal(t, dims, a.Dims)
		n, err := empty.ToHostInto(ctx, nil)
		require.NoError(t, err)
		assert.Zero(t, n)
		e, err := empty.ToHostAsync(nil)
		require.NoError(t, err)
		require.NoError(t, e.Wait(ctx))
		e.Close()
		require.NoError(t, transfer.CopyRaw(ctx, empty, nil, 0))
		require.NoError(t, empty.ReadInPlace(ctx, func(data []byte) error { assert.Empty(t, data); return nil }))
	}
}

func TestReadingInPlaceCopiesNothing(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data := ints(1000)
	b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(data, 1000), &pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy})
	require.NoError(t, err)
	failing := errors.New("failing")
	require.ErrorIs(t, b.ReadInPlace(ctx, func(got []byte) error {
		assert.Same(t, &dtype.Bytes(data)[0], &got[0])
		assert.Len(t, got, 4000)
		assert.Equal(t, 1, raw.References(b))
		// Neither call frees the memory before the function returns.
		require.NoError(t, b.Delete())
		require.NoError(t, b.Close())
		assert.False(t, isDone(b.HostDone()))
		assert.EqualValues(t, 999, data[999])
		return failing
	}), failing)
	assert.Zero(t, raw.References(b))
	done(t, b.HostDone())

	packed := upload(t, client, pjrt.ArrayOf([]dtype.Uint4{1, 2, 3}, 3))
	require.NoError(t, packed.ReadInPlace(ctx, func(got []byte) error {
		assert.Equal(t, []byte{1, 2, 3}, got, "in the host's form")
		return nil
	}))
}

func TestAReferenceKeepsTheMemoryOfItsBuffer(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data := ints(1000)
	b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(data, 1000), &pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy})
	require.NoError(t, err)
	first, err := b.Reference(ctx)
	require.NoError(t, err)
	second, err := b.Reference(ctx)
	require.NoError(t, err)
	assert.Equal(t, 2, raw.References(b))
	address, err := first.Address()
	require.NoError(t, err)
	pointer, err := raw.UnsafePointer(ctx, b)
	require.NoError(t, err)
	assert.Equal(t, pointer, address)
	require.NoError(t, b.Delete())
	require.NoError(t, b.Close())
	require.NoError(t, first.Close())
	require.NoError(t, first.Close())
	assert.Equal(t, 1, raw.References(b), "a reference counts once, whatever its closes")
	assert.False(t, isDone(b.HostDone()))
	_, err = first.Address()
	require.ErrorIs(t, err, pjrt.ErrClosed)
	require.NoError(t, second.Close())
	assert.Zero(t, raw.References(b))
	done(t, b.HostDone())
	_, err = b.Reference(ctx)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	var none *pjrt.Reference
	require.NoError(t, none.Close())
}

func TestADeletedBufferHasNoContents(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	b := upload(t, client, matrix(1, 2, 3, 4))
	gone, err := b.IsDeleted()
	require.NoError(t, err)
	assert.False(t, gone)
	require.NoError(t, b.Delete())
	require.NoError(t, b.Delete())
	gone, err = b.IsDeleted()
	require.NoError(t, err)
	assert.True(t, gone)
	// The description of the buffer stays readable.
	assert.Equal(t, "f32[2,2]", b.Shape().String())
	_, err = b.Device()
	require.NoError(t, err)
	_, err = b.Memory()
	require.NoError(t, err)
	_, err = b.Layout()
	require.NoError(t, err)
	_, err = b.OnDeviceSize()
	require.NoError(t, err)
	dst := make([]byte, 16)
	for name, use := range map[string]func() error{
		"Wait":          func() error { return b.Wait(ctx) },
		"ToHost":        func() error { _, err := b.ToHost(ctx); return err },
		"ToHostInto":    func() error { _, err := b.ToHostInto(ctx, dst); return err },
		"CopyRaw":       func() error { return transfer.CopyRaw(ctx, b, dst, 0) },
		"Reference":     func() error { _, err := b.Reference(ctx); return err },
		"UnsafePointer": func() error { _, err := raw.UnsafePointer(ctx, b); return err },
		"CopyToDevice":  func() error { _, err := b.CopyToDevice(ctx, client.Devices()[1]); return err },
		"CopyToMemory":  func() error { _, err := b.CopyToMemory(ctx, client.Memories()[1]); return err },
		"Bitcast":       func() error { _, err := b.Bitcast(ctx, matrix().Shape(), nil); return err },
		"Donate":        func() error { _, _, err := transfer.DonateAfter(ctx, b); return err },
		"Fulfill":       func() error { _, f := pending(t, client, b.Shape()); return f.Fulfill(b) },
	} {
		require.ErrorIs(t, use(), pjrt.ErrInvalidArgument, name)
	}
}

func TestAClosedBufferKeepsOnlyItsShape(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	b := upload(t, client, matrix(1, 2, 3, 4))
	require.NoError(t, b.Close())
	require.NoError(t, b.Close())
	dst := make([]byte, 16)
	for name, use := range map[string]func() error{
		"Wait":          func() error { return b.Wait(ctx) },
		"ReadyEvent":    func() error { _, err := b.ReadyEvent(); return err },
		"ToHost":        func() error { _, err := b.ToHost(ctx); return err },
		"ToHostInto":    func() error { _, err := b.ToHostInto(ctx, dst); return err },
		"ToHostAsync":   func() error { _, err := b.ToHostAsync(dst); return err },
		"ReadInPlace":   func() error { return b.ReadInPlace(ctx, func([]byte) error { return nil }) },
		"CopyRaw":       func() error { return transfer.CopyRaw(ctx, b, dst, 0) },
		"CopyRawAsync":  func() error { _, err := transfer.StartCopyRaw(ctx, b, dst, 0); return err },
		"CopyRawFuture": func() error { _, err := transfer.PrepareCopyRaw(ctx, b, 0, 1); return err },
		"Reference":     func() error { _, err := b.Reference(ctx); return err },
		"UnsafePointer": func() error { _, err := raw.UnsafePointer(ctx, b); return err },
		"CopyToDevice":  func() error { _, err := b.CopyToDevice(ctx, client.Devices()[1]); return err },
		"CopyToMemory":  func() error { _, err := b.CopyToMemory(ctx, client.Memories()[1]); return err },
		"Bitcast":       func() error { _, err := b.Bitcast(ctx, b.Shape(), nil); return err },
		"Donate":        func() error { _, _, err := transfer.DonateAfter(ctx, b); return err },
		"Fulfill":       func() error { _, f := pending(t, client, b.Shape()); return f.Fulfill(b) },
		"Device":        func() error { _, err := b.Device(); return err },
		"Memory":        func() error { _, err := b.Memory(); return err },
		"Layout":        func() error { _, err := b.Layout(); return err },
		"OnDeviceSize":  func() error { _, err := b.OnDeviceSize(); return err },
		"IsOnCPU":       func() error { _, err := b.IsOnCPU(); return err },
		"IsDeleted":     func() error { _, err := b.IsDeleted(); return err },
		"Delete":        b.Delete,
		"DynamicDims":   func() error { _, err := b.DynamicDims(); return err },
		"UnpaddedDims":  func() error { _, err := b.UnpaddedDims(ctx); return err },
	} {
		require.ErrorIs(t, use(), pjrt.ErrClosed, name)
	}
	var none *pjrt.Buffer
	require.NoError(t, none.Close())
}

func TestCopiesHaveTheContentsOfTheOriginal(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	want := matrix(1, 2, 3, 4)
	b := upload(t, client, want)
	check := func(c *pjrt.Buffer, err error) *pjrt.Buffer {
		t.Helper()
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		got, err := c.ToHost(ctx)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		return c
	}
	for _, d := range client.Devices() {
		on, err := check(b.CopyToDevice(ctx, d)).Device()
		require.NoError(t, err)
		assert.Same(t, d, on)
	}
	for _, m := range client.Memories() {
		in, err := check(b.CopyToMemory(ctx, m)).Memory()
		require.NoError(t, err)
		assert.Same(t, m, in)
	}
	late, f := pending(t, client, want.Shape())
	lateCopy, err := late.CopyToDevice(ctx, client.Devices()[1])
	require.NoError(t, err)
	late.Close()
	require.NoError(t, f.Fulfill(upload(t, client, want)))
	check(lateCopy, nil)

	_, err = b.CopyToDevice(ctx, nil)
	require.ErrorContains(t, err, "the device is nil")
	_, err = b.CopyToMemory(ctx, nil)
	require.ErrorContains(t, err, "the memory is nil")
	_, err = b.CopyToDevice(ctx, other.Devices()[1])
	require.ErrorContains(t, err, "belongs to another client")
	_, err = b.CopyToMemory(ctx, other.Memories()[1])
	require.ErrorContains(t, err, "belongs to another client")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = b.CopyToDevice(ended, client.Devices()[1])
	require.ErrorIs(t, err, context.Canceled)
	_, err = b.CopyToMemory(ended, client.Memories()[1])
	require.ErrorIs(t, err, context.Canceled)
}

// dynamic is a program whose result has a dimension known only at run time.
const dynamic = `module @dynamic {
  func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
    %none = stablehlo.constant dense<0> : tensor<i32>
    %all = stablehlo.constant dense<8> : tensor<i32>
    %size = stablehlo.clamp %none, %n, %all : tensor<i32>
    %0 = stablehlo.set_dimension_size %x, %size, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
    return %0 : tensor<?xf32, #stablehlo.bounds<8>>
  }
}`

func TestDynamicDimensionsAreReadAtTheirSize(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, dynamic)
	x := upload(t, client, pjrt.ArrayOf([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 8))
	n := upload(t, client, pjrt.ScalarOf[int32](3))
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x, n}, nil)
	require.NoError(t, err)
	out := outs[0]
	defer out.Close()
	assert.Equal(t, "f32[8]", out.Shape().String(), "the bound")
	which, err := out.DynamicDims()
	require.NoError(t, err)
	assert.Equal(t, []int{0}, which)
	dims, err := out.UnpaddedDims(ctx)
	require.NoError(t, err)
	assert.Equal(t, []int64{3}, dims)
	want := pjrt.ArrayOf([]float32{1, 2, 3}, 3)
	got, err := out.ToHost(ctx)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	slice, err := pjrt.ToSlice[float32](ctx, out)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2, 3}, slice)
	dst := make([]float32, 4)
	count, err := pjrt.ReadSlice(ctx, out, dst)
	require.NoError(t, err)
	assert.Equal(t, 3, count)
	assert.Equal(t, []float32{1, 2, 3, 0}, dst)
	_, err = out.ToHostAsync(make([]byte, 32))
	require.ErrorContains(t, err, "is not known before")

	static, err := x.DynamicDims()
	require.NoError(t, err)
	assert.Empty(t, static)
	dims, err = x.UnpaddedDims(ctx)
	require.NoError(t, err)
	assert.Equal(t, []int64{8}, dims)
}

func TestPrintingLooksLikeNumPy(t *testing.T) {
	a, err := upload(t, newClient(t), matrix(1, 2.5, -3, 4)).ToHost(context.Background())
	require.NoError(t, err)
	assert.Equal(t, "[[ 1.   2.5]\n [-3.   4. ]]", a.String())
	assert.Equal(t, "[[1. 2.]\n [3. 4.]]", matrix(1, 2, 3, 4).String())
	assert.Equal(t, "<an array of shape f32[2,2] takes 16 bytes, but its data has 0>", matrix().String())
	assert.Equal(t, "<arrays of type invalid have no host form>", pjrt.HostArray{}.String())
}

func TestManyGoroutinesUseAndCloseOneBuffer(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	for round := range 40 {
		data := ints(1024)
		b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(data, 1024), &pjrt.BufferOptions{Semantics: pjrtSemantics[round%4]})
		require.NoError(t, err)
		uses := []func() error{
			func() error {
				a, err := b.ToHost(ctx)
				if err == nil && !bytes.Equal(a.Data, dtype.Bytes(data)) {
					t.Error("ToHost gave something else")
				}
				return err
			},
			func() error {
				return b.ReadInPlace(ctx, func(got []byte) error {
					if !bytes.Equal(got, dtype.Bytes(data)) {
						t.Error("ReadInPlace gave something else")
					}
					return nil
				})
			},
			func() error {
				dst := make([]byte, 4096)
				e, err := b.ToHostAsync(dst)
				if err != nil {
					return err
				}
				defer e.Close()
				if err := e.Wait(ctx); err != nil {
					return err
				}
				if !bytes.Equal(dst, dtype.Bytes(data)) {
					t.Error("ToHostAsync gave something else")
				}
				return nil
			},
			func() error { return closing(b.CopyToDevice(ctx, client.Devices()[1])) },
			func() error { return closing(b.Reference(ctx)) },
			func() error { return closing(b.ReadyEvent()) },
			func() error { return transfer.CopyRaw(ctx, b, make([]byte, 16), 32) },
		}
		var wg sync.WaitGroup
		for _, use := range uses {
			wg.Go(func() {
				for range 20 {
					err := use()
					if err == nil {
						continue
					}
					if !errors.Is(err, pjrt.ErrClosed) && !errors.Is(err, pjrt.ErrInvalidArgument) {
						t.Errorf("neither closed nor deleted: %v", err)
					}
				}
			})
		}
		wg.Go(func() {
			time.Sleep(time.Duration(round) * 20 * time.Microsecond)
			if round%2 == 0 {
				_ = b.Delete()
			}
			b.Close()
		})
		wg.Wait()
		done(t, b.HostDone())
	}
}

func TestADonatedBufferIsRefusedInTheSameWordsEverywhere(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, donating)
	b, err := pjrt.FromSlice(ctx, client, make([]float32, 1024))
	require.NoError(t, err)
	defer b.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{b}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	ending, cancel := context.WithCancel(ctx)
	defer cancel()
	for name, call := range map[string]func(context.Context) error{
		"Execute":      func(ctx context.Context) error { _, err := exe.Execute(ctx, []*pjrt.Buffer{b}, nil); return err },
		"Wait":         b.Wait,
		"ToHost":       func(ctx context.Context) error { _, err := b.ToHost(ctx); return err },
		"ToHostInto":   func(ctx context.Context) error { _, err := b.ToHostInto(ctx, make([]byte, 4096)); return err },
		"ToSlice":      func(ctx context.Context) error { _, err := pjrt.ToSlice[float32](ctx, b); return err },
		"ReadInPlace":  func(ctx context.Context) error { return b.ReadInPlace(ctx, func([]byte) error { return nil }) },
		"CopyToDevice": func(ctx context.Context) error { _, err := b.CopyToDevice(ctx, client.Devices()[1]); return err },
	} {
		for _, ctx := range []context.Context{ctx, ending} {
			err := call(ctx)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
			assert.ErrorContains(t, err, "was deleted, or donated to an earlier execution", name)
		}
	}
}
