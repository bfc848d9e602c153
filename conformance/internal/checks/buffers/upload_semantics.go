// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"bytes"
	"fmt"
	"runtime"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Who owns the host memory, and when.
var uploadSemanticsChecks = []check.Check{
	{Rule: "H2D-08", Run: func(t *check.T) {
		overwriteSource(t, duringCall, 4, 64, 1<<10, 1<<16, 1<<20, 4<<20)
		everySize(t, duringCall)
	}},
	{Rule: "H2D-08", Variant: "large", Profile: check.Core, Run: func(t *check.T) { overwriteSource(t, duringCall, 64<<20) }},
	{Rule: "H2D-09", Run: func(t *check.T) {
		overwriteSource(t, untilDone, 4, 64, 1<<10, 1<<16, 1<<20, 4<<20)
		everySize(t, untilDone)
	}},
	{Rule: "H2D-09", Variant: "large", Profile: check.Core, Run: func(t *check.T) { overwriteSource(t, untilDone, 64<<20) }},
	{Rule: "H2D-10", Run: func(t *check.T) {
		for _, n := range []int{4, 64, 1 << 10, 4 << 20} {
			_, _, done := transfer(t, n, capi.HostBufferSemanticsImmutableUntilTransferCompletes)
			becomesReady(t, done, "done_with_host_buffer becomes ready while the buffer lives")
			t.NoError(t.Await(done), "done_with_host_buffer of a buffer that lives")
		}
	}},
	{Rule: "H2D-11", Run: func(t *check.T) {
		zeroCopy(t, capi.HostBufferSemanticsImmutableZeroCopy)
		everySize(t, capi.HostBufferSemanticsImmutableZeroCopy)
	}},
	{Rule: "H2D-12", Run: func(t *check.T) {
		data, out := donateHostMemory(t, capi.HostBufferSemanticsImmutableZeroCopy)
		check.ExpectBuffer(t, out, []float32{2, 4, 6, 8}, "output of a program that the buffer was donated to")
		expectBytes(t, dtype.Bytes(floats(4)), dtype.Bytes(data), 0xff, "memory of the host, which the runtime may not change, after that")
	}},
	{Rule: "H2D-13", Run: zeroCopyInFlight},
	{Rule: "H2D-14", Run: func(t *check.T) {
		if t.Minor() < 48 {
			t.SkipAbsentf("kMutableZeroCopy came with API 0.48, but the plugin has API 0.%d", t.Minor())
		}
		zeroCopy(t, capi.HostBufferSemanticsMutableZeroCopy)
		everySize(t, capi.HostBufferSemanticsMutableZeroCopy)
	}},
	{Rule: "H2D-15", Run: func(t *check.T) {
		if t.Minor() < 48 {
			t.SkipAbsentf("kMutableZeroCopy came with API 0.48, but the plugin has API 0.%d", t.Minor())
		}
		data, out := donateHostMemory(t, capi.HostBufferSemanticsMutableZeroCopy)
		check.ExpectBuffer(t, out, []float32{2, 4, 6, 8}, "output of a program that the buffer was donated to")
		switch {
		case bytes.Equal(dtype.Bytes(data), dtype.Bytes([]float32{2, 4, 6, 8})):
			t.Notef("the output lies in the memory of the host")
		case bytes.Equal(dtype.Bytes(data), dtype.Bytes(floats(4))):
			t.Notef("the memory of the host was not written")
		default:
			t.Errorf("memory of the host after donation: expected the input or the output, got %v", data)
		}
	}},
	{Rule: "H2D-28", Profile: check.Full, Timeout: 5 * time.Minute, Hostile: true, Run: beyond32Bits},
	{Rule: "H2D-29", Run: func(t *check.T) {
		exe := compiled(t, `module @sum {
  func.func @main(%a: tensor<1048576xf32>, %b: tensor<1048576xf32>) -> tensor<1048576xf32> {
    %0 = stablehlo.add %a, %b : tensor<1048576xf32>
    return %0 : tensor<1048576xf32>
  }
}`)
		data := floats(1 << 20)
		t.Keep(data)
		var in [2]*capi.Buffer
		for i := range in {
			args := check.HostArgs(t.Client(), data)
			args.HostBufferSemantics = capi.HostBufferSemanticsImmutableUntilTransferCompletes
			out := check.Call(t, args)
			in[i] = check.Own(t, out.Buffer)
			check.Own(t, out.DoneWithHostBuffer)
		}
		out, _ := started(t, exe, in[0], in[1])
		want := make([]float32, len(data))
		for i, x := range data {
			want[i] = 2 * x
		}
		check.ExpectBuffer(t, out, want, "sum of two uploads that were not waited for")
	}},
}

// transfer starts the upload of n varied bytes. The check owns the buffer and
// the event, and keeps the memory.
func transfer(t *check.T, n int, semantics capi.HostBufferSemantics) ([]byte, *capi.Buffer, *capi.Event) {
	return transferAs(t, t.Client().Devices[0], dtype.U8, n, 0, semantics)
}

// transferAs is like transfer, but to a device and of a type. salt varies the bytes.
func transferAs(t *check.T, d *capi.Device, e dtype.Type, n int, salt byte, semantics capi.HostBufferSemantics) ([]byte, *capi.Buffer,
	*capi.Event) {
	data := check.Aligned(n, 4096, 0)
	t.Keep(data)
	copy(data, salted(n, salt))
	args := hostArgs(t.Client(), e, data, int64(n/e.Size()))
	args.Device = d
	args.HostBufferSemantics = semantics
	out := check.Call(t, args)
	if out.Buffer == nil || out.DoneWithHostBuffer == nil {
		t.Fatalf("PJRT_Client_BufferFromHostBuffer: success without a buffer or without done_with_host_buffer")
	}
	return data, check.Own(t, out.Buffer), check.Own(t, out.DoneWithHostBuffer)
}

// salted returns counting(n) with the bits of salt inverted in each byte.
func salted(n int, salt byte) []byte {
	data := counting(n)
	for i := range data {
		data[i] ^= salt
	}
	return data
}

func spoil(data []byte) {
	for i := range data {
		data[i] = 0xff
	}
}

// When the caller may overwrite memory.
const (
	duringCall = capi.HostBufferSemanticsImmutableOnlyDuringCall
	untilDone  = capi.HostBufferSemanticsImmutableUntilTransferCompletes
)

// overwriteSource uploads to every device, several arrays at a time, and overwrites the
// memory of each as soon as it may. A plugin that reads too late shows after a while.
func overwriteSource(t *check.T, semantics capi.HostBufferSemantics, sizes ...int) {
	type upload struct {
		data []byte
		b    *capi.Buffer
		done *capi.Event
		want []byte
		what string
	}
	for _, n := range sizes {
		devices, types := t.Client().Devices, []dtype.Type{dtype.U8, dtype.S32, dtype.F64}
		if n >= 1<<20 { // the large size is the point here
			devices, types = devices[:1], types[:2]
		}
		var list []upload
		for i, d := range devices {
			for j, e := range types {
				if n%e.Size() != 0 {
					continue
				}
				salt := byte(16*i + j)
				data, b, done := transferAs(t, d, e, n, salt, semantics)
				what := fmt.Sprintf("%d bytes of %v on device %d, whose memory was overwritten when that was allowed", n, e, i)
				if semantics == duringCall {
					spoil(data)
				}
				list = append(list, upload{data: data, b: b, done: done, want: salted(n, salt), what: what})
			}
		}
		for _, u := range list {
			if semantics != duringCall { // otherwise done_with_host_buffer has nothing to add
				t.NoError(t.Await(u.done), "done_with_host_buffer")
				spoil(u.data)
			}
		}
		time.Sleep(while / 6)
		for _, u := range list {
			expectBytes(t, u.want, t.Download(u.b), 0xff, u.what)
			check.Destroy(t, u.b)
		}
	}
}

// soon reports whether an event becomes ready within while.
func soon(t *check.T, e *capi.Event) bool { return t.Soon(while, func() bool { return t.IsReady(e) }) }

// zeroCopy lets a plugin use the memory or copy it. Either may take time, so the check
// tests what done_with_host_buffer says: memory that is free can be overwritten.
func zeroCopy(t *check.T, semantics capi.HostBufferSemantics) {
	for _, n := range []int{64, 1 << 20} {
		data, b, done := transfer(t, n, semantics)
		what := show(n) + " bytes with " + semantics.String()
		free := soon(t, done)
		if !free {
			expectBytes(t, counting(n), t.Download(b), 0xff, what)
			free = t.IsReady(done) // a copy may take its time
		}
		if free {
			t.Notef("%s were copied", what)
			spoil(data)
			expectBytes(t, counting(n), t.Download(b), 0xff, what+", overwritten when done_with_host_buffer was ready")
			check.Destroy(t, b)
			continue
		}
		t.Notef("%s are used where they are", what)
		check.Destroy(t, b)
		becomesReady(t, done, "done_with_host_buffer becomes ready after the buffer was destroyed")
		t.NoError(t.Await(done), "done_with_host_buffer of a buffer that was destroyed")
	}
}

// everySize uploads arrays of all sizes and widths from memory that is aligned, so that a plugin
// may use it in place, and from memory that is not. The memory is overwritten when that is
// allowed.
func everySize(t *check.T, semantics capi.HostBufferSemantics) {
	offset := 0
	for a := range t.Sized() {
		offset = (offset + a.Type.Size()) % 64
		for _, at := range []int{0, offset} {
			data := check.Aligned(len(a.Data), 64, at)
			t.Keep(data)
			copy(data, a.Data)
			args := hostArgs(t.Client(), a.Type, data, a.Dims...)
			args.HostBufferSemantics = semantics
			out, err := check.Try(t, args)
			if declined(err) {
				t.Notef("%v with %v from an address that is %d off is refused: %v", a, semantics, at, err)
				continue
			} else if err != nil {
				t.Errorf("%v with %v from an address that is %d off: expected success, INVALID_ARGUMENT or UNIMPLEMENTED, got %v", a,
					semantics, at, err)
				return
			}
			b, done := check.Own(t, out.Buffer), check.Own(t, out.DoneWithHostBuffer)
			if semantics == duringCall || semantics == untilDone && t.Await(done) == nil {
				spoil(data)
			}
			if !expectArray(t, b, a, fmt.Sprintf("with %v from an address that is %d off", semantics, at)) {
				return
			}
			check.Destroy(t, b)
			t.NoError(t.Await(done), "done_with_host_buffer of a buffer that was destroyed")
			check.Destroy(t, done)
		}
	}
}

// donateHostMemory gives an upload of four floats to a program that doubles
// them in place.
func donateHostMemory(t *check.T, semantics capi.HostBufferSemantics) ([]float32, *capi.Buffer) {
	exe := compiled(t, check.Donate)
	data := alignedFloats(t, 4)
	args := check.HostArgs(t.Client(), data)
	args.HostBufferSemantics = semantics
	in := check.Call(t, args)
	check.Own(t, in.DoneWithHostBuffer)
	return data, t.Run(exe, 1, check.Own(t, in.Buffer))[0]
}

func zeroCopyInFlight(t *check.T) {
	exe := compiled(t, check.Add)
	data := alignedFloats(t, 4)
	args := check.HostArgs(t.Client(), data)
	args.HostBufferSemantics = capi.HostBufferSemanticsImmutableZeroCopy
	in := check.Call(t, args)
	check.Own(t, in.Buffer)
	done := check.Own(t, in.DoneWithHostBuffer)
	pending := newPending(t)
	out, event := waiting(t, exe, in.Buffer, pending.Buffer)
	check.Destroy(t, in.Buffer)
	if soon(t, done) {
		t.Notef("done_with_host_buffer was ready before the execution")
		copy(data, sevens(4))
	}
	pending.Fulfil()
	t.NoError(t.Await(event), "event of the execution")
	check.ExpectBuffer(t, out, []float32{2, 4, 6, 8}, "sum with a buffer that was destroyed, and its memory overwritten when done_with_host_buffer allowed it, while the execution waited")
	becomesReady(t, done, "done_with_host_buffer becomes ready after the execution")
	t.NoError(t.Await(done), "done_with_host_buffer after the execution")
}

// beyond32Bits lets the plugin use the memory in place, if it can: there may be no room
// for two copies.
func beyond32Bits(t *check.T) {
	const edge = 1 << 32
	size := uint64(edge + 64)
	if uint64(^uintptr(0)) < size {
		t.SkipEnvf("the addresses of this machine have 32 bits")
	}
	data := check.Aligned(int(size), 4096, 0)
	t.Keep(data)
	for i := -8; i < 8; i++ {
		data[edge+i] = byte(100 + i)
	}
	args := hostArgs(t.Client(), dtype.U8, data, int64(size))
	args.HostBufferSemantics = capi.HostBufferSemanticsImmutableZeroCopy
	out, err := check.Try(t, args)
	if code := capi.CodeOf(err); code == capi.ErrorCodeResourceExhausted {
		t.SkipEnvf("there is no room for %d bytes: %v", size, err)
	}
	if err != nil {
		t.Fatalf("upload of %d bytes: expected success, got %v", size, err)
	}
	check.Own(t, out.DoneWithHostBuffer)
	b := check.Own(t, out.Buffer)
	if err := t.Await(t.Ready(b)); capi.CodeOf(err) == capi.ErrorCodeResourceExhausted {
		t.SkipEnvf("there is no room for %d bytes: %v", size, err)
	} else if err != nil {
		t.Fatalf("upload of %d bytes: expected success, got %v", size, err)
	}
	want := make([]byte, 16)
	for i := range want {
		want[i] = byte(92 + i)
	}
	for i, offset := range []int64{edge - 8, edge} { // each side of the edge by itself
		part := room(t, 8)
		raw, err := check.Try(t, rawArgs{Buffer: b, Dst: check.Pointer(part), Offset: offset, TransferSize: 8})
		if err == nil {
			err = t.Wait(raw.Event)
		}
		if err != nil {
			part = t.Download(b)[offset : offset+8]
		}
		expectBytes(t, want[8*i:8*i+8], part, 0xff, "8 bytes at offset "+show(offset))
	}
	runtime.KeepAlive(data)
}
