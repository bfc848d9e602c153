// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// numbers is an array of small integers, row-major, of any element type. The imaginary part
// of a complex element is twice its real part, so that sums of elements have the same form.
type numbers struct {
	of   dtype.Type
	dims []int64
	v    []int64
}

// text returns the type in StableHLO, such as tensor<2x3xf32>.
func (a numbers) text() string { return check.Tensor(a.of, a.dims) }

// volume returns the number of elements of an array.
func volume(dims []int64) int {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return int(n)
}

// bytes returns the array as the host holds it. Integers wrap.
func (a numbers) bytes() []byte {
	v, of := a.v, a.of
	if of.IsComplex() {
		of = dtype.F32
		if a.of == dtype.C128 {
			of = dtype.F64
		}
		v = make([]int64, 0, 2*len(a.v))
		for _, x := range a.v {
			v = append(v, x, 2*x)
		}
	}
	out := make([]byte, len(v)*of.Size())
	if err := dtype.Convert(out, of, dtype.Bytes(v), dtype.S64); err != nil {
		panic(err) // all types are the suite's own
	}
	return out
}

// upload puts the array on a device. The check owns the buffer.
func (a numbers) upload(t *check.T, c *check.Client, d *capi.Device) *capi.Buffer {
	data := a.bytes()
	args := capi.ClientBufferFromHostBufferArgs{Client: c.Handle, Device: d, Type: capi.BufferType(a.of), Data: check.Pointer(data)}
	args.Dims, args.NumDims = check.First(a.dims)
	b := t.UploadArgs(args)
	runtime.KeepAlive(data)
	return b
}

// expect fails the check unless a buffer holds the array.
func (a numbers) expect(t *check.T, b *capi.Buffer, what string) bool {
	if got := t.Dimensions(b); !slices.Equal(got, a.dims) {
		t.Errorf("%s: expected the dimensions %v, got %v", what, a.dims, got)
		return false
	}
	want, got := a.bytes(), t.Download(b)
	if len(want) != len(got) {
		t.Errorf("%s: expected %d bytes, got %d", what, len(want), len(got))
		return false
	}
	at := check.DiffersAt(want, got)
	if at < 0 {
		return true
	}
	size := a.of.Size()
	at -= at % size
	t.Errorf("%s: element %d of %d: expected %s, got %s", what, at/size, len(a.v), elementText(a.of, want[at:at+size]),
		elementText(a.of, got[at:at+size]))
	return false
}

// elementText formats one element.
func elementText(of dtype.Type, b []byte) string {
	number := make([]float64, 1)
	if dtype.Convert(dtype.Bytes(number), dtype.F64, b, of) != nil {
		return fmt.Sprintf("the bytes % x", b)
	}
	return fmt.Sprint(number[0])
}
