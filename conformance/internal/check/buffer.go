// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// HostArgs returns the arguments that upload data, dense and row-major, to the
// client's first device. Fields can be changed before the call. Nil dims mean
// one dimension of all elements; a scalar has empty ones.
func HostArgs[E dtype.Elem](c *Client, data []E, dims ...int64) capi.ClientBufferFromHostBufferArgs {
	args := capi.ClientBufferFromHostBufferArgs{
		Client: c.Handle, Device: c.Devices[0],
		Type: capi.BufferType(dtype.Of[E]()), Data: Pointer(data),
	}
	if dims == nil {
		dims = []int64{int64(len(data))}
	}
	args.Dims, args.NumDims = First(dims)
	return args
}

// First returns the address of the first element and the number of elements, as
// C takes arrays.
func First[E any](s []E) (*E, uintptr) {
	if len(s) == 0 {
		return nil, 0
	}
	return &s[0], uintptr(len(s))
}

// UploadArgs makes a buffer with the arguments and waits until the host memory
// is free again. The check owns the buffer.
func (t *T) UploadArgs(args capi.ClientBufferFromHostBufferArgs) *capi.Buffer {
	out := Call(t, args)
	if out.Buffer == nil {
		t.Fatalf("PJRT_Client_BufferFromHostBuffer: success without a buffer")
	}
	Own(t, out.Buffer)
	if out.DoneWithHostBuffer == nil { // H2D-01 is about that
		out.DoneWithHostBuffer = Call(t, capi.BufferReadyEventArgs{Buffer: out.Buffer}).Event
	}
	if err := t.Wait(out.DoneWithHostBuffer); err != nil {
		t.Fatalf("PJRT_Client_BufferFromHostBuffer: expected done_with_host_buffer to succeed, got %v", err)
	}
	return out.Buffer
}

// TryUpload is like UploadArgs for an upload that may be refused.
func (t *T) TryUpload(args capi.ClientBufferFromHostBufferArgs) (*capi.Buffer, error) {
	out, err := Try(t, args)
	if err != nil {
		return nil, err
	}
	t.NoError(t.Await(Own(t, out.DoneWithHostBuffer)), "done_with_host_buffer")
	return Own(t, out.Buffer), nil
}

// TryUploadLater is like TryUpload, but does not wait: the host memory must stay as it is until the
// check ends.
func (t *T) TryUploadLater(args capi.ClientBufferFromHostBufferArgs) (*capi.Buffer, error) {
	out, err := Try(t, args)
	if err != nil {
		return nil, err
	}
	Own(t, out.DoneWithHostBuffer)
	return Own(t, out.Buffer), nil
}

// Upload copies data to the client's first device and waits until that is done.
// The check owns the buffer. Nil dims mean one dimension of all elements.
func Upload[E dtype.Elem](t *T, c *Client, data []E, dims ...int64) *capi.Buffer {
	b := t.UploadArgs(HostArgs(c, data, dims...))
	runtime.KeepAlive(data)
	return b
}

// UploadTo is like Upload, to a given device.
func UploadTo[E dtype.Elem](t *T, c *Client, device *capi.Device, data []E, dims ...int64) *capi.Buffer {
	args := HostArgs(c, data, dims...)
	args.Device = device
	b := t.UploadArgs(args)
	runtime.KeepAlive(data)
	return b
}

// Dimensions returns the dimensions of a buffer.
func (t *T) Dimensions(b *capi.Buffer) []int64 {
	d := Call(t, capi.BufferDimensionsArgs{Buffer: b})
	return append([]int64{}, capi.Slice(d.Dims, d.NumDims)...)
}

// RowMajor returns the host layout of a dense row-major array of that rank. The result
// keeps alive what it points to.
func RowMajor(rank int) *capi.BufferMemoryLayout {
	minorToMajor := make([]int64, rank)
	for i := range minorToMajor {
		minorToMajor[i] = int64(rank - 1 - i)
	}
	return TiledLayout(minorToMajor)
}

// HostSize returns how many bytes a buffer has on the host, in any layout without gaps: what the
// plugin says or, if it does not say that, what follows from the type and the dimensions. D2H-01
// and D2H-02 are about the question.
func (t *T) HostSize(b *capi.Buffer, layout *capi.BufferMemoryLayout) uintptr {
	out, err := Try(t, capi.BufferToHostBufferArgs{Src: b, HostLayout: layout})
	if err == nil {
		if size := t.SaidSize(out); size > 0 {
			return size
		}
	}
	dims := t.Dimensions(b)
	if out, err := Try(t, capi.BufferUnpaddedDimensionsArgs{Buffer: b}); err == nil { // of dynamic ones, what there is
		dims = capi.Slice(out.UnpaddedDims, out.NumDims)
	}
	e := dtype.Type(Call(t, capi.BufferElementTypeArgs{Buffer: b}).Type)
	return uintptr(Elements(dims...) * e.Size())
}

// SaidSize returns the size in the answer of a plugin that was asked how much memory a download
// needs. The check fails if there may be no such memory.
func (t *T) SaidSize(out capi.BufferToHostBufferArgs) uintptr {
	const most = 1 << 30 // more than any array of a check takes
	Own(t, out.Event)
	if out.DstSize > most {
		t.Fatalf("PJRT_Buffer_ToHostBuffer without memory: expected the size of a small array, got %d", out.DstSize)
	}
	return out.DstSize
}

// Download returns the contents of a buffer, dense and row-major.
func (t *T) Download(b *capi.Buffer) []byte {
	layout := RowMajor(len(t.Dimensions(b)))
	size := t.HostSize(b, layout)
	dst := make([]byte, size)
	out := Call(t, capi.BufferToHostBufferArgs{Src: b, HostLayout: layout, Dst: Pointer(dst), DstSize: size})
	if out.Event == nil {
		if size == 0 {
			return dst
		}
		t.Fatalf("PJRT_Buffer_ToHostBuffer: success without an event")
	}
	if err := t.Wait(out.Event); err != nil {
		t.Fatalf("PJRT_Buffer_ToHostBuffer: expected the event to succeed, got %v", err)
	}
	runtime.KeepAlive(layout)
	return dst
}

// DownloadAs is like Download, with elements of E, whose size must divide the buffer's.
func DownloadAs[E dtype.Elem](t *T, b *capi.Buffer) []E {
	data := t.Download(b)
	elements, err := dtype.View[E](data)
	if err != nil {
		t.Fatalf("the buffer has %d bytes, which cannot be read as %T: %v", len(data), *new(E), err)
	}
	return elements
}

// ExpectBuffer fails the check unless the buffer holds want.
func ExpectBuffer[E dtype.Elem](t *T, b *capi.Buffer, want []E, what string) bool {
	got := DownloadAs[E](t, b)
	if len(got) != len(want) {
		t.Errorf("%s: expected %d elements, got %d", what, len(want), len(got))
		return false
	}
	for i := range want {
		if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) {
			t.Errorf("%s: element %d of %d: expected %v, got %v", what, i, len(want), want[i], got[i])
			return false
		}
	}
	return true
}
