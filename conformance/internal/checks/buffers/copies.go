// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Copies to devices and memories.
var copyChecks = []check.Check{
	{Rule: "COPY-01", Devices: 2, Run: func(t *check.T) {
		devices := t.Client().Devices
		for i, from := range devices {
			for j, to := range devices {
				if i != j {
					copies(t, dtype.S16, []int64{2, 3}, from, to, show(i)+" to device "+show(j))
					for k, dims := range check.Each(t, check.Shapes) {
						copies(t, check.Width(i+j+k), dims, from, to, show(i)+" to device "+show(j))
					}
				}
			}
		}
		for _, e := range types(t) {
			copies(t, e, []int64{7}, devices[0], devices[1], "0 to device 1")
		}
		for _, dims := range [][]int64{{}, {0}, {3, 0, 2}, {2, 3, 2, 2}} {
			copies(t, dtype.F32, dims, devices[0], devices[1], "0 to device 1")
		}
		copiesToDevices(t, anyOrder)
	}},
	{Rule: "COPY-01", Variant: "other orders", Devices: 2, Run: func(t *check.T) { copiesToDevices(t, someOrder) }},
	{Rule: "COPY-02", Run: func(t *check.T) {
		b := small(t)
		out, err := check.Try(t, capi.BufferCopyToDeviceArgs{Buffer: b, DstDevice: t.Client().Devices[0]})
		check.Own(t, out.DstBuffer)
		t.ErrorCode(err, "copy to the buffer's own device")
	}},
	{Rule: "COPY-03", Devices: 2, Run: func(t *check.T) {
		src := small(t)
		b := copyTo(t, src, t.Client().Devices[1])
		t.NoError(t.Await(t.Ready(b)), "ready event of a copy")
		check.Equal(t, false, t.IsDeleted(src), "is_deleted of the source of a copy")
		check.ExpectBuffer(t, src, floats(4), "source of a copy")
		check.Equal(t, t.Client().Devices[0], t.DeviceOf(src), "device of the source of a copy")
	}},
	{Rule: "COPY-04", Devices: 2, Run: func(t *check.T) {
		const n = 4 << 20
		for range 3 {
			src := upload(t, dtype.U8, counting(n), n)
			b := copyTo(t, src, t.Client().Devices[1])
			check.Destroy(t, src)
			spoiled := upload(t, dtype.U8, make([]byte, n), n)
			expectBytes(t, counting(n), t.Download(b), 0xff, "copy of a buffer that was destroyed after the call")
			check.Destroy(t, spoiled)
		}
	}},
	{Rule: "COPY-05", Devices: 2, Run: func(t *check.T) {
		src := failedBuffer(t, failureCode, failureMessage)
		out, err := check.Try(t, capi.BufferCopyToDeviceArgs{Buffer: src, DstDevice: t.Client().Devices[1]})
		if err == nil {
			err = t.Await(t.Ready(check.Own(t, out.DstBuffer)))
		}
		if err == nil {
			t.Fatalf("copy of a buffer that is an error: expected an error, got success")
		}
		expectError(t, err, failureCode, failureMessage, "copy of a buffer that is an error")
	}},
	{Rule: "COPY-06", Devices: 2, Run: func(t *check.T) {
		const n = 1 << 18
		src := upload(t, dtype.U8, counting(n), n)
		devices := t.Client().Devices
		var all sync.WaitGroup
		copies := make([]*capi.Buffer, 16)
		for i := range copies {
			all.Go(func() {
				out, err := check.Try(t, capi.BufferCopyToDeviceArgs{Buffer: src, DstDevice: devices[1+i%(len(devices)-1)]})
				t.NoError(err, "one of 16 copies at a time")
				if copies[i] = check.Own(t, out.DstBuffer); err == nil {
					on, err := check.Try(t, capi.BufferDeviceArgs{Buffer: copies[i]})
					if want := devices[1+i%(len(devices)-1)]; err != nil || on.Device != want {
						t.Errorf("device of one of 16 copies at a time: expected the one it was copied to, got another")
					}
				}
			})
		}
		all.Wait()
		for _, b := range copies {
			if b != nil {
				expectBytes(t, counting(n), t.Download(b), 0xff, "one of 16 copies at a time")
			}
		}
	}},
	{Rule: "COPY-07", Devices: 2, Run: func(t *check.T) {
		exe := compiled(t, check.Donate)
		src := small(t)
		b := copyTo(t, src, t.Client().Devices[1])
		out := t.Run(exe, 1, src)[0]
		check.ExpectBuffer(t, out, []float32{2, 4, 6, 8}, "output of a program that the source was donated to")
		check.ExpectBuffer(t, b, floats(4), "copy of a buffer that was donated afterwards")
	}},
	{Rule: "COPY-08", Run: func(t *check.T) {
		seen := 0
		home := t.DefaultMemory(t.Client())
		for _, e := range types(t) {
			data := hostBytes(e, 7)
			src, ok := uploaded(t, hostArgs(t.Client(), e, data, 7))
			if !ok {
				continue
			}
			for _, m := range t.Client().Memories {
				if m == home {
					continue
				}
				name := memoryName(t, m)
				away, ok := copyToMemory(t, src, m, e.String()+" to "+name)
				if !ok {
					continue
				}
				expectCopy(t, away, e, []int64{7}, data, "copy of "+e.String()+" to "+name)
				back, ok := copyToMemory(t, away, home, e.String()+" back from "+name)
				if !ok {
					continue
				}
				seen++
				expectCopy(t, back, e, []int64{7}, data, "copy of "+e.String()+" back from "+name)
				expectBytes(t, data, t.Download(src), mask(e), "source of a copy of "+e.String()+" to "+name)
			}
			check.Destroy(t, src)
		}
		for i, m := range t.Client().Memories {
			if m == home {
				continue
			}
			name := memoryName(t, m)
			for j, dims := range check.Each(t, slices.Concat(check.Shapes, check.Degenerate)) {
				a := check.HostArrayOf(check.Width(i+j), uint64(i), dims...)
				src, ok := uploaded(t, argsOf(t.Client(), a))
				if !ok {
					continue
				}
				if b, ok := copyToMemory(t, src, m, a.String()+" to "+name); ok {
					expectCopy(t, b, a.Type, dims, a.Data, "copy of "+a.String()+" to "+name)
					check.Destroy(t, b)
				}
				check.Destroy(t, src)
			}
		}
		copiesToMemories(t, anyOrder)
		if seen == 0 {
			t.SkipUnimplf("no other memory takes a copy and gives it back")
		}
	}},
	{Rule: "COPY-08", Variant: "other orders", Run: func(t *check.T) {
		if copiesToMemories(t, someOrder) == 0 {
			t.SkipUnimplf("no other memory takes a copy")
		}
	}},
	{Rule: "COPY-09", Run: func(t *check.T) {
		b := small(t)
		home := check.Optional(t, capi.BufferMemoryArgs{Buffer: b}).Memory
		out, err := check.Try(t, capi.BufferCopyToMemoryArgs{Buffer: b, DstMemory: home})
		check.Own(t, out.DstBuffer)
		t.ErrorCode(err, "copy to the buffer's own memory")
	}},
	{Rule: "COPY-10", Run: func(t *check.T) {
		src := small(t)
		home := check.Optional(t, capi.BufferMemoryArgs{Buffer: src}).Memory
		seen := 0
		for _, m := range t.Client().Memories {
			if m == home {
				continue
			}
			name := memoryName(t, m)
			b, ok := copyToMemory(t, src, m, "to "+name)
			if !ok {
				continue
			}
			seen++
			check.Equal(t, m, t.MemoryOf(b), "memory of a copy to %s", name)
			if t.Platform() == "cpu" || strings.Contains(name, "host") {
				check.Equal(t, true, check.Call(t, capi.BufferIsOnCPUArgs{Buffer: b}).IsOnCPU, "is_on_cpu of a copy to %s", name)
			}
			args := check.HostArgs(t.Client(), floats(4))
			args.Memory = m
			if up, err := t.TryUpload(args); err == nil {
				want := check.Call(t, capi.BufferIsOnCPUArgs{Buffer: up}).IsOnCPU
				check.Equal(t, want, check.Call(t, capi.BufferIsOnCPUArgs{Buffer: b}).IsOnCPU,
					"is_on_cpu of a copy to %s, compared with an upload to it", name)
			}
		}
		if seen == 0 {
			t.SkipUnimplf("no other memory takes a copy")
		}
	}},
	{Rule: "COPY-11", Hostile: true, Run: func(t *check.T) {
		other := t.NewClient()
		out, err := check.Try(t, capi.BufferCopyToDeviceArgs{Buffer: small(t), DstDevice: other.Devices[len(other.Devices)-1]})
		if err == nil && check.Own(t, out.DstBuffer) != nil {
			err = t.Await(t.Ready(out.DstBuffer))
		}
		t.ErrorCode(err, "copy to a device of another client")
	}},
	{Rule: "COPY-12", Devices: 2, Hostile: true, Run: func(t *check.T) {
		b := tokenBuffer(t)
		out, err := check.Try(t, capi.BufferCopyToDeviceArgs{Buffer: b, DstDevice: t.Client().Devices[1]})
		if err == nil {
			check.Own(t, out.DstBuffer)
			err = t.Await(t.Ready(out.DstBuffer))
		}
		if err != nil {
			t.ErrorCode(err, "copy of a token", capi.ErrorCodeUnimplemented)
			return
		}
		check.Equal(t, capi.BufferTypeToken, t.ElementType(out.DstBuffer), "type of a copy of a token")
	}},
	{Rule: "COPY-13", Run: func(t *check.T) {
		for _, c := range []struct {
			from, to         dtype.Type
			fromDims, toDims []int64
		}{
			{dtype.S32, dtype.S32, nil, []int64{1}},
			{dtype.F32, dtype.U8, []int64{4}, []int64{16}},
			{dtype.F32, dtype.S16, []int64{2, 3}, []int64{3, 4}},
			{dtype.U8, dtype.F64, []int64{16}, []int64{2}},
			{dtype.C128, dtype.U8, []int64{3, 5}, []int64{4, 2, 3, 10}},
			{dtype.F64, dtype.S16, []int64{2, 3, 4, 5}, []int64{5, 4, 3, 8}},
			{dtype.S16, dtype.C64, []int64{4, 2, 5, 3, 7, 6}, []int64{6, 7, 5, 2, 3}},
			{dtype.U8, dtype.F32, []int64{4 * 17}, []int64{17}},
			{dtype.U8, dtype.S8, []int64{1025}, []int64{25, 41}},
		} {
			data := hostBytes(c.from, check.Elements(c.fromDims...))
			src := upload(t, c.from, data, c.fromDims...)
			b := check.Own(t, check.Call(t, bitcastArgs(src, c.to, nil, c.toDims...)).OutBuffer)
			check.Equal(t, true, t.IsDeleted(src), "is_deleted of the source of a bitcast")
			t.ErrorCode(read(t, downloadArgs{Src: src, HostLayout: check.RowMajor(len(c.fromDims)),
				Dst: check.Pointer(check.Retain(make([]byte, len(data)))), DstSize: uintptr(len(data))}), "download of the source of a bitcast")
			check.Equal(t, capi.BufferType(c.to), t.ElementType(b), "type of a bitcast")
			expectDimensions(t, b, c.toDims, "a bitcast")
			expectBytes(t, data, t.Download(b), 0xff, "bitcast of "+c.from.String()+show(c.fromDims)+" to "+c.to.String()+show(c.toDims))
		}
	}},
	{Rule: "COPY-14", Hostile: true, Run: func(t *check.T) {
		src := small(t)
		_, err := check.Try(t, bitcastArgs(bitcastable(t), dtype.F32, nil, 5))
		t.ErrorCode(err, "bitcast of 16 bytes to 20")
		for _, n := range []int64{5, 3, 0} {
			out, err := check.Try(t, bitcastArgs(src, dtype.F32, nil, n))
			check.Own(t, out.OutBuffer)
			t.ErrorCode(err, "bitcast of 16 bytes to "+show(4*n))
		}
		check.Equal(t, false, t.IsDeleted(src), "is_deleted of the source of a bitcast that was refused")
		check.ExpectBuffer(t, src, floats(4), "source of a bitcast that was refused")
	}},
	{Rule: "COPY-15", Run: func(t *check.T) {
		bitcastable(t)
		src, ok := withLayout(t, dtype.F32, dtype.Bytes(floats(6)), []int64{2, 3}, check.TiledLayout([]int64{0, 1}),
			"a column-major device layout")
		if !ok {
			t.SkipEnvf("the plugin takes no other device layout than the default one")
		}
		want, known := reportedOrder(t, upload(t, dtype.F32, make([]byte, 24), 3, 2))
		b := check.Own(t, check.Call(t, bitcastArgs(src, dtype.F32, nil, 3, 2)).OutBuffer)
		got, told := reportedOrder(t, b)
		if !known || !told {
			t.SkipUnimplf("the plugin does not tell the layout of a buffer")
		}
		if !slices.Equal(got, want) {
			t.Errorf("layout of a bitcast with device_layout null: expected the default %v, got %v", want, got)
		}
		keepsLayouts(t, "a bitcast to", func(e dtype.Type, dims []int64, layout *capi.BufferMemoryLayout) (*capi.Buffer, error) {
			if e.IsSubByte() {
				e = dtype.U8 // whose size the device may not change
			}
			a := check.HostArrayOf(e, 1, dims...)
			b, ok := uploaded(t, argsOf(t.Client(), a))
			if !ok {
				return nil, &capi.Error{Code: capi.ErrorCodeUnimplemented, Message: "there is no such upload"}
			}
			out, err := check.Try(t, bitcastArgs(b, e, layout, dims...))
			return out.OutBuffer, err
		})
	}},
	{Rule: "COPY-16", Hostile: true, Run: func(t *check.T) {
		src := bitcastable(t)
		out, err := check.Try(t, bitcastArgs(src, dtype.F32, check.StridedLayout([]int64{8, 4}), 2, 2))
		check.Own(t, out.OutBuffer)
		t.ErrorCode(err, "bitcast with a device layout by strides")
	}},
	{Rule: "COPY-17", Hostile: true, Run: func(t *check.T) {
		src := bitcastable(t)
		deleteBuffer(t, src)
		out, err := check.Try(t, bitcastArgs(src, dtype.U8, nil, 16))
		check.Own(t, out.OutBuffer)
		t.ErrorCode(err, "bitcast of a deleted buffer")
	}},
}

// copies uploads an array to a device and copies it to another one.
func copies(t *check.T, e dtype.Type, dims []int64, from, to *capi.Device, way string) {
	data := hostBytes(e, check.Elements(dims...))
	args := hostArgs(t.Client(), e, data, dims...)
	args.Device = from
	src, ok := uploaded(t, args)
	if !ok {
		return
	}
	what := "copy of " + e.String() + show(dims) + " from device " + way
	b := copyTo(t, src, to)
	check.Equal(t, to, t.DeviceOf(b), "device of the %s", what)
	if m, err := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: to}); err == nil {
		check.Equal(t, m.Memory, t.MemoryOf(b), "memory of the %s, compared with PJRT_Device_DefaultMemory", what)
	}
	expectCopy(t, b, e, dims, data, what)
	p, err := check.Try(t, capi.BufferUnsafePointerArgs{Buffer: src})
	q, err2 := check.Try(t, capi.BufferUnsafePointerArgs{Buffer: b})
	if err == nil && err2 == nil && len(data) > 0 && t.Platform() == "cpu" && p.BufferPointer == q.BufferPointer {
		t.Errorf("%s: expected memory of its own, got the source's at %#x", what, p.BufferPointer)
	}
	check.Destroy(t, b)
	check.Destroy(t, src)
}

// copiesToDevices copies arrays of every rank from device to device, each time the copy before.
// order is the order of their dimensions on the device.
func copiesToDevices(t *check.T, order func(i, rank int) *capi.BufferMemoryLayout) {
	devices := t.Client().Devices
	for a, b := range inOrder(t, order) {
		for step := range max(4, len(devices)) {
			to := (step + 1) % len(devices)
			b = nextCopy(t, b, copyTo(t, b, devices[to]), a, show(step+1)+" to device "+show(to))
		}
		check.Destroy(t, b)
	}
}

// copiesToMemories copies arrays of every rank to each memory and back, each time the copy before.
// order is the order of their dimensions on the device. It returns the number of copies.
func copiesToMemories(t *check.T, order func(i, rank int) *capi.BufferMemoryLayout) (copied int) {
	home := t.DefaultMemory(t.Client())
	for a, b := range inOrder(t, order) {
		step := 0
		for _, m := range t.Client().Memories {
			if m == home {
				continue
			}
			for _, to := range []*capi.Memory{m, home} {
				step++
				what := show(step) + " to " + memoryName(t, to)
				next, ok := copyToMemory(t, b, to, a.String()+", "+what)
				if !ok {
					break
				}
				b = nextCopy(t, b, next, a, what)
				copied++
			}
		}
		check.Destroy(t, b)
	}
	return copied
}

// anyOrder leaves the order to the plugin.
func anyOrder(int, int) *capi.BufferMemoryLayout { return nil }

// someOrder is an order of array i that other arrays do not have.
func someOrder(i, rank int) *capi.BufferMemoryLayout {
	orders := check.Orders(rank)
	return check.TiledLayout(orders[(i+1)%len(orders)])
}

// inOrder uploads arrays of every rank until the check has failed, with their dimensions in the
// order on the device that order returns, except those that the plugin cannot take so. The check
// owns the buffers.
func inOrder(t *check.T, order func(i, rank int) *capi.BufferMemoryLayout) iter.Seq2[check.HostArray, *capi.Buffer] {
	return func(yield func(check.HostArray, *capi.Buffer) bool) {
		taken := 0
		for i, dims := range check.Each(t, check.Shapes) {
			a := check.HostArrayOf(check.Width(i), uint64(i), dims...)
			args := argsOf(t.Client(), a)
			args.DeviceLayout = order(i, len(dims))
			b, err := t.TryUpload(args)
			if err != nil {
				t.Notef("%v is refused: %v", a, err)
				continue
			}
			if args.DeviceLayout != nil && !a.Equals(t.Download(b)) {
				t.Notef("an upload of %v in another order does not come back, which STR-10 is about", a)
				continue
			}
			if taken++; !yield(a, b) {
				return
			}
		}
		if taken == 0 {
			t.SkipUnimplf("the plugin takes no such arrays")
		}
	}
}

// nextCopy compares a copy of a copy with the first source, destroys what it is a copy of, and
// returns it.
func nextCopy(t *check.T, b, next *capi.Buffer, a check.HostArray, step string) *capi.Buffer {
	check.Destroy(t, b)
	what := "copy of a copy of " + a.String() + ", step " + step
	expectCopy(t, next, a.Type, a.Dims, a.Data, what)
	expectOwnOrder(t, next, a, what)
	return next
}

// expectCopy compares the contents and metadata of a copy with its source.
func expectCopy(t *check.T, b *capi.Buffer, e dtype.Type, dims []int64, data []byte, what string) {
	check.Equal(t, capi.BufferType(e), t.ElementType(b), "type of the %s", what)
	if got := t.Dimensions(b); !slices.Equal(got, dims) {
		t.Errorf("dimensions of the %s: expected %v, got %v", what, dims, got)
		return
	}
	expectBytes(t, data, t.Download(b), mask(e), what)
}

// copyTo copies a buffer to a device. The check owns the copy.
func copyTo(t *check.T, b *capi.Buffer, d *capi.Device) *capi.Buffer {
	out := check.Call(t, capi.BufferCopyToDeviceArgs{Buffer: b, DstDevice: d}).DstBuffer
	if out == nil {
		t.Fatalf("PJRT_Buffer_CopyToDevice: success without a buffer")
	}
	return check.Own(t, out)
}

// copyToMemory copies a buffer; it returns false if the plugin does not offer that.
func copyToMemory(t *check.T, b *capi.Buffer, m *capi.Memory, what string) (*capi.Buffer, bool) {
	t.Require(check.FunctionOf[capi.BufferCopyToMemoryArgs]())
	out, err := check.Try(t, capi.BufferCopyToMemoryArgs{Buffer: b, DstMemory: m})
	if err == nil {
		check.Own(t, out.DstBuffer)
		err = t.Await(t.Ready(out.DstBuffer))
	}
	if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
		t.Notef("copy of %s: %v", what, err)
		return nil, false
	}
	if err != nil {
		t.Errorf("copy of %s: expected success or UNIMPLEMENTED, got %v", what, err)
		return nil, false
	}
	return out.DstBuffer, true
}

func bitcastArgs(b *capi.Buffer, e dtype.Type, layout *capi.BufferMemoryLayout, dims ...int64) capi.BufferBitcastArgs {
	args := capi.BufferBitcastArgs{Buffer: b, ElementType: capi.BufferType(e), DeviceLayout: layout}
	args.Dims, args.NumDims = check.First(dims)
	return args
}

// bitcastable returns a buffer of four floats if the plugin can reinterpret one.
func bitcastable(t *check.T) *capi.Buffer {
	check.Own(t, check.Call(t, bitcastArgs(small(t), dtype.U8, nil, 16)).OutBuffer)
	return small(t)
}
