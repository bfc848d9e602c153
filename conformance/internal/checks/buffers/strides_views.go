// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// hostView is a part of a dense array of the host, like NumPy's slices: no element has
// moved.
type hostView struct {
	memory  []byte
	offset  int // of the first element, in bytes
	dims    []int64
	strides []int64 // in bytes
	how     string
}

// whole returns a view of all elements.
func whole(e dtype.Type, data []byte, dims ...int64) *hostView {
	return &hostView{memory: data, dims: slices.Clone(dims), strides: rowStrides(e.Size(), dims), how: fmt.Sprintf("%v%v", e, dims)}
}

// wholeOf is whole of an array.
func wholeOf(a check.HostArray) *hostView { return whole(a.Type, a.Data, a.Dims...) }

// slice takes every step-th element of a dimension, backwards if step is negative.
func (v *hostView) slice(d int, from, n, step int64) {
	v.offset += int(from * v.strides[d])
	v.dims[d] = n
	v.strides[d] *= step
	v.how += fmt.Sprintf(", of dimension %d the %d from %d on in steps of %d", d, n, from, step)
}

// swap exchanges two dimensions.
func (v *hostView) swap(a, b int) {
	v.dims[a], v.dims[b] = v.dims[b], v.dims[a]
	v.strides[a], v.strides[b] = v.strides[b], v.strides[a]
	v.how += fmt.Sprintf(", dimensions %d and %d swapped", a, b)
}

// insert adds a dimension of n copies. For a single copy the stride may be anything, since
// it is never used; otherwise it is zero.
func (v *hostView) insert(d int, n, stride int64) {
	v.dims, v.strides = slices.Insert(v.dims, d, n), slices.Insert(v.strides, d, stride)
	v.how += fmt.Sprintf(", a dimension of %d in front of %d with the stride %d", n, d, stride)
}

// dense returns the elements of the view, in order.
func (v *hostView) dense(size int) []byte {
	out := make([]byte, 0, check.Elements(v.dims...)*size)
	index := make([]int64, len(v.dims))
	for range check.Elements(v.dims...) {
		at := int64(v.offset)
		for d, i := range index {
			at += i * v.strides[d]
		}
		out = append(out, v.memory[at:at+int64(size)]...)
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < v.dims[d] {
				break
			}
			index[d] = 0
		}
	}
	return out
}

// expect uploads the view. The memory is overwritten as soon as that is allowed.
func (v *hostView) expect(t *check.T, e dtype.Type) {
	want := v.dense(e.Size())
	memory := slices.Clone(v.memory)
	t.Keep(memory)
	args := hostArgs(t.Client(), e, memory[v.offset:], v.dims...)
	args.ByteStrides, args.NumByteStrides = check.First(v.strides)
	out, err := check.Try(t, args)
	if err != nil {
		t.Errorf("upload of a view of %s: expected success, got %v", v.how, err)
		return
	}
	for i := range memory {
		memory[i] = 0xee
	}
	b := check.Own(t, out.Buffer)
	t.NoError(t.Await(check.Own(t, out.DoneWithHostBuffer)), "done_with_host_buffer of a view")
	if got := t.Dimensions(b); !slices.Equal(got, v.dims) {
		t.Errorf("dimensions of a view of %s: expected %v, got %v", v.how, v.dims, got)
		return
	}
	expectBytes(t, want, t.Download(b), mask(e), "a view of "+v.how)
	check.Destroy(t, b)
}

// viewsOfHostChecks upload arrays that are not dense, as callers' arrays often are.
var viewsOfHostChecks = []check.Check{
	{Rule: "STR-03", Variant: "views", Run: func(t *check.T) {
		for i, e := range []dtype.Type{dtype.F32, dtype.U8, dtype.C64, dtype.F64, dtype.S16, dtype.C128} {
			r := rand.New(rand.NewPCG(uint64(i), 5059))
			for range 12 {
				randomView(r, e).expect(t, e)
			}
		}
		for i, dims := range check.Each(t, check.Shapes) { // gaps in each dimension, and in all
			for d := range len(dims) + 1 {
				e := []dtype.Type{dtype.U8, dtype.F32, dtype.F64, dtype.S16, dtype.C128}[(i+d)%5]
				v := wholeOf(check.HostArrayOf(e, uint64(d), dims...))
				for at := range dims {
					if at == d || d == len(dims) {
						v.slice(at, 1, dims[at]/2, 2)
					}
				}
				v.expect(t, e)
			}
		}
	}},
	{Rule: "STR-03", Variant: "large view", Run: func(t *check.T) {
		const rows, columns = 700, 1031
		v := whole(dtype.F32, dtype.Bytes(floats(rows*columns)), rows, columns)
		v.slice(0, rows-1, rows/2, -2)
		v.slice(1, 3, columns-5, 1)
		v.swap(0, 1)
		v.expect(t, dtype.F32)
	}},
	{Rule: "STR-01", Variant: "dims of one", Run: func(t *check.T) {
		for _, stride := range []int64{0, 4, 3, -8, 1 << 20} {
			v := whole(dtype.F32, dtype.Bytes(floats(6)), 2, 3)
			v.insert(1, 1, stride)
			v.insert(3, 1, stride)
			v.insert(0, 1, stride)
			v.expect(t, dtype.F32)
			scalar := whole(dtype.F32, dtype.Bytes(floats(1)))
			scalar.insert(0, 1, stride)
			scalar.expect(t, dtype.F32)
		}
	}},
	{Rule: "H2D-04", Variant: "strides", Run: func(t *check.T) {
		for _, dims := range [][]int64{{0}, {3, 0}, {0, 3}, {2, 0, 4}} {
			v := whole(dtype.F32, dtype.Bytes(floats(8)), dims...)
			for i := range v.strides {
				v.strides[i] = 4 * int64(len(dims)-i)
			}
			args := hostArgs(t.Client(), dtype.F32, v.memory, dims...)
			args.ByteStrides, args.NumByteStrides = check.First(v.strides)
			b := t.UploadArgs(args)
			if got := t.Dimensions(b); !slices.Equal(got, dims) {
				t.Errorf("dimensions of f32%v with strides: got %v", dims, got)
			}
			check.Equal(t, 0, len(t.Download(b)), "bytes of f32%v with strides", dims)
		}
	}},
}

// randomView returns a view of some dense array after one to four steps.
func randomView(r *rand.Rand, e dtype.Type) *hostView {
	dims := make([]int64, 1+r.IntN(3))
	for i := range dims {
		dims[i] = 1 + r.Int64N(7)
	}
	v := whole(e, hostBytes(e, check.Elements(dims...)), dims...)
	for range 1 + r.IntN(4) {
		d := r.IntN(len(v.dims))
		switch r.IntN(4) {
		case 0, 1:
			step := []int64{1, 2, 3, -1, -2}[r.IntN(5)]
			most := v.dims[d]
			from, left := r.Int64N(most), int64(0)
			if left = most - from; step < 0 {
				left = from + 1
			}
			v.slice(d, from, 1+r.Int64N((left-1)/max(step, -step)+1), step)
		case 2:
			v.swap(d, r.IntN(len(v.dims)))
		default:
			if n := 1 + r.Int64N(3); len(v.dims) < 5 {
				v.insert(d, n, 0)
			}
		}
	}
	return v
}
