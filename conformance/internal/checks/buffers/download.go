// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"bytes"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

var downloadChecks = []check.Check{
	{Rule: "D2H-01", Run: askForSize},
	{Rule: "D2H-02", Run: func(t *check.T) {
		needsSizes(t)
		for _, e := range types(t) {
			for _, dims := range [][]int64{{}, {3, 5}, {2, 0}, {1, 7, 3}} {
				want := check.Elements(dims...) * e.Size()
				b, ok := uploaded(t, hostArgs(t.Client(), e, make([]byte, want), dims...))
				if !ok {
					break
				}
				check.Equal(t, want, hostSize(t, b, check.RowMajor(len(dims))), "dst_size of %v%v", e, dims)
				if _, plain := minorToMajor(t, b); plain {
					check.Equal(t, want, hostSize(t, b, nil), "dst_size of %v%v with host_layout null", e, dims)
				}
				check.Destroy(t, b)
			}
		}
		for _, arrays := range []iter.Seq[check.HostArray]{t.Sized(), t.Shaped()} {
			for a := range arrays {
				if b, ok := uploaded(t, argsOf(t.Client(), a)); ok {
					check.Equal(t, len(a.Data), hostSize(t, b, check.RowMajor(len(a.Dims))), "dst_size of %v", a)
					check.Destroy(t, b)
				}
			}
		}
	}},
	{Rule: "D2H-03", Run: func(t *check.T) {
		b := upload(t, dtype.U8, counting(64), 64)
		for _, size := range []uintptr{63, 1, 32, 0} {
			dst := filled(t, 128)
			err := read(t, downloadArgs{Src: b, HostLayout: check.RowMajor(1), Dst: check.Pointer(dst), DstSize: size})
			t.ErrorCode(err, "download of 64 bytes into "+show(size), capi.ErrorCodeInvalidArgument)
			expectBytes(t, bytes.Repeat([]byte{0xee}, 128), dst, 0xff, "memory of the host after a download that is too large for it")
		}
	}},
	{Rule: "D2H-04", Run: func(t *check.T) {
		const before, behind = 64, 64
		for _, n := range []int{1, 5, 13, 61, 64} {
			for _, size := range []int{n, n + 1, n + behind} {
				b := upload(t, dtype.U8, counting(64)[:n], int64(n))
				want := bytes.Repeat([]byte{0xee}, before+n+behind)
				dst := slices.Clone(want)
				copy(want[before:], counting(64)[:n])
				t.Keep(dst)
				what := fmt.Sprintf("memory round a download of %d bytes into %d", n, size)
				err := read(t, downloadArgs{Src: b, HostLayout: check.RowMajor(1), Dst: check.Pointer(dst[before:]),
					DstSize: uintptr(size)})
				if err != nil {
					t.Errorf("download of %d bytes into %d: expected success, got %v", n, size, err)
					continue
				}
				expectBytes(t, want, dst, 0xff, what)
			}
		}
		for a := range t.Sized() {
			if b, ok := uploaded(t, argsOf(t.Client(), a)); ok && !a.Type.IsSubByte() {
				dst := filled(t, before+len(a.Data)+behind)
				err := read(t, downloadArgs{Src: b, HostLayout: check.RowMajor(1), Dst: check.Pointer(dst[before:]),
					DstSize: uintptr(len(a.Data))})
				t.NoError(err, "download of %v", a)
				frame := bytes.Repeat([]byte{filler}, behind)
				expectBytes(t, slices.Concat(frame, a.Data, frame), dst, 0xff, "memory round a download of "+a.String())
				check.Destroy(t, b)
			}
		}
	}},
	{Rule: "D2H-05", Run: func(t *check.T) {
		for _, d := range t.Client().Devices {
			for _, e := range []dtype.Type{dtype.F32, dtype.U8, dtype.F64} {
				for _, dims := range [][]int64{{}, {12}, {3, 4}, {3, 3}, {2, 3, 4}} {
					defaultLayout(t, d, e, dims)
				}
			}
		}
		for i, dims := range check.Each(t, check.Shapes) {
			for j, e := range check.Widths(i) {
				if !e.IsSubByte() {
					defaultLayout(t, t.Client().Devices[j%len(t.Client().Devices)], e, dims)
				}
			}
		}
	}},
	{Rule: "D2H-06", Run: func(t *check.T) {
		for _, e := range []dtype.Type{dtype.F32, dtype.U8, dtype.S16, dtype.C64, dtype.C128} {
			for _, dims := range [][]int64{{3}, {2, 3}, {2, 3, 4}} {
				data := hostBytes(e, check.Elements(dims...))
				b := upload(t, e, data, dims...)
				for _, order := range check.Orders(len(dims)) {
					got, err := readWith(t, b, check.TiledLayout(order))
					if err != nil {
						t.Errorf("download of %v%v with minor_to_major %v: expected success, got %v", e, dims, order, err)
						continue
					}
					expectBytes(t, permute(data, e.Size(), dims, order), got, 0xff,
						"download of "+e.String()+show(dims)+" with minor_to_major "+show(order))
				}
			}
		}
		for a := range t.Shaped() {
			b, ok := uploaded(t, argsOf(t.Client(), a))
			if !ok {
				continue
			}
			for _, order := range check.Each(t, check.Orders(len(a.Dims))) {
				got, err := readWith(t, b, check.TiledLayout(order))
				if !t.NoError(err, "download of %v with minor_to_major %v", a, order) {
					break
				}
				expectBytes(t, permute(a.Data, a.Type.Size(), a.Dims, order), got, mask(a.Type),
					fmt.Sprintf("download of %v with minor_to_major %v", a, order))
			}
			check.Destroy(t, b)
		}
	}},
	{Rule: "D2H-07", Run: nullLayout},
	{Rule: "D2H-08", Run: outputLayouts},
	{Rule: "D2H-09", Run: func(t *check.T) {
		dims := []int64{2, 3}
		data := dtype.Bytes(floats(6))
		b := upload(t, dtype.F32, data, dims...)
		for _, order := range check.Orders(2) {
			strides := stridesOf(4, dims, order)
			layout := check.StridedLayout(strides)
			dst := make([]byte, 256) // whatever size the plugin thinks of
			err := read(t, downloadArgs{Src: b, HostLayout: layout, Dst: check.Pointer(dst), DstSize: uintptr(len(dst))})
			if declined(err) {
				t.Notef("host_layout by strides is refused: %v", err)
				continue
			}
			if err != nil {
				t.Errorf("download with host strides %v: expected success, INVALID_ARGUMENT or UNIMPLEMENTED, got %v", strides, err)
				continue
			}
			expectBytes(t, permute(data, 4, dims, order), dst[:24], 0xff, "download with host strides "+show(strides))
		}
		for i, dims := range check.Each(t, check.Shapes) {
			for j, order := range check.Each(t, check.Orders(len(dims))) {
				a := check.HostArrayOf(check.Width(i+j), uint64(i), dims...)
				b, ok := uploaded(t, argsOf(t.Client(), a))
				if !ok || a.Type.IsSubByte() {
					continue
				}
				size := a.Type.Size()
				dst := make([]byte, 2*len(a.Data))
				err := read(t, downloadArgs{Src: b, HostLayout: check.StridedLayout(stridesOf(size, dims, order)), Dst: check.Pointer(dst),
					DstSize: uintptr(len(dst))})
				what := fmt.Sprintf("download of %v with host strides %v", a, stridesOf(size, dims, order))
				if declined(err) {
					t.Notef("%s is refused: %v", what, err)
				} else if t.NoError(err, what) {
					expectBytes(t, permute(a.Data, size, dims, order), dst[:len(a.Data)], 0xff, what)
				}
				check.Destroy(t, b)
			}
		}
	}},
	{Rule: "D2H-10", Run: func(t *check.T) {
		dims := []int64{4, 4}
		b := upload(t, dtype.F32, dtype.Bytes(floats(16)), dims...)
		dst := make([]byte, 256)
		err := read(t, downloadArgs{Src: b, HostLayout: check.LayoutWithTiles([]int64{1, 0}, []int64{2, 2}),
			Dst: check.Pointer(dst), DstSize: uintptr(len(dst))})
		if err != nil {
			t.Notef("host_layout with tiles is refused: %v", err)
			return
		}
		want := []float32{1, 2, 5, 6, 3, 4, 7, 8, 9, 10, 13, 14, 11, 12, 15, 16}
		expectBytes(t, dtype.Bytes(want), dst[:64], 0xff, "download of f32[4 4] in tiles of 2 by 2")
	}},
	{Rule: "D2H-11", Run: func(t *check.T) { eventComesLast(t, 8<<20) }},
	{Rule: "D2H-11", Variant: "large", Profile: check.Core, Timeout: 2 * time.Minute, Run: func(t *check.T) { eventComesLast(t, 256<<20) }},
	{Rule: "D2H-12", Run: func(t *check.T) {
		pending := newPending(t)
		dst := room(t, 16)
		var out downloadArgs
		var err error
		thread := t.Begin(func() { out, err = check.Try(t, into(pending.Buffer, dst)) })
		if thread.Settle(time.Second) != check.Returned {
			if cpu := t.Platform(); cpu == "cpu" {
				t.Notef("the call waits for the data, as a plugin for CPUs may")
			} else {
				t.Errorf("PJRT_Buffer_ToHostBuffer of a buffer whose data has not come: expected it to return at once, but it did not within a second")
			}
		}
		pending.Fulfil()
		select {
		case <-thread.Done():
		case <-time.After(t.Patience()):
			t.Stuck("PJRT_Buffer_ToHostBuffer did not return within %v after the data had come", t.Patience())
		}
		if err == nil {
			err = t.Wait(out.Event)
		}
		if err != nil {
			t.Fatalf("PJRT_Buffer_ToHostBuffer: expected success, got %v", err)
		}
		expectBytes(t, dtype.Bytes(floats(4)), dst, 0xff, "download that was asked for before the data came")
	}},
	{Rule: "D2H-13", Run: func(t *check.T) {
		const n = 1 << 18
		want := counting(n)
		b := upload(t, dtype.U8, want, n)
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				dst := room(t, n)
				out, err := check.Try(t, into(b, dst))
				if err == nil {
					_, err = check.Try(t, capi.EventAwaitArgs{Event: check.Own(t, out.Event)})
				}
				if err != nil {
					t.Errorf("one of 16 downloads at a time: expected success, got %v", err)
					return
				}
				expectBytes(t, want, dst, 0xff, "one of 16 downloads at a time")
			})
		}
		all.Wait()
	}},
	{Rule: "D2H-14", Run: func(t *check.T) {
		b := failedBuffer(t, failureCode, failureMessage)
		dst := room(t, 16)
		err := read(t, into(b, dst))
		expectError(t, err, failureCode, failureMessage, "download of a buffer that is an error")
	}},
	{Rule: "D2H-15", Run: func(t *check.T) {
		data := dtype.Bytes([]float64{1, 2, 3, 4, 5})
		b := upload(t, dtype.F64, data, 5)
		for offset := 1; offset < 8; offset++ {
			block := filled(t, 64)
			err := read(t, downloadArgs{Src: b, HostLayout: check.RowMajor(1),
				Dst: check.Pointer(block[offset:]), DstSize: 40})
			if err != nil {
				t.Errorf("download to an address that is %d off: expected success, got %v", offset, err)
				continue
			}
			want := bytes.Repeat([]byte{0xee}, 64)
			copy(want[offset:], data)
			expectBytes(t, want, block, 0xff, "memory round a download to an address that is "+show(offset)+" off")
		}
		offset := 0
		for a := range t.Sized() {
			b, ok := uploaded(t, argsOf(t.Client(), a))
			if !ok || a.Type.IsSubByte() {
				continue
			}
			offset = (offset + 7) % 64
			block := check.Aligned(len(a.Data)+64, 64, offset)
			copy(block, bytes.Repeat([]byte{filler}, len(block)))
			t.Keep(block)
			err := read(t, downloadArgs{Src: b, HostLayout: check.RowMajor(1), Dst: check.Pointer(block), DstSize: uintptr(len(a.Data))})
			t.NoError(err, "download of %v to an address that is %d off", a, offset)
			expectBytes(t, slices.Concat(a.Data, bytes.Repeat([]byte{filler}, 64)), block, 0xff,
				fmt.Sprintf("memory from where %v was downloaded to, %d off", a, offset))
			check.Destroy(t, b)
		}
	}},
	{Rule: "D2H-16", Run: func(t *check.T) {
		const n = 4 << 20
		want := counting(n)
		b := upload(t, dtype.U8, want, n)
		dst := room(t, n)
		e := check.Call(t, into(b, dst)).Event
		check.Destroy(t, b)
		if err := t.Wait(e); err != nil {
			t.Fatalf("download of a buffer that was destroyed after the call: expected success, got %v", err)
		}
		expectBytes(t, want, dst, 0xff, "download of a buffer that was destroyed after the call")
	}},
	{Rule: "D2H-17", Run: func(t *check.T) {
		b := dynamicBuffer(t)
		got, err := readWith(t, b, check.RowMajor(1))
		if err != nil {
			t.Fatalf("download of 3 of at most 8 elements: expected success, got %v", err)
		}
		expectBytes(t, dtype.Bytes(floats(3)), got, 0xff, "download of 3 of at most 8 elements")
	}},
	{Rule: "D2H-18", Run: narrowElements},
	{Rule: "D2H-19", Hostile: true, Run: func(t *check.T) {
		b := tokenBuffer(t)
		out, err := check.Try(t, downloadArgs{Src: b}) // it has no layout
		if err == nil {
			check.Own(t, out.Event)
			check.Equal(t, 0, out.DstSize, "dst_size of a token")
			return
		}
		t.ErrorCode(err, "size of a token on the host", capi.ErrorCodeUnimplemented)
	}},
	{Rule: "D2H-20", Run: func(t *check.T) {
		pending := newPending(t)
		dst := room(t, 16)
		layout := check.RowMajor(1)
		t.Keep(layout)
		args := downloadArgs{Src: pending.Buffer, HostLayout: layout, Dst: check.Pointer(dst), DstSize: 16}
		var out downloadArgs
		var err error
		thread := t.Begin(func() { out, err = check.Try(t, args) })
		if thread.Settle(time.Second) != check.Returned { // otherwise the transfer is still under way
			pending.Fulfil()
			<-thread.Done()
		}
		check.SpoilLayout(layout)
		if err != nil {
			t.Fatalf("PJRT_Buffer_ToHostBuffer: expected success, got %v", err)
		}
		check.Own(t, out.Event)
		if !t.IsReady(out.Event) {
			pending.Fulfil()
		}
		t.NoError(t.Await(out.Event), "download whose host_layout was overwritten after the call")
		expectBytes(t, dtype.Bytes(floats(4)), dst, 0xff, "download whose host_layout was overwritten after the call")
	}},
	{Rule: "D2H-21", Run: func(t *check.T) {
		for _, c := range []struct {
			e    dtype.Type
			data []byte
		}{
			{dtype.F32, dtype.Bytes([]uint32{0x7f800001, 0xff800001, 0x7fc00000, 0xffffffff, 0x7fbfffff, 0x7f80dead, 0x80000000, 0x00000001})},
			{dtype.F64, dtype.Bytes([]uint64{0x7ff0000000000001, 0xfff0000000000001, 0x7ff8000000000000, ^uint64(0), 0x7ff7ffffffffffff, 1, 1 << 63, 0x7ff00000deadbeef})},
			{dtype.F16, dtype.Bytes([]uint16{0x7c01, 0xfc01, 0x7e00, 0xffff, 0x7dff, 1, 0x8000, 0x7c55})},
			{dtype.BF16, dtype.Bytes([]uint16{0x7f81, 0xff81, 0x7fc0, 0xffff, 0x7fbf, 1, 0x8000, 0x7f95})},
			{dtype.C64, dtype.Bytes([]uint32{0x7f800001, 0xff800001, 0x7fc00000, 0xffffffff, 0x7fbfffff, 1, 1 << 31, 0x7f80dead, 0x7f800001, 0xff800001, 0x7fc00000, 0xffffffff, 2, 3, 4, 5})},
			{dtype.F8E4M3FN, []byte{0x7f, 0xff, 0x80, 0x01, 0x7e, 0xfe, 0x00, 0x81}},
			{dtype.F8E5M2, []byte{0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff, 0x80, 0x01}},
		} {
			b, ok := uploaded(t, hostArgs(t.Client(), c.e, c.data, 8))
			if ok {
				expectBytes(t, c.data, t.Download(b), 0xff, "NaNs of "+c.e.String())
			}
		}
	}},
}

// read downloads and waits for the end. If the plugin may use the memory after that,
// the caller must keep it.
func read(t *check.T, args downloadArgs) error {
	out, err := check.Try(t, args)
	if err != nil {
		return err
	}
	if out.Event == nil {
		t.Errorf("PJRT_Buffer_ToHostBuffer: success without an event")
		return nil
	}
	return t.Wait(out.Event)
}

// into returns the arguments that download a buffer of one dimension into dst.
func into(b *capi.Buffer, dst []byte) downloadArgs {
	return downloadArgs{Src: b, HostLayout: check.RowMajor(1), Dst: check.Pointer(dst), DstSize: uintptr(len(dst))}
}

// needsSizes ends a check that needs the sizes of downloads if the plugin does not tell any:
// D2H-01 is about that.
func needsSizes(t *check.T) {
	out, err := check.Try(t, downloadArgs{Src: small(t), HostLayout: check.RowMajor(1)})
	check.Own(t, out.Event)
	if err != nil {
		t.BlockedBy("D2H-01", "PJRT_Buffer_ToHostBuffer with dst null does not tell the size of f32[4]: %v", err)
	} else if out.DstSize == 0 {
		t.BlockedBy("D2H-01", "PJRT_Buffer_ToHostBuffer with dst null tells the size 0 of f32[4]")
	}
}

// hostSize asks for the size of a download.
func hostSize(t *check.T, b *capi.Buffer, layout *capi.BufferMemoryLayout) int {
	return int(t.SaidSize(check.Call(t, downloadArgs{Src: b, HostLayout: layout})))
}

// readWith downloads a buffer in a layout, in the size that the plugin gives.
func readWith(t *check.T, b *capi.Buffer, layout *capi.BufferMemoryLayout) ([]byte, error) {
	dst := make([]byte, t.HostSize(b, layout))
	err := read(t, downloadArgs{Src: b, HostLayout: layout, Dst: check.Pointer(dst), DstSize: uintptr(len(dst))})
	runtime.KeepAlive(layout)
	return dst, err
}

// minorToMajor returns the layout of a buffer, or false if it cannot be asked for or is
// not a plain order of dimensions.
func minorToMajor(t *check.T, b *capi.Buffer) ([]int64, bool) {
	out, err := check.Try(t, capi.BufferGetMemoryLayoutArgs{Buffer: b})
	if err != nil || out.Layout.Type != capi.BufferMemoryLayoutTypeTiled {
		return nil, false
	}
	tiled := out.Layout.Tiled()
	order := capi.Slice(tiled.MinorToMajor, tiled.MinorToMajorSize)
	return order, tiled.NumTiles == 0 && isPermutation(order, len(t.Dimensions(b)))
}

func isPermutation(order []int64, n int) bool {
	seen := make([]bool, n)
	for _, d := range order {
		if d < 0 || d >= int64(n) || seen[d] {
			return false
		}
		seen[d] = true
	}
	return len(order) == n
}

// defaultLayout compares what was uploaded with what comes back.
func defaultLayout(t *check.T, d *capi.Device, e dtype.Type, dims []int64) {
	data := hostBytes(e, check.Elements(dims...))
	args := hostArgs(t.Client(), e, data, dims...)
	args.Device = d
	b := t.UploadArgs(args)
	what := e.String() + show(dims)
	expectBytes(t, data, t.Download(b), 0xff, "row-major download of "+what)
	order, ok := minorToMajor(t, b)
	if !ok {
		return
	}
	dst := make([]byte, t.HostSize(b, nil))
	if err := read(t, downloadArgs{Src: b, Dst: check.Pointer(dst), DstSize: uintptr(len(dst))}); err != nil {
		t.Errorf("download of %s with host_layout null: expected success, got %v", what, err)
		return
	}
	expectBytes(t, permute(data, e.Size(), dims, order), dst, 0xff, "download of "+what+" with host_layout null")
}

func askForSize(t *check.T) {
	b := upload(t, dtype.S16, counting(12), 2, 3)
	for _, given := range []uintptr{1, 12, 1 << 20} { // dst_size is an output here
		out := check.Call(t, downloadArgs{Src: b, HostLayout: check.RowMajor(2), DstSize: given})
		check.Equal(t, 12, out.DstSize, "dst_size of i16[2 3], which was %d before the call", given)
		check.Own(t, out.Event)
	}
	out := check.Call(t, downloadArgs{Src: b, HostLayout: check.RowMajor(2)})
	check.Equal(t, 12, out.DstSize, "dst_size of i16[2 3]")
	if out.Event != nil {
		if _, err := check.Try(t, capi.EventDestroyArgs{Event: out.Event}); err != nil {
			t.Errorf("PJRT_Event_Destroy of the event of a size query: expected success, got %v", err)
		}
	}
	pending := newPending(t)
	var err error
	within(t, "PJRT_Buffer_ToHostBuffer with dst null of a buffer whose data has not come", func() {
		out, err = check.Try(t, downloadArgs{Src: pending.Buffer, HostLayout: check.RowMajor(1)})
	})
	if err != nil {
		t.Fatalf("PJRT_Buffer_ToHostBuffer with dst null: expected success, got %v", err)
	}
	check.Own(t, out.Event)
	check.Equal(t, 16, out.DstSize, "dst_size of f32[4] whose data has not come")
	pending.Fulfil()
}

// nullLayout looks at buffers whose layout is not row-major, made in several ways.
func nullLayout(t *check.T) {
	dims := []int64{2, 3}
	data := dtype.Bytes(floats(6))
	seen := 0
	look := func(what string, b *capi.Buffer) {
		order, ok := minorToMajor(t, b)
		if !ok {
			t.Notef("the layout of %s cannot be queried, or has tiles", what)
			return
		}
		seen++
		got, err := readWith(t, b, nil)
		if err != nil {
			t.Errorf("download of %s with host_layout null: expected success, got %v", what, err)
			return
		}
		expectBytes(t, permute(data, 4, dims, order), got, 0xff, "download of "+what+" with host_layout null, minor_to_major "+show(order))
	}
	look("an upload", upload(t, dtype.F32, data, dims...))
	args := hostArgs(t.Client(), dtype.F32, data, dims...)
	args.DeviceLayout = check.TiledLayout([]int64{0, 1})
	if b, err := t.TryUpload(args); err == nil {
		look("an upload with a column-major device layout", b)
	}
	if exe, err := t.TryCompile(t.Client(), columnMajor, check.Devices(1, 1)); err == nil {
		look("an output that the program wants column-major", t.Run(exe, 1, upload(t, dtype.F32, data, dims...))[0])
	}
	for i, dims := range check.Each(t, check.Shapes) {
		for j, order := range check.Each(t, check.Orders(len(dims))) {
			a := check.HostArrayOf(check.Width(i+j), uint64(j), dims...)
			args := argsOf(t.Client(), a)
			args.DeviceLayout = check.TiledLayout(order)
			b, err := t.TryUpload(args)
			if err != nil || a.Type.IsSubByte() {
				continue
			}
			expectOwnOrder(t, b, a, "an upload")
			check.Destroy(t, b)
		}
	}
	if seen == 0 {
		t.SkipUnimplf("the plugin does not tell the layout of a buffer")
	}
}

// expectOwnOrder fails the check if a buffer tells the order of its dimensions, and a download in
// the buffer's own order has another.
func expectOwnOrder(t *check.T, b *capi.Buffer, a check.HostArray, what string) {
	order, ok := minorToMajor(t, b)
	if !ok || a.Type.IsSubByte() {
		return
	}
	got, err := readWith(t, b, nil)
	if t.NoError(err, "download of %v with host_layout null, %s", a, what) {
		expectBytes(t, permute(a.Data, a.Type.Size(), a.Dims, order), got, 0xff,
			fmt.Sprintf("download of %v with host_layout null, minor_to_major %v, %s", a, order, what))
	}
}

// columnMajor returns its argument in a layout other than the default.
const columnMajor = `module @column_major {
  func.func public @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}) {
    %0 = stablehlo.negate %a : tensor<2x3xf32>
    %1 = stablehlo.negate %0 : tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
}`

func outputLayouts(t *check.T) {
	in := upload(t, dtype.F32, dtype.Bytes(floats(6)), 2, 3)
	exe := compiled(t, `module @transposed {
  func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}`)
	check.ExpectBuffer(t, t.Run(exe, 1, in)[0], []float32{1, 4, 2, 5, 3, 6}, "row-major download of a transposed array")
	columns, err := t.TryCompile(t.Client(), columnMajor, check.Devices(1, 1))
	if err != nil {
		t.Notef("a program with a column-major result does not compile: %v", err)
		return
	}
	b := t.Run(columns, 1, in)[0]
	check.ExpectBuffer(t, b, floats(6), "row-major download of a result whose device layout is column-major")
}

func eventComesLast(t *check.T, n int) {
	want := counting(n)
	b := upload(t, dtype.U8, want, int64(n))
	for _, how := range []string{"PJRT_Event_Await returned", "PJRT_Event_IsReady said so", "the callback of PJRT_Event_OnReady ran"} {
		dst := room(t, n)
		e := check.Own(t, check.Call(t, into(b, dst)).Event)
		switch {
		case strings.Contains(how, "Await"):
			t.NoError(t.Await(e), "download")
		case strings.Contains(how, "IsReady"):
			for !t.IsReady(e) && t.Context().Err() == nil {
				runtime.Gosched()
			}
		default:
			ran := make(chan struct{}, 1)
			p := t.NewProbe(func(check.ProbeCall) {
				select {
				case ran <- struct{}{}:
				default: // called again, which is another rule
				}
			})
			check.Call(t, p.OnReady(e))
			select {
			case <-ran:
			case <-t.Context().Done():
				t.Fatalf("the callback of a download did not run before the check's time was up")
			}
		}
		// Backwards, since the last bytes are the ones that may still be under way.
		for i := n - 1; i >= 0; i -= 61 {
			if dst[i] != want[i] {
				t.Errorf("byte %d of %d when %s: expected %#02x, got %#02x", i, n, how, want[i], dst[i])
				break
			}
		}
		t.NoError(t.Await(e), "download")
		expectBytes(t, want, dst, 0xff, "the whole download")
	}
}

// dynamicBuffer returns 1, 2, 3 in a buffer for at most 8 floats.
func dynamicBuffer(t *check.T) *capi.Buffer {
	exe, err := t.TryCompile(t.Client(), `module @dynamic {
  func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
    %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
    return %0 : tensor<?xf32, #stablehlo.bounds<8>>
  }
}`, check.Devices(1, 1))
	if err != nil {
		t.SkipUnimplf("a program with a bounded dynamic result does not compile: %v", err)
	}
	return t.Run(exe, 1, check.Upload(t, t.Client(), floats(8)), upload(t, dtype.S32, dtype.Bytes([]int32{3})))[0]
}

// dynamicSecond returns two rows of 3 of at most 5 floats, or nil if the plugin makes no such
// buffer.
func dynamicSecond(t *check.T) *capi.Buffer {
	exe, err := t.TryCompile(t.Client(), `module @dynamic_second {
  func.func @main(%x: tensor<2x5xf32>, %n: tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 5>> {
    %0 = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<2x5xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 5>>
    return %0 : tensor<2x?xf32, #stablehlo.bounds<?, 5>>
  }
}`, check.Devices(1, 1))
	if err != nil {
		t.Notef("a program with a bounded second dimension does not compile: %v", err)
		return nil
	}
	return t.Run(exe, 1, check.Upload(t, t.Client(), floats(10), 2, 5), upload(t, dtype.S32, dtype.Bytes([]int32{3})))[0]
}

// tokenBuffer returns a token that a program made.
func tokenBuffer(t *check.T) *capi.Buffer {
	exe, err := t.TryCompile(t.Client(), `module @token {
  func.func @main() -> !stablehlo.token {
    %0 = stablehlo.create_token : !stablehlo.token
    return %0 : !stablehlo.token
  }
}`, check.Devices(1, 1))
	if err != nil {
		t.SkipUnimplf("a program with a token as its result does not compile: %v", err)
	}
	return t.Run(exe, 1)[0]
}

func narrowElements(t *check.T) {
	seen := 0
	for _, e := range subByteTypes(t) {
		n := 1 << e.Bits()
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i)
		}
		b, ok := uploaded(t, hostArgs(t.Client(), e, data, int64(n)))
		if !ok {
			continue
		}
		seen++
		got := t.Download(b)
		if !expectBytes(t, data, got, mask(e), "all values of "+e.String()) {
			continue
		}
		var zero, sign int
		for i, x := range got {
			if i < n/2 {
				if x != byte(i) {
					t.Errorf("%v %d: expected the byte %#02x, got %#02x", e, i, i, x)
				}
				continue
			}
			switch x {
			case byte(i):
				zero++
			case byte(i) | ^mask(e):
				sign++
			default:
				t.Errorf("%v %d: expected the byte %#02x or %#02x, got %#02x", e, i, byte(i), byte(i)|^mask(e), x)
			}
		}
		if zero > 0 && sign > 0 {
			t.Errorf("bits above the width of %v: expected one convention, got %d values with zeros and %d with ones", e, zero, sign)
		}
		if sign > 0 && !e.IsSigned() {
			t.Errorf("bits above the width of %v, which has no sign: expected zeros, got ones", e)
		}
	}
	if seen == 0 {
		t.SkipUnimplf("the plugin takes no type that is narrower than a byte")
	}
}
