// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// types returns the element types that hold data and that the plugin's API version
// knows.
func types(t *check.T) []dtype.Type {
	var list []dtype.Type
	for _, e := range dtype.All() {
		if e != dtype.Token && e.Since() <= t.Minor() {
			list = append(list, e)
		}
	}
	return list
}

// subByteTypes returns the types that are narrower than a byte.
func subByteTypes(t *check.T) []dtype.Type {
	var list []dtype.Type
	for _, e := range types(t) {
		if e.IsSubByte() {
			list = append(list, e)
		}
	}
	return list
}

// mask has the bits that count in a byte of a host array.
func mask(e dtype.Type) byte {
	if e.IsSubByte() {
		return byte(1)<<e.Bits() - 1
	}
	return 0xff
}

// hostBytes returns n elements of a type.
func hostBytes(e dtype.Type, n int) []byte { return check.Values(e, n, 0) }

// counting returns n bytes that reveal their position: no two stretches of a few
// hundred bytes are the same.
func counting(n int) []byte {
	data := make([]byte, n)
	x := uint32(1)
	for i := 0; i+4 <= n; i += 4 {
		x = x*1664525 + 1013904223
		data[i], data[i+1], data[i+2], data[i+3] = byte(x>>24), byte(x>>16), byte(x>>8), byte(i>>2)
	}
	return data
}

// floats returns n floats: 1, 2, 3 and so on.
func floats(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i + 1)
	}
	return list
}

// sevens returns n floats with a value that no other data here has.
func sevens(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = 777
	}
	return list
}

// alignedFloats is like floats, at an address that is a multiple of 4096, so that a
// plugin can use them in place.
func alignedFloats(t *check.T, n int) []float32 {
	list, err := dtype.View[float32](check.Aligned(4*n, 4096, 0))
	if err != nil {
		panic(err)
	}
	copy(list, floats(n))
	t.Keep(list)
	return list
}

// hostArgs returns the arguments that upload dense host bytes of a type to the first
// device. No dims mean a scalar.
func hostArgs(c *check.Client, e dtype.Type, data []byte, dims ...int64) uploadArgs {
	args := uploadArgs{
		Client: c.Handle, Device: c.Devices[0], Type: capi.BufferType(e), Data: check.Pointer(data),
	}
	args.Dims, args.NumDims = check.First(dims)
	return args
}

// argsOf returns the arguments that upload an array to the first device.
func argsOf(c *check.Client, a check.HostArray) uploadArgs {
	return hostArgs(c, a.Type, a.Data, a.Dims...)
}

// expectArray fails the check unless a buffer holds an array.
func expectArray(t *check.T, b *capi.Buffer, a check.HostArray, what string) bool {
	return expectBytes(t, a.Data, t.Download(b), mask(a.Type), a.String()+" "+what)
}

// expectAll is like expectArray for what all functions say about a buffer.
func expectAll(t *check.T, b *capi.Buffer, a check.HostArray, what string) bool {
	check.Equal(t, capi.BufferType(a.Type), t.ElementType(b), "type of %v %s", a, what)
	expectDims(t, b, a.Dims, a.Type.String()+" "+what)
	return expectArray(t, b, a, what)
}

// upload makes a buffer of host bytes. The check owns it.
func upload(t *check.T, e dtype.Type, data []byte, dims ...int64) *capi.Buffer {
	b := t.UploadArgs(hostArgs(t.Client(), e, data, dims...))
	runtime.KeepAlive(data)
	return b
}

// uploaded is like upload for types that the plugin may refuse: it reports whether
// there is a buffer, and notes a refusal.
func uploaded(t *check.T, args uploadArgs) (*capi.Buffer, bool) {
	out, err := check.Try(t, args)
	if err == nil {
		check.Own(t, out.Buffer)
		err = t.Wait(out.DoneWithHostBuffer)
	}
	if err == nil && out.Buffer != nil {
		err = t.Wait(check.Call(t, capi.BufferReadyEventArgs{Buffer: out.Buffer}).Event)
	}
	e := dtype.Type(args.Type)
	switch capi.CodeOf(err) {
	case capi.ErrorCodeOK:
		if out.Buffer == nil {
			t.Errorf("upload of %v: success without a buffer", e)
		}
		return out.Buffer, out.Buffer != nil
	case capi.ErrorCodeUnimplemented, capi.ErrorCodeInvalidArgument:
		if e == dtype.F32 || e == dtype.S32 {
			t.Errorf("upload of %v: expected success, got %v", e, err)
		}
		t.Notef("the plugin does not take %v: %v", e, err)
	default:
		t.Errorf("upload of %v: expected success, UNIMPLEMENTED or INVALID_ARGUMENT, got %v", e, err)
	}
	return nil, false
}

// declined reports whether an error says that the plugin does not offer something.
func declined(err error) bool {
	code := capi.CodeOf(err)
	return code == capi.ErrorCodeUnimplemented || code == capi.ErrorCodeInvalidArgument
}

// expectBytes fails the check unless got is want in the bits of mask.
func expectBytes(t *check.T, want, got []byte, mask byte, what string) bool {
	if len(got) != len(want) {
		t.Errorf("%s: expected %d bytes, got %d", what, len(want), len(got))
		return false
	}
	for i := range want {
		if (got[i]^want[i])&mask != 0 {
			t.Errorf("%s: byte %d of %d: expected %#02x, got %#02x", what, i, len(want), want[i]&mask, got[i]&mask)
			return false
		}
	}
	return true
}

// expectDimensions fails the check unless a buffer says that its dimensions are those.
func expectDimensions(t *check.T, b *capi.Buffer, want []int64, what string, args ...any) {
	if got := t.Dimensions(b); !slices.Equal(got, want) {
		t.Errorf("dimensions of %s: expected %v, got %v", fmt.Sprintf(what, args...), want, got)
	}
}

// room returns memory of the host that lives as long as the check.
func room(t *check.T, n int) []byte {
	data := make([]byte, n)
	t.Keep(data)
	return data
}

// filled is room with bytes that show if a plugin wrote there.
func filled(t *check.T, n int) []byte {
	data := room(t, n)
	copy(data, bytes.Repeat([]byte{filler}, n))
	return data
}

// filler is a byte that no data of a check consists of.
const filler = 0xee

// permute returns the elements of a dense row-major array in the order in which
// memory has them when the dimensions lie from minor to major as given.
func permute(data []byte, size int, dims, minorToMajor []int64) []byte {
	strides := rowStrides(size, dims)
	out := make([]byte, 0, len(data))
	index := make([]int64, len(dims))
	for range len(data) / size {
		at := int64(0)
		for d, i := range index {
			at += i * strides[d]
		}
		out = append(out, data[at:at+int64(size)]...)
		for _, d := range minorToMajor {
			if index[d]++; index[d] < dims[d] {
				break
			}
			index[d] = 0
		}
	}
	return out
}

// rowStrides returns the byte strides of a dense row-major array.
func rowStrides(size int, dims []int64) []int64 {
	order := make([]int64, len(dims))
	for i := range order {
		order[i] = int64(len(dims) - 1 - i)
	}
	return stridesOf(size, dims, order)
}

// stridesOf returns the byte strides of a dense array whose dimensions lie from minor
// to major as given.
func stridesOf(size int, dims, minorToMajor []int64) []int64 {
	strides := make([]int64, len(dims))
	step := int64(size)
	for _, d := range minorToMajor {
		strides[d] = step
		step *= dims[d]
	}
	return strides
}

// show returns the text of a value for a message.
func show(v any) string { return fmt.Sprint(v) }
