// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// fuzzBuffer is a buffer whose values are known.
type fuzzBuffer struct {
	fuzzState
	*pjrt.Buffer
	client *fuzzClient
	device int
	shape  pjrt.Shape
	values []int
}

func (b *fuzzBuffer) Close() error {
	b.closing.Store(true)
	err := b.Buffer.Close()
	b.closed.Store(true)
	return err
}

// keep takes over a buffer.
func (w *fuzzWorker) keep(b *pjrt.Buffer, c *fuzzClient, device int, shape pjrt.Shape, values []int) {
	if !b.Shape().Equal(shape) {
		w.fail("%s: the shape is %v, not %v", w.name, b.Shape(), shape)
	}
	w.buffers.put(w, 24, &fuzzBuffer{fuzzState{kind: "buffer"}, b, c, device, shape, values})
}

func (w *fuzzWorker) upload() {
	c, ok := w.clients.pick(w)
	if !ok {
		w.newClient()
		return
	}
	i, _ := c.device(w)
	w.uploadTo(c, i, oneOf(w, f32x4, f32x4, s32x4, f32x64x64))
}

// uploadTo makes a buffer on device number i.
func (w *fuzzWorker) uploadTo(c *fuzzClient, i int, shape pjrt.Shape) {
	ctx, cancel := w.context()
	defer cancel()
	n, _ := shape.Len()
	values := make([]int, n)
	for i := range values {
		values[i] = w.IntN(7) - 3
	}
	opts := &pjrt.BufferOptions{Device: c.AddressableDevices()[i]}
	if i == 0 && w.chance(2) {
		opts = nil
	} else if w.chance(3) {
		// No other goroutine uses the memory.
		opts.Semantics = oneOf(w, pjrt.UntilTransferCompletes, pjrt.ImmutableZeroCopy)
	}
	data := fuzzBytes(shape.Type, values)
	call := w.call(ctx, "", &c.fuzzState)
	b, err := c.BufferFromHost(ctx, pjrt.HostArray{Type: shape.Type, Dims: shape.Dims, Data: data}, opts)
	if !call.done(err) {
		return
	}
	if opts == nil || opts.Semantics == pjrt.OnlyDuringCall {
		clear(data)
	}
	w.keep(b, c, i, shape, values)
}

func (w *fuzzWorker) wrongUpload() {
	c, ok := w.clients.pick(w)
	other, _ := w.clients.pick(w)
	if !ok {
		return
	}
	ctx, cancel := w.context()
	defer cancel()
	a, opts := pjrt.HostArray{Type: dtype.F32, Dims: []int64{2, 2}, Data: make([]byte, 16)}, &pjrt.BufferOptions{}
	switch w.IntN(10) {
	case 0:
		a.Data = a.Data[:w.IntN(16)]
	case 1:
		a.Data = make([]byte, 17+w.IntN(16))
	case 2:
		a.Type = oneOf(w, dtype.Invalid, dtype.Token, dtype.F6E2M3FN, dtype.Type(-1), dtype.Type(99), dtype.Type(math.MaxInt32))
	case 3:
		a.Dims[w.IntN(2)] = oneOf[int64](w, -1, 0, 3, math.MaxInt64, math.MinInt64, 1<<62)
	case 4:
		opts.Device = &pjrt.Device{}
	case 5:
		opts.Memory = &pjrt.Memory{}
	case 6:
		if other == c {
			return
		}
		opts.Device = other.Devices()[0]
	case 7:
		opts.Strides = oneOf(w, []int64{}, []int64{4}, []int64{8, 4, 4}, []int64{8, 8}, []int64{math.MinInt64, 4},
			[]int64{8, math.MaxInt64})
	case 8:
		opts.Semantics = oneOf[pjrt.HostBufferSemantics](w, -1, 77, math.MaxInt32)
	case 9:
		opts.Layout = oneOf(w,
			&pjrt.Layout{MinorToMajor: []int{0}}, &pjrt.Layout{MinorToMajor: []int{0, 0}}, &pjrt.Layout{MinorToMajor: []int{0, 2}})
	}
	b, err := c.BufferFromHost(ctx, a, opts)
	w.call(ctx, fmt.Sprintf("%v of %d bytes, %+v are wrong", a.Shape(), len(a.Data), opts)).done(err)
	if b != nil {
		b.Close()
	}
}

// same checks data against what b must hold.
func (w *fuzzWorker) same(b *fuzzBuffer, how string, data []byte) {
	if len(data) != 4*len(b.values) {
		w.fail("%s: %s gives %d bytes for %v", w.name, how, len(data), b.shape)
		return
	}
	for i, want := range b.values {
		bits := binary.LittleEndian.Uint32(data[4*i:])
		got := float64(math.Float32frombits(bits))
		if b.shape.Type == dtype.S32 {
			got = float64(int32(bits))
		}
		if got != float64(want) {
			w.fail("%s: %s gives %v for element %d, not %d", w.name, how, got, i, want)
			return
		}
	}
}

func (w *fuzzWorker) download() {
	b, ok := w.buffers.pick(w)
	if !ok {
		return
	}
	ctx, cancel := w.context()
	defer cancel()
	call := w.call(ctx, "", &b.fuzzState)
	dst := make([]byte, len(fuzzBytes(b.shape.Type, b.values)))
	switch w.IntN(5) {
	case 0:
		a, err := b.ToHost(ctx)
		if call.done(err) {
			w.same(b, "ToHost", a.Data)
		}
	case 1:
		n, err := b.ToHostInto(ctx, dst)
		if call.done(err) {
			w.same(b, "ToHostInto", dst[:n])
		}
	case 2:
		if call.done(transfer.CopyRaw(ctx, b.Buffer, dst, 0)) {
			w.same(b, "CopyRaw", dst)
		}
	case 3:
		call.done(b.ReadInPlace(ctx, func(data []byte) error {
			w.same(b, "ReadInPlace", data)
			return nil
		}))
	case 4:
		call.ctx, call.ended = nil, false
		call.loose = true // the event has the error
		e, err := b.ToHostAsync(dst)
		if !call.done(err) {
			return
		}
		defer e.Close()
		if w.chance(2) {
			b.Close()
		}
		// The buffer may have been donated before the transfer.
		if err := e.Wait(context.Background()); err == nil {
			w.same(b, "ToHostAsync", dst)
		} else if !b.spending.Load() {
			w.fail("%s: %v", w.name, err)
		}
	}
}

func (w *fuzzWorker) wrongDownload() {
	b, ok := w.buffers.pick(w)
	if !ok {
		return
	}
	ctx, cancel := w.context()
	defer cancel()
	size := len(fuzzBytes(b.shape.Type, b.values))
	call := w.call(ctx, "the size or the offset is wrong")
	var err error
	switch w.IntN(4) {
	case 0:
		_, err = b.ToHostInto(ctx, make([]byte, w.IntN(size)))
	case 1:
		_, err = b.ToHostAsync(oneOf(w, nil, make([]byte, size-1), make([]byte, size+1)))
	case 2:
		err = transfer.CopyRaw(ctx, b.Buffer, make([]byte, size), oneOf[int64](w, -1, 1, math.MaxInt64, math.MinInt64))
	case 3:
		_, err = transfer.PrepareCopyRaw(ctx, b.Buffer, oneOf[int64](w, -1, int64(size), math.MaxInt64), oneOf[int64](w, 1, math.MaxInt64))
	}
	call.done(err)
}

func (w *fuzzWorker) copy() {
	b, ok := w.buffers.pick(w)
	if !ok {
		return
	}
	ctx, cancel := w.context()
	defer cancel()
	devices := b.client.AddressableDevices()
	i := w.IntN(len(devices))
	call := w.call(ctx, "", &b.fuzzState)
	c, err := b.CopyToDevice(ctx, devices[i])
	if call.done(err) {
		w.keep(c, b.client, i, b.shape, b.values)
	}
}

func (w *fuzzWorker) event() {
	b, ok := w.buffers.pick(w)
	if !ok {
		return
	}
	call := w.call(nil, "", &b.fuzzState)
	call.loose = true
	e, err := b.ReadyEvent()
	if !call.done(err) {
		return
	}
	if w.chance(2) {
		b.Close()
	}
	ctx, cancel := w.context()
	defer cancel()
	waited := make(chan error)
	go func() { waited <- e.Wait(ctx) }()
	if w.chance(2) {
		runtime.Gosched()
		e.Close()
		<-waited
		_, err := e.Ready()
		w.call(nil, "the event is closed").done(err)
		w.call(nil, "the event is closed").done(e.Wait(context.Background()))
		return
	}
	// The end of ctx does not change whether an event is ready.
	if err := <-waited; err == nil {
		if ready, err := e.Ready(); err != nil || !ready {
			w.fail("%s: ready is %v, %v after Wait", w.name, ready, err)
		}
	} else if ctx.Err() == nil && !b.spending.Load() {
		w.fail("%s: %v", w.name, err)
	}
	e.Close()
}

func (w *fuzzWorker) askBuffer() {
	b, ok := w.buffers.pick(w)
	if !ok {
		return
	}
	call := w.call(nil, "", &b.fuzzState)
	var err error
	switch w.IntN(5) {
	case 0:
		var d *pjrt.Device
		if d, err = b.Device(); err == nil && d != b.client.AddressableDevices()[b.device] {
			w.fail("%s: on %v, not on device %d", w.name, d, b.device)
		}
		call.loose = true // a donated buffer may still answer
	case 1:
		_, err = b.Memory()
		call.loose = true
	case 2:
		_, err = b.Layout()
		call.loose = true
	case 3:
		_, err = b.OnDeviceSize()
		call.loose = true
	case 4:
		var deleted bool
		deleted, err = b.IsDeleted()
		if err == nil && deleted && !b.spending.Load() {
			w.fail("%s: deleted", w.name)
		}
		call.loose = true
	}
	call.done(err)
}

func (w *fuzzWorker) closeBuffer() {
	if b, ok := w.buffers.pick(w); ok {
		w.call(nil, "").done(b.Close())
	}
}

// forgetBuffer leaves a buffer to the garbage collector.
func (w *fuzzWorker) forgetBuffer() {
	w.buffers.mu.Lock()
	if n := len(w.buffers.slots); n > 0 {
		w.buffers.slots = slices.Delete(w.buffers.slots, n-1, n)
	}
	w.buffers.mu.Unlock()
	if w.chance(4) {
		runtime.GC()
	}
}
