// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"fmt"
	"iter"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// maker is a way to get buffers with given contents from a plugin. Unusual sizes, dims or types may
// go wrong with one maker and right with another.
type maker struct {
	name    string
	sizes   string // the rule by which the contents arrive whole
	dims    string // the rule by which the dims are those that were asked for
	devices int
	// make returns a buffer for each array, or nil where the plugin refuses the type.
	make func(t *check.T, list []check.HostArray) []*capi.Buffer
}

// one returns the maker of single buffers as one of several.
func one(f func(t *check.T, a check.HostArray) *capi.Buffer) func(*check.T, []check.HostArray) []*capi.Buffer {
	return func(t *check.T, list []check.HostArray) []*capi.Buffer {
		buffers := make([]*capi.Buffer, len(list))
		for i, a := range list {
			buffers[i] = f(t, a)
		}
		return buffers
	}
}

// uploadedThen returns the maker that does f with an uploaded buffer.
func uploadedThen(f func(t *check.T, b *capi.Buffer) *capi.Buffer) func(*check.T, []check.HostArray) []*capi.Buffer {
	return one(func(t *check.T, a check.HostArray) *capi.Buffer {
		b, ok := uploaded(t, argsOf(t.Client(), a))
		if !ok {
			return nil
		}
		defer check.Destroy(t, b)
		return f(t, b)
	})
}

var makers = []maker{
	{name: "an upload", sizes: "H2D-02", dims: "BUF-02", make: one(func(t *check.T, a check.HostArray) *capi.Buffer {
		b, _ := uploaded(t, argsOf(t.Client(), a))
		return b
	})},
	{name: "a copy to a device", sizes: "COPY-01", dims: "COPY-01", devices: 2,
		make: uploadedThen(func(t *check.T, b *capi.Buffer) *capi.Buffer { return copyTo(t, b, t.Client().Devices[1]) })},
	{name: "a copy to a memory", sizes: "COPY-08", dims: "COPY-08", devices: 2,
		make: uploadedThen(func(t *check.T, b *capi.Buffer) *capi.Buffer {
			to := check.Optional(t, capi.DeviceDefaultMemoryArgs{Device: t.Client().Devices[1]}).Memory
			b, ok := copyToMemory(t, b, to, "a buffer to the default memory of another device")
			if !ok {
				t.SkipUnimplf("the plugin does not copy between the memories of two devices")
			}
			return b
		})},
	{name: "a transfer manager", sizes: "AH2D-12", dims: "AH2D-01",
		make: transferred(func(t *check.T, m *transferManager, i int, data []byte) { send(t, m, i, data, 0, true) })},
	{name: "a transfer manager, in two parts", sizes: "AH2D-13", dims: "AH2D-13",
		make: transferred(func(t *check.T, m *transferManager, i int, data []byte) {
			half := len(data) / 32 * 16
			send(t, m, i, data[half:], int64(half), false)
			send(t, m, i, data[:half], 0, true)
		})},
	{name: "a view", sizes: "VIEW-01", dims: "VIEW-01", make: one(func(t *check.T, a check.HostArray) *capi.Buffer {
		if t.Platform() != "cpu" {
			t.SkipEnvf("the process cannot write into the memory of the device")
		}
		if len(a.Data) == 0 || a.Type.IsSubByte() {
			return nil // there is nothing to see, or it has the device's form
		}
		m := foreign(t, len(a.Data))
		m.write(a.Data)
		args := viewArgs(t, m, a.Dims...)
		args.ElementType = capi.BufferType(a.Type)
		return check.Own(t, check.Call(t, args).Buffer)
	})},
	{name: "an alias", sizes: "UNI-14", dims: "UNI-13", make: one(func(t *check.T, a check.HostArray) *capi.Buffer {
		if a.Type.IsSubByte() {
			return nil // how many bits an element has is a part of its layout, which the C API cannot say
		}
		b, ok := uploaded(t, argsOf(t.Client(), a))
		if !ok {
			return nil
		}
		p := aliasOf(t, a.Type, a.Dims...)
		fulfil(t, p, b)
		check.Destroy(t, b)
		return p.AliasBuffer
	})},
	{name: "an execution", sizes: "RUN-01", dims: "RUN-01", make: executed},
}

// transferred returns the maker of the buffers of one transfer manager. They get their contents
// from fill, the last one first.
func transferred(fill func(t *check.T, m *transferManager, i int, data []byte)) func(*check.T, []check.HostArray) []*capi.Buffer {
	return func(t *check.T, list []check.HostArray) []*capi.Buffer {
		buffers := make([]*capi.Buffer, len(list))
		var specs []spec
		var at []int // of each spec, in list
		for i, a := range list {
			if !a.Type.IsSubByte() { // their data has the device's form
				specs, at = append(specs, spec{a.Type, a.Dims}), append(at, i)
			}
		}
		m := manager(t, specs...)
		for i, place := range at {
			buffers[place] = retrieve(t, m, i)
		}
		for i, place := range slices.Backward(at) {
			t.Keep(list[place].Data)
			fill(t, m, i, list[place].Data)
		}
		return buffers
	}
}

// executed returns the results of one program that returns its arguments.
func executed(t *check.T, list []check.HostArray) []*capi.Buffer {
	results := make([]*capi.Buffer, len(list))
	var taken []check.HostArray
	var arguments []*capi.Buffer
	var at []int // of each argument, in list
	for i, a := range list {
		if b, ok := uploaded(t, argsOf(t.Client(), a)); ok {
			taken, arguments, at = append(taken, a), append(arguments, b), append(at, i)
		}
	}
	exe, err := t.TryCompile(t.Client(), check.Returning(taken), check.Devices(1, 1))
	if err != nil { // programs need not know all types of buffers
		t.Notef("a program that returns arguments of many types does not compile: %v", err)
		var plain []check.HostArray
		var known []*capi.Buffer
		var places []int
		for i, a := range taken {
			if a.Type == dtype.F32 {
				plain, known, places = append(plain, a), append(known, arguments[i]), append(places, at[i])
			}
		}
		if len(plain) == 0 {
			return results
		}
		exe, arguments, at = t.Compile(t.Client(), check.Returning(plain)), known, places
	}
	for i, b := range t.Run(exe, len(at), arguments...) {
		results[at[i]] = b
	}
	for _, b := range arguments {
		check.Destroy(t, b)
	}
	check.Destroy(t, exe)
	return results
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
			}
			needsSizes(t)
			for _, n := range unevenSizes {
				b := check.Upload(t, t.Client(), floats(n))
				check.Equal(t, 4*n, hostSize(t, b, check.RowMajor(1)), "dst_size of f32[%d]", n)
			}
		}},
		check.Check{Rule: "UNI-01", Variant: "dims of one", Run: func(t *check.T) {
			for _, dims := range check.Each(t, slices.Concat(dimsOfOne, check.Shapes, check.Degenerate)) {
				b := check.Own(t, check.Call(t, uninitializedArgs(t, dtype.F32, dims...)).Buffer)
				expectDims(t, b, dims, "an uninitialised buffer")
			}
		}},
		check.Check{Rule: "UNI-05", Variant: "dims of one", Run: func(t *check.T) {
			for _, dims := range check.Each(t, slices.Concat(dimsOfOne, check.Shapes, check.Degenerate)) {
				b := check.Own(t, check.Call(t, errorBufferArgs(t, failureCode, failureMessage, dims...)).Buffer)
				expectDims(t, b, dims, "a buffer that is an error")
			}
		}},
	)
}

// batch is how many buffers a maker makes at a time.
const batch = 64

// expect makes arrays, a batch at a time, and passes each buffer to look.
func (m maker) expect(t *check.T, arrays iter.Seq[check.HostArray], look func(b *capi.Buffer, a check.HostArray)) {
	for list := range slices.Chunk(slices.Collect(arrays), batch) {
		buffers := m.make(t, list)
		for i, b := range buffers {
			if b != nil {
				look(b, list[i])
			}
		}
		for _, b := range buffers {
			check.Destroy(t, b)
		}
		if t.Failed() {
			return
		}
	}
}

func (m maker) uneven(t *check.T) {
	for _, n := range unevenSizes {
		large := check.HostArray{Type: dtype.F32, Dims: []int64{int64(n)}, Data: dtype.Bytes(floats(n))}
		m.expect(t, slices.Values([]check.HostArray{large}), func(b *capi.Buffer, a check.HostArray) { expectArray(t, b, a, "by "+m.name) })
	}
	m.expect(t, t.Sized(), func(b *capi.Buffer, a check.HostArray) { expectArray(t, b, a, "by "+m.name) })
}

func (m maker) ones(t *check.T) {
	look := func(b *capi.Buffer, a check.HostArray) { expectAll(t, b, a, "by "+m.name) }
	for i, dims := range dimsOfOne { // each alone, and others together
		m.expect(t, slices.Values([]check.HostArray{check.HostArrayOf(dtype.F32, uint64(i), dims...)}), look)
	}
	m.expect(t, t.Shaped(), look)
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
