// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Raw copies of a device's bytes.
var rawChecks = []check.Check{
	{Rule: "RAW-01", Run: func(t *check.T) {
		data := counting(16)
		b := upload(t, dtype.U8, data, 16)
		for offset := range 17 {
			for size := 0; offset+size <= 16; size++ {
				dst, err := rawRead(t, b, int64(offset), int64(size), size)
				if err != nil {
					t.Fatalf("copy of %d bytes at offset %d of 16: expected success, got %v", size, offset, err)
				}
				if !expectBytes(t, data[offset:offset+size], dst, 0xff, fmt.Sprintf("%d bytes at offset %d of 16", size, offset)) {
					return
				}
			}
		}
		for a := range t.Sized() {
			b, ok := uploaded(t, argsOf(t.Client(), a))
			if !ok || a.Type.IsSubByte() {
				continue // RAW-05 is about these
			}
			for _, w := range check.Windows(len(a.Data)) {
				offset, size := w[0], w[1]
				what := fmt.Sprintf("%d bytes at offset %d of %v", size, offset, a)
				dst, err := rawRead(t, b, int64(offset), int64(size), size)
				if err != nil {
					t.Fatalf("copy of %s: expected success, got %v", what, err)
				}
				if !expectBytes(t, a.Data[offset:offset+size], dst, 0xff, what) {
					return
				}
			}
			check.Destroy(t, b)
		}
		for i, d := range t.Client().Devices {
			a := check.HostArrayOf(dtype.F64, uint64(i), 33)
			args := argsOf(t.Client(), a)
			args.Device = d
			dst, err := rawRead(t, t.UploadArgs(args), 3, 257, 257)
			if err != nil {
				t.Fatalf("copy of 257 bytes at offset 3 from device %d: expected success, got %v", i, err)
			}
			expectBytes(t, a.Data[3:3+257], dst, 0xff, "257 bytes at offset 3 from device "+show(i))
		}
	}},
	{Rule: "RAW-02", Hostile: true, Run: refusedWindows([][2]int64{{8, 16}, {0, 17}, {17, 1}, {-1, 4}, {4, -1}, {16, 1}})},
	{Rule: "RAW-03", Run: func(t *check.T) {
		b := upload(t, dtype.U8, counting(16), 16)
		for offset := range int64(17) {
			if _, err := rawRead(t, b, offset, 0, 0); err != nil {
				t.Errorf("copy of no bytes at offset %d of 16: expected success, got %v", offset, err)
			}
		}
	}},
	{Rule: "RAW-04", Hostile: true, Run: refusedWindows([][2]int64{{math.MaxInt64 - 1, 4}, {8, math.MaxInt64 - 1}, {math.MaxInt64, math.MaxInt64}, {math.MaxInt64 - 7, 8}})},
	{Rule: "RAW-05", Run: func(t *check.T) {
		seen := 0
		for _, e := range subByteTypes(t) {
			data := hostBytes(e, 16)
			b, ok := uploaded(t, hostArgs(t.Client(), e, data, 16))
			if !ok {
				continue
			}
			size := int(t.SizeOnDevice(b))
			got, err := rawRead(t, b, 0, int64(size), size)
			if err != nil {
				t.Errorf("copy of all %d bytes of %v[16]: expected success, got %v", size, e, err)
				continue
			}
			if size != 16*e.Bits()/8 {
				t.Notef("%v is not packed on the device", e)
				continue
			}
			seen++
			odd, ok := uploaded(t, hostArgs(t.Client(), e, data[:15], 15))
			if part, err := rawRead(t, odd, 0, int64(size), size); ok && err == nil {
				// The unused place in the last byte may hold anything.
				low, high := pack(append(slices.Clone(data[:15]), 0), e.Bits())
				m := mask(e) << (8 - e.Bits())
				if n := size - 1; !bytes.Equal(part[:n], low[:n]) && !bytes.Equal(part[:n], high[:n]) || part[n]&^m != low[n] &&
					part[n]&^mask(e) != high[n] {
					t.Errorf("packed bytes of %v[15] with the elements %v: expected %v or %v, got %v", e, data[:15], low, high, part)
				}
			}
			low, high := pack(data, e.Bits())
			if !bytes.Equal(got, low) && !bytes.Equal(got, high) {
				t.Errorf("packed bytes of %v[16] with the elements %v: expected %v or %v, got %v", e, data, low, high, got)
			}
		}
		if seen == 0 {
			t.SkipUnimplf("the plugin packs no type that is narrower than a byte")
		}
	}},
	{Rule: "RAW-06", Run: func(t *check.T) {
		b := upload(t, dtype.U8, counting(64), 64)
		out := check.Call(t, futureArgs{Buffer: b, Offset: 8, TransferSize: 32})
		e := check.Own(t, out.Event)
		dst := filled(t, 64)
		awaiting := awaiting(t, e)
		check.Equal(t, 0, len(awaiting), "threads whose PJRT_Event_Await returned before future_ready_callback was called")
		check.Equal(t, false, t.IsReady(e), "is_ready before future_ready_callback was called")
		expectBytes(t, bytes.Repeat([]byte{0xee}, 64), dst, 0xff, "memory of the host before future_ready_callback was called")
		fulfilCopy(out, dst, capi.ErrorCodeOK, "")
		t.NoError(t.Await(e), "event of the copy")
		awaited(t, awaiting, "PJRT_Event_Await of the event of a copy, called before future_ready_callback,")
		expectBytes(t, counting(64)[8:40], dst[:32], 0xff, "32 bytes at offset 8")
		expectBytes(t, bytes.Repeat([]byte{0xee}, 32), dst[32:], 0xff, "memory behind the copy")
		for a := range t.Sized() {
			if a.Type.IsSubByte() {
				continue
			}
			b, n := upload(t, a.Type, a.Data, a.Dims...), len(a.Data)
			for _, offset := range check.Offsets(n)[:min(3, n)] {
				offset += (n - offset) / 3
				out := check.Call(t, futureArgs{Buffer: b, Offset: int64(offset), TransferSize: int64(n - offset)})
				dst := filled(t, n)
				fulfilCopy(out, dst, capi.ErrorCodeOK, "")
				t.NoError(t.Wait(out.Event), "event of the copy")
				want := slices.Concat(a.Data[offset:], bytes.Repeat([]byte{filler}, offset))
				expectBytes(t, want, dst, 0xff, fmt.Sprintf("memory after a copy of %d bytes at offset %d of %v", n-offset, offset, a))
			}
			check.Destroy(t, b)
		}
	}},
	{Rule: "RAW-07", Run: func(t *check.T) {
		b := upload(t, dtype.U8, counting(64), 64)
		out := check.Call(t, futureArgs{Buffer: b, TransferSize: 64})
		fulfilCopy(out, nil, failureCode, failureMessage)
		expectError(t, t.Wait(out.Event), failureCode, failureMessage, "event of a copy whose destination failed")
	}},
	{Rule: "RAW-08", Run: func(t *check.T) {
		b := upload(t, dtype.U8, counting(64), 64)
		const n = 8
		var outs [n]futureArgs
		seen := make(map[uintptr]bool)
		for i := range outs {
			outs[i] = check.Call(t, futureArgs{Buffer: b, Offset: int64(8 * i), TransferSize: 8})
			if outs[i].FutureReadyCallback == 0 {
				t.Fatalf("PJRT_Buffer_CopyRawToHostFuture: success without a callback")
			}
			if seen[outs[i].CallbackData] {
				t.Errorf("callback_data of copy %d: it is that of another copy that waits", i+1)
			}
			seen[outs[i].CallbackData] = true
			check.Own(t, outs[i].Event)
		}
		if t.Failed() {
			return // a second use of the same data would be the client's fault
		}
		for i := n - 1; i >= 0; i-- {
			dst := room(t, 8)
			fulfilCopy(outs[i], dst, capi.ErrorCodeOK, "")
			t.NoError(t.Await(outs[i].Event), "event of a copy")
			expectBytes(t, counting(64)[8*i:8*i+8], dst, 0xff, "copy "+show(i)+" of 8 that were fulfilled last first")
		}
	}},
	{Rule: "RAW-09", Hostile: true, Run: func(t *check.T) {
		const n = 1 << 16
		b := upload(t, dtype.U8, counting(n), n)
		out := check.Call(t, futureArgs{Buffer: b, TransferSize: n})
		check.Destroy(t, b)
		check.Destroy(t, upload(t, dtype.U8, make([]byte, n), n))
		dst := room(t, n)
		fulfilCopy(out, dst, capi.ErrorCodeOK, "")
		if err := t.Wait(out.Event); err != nil {
			t.Fatalf("copy of a buffer that was destroyed before future_ready_callback was called: expected success, got %v", err)
		}
		expectBytes(t, counting(n), dst, 0xff, "copy of a buffer that was destroyed before future_ready_callback was called")
	}},
	{Rule: "RAW-10", Hostile: true, Run: func(t *check.T) {
		b := upload(t, dtype.U8, counting(16), 16)
		out := check.Call(t, futureArgs{Buffer: b, TransferSize: 16})
		e := check.Own(t, out.Event)
		dst := filled(t, 32)
		out.FutureReadyCallback.Call(&capi.BufferCopyRawToHostFutureCallbackArgs{StructSize: 8, CallbackData: out.CallbackData,
			Dst: check.Pointer(dst)})
		if soon(t, e) {
			t.ErrorCode(t.Await(e), "event of a copy whose callback got a struct_size of 8")
		}
		expectBytes(t, bytes.Repeat([]byte{0xee}, 32), dst, 0xff, "memory of the host after a callback with a struct_size of 8")
	}},
	{Rule: "RAW-11", Run: func(t *check.T) {
		b := upload(t, dtype.U8, counting(16), 16)
		out := check.Call(t, futureArgs{Buffer: b, TransferSize: 16})
		dst := room(t, 16)
		done := begin(func() { fulfilCopy(out, dst, capi.ErrorCodeOK, "") })
		<-done
		if err := t.Wait(out.Event); err != nil {
			t.Fatalf("copy whose callback was called in another thread: expected success, got %v", err)
		}
		expectBytes(t, counting(16), dst, 0xff, "copy whose callback was called in another thread")
	}},
}

// rawRead copies a window of a buffer's bytes into n bytes.
func rawRead(t *check.T, b *capi.Buffer, offset, size int64, n int) ([]byte, error) {
	dst := bytes.Repeat([]byte{0xee}, n+8) // an address even for no bytes
	t.Keep(dst)
	out, err := check.Try(t, rawArgs{Buffer: b, Dst: check.Pointer(dst), Offset: offset, TransferSize: size})
	if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
		check.Call(t, rawArgs{Buffer: b, Dst: check.Pointer(dst), Offset: offset, TransferSize: size}) // skips
	}
	if err != nil {
		return nil, err
	}
	if out.Event == nil {
		t.Fatalf("PJRT_Buffer_CopyRawToHost: success without an event")
	}
	if err := t.Wait(out.Event); err != nil {
		return nil, err
	}
	expectBytes(t, bytes.Repeat([]byte{0xee}, 8), dst[n:], 0xff, fmt.Sprintf("memory behind a copy of %d bytes at offset %d", size, offset))
	return dst[:n], nil
}

func refusedWindows(windows [][2]int64) func(*check.T) {
	return func(t *check.T) {
		b := upload(t, dtype.U8, counting(16), 16)
		if _, err := rawRead(t, b, 0, 16, 16); err != nil {
			t.Fatalf("copy of all 16 bytes: expected success, got %v", err)
		}
		for _, w := range windows {
			dst := filled(t, 64)
			out, err := check.Try(t, rawArgs{Buffer: b, Dst: check.Pointer(dst), Offset: w[0], TransferSize: w[1]})
			if err == nil && out.Event != nil {
				err = t.Wait(out.Event)
			}
			what := fmt.Sprintf("copy of %d bytes at offset %d of 16", w[1], w[0])
			t.ErrorCode(err, what, capi.ErrorCodeInvalidArgument)
			expectBytes(t, bytes.Repeat([]byte{0xee}, 64), dst, 0xff, "memory of the host after a "+what)
		}
	}
}

// pack puts several elements into each byte, the first one into the low bits or into
// the high bits.
func pack(data []byte, bits int) (low, high []byte) {
	per := 8 / bits
	for at := 0; at < len(data); at += per {
		var l, h byte
		for i := range per {
			l |= data[at+i] << (i * bits)
			h |= data[at+i] << ((per - 1 - i) * bits)
		}
		low, high = append(low, l), append(high, h)
	}
	return low, high
}

// fulfilCopy gives a copy its destination, or the error that there is none.
func fulfilCopy(out futureArgs, dst []byte, code capi.ErrorCode, message string) {
	args := &capi.BufferCopyRawToHostFutureCallbackArgs{
		StructSize: capi.BufferCopyRawToHostFutureCallbackArgsSize, CallbackData: out.CallbackData, ErrorCode: code, Dst: check.Pointer(dst),
	}
	args.ErrorMessage, args.ErrorMessageSize = check.Message(message)
	out.FutureReadyCallback.Call(args)
}
