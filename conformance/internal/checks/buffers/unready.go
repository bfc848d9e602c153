// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
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
	several := outputsOf(t, p)
	for i, b := range several {
		look(fmt.Sprintf("output %d of %d of an execution that waits", i, len(several)), b)
	}
	of := p.Buffer
	for step, what := 1, "a copy of a buffer whose data has not come"; step <= 3; step++ {
		b := copyOfUnready(t, p, of, step)
		if b == nil {
			break
		}
		look(what, b)
		of, what = b, "a copy of that copy"
	}
	p.Fulfil()
	if output != nil {
		check.ExpectBuffer(t, output, []float32{2, 3, 4, 5}, "an output that was asked for its size before its contents were there")
	}
	for i, b := range several {
		what := fmt.Sprintf("output %d of %d, which was looked at before its contents were there", i, len(several))
		check.ExpectBuffer(t, b, floats(4), what)
	}
	if of != p.Buffer {
		check.ExpectBuffer(t, of, floats(4), "a copy that was looked at before its contents were there")
	}
	eachUnsent(t, look)
}

// outputsOf returns the results of an execution that waits for p and returns it several times, or
// none if the plugin cannot do that.
func outputsOf(t *check.T, p *pending) []*capi.Buffer {
	const n = 5
	arrays := slices.Repeat([]check.HostArray{{Type: dtype.F32, Dims: []int64{4}}}, n)
	exe, err := t.TryCompile(t.Client(), check.Returning(arrays), check.Devices(1, 1))
	if err != nil {
		t.Notef("a program of %d results is refused: %v", n, err)
		return nil
	}
	x := check.NewExecution(exe, n, slices.Repeat([]*capi.Buffer{p.Buffer}, n))
	if !attempt(t, p, func() { err = x.Start(t) }) || err != nil {
		return nil
	}
	return x.Outputs[0]
}

// copyOfUnready copies a buffer that waits for p to another place: to the next device or, if there
// is only one, to another memory and back. It returns nil if the plugin cannot do that before the
// contents are there.
func copyOfUnready(t *check.T, p *pending, b *capi.Buffer, step int) (copied *capi.Buffer) {
	var err error
	if !attempt(t, p, func() {
		if devices := t.Client().Devices; len(devices) > 1 {
			var out capi.BufferCopyToDeviceArgs
			out, err = check.Try(t, capi.BufferCopyToDeviceArgs{Buffer: b, DstDevice: devices[step%len(devices)]})
			copied = check.Own(t, out.DstBuffer)
		} else if memories := t.Client().Memories; len(memories) > 1 {
			var out capi.BufferCopyToMemoryArgs
			out, err = check.Try(t, capi.BufferCopyToMemoryArgs{Buffer: b, DstMemory: memories[step%len(memories)]})
			copied = check.Own(t, out.DstBuffer)
		}
	}) || err != nil {
		return nil
	}
	return copied
}

// eachUnsent shows look the buffers of a transfer manager whose data comes later than that of their
// neighbours, and then sends it.
func eachUnsent(t *check.T, look func(what string, b *capi.Buffer)) {
	if !t.Table().Has(check.FunctionOf[managers]()) {
		return
	}
	four := spec{dtype.F32, []int64{4}}
	specs := []spec{four, four, four, four}
	out, err := check.Try(t, managerArgs(t, specs...))
	if err != nil {
		return
	}
	m := check.Own(t, out.TransferManager)
	buffers := make([]*capi.Buffer, len(specs))
	for i := range specs {
		buffers[i] = retrieve(t, m, i)
	}
	for at, i := range []int{2, 0, 3, 1} {
		if at > 0 {
			look(fmt.Sprintf("buffer %d of %d whose data has not come, unlike that of others", i, len(specs)), buffers[i])
		}
		send(t, m, i, dtype.Bytes(floats(4)), 0, true)
		check.ExpectBuffer(t, buffers[i], floats(4), fmt.Sprintf("buffer %d of %d, after its data came", i, len(specs)))
	}
}
