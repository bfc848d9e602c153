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

// maker is a way to get a buffer of f32 with given contents from a plugin. Unusual
// sizes or dims may go wrong with one maker and right with another.
type maker struct {
	name    string
	sizes   string // the rule by which the contents arrive whole
	dims    string // the rule by which the dims are those that were asked for
	devices int
	make    func(t *check.T, data []float32, dims ...int64) *capi.Buffer
}

var makers = []maker{
	{name: "an upload", sizes: "H2D-02", dims: "BUF-02", make: func(t *check.T, data []float32, dims ...int64) *capi.Buffer {
		return check.Upload(t, t.Client(), data, dims...)
	}},
	{name: "a copy to a device", sizes: "COPY-01", dims: "COPY-01", devices: 2,
		make: func(t *check.T, data []float32, dims ...int64) *capi.Buffer {
			return copyTo(t, check.Upload(t, t.Client(), data, dims...), t.Client().Devices[1])
		}},
	{name: "a copy to a memory", sizes: "COPY-08", dims: "COPY-08", devices: 2,
		make: func(t *check.T, data []float32, dims ...int64) *capi.Buffer {
			to := check.Optional(t, capi.DeviceDefaultMemoryArgs{Device: t.Client().Devices[1]}).Memory
			b, ok := copyToMemory(t, check.Upload(t, t.Client(), data, dims...), to, "a buffer to the default memory of another device")
			if !ok {
				t.SkipUnimplf("the plugin does not copy between the memories of two devices")
			}
			return b
		}},
	{name: "a transfer manager", sizes: "AH2D-12", dims: "AH2D-01", make: func(t *check.T, data []float32, dims ...int64) *capi.Buffer {
		m, b := single(t, spec{dtype.F32, dims})
		bytes := dtype.Bytes(data)
		t.Keep(bytes)
		send(t, m, 0, bytes, 0, true)
		return b
	}},
	{name: "a transfer manager, in two parts", sizes: "AH2D-13", dims: "AH2D-13",
		make: func(t *check.T, data []float32, dims ...int64) *capi.Buffer {
			m, b := single(t, spec{dtype.F32, dims})
			bytes := dtype.Bytes(data)
			t.Keep(bytes)
			half := len(data) / 2 * 4
			send(t, m, 0, bytes[half:], int64(half), false)
			send(t, m, 0, bytes[:half], 0, true)
			return b
		}},
	{name: "a view", sizes: "VIEW-01", dims: "VIEW-01", make: func(t *check.T, data []float32, dims ...int64) *capi.Buffer {
		if t.Platform() != "cpu" {
			t.SkipEnvf("the process cannot write into the memory of the device")
		}
		m := foreign(t, 4*len(data))
		m.write(dtype.Bytes(data))
		v, _ := view(t, m, dims...)
		return v
	}},
	{name: "an alias", sizes: "UNI-14", dims: "UNI-13", make: func(t *check.T, data []float32, dims ...int64) *capi.Buffer {
		a := alias(t, dims...)
		fulfil(t, a, check.Upload(t, t.Client(), data, dims...))
		return a.AliasBuffer
	}},
	{name: "an execution", sizes: "RUN-01", dims: "RUN-01", make: func(t *check.T, data []float32, dims ...int64) *capi.Buffer {
		typ := check.Tensor(dtype.F32, dims)
		exe := compiled(t, fmt.Sprintf(`module @twice_the_half {
  func.func @main(%%a: %[1]s) -> %[1]s {
    %%half = stablehlo.constant dense<0.5> : %[1]s
    %%0 = stablehlo.multiply %%a, %%half : %[1]s
    %%1 = stablehlo.add %%0, %%0 : %[1]s
    return %%1 : %[1]s
  }
}`, typ))
		out, event := started(t, exe, check.Upload(t, t.Client(), data, dims...))
		t.NoError(t.Await(event), "event of an execution")
		return out
	}},
}

// unevenSizes are numbers of f32 that take more than a mebibyte, but not a whole number
// of pages.
var unevenSizes = []int{1<<18 + 1, 3<<18 + 1021}

// dimsOfOne are shapes with dims of one, which do not influence the order of the
// elements.
var dimsOfOne = [][]int64{{}, {1}, {1, 1}, {3, 1}, {1, 3}, {2, 1, 3, 1}}

// makerChecks returns the checks of all makers.
func makerChecks() []check.Check {
	var cs []check.Check
	for _, m := range makers {
		cs = append(cs,
			check.Check{Rule: m.sizes, Variant: "uneven/" + m.name, Devices: m.devices, Run: m.uneven},
			check.Check{Rule: m.dims, Variant: "dims of one/" + m.name, Devices: m.devices, Run: m.ones})
	}
	return append(cs,
		check.Check{Rule: "RAW-01", Variant: "uneven", Run: func(t *check.T) {
			for _, n := range unevenSizes {
				want := dtype.Bytes(floats(n))
				got, err := rawRead(t, check.Upload(t, t.Client(), floats(n)), 0, int64(len(want)), len(want))
				if err != nil {
					t.Fatalf("copy of %d bytes: expected success, got %v", len(want), err)
				}
				expectBytes(t, want, got, 0xff, fmt.Sprintf("raw copy of %d bytes", len(want)))
			}
		}},
		check.Check{Rule: "BUF-09", Variant: "uneven", Run: func(t *check.T) {
			for _, n := range unevenSizes {
				b := check.Upload(t, t.Client(), floats(n))
				if got := t.SizeOnDevice(b); got < uintptr(4*n) {
					t.Errorf("size on the device of f32[%d]: expected at least %d, got %d", n, 4*n, got)
				}
				check.Equal(t, 4*n, hostSize(t, b, check.RowMajor(1)), "dst_size of f32[%d]", n)
			}
		}},
		check.Check{Rule: "UNI-01", Variant: "dims of one", Run: func(t *check.T) {
			for _, dims := range dimsOfOne {
				b := check.Own(t, check.Call(t, uninitializedArgs(t, dtype.F32, dims...)).Buffer)
				expectDims(t, b, dims, "an uninitialised buffer")
			}
		}},
		check.Check{Rule: "UNI-05", Variant: "dims of one", Run: func(t *check.T) {
			for _, dims := range dimsOfOne {
				b := check.Own(t, check.Call(t, errorBufferArgs(t, failureCode, failureMessage, dims...)).Buffer)
				expectDims(t, b, dims, "a buffer that is an error")
			}
		}},
	)
}

func (m maker) uneven(t *check.T) {
	for _, n := range unevenSizes {
		b := m.make(t, floats(n), int64(n))
		expectBytes(t, dtype.Bytes(floats(n)), t.Download(b), 0xff, fmt.Sprintf("f32[%d] by %s", n, m.name))
		check.Destroy(t, b)
	}
}

func (m maker) ones(t *check.T) {
	for _, dims := range dimsOfOne {
		n := elements(dims...)
		b := m.make(t, floats(n), dims...)
		expectDims(t, b, dims, m.name)
		check.ExpectBuffer(t, b, floats(n), fmt.Sprintf("f32%v by %s", dims, m.name))
	}
}

// expectDims fails the check unless all functions that return a buffer's dims return
// these.
func expectDims(t *check.T, b *capi.Buffer, dims []int64, what string) {
	if got := t.Dimensions(b); !slices.Equal(got, dims) {
		t.Errorf("dimensions of %s f32%v: got %v", what, dims, got)
	}
	if out, err := check.Try(t, capi.BufferUnpaddedDimensionsArgs{Buffer: b}); err == nil {
		if got := capi.Slice(out.UnpaddedDims, out.NumDims); !slices.Equal(got, dims) {
			t.Errorf("unpadded dimensions of %s f32%v: got %v", what, dims, got)
		}
	}
}
