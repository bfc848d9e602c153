// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// External references to a buffer's memory, and its address.
var referenceChecks = []check.Check{
	{Rule: "REF-01", Run: func(t *check.T) {
		b := small(t)
		for range 3 {
			increase(t, b)
		}
		check.ExpectBuffer(t, b, floats(4), "buffer with three references")
		for range 3 {
			t.NoError(decrease(t, b), "PJRT_Buffer_DecreaseExternalReferenceCount after three increases")
		}
	}},
	{Rule: "REF-02", Run: func(t *check.T) {
		b := small(t)
		other := small(t)
		increase(t, other) // skips if there is no such function
		t.ErrorCode(decrease(t, b), "PJRT_Buffer_DecreaseExternalReferenceCount of a buffer without references")
		t.NoError(decrease(t, other), "PJRT_Buffer_DecreaseExternalReferenceCount of another buffer, which has a reference")
	}},
	{Rule: "REF-03", Run: func(t *check.T) {
		b := small(t)
		for range 3 {
			increase(t, b)
		}
		for i := range 3 {
			t.NoError(decrease(t, b), "decrease %d of 3", i+1)
		}
		other := small(t)
		increase(t, other)
		t.ErrorCode(decrease(t, b), "fourth decrease after three increases")
		t.NoError(decrease(t, other), "decrease of another buffer after one increase")
	}},
	{Rule: "REF-04", Run: func(t *check.T) {
		b := small(t)
		increase(t, b)
		first := opaque(t, b)
		if first == 0 {
			t.Errorf("PJRT_Buffer_OpaqueDeviceMemoryDataPointer of 16 bytes: expected an address, got null")
		}
		exe := compiled(t, check.AddOne)
		for i := range 20 {
			churn(t)
			t.Download(b)
			t.Run(exe, 1, b)
			if got := opaque(t, b); got != first {
				t.Fatalf("PJRT_Buffer_OpaqueDeviceMemoryDataPointer, call %d, of a referenced buffer: expected %#x as before, got %#x", i+2, first, got)
			}
		}
		t.NoError(decrease(t, b), "PJRT_Buffer_DecreaseExternalReferenceCount")
		for i, d := range t.Client().Devices {
			if opaque(t, check.UploadTo(t, t.Client(), d, floats(4))) == 0 {
				t.Errorf("PJRT_Buffer_OpaqueDeviceMemoryDataPointer of 16 bytes on device %d: expected an address, got null", i)
			}
		}
	}},
	{Rule: "REF-05", Hostile: true, Run: func(t *check.T) {
		onCPU(t)
		b := small(t)
		t.NoError(t.Await(t.Ready(b)), "ready event")
		address := opaque(t, b)
		if address == 0 {
			t.Fatalf("PJRT_Buffer_OpaqueDeviceMemoryDataPointer of 16 bytes: expected an address, got null")
		}
		expectBytes(t, dtype.Bytes(floats(4)), check.MemoryAt(address, 16), 0xff, "memory at the address of the buffer")
		out := t.Run(compiled(t, check.AddOne), 1, b)[0]
		t.NoError(t.Await(t.Ready(out)), "ready event of an output")
		if address = opaque(t, out); address == 0 {
			t.Fatalf("PJRT_Buffer_OpaqueDeviceMemoryDataPointer of an output of 16 bytes: expected an address, got null")
		}
		expectBytes(t, dtype.Bytes([]float32{2, 3, 4, 5}), check.MemoryAt(address, 16), 0xff, "memory at the address of an output")
		if p, err := check.Try(t, capi.BufferUnsafePointerArgs{Buffer: b}); err == nil {
			check.Equal(t, p.BufferPointer, opaque(t, b),
				"PJRT_Buffer_OpaqueDeviceMemoryDataPointer, compared with PJRT_Buffer_UnsafePointer")
		}
	}},
	{Rule: "REF-06", Run: func(t *check.T) {
		seen := make(map[uintptr]bool)
		exe := compiled(t, check.AddOne)
		var live []*capi.Buffer
		for range 10 {
			b := small(t)
			live = append(live, b, t.Run(exe, 1, b)[0])
		}
		for i, b := range live {
			p := check.Call(t, capi.BufferUnsafePointerArgs{Buffer: b}).BufferPointer
			if o, err := check.Try(t, opaqueArgs{Buffer: b}); err == nil && t.Platform() == "cpu" {
				check.Equal(t, o.DeviceMemoryPtr, p,
					"PJRT_Buffer_UnsafePointer of buffer %d, compared with PJRT_Buffer_OpaqueDeviceMemoryDataPointer", i+1)
			}
			if p == 0 {
				t.Fatalf("PJRT_Buffer_UnsafePointer of 16 bytes: expected an address, got 0")
			}
			if seen[p] {
				t.Fatalf("PJRT_Buffer_UnsafePointer of live buffer %d: expected an address of its own, got %#x, which is another's", i+1, p)
			}
			seen[p] = true
		}
	}},
	{Rule: "REF-07", Hostile: true, Run: func(t *check.T) {
		onCPU(t)
		b := upload(t, dtype.U8, counting(referenced), referenced)
		t.NoError(t.Await(t.Ready(b)), "ready event")
		increase(t, b)
		increase(t, b)
		address := opaque(t, b)
		deleteBuffer(t, b)
		takeMemory(t)
		expectBytes(t, counting(referenced), check.MemoryAt(address, referenced),
			0xff, "memory of a buffer that was deleted while there were two references")
		t.NoError(decrease(t, b), "PJRT_Buffer_DecreaseExternalReferenceCount after PJRT_Buffer_Delete")
		takeMemory(t)
		expectBytes(t, counting(referenced), check.MemoryAt(address, referenced),
			0xff, "memory of a buffer that was deleted, of whose two references one is left")
		t.NoError(decrease(t, b), "second PJRT_Buffer_DecreaseExternalReferenceCount after PJRT_Buffer_Delete")
	}},
	{Rule: "REF-08", Variant: "deleted", Hostile: true, Run: func(t *check.T) {
		increase(t, small(t)) // skips if there is no such function
		b := small(t)
		opaque(t, b) // the plugin must not return this address again
		deleteBuffer(t, b)
		_, err := check.Try(t, increaseArgs{Buffer: b})
		t.ErrorCode(err, "reference to a deleted buffer")
		_, err = check.Try(t, opaqueArgs{Buffer: b})
		t.ErrorCode(err, "PJRT_Buffer_OpaqueDeviceMemoryDataPointer of a deleted buffer")
	}},
	{Rule: "REF-08", Variant: "donated", Hostile: true, Run: func(t *check.T) {
		increase(t, small(t))
		b := small(t)
		t.Run(compiled(t, check.Donate), 1, b)
		if !t.IsDeleted(b) {
			t.SkipEnvf("the plugin does not use the memory of donated buffers")
		}
		_, err := check.Try(t, increaseArgs{Buffer: b})
		t.ErrorCode(err, "reference to a donated buffer")
		_, err = check.Try(t, opaqueArgs{Buffer: b})
		t.ErrorCode(err, "PJRT_Buffer_OpaqueDeviceMemoryDataPointer of a donated buffer")
	}},
	{Rule: "REF-09", Run: func(t *check.T) {
		b := small(t)
		increase(t, b)
		var err error
		done := begin(func() {
			runtime.LockOSThread() // without unlocking, so that the thread ends with the goroutine
			err = decrease(t, b)
		})
		<-done
		t.NoError(err, "PJRT_Buffer_DecreaseExternalReferenceCount in another thread")
		t.ErrorCode(decrease(t, b), "second decrease after one increase")
	}},
}

// referenced is the size in bytes of a buffer whose memory must stay.
const referenced = 1 << 20

// takeMemory makes buffers that would get the memory of a freed one.
func takeMemory(t *check.T) {
	for range 4 {
		check.Destroy(t, upload(t, dtype.U8, make([]byte, referenced), referenced))
	}
}

func increase(t *check.T, b *capi.Buffer) {
	check.Optional(t, increaseArgs{Buffer: b})
}

func decrease(t *check.T, b *capi.Buffer) error {
	_, err := check.Try(t, decreaseArgs{Buffer: b})
	return err
}

func opaque(t *check.T, b *capi.Buffer) uintptr {
	return check.Optional(t, opaqueArgs{Buffer: b}).DeviceMemoryPtr
}

// onCPU skips the check if the process cannot read the memory of devices.
func onCPU(t *check.T) {
	if p := t.Platform(); p != "cpu" {
		t.SkipEnvf("the memory of a device of the platform %q cannot be read by the process", p)
	}
}
