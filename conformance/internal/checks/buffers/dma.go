// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Host memory that devices access directly.
var dmaChecks = []check.Check{
	{Rule: "DMA-01", Run: func(t *check.T) {
		m := mapped(t, 1<<20)
		check.Call(t, capi.ClientDMAUnmapArgs{Client: t.Client().Handle, Data: check.Pointer(m)})
	}},
	{Rule: "DMA-02", Run: func(t *check.T) {
		const n = 1 << 18
		m := mapped(t, 2*n)
		defer unmap(t, m)
		source, target := m[:n], m[n:]
		copy(source, counting(n))
		b := upload(t, dtype.U8, source, n)
		err := read(t, downloadArgs{Src: b, HostLayout: check.RowMajor(1), Dst: check.Pointer(target), DstSize: n})
		if err != nil {
			t.Fatalf("download to mapped memory: expected success, got %v", err)
		}
		expectBytes(t, counting(n), target, 0xff, "upload from mapped memory and download to it")
		spoil(source)
		copy(source, counting(n/2))
		copy(source[n/2:], counting(n/2))
		again := upload(t, dtype.U8, source, n)
		expectBytes(t, source, t.Download(again), 0xff, "upload from mapped memory that was written again")
		part := upload(t, dtype.U8, source[n/2+3:], n/2-3)
		expectBytes(t, source[n/2+3:], t.Download(part), 0xff, "upload from the middle of mapped memory")
		if out, err := check.Try(t, managerArgs(t, spec{dtype.U8, []int64{n}})); err == nil {
			manager := check.Own(t, out.TransferManager)
			b := retrieve(t, manager, 0)
			send(t, manager, 0, source, 0, true)
			expectBytes(t, source, t.Download(b), 0xff, "asynchronous transfer from mapped memory")
		}
	}},
	{Rule: "DMA-03", Hostile: true, Run: func(t *check.T) {
		m := mapped(t, 1<<16)
		args := capi.ClientDMAMapArgs{Client: t.Client().Handle, Data: check.Pointer(m), Size: uintptr(len(m))}
		if _, err := check.Try(t, args); err != nil {
			t.Notef("mapping memory twice is refused: %v", err)
			unmap(t, m)
		} else {
			unmap(t, m)
			copy(m, counting(len(m)))
			expectBytes(t, m, t.Download(upload(t, dtype.U8, m, int64(len(m)))),
				0xff, "upload from memory that was mapped twice and unmapped once")
			unmap(t, m)
		}
		_, err := check.Try(t, capi.ClientDMAUnmapArgs{Client: t.Client().Handle, Data: check.Pointer(m)})
		t.ErrorCode(err, "one PJRT_Client_DmaUnmap more than successful calls of PJRT_Client_DmaMap")
	}},
	{Rule: "DMA-04", Hostile: true, Run: func(t *check.T) {
		unmap(t, mapped(t, 1<<16)) // skips if there is no such function
		stranger := check.Aligned(1<<16, 4096, 0)
		t.Keep(stranger)
		_, err := check.Try(t, capi.ClientDMAUnmapArgs{Client: t.Client().Handle, Data: check.Pointer(stranger)})
		t.ErrorCode(err, "PJRT_Client_DmaUnmap of memory that is not mapped")
	}},
	{Rule: "DMA-05", Hostile: true, Run: func(t *check.T) {
		m := mapped(t, 1<<16)
		unmap(t, m)
		for what, args := range map[string]capi.ClientDMAMapArgs{
			"null":     {Size: 1 << 16},
			"no bytes": {Data: check.Pointer(m)},
		} {
			args.Client = t.Client().Handle
			if _, err := check.Try(t, args); err != nil {
				t.Notef("mapping %s is refused: %v", what, err)
			}
		}
		check.ExpectBuffer(t, small(t), floats(4), "a buffer that was uploaded afterwards")
	}},
	{Rule: "DMA-06", Devices: 2, Run: func(t *check.T) {
		const n = 1 << 16
		m := mapped(t, n)
		defer unmap(t, m)
		copy(m, counting(n))
		for i, d := range t.Client().Devices {
			args := hostArgs(t.Client(), dtype.U8, m, n)
			args.Device = d
			expectBytes(t, m, t.Download(t.UploadArgs(args)), 0xff, "upload from mapped memory to device "+show(i))
		}
	}},
	{Rule: "DMA-07", Hostile: true, Run: func(t *check.T) {
		const n = 32 << 20
		m := mapped(t, n)
		copy(m, counting(n))
		args := hostArgs(t.Client(), dtype.U8, m, n)
		args.HostBufferSemantics = capi.HostBufferSemanticsImmutableUntilTransferCompletes
		out := check.Call(t, args)
		b := check.Own(t, out.Buffer)
		_, err := check.Try(t, capi.ClientDMAUnmapArgs{Client: t.Client().Handle, Data: check.Pointer(m)})
		t.NoError(t.Await(check.Own(t, out.DoneWithHostBuffer)), "done_with_host_buffer")
		expectBytes(t, counting(n), t.Download(b), 0xff, "upload from mapped memory that was unmapped at once")
		if err != nil {
			t.Notef("unmapping during a transfer is refused: %v", err)
			unmap(t, m)
		}
	}},
}

// mapped returns n bytes of memory that the client has mapped.
func mapped(t *check.T, n int) []byte {
	m := check.Aligned(n, 1<<16, 0)
	t.Keep(m)
	check.Call(t, capi.ClientDMAMapArgs{Client: t.Client().Handle, Data: check.Pointer(m), Size: uintptr(n)})
	return m
}

func unmap(t *check.T, m []byte) {
	if _, err := check.Try(t, capi.ClientDMAUnmapArgs{Client: t.Client().Handle, Data: check.Pointer(m)}); err != nil {
		t.Errorf("PJRT_Client_DmaUnmap: expected success, got %v", err)
	}
}
