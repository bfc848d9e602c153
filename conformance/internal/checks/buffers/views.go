// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"bytes"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Buffers that are views of memory that somebody else owns.
var viewChecks = []check.Check{
	{Rule: "VIEW-01", Hostile: true, Run: func(t *check.T) {
		m := foreign(t, 16)
		m.write(dtype.Bytes(floats(4)))
		v, _ := view(t, m, 4)
		check.ExpectBuffer(t, v, floats(4), "view")
		if m.write(dtype.Bytes([]float32{10, 20, 30, 40})) {
			check.ExpectBuffer(t, v, []float32{10, 20, 30, 40}, "view of memory that was written after the view was made")
		}
		p := check.Optional(t, capi.BufferUnsafePointerArgs{Buffer: v}).BufferPointer
		check.Equal(t, m.address, p, "PJRT_Buffer_UnsafePointer of a view, compared with the memory")
		check.Equal(t, t.Client().Devices[0], t.DeviceOf(v), "device of a view")
		check.Equal(t, capi.BufferTypeF32, t.ElementType(v), "type of a view")
		square, _ := view(t, m, 2, 2)
		expectDimensions(t, square, []int64{2, 2}, "a view")
		if !m.host {
			return
		}
		for i, d := range t.Client().Devices {
			args := viewArgs(t, m, 4)
			args.Device = d
			v := check.Own(t, check.Call(t, args).Buffer)
			check.Equal(t, d, t.DeviceOf(v), "device of a view for device %d", i)
		}
	}},
	{Rule: "VIEW-02", Hostile: true, Run: func(t *check.T) {
		m := foreign(t, 16)
		m.write(dtype.Bytes(floats(4)))
		_, p := endsInUse(t, m, "destroyed", func(v *capi.Buffer) { check.Destroy(t, v) })
		calledOnce(t, p, m)
		v, p := view(t, m, 4)
		deleteBuffer(t, v) // the view must still be destroyed
		check.Destroy(t, v)
		calledOnce(t, p, m)
		// Each of several views has its own callback and its own memory.
		var views []*capi.Buffer
		var probes []*check.Probe
		var memories []memory
		for i := range 5 {
			m := foreign(t, 64<<i)
			v, p := view(t, m, int64(16<<i))
			views, probes, memories = append(views, v), append(probes, p), append(memories, m)
		}
		for _, i := range []int{3, 0, 4, 1, 2} {
			check.Equal(t, 0, probes[i].Count(), "calls of on_delete_callback of view %d of 5 before it was destroyed", i)
			check.Destroy(t, views[i])
			calledOnce(t, probes[i], memories[i])
		}
	}},
	{Rule: "VIEW-02", Variant: "deleted", Hostile: true, Run: func(t *check.T) {
		m := foreign(t, 16)
		m.write(dtype.Bytes(floats(4)))
		v, p := endsInUse(t, m, "deleted", func(v *capi.Buffer) { deleteBuffer(t, v) })
		check.Destroy(t, v)
		calledOnce(t, p, m)
	}},
	{Rule: "VIEW-03", Hostile: true, Run: func(t *check.T) {
		m := foreign(t, 16)
		m.write(dtype.Bytes(floats(4)))
		args := viewArgs(t, m, 4)
		args.OnDeleteCallback, args.OnDeleteCallbackArg = 0, 0
		// A plugin may give up the memory of an unread view within the call, and the
		// memory of a view that was read when the read has ended.
		for _, read := range []bool{false, true} {
			v := check.Own(t, check.Call(t, args).Buffer)
			if read {
				check.ExpectBuffer(t, v, floats(4), "view without a callback")
			}
			check.Destroy(t, v)
			time.Sleep(while) // the missing callback may be called later
		}
		check.ExpectBuffer(t, small(t), floats(4), "another buffer")
	}},
	{Rule: "VIEW-04", Devices: 2, Hostile: true, Run: func(t *check.T) {
		if t.Minor() < 66 {
			t.SkipAbsentf("the field memory came with API 0.66, but the plugin has API 0.%d", t.Minor())
		}
		onCPU(t)
		m := foreign(t, 16)
		args := viewArgs(t, m, 4)
		args.Memory = check.Optional(t, capi.DeviceDefaultMemoryArgs{Device: t.Client().Devices[1]}).Memory
		v := check.Own(t, check.Call(t, args).Buffer)
		check.Equal(t, args.Memory, t.MemoryOf(v), "memory of a view with device 0 and a memory of device 1")
		check.Equal(t, t.Client().Devices[1], t.DeviceOf(v), "device of that view")
	}},
	{Rule: "VIEW-05", Hostile: true, Run: func(t *check.T) {
		m := foreign(t, 16)
		view(t, m, 4) // skips if there are no views
		args := viewArgs(t, m, 4)
		args.Device = nil
		out, err := check.Try(t, args)
		check.Own(t, out.Buffer)
		t.ErrorCode(err, "view with device and memory null", capi.ErrorCodeInvalidArgument)
	}},
	{Rule: "VIEW-06", Hostile: true, Run: func(t *check.T) {
		exe := compiled(t, check.AddOne)
		m := foreign(t, 64)
		m.write(dtype.Bytes(floats(m.size / 4)))
		view(t, m, 4)
		m.address += 4
		out, err := check.Try(t, viewArgs(t, m, 4))
		if err != nil {
			t.Notef("an address that is 4 off is refused: %v", err)
			return
		}
		v := check.Own(t, out.Buffer)
		check.ExpectBuffer(t, v, []float32{2, 3, 4, 5}, "view of an address that is 4 off")
		x := check.NewExecution(exe, 1, []*capi.Buffer{v})
		if err = x.Start(t); err == nil {
			err = t.Await(x.Events[0])
		}
		if err != nil {
			t.Notef("programs refuse an address that is 4 off: %v", err)
			return
		}
		check.ExpectBuffer(t, x.Outputs[0][0], []float32{3, 4, 5, 6}, "sum of one and a view of an address that is 4 off")
	}},
	{Rule: "VIEW-07", Hostile: true, Run: func(t *check.T) {
		exe := compiled(t, check.Donate)
		m := foreign(t, 16)
		m.write(dtype.Bytes(floats(4)))
		v, p := view(t, m, 4)
		out := t.Run(exe, 1, v)[0]
		check.ExpectBuffer(t, out, []float32{2, 4, 6, 8}, "output of a program that a view was donated to")
		if at, err := check.Try(t, capi.BufferUnsafePointerArgs{Buffer: out}); err == nil && at.BufferPointer == m.address {
			time.Sleep(while)
			check.Equal(t, 0, p.Count(), "calls of on_delete_callback while an output lies in the memory of the view")
		}
		check.Destroy(t, v)
		check.Destroy(t, out)
		calledOnce(t, p, m)
	}},
	{Rule: "VIEW-08", Hostile: true, Run: func(t *check.T) {
		m := foreign(t, 16)
		m.write(dtype.Bytes(floats(4)))
		args := viewArgs(t, m, 4)
		args.Stream = 0
		v := check.Own(t, check.Call(t, args).Buffer)
		e := t.Ready(v)
		becomesReady(t, e, "a view with stream 0 becomes ready")
		t.NoError(t.Await(e), "ready event of a view with stream 0")
		check.ExpectBuffer(t, v, floats(4), "view with stream 0")
	}},
	{Rule: "VIEW-09", Hostile: true, Run: func(t *check.T) {
		dims := []int64{2, 3}
		data := dtype.Bytes(floats(6))
		m := foreign(t, 24)
		if !m.write(data) {
			t.SkipEnvf("the memory of a device cannot be written by the process")
		}
		v, _ := view(t, m, dims...)
		expectBytes(t, data, t.Download(v), 0xff, "row-major download of a view with layout null")
		want, known := reportedOrder(t, upload(t, dtype.F32, data, dims...))
		if order, ok := reportedOrder(t, v); ok && known && !slices.Equal(order, want) {
			t.Errorf("minor_to_major of a view with layout null: expected that of an upload, %v, got %v", want, order)
		}
		m.write(permute(data, 4, dims, []int64{0, 1}))
		args := viewArgs(t, m, dims...)
		args.Layout = check.TiledLayout([]int64{0, 1})
		out, err := check.Try(t, args)
		if declined(err) {
			t.Notef("a column-major view is refused: %v", err)
			return
		}
		if err != nil {
			t.Fatalf("column-major view: expected success, INVALID_ARGUMENT or UNIMPLEMENTED, got %v", err)
		}
		for i, dims := range check.Each(t, check.Shapes) {
			for j, order := range check.Each(t, check.Orders(len(dims))) {
				a := check.HostArrayOf(check.Width(i+j), uint64(j), dims...)
				if a.Type.IsSubByte() {
					continue
				}
				m := foreign(t, len(a.Data))
				m.write(permute(a.Data, a.Type.Size(), dims, order))
				args := viewArgs(t, m, dims...)
				args.ElementType, args.Layout = capi.BufferType(a.Type), check.TiledLayout(order)
				out, err := check.Try(t, args)
				if declined(err) {
					t.Notef("a view of %v with minor_to_major %v is refused: %v", a, order, err)
					continue
				}
				t.NoError(err, "view of %v with minor_to_major %v", a, order)
				v := check.Own(t, out.Buffer)
				if got, ok := reportedOrder(t, v); ok && !slices.Equal(got, order) {
					t.Errorf("minor_to_major of a view of %v with minor_to_major %v: got %v", a, order, got)
				}
				if slices.Equal(order, check.Orders(len(dims))[0]) && len(dims) > 3 { // the row-major one
					expectArray(t, v, a, "as a view with minor_to_major "+show(order))
				}
				check.Destroy(t, v)
			}
		}
		// Downloads have rules of their own: a program may see the view correctly even if
		// they do not.
		v = check.Own(t, out.Buffer)
		if order, ok := reportedOrder(t, v); ok && !slices.Equal(order, []int64{0, 1}) {
			t.Errorf("minor_to_major of a column-major view: expected [0 1], got %v", order)
		}
		if got := t.Download(v); !bytes.Equal(got, data) {
			t.Notef("the row-major download of a column-major view is not row-major")
			logicalValues(t, v, []int64{0, 1})
		}
	}},
	{Rule: "VIEW-10", Hostile: true, Run: func(t *check.T) {
		m := foreign(t, 16)
		m.write(dtype.Bytes(floats(4)))
		var copies []*capi.Buffer
		for _, d := range t.Client().Devices[1:] {
			v, p := view(t, m, 4)
			copies = append(copies, copyTo(t, v, d))
			check.Destroy(t, v)
			calledOnce(t, p, m)
		}
		for _, to := range t.Client().Memories {
			v, p := view(t, m, 4)
			if to == check.Optional(t, capi.BufferMemoryArgs{Buffer: v}).Memory {
				continue
			}
			out, err := check.Try(t, capi.BufferCopyToMemoryArgs{Buffer: v, DstMemory: to})
			check.Destroy(t, v)
			if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
				continue
			}
			if err != nil {
				t.Errorf("copy of a view to %s: expected success, got %v", memoryName(t, to), err)
				continue
			}
			copies = append(copies, check.Own(t, out.DstBuffer))
			calledOnce(t, p, m)
		}
		if len(copies) == 0 {
			t.SkipEnvf("there is no other device or memory that takes a copy")
		}
		m.write(dtype.Bytes(sevens(4))) // the owner has it back
		for i, b := range copies {
			check.ExpectBuffer(t, b, floats(4), "copy "+show(i+1)+" of a view that was destroyed after the call")
		}
	}},
	{Rule: "VIEW-11", Hostile: true, Run: func(t *check.T) {
		m := foreign(t, 16)
		m.write(dtype.Bytes(floats(4)))
		exe := compiled(t, check.AddOne)
		victim, argument, later := small(t), small(t), t.NewProbe(nil)
		back := make(chan error, 1)
		p := t.NewProbe(func(check.ProbeCall) {
			check.Destroy(t, victim)
			out, err := check.Try(t, check.HostArgs(t.Client(), floats(4)))
			check.Own(t, out.Buffer)
			check.Own(t, out.DoneWithHostBuffer)
			if err == nil {
				args := viewArgs(t, m, 4) // in the last one's memory
				args.OnDeleteCallback, args.OnDeleteCallbackArg = later.OnDelete()
				v, again := check.Try(t, args)
				check.Own(t, v.Buffer)
				err = again
			}
			if err == nil {
				err = check.NewExecution(exe, 1, []*capi.Buffer{argument}).Start(t)
			}
			back <- err
		})
		args := viewArgs(t, m, 4)
		args.OnDeleteCallback, args.OnDeleteCallbackArg = p.OnDelete()
		v := check.Disown(t, check.Own(t, check.Call(t, args).Buffer))
		go check.Try(t, capi.BufferDestroyArgs{Buffer: v})
		select {
		case err := <-back:
			t.NoError(err, "upload, view and execution in on_delete_callback")
			calledOnce(t, p, m)
		case <-time.After(t.Patience()):
			t.Stuck("an on_delete_callback that destroys a buffer, uploads another, makes a view and starts an execution: it did not come back from the plugin within %v", t.Patience())
		}
	}},
}

// memory is what views are made of.
type memory struct {
	address uintptr
	size    int
	host    bool // the process can read and write it
}

// write writes to the memory if the process can.
func (m memory) write(data []byte) bool {
	if m.host {
		check.Poke(m.address, data)
	}
	return m.host
}

// foreign returns memory of a device, or of the process if devices use that. A device's
// memory holds 1, 2, 3 and so on.
func foreign(t *check.T, size int) memory {
	t.Require(check.FunctionOf[viewOf]())
	if t.Platform() == "cpu" {
		block := check.Aligned(size, 4096, 0)
		t.Keep(block)
		return memory{check.Address(block), size, true}
	}
	b := check.Upload(t, t.Client(), floats(size/4))
	t.NoError(t.Await(t.Ready(b)), "ready event of an upload") // a view says nothing of what is still to come
	increase(t, b)
	t.Cleanup(func() { decrease(t, b) })
	return memory{opaque(t, b), size, false}
}

// viewArgs returns the arguments that make a view of f32. They have a callback, since not
// every plugin accepts none.
func viewArgs(t *check.T, m memory, dims ...int64) viewOf {
	args := viewOf{
		Client: t.Client().Handle, Device: t.Client().Devices[0], DeviceBufferPtr: m.address, ElementType: capi.BufferTypeF32,
	}
	args.Dims, args.NumDims = check.First(dims)
	args.OnDeleteCallback, args.OnDeleteCallbackArg = t.NewProbe(nil).OnDelete()
	return args
}

// endsInUse ends a view of m while a waiting execution reads it: the view's memory is in
// use until the execution is over. way says in words how the view ends.
func endsInUse(t *check.T, m memory, way string, end func(*capi.Buffer)) (*capi.Buffer, *check.Probe) {
	exe := compiled(t, check.Add)
	v, p := view(t, m, 4)
	pending := newPending(t)
	out, event := waiting(t, exe, v, pending.Buffer)
	end(v)
	time.Sleep(while)
	check.Equal(t, 0, p.Count(), "calls of on_delete_callback while an execution waits that reads the view, which was %s", way)
	pending.Fulfil()
	t.NoError(t.Await(event), "event of the execution")
	check.ExpectBuffer(t, out, []float32{2, 4, 6, 8}, "sum with a view that was "+way+" while the execution waited")
	return v, p
}

// view makes a view of f32, and the probe that is called when it ends. The check owns the
// view.
func view(t *check.T, m memory, dims ...int64) (*capi.Buffer, *check.Probe) {
	p := t.NewProbe(nil)
	args := viewArgs(t, m, dims...)
	args.OnDeleteCallback, args.OnDeleteCallbackArg = p.OnDelete()
	v := check.Call(t, args).Buffer
	if v == nil {
		t.Fatalf("PJRT_Client_CreateViewOfDeviceBuffer: success without a buffer")
	}
	return check.Own(t, v), p
}

// calledOnce fails the check unless the callback of a view runs once, with the
// memory's address.
func calledOnce(t *check.T, p *check.Probe, m memory) {
	if !t.Eventually(t.Patience(), "on_delete_callback runs after the last use of a view", func() bool { return p.Count() > 0 }) {
		return
	}
	time.Sleep(while / 3)
	calls := p.Calls()
	check.Equal(t, 1, len(calls), "calls of on_delete_callback")
	check.Equal(t, m.address, calls[0].Address, "device_buffer_ptr in on_delete_callback")
}
