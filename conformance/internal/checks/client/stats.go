// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"errors"
	"fmt"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// allocated is the size in bytes of the buffer with which the check changes memory use.
const allocated = 64 << 20

var statsChecks = []check.Check{
	{Rule: "DEV-06", Run: func(t *check.T) {
		var last error
		for i, d := range t.Client().Devices {
			_, err := check.Try(t, capi.DeviceMemoryStatsArgs{Device: d})
			if err != nil {
				t.ErrorCode(err, fmt.Sprintf("PJRT_Device_MemoryStats of device %d, unless it succeeds", i), capi.ErrorCodeUnimplemented)
			}
			last = err
		}
		var e *capi.Error
		if errors.As(last, &e) && e.Missing {
			t.SkipAbsentf("%v", last)
		}
	}},
	{Rule: "DEV-07", Run: func(t *check.T) {
		d := t.Client().Devices[0]
		before := settled(t, d)
		if before < 0 {
			t.Errorf("bytes_in_use: expected 0 or more, got %d", before)
		}
		b := allocate(t, d)
		during := stats(t, d).BytesInUse
		if during-before < allocated {
			t.Fatalf("bytes_in_use: expected it to rise by %d or more with a buffer of that size, got %d and then %d", allocated,
				before, during)
		}
		check.Destroy(t, b)
		t.Eventually(5*time.Second, "bytes_in_use falls when the buffer is destroyed",
			func() bool { return stats(t, d).BytesInUse <= during-allocated })
	}},
	{Rule: "DEV-08", Run: func(t *check.T) {
		stats(t, t.Client().Devices[0])
		for _, f := range unwrittenFlags(t, t.Client().Devices[0]) {
			t.Errorf("PJRT_Device_MemoryStats: expected every flag to be written with 0 or 1: %s", f)
		}
	}},
	{Rule: "DEV-09", Run: func(t *check.T) {
		d := t.Client().Devices[0]
		b := allocate(t, d)
		s := stats(t, d)
		type number struct {
			name  string
			value int64
			isSet bool
		}
		inUse := number{"bytes_in_use", s.BytesInUse, true}
		peak := number{"peak_bytes_in_use", s.PeakBytesInUse, s.PeakBytesInUseIsSet}
		limit := number{"bytes_limit", s.BytesLimit, s.BytesLimitIsSet && s.BytesLimit > 0}
		largest := number{"largest_alloc_size", s.LargestAllocSize, s.LargestAllocSizeIsSet}
		for _, bound := range []struct{ small, large number }{{inUse, peak}, {inUse, limit}, {largest, peak}} {
			if small, large := bound.small, bound.large; small.isSet && large.isSet && small.value > large.value {
				t.Errorf("expected %s up to %s, got %d and %d", small.name, large.name, small.value, large.value)
			}
		}
		check.Destroy(t, b)
	}},
	{Rule: "DEV-10", Devices: 2, Run: func(t *check.T) {
		c := t.Client()
		stats(t, c.Devices[0])
		first, second := stats(t, c.Devices[0]).BytesInUse, stats(t, c.Devices[1]).BytesInUse
		b := allocate(t, c.Devices[1])
		if now := stats(t, c.Devices[1]).BytesInUse; now-second < allocated {
			t.Errorf("bytes_in_use of the second device: expected it to rise by %d, got %d and then %d", allocated, second, now)
		}
		if now := stats(t, c.Devices[0]).BytesInUse; now-first >= allocated {
			t.Errorf("bytes_in_use of the first device rose from %d to %d by a buffer on the second", first, now)
		}
		check.Destroy(t, b)
	}},
	{Rule: "DEV-11", Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.DeviceClearMemoryStatsArgs]())
		d := t.Client().Devices[0]
		stats(t, d)
		keep := allocate(t, d)
		check.Destroy(t, allocate(t, d))
		before := stats(t, d).BytesInUse
		check.Call(t, capi.DeviceClearMemoryStatsArgs{Device: d})
		s := stats(t, d)
		if s.BytesInUse < allocated {
			t.Errorf("bytes_in_use after PJRT_Device_ClearMemoryStats: expected %d as before, got %d", before, s.BytesInUse)
		}
		if s.PeakBytesInUseIsSet {
			check.Equal(t, s.BytesInUse, s.PeakBytesInUse, "peak_bytes_in_use after PJRT_Device_ClearMemoryStats, against bytes_in_use")
		}
		check.Destroy(t, keep)
	}},
}

// stats reads the memory use of a device.
func stats(t *check.T, d *capi.Device) capi.DeviceMemoryStatsArgs {
	return check.Call(t, capi.DeviceMemoryStatsArgs{Device: d})
}

// settled returns what is in use on a device once that has stopped changing: memory of
// buffers that were destroyed before may be returned a little later.
func settled(t *check.T, d *capi.Device) int64 {
	last := stats(t, d).BytesInUse
	for range 20 {
		time.Sleep(50 * time.Millisecond)
		now := stats(t, d).BytesInUse
		if now == last {
			break
		}
		last = now
	}
	return last
}

// allocate makes a buffer of that size on a device.
func allocate(t *check.T, d *capi.Device) *capi.Buffer {
	b := check.UploadTo(t, t.Client(), d, make([]float32, allocated/4))
	if err := t.Await(t.Ready(b)); err != nil {
		t.Fatalf("an uploaded buffer of %d bytes: %v", allocated, err)
	}
	return b
}
