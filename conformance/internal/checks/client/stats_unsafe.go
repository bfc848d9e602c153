// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"fmt"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// unwrittenFlags fills the outputs of PJRT_Device_MemoryStats with garbage and
// returns, in words, the flags that are neither 0 nor 1 after a call.
func unwrittenFlags(t *check.T, d *capi.Device) []string {
	args := &capi.DeviceMemoryStatsArgs{}
	b := unsafe.Slice((*byte)(unsafe.Pointer(args)), unsafe.Sizeof(*args))
	for i := unsafe.Offsetof(args.BytesInUse); i < uintptr(len(b)); i++ {
		b[i] = check.Filler
	}
	args.StructSize, args.Device = capi.DeviceMemoryStatsArgsSize, d
	out, err := check.Raw(t, *args)
	if err != nil {
		t.Fatalf("PJRT_Device_MemoryStats: expected success, got %v", err)
	}
	got := unsafe.Slice((*byte)(unsafe.Pointer(&out)), unsafe.Sizeof(out))
	var list []string
	for _, f := range []struct {
		name   string
		offset uintptr
		since  int
	}{
		{"peak_bytes_in_use_is_set", unsafe.Offsetof(out.PeakBytesInUseIsSet), 0},
		{"num_allocs_is_set", unsafe.Offsetof(out.NumAllocsIsSet), 0},
		{"largest_alloc_size_is_set", unsafe.Offsetof(out.LargestAllocSizeIsSet), 0},
		{"bytes_limit_is_set", unsafe.Offsetof(out.BytesLimitIsSet), 0},
		{"bytes_reserved_is_set", unsafe.Offsetof(out.BytesReservedIsSet), 0},
		{"peak_bytes_reserved_is_set", unsafe.Offsetof(out.PeakBytesReservedIsSet), 0},
		{"bytes_reservable_limit_is_set", unsafe.Offsetof(out.BytesReservableLimitIsSet), 0},
		{"largest_free_block_bytes_is_set", unsafe.Offsetof(out.LargestFreeBlockBytesIsSet), 0},
		{"pool_bytes_is_set", unsafe.Offsetof(out.PoolBytesIsSet), 0},
		{"peak_pool_bytes_is_set", unsafe.Offsetof(out.PeakPoolBytesIsSet), 0},
		{"peak_allocated_bytes_is_set", unsafe.Offsetof(out.PeakAllocatedBytesIsSet), 113},
	} {
		if t.Minor() >= f.since && got[f.offset] > 1 {
			list = append(list, fmt.Sprintf("%s is %#02x", f.name, got[f.offset]))
		}
	}
	return list
}

// addressOf returns an address in the form that C uses as a key.
func addressOf(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }
