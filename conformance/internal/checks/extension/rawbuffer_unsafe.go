// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// alias makes a raw buffer from a buffer. end destroys it.
func alias(t *check.T, b *capi.Buffer) (raw *capi.RawBuffer, end func()) {
	raw = check.Call(t, capi.RawBufferCreateRawAliasOfBufferArgs{Buffer: b}).RawBuffer
	if raw == nil {
		t.Fatalf("PJRT_RawBuffer_CreateRawAliasOfBuffer: success without a raw buffer")
	}
	return raw, func() { check.Call(t, capi.RawBufferDestroyArgs{Buffer: raw}) }
}

// rawRead reads a window of a raw buffer.
func rawRead(t *check.T, raw *capi.RawBuffer, offset, size int64) ([]byte, error) {
	whole := bytes.Repeat([]byte{check.Canary}, int(max(size, 0))+canaries)
	t.Keep(whole)
	dst := whole[:max(size, 0)]
	out, err := check.Try(t, capi.RawBufferCopyRawDeviceToHostArgs{Buffer: raw, Dst: check.Pointer(dst), Offset: offset,
		TransferSize: size})
	if err == nil {
		err = t.Wait(out.Event)
	}
	if behind := whole[len(dst):]; !bytes.Equal(behind, bytes.Repeat([]byte{check.Canary}, canaries)) {
		t.Errorf("reading %d bytes at %d of a raw buffer: the memory behind them was overwritten, with %x", size, offset, behind)
	}
	return dst, err
}

// canaries is how many bytes after those that are read are checked.
const canaries = 16

// rawWrite writes a window of a raw buffer.
func rawWrite(t *check.T, raw *capi.RawBuffer, offset int64, data []byte) error {
	t.Keep(data)
	out, err := check.Try(t, capi.RawBufferCopyRawHostToDeviceArgs{Buffer: raw, Src: check.Pointer(data), Offset: offset,
		TransferSize: int64(len(data))})
	if err == nil {
		err = t.Wait(out.Event)
	}
	return err
}

// mustWrite is rawWrite for a write that must succeed.
func mustWrite(t *check.T, raw *capi.RawBuffer, offset int64, data []byte) {
	if err := rawWrite(t, raw, offset, data); err != nil {
		t.Fatalf("writing %d bytes at %d: expected success, got %v", len(data), offset, err)
	}
}

// count returns n bytes: 1, 2, 3 and so on.
func count(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i + 1)
	}
	return b
}

// windows are ranges within 16 bytes, and beyond are ranges that are not within them.
var (
	windows = [][2]int64{{0, 16}, {0, 1}, {15, 1}, {3, 9}, {8, 8}}
	beyond  = [][2]int64{{8, 9}, {16, 1}, {0, 17}, {-1, 4}, {1 << 40, 4}}
)

var rawBufferChecks = []check.Check{
	{Rule: "XRAW-01", Run: func(t *check.T) {
		c := t.Client()
		b := check.Upload(t, c, []float32{1, 2, 3, 4})
		raw, end := alias(t, b)
		defer end()
		data, err := rawRead(t, raw, 0, 16)
		if err != nil {
			t.Fatalf("reading a raw buffer: expected success, got %v", err)
		}
		if want := t.Download(b); !bytes.Equal(want, data) {
			t.Errorf("bytes of the raw buffer: expected those of the buffer, %x, got %x", want, data)
		}
		mustWrite(t, raw, 4, []byte{0, 0, 0xe0, 0x40}) // 7
		check.ExpectBuffer(t, b, []float32{1, 7, 3, 4}, "a buffer that was written through its alias")
		out := t.Run(t.Compile(c, check.AddOne), 1, b)
		check.ExpectBuffer(t, out[0], []float32{2, 8, 4, 5}, "an execution on a buffer that was written through its alias")
	}},
	{Rule: "XRAW-02", Run: func(t *check.T) {
		var all []*capi.RawBuffer
		for _, n := range []int{1, 3, 100} {
			raw, end := alias(t, check.Upload(t, t.Client(), make([]float32, n)))
			defer end()
			all = append(all, raw)
		}
		check.Steady[capi.RawBufferGetOnDeviceSizeInBytesArgs](t, "alias", all, nil)
		for _, n := range []int{1, 3, 100} {
			b := check.Upload(t, t.Client(), make([]float32, n))
			raw, end := alias(t, b)
			want := check.Optional(t, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b}).OnDeviceSizeInBytes
			check.Equal(t, want, check.Call(t, capi.RawBufferGetOnDeviceSizeInBytesArgs{Buffer: raw}).OnDeviceSizeInBytes,
				"on_device_size_in_bytes of the alias of %d floats", n)
			end()
		}
	}},
	{Rule: "XRAW-03", Run: func(t *check.T) {
		var all []*capi.RawBuffer
		var memories []*capi.Memory
		for _, d := range t.Client().Devices {
			b := check.UploadTo(t, t.Client(), d, []float32{1, 2, 3, 4})
			raw, end := alias(t, b)
			defer end()
			all, memories = append(all, raw), append(memories, check.Optional(t, capi.BufferMemoryArgs{Buffer: b}).Memory)
		}
		check.Steady[capi.RawBufferGetMemorySpaceArgs](t, "alias", all, nil)
		for i, raw := range all {
			check.Equal(t, memories[i], check.Call(t, capi.RawBufferGetMemorySpaceArgs{Buffer: raw}).MemorySpace,
				"memory of the alias on device %d", i)
		}
	}},
	{Rule: "XRAW-04", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		looked := 0
		var all []*capi.RawBuffer
		for i, m := range slices.Concat(c.Memories, c.Memories) {
			args := check.HostArgs(c, []float32{1, 2, 3, float32(i)})
			args.Device, args.Memory = nil, m
			b, err := t.TryUpload(args)
			if err != nil {
				continue
			}
			raw, end := alias(t, b)
			defer end()
			all = append(all, raw)
		}
		check.Steady[capi.RawBufferGetHostPointerArgs](t, "alias", all, nil)
		for _, raw := range all {
			if p := check.Call(t, capi.RawBufferGetHostPointerArgs{Buffer: raw}).HostPointer; p != nil {
				looked++
				data, err := rawRead(t, raw, 0, 16)
				if got := check.MemoryAt(uintptr(p), 16); err != nil || !bytes.Equal(data, got) {
					t.Errorf("16 bytes at the host pointer: expected %x, got %x (%v)", data, got, err)
				}
			}
		}
		if looked == 0 {
			t.SkipUnimplf("none of %d memories is visible to the host", len(c.Memories))
		}
	}},
	{Rule: "XRAW-05", Hostile: true, Run: func(t *check.T) {
		for _, w := range windows {
			b := check.Upload(t, t.Client(), make([]uint8, 16))
			raw, end := alias(t, b)
			want := make([]byte, 16)
			copy(want[w[0]:], count(int(w[1])))
			mustWrite(t, raw, w[0], count(int(w[1])))
			check.ExpectBuffer(t, b, want, fmt.Sprintf("after %d bytes were written at %d", w[1], w[0]))
			end()
		}
		for a, b := range sizedBuffers(t) {
			raw, end := alias(t, b)
			want := slices.Clone(a.Data)
			for at, w := range check.Windows(len(want)) {
				part := check.Values(dtype.U8, w[1], uint64(at))
				copy(want[w[0]:], part)
				mustWrite(t, raw, int64(w[0]), part)
			}
			end()
			if got := t.Download(b); !bytes.Equal(want, got) {
				at := check.DiffersAt(want, got)
				t.Errorf("byte %d of %v after parts of it were written: expected %#02x, got %#02x", at, a, want[at], got[at])
			}
		}
		refusesBeyond(t, func(raw *capi.RawBuffer, offset, size int64) error { return rawWrite(t, raw, offset, count(int(size))) })
	}},
	{Rule: "XRAW-06", Hostile: true, Run: func(t *check.T) {
		b := check.Upload(t, t.Client(), count(16))
		raw, end := alias(t, b)
		for _, w := range windows {
			got, err := rawRead(t, raw, w[0], w[1])
			if want := count(16)[w[0] : w[0]+w[1]]; err != nil || !bytes.Equal(want, got) {
				t.Errorf("reading %d bytes at %d: expected %x, got %x (%v)", w[1], w[0], want, got, err)
			}
		}
		end()
		for a, b := range sizedBuffers(t) {
			raw, end := alias(t, b)
			for _, w := range check.Windows(len(a.Data)) {
				got, err := rawRead(t, raw, int64(w[0]), int64(w[1]))
				want := a.Data[w[0] : w[0]+w[1]]
				if err != nil {
					t.Errorf("reading %d bytes at %d of %v: expected success, got %v", w[1], w[0], a, err)
				} else if at := check.DiffersAt(want, got); at >= 0 {
					t.Errorf("reading %d bytes at %d of %v: byte %d: expected %#02x, got %#02x", w[1], w[0], a, at, want[at], got[at])
				}
			}
			end()
		}
		refusesBeyond(t, func(raw *capi.RawBuffer, offset, size int64) error {
			_, err := rawRead(t, raw, offset, size)
			return err
		})
	}},
	{Rule: "XRAW-07", Hostile: true, Run: func(t *check.T) {
		b := check.Upload(t, t.Client(), []float32{1, 2, 3, 4})
		_, end := alias(t, b)
		end()
		check.ExpectBuffer(t, b, []float32{1, 2, 3, 4}, "a buffer whose alias was destroyed")
		raw, end := alias(t, b)
		check.Destroy(t, b)
		data, err := rawRead(t, raw, 0, 16)
		if want := []byte{0, 0, 0x80, 0x3f}; err != nil || !bytes.Equal(want, data[:4]) {
			t.Errorf("the alias of a destroyed buffer: expected %x in front, got %x (%v)", want, data, err)
		}
		end()
		aliasesApart(t)
	}},
	{Rule: "XRAW-08", Hostile: true, Run: func(t *check.T) {
		if t.Minor() < 112 {
			t.SkipAbsentf("raw buffers have a function table since API 0.112, but the plugin has 0.%d", t.Minor())
		}
		b := check.Upload(t, t.Client(), []float32{1, 2, 3, 4})
		raw, end := alias(t, b)
		defer end()
		v := raw.Vtable
		if v == nil || v.StructSize < unsafe.Offsetof(v.CopyRawHostToDeviceAndReturnEvent) {
			t.Fatalf("expected a function table, got %+v", v)
		}
		check.Equal(t, check.Call(t, capi.RawBufferGetOnDeviceSizeInBytesArgs{Buffer: raw}).OnDeviceSizeInBytes,
			v.GetOnDeviceSizeInBytes.Call(raw), "size, by the function table")
		check.Equal(t, check.Call(t, capi.RawBufferGetMemorySpaceArgs{Buffer: raw}).MemorySpace, v.GetMemorySpace.Call(raw),
			"memory, by the function table")
		check.Equal(t, check.Call(t, capi.RawBufferGetHostPointerArgs{Buffer: raw}).HostPointer, v.GetHostPointer.Call(raw),
			"host pointer, by the function table")
	}},
}

// sizedBuffers uploads the arrays of T.Sized whose bytes on the device are those on the host.
func sizedBuffers(t *check.T) iter.Seq2[check.HostArray, *capi.Buffer] {
	return func(yield func(check.HostArray, *capi.Buffer) bool) {
		for a := range t.Sized() {
			if a.Type.IsSubByte() {
				continue
			}
			args := check.HostArgs(t.Client(), a.Data, a.Dims...)
			args.Type = capi.BufferType(a.Type)
			b, err := t.TryUpload(args)
			if err != nil {
				if a.Type == dtype.F32 {
					t.Fatalf("uploading %v: expected success, got %v", a, err)
				}
				continue
			}
			more := yield(a, b)
			if check.Destroy(t, b); !more {
				return
			}
		}
	}
}

// aliasesApart makes several aliases of one buffer and one of another, and destroys some of them.
func aliasesApart(t *check.T) {
	b := check.Upload(t, t.Client(), []uint8{1, 2, 3, 4})
	other := check.Upload(t, t.Client(), []uint8{5, 6, 7, 8})
	first, endFirst := alias(t, b)
	second, endSecond := alias(t, b)
	third, endThird := alias(t, other)
	mustWrite(t, first, 1, []byte{20})
	expect := func(raw *capi.RawBuffer, want []byte, what string) {
		if got, err := rawRead(t, raw, 0, int64(len(want))); err != nil || !bytes.Equal(want, got) {
			t.Errorf("%s: expected %v, got %v (%v)", what, want, got, err)
		}
	}
	expect(second, []byte{1, 20, 3, 4}, "the second alias of a buffer that was written through the first")
	endFirst()
	expect(second, []byte{1, 20, 3, 4}, "the second alias of a buffer whose first alias was destroyed")
	expect(third, []byte{5, 6, 7, 8}, "the alias of a buffer, when one of another buffer was destroyed")
	mustWrite(t, second, 2, []byte{30})
	endSecond()
	expect(third, []byte{5, 6, 7, 8}, "the alias of a buffer, when all of another buffer were destroyed")
	endThird()
	check.ExpectBuffer(t, b, []uint8{1, 20, 30, 4}, "a buffer that was written through two aliases")
	check.ExpectBuffer(t, other, []uint8{5, 6, 7, 8}, "a buffer that was not written")
}

// refusesBeyond fails the check for transfers beyond the end that are accepted.
func refusesBeyond(t *check.T, transfer func(raw *capi.RawBuffer, offset, size int64) error) {
	raw, end := alias(t, check.Upload(t, t.Client(), count(16)))
	defer end()
	size := int64(check.Call(t, capi.RawBufferGetOnDeviceSizeInBytesArgs{Buffer: raw}).OnDeviceSizeInBytes)
	for _, w := range beyond {
		w[1] += size - 16
		if w[1] > 1<<20 {
			continue
		}
		t.ErrorCode(transfer(raw, w[0], w[1]), fmt.Sprintf("a transfer of %d bytes at %d of a raw buffer of %d", w[1], w[0], size))
	}
}

// allocate allocates host memory.
func allocate(t *check.T, size uintptr) (*capi.HostMemoryAllocatorAllocateArgs, error) {
	out, err := check.Try(t, capi.HostMemoryAllocatorAllocateArgs{Client: t.Client().Handle, Size: size, NumaNode: -1})
	return &out, err
}

func free(a *capi.HostMemoryAllocatorAllocateArgs) {
	if a.Ptr != nil && a.Deleter != 0 {
		a.Deleter.Call(unsafe.Pointer(a.Ptr), a.DeleterArg)
	}
}

// allocationsApart has several allocations at a time, of which some have equal sizes, and frees
// them in another order. Each must keep what was written to it.
func allocationsApart(t *check.T) {
	var list []*capi.HostMemoryAllocatorAllocateArgs
	var want [][]byte
	for i, size := range []uintptr{64, 64, 1, 4096, 64, 5000, 4096, 100000} {
		a := check.Call(t, capi.HostMemoryAllocatorAllocateArgs{Client: t.Client().Handle, Size: size, NumaNode: -1})
		if a.Ptr == nil {
			t.Fatalf("an allocation of %d bytes: success without memory", size)
		}
		list, want = append(list, &a), append(want, check.Values(dtype.U8, int(size), uint64(i)))
		copy(unsafe.Slice(a.Ptr, size), want[i])
	}
	freed := make(map[int]bool)
	expect := func(when string) {
		for i, a := range list {
			if at := check.DiffersAt(want[i], unsafe.Slice(a.Ptr, a.Size)); !freed[i] && at >= 0 {
				t.Fatalf("byte %d of allocation %d of %d, of %d bytes, %s: expected %#02x, got another",
					at, i, len(list), a.Size, when, want[i][at])
			}
		}
	}
	expect("after all were written")
	for _, i := range []int{4, 0, 7, 1, 3, 6, 2, 5} {
		freed[i] = true
		free(list[i])
		expect(fmt.Sprintf("after allocation %d was freed", i))
	}
}

var hostMemoryChecks = []check.Check{
	{Rule: "XHMA-01", Hostile: true, Run: func(t *check.T) {
		for _, size := range []uintptr{1, 4096, 1 << 20} {
			a := check.Call(t, capi.HostMemoryAllocatorAllocateArgs{Client: t.Client().Handle, Size: size, NumaNode: -1})
			if a.Ptr == nil {
				t.Fatalf("an allocation of %d bytes: success without memory", size)
			}
			if a.Deleter == 0 {
				t.Errorf("an allocation of %d bytes has no deleter", size)
			}
			memory := unsafe.Slice(a.Ptr, size)
			for i := range memory {
				memory[i] = byte(i)
			}
			if memory[size-1] != byte(size-1) {
				t.Errorf("the last of %d bytes does not have the value that was written", size)
			}
			free(&a)
		}
		allocationsApart(t)
		const large = 16 << 10
		t.Flat(20000, large/4, "an allocation of 16 KiB that is freed", func() {
			a := check.Call(t, capi.HostMemoryAllocatorAllocateArgs{Client: t.Client().Handle, Size: large, NumaNode: -1})
			memory := unsafe.Slice(a.Ptr, large)
			for i := 0; i < large; i += 4096 {
				memory[i] = 1
			}
			free(&a)
		})
	}},
	{Rule: "XHMA-02", Hostile: true, Run: func(t *check.T) {
		for _, size := range []uintptr{0, 1 << 62} {
			a, err := allocate(t, size)
			if err == nil && size > 0 && a.Ptr != nil {
				t.Errorf("an allocation of %d bytes: expected an error, got memory at %p", size, a.Ptr)
			}
			if err == nil {
				free(a)
			}
		}
		a := check.Call(t, capi.HostMemoryAllocatorAllocateArgs{Client: t.Client().Handle, Size: 64, NumaNode: -1})
		free(&a)
	}},
	{Rule: "XHMA-03", Run: func(t *check.T) {
		const n = 1 << 10
		a := check.Call(t, capi.HostMemoryAllocatorAllocateArgs{Client: t.Client().Handle, Size: 4 * n, NumaNode: -1})
		defer free(&a)
		data := unsafe.Slice((*float32)(unsafe.Pointer(a.Ptr)), n)
		for i := range data {
			data[i] = float32(i)
		}
		b := check.Upload(t, t.Client(), data)
		want := slices.Clone(data)
		check.ExpectBuffer(t, b, want, "an upload from memory of the allocator")
		clear(data)
		layout := check.RowMajor(1)
		out := check.Call(t, capi.BufferToHostBufferArgs{Src: b, HostLayout: layout, Dst: unsafe.Pointer(a.Ptr), DstSize: 4 * n})
		if err := t.Wait(out.Event); err != nil {
			t.Fatalf("a download to memory of the allocator: expected success, got %v", err)
		}
		for i, x := range data {
			if x != want[i] {
				t.Fatalf("element %d of a download to memory of the allocator: expected %v, got %v", i, want[i], x)
			}
		}
	}},
}
