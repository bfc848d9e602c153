// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// References that others hold to a buffer's memory, and its address.
var referenceChecks = []check.Check{
	rule("REF-01", func(t *check.T) {
		b := small(t)
		for range 3 {
			increase(t, b)
		}
		check.ExpectBuffer(t, b, floats(4), "buffer with three references")
		for range 3 {
			if err := decrease(t, b); err != nil {
				t.Errorf("PJRT_Buffer_DecreaseExternalReferenceCount after three increases: expected success, got %v", err)
			}
		}
	}),
	rule("REF-02", func(t *check.T) {
		b := small(t)
		increase(t, small(t)) // skips where there is no such thing
		t.ErrorCode(decrease(t, b), "PJRT_Buffer_DecreaseExternalReferenceCount of a buffer without references")
	}),
	rule("REF-03", func(t *check.T) {
		b := small(t)
		for range 3 {
			increase(t, b)
		}
		for i := range 3 {
			if err := decrease(t, b); err != nil {
				t.Errorf("decrease %d of 3: expected success, got %v", i+1, err)
			}
		}
		t.ErrorCode(decrease(t, b), "fourth decrease after three increases")
	}),
	rule("REF-04", func(t *check.T) {
		b := small(t)
		increase(t, b)
		first := opaque(t, b)
		if first == 0 {
			t.Errorf("PJRT_Buffer_OpaqueDeviceMemoryDataPointer of 16 bytes: expected an address, got null")
		}
		for i := range 20 {
			churn(t)
			if got := opaque(t, b); got != first {
				t.Fatalf("PJRT_Buffer_OpaqueDeviceMemoryDataPointer, call %d, of a referenced buffer: expected %#x as before, got %#x", i+2, first, got)
			}
		}
		if err := decrease(t, b); err != nil {
			t.Errorf("PJRT_Buffer_DecreaseExternalReferenceCount: expected success, got %v", err)
		}
	}),
	{Rule: "REF-05", Hostile: true, Run: func(t *check.T) {
		onCPU(t)
		b := small(t)
		mustAwait(t, t.Ready(b), "ready event")
		address := opaque(t, b)
		if address == 0 {
			t.Fatalf("PJRT_Buffer_OpaqueDeviceMemoryDataPointer of 16 bytes: expected an address, got null")
		}
		expectBytes(t, dtype.Bytes(floats(4)), check.MemoryAt(address, 16), 0xff, "memory at the address of the buffer")
	}},
	rule("REF-06", func(t *check.T) {
		seen := make(map[uintptr]bool)
		for i := range 20 {
			p := check.Call(t, capi.BufferUnsafePointerArgs{Buffer: small(t)}).BufferPointer
			if p == 0 {
				t.Fatalf("PJRT_Buffer_UnsafePointer of 16 bytes: expected an address, got 0")
			}
			if seen[p] {
				t.Fatalf("PJRT_Buffer_UnsafePointer of live buffer %d: expected an address of its own, got %#x, which is another's", i+1, p)
			}
			seen[p] = true
		}
	}),
	{Rule: "REF-07", Hostile: true, Run: func(t *check.T) {
		onCPU(t)
		const n = 1 << 20
		b := upload(t, dtype.U8, counting(n), n)
		mustAwait(t, t.Ready(b), "ready event")
		increase(t, b)
		address := opaque(t, b)
		deleteBuffer(t, b)
		for range 4 {
			check.Destroy(t, upload(t, dtype.U8, make([]byte, n), n)) // would take the memory if it were free
		}
		expectBytes(t, counting(n), check.MemoryAt(address, n), 0xff, "memory of a buffer that was deleted while there was a reference")
		if err := decrease(t, b); err != nil {
			t.Errorf("PJRT_Buffer_DecreaseExternalReferenceCount after PJRT_Buffer_Delete: expected success, got %v", err)
		}
	}},
	{Rule: "REF-08", Variant: "deleted", Hostile: true, Run: func(t *check.T) {
		increase(t, small(t)) // skips where there is no such thing
		b := small(t)
		deleteBuffer(t, b)
		_, err := check.Try(t, capi.BufferIncreaseExternalReferenceCountArgs{Buffer: b})
		t.ErrorCode(err, "reference to a deleted buffer")
	}},
	{Rule: "REF-08", Variant: "donated", Hostile: true, Run: func(t *check.T) {
		increase(t, small(t))
		b := small(t)
		t.Run(compiled(t, check.Donate), 1, b)
		if !isDeleted(t, b) {
			t.SkipEnvf("the plugin does not use the memory of donated buffers")
		}
		_, err := check.Try(t, capi.BufferIncreaseExternalReferenceCountArgs{Buffer: b})
		t.ErrorCode(err, "reference to a donated buffer")
	}},
	rule("REF-09", func(t *check.T) {
		b := small(t)
		increase(t, b)
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and let the thread end with the goroutine
			err = decrease(t, b)
		}()
		<-done
		if err != nil {
			t.Errorf("PJRT_Buffer_DecreaseExternalReferenceCount in another thread: expected success, got %v", err)
		}
		t.ErrorCode(decrease(t, b), "second decrease after one increase")
	}),
}

func increase(t *check.T, b *capi.Buffer) {
	check.Optional(t, capi.BufferIncreaseExternalReferenceCountArgs{Buffer: b})
}

func decrease(t *check.T, b *capi.Buffer) error {
	_, err := check.Try(t, capi.BufferDecreaseExternalReferenceCountArgs{Buffer: b})
	return err
}

func opaque(t *check.T, b *capi.Buffer) uintptr {
	return check.Optional(t, capi.BufferOpaqueDeviceMemoryDataPointerArgs{Buffer: b}).DeviceMemoryPtr
}

// onCPU skips the check where the memory of devices is not that of the process.
func onCPU(t *check.T) {
	if p := platform(t); p != "cpu" {
		t.SkipEnvf("the memory of a device of the platform %q cannot be read by the process", p)
	}
}
