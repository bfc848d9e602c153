// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// What a call makes.
var uploadChecks = []check.Check{
	{Rule: "H2D-01", Run: func(t *check.T) {
		out := check.Call(t, check.HostArgs(t.Client(), floats(4)))
		check.Own(t, out.Buffer)
		check.Own(t, out.DoneWithHostBuffer)
		if out.Buffer == nil || out.DoneWithHostBuffer == nil {
			t.Fatalf("PJRT_Client_BufferFromHostBuffer: expected a buffer and done_with_host_buffer, got null for one of them")
		}
		t.NoError(t.Await(out.DoneWithHostBuffer), "done_with_host_buffer")
		t.NoError(t.Await(t.Ready(out.Buffer)), "ready event of the buffer")
		check.ExpectBuffer(t, out.Buffer, floats(4), "uploaded buffer")
		again := check.Call(t, check.HostArgs(t.Client(), sevens(4)))
		if again.Buffer == out.Buffer || again.DoneWithHostBuffer == out.DoneWithHostBuffer {
			t.Fatalf("two calls of PJRT_Client_BufferFromHostBuffer: expected a buffer and an event each, got the same handle twice")
		}
		check.Own(t, again.Buffer)
		check.Own(t, again.DoneWithHostBuffer)
		check.Destroy(t, out.DoneWithHostBuffer)
		t.NoError(t.Await(again.DoneWithHostBuffer), "done_with_host_buffer, after that of another upload was destroyed")
	}},
}

// What an upload makes of shapes and pointers.
var uploadShapeChecks = []check.Check{
	{Rule: "H2D-03", Run: func(t *check.T) {
		args := hostArgs(t.Client(), dtype.F32, dtype.Bytes([]float32{42}))
		args.Dims, args.NumDims = nil, 0
		b := t.UploadArgs(args)
		check.Equal(t, 0, len(t.Dimensions(b)), "number of dimensions of a scalar")
		check.ExpectBuffer(t, b, []float32{42}, "scalar")
		for _, e := range types(t) {
			data := hostBytes(e, 1)
			args := hostArgs(t.Client(), e, data)
			args.Dims, _ = check.First([]int64{5}) // num_dims is still 0
			b, ok := uploaded(t, args)
			if !ok {
				continue
			}
			check.Equal(t, 0, len(t.Dimensions(b)), "number of dimensions of a scalar %v", e)
			expectBytes(t, data, t.Download(b), mask(e), "scalar "+e.String())
			check.Destroy(t, b)
		}
	}},
	{Rule: "H2D-04", Run: emptyArrays},
	{Rule: "H2D-05", Hostile: true, Run: func(t *check.T) {
		for _, dims := range [][]int64{{-1}, {2, -3}, {-2, -2}, {0, -1}} {
			refused(t, dims, "negative dimensions")
		}
		check.ExpectBuffer(t, small(t), floats(4), "a buffer that was uploaded afterwards")
	}},
	{Rule: "H2D-06", Hostile: true, Run: func(t *check.T) {
		for _, dims := range [][]int64{{1 << 40, 1 << 40}, {1 << 62, 4}, {1<<63 - 1, 2}, {1 << 61, 2, 2}, {1 << 32, 1 << 32}} {
			refused(t, dims, "dimensions whose product overflows", capi.ErrorCodeInvalidArgument, capi.ErrorCodeResourceExhausted)
		}
		check.ExpectBuffer(t, small(t), floats(4), "a buffer that was uploaded afterwards")
	}},
	{Rule: "H2D-07", Hostile: true, Run: tooMuch},
	{Rule: "H2D-16", Run: unaligned},
	{Rule: "H2D-17", Run: func(t *check.T) {
		for i, d := range t.Client().Devices {
			want := check.Optional(t, capi.DeviceDefaultMemoryArgs{Device: d}).Memory
			b := check.UploadTo(t, t.Client(), d, floats(4))
			got := check.Optional(t, capi.BufferMemoryArgs{Buffer: b}).Memory
			check.Equal(t, want, got, "memory of a buffer on device %d, compared with PJRT_Device_DefaultMemory", i)
			check.Equal(t, d, t.DeviceOf(b), "device of a buffer on device %d", i)
			for j, n := range check.Each(t, check.Counts) {
				a := check.HostArrayOf(check.Width(j+i), uint64(i), int64(n))
				args := argsOf(t.Client(), a)
				args.Device = d
				if b, ok := uploaded(t, args); ok {
					expectArray(t, b, a, "on device "+show(i))
					check.Destroy(t, b)
				}
			}
		}
	}},
	{Rule: "H2D-18", Devices: 2, Run: func(t *check.T) {
		c := t.Client()
		args := check.HostArgs(c, floats(4))
		args.Memory = check.Optional(t, capi.DeviceDefaultMemoryArgs{Device: c.Devices[1]}).Memory
		b := t.UploadArgs(args)
		check.Equal(t, args.Memory, t.MemoryOf(b), "memory of a buffer with device 0 and a memory of device 1")
		check.Equal(t, c.Devices[1], t.DeviceOf(b), "device of a buffer with device 0 and a memory of device 1")
		check.ExpectBuffer(t, b, floats(4), "that buffer")
	}},
	{Rule: "H2D-18", Variant: "no device", Hostile: true, Run: func(t *check.T) {
		args := check.HostArgs(t.Client(), floats(4))
		args.Device, args.Memory = nil, t.DefaultMemory(t.Client())
		b := t.UploadArgs(args)
		check.Equal(t, t.Client().Devices[0], t.DeviceOf(b), "device of a buffer with a memory and no device")
		check.ExpectBuffer(t, b, floats(4), "buffer with a memory and no device")
	}},
	{Rule: "H2D-19", Run: everyMemory},
	{Rule: "H2D-20", Hostile: true, Run: func(t *check.T) {
		args := check.HostArgs(t.Client(), floats(4))
		args.Device = nil
		_, err := t.TryUpload(args)
		t.ErrorCode(err, "upload with device and memory null")
	}},
	{Rule: "H2D-21", Hostile: true, Run: func(t *check.T) {
		other := t.NewClient()
		args := check.HostArgs(t.Client(), floats(4))
		args.Device = other.Devices[0]
		_, err := t.TryUpload(args)
		t.ErrorCode(err, "upload to a device of another client")
	}},
	{Rule: "H2D-22", Run: func(t *check.T) {
		seen := 0
		for _, e := range subByteTypes(t) {
			for _, n := range []int{256, 255} { // 255 do not fill the device's last byte
				data := make([]byte, n)
				for i := range data {
					data[i] = byte(i)
				}
				b, ok := uploaded(t, hostArgs(t.Client(), e, data, int64(n)))
				if !ok {
					break
				}
				seen++
				got := t.Download(b)
				expectBytes(t, data, got, mask(e), e.String()+" with all bits above its width set and not")
				for i := range min(n, len(got)) {
					if 8%e.Bits() != 0 {
						break // the rule says nothing about types of six bits
					}
					if want := got[data[i]&mask(e)]; got[i] != want {
						t.Errorf("%v: expected the host byte %#02x to come back as %#02x does, as %#02x, got %#02x", e, data[i],
							data[i]&mask(e), want, got[i])
						break
					}
				}
				check.Destroy(t, b)
			}
		}
		if seen == 0 {
			t.SkipUnimplf("the plugin takes no type that is narrower than a byte")
		}
	}},
	{Rule: "H2D-23", Run: func(t *check.T) {
		seen := 0
		for _, e := range subByteTypes(t) {
			if b, ok := uploaded(t, hostArgs(t.Client(), e, make([]byte, 5), 5)); ok {
				seen++
				packed := uintptr(5*e.Bits()+7) / 8
				size := t.SizeOnDevice(b)
				t.Notef("5 elements of %v take %d bytes on the device, %d if packed", e, size, packed)
				if size < packed {
					t.Errorf("size on the device of 5 elements of %v: expected at least %d, got %d", e, packed, size)
				}
			}
		}
		if seen == 0 {
			t.SkipUnimplf("the plugin takes no type that is narrower than a byte")
		}
	}},
	{Rule: "H2D-24", Run: predicates},
	{Rule: "H2D-25", Variant: "INVALID", Hostile: true, Run: func(t *check.T) {
		args := check.HostArgs(t.Client(), floats(4))
		args.Type = capi.BufferTypeInvalid
		_, err := t.TryUpload(args)
		t.ErrorCode(err, "upload of the type INVALID")
	}},
	{Rule: "H2D-25", Variant: "TOKEN", Hostile: true, Run: func(t *check.T) {
		if t.Minor() < dtype.Token.Since() {
			t.SkipAbsentf("the type TOKEN came with API 0.%d, but the plugin has API 0.%d", dtype.Token.Since(), t.Minor())
		}
		args := hostArgs(t.Client(), dtype.Token, make([]byte, 8))
		out, err := check.Try(t, args)
		if err != nil {
			t.Notef("a token is refused: %v", err)
			return
		}
		check.Own(t, out.Buffer)
		if out.DoneWithHostBuffer != nil {
			t.NoError(t.Await(check.Own(t, out.DoneWithHostBuffer)), "done_with_host_buffer of a token")
		}
		check.Equal(t, capi.BufferTypeToken, t.ElementType(out.Buffer), "type of a token")
	}},
	{Rule: "H2D-26", Hostile: true, Run: func(t *check.T) {
		args := check.HostArgs(t.Client(), floats(4))
		args.Data = nil
		_, err := t.TryUpload(args)
		t.ErrorCode(err, "upload of 16 bytes from null")
	}},
	{Rule: "H2D-27", Run: arraysMayBeFreed},
}

// roundTripChecks returns the checks of H2D-02, one for each type.
func roundTripChecks() []check.Check {
	var list []check.Check
	for _, e := range dtype.All() {
		if e == dtype.Token {
			continue
		}
		list = append(list, check.Check{Rule: "H2D-02", Variant: "type=" + e.String(), Run: func(t *check.T) {
			if t.Minor() < e.Since() {
				t.SkipAbsentf("the type %v came with API 0.%d, but the plugin has API 0.%d", e, e.Since(), t.Minor())
			}
			for _, dims := range [][]int64{{}, {7}, {2, 3}, {3, 1, 2}, {2, 3, 2, 2}, {1, 2, 1, 3, 2}} {
				data := hostBytes(e, check.Elements(dims...))
				b, ok := uploaded(t, hostArgs(t.Client(), e, data, dims...))
				if !ok {
					t.SkipUnimplf("the plugin does not take %v", e)
				}
				expectBytes(t, data, t.Download(b), mask(e), e.String()+show(dims))
				check.Destroy(t, b)
			}
			shapes := slices.Concat(check.Shapes, check.Degenerate)
			for _, n := range check.Each(t, check.Counts) {
				shapes = append(shapes, []int64{int64(n)})
			}
			for i, dims := range shapes {
				a := check.HostArrayOf(e, uint64(i), dims...)
				b := upload(t, e, a.Data, dims...)
				if !expectAll(t, b, a, "that was uploaded") {
					return
				}
				check.Destroy(t, b)
			}
		}})
	}
	return list
}

// refused fails the check unless an upload with these dims gives an error.
func refused(t *check.T, dims []int64, what string, codes ...capi.ErrorCode) {
	args := hostArgs(t.Client(), dtype.F32, make([]byte, 1<<16), dims...)
	out, err := check.Try(t, args)
	if err == nil {
		// The refusal may come later.
		check.Own(t, out.DoneWithHostBuffer)
		if check.Own(t, out.Buffer) != nil {
			err = t.Await(t.Ready(out.Buffer))
		}
	}
	t.ErrorCode(err, what+" "+show(dims), codes...)
}

func emptyArrays(t *check.T) {
	exe := compiled(t, `module @empty {
  func.func @main(%a: tensor<3x0x2xf32>) -> tensor<3x0x2xf32> {
    %0 = stablehlo.add %a, %a : tensor<3x0x2xf32>
    return %0 : tensor<3x0x2xf32>
  }
}`)
	for _, dims := range [][]int64{{0}, {3, 0, 2}, {0, 5}} {
		for _, data := range [][]byte{nil, make([]byte, 4)} {
			args := hostArgs(t.Client(), dtype.F32, data, dims...)
			if data == nil {
				args.Data = nil
			}
			what := show(dims) + " from data that is null"
			if data != nil {
				what = show(dims) + " from data that is not null"
			}
			out, err := check.Try(t, args)
			if err != nil {
				t.Errorf("upload of %s: expected success, got %v", what, err)
				continue
			}
			b := check.Own(t, out.Buffer)
			t.NoError(t.Await(check.Own(t, out.DoneWithHostBuffer)), "done_with_host_buffer of "+what)
			t.NoError(t.Await(t.Ready(b)), "ready event of "+what)
			expectDimensions(t, b, dims, "%s", what)
			check.Equal(t, 0, len(t.Download(b)), "bytes of %s", what)
			if len(dims) == 3 {
				check.Equal(t, 0, len(t.Download(t.Run(exe, 1, b)[0])), "bytes of the sum of two of %s", what)
			}
		}
	}
}

// tooMuch repeats one byte with a stride of zero, so that the host does not need the
// memory.
func tooMuch(t *check.T) {
	size := int64(1) << 50
	if s, err := check.Try(t, capi.DeviceMemoryStatsArgs{Device: t.Client().Devices[0]}); err == nil && s.BytesLimitIsSet &&
		s.BytesLimit > 0 {
		size = s.BytesLimit + 1<<30
	}
	args := hostArgs(t.Client(), dtype.U8, []byte{1}, size)
	args.ByteStrides, args.NumByteStrides = check.First([]int64{0})
	out, err := check.Try(t, args)
	switch {
	case err == nil:
		check.Own(t, out.DoneWithHostBuffer)
		err = t.Await(t.Ready(check.Own(t, out.Buffer)))
	case capi.CodeOf(err) == capi.ErrorCodeUnimplemented:
		t.SkipUnimplf("the plugin does not repeat host data: %v", err)
	}
	t.ErrorCode(err, "upload of more than the device has", capi.ErrorCodeResourceExhausted)
	check.ExpectBuffer(t, small(t), floats(4), "a buffer that was uploaded afterwards")
}

func unaligned(t *check.T) {
	exe := compiled(t, check.AddOne)
	taken := 0
	for semantics := capi.HostBufferSemanticsImmutableOnlyDuringCall; semantics <= capi.HostBufferSemanticsMutableZeroCopy; semantics++ {
		for _, offset := range []int{1, 2, 4, 8} {
			data := check.Aligned(16, 64, offset)
			t.Keep(data)
			copy(data, dtype.Bytes(floats(4)))
			args := hostArgs(t.Client(), dtype.F32, data, 4)
			args.HostBufferSemantics = semantics
			out, err := check.Try(t, args)
			if err != nil {
				t.Notef("%v from an address of alignment %d is refused: %v", semantics, offset, err)
				continue
			}
			taken++
			b := check.Own(t, out.Buffer)
			done := check.Own(t, out.DoneWithHostBuffer)
			what := semantics.String() + " of host memory that is not aligned"
			check.ExpectBuffer(t, b, floats(4), what)
			check.ExpectBuffer(t, t.Run(exe, 1, b)[0], []float32{2, 3, 4, 5}, what+", plus one")
			check.Destroy(t, b)
			t.NoError(t.Await(done), "done_with_host_buffer of "+what)
		}
	}
	if taken == 0 {
		t.Notef("host memory that is not aligned is refused in all ways")
	}
}

func everyMemory(t *check.T) {
	memories := t.Client().Memories
	if len(memories) == 0 {
		t.SkipUnimplf("the client has no memories")
	}
	seen := 0
	for _, m := range memories {
		kind := memoryName(t, m)
		args := check.HostArgs(t.Client(), floats(4))
		args.Memory = m
		b, err := t.TryUpload(args)
		if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
			t.Notef("upload to %s: %v", kind, err)
			continue
		}
		if err != nil {
			t.Errorf("upload to %s: expected success or UNIMPLEMENTED, got %v", kind, err)
			continue
		}
		seen++
		check.Equal(t, m, t.MemoryOf(b), "memory of a buffer in %s", kind)
		check.ExpectBuffer(t, b, floats(4), "buffer in "+kind)
		for a := range t.Shaped() {
			args := argsOf(t.Client(), a)
			args.Memory = m
			if b, ok := uploaded(t, args); ok {
				expectAll(t, b, a, "in "+kind)
				check.Destroy(t, b)
			}
		}
	}
	if seen == 0 {
		t.SkipUnimplf("no memory takes an upload")
	}
}

// memoryName names a memory in messages.
func memoryName(t *check.T, m *capi.Memory) string {
	id := check.Call(t, capi.MemoryIDArgs{Memory: m}).ID
	return "memory " + show(id) + " of kind " + check.Text[capi.MemoryKindArgs](t, m)
}

// predicates gives bytes that are neither 0 nor 1 to several operations, which must all
// take them for the same value.
func predicates(t *check.T) {
	exe := compiled(t, `module @predicates {
  func.func @main(%p: tensor<4xi1>) -> tensor<3x4xi32> {
    %one = stablehlo.constant dense<1> : tensor<4xi32>
    %zero = stablehlo.constant dense<0> : tensor<4xi32>
    %true = stablehlo.constant dense<true> : tensor<4xi1>
    %selected = stablehlo.select %p, %one, %zero : tensor<4xi1>, tensor<4xi32>
    %and = stablehlo.and %p, %true : tensor<4xi1>
    %anded = stablehlo.select %and, %one, %zero : tensor<4xi1>, tensor<4xi32>
    %not = stablehlo.not %p : tensor<4xi1>
    %notted = stablehlo.select %not, %zero, %one : tensor<4xi1>, tensor<4xi32>
    %a = stablehlo.reshape %selected : (tensor<4xi32>) -> tensor<1x4xi32>
    %b = stablehlo.reshape %anded : (tensor<4xi32>) -> tensor<1x4xi32>
    %c = stablehlo.reshape %notted : (tensor<4xi32>) -> tensor<1x4xi32>
    %0 = stablehlo.concatenate %a, %b, %c, dim = 0 : (tensor<1x4xi32>, tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<3x4xi32>
    return %0 : tensor<3x4xi32>
  }
}`)
	host := []byte{0, 1, 2, 255}
	got := check.DownloadAs[int32](t, t.Run(exe, 1, upload(t, dtype.Pred, host, 4))[0])
	for op, name := range []string{"select", "and", "not"} {
		for i, want := range []int32{0, 1} {
			check.Equal(t, want, got[4*op+i], "%s of the host byte %d", name, host[i])
		}
		for i := 2; i < 4; i++ {
			check.Equal(t, got[i], got[4*op+i], "%s of the host byte %d, compared with select of it", name, host[i])
		}
	}
	if got[2] == 0 || got[3] == 0 {
		t.Notef("the host bytes 2 and 255 are not both true in computations: %v", got)
	}
}

func arraysMayBeFreed(t *check.T) {
	copying := []capi.HostBufferSemantics{capi.HostBufferSemanticsImmutableOnlyDuringCall,
		capi.HostBufferSemanticsImmutableUntilTransferCompletes}
	for _, semantics := range copying {
		const rows, columns = 256, 1024
		data := floats(rows * columns)
		dims, strides := []int64{rows, columns}, []int64{4, 4 * rows} // column-major
		args := hostArgs(t.Client(), dtype.F32, dtype.Bytes(data), dims...)
		args.HostBufferSemantics = semantics
		args.ByteStrides, args.NumByteStrides = check.First(strides)
		args.DeviceLayout = check.RowMajor(2)
		out, err := check.Try(t, args)
		if declined(err) {
			t.Notef("a device layout is refused: %v", err)
			args.DeviceLayout = nil
			out = check.Call(t, args)
		} else if err != nil {
			t.Fatalf("PJRT_Client_BufferFromHostBuffer: expected success, got %v", err)
		}
		for i := range dims {
			dims[i], strides[i] = -1, 1<<40
		}
		if args.DeviceLayout != nil {
			check.SpoilLayout(args.DeviceLayout)
		}
		b := check.Own(t, out.Buffer)
		t.NoError(t.Await(check.Own(t, out.DoneWithHostBuffer)), "done_with_host_buffer")
		if got := t.Dimensions(b); !slices.Equal(got, []int64{rows, columns}) {
			t.Fatalf("dimensions after the caller's array was overwritten: expected [%d %d], got %v", rows, columns, got)
		}
		want := permute(dtype.Bytes(data), 4, []int64{columns, rows}, []int64{0, 1})
		expectBytes(t, want, t.Download(b), 0xff, semantics.String()+" after dims, byte_strides and the layout were overwritten")
		runtime.KeepAlive(data)
	}
}
