// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// unreadyChecks ask buffers that have no contents yet for what does not depend on them:
// callers need it for planning, often under a lock of their own.
var unreadyChecks = []check.Check{
	{Rule: "BUF-09", Variant: "before the contents", Run: func(t *check.T) {
		settled := small(t)
		want := t.SizeOnDevice(settled)
		eachUnready(t, func(what string, b *capi.Buffer) {
			var out capi.BufferOnDeviceSizeInBytesArgs
			var err error
			within(t, "PJRT_Buffer_OnDeviceSizeInBytes of "+what, func() {
				out, err = check.Try(t, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b})
			})
			if err != nil {
				t.Errorf("PJRT_Buffer_OnDeviceSizeInBytes of %s: expected success, got %v", what, err)
				return
			}
			check.Equal(t, want, out.OnDeviceSizeInBytes, "size on the device of %s, compared with a buffer that has contents", what)
		})
	}},
	{Rule: "D2H-02", Variant: "before the contents", Run: func(t *check.T) {
		needsSizes(t)
		eachUnready(t, func(what string, b *capi.Buffer) {
			for _, layout := range []*capi.BufferMemoryLayout{check.RowMajor(1), nil} {
				name := "row-major"
				if layout == nil {
					name = "null"
				}
				var out downloadArgs
				var err error
				within(t, fmt.Sprintf("PJRT_Buffer_ToHostBuffer with dst null of %s, host_layout %s", what, name), func() {
					out, err = check.Try(t, downloadArgs{Src: b, HostLayout: layout})
				})
				check.Own(t, out.Event)
				if err != nil {
					t.Errorf("PJRT_Buffer_ToHostBuffer with dst null of %s, host_layout %s: expected success, got %v", what, name, err)
					continue
				}
				check.Equal(t, 16, out.DstSize, "dst_size of %s, host_layout %s", what, name)
			}
		})
	}},
	{Rule: "BUF-02", Variant: "before the contents", Run: func(t *check.T) {
		c := t.Client()
		eachUnready(t, func(what string, b *capi.Buffer) {
			var dims, unpadded []int64
			var of capi.BufferType
			var on *capi.Device
			var deleted bool
			within(t, "asking for type, dimensions and device of "+what, func() {
				if out, err := check.Try(t, capi.BufferDimensionsArgs{Buffer: b}); err == nil {
					dims = capi.Slice(out.Dims, out.NumDims)
				}
				if out, err := check.Try(t, capi.BufferUnpaddedDimensionsArgs{Buffer: b}); err == nil {
					unpadded = capi.Slice(out.UnpaddedDims, out.NumDims)
				} else {
					unpadded = []int64{4}
				}
				if out, err := check.Try(t, capi.BufferElementTypeArgs{Buffer: b}); err == nil {
					of = out.Type
				}
				if out, err := check.Try(t, capi.BufferDeviceArgs{Buffer: b}); err == nil {
					on = out.Device
				}
				if out, err := check.Try(t, capi.BufferIsDeletedArgs{Buffer: b}); err == nil {
					deleted = out.IsDeleted
				}
			})
			if !slices.Equal(dims, []int64{4}) {
				t.Errorf("dimensions of %s: expected [4], got %v", what, dims)
			}
			if !slices.Equal(unpadded, []int64{4}) {
				t.Errorf("unpadded dimensions of %s: expected [4], got %v", what, unpadded)
			}
			check.Equal(t, capi.BufferTypeF32, of, "type of %s", what)
			if !slices.Contains(c.Devices, on) {
				t.Errorf("device of %s: expected one of the client's, got another", what)
			}
			check.Equal(t, false, deleted, "is_deleted of %s", what)
		})
	}},
}

// eachUnready shows look buffers of four floats that have no contents yet, one from each
// source that the plugin offers, and then gives them their contents.
func eachUnready(t *check.T, look func(what string, b *capi.Buffer)) {
	p := newPending(t)
	look("a buffer whose data has not come", p.Buffer)
	x := check.NewExecution(compiled(t, check.AddOne), 1, []*capi.Buffer{p.Buffer})
	var err error
	var output *capi.Buffer
	switch {
	case !attempt(t, p, func() { err = x.Start(t) }):
		t.Notef(executeWaits)
	case err == nil:
		output = x.Outputs[0][0]
		look("an output of an execution that waits", output)
	}
	if devices := t.Client().Devices; len(devices) > 1 {
		var copied *capi.Buffer
		if attempt(t, p, func() {
			if out, err := check.Try(t, capi.BufferCopyToDeviceArgs{Buffer: p.Buffer, DstDevice: devices[1]}); err == nil {
				copied = check.Own(t, out.DstBuffer)
			}
		}) && copied != nil {
			look("a copy of a buffer whose data has not come", copied)
		}
	}
	p.Fulfil()
	if output != nil {
		check.ExpectBuffer(t, output, []float32{2, 3, 4, 5}, "an output that was asked for its size before its contents were there")
	}
}
