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

// Strides of the host's array, and layouts of the device's array.
var stridesChecks = []check.Check{
	{Rule: "STR-01", Run: func(t *check.T) {
		for _, dims := range [][]int64{{}, {5}, {2, 3}, {3, 2}, {3, 3}, {2, 3, 4}, {3, 3, 3}} {
			data := dtype.Bytes(floats(check.Elements(dims...)))
			null := t.Download(upload(t, dtype.F32, data, dims...))
			explicit, err := strided(t, dtype.F32, data, 0, dims, rowStrides(4, dims))
			if err != nil {
				t.Errorf("upload of f32%v with row-major strides: expected success, got %v", dims, err)
				continue
			}
			expectBytes(t, data, explicit, 0xff, "f32"+show(dims)+" with row-major strides")
			expectBytes(t, explicit, null, 0xff, "f32"+show(dims)+" without strides")
		}
		for a := range t.Shaped() {
			if !a.Type.IsSubByte() { // STR-08 is about these
				expectStrided(t, a.Type, a.Data, 0, a.Dims, rowStrides(a.Type.Size(), a.Dims), a.Data)
			}
		}
	}},
	{Rule: "STR-02", Run: func(t *check.T) {
		for _, dims := range [][]int64{{2, 3}, {2, 3, 4}} {
			for _, e := range []dtype.Type{dtype.U8, dtype.S16, dtype.F32, dtype.F64, dtype.C128} {
				data := hostBytes(e, check.Elements(dims...))
				for _, order := range check.Orders(len(dims)) {
					physical := permute(data, e.Size(), dims, order)
					expectStrided(t, e, physical, 0, dims, stridesOf(e.Size(), dims, order), data)
				}
			}
		}
		for a := range t.Shaped() {
			for _, order := range check.Each(t, check.Orders(len(a.Dims))) {
				if !a.Type.IsSubByte() && !expectStrided(t, a.Type, permute(a.Data, a.Type.Size(), a.Dims, order), 0, a.Dims,
					stridesOf(a.Type.Size(), a.Dims, order), a.Data) {
					return
				}
			}
		}
	}},
	{Rule: "STR-03", Hostile: true, Run: func(t *check.T) {
		// The memory ends with the last element, without a gap behind it.
		gaps := []float32{1, 777, 2, 777, 3, 777, 4}
		expectStrided(t, dtype.F32, t.Edge(dtype.Bytes(gaps)), 0, []int64{4}, []int64{8}, dtype.Bytes(floats(4)))
		rows := []float32{1, 2, 3, 777, 777, 4, 5, 6}
		expectStrided(t, dtype.F32, t.Edge(dtype.Bytes(rows)), 0, []int64{2, 3}, []int64{20, 4}, dtype.Bytes(floats(6)))
		both := []float32{1, 777, 2, 777, 3, 777, 777, 4, 777, 5, 777, 6}
		expectStrided(t, dtype.F32, t.Edge(dtype.Bytes(both)), 0, []int64{2, 3}, []int64{28, 8}, dtype.Bytes(floats(6)))
	}},
	{Rule: "STR-04", Hostile: true, Run: func(t *check.T) {
		one := t.Edge(dtype.Bytes([]float32{7}))
		expectStrided(t, dtype.F32, one, 0, []int64{4}, []int64{0}, dtype.Bytes([]float32{7, 7, 7, 7}))
		three := t.Edge(dtype.Bytes([]float32{7, 8, 9}))
		expectStrided(t, dtype.F32, three, 0, []int64{2, 3}, []int64{0, 4}, dtype.Bytes([]float32{7, 8, 9, 7, 8, 9}))
		expectStrided(t, dtype.F32, three, 0, []int64{3, 2}, []int64{4, 0}, dtype.Bytes([]float32{7, 7, 8, 8, 9, 9}))
		for i, dims := range check.Each(t, check.Shapes[:len(check.Shapes)-1]) {
			for d := range len(dims) + 1 {
				v := wholeOf(check.HostArrayOf(check.Width(3*i+d), uint64(d), dims...))
				v.insert(d, 3, 0)
				v.expect(t, check.Width(3*i+d))
			}
		}
	}},
	{Rule: "STR-05", Hostile: true, Run: func(t *check.T) {
		for i, dims := range check.Each(t, check.Shapes) {
			for d := range dims {
				v := wholeOf(check.HostArrayOf(check.Width(2*i+d), uint64(d), dims...))
				v.slice(d, dims[d]-1, dims[d], -1)
				v.expect(t, check.Width(2*i+d))
			}
		}
		for _, data := range [][]byte{t.Edge(dtype.Bytes(floats(6))), t.EdgeBefore(dtype.Bytes(floats(6)))} {
			expectStrided(t, dtype.F32, data, 20, []int64{6}, []int64{-4}, dtype.Bytes([]float32{6, 5, 4, 3, 2, 1}))
			expectStrided(t, dtype.F32, data, 12, []int64{2, 3}, []int64{-12, 4}, dtype.Bytes([]float32{4, 5, 6, 1, 2, 3}))
			expectStrided(t, dtype.F32, data, 8, []int64{2, 3}, []int64{12, -4}, dtype.Bytes([]float32{3, 2, 1, 6, 5, 4}))
			expectStrided(t, dtype.F32, data, 20, []int64{2, 3}, []int64{-12, -4}, dtype.Bytes([]float32{6, 5, 4, 3, 2, 1}))
		}
	}},
	wrongNumberOfStrides("more", []int64{12, 4, 4}),
	wrongNumberOfStrides("fewer", []int64{4}),
	{Rule: "STR-07", Run: func(t *check.T) {
		block := make([]byte, 64)
		values := dtype.Bytes(floats(4))
		for i := range 4 {
			copy(block[6*i:], values[4*i:4*i+4])
		}
		got, err := strided(t, dtype.F32, block, 0, []int64{4}, []int64{6})
		if err != nil {
			t.Notef("a stride of 6 bytes for f32 is refused: %v", err)
			return
		}
		expectBytes(t, values, got, 0xff, "f32[4] with a stride of 6 bytes")
		for i := range 4 {
			copy(block[13*(i/2)+6*(i%2):], values[4*i:4*i+4])
		}
		if got, err = strided(t, dtype.F32, block, 0, []int64{2, 2}, []int64{13, 6}); err != nil {
			t.Notef("strides of 13 and 6 bytes for f32 are refused: %v", err)
			return
		}
		expectBytes(t, values, got, 0xff, "f32[2 2] with strides of 13 and 6 bytes")
	}},
	{Rule: "STR-08", Run: func(t *check.T) {
		seen := 0
		for _, e := range subByteTypes(t) {
			taken := true
			for _, dims := range [][]int64{{2, 3}, {3, 3}} {
				data := []byte{0, 1, 1, 0, 1, 1, 1, 0, 0}[:check.Elements(dims...)]
				if e.Bits() > 2 {
					data = []byte{1, 2, 3, 4, 5, 6, 7, 1, 2}[:check.Elements(dims...)]
				}
				if b, ok := uploaded(t, hostArgs(t.Client(), e, data, dims...)); ok {
					check.Destroy(t, b)
				} else {
					taken = false
					break
				}
				strides := []int64{1, dims[0]}
				got, err := strided(t, e, permute(data, 1, dims, []int64{0, 1}), 0, dims, strides)
				if err != nil {
					t.Errorf("upload of %v%v with strides %v: expected success, got %v", e, dims, strides, err)
					continue
				}
				expectBytes(t, data, got, mask(e), e.String()+show(dims)+" with strides "+show(strides))
			}
			if !taken {
				continue
			}
			seen++
			for _, dims := range check.Each(t, check.Shapes) {
				data := hostBytes(e, check.Elements(dims...))
				for _, order := range check.Each(t, check.Orders(len(dims))) {
					expectStrided(t, e, permute(data, 1, dims, order), 0, dims, stridesOf(1, dims, order), data)
				}
			}
		}
		if seen == 0 {
			t.SkipUnimplf("the plugin takes no type that is narrower than a byte")
		}
	}},
	{Rule: "STR-09", Run: func(t *check.T) {
		dims := []int64{64, 48}
		data := dtype.Bytes(floats(64 * 48))
		const first, last = capi.HostBufferSemanticsImmutableOnlyDuringCall, capi.HostBufferSemanticsMutableZeroCopy
		for semantics := first; semantics <= last; semantics++ {
			if semantics == capi.HostBufferSemanticsMutableZeroCopy && t.Minor() < 48 {
				continue
			}
			physical := check.Aligned(len(data), 4096, 0)
			t.Keep(physical)
			copy(physical, permute(data, 4, dims, []int64{0, 1}))
			args := hostArgs(t.Client(), dtype.F32, physical, dims...)
			args.HostBufferSemantics = semantics
			args.ByteStrides, args.NumByteStrides = check.First([]int64{4, 4 * 64})
			out := check.Call(t, args)
			b := check.Own(t, out.Buffer)
			check.Own(t, out.DoneWithHostBuffer)
			expectBytes(t, data, t.Download(b), 0xff, "f32[64 48] from column-major memory with "+semantics.String())
			for i, dims := range check.Each(t, check.Shapes) {
				for _, order := range check.Each(t, check.Orders(len(dims))) {
					a := check.HostArrayOf([]dtype.Type{dtype.F32, dtype.U8, dtype.F64}[i%3], uint64(semantics), dims...)
					physical := check.Aligned(len(a.Data), 64, 0)
					t.Keep(physical)
					copy(physical, permute(a.Data, a.Type.Size(), dims, order))
					args := hostArgs(t.Client(), a.Type, physical, dims...)
					args.HostBufferSemantics = semantics
					args.ByteStrides, args.NumByteStrides = check.First(stridesOf(a.Type.Size(), dims, order))
					b, err := t.TryUploadLater(args)
					if t.NoError(err, "upload of %v from memory in the order %v with %v", a, order, semantics) {
						expectArray(t, b, a, fmt.Sprintf("from memory in the order %v with %v", order, semantics))
						check.Destroy(t, b)
					}
				}
			}
		}
	}},
	{Rule: "STR-10", Run: func(t *check.T) {
		dims := []int64{2, 3}
		data := dtype.Bytes(floats(6))
		for _, order := range check.Orders(2) {
			b, ok := withLayout(t, dtype.F32, data, dims, check.TiledLayout(order), "minor_to_major "+show(order))
			if !ok {
				continue
			}
			expectBytes(t, data, t.Download(b), 0xff, "row-major download of an upload with minor_to_major "+show(order))
			logicalValues(t, b, order)
		}
		for i, dims := range check.Each(t, check.Shapes) {
			for j, order := range check.Each(t, check.Orders(len(dims))) {
				a := check.HostArrayOf(check.Width(i+j), uint64(j), dims...)
				what := fmt.Sprintf("%v with minor_to_major %v", a, order)
				if b, ok := withLayout(t, a.Type, a.Data, dims, check.TiledLayout(order), what); ok {
					expectDims(t, b, dims, "an upload with minor_to_major "+show(order))
					expectArray(t, b, a, "with minor_to_major "+show(order))
					check.Destroy(t, b)
				}
			}
		}
	}},
	{Rule: "STR-11", Run: func(t *check.T) {
		seen := 0
		for _, dims := range check.Each(t, check.Shapes) {
			data := dtype.Bytes(floats(check.Elements(dims...)))
			for _, order := range check.Each(t, check.Orders(len(dims))) {
				b, ok := withLayout(t, dtype.F32, data, dims, check.TiledLayout(order), "minor_to_major "+show(order))
				if !ok {
					continue
				}
				if got, ok := reportedOrder(t, b); ok {
					seen++
					if !slices.Equal(got, order) {
						t.Errorf("layout of an upload with minor_to_major %v: expected the same, got %v", order, got)
					}
				}
				check.Destroy(t, b)
			}
		}
		if seen == 0 {
			t.SkipUnimplf("the plugin takes no layouts, or does not tell them")
		}
	}},
	{Rule: "STR-12", Hostile: true, Run: func(t *check.T) {
		for _, order := range [][]int64{{0, 0}, {1}, {2, 1, 0}, {0, 2}, {-1, 0}, {1 << 40, 0}} {
			args := hostArgs(t.Client(), dtype.F32, dtype.Bytes(floats(6)), 2, 3)
			args.DeviceLayout = check.TiledLayout(order)
			_, err := t.TryUpload(args)
			t.ErrorCode(err, "upload of f32[2 3] with minor_to_major "+show(order))
		}
	}},
	{Rule: "STR-13", Hostile: true, Run: func(t *check.T) {
		for i := range 4 * len(check.Shapes) {
			dims := check.Shapes[i/4]
			orders := check.Orders(len(dims))
			order := orders[i*3%len(orders)]
			data := dtype.Bytes(floats(check.Elements(dims...)))
			strides := stridesOf(4, dims, order)
			if b, ok := withLayout(t, dtype.F32, data, dims, check.StridedLayout(strides),
				"a device layout by the strides "+show(strides)); ok {
				expectBytes(t, data, t.Download(b), 0xff, "upload with a device layout by the strides "+show(strides))
				if got, ok := reportedOrder(t, b); ok && !slices.Equal(got, order) {
					t.Errorf("layout of an upload with a device layout by the strides %v: expected minor_to_major %v, got %v",
						strides, order, got)
				}
			}
		}
	}},
	{Rule: "STR-14", Hostile: true, Run: func(t *check.T) {
		data := dtype.Bytes(floats(12))
		b, ok := withLayout(t, dtype.F32, data, []int64{3, 4}, check.LayoutWithTiles([]int64{1, 0}, []int64{2, 2}), "tiles of 2 by 2")
		if !ok {
			return
		}
		expectBytes(t, data, t.Download(b), 0xff, "f32[3 4] in tiles of 2 by 2 on the device")
		size := t.SizeOnDevice(b)
		if size < 64 {
			t.Errorf("size on the device of f32[3 4] in tiles of 2 by 2, which the plugin took: expected at least 64 bytes, got %d", size)
		}
	}},
	{Rule: "STR-15", Hostile: true, Run: func(t *check.T) {
		for _, kind := range []capi.BufferMemoryLayoutType{2, 7, 256, -1} {
			args := hostArgs(t.Client(), dtype.F32, dtype.Bytes(floats(6)), 2, 3)
			args.DeviceLayout = check.TiledLayout([]int64{1, 0})
			args.DeviceLayout.Type = kind
			_, err := t.TryUpload(args)
			t.ErrorCode(err, fmt.Sprintf("upload with a device layout of the type %d", kind))
		}
	}},
}

// strided uploads with strides from a byte offset in memory, and downloads again.
func strided(t *check.T, e dtype.Type, memory []byte, offset int, dims, strides []int64) ([]byte, error) {
	t.Keep(memory)
	args := hostArgs(t.Client(), e, memory[offset:], dims...)
	args.ByteStrides, args.NumByteStrides = check.First(strides)
	b, err := t.TryUpload(args)
	if err != nil {
		return nil, err
	}
	got := t.Download(b)
	check.Destroy(t, b)
	return got, nil
}

func expectStrided(t *check.T, e dtype.Type, memory []byte, offset int, dims, strides []int64, want []byte) bool {
	what := fmt.Sprintf("%v%v with strides %v", e, dims, strides)
	got, err := strided(t, e, memory, offset, dims, strides)
	if err != nil {
		t.Errorf("upload of %s: expected success, got %v", what, err)
		return false
	}
	return expectBytes(t, want, got, mask(e), what)
}

func wrongNumberOfStrides(variant string, strides []int64) check.Check {
	return check.Check{Rule: "STR-06", Variant: variant, Hostile: true, Run: func(t *check.T) {
		_, err := strided(t, dtype.F32, dtype.Bytes(floats(64)), 0, []int64{2, 3}, strides)
		t.ErrorCode(err, fmt.Sprintf("upload of two dimensions with %d byte_strides", len(strides)), capi.ErrorCodeInvalidArgument)
	}}
}

// withLayout uploads with a device layout; it returns false if that is refused.
func withLayout(t *check.T, e dtype.Type, data []byte, dims []int64, layout *capi.BufferMemoryLayout, what string) (*capi.Buffer, bool) {
	args := hostArgs(t.Client(), e, data, dims...)
	args.DeviceLayout = layout
	b, err := t.TryUpload(args)
	if declined(err) {
		t.Notef("%s is refused: %v", what, err)
		return nil, false
	}
	if err != nil {
		t.Errorf("upload with %s: expected success, INVALID_ARGUMENT or UNIMPLEMENTED, got %v", what, err)
		return nil, false
	}
	return b, true
}

// reportedOrder returns the order of a buffer's dimensions, from the buffer or from the
// Layouts extension.
func reportedOrder(t *check.T, b *capi.Buffer) ([]int64, bool) {
	if order, ok := minorToMajor(t, b); ok {
		return order, true
	}
	if !t.Table().Has(check.FunctionOf[capi.LayoutsBufferMemoryLayoutArgs]()) {
		return nil, false
	}
	return parseMinorToMajor(layoutText(t, b))
}

// logicalValues lets a program weigh the elements 1 to 6 by their positions. A program
// expects its arguments in the layout that it names, or in the default one if the
// plugin handles layouts itself: one of the two must give the right sum.
func logicalValues(t *check.T, b *capi.Buffer, order []int64) {
	mode := fmt.Sprintf(" {mhlo.layout_mode = \"{%d,%d}\"}", order[0], order[1])
	var sums []float32
	for _, attribute := range []string{mode, ""} {
		exe, err := t.TryCompile(t.Client(), fmt.Sprintf(`module @weigh {
  func.func public @main(%%a: tensor<2x3xf32>%s) -> tensor<f32> {
    %%w = stablehlo.constant dense<[[1.0, 10.0, 100.0], [1000.0, 10000.0, 100000.0]]> : tensor<2x3xf32>
    %%zero = stablehlo.constant dense<0.0> : tensor<f32>
    %%0 = stablehlo.multiply %%a, %%w : tensor<2x3xf32>
    %%1 = stablehlo.reduce(%%0 init: %%zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    return %%1 : tensor<f32>
  }
}`, attribute), check.Devices(1, 1))
		if err != nil {
			continue
		}
		x := check.NewExecution(exe, 1, []*capi.Buffer{b})
		if err := x.Start(t); err != nil {
			t.Notef("a program does not take the buffer with minor_to_major %v: %v", order, err)
			continue
		}
		sum := check.DownloadAs[float32](t, x.Outputs[0][0])[0]
		if sum == 654321 {
			return
		}
		sums = append(sums, sum)
	}
	if len(sums) > 0 {
		t.Errorf("elements of an upload with minor_to_major %v, weighed by their places in a program: expected 654321, got %v", order, sums)
	}
}
