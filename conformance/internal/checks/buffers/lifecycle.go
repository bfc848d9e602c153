// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// The life of a buffer and its end.
var lifecycleChecks = []check.Check{
	{Rule: "BUF-13", Run: func(t *check.T) {
		check.Equal(t, false, t.IsDeleted(small(t)), "is_deleted of a new buffer")
		check.Equal(t, false, t.IsDeleted(t.Run(compiled(t, check.AddOne), 1, small(t))[0]), "is_deleted of a new output")
		if devices := t.Client().Devices; len(devices) > 1 {
			check.Equal(t, false, t.IsDeleted(copyTo(t, small(t), devices[1])), "is_deleted of a new copy")
		}
	}},
	{Rule: "BUF-13", Variant: "waiting", Run: func(t *check.T) {
		pending := newPending(t)
		check.Equal(t, false, t.IsDeleted(pending.Buffer), "is_deleted of a buffer whose data has not come")
		pending.Fulfil()
		check.Equal(t, false, t.IsDeleted(pending.Buffer), "is_deleted of a buffer whose data has come")
	}},
	{Rule: "BUF-14", Run: func(t *check.T) {
		before, b, after := small(t), small(t), small(t)
		out := t.Run(compiled(t, check.AddOne), 1, before)[0]
		for what, b := range map[string]*capi.Buffer{"an upload": b, "an output": out} {
			deleteBuffer(t, b)
			check.Equal(t, true, t.IsDeleted(b), "is_deleted of %s after PJRT_Buffer_Delete", what)
		}
		for what, other := range map[string]*capi.Buffer{"before": before, "after": after} {
			if check.Equal(t, false, t.IsDeleted(other), "is_deleted of a buffer that was made %s the one that was deleted", what) {
				check.ExpectBuffer(t, other, floats(4), "buffer that was made "+what+" the one that was deleted")
			}
		}
		n := 1 << 20 // perhaps still being copied
		_, big, _ := transfer(t, n, capi.HostBufferSemanticsImmutableUntilTransferCompletes)
		deleteBuffer(t, big)
		check.Equal(t, true, t.IsDeleted(big), "is_deleted after PJRT_Buffer_Delete during an upload")
	}},
	{Rule: "BUF-14", Variant: "waiting", Run: func(t *check.T) {
		pending := newPending(t)
		var err error
		within(t, "PJRT_Buffer_Delete of a buffer whose data has not come",
			func() { _, err = check.Try(t, capi.BufferDeleteArgs{Buffer: pending.Buffer}) })
		if err != nil {
			t.Fatalf("PJRT_Buffer_Delete of a buffer whose data has not come: expected success, got %v", err)
		}
		check.Equal(t, true, t.IsDeleted(pending.Buffer), "is_deleted after PJRT_Buffer_Delete of a buffer whose data has not come")
		pending.Fulfil()
		check.Equal(t, true, t.IsDeleted(pending.Buffer), "is_deleted of that buffer after its data came")
	}},
	{Rule: "BUF-15", Hostile: true, Run: func(t *check.T) {
		b := small(t)
		deleteBuffer(t, b)
		if _, err := check.Try(t, capi.BufferDeleteArgs{Buffer: b}); err != nil {
			t.Errorf("second PJRT_Buffer_Delete: expected success, got %v", err)
		}
		check.Equal(t, true, t.IsDeleted(b), "is_deleted after a second PJRT_Buffer_Delete")
		check.ExpectBuffer(t, small(t), floats(4), "another buffer")
	}},
	{Rule: "BUF-16", Run: func(t *check.T) { deleteWhileRead(t, 8<<20) }},
	{Rule: "BUF-16", Variant: "large", Profile: check.Core, Timeout: 2 * time.Minute, Run: func(t *check.T) { deleteWhileRead(t, 256<<20) }},
	{Rule: "BUF-17", Run: func(t *check.T) {
		exe := compiled(t, check.Heavy)
		in := check.HeavyArgument(t, t.Client())
		out, event := started(t, exe, in)
		deleteBuffer(t, in)
		churn(t)
		t.NoError(t.Await(event), "event of an execution whose argument was deleted")
		check.ExpectBuffer(t, out, check.HeavyResult(),
			"fourth power of twice the identity, whose buffer was deleted when the execution had started")
	}},
	{Rule: "BUF-17", Variant: "waiting", Run: func(t *check.T) {
		exe := compiled(t, check.Add)
		in, pending := small(t), newPending(t)
		out, event := waiting(t, exe, in, pending.Buffer)
		deleteBuffer(t, in)
		churn(t)
		pending.Fulfil()
		t.NoError(t.Await(event), "event of an execution whose argument was deleted")
		check.ExpectBuffer(t, out, []float32{2, 4, 6, 8}, "sum with a buffer that was deleted while the execution waited")
	}},
	{Rule: "BUF-18", Run: memoryIsReleased(func(t *check.T, b *capi.Buffer) { deleteBuffer(t, b) })},
	{Rule: "BUF-19", Run: func(t *check.T) {
		b := small(t)
		t.NoError(t.Await(t.Ready(b)), "ready event of an upload")
		out, done := started(t, compiled(t, check.AddOne), b)
		t.NoError(t.Await(t.Ready(out)), "ready event of an output")
		t.NoError(t.Await(done), "event of the execution")
		if devices := t.Client().Devices; len(devices) > 1 {
			c := t.Ready(copyTo(t, b, devices[1]))
			becomesReady(t, c, "a copy becomes ready")
			t.NoError(t.Await(c), "ready event of a copy")
		}
	}},
	{Rule: "BUF-19", Variant: "waiting", Run: func(t *check.T) {
		pending := newPending(t)
		out, done := waiting(t, compiled(t, check.AddOne), pending.Buffer)
		e := t.Ready(out)
		time.Sleep(while)
		check.Equal(t, false, t.IsReady(e), "is_ready of the ready event of an output, before the program could run")
		pending.Fulfil()
		t.NoError(t.Await(e), "ready event of an output")
		t.NoError(t.Await(done), "event of the execution")
		eachUnready(t, func(what string, b *capi.Buffer) {
			e, again := t.Ready(b), t.Ready(b)
			time.Sleep(while)
			check.Equal(t, false, t.IsReady(e), "is_ready of the ready event of %s", what)
			check.Equal(t, false, t.IsReady(again), "is_ready of a second ready event of %s", what)
		})
	}},
	{Rule: "BUF-20", Run: func(t *check.T) {
		deleted, donated := small(t), small(t)
		deleteBuffer(t, deleted)
		t.Run(compiled(t, check.Donate), 1, donated)
		look := func(what string, b *capi.Buffer) {
			out, err := check.Try(t, capi.BufferReadyEventArgs{Buffer: b})
			if err != nil {
				return // reported at once, which no caller can miss
			}
			e := check.Own(t, out.Event)
			check.Equal(t, true, t.IsReady(e), "is_ready of the ready event of a %s buffer", what)
			t.ErrorCode(t.Await(e), "ready event of a "+what+" buffer")
		}
		look("deleted", deleted)
		if t.IsDeleted(donated) {
			look("donated", donated)
		} else {
			t.Notef("the plugin does not use the memory of donated buffers")
		}
	}},
	{Rule: "BUF-21", Run: func(t *check.T) {
		b := small(t)
		e := t.Ready(b)
		deleteBuffer(t, b)
		t.NoError(t.Await(e), "ready event that was taken before PJRT_Buffer_Delete")
		_, big, _ := transfer(t, 4<<20, capi.HostBufferSemanticsImmutableUntilTransferCompletes)
		e = t.Ready(big)
		deleteBuffer(t, big)
		t.NoError(t.Await(e), "ready event that was taken before PJRT_Buffer_Delete during an upload")
	}},
	{Rule: "BUF-22", Run: func(t *check.T) {
		exe := compiled(t, check.AddOne)
		x := check.NewExecution(exe, 1, []*capi.Buffer{failedBuffer(t, failureCode, failureMessage)})
		if err := x.Start(t); err != nil {
			t.SkipEnvf("the execution fails at once and has no output: %v", err)
		}
		err := t.Await(t.Ready(x.Outputs[0][0]))
		if whole := t.Await(x.Events[0]); err != nil && whole != nil {
			check.Equal(t, capi.CodeOf(whole), capi.CodeOf(err),
				"code of the output's error, compared with the execution's, which says %q", whole)
		}
		if err != nil && !strings.Contains(err.Error(), failureMessage) {
			t.Errorf("ready event of the output of an execution whose argument is an error: expected an error that says %q, got %v", failureMessage, err)
		}
		if t.ErrorCode(err, "ready event of the output of an execution whose argument is an error") {
			t.Notef("the output says %v", err)
		}
	}},
	useOfDeleted("ToHostBuffer", func(t *check.T, b *capi.Buffer) error {
		dst := filled(t, 16)
		err := read(t, into(b, dst))
		if err != nil {
			expectBytes(t, bytes.Repeat([]byte{0xee}, 16), dst, 0xff, "memory of the host after a download that failed")
		}
		return err
	}),
	useOfDeleted("CopyToDevice", func(t *check.T, b *capi.Buffer) error {
		devices := t.Client().Devices
		out, err := check.Try(t, capi.BufferCopyToDeviceArgs{Buffer: b, DstDevice: devices[len(devices)-1]})
		if err != nil {
			return err
		}
		if check.Own(t, out.DstBuffer) == nil {
			return nil
		}
		return t.Await(t.Ready(out.DstBuffer))
	}),
	useOfDeleted("Execute", func(t *check.T, b *capi.Buffer) error {
		x := check.NewExecution(compiled(t, check.AddOne), 1, []*capi.Buffer{b})
		if err := x.Start(t); err != nil {
			return err
		}
		return t.Await(x.Events[0])
	}),
	useOfDeleted("UnsafePointer", func(t *check.T, b *capi.Buffer) error {
		_, err := check.Try(t, capi.BufferUnsafePointerArgs{Buffer: b})
		return err
	}),
	useOfDeleted("OpaqueDeviceMemoryDataPointer", func(t *check.T, b *capi.Buffer) error {
		_, err := check.Try(t, opaqueArgs{Buffer: b})
		return err
	}),
	{Rule: "BUF-24", Hostile: true, Run: func(t *check.T) {
		b := upload(t, dtype.S16, counting(12), 2, 3)
		device := t.DeviceOf(b)
		deleteBuffer(t, b)
		type answer struct {
			what string
			err  error
		}
		var answers []answer
		ask := func(what string, err error) { answers = append(answers, answer{what, err}) }
		typ, err := check.Try(t, capi.BufferElementTypeArgs{Buffer: b})
		if ask("the type", err); err == nil {
			check.Equal(t, capi.BufferTypeS16, typ.Type, "type of a deleted buffer")
		}
		dims, err := check.Try(t, capi.BufferDimensionsArgs{Buffer: b})
		if ask("the dimensions", err); err == nil {
			check.Equal(t, "[2 3]", fmt.Sprint(capi.Slice(dims.Dims, dims.NumDims)), "dimensions of a deleted buffer")
		}
		_, err = check.Try(t, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b})
		ask("the size", err)
		on, err := check.Try(t, capi.BufferDeviceArgs{Buffer: b})
		if ask("the device", err); err == nil {
			check.Equal(t, device, on.Device, "device of a deleted buffer")
		}
		_, err = check.Try(t, capi.BufferMemoryArgs{Buffer: b})
		ask("the memory", err)
		_, err = check.Try(t, capi.BufferUnpaddedDimensionsArgs{Buffer: b})
		ask("the unpadded dimensions", err)
		_, err = check.Try(t, capi.BufferGetMemoryLayoutArgs{Buffer: b})
		ask("the layout", err)
		_, err = check.Try(t, capi.BufferIsOnCPUArgs{Buffer: b})
		ask("whether it is on a CPU", err)
		for _, a := range answers {
			if a.err != nil {
				t.Notef("a deleted buffer does not tell %s: %v", a.what, a.err)
			}
		}
		check.Equal(t, true, t.IsDeleted(b), "is_deleted after that")
	}},
	{Rule: "BUF-25", Variant: "null", Library: true, Hostile: true, Run: func(t *check.T) {
		if _, err := check.Try(t, capi.BufferDestroyArgs{}); err != nil {
			t.Errorf("PJRT_Buffer_Destroy of null: expected success, got %v", err)
		}
	}},
	{Rule: "BUF-25", Run: memoryIsReleased(func(t *check.T, b *capi.Buffer) { check.Destroy(t, b) })},
	{Rule: "BUF-25", Variant: "used", Run: func(t *check.T) {
		exe := compiled(t, `module @plus_large {
  func.func @main(%a: tensor<2097152xf32>) -> tensor<2097152xf32> {
    %0 = stablehlo.add %a, %a : tensor<2097152xf32>
    return %0 : tensor<2097152xf32>
  }
}`)
		dst := room(t, heldSize)
		memoryIsReleased(func(t *check.T, b *capi.Buffer) {
			check.Destroy(t, b)
			in := upload(t, dtype.F32, dst, heldSize/4)
			out := t.Run(exe, 1, in)[0]
			e := t.Ready(out)
			t.NoError(t.Await(e), "ready event of an output")
			check.Destroy(t, e)
			t.NoError(read(t, into(out, dst)), "download of an output")
			check.Destroy(t, out)
			check.Destroy(t, in)
		})(t)
	}},
	{Rule: "BUF-25", Variant: "often", Profile: check.Full, Timeout: 10 * time.Minute, Hostile: true, Run: func(t *check.T) {
		data := make([]byte, 1<<20)
		before := residentMemory(t)
		for range 100_000 {
			check.Destroy(t, upload(t, dtype.U8, data, 1<<20))
		}
		if grown := residentMemory(t) - before; grown > 1<<27 {
			t.Errorf("memory of the process after 100,000 buffers of 1 MiB that were destroyed: expected less than 128 MiB more, got %d bytes more", grown)
		}
	}},
	{Rule: "BUF-26", Run: func(t *check.T) {
		exe := compiled(t, check.AddOne)
		for range 20 {
			pending := newPending(t)
			out, event := waiting(t, exe, pending.Buffer)
			check.Destroy(t, out)
			churnLittle(t)
			pending.Fulfil()
			t.NoError(t.Await(event), "event of an execution whose output was destroyed")
			check.Destroy(t, pending.Buffer)
		}
		check.ExpectBuffer(t, t.Run(exe, 1, small(t))[0], []float32{2, 3, 4, 5}, "output of a later execution")
	}},
	{Rule: "BUF-27", Run: func(t *check.T) {
		b := small(t)
		var err error
		done := begin(func() {
			runtime.LockOSThread() // without unlocking, so that the thread ends with the goroutine
			_, err = check.Try(t, capi.BufferDestroyArgs{Buffer: check.Disown(t, b)})
		})
		<-done
		t.NoError(err, "PJRT_Buffer_Destroy in a thread that is new to the plugin")
		check.ExpectBuffer(t, small(t), floats(4), "another buffer")
	}},
}

func deleteBuffer(t *check.T, b *capi.Buffer) { check.Call(t, capi.BufferDeleteArgs{Buffer: b}) }

// useOfDeleted returns a check that one way of using a deleted buffer gives an error.
func useOfDeleted(function string, use func(*check.T, *capi.Buffer) error) check.Check {
	return check.Check{Rule: "BUF-23", Variant: function, Hostile: true, Run: func(t *check.T) {
		b := small(t)
		if err := use(t, small(t)); capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
			t.SkipUnimplf("PJRT_Buffer_%s: %v", function, err)
		}
		deleteBuffer(t, b)
		t.ErrorCode(use(t, b), function+" of a deleted buffer")
	}}
}

func deleteWhileRead(t *check.T, n int) {
	want := counting(n)
	b := upload(t, dtype.U8, want, int64(n))
	dst := room(t, n)
	e := check.Call(t, into(b, dst)).Event
	deleteBuffer(t, b)
	if err := t.Wait(e); err != nil {
		t.Fatalf("download of a buffer that was deleted after the call: expected success, got %v", err)
	}
	expectBytes(t, want, dst, 0xff, "download of a buffer that was deleted after the call")
}

func churnLittle(t *check.T) {
	for range 3 {
		check.Destroy(t, check.Upload(t, t.Client(), sevens(4)))
	}
}

// heldSize is the size of the buffers whose memory is watched.
const heldSize = 8 << 20

// memoryIsReleased returns a check that the memory of ended buffers does not add up: in
// the plugin's own statistics, or, where the device is the machine, in the memory of
// the process. An allocator may keep what is freed, some for each of its threads, but
// that has a limit; a leak has none.
func memoryIsReleased(end func(*check.T, *capi.Buffer)) func(*check.T) {
	return func(t *check.T) {
		const rounds, windows, enough = 8, 20, 3
		data := make([]byte, heldSize)
		inUse := func() (int64, string) {
			s, err := check.Try(t, capi.DeviceMemoryStatsArgs{Device: t.Client().Devices[0]})
			if err == nil {
				return s.BytesInUse, "bytes_in_use of PJRT_Device_MemoryStats"
			}
			if t.Platform() != "cpu" {
				t.SkipUnimplf("the plugin does not tell how much memory is in use: %v", err)
			}
			return residentMemory(t), "memory of the process"
		}
		end(t, upload(t, dtype.U8, data, heldSize))
		size, what := inUse()
		sizes, still := []int64{size}, 0
		for i := range windows {
			for range rounds {
				end(t, upload(t, dtype.U8, data, heldSize))
			}
			size, _ = inUse()
			sizes = append(sizes, size)
			// Two windows are taken together: memory that is returned late makes one
			// grow and the next shrink. What earlier checks held may be returned meanwhile,
			// and hide that this one's is not, so several must not grow.
			if i == 0 || size-sizes[i-1] >= 2*rounds*heldSize/4 {
				still = 0
				continue
			}
			if still++; still == enough {
				t.Notef("%s: %d before, %d after", what, sizes[0], size)
				return
			}
		}
		t.Errorf("%s: expected it to stop growing when buffers end, got these sizes, between each two of which %d buffers of %d bytes ended: %d",
			what, rounds, heldSize, sizes)
	}
}

// residentMemory returns the resident memory of this process.
func residentMemory(t *check.T) int64 {
	resident, err := check.ResidentBytes()
	if err != nil {
		t.SkipEnvf("the memory of this process is not known: %v", err)
	}
	return resident
}
