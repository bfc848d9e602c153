// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Transfers to buffers that exist before their data does.
var asyncChecks = []check.Check{
	{Rule: "AH2D-01", Run: func(t *check.T) {
		specs := []spec{{dtype.F32, []int64{2, 2}}, {dtype.S8, []int64{3}}, {dtype.F64, []int64{}}}
		m := manager(t, specs...)
		check.Equal(t, 3, check.Call(t, countArgs{TransferManager: m}).BufferCount, "buffer_count for 3 specs")
		for i, s := range specs {
			b := retrieve(t, m, i)
			check.Equal(t, capi.BufferType(s.e), t.ElementType(b), "type of buffer %d", i)
			expectDimensions(t, b, s.dims, "buffer %d", i)
			check.Equal(t, false, t.IsReady(t.Ready(b)), "is_ready of buffer %d before its data came", i)
		}
		var several []spec
		for a := range t.Shaped() {
			if !a.Type.IsSubByte() {
				several = append(several, spec{a.Type, a.Dims})
			}
		}
		m = manager(t, several...)
		check.Equal(t, uintptr(len(several)), check.Call(t, countArgs{TransferManager: m}).BufferCount,
			"buffer_count for %d specs", len(several))
		for i, s := range slices.Backward(several) {
			b := retrieve(t, m, i)
			check.Equal(t, capi.BufferType(s.e), t.ElementType(b), "type of buffer %d of %d", i, len(several))
			expectDims(t, b, s.dims, "buffer "+show(i)+" of several")
			size := check.Call(t, sizeArgs{TransferManager: m, BufferIndex: int32(i)}).BufferSize
			check.Equal(t, t.SizeOnDevice(b), size, "buffer_size of buffer %d of %d, %v%v", i, len(several), s.e, s.dims)
		}
		for i, where := range t.Client().Memories {
			args := managerArgs(t, specs...)
			args.Memory = where
			out, err := check.Try(t, args)
			if declined(err) {
				t.Notef("memory %d is refused: %v", i, err)
				continue
			} else if err != nil {
				t.Errorf("manager for memory %d: expected success, INVALID_ARGUMENT or UNIMPLEMENTED, got %v", i, err)
				continue
			}
			m := check.Own(t, out.TransferManager)
			check.Equal(t, where, t.MemoryOf(retrieve(t, m, 0)), "memory of a buffer of a manager for memory %d", i)
		}
	}},
	{Rule: "AH2D-02", Hostile: true, Run: func(t *check.T) {
		specs := []spec{{dtype.F32, []int64{2, 3}}, {dtype.F32, []int64{3, 2}}}
		for what, layouts := range map[string][]*capi.BufferMemoryLayout{
			"null": nil, "an array of nulls": {nil, nil}, "a layout for each": {check.RowMajor(2), check.RowMajor(2)}, "a layout for one": {check.RowMajor(2), nil},
		} {
			args := managerArgs(t, specs...)
			args.DeviceLayouts, args.NumDeviceLayouts = check.First(layouts)
			m := check.Own(t, check.Call(t, args).TransferManager)
			for i := range specs {
				b := retrieve(t, m, i)
				send(t, m, i, dtype.Bytes(floats(6)), 0, true)
				check.ExpectBuffer(t, b, floats(6), "buffer of a manager whose device_layouts are "+what)
				if order, ok := reportedOrder(t, b); ok && !slices.Equal(order, []int64{1, 0}) && i < len(layouts) && layouts[i] != nil {
					t.Errorf("layout of buffer %d of a manager whose device_layouts are %s: expected minor_to_major [1 0], got %v", i, what, order)
				}
			}
		}
		// Row-major layouts of all ranks, and all layouts of each rank, each for its own buffer.
		var rows []check.Ordered
		for _, dims := range check.Shapes {
			rows = append(rows, check.Ordered{Dims: dims, Order: check.Orders(len(dims))[0]})
		}
		managesLayouts(t, rows)
		for rank := range check.Each(t, check.Shapes) {
			managesLayouts(t, slices.Repeat(check.LayoutsOf(rank), 2))
		}
		managesLayouts(t, check.Layouts)
	}},
	{Rule: "AH2D-03", Hostile: true, Run: func(t *check.T) {
		args := managerArgs(t, spec{dtype.F32, []int64{2, 3}}, spec{dtype.F32, []int64{3, 2}})
		for _, n := range []int{1, 3} {
			layouts := []*capi.BufferMemoryLayout{check.RowMajor(2), check.RowMajor(2), check.RowMajor(2)}
			args.DeviceLayouts, args.NumDeviceLayouts = check.First(layouts[:n])
			out, err := check.Try(t, args)
			check.Own(t, out.TransferManager)
			t.ErrorCode(err, show(n)+" device layouts for two specs")
		}
	}},
	{Rule: "AH2D-04", Hostile: true, Run: func(t *check.T) {
		check.Destroy(t, manager(t, spec{dtype.F32, []int64{1}})) // skips if there is no such function
		out, err := check.Try(t, managerArgs(t))
		if err != nil {
			t.Notef("zero specs are refused: %v", err)
			return
		}
		m := check.Own(t, out.TransferManager)
		check.Equal(t, 0, check.Call(t, countArgs{TransferManager: m}).BufferCount, "buffer_count for no specs")
	}},
	{Rule: "AH2D-05", Run: func(t *check.T) {
		m := manager(t, spec{dtype.F32, []int64{4}}, spec{dtype.F32, []int64{4}})
		count := func(when string) {
			check.Equal(t, 2, check.Call(t, countArgs{TransferManager: m}).BufferCount, "buffer_count %s", when)
		}
		count("at first")
		retrieve(t, m, 0)
		count("after a buffer was retrieved")
		send(t, m, 0, dtype.Bytes(floats(4)), 0, true)
		count("after a transfer")
		retrieve(t, m, 1)
		count("after all buffers were retrieved")
	}},
	{Rule: "AH2D-06", Run: func(t *check.T) {
		specs := []spec{{dtype.F32, []int64{2, 3}}, {dtype.S8, []int64{5}}, {dtype.F64, []int64{}}, {dtype.C64, []int64{3}},
			{dtype.S4, []int64{5}}}
		for _, s := range specs {
			out, err := check.Try(t, managerArgs(t, s))
			if err != nil && s.e == dtype.S4 {
				t.Notef("i4 is refused: %v", err)
				continue
			}
			m := manager(t, s)
			check.Own(t, out.TransferManager)
			size := check.Call(t, sizeArgs{TransferManager: m}).BufferSize
			b := retrieve(t, m, 0)
			check.Equal(t, t.SizeOnDevice(b), size,
				"buffer_size of %v%v, compared with PJRT_Buffer_OnDeviceSizeInBytes", s.e, s.dims)
		}
		m := manager(t, specs[:3]...)
		for i, s := range specs[:3] {
			size := check.Call(t, sizeArgs{TransferManager: m, BufferIndex: int32(i)}).BufferSize
			check.Equal(t, t.SizeOnDevice(retrieve(t, m, i)), size,
				"buffer_size of buffer %d of three, %v%v", i, s.e, s.dims)
		}
	}},
	{Rule: "AH2D-07", Variant: "negative", Hostile: true, Run: sizeOf(-1)},
	{Rule: "AH2D-07", Variant: "count", Hostile: true, Run: sizeOf(2)},
	{Rule: "AH2D-08", Run: func(t *check.T) {
		c := t.Client()
		for i, d := range c.Devices {
			args := managerArgs(t, spec{dtype.F32, []int64{4}})
			args.Memory = check.Optional(t, capi.DeviceDefaultMemoryArgs{Device: d}).Memory
			m := check.Own(t, check.Call(t, args).TransferManager)
			got := check.Call(t, capi.AsyncHostToDeviceTransferManagerDeviceArgs{TransferManager: m}).DeviceOut
			check.Equal(t, d, got, "device of a manager for the memory of device %d", i)
			check.Equal(t, d, t.DeviceOf(retrieve(t, m, 0)), "device of its buffer")
		}
	}},
	{Rule: "AH2D-09", Run: func(t *check.T) {
		m, b := single(t, spec{dtype.F32, []int64{4}})
		e := t.Ready(b)
		check.Equal(t, false, t.IsReady(e), "is_ready before a transfer")
		data := dtype.Bytes(floats(4))
		send(t, m, 0, data[:8], 0, false)
		time.Sleep(while)
		check.Equal(t, false, t.IsReady(e), "is_ready after half of the transfers")
		send(t, m, 0, data[8:], 8, true)
		t.NoError(t.Await(e), "ready event after the last transfer")
		check.ExpectBuffer(t, b, floats(4), "buffer after the last transfer")
		readyApart(t)
	}},
	{Rule: "AH2D-10", Hostile: true, Run: func(t *check.T) {
		m := manager(t, spec{dtype.F32, []int64{4}})
		for _, index := range []int32{1, 5, -1} {
			_, err := check.Try(t, retrieveArgs{TransferManager: m, BufferIndex: index})
			t.ErrorCode(err, "buffer "+show(index)+" of one")
		}
	}},
	{Rule: "AH2D-11", Hostile: true, Run: func(t *check.T) {
		m := manager(t, spec{dtype.F32, []int64{4}})
		retrieve(t, m, 0)
		_, err := check.Try(t, retrieveArgs{TransferManager: m})
		t.ErrorCode(err, "second retrieval of a buffer")
	}},
	{Rule: "AH2D-12", Run: func(t *check.T) {
		for _, e := range types(t) {
			if e.IsSubByte() {
				continue // their data has the device's form
			}
			s := spec{e, []int64{3, 5}}
			out, err := check.Try(t, managerArgs(t, s))
			if err != nil {
				if e == dtype.F32 {
					check.Call(t, managerArgs(t, s))
				}
				t.Notef("%v is refused: %v", e, err)
				continue
			}
			m := check.Own(t, out.TransferManager)
			b := retrieve(t, m, 0)
			data := hostBytes(e, 15)
			send(t, m, 0, data, 0, true)
			t.NoError(t.Await(t.Ready(b)), "ready event after one full transfer of "+e.String())
			expectBytes(t, data, t.Download(b), 0xff, e.String()+"[3 5] in one transfer")
		}
		m := manager(t, spec{dtype.F32, []int64{4}}, spec{dtype.F32, []int64{4}}, spec{dtype.F32, []int64{4}})
		for _, i := range []int{2, 0, 1} {
			b := retrieve(t, m, i)
			want := []float32{float32(10 * i), 1, 2, 3}
			send(t, m, i, dtype.Bytes(want), 0, true)
			t.NoError(t.Await(t.Ready(b)), "ready event of buffer "+show(i)+" of three")
			check.ExpectBuffer(t, b, want, "buffer "+show(i)+" of three")
		}
	}},
	{Rule: "AH2D-13", Run: func(t *check.T) {
		for _, chunk := range []int{64, 61} { // a power of two, and a prime
			const n = 100
			m, b := single(t, spec{dtype.U8, []int64{int64(n * chunk)}})
			e := t.Ready(b)
			data := counting(n*chunk + 4)[:n*chunk]
			t.Keep(data)
			// A step that shares no factor with the number of chunks visits each once.
			for i, at := 0, 0; i < n; i, at = i+1, (at+37)%n {
				send(t, m, 0, data[at*chunk:(at+1)*chunk], int64(at*chunk), i == n-1)
			}
			t.NoError(t.Await(e), "ready event after 100 transfers")
			expectBytes(t, data, t.Download(b), 0xff, "100 transfers of "+show(chunk)+" bytes in another order")
		}
		// Several buffers at a time, whose parts have uneven sizes.
		for arrays := range slices.Chunk(slices.Collect(t.Sized()), batch) {
			arrays = slices.DeleteFunc(arrays, func(a check.HostArray) bool { return a.Type.IsSubByte() || len(a.Data) < 3*a.Type.Size() })
			if len(arrays) == 0 {
				continue
			}
			var specs []spec
			for _, a := range arrays {
				specs = append(specs, spec{a.Type, a.Dims})
			}
			m := manager(t, specs...)
			var buffers []*capi.Buffer
			for i := range arrays {
				buffers = append(buffers, retrieve(t, m, i))
			}
			for part := range 3 {
				for i, a := range arrays {
					size := a.Type.Size()
					third := (len(a.Data)/size + 2) / 3 * size
					from, to := min(part*third, len(a.Data)), min((part+1)*third, len(a.Data))
					send(t, m, i, a.Data[from:to], int64(from), part == 2)
				}
			}
			for i, a := range arrays {
				if !expectArray(t, buffers[i], a, "in three parts, between those of others") {
					return
				}
				check.Destroy(t, buffers[i])
			}
			check.Destroy(t, m)
		}
	}},
	{Rule: "AH2D-14", Hostile: true, Run: func(t *check.T) {
		m, b := single(t, spec{dtype.F32, []int64{4}})
		e := t.Ready(b)
		data := dtype.Bytes(floats(4))
		t.Keep(data)
		if err := trySend(t, m, 0, data[:8], 0, true); err != nil {
			t.Notef("a last transfer that leaves holes is refused: %v", err)
			return
		}
		// XLA takes the flag at its word; whether a caller may set it early is open.
		if soon(t, e) {
			t.Notef("open: the buffer is ready after a last transfer of 8 bytes of 16, and does not wait for the rest")
		}
		if err := trySend(t, m, 0, data[8:], 8, false); err != nil {
			t.Notef("a transfer after the last is refused: %v", err)
			return
		}
		if becomesReady(t, e, "the buffer becomes ready after all transfers, of which the last was flagged first") {
			check.ExpectBuffer(t, b, floats(4), "buffer after all transfers")
		}
	}},
	{Rule: "AH2D-15", Hostile: true, Run: func(t *check.T) {
		data := room(t, 64)
		hangs := false
		for _, w := range []struct {
			offset, size int64
		}{{8, 16}, {0, 17}, {16, 1}, {-4, 8}, {0, -1}, {1<<63 - 4, 8}} {
			m := manager(t, spec{dtype.F32, []int64{4}})
			out, err := check.Try(t, transferArgs{
				TransferManager: m, Data: check.Pointer(data), Offset: w.offset, TransferSize: w.size,
			})
			if err == nil && out.DoneWithH2dTransfer != nil {
				err = t.Wait(out.DoneWithH2dTransfer)
			}
			what := "transfer of " + show(w.size) + " bytes to offset " + show(w.offset) + " of 16"
			t.ErrorCode(err, what)
			hangs = hangs || !destroyManager(t, m, what)
			if hangs {
				check.Disown(t, m)
			}
		}
	}},
	{Rule: "AH2D-16", Run: func(t *check.T) {
		eventsApart(t)
		for _, n := range []int{4, 1 << 10, 4 << 20} {
			m, b := single(t, spec{dtype.U8, []int64{int64(n)}})
			data := counting(n)
			t.Keep(data)
			send(t, m, 0, data, 0, true) // waits until it is done
			spoil(data)
			time.Sleep(while / 6)
			expectBytes(t, counting(n), t.Download(b), 0xff,
				"transfer of "+show(n)+" bytes whose memory was overwritten when done_with_h2d_transfer was ready")
		}
	}},
	{Rule: "AH2D-17", Hostile: true, Run: func(t *check.T) {
		m, b := single(t, spec{dtype.F32, []int64{4}})
		e := t.Ready(b)
		data := dtype.Bytes(floats(4))
		send(t, m, 0, data, 0, false)
		check.Equal(t, false, t.IsReady(e), "is_ready before the last transfer")
		if err := trySend(t, m, 0, data[:0], 16, true); err != nil {
			t.Errorf("last transfer, of no bytes: expected success, got %v", err)
			return
		}
		if becomesReady(t, e, "the buffer becomes ready after a last transfer of no bytes") {
			check.ExpectBuffer(t, b, floats(4), "buffer after a last transfer of no bytes")
		}
	}},
	{Rule: "AH2D-18", Hostile: true, Run: func(t *check.T) {
		m, b := single(t, spec{dtype.F32, []int64{4}})
		send(t, m, 0, dtype.Bytes(floats(4)), 0, true)
		t.NoError(t.Await(t.Ready(b)), "ready event")
		t.ErrorCode(trySend(t, m, 0, dtype.Bytes(sevens(4)), 0, false), "transfer after the last")
		check.ExpectBuffer(t, b, floats(4), "buffer after a transfer that came too late")
	}},
	{Rule: "AH2D-22", Run: func(t *check.T) {
		for which := range 2 {
			m := manager(t, spec{dtype.F32, []int64{4}}, spec{dtype.F32, []int64{4}})
			bad, good := retrieve(t, m, which), retrieve(t, m, 1-which)
			setError(t, m, which)
			expectError(t, t.Await(t.Ready(bad)), failureCode, failureMessage, "ready event of a buffer that was set to an error")
			if !check.Equal(t, false, t.IsReady(t.Ready(good)), "is_ready of the other buffer") {
				return
			}
			send(t, m, 1-which, dtype.Bytes(floats(4)), 0, true)
			t.NoError(t.Await(t.Ready(good)), "ready event of the other buffer")
			check.ExpectBuffer(t, good, floats(4), "the other buffer")
		}
		// Several buffers fail, each with an error of its own; one does not.
		n := len(check.Lengths)
		m := manager(t, slices.Repeat([]spec{{dtype.F32, []int64{4}}}, n+1)...)
		var bad []*capi.Buffer
		for i := range n {
			bad = append(bad, retrieve(t, m, i))
		}
		good := retrieve(t, m, n)
		for i := range n {
			code, message := failure(i)
			check.Call(t, setErrorArgs(m, i, code, message))
		}
		send(t, m, n, dtype.Bytes(floats(4)), 0, true)
		check.ExpectBuffer(t, good, floats(4), "a buffer whose neighbours were set to errors")
		for i, b := range bad {
			code, message := failure(i)
			what := "buffer " + show(i) + " of several that were set to errors"
			expectError(t, t.Await(t.Ready(b)), code, message, "ready event of "+what)
			expectError(t, read(t, into(b, room(t, 16))), code, message, "download of "+what)
		}
	}},
	lateError("after its data", func(t *check.T, m *transferManager, b *capi.Buffer) {
		send(t, m, 0, dtype.Bytes(floats(4)), 0, true)
		t.NoError(t.Await(t.Ready(b)), "ready event")
		tryError(t, m, "after its data")
		check.ExpectBuffer(t, b, floats(4), "buffer that was set to an error after its data came")
	}),
	lateError("twice", func(t *check.T, m *transferManager, b *capi.Buffer) {
		setError(t, m, 0)
		tryError(t, m, "twice")
		expectError(t, t.Await(t.Ready(b)), failureCode, failureMessage, "ready event of a buffer that was set to an error twice")
	}),
	{Rule: "AH2D-24", Run: func(t *check.T) {
		m := manager(t, spec{dtype.F32, []int64{4}})
		args := metadataArgs{TransferManager: m}
		list := []capi.Attribute{{Name: "origin", Value: "a check"}, {Name: "empty", Value: ""}}
		for i, n := range check.Lengths {
			list = append(list, capi.Attribute{Name: fmt.Sprintf("name %d", i), Value: check.Words(n, i)})
		}
		args.TransferMetadata, args.NumMetadata = t.NamedValues(list...)
		check.Call(t, args)
		check.SpoilNamedValues(args.TransferMetadata, args.NumMetadata)
		args.TransferMetadata, args.NumMetadata = t.NamedValues(capi.Attribute{Name: "more", Value: "of a second call"})
		check.Call(t, args)
		check.SpoilNamedValues(args.TransferMetadata, args.NumMetadata)
		b := retrieve(t, m, 0)
		send(t, m, 0, dtype.Bytes(floats(4)), 0, true)
		check.ExpectBuffer(t, b, floats(4), "buffer with metadata whose memory was overwritten after the call")
	}},
	{Rule: "AH2D-25", Hostile: true, Run: func(t *check.T) {
		m := manager(t, spec{dtype.F32, []int64{4}})
		args := metadataArgs{TransferManager: m}
		args.TransferMetadata, args.NumMetadata = t.NamedValues(capi.Attribute{Name: "number", Value: int64(7)})
		_, err := check.Try(t, args)
		t.ErrorCode(err, "metadata that is a number")
	}},
	{Rule: "AH2D-26", Library: true, Hostile: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[endArgs]())
		check.Optional(t, endArgs{})
	}},
	{Rule: "AH2D-27", Run: func(t *check.T) {
		m := manager(t, spec{dtype.F32, []int64{4}}, spec{dtype.F32, []int64{4}})
		a, b := retrieve(t, m, 0), retrieve(t, m, 1)
		send(t, m, 1, dtype.Bytes(floats(2)), 0, false)
		check.Destroy(t, m)
		for i, b := range []*capi.Buffer{a, b} {
			e := t.Ready(b)
			if becomesReady(t, e, "a buffer of a manager that was destroyed becomes ready") {
				t.ErrorCode(t.Await(e), "ready event of buffer "+show(i)+" of a manager that was destroyed before the last transfer")
			}
		}
	}},
	{Rule: "AH2D-28", Hostile: true, Run: func(t *check.T) {
		const n = 32 << 20
		m, b := single(t, spec{dtype.U8, []int64{n}})
		data := counting(n)
		t.Keep(data)
		out := check.Call(t, transferArgs{
			TransferManager: m, Data: check.Pointer(data), TransferSize: n, IsLastTransfer: true,
		})
		check.Destroy(t, m)
		err := t.Wait(out.DoneWithH2dTransfer)
		ready := t.Await(t.Ready(b))
		if err != nil || ready != nil {
			t.Notef("a manager that is destroyed during its last transfer gives up on it: %v, %v", err, ready)
			return
		}
		expectBytes(t, data, t.Download(b), 0xff, "transfer whose manager was destroyed at once")
	}},
	{Rule: "AH2D-29", Run: func(t *check.T) {
		exe := compiled(t, check.AddOne)
		m, b := single(t, spec{dtype.F32, []int64{4}})
		out := early(t, exe, b, func() { send(t, m, 0, dtype.Bytes(floats(4)), 0, true) })
		check.ExpectBuffer(t, out, []float32{2, 3, 4, 5}, "output of an execution that was started before its argument had data")
	}},
	{Rule: "AH2D-30", Run: func(t *check.T) {
		const n, size = 8, 1 << 16
		var specs []spec
		for range n {
			specs = append(specs, spec{dtype.U8, []int64{size}})
		}
		m := manager(t, specs...)
		var all sync.WaitGroup
		var buffers [n]*capi.Buffer
		for i := range n {
			buffers[i] = retrieve(t, m, i)
		}
		data := counting(size)
		t.Keep(data)
		for i := range n {
			all.Go(func() {
				for at := 0; at < size; at += size / 8 {
					t.NoError(trySend(t, m, i, data[at:at+size/8], int64(at), at+size/8 == size), "transfer in one of 8 threads")
				}
			})
		}
		all.Wait()
		for i, b := range buffers {
			t.NoError(t.Await(t.Ready(b)), "ready event of buffer "+show(i))
			expectBytes(t, data, t.Download(b), 0xff, "buffer "+show(i)+" of 8 that 8 threads filled")
		}
	}},
}

// spec is a shape.
type spec struct {
	e    dtype.Type
	dims []int64
}

// managesLayouts fails the check if a buffer of a manager has another layout than the one that the
// manager was given for it.
func managesLayouts(t *check.T, list []check.Ordered) {
	specs, layouts := make([]spec, len(list)), make([]*capi.BufferMemoryLayout, len(list))
	for i, l := range list {
		specs[i], layouts[i] = spec{[]dtype.Type{dtype.F32, dtype.U8, dtype.F64}[i%3], l.Dims}, check.TiledLayout(l.Order)
	}
	args := managerArgs(t, specs...)
	args.DeviceLayouts, args.NumDeviceLayouts = check.First(layouts)
	out, err := check.Try(t, args)
	if declined(err) {
		t.Notef("a manager with %d layouts is refused: %v", len(list), err)
		return
	}
	t.NoError(err, "a manager with %d layouts", len(list))
	m := check.Own(t, out.TransferManager)
	for i, l := range check.Each(t, list) {
		a := check.HostArrayOf(specs[i].e, uint64(i), l.Dims...)
		b := retrieve(t, m, i)
		send(t, m, i, permute(a.Data, a.Type.Size(), l.Dims, l.Order), 0, true)
		if slices.Equal(l.Order, check.Orders(len(l.Dims))[0]) { // downloads from other orders have rules of their own
			expectAll(t, b, a, "of a manager with a layout for each buffer, minor_to_major "+show(l.Order))
		}
		expectOrder(t, b, l.Order, "buffer "+show(i)+", "+a.String()+", of a manager with a layout for each buffer, "+show(l.Order))
		check.Destroy(t, b)
	}
}

func managerArgs(t *check.T, specs ...spec) managers {
	if len(t.Client().Memories) == 0 {
		t.SkipUnimplf("a transfer manager needs a memory, but the client has none")
	}
	list := make([]capi.ShapeSpec, len(specs))
	for i, s := range specs {
		list[i].StructSize, list[i].ElementType = capi.ShapeSpecSize, capi.BufferType(s.e)
		list[i].Dims, list[i].NumDims = check.First(s.dims)
	}
	args := managers{Client: t.Client().Handle, Memory: t.DefaultMemory(t.Client())}
	args.ShapeSpecs, args.NumShapeSpecs = check.First(list)
	return args
}

// manager makes a transfer manager. The check owns it.
func manager(t *check.T, specs ...spec) *transferManager {
	m := check.Call(t, managerArgs(t, specs...)).TransferManager
	if m == nil {
		t.Fatalf("PJRT_Client_CreateBuffersForAsyncHostToDevice: success without a manager")
	}
	return check.Own(t, m)
}

// single makes a transfer manager of one buffer, and takes the buffer from it.
func single(t *check.T, s spec) (*transferManager, *capi.Buffer) {
	m := manager(t, s)
	return m, retrieve(t, m, 0)
}

// readyApart ends the transfers to the buffers of two managers in another order. Each buffer must
// become ready by its own last transfer.
func readyApart(t *check.T) {
	var managers []*transferManager
	var buffers []*capi.Buffer
	for range 2 {
		m := manager(t, slices.Repeat([]spec{{dtype.F32, []int64{4}}}, 3)...)
		managers = append(managers, m)
		for i := range 3 {
			buffers = append(buffers, retrieve(t, m, i))
		}
	}
	given := func(i int) []float32 { return []float32{float32(10 * i), 1, 2, 3} }
	var done []int
	for _, next := range []int{4, 0, 2, 5, 1, 3} {
		send(t, managers[next/3], next%3, dtype.Bytes(given(next)), 0, true)
		t.NoError(t.Await(t.Ready(buffers[next])), "ready event of buffer %d of manager %d", next%3, next/3)
		done = append(done, next)
		for i, b := range buffers {
			if ready := slices.Contains(done, i); !ready {
				check.Equal(t, false, t.IsReady(t.Ready(b)),
					"is_ready of buffer %d of manager %d, after the last transfer to buffer %d of manager %d", i%3, i/3, next%3, next/3)
			}
		}
		if t.Failed() {
			return
		}
	}
	for i, b := range buffers {
		check.ExpectBuffer(t, b, given(i), fmt.Sprintf("buffer %d of manager %d", i%3, i/3))
	}
}

// eventsApart begins several transfers before it waits for any. Each must have an event of its own.
func eventsApart(t *check.T) {
	m, b := single(t, spec{dtype.F32, []int64{6}})
	data := dtype.Bytes(floats(6))
	t.Keep(data)
	var events []*capi.Event
	for i := range 3 {
		e := check.Call(t, transferArgs{
			TransferManager: m, Data: check.Pointer(data[8*i:]), Offset: int64(8 * i), TransferSize: 8, IsLastTransfer: i == 2,
		}).DoneWithH2dTransfer
		if e != nil && slices.Contains(events, e) {
			t.Fatalf("done_with_h2d_transfer of transfer %d of 3: expected an event of its own, got that of an earlier transfer", i+1)
		}
		events = append(events, check.Own(t, e))
	}
	for _, i := range []int{1, 0, 2} {
		if events[i] != nil {
			t.NoError(t.Await(events[i]), "done_with_h2d_transfer of transfer %d of 3", i+1)
			check.Destroy(t, events[i])
		}
	}
	check.ExpectBuffer(t, b, floats(6), "a buffer of three transfers that were on their way at a time")
}

// retrieve takes a buffer from a manager. The check owns it.
func retrieve(t *check.T, m *transferManager, index int) *capi.Buffer {
	b := check.Call(t, retrieveArgs{TransferManager: m, BufferIndex: int32(index)}).BufferOut
	if b == nil {
		t.Fatalf("PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer: success without a buffer")
	}
	return check.Own(t, b)
}

// trySend transfers bytes and waits until the host's memory is free. It may be
// used in any goroutine.
func trySend(t *check.T, m *transferManager, index int, data []byte, offset int64, last bool) error {
	out, err := check.Try(t, transferArgs{
		TransferManager: m, BufferIndex: int32(index), Data: check.Pointer(data), Offset: offset, TransferSize: int64(len(data)), IsLastTransfer: last,
	})
	if err != nil || out.DoneWithH2dTransfer == nil {
		return err
	}
	_, err = check.Try(t, capi.EventAwaitArgs{Event: check.Own(t, out.DoneWithH2dTransfer)})
	return err
}

func send(t *check.T, m *transferManager, index int, data []byte, offset int64, last bool) {
	if err := trySend(t, m, index, data, offset, last); err != nil {
		t.Fatalf("PJRT_AsyncHostToDeviceTransferManager_TransferData: expected success, got %v", err)
	}
}

func sizeOf(index int32) func(*check.T) {
	return func(t *check.T) {
		m := manager(t, spec{dtype.F32, []int64{4}}, spec{dtype.F32, []int64{4}})
		out, err := check.Try(t, sizeArgs{TransferManager: m, BufferIndex: index})
		if err == nil {
			t.Notef("the size was given as %d", out.BufferSize)
		}
		t.ErrorCode(err, "size of buffer "+show(index)+" of two")
	}
}

// destroyManager destroys a manager after a transfer that was refused, and reports
// whether the call returned. A call that hangs is not the fault that the check looks
// for.
func destroyManager(t *check.T, m *transferManager, after string) bool {
	check.Disown(t, m)
	thread := t.Begin(func() {
		check.Try(t, endArgs{TransferManager: m})
	})
	if thread.Settle(300*time.Millisecond) == check.Returned {
		return true
	}
	t.Notef("after a %s, PJRT_AsyncHostToDeviceTransferManager_Destroy does not return", after)
	return false
}

func setErrorArgs(m *transferManager, index int, code capi.ErrorCode,
	message string) errorArgs {
	args := errorArgs{TransferManager: m, BufferIndex: int32(index), ErrorCode: code}
	args.ErrorMessage, args.ErrorMessageSize = check.Message(message)
	return args
}

func setError(t *check.T, m *transferManager, index int) {
	check.Call(t, setErrorArgs(m, index, failureCode, failureMessage))
}

// tryError sets another error, which may be refused.
func tryError(t *check.T, m *transferManager, when string) {
	if _, err := check.Try(t, setErrorArgs(m, 0, capi.ErrorCodeAborted, "too late")); err != nil {
		t.Notef("PJRT_AsyncHostToDeviceTransferManager_SetBufferError %s is refused: %v", when, err)
	}
}

func lateError(when string, run func(*check.T, *transferManager, *capi.Buffer)) check.Check {
	variant := map[string]string{"after its data": "late", "twice": "twice"}[when]
	return check.Check{Rule: "AH2D-23", Variant: variant, Hostile: true, Run: func(t *check.T) {
		m := manager(t, spec{dtype.F32, []int64{4}})
		run(t, m, retrieve(t, m, 0))
	}}
}
