// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// What a buffer says about itself.
var metadataChecks = []check.Check{
	{Rule: "BUF-01", Run: func(t *check.T) {
		for _, e := range types(t) {
			if b, ok := uploaded(t, hostArgs(t.Client(), e, make([]byte, 4*e.Size()), 4)); ok {
				got := dtype.Type(t.ElementType(b))
				check.Equal(t, e, got, "type of a buffer of %v", e)
				check.Destroy(t, b)
			}
		}
	}},
	{Rule: "BUF-02", Run: func(t *check.T) {
		var told []capi.BufferDimensionsArgs
		for _, dims := range shapes {
			b := upload(t, dtype.F32, make([]byte, 4*check.Elements(dims...)), dims...)
			first := check.Call(t, capi.BufferDimensionsArgs{Buffer: b})
			churn(t)
			second := check.Call(t, capi.BufferDimensionsArgs{Buffer: b})
			for _, d := range []capi.BufferDimensionsArgs{first, second} {
				if got := capi.Slice(d.Dims, d.NumDims); !slices.Equal(got, dims) {
					t.Errorf("dimensions: expected %v, got %v", dims, got)
				}
			}
			if len(dims) > 0 && first.Dims != second.Dims {
				t.Errorf("dimensions of %v: expected the same array from two calls, got %p and %p", dims, first.Dims, second.Dims)
			}
			told = append(told, first)
		}
		for i, d := range told { // all buffers still live
			if got := capi.Slice(d.Dims, d.NumDims); !slices.Equal(got, shapes[i]) {
				t.Errorf("dimensions of %v, read after those of other buffers were asked for: got %v", shapes[i], got)
			}
		}
		out := t.Run(compiled(t, check.AddOne), 1, small(t))[0]
		expectDimensions(t, out, []int64{4}, "an output")
	}},
	{Rule: "BUF-03", Run: func(t *check.T) {
		for _, dims := range shapes {
			b := upload(t, dtype.F32, make([]byte, 4*check.Elements(dims...)), dims...)
			d := check.Call(t, capi.BufferUnpaddedDimensionsArgs{Buffer: b})
			if got := capi.Slice(d.UnpaddedDims, d.NumDims); !slices.Equal(got, dims) {
				t.Errorf("unpadded dimensions of a static shape: expected %v, got %v", dims, got)
			}
		}
	}},
	{Rule: "BUF-04", Run: func(t *check.T) {
		b := dynamicBuffer(t)
		d := check.Call(t, capi.BufferUnpaddedDimensionsArgs{Buffer: b})
		if got := capi.Slice(d.UnpaddedDims, d.NumDims); !slices.Equal(got, []int64{3}) {
			t.Errorf("unpadded dimensions of 3 of at most 8 elements: expected [3], got %v", got)
		}
		if got := t.Dimensions(b); !slices.Equal(got, []int64{8}) && !slices.Equal(got, []int64{3}) {
			t.Errorf("dimensions of 3 of at most 8 elements: expected [8] or [3], got %v", got)
		}
		if b := dynamicSecond(t); b != nil {
			d := check.Call(t, capi.BufferUnpaddedDimensionsArgs{Buffer: b})
			if got := capi.Slice(d.UnpaddedDims, d.NumDims); !slices.Equal(got, []int64{2, 3}) {
				t.Errorf("unpadded dimensions of 2 x 3 of at most 2 x 5 elements: expected [2 3], got %v", got)
			}
		}
	}},
	{Rule: "BUF-05", Run: func(t *check.T) {
		for _, dims := range shapes {
			b := upload(t, dtype.F32, make([]byte, 4*check.Elements(dims...)), dims...)
			check.Equal(t, 0, check.Call(t, capi.BufferDynamicDimensionIndicesArgs{Buffer: b}).NumDynamicDims,
				"dynamic dimensions of the static shape %v", dims)
		}
	}},
	{Rule: "BUF-05", Variant: "dynamic", Run: func(t *check.T) {
		d := check.Call(t, capi.BufferDynamicDimensionIndicesArgs{Buffer: dynamicBuffer(t)})
		if got := capi.Slice(d.DynamicDimIndices, d.NumDynamicDims); !slices.Equal(got, []uintptr{0}) {
			t.Errorf("dynamic dimensions of a result with a bounded first dimension: expected [0], got %v", got)
		}
		if b := dynamicSecond(t); b != nil {
			d := check.Call(t, capi.BufferDynamicDimensionIndicesArgs{Buffer: b})
			if got := capi.Slice(d.DynamicDimIndices, d.NumDynamicDims); !slices.Equal(got, []uintptr{1}) {
				t.Errorf("dynamic dimensions of a result with a bounded second dimension: expected [1], got %v", got)
			}
		}
	}},
	{Rule: "BUF-06", Run: func(t *check.T) {
		b := dynamicBuffer(t)
		first := check.Call(t, capi.BufferDynamicDimensionIndicesArgs{Buffer: b})
		churn(t)
		second := check.Call(t, capi.BufferDynamicDimensionIndicesArgs{Buffer: b})
		for _, d := range []capi.BufferDynamicDimensionIndicesArgs{first, second} {
			if got := capi.Slice(d.DynamicDimIndices, d.NumDynamicDims); !slices.Equal(got, []uintptr{0}) {
				t.Errorf("dynamic dimensions: expected [0], got %v", got)
			}
		}
	}},
	{Rule: "BUF-07", Run: func(t *check.T) {
		for _, dims := range shapes {
			b := upload(t, dtype.F32, make([]byte, 4*check.Elements(dims...)), dims...)
			layout := check.Call(t, capi.BufferGetMemoryLayoutArgs{Buffer: b}).Layout
			switch layout.Type {
			case capi.BufferMemoryLayoutTypeTiled:
				tiled := layout.Tiled()
				order := capi.Slice(tiled.MinorToMajor, tiled.MinorToMajorSize)
				if !isPermutation(order, len(dims)) {
					t.Errorf("minor_to_major of %v: expected a permutation of %d dimensions, got %v", dims, len(dims), order)
				}
				sizes := capi.Slice(tiled.TileDimSizes, tiled.NumTiles)
				if len(sizes) != int(tiled.NumTiles) {
					t.Errorf("tile_dim_sizes of %v: expected %d numbers, got null", dims, tiled.NumTiles)
				}
			case capi.BufferMemoryLayoutTypeStrides:
				strides := capi.Slice(layout.Strides().ByteStrides, layout.Strides().NumByteStrides)
				check.Equal(t, len(dims), len(strides), "num_byte_strides of %v", dims)
				for d := range min(len(dims), len(strides)) {
					if dims[d] > 1 && check.Elements(dims...) > 0 && strides[d] < 4 {
						t.Errorf("byte_strides of f32%v: expected at least 4 for dimension %d, got %v", dims, d, strides)
					}
				}
			default:
				t.Errorf("type of the layout of %v: expected tiled or strides, got %d", dims, layout.Type)
			}
		}
	}},
	{Rule: "BUF-08", Run: func(t *check.T) {
		seen := 0
		type wish struct{ dims, order []int64 }
		wishes := []wish{{[]int64{2, 3}, nil}, {[]int64{2, 3}, []int64{1, 0}}, {[]int64{2, 3}, []int64{0, 1}}}
		for _, dims := range check.Each(t, check.Shapes) {
			for _, order := range check.Each(t, check.Orders(len(dims))) {
				wishes = append(wishes, wish{dims, order})
			}
		}
		for _, w := range wishes {
			order := w.order
			args := hostArgs(t.Client(), dtype.F32, dtype.Bytes(floats(check.Elements(w.dims...))), w.dims...)
			if order != nil {
				args.DeviceLayout = check.TiledLayout(order)
			}
			b, err := t.TryUpload(args)
			if err != nil {
				t.Notef("minor_to_major %v is refused: %v", order, err)
				continue
			}
			layout := check.Call(t, capi.BufferGetMemoryLayoutArgs{Buffer: b}).Layout
			if layout.Type != capi.BufferMemoryLayoutTypeTiled {
				t.SkipEnvf("the layout is told by strides")
			}
			tiled := layout.Tiled()
			said := capi.Slice(tiled.MinorToMajor, tiled.MinorToMajorSize)
			text := layoutText(t, b)
			got, ok := parseMinorToMajor(text)
			if !ok {
				t.SkipEnvf("the Layouts extension writes the layout as %q, which the suite cannot read", text)
			}
			seen++
			if !slices.Equal(got, said) {
				t.Errorf("minor_to_major: PJRT_Buffer_GetMemoryLayout says %v, the Layouts extension %q", said, text)
			}
		}
		if seen == 0 {
			t.SkipEnvf("no buffer could be made")
		}
	}},
	{Rule: "BUF-09", Run: func(t *check.T) {
		for _, e := range types(t) {
			for _, dims := range [][]int64{{}, {7}, {16, 3}, {2, 0}} {
				n := check.Elements(dims...)
				b, ok := uploaded(t, hostArgs(t.Client(), e, make([]byte, n*e.Size()), dims...))
				if !ok {
					break
				}
				size := t.SizeOnDevice(b)
				if packed := uintptr(n*e.Bits()+7) / 8; size < packed {
					t.Errorf("size on the device of %v%v: expected at least %d bytes, got %d", e, dims, packed, size)
				}
				check.Destroy(t, b)
			}
		}
		for a := range t.Sized() {
			if b, ok := uploaded(t, argsOf(t.Client(), a)); ok {
				if size, packed := t.SizeOnDevice(b), uintptr(check.Elements(a.Dims...)*a.Type.Bits()+7)/8; size < packed {
					t.Errorf("size on the device of %v: expected at least %d bytes, got %d", a, packed, size)
				}
				check.Destroy(t, b)
			}
		}
	}},
	{Rule: "BUF-10", Run: func(t *check.T) {
		for i, d := range t.Client().Devices {
			b := check.UploadTo(t, t.Client(), d, floats(4))
			check.Equal(t, d, t.DeviceOf(b), "device of an upload to device %d", i)
			m, err := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: d})
			if err != nil {
				continue
			}
			args := check.HostArgs(t.Client(), floats(4))
			args.Device, args.Memory = d, m.Memory
			check.Equal(t, d, t.DeviceOf(t.UploadArgs(args)),
				"device of an upload to the default memory of device %d", i)
		}
	}},
	{Rule: "BUF-10", Variant: "outputs", Devices: 2, Run: func(t *check.T) {
		exe, err := t.TryCompile(t.Client(), check.AddOne, check.Devices(2, 1))
		if err != nil {
			t.SkipUnimplf("a program for two devices does not compile: %v", err)
		}
		devices := check.List[capi.LoadedExecutableAddressableDevicesArgs, *capi.Device](t, exe)
		if len(devices) != 2 {
			t.BlockedBy("LEX-08", "a program for two devices has %d addressable devices", len(devices))
		}
		var arguments [][]*capi.Buffer
		for _, d := range devices {
			arguments = append(arguments, []*capi.Buffer{check.UploadTo(t, t.Client(), d, floats(4))})
		}
		for i, list := range t.RunOn(exe, 1, arguments...) {
			check.Equal(t, devices[i], t.DeviceOf(list[0]), "device of the output on device %d of the program's", i)
		}
	}},
	{Rule: "BUF-11", Run: func(t *check.T) {
		if len(t.Client().Memories) == 0 {
			t.SkipUnimplf("the client has no memories")
		}
		seen := 0
		for _, m := range t.Client().Memories {
			args := check.HostArgs(t.Client(), floats(4))
			args.Memory = m
			b, err := t.TryUpload(args)
			if err != nil {
				t.Notef("upload to %s: %v", memoryName(t, m), err)
				continue
			}
			seen++
			got := t.MemoryOf(b)
			check.Equal(t, m, got, "memory of a buffer in %s", memoryName(t, m))
			device := t.DeviceOf(b)
			if !slices.Contains(check.List[capi.DeviceAddressableMemoriesArgs, *capi.Memory](t, device), got) {
				t.Errorf("memory of a buffer in %s: it is not a memory of the buffer's device", memoryName(t, m))
			}
		}
		if seen == 0 {
			t.SkipUnimplf("no memory takes an upload")
		}
	}},
	{Rule: "BUF-12", Run: func(t *check.T) {
		cpu := t.Platform() == "cpu"
		look := func(what string, b *capi.Buffer) {
			check.Equal(t, true, check.Call(t, capi.BufferIsOnCPUArgs{Buffer: b}).IsOnCPU, "is_on_cpu of a buffer in %s", what)
		}
		if cpu {
			look("the default memory", small(t))
		}
		seen := cpu
		for _, m := range t.Client().Memories {
			if !cpu && !strings.Contains(check.Text[capi.MemoryKindArgs](t, m), "host") {
				continue
			}
			args := check.HostArgs(t.Client(), floats(4))
			args.Memory = m
			if b, err := t.TryUpload(args); err == nil {
				seen = true
				look(memoryName(t, m), b)
			}
		}
		if !seen {
			t.SkipEnvf("no memory of the host takes an upload")
		}
	}},
	{Rule: "BUF-28", Run: func(t *check.T) {
		exe := compiled(t, check.AddOne)
		seen := make(map[*capi.Buffer]bool)
		add := func(b *capi.Buffer, what string) {
			if seen[b] {
				t.Fatalf("handle of %s: it is that of another buffer that is alive", what)
			}
			seen[b] = true
		}
		for i := range 200 {
			b := small(t)
			add(b, "an upload")
			if i%10 == 0 {
				add(t.Run(exe, 1, b)[0], "an output")
				deleteBuffer(t, b) // its handle lives on
			}
			if devices := t.Client().Devices; i%10 == 5 && len(devices) > 1 {
				add(copyTo(t, b, devices[1]), "a copy")
			}
		}
	}},
}

// shapes are dimensions of many kinds.
var shapes = slices.Concat([][]int64{{}, {1}, {7}, {2, 3}, {3, 2}, {0}, {4, 0, 2}, {1, 2, 1, 3, 2}, {3, 1}, {1, 1}}, check.Shapes,
	check.Degenerate)

// churn makes and destroys objects, so that memory that was freed too early is reused.
func churn(t *check.T) {
	for range 20 {
		b := upload(t, dtype.F32, make([]byte, 4*720), 6, 5, 4, 3, 2)
		t.Dimensions(b)
		check.Destroy(t, b)
	}
}

// layoutText returns the layout of a buffer as the Layouts extension writes it.
func layoutText(t *check.T, b *capi.Buffer) string {
	l := check.Optional(t, capi.LayoutsBufferMemoryLayoutArgs{Buffer: b}).Layout
	defer check.Try(t, capi.LayoutsMemoryLayoutDestroyArgs{Layout: l})
	s := check.Optional(t, capi.LayoutsMemoryLayoutSerializeArgs{Layout: l})
	text := capi.String(s.SerializedBytes, s.SerializedBytesSize)
	s.SerializedLayoutDeleter.Call(s.SerializedLayout)
	return text
}

// parseMinorToMajor reads the dimensions in XLA's notation for layouts, {1,0:T(8,128)}.
func parseMinorToMajor(text string) ([]int64, bool) {
	text, ok := strings.CutPrefix(text, "{")
	text, end := strings.CutSuffix(text, "}")
	if !ok || !end {
		return nil, false
	}
	text, _, _ = strings.Cut(text, ":")
	var order []int64
	for _, word := range strings.Split(text, ",") {
		d, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, text == ""
		}
		order = append(order, d)
	}
	return order, true
}
