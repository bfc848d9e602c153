// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// layoutText returns a layout as its serialized bytes.
func layoutText(t *check.T, l *capi.LayoutsMemoryLayout, what string) string {
	if l == nil {
		t.Fatalf("%s: success without a layout", what)
	}
	s := check.Call(t, capi.LayoutsMemoryLayoutSerializeArgs{Layout: l})
	if s.SerializedBytes == nil || s.SerializedBytesSize == 0 {
		t.Fatalf("%s: expected the layout in bytes, got %d at %v", what, s.SerializedBytesSize, s.SerializedBytes)
	}
	text := capi.String(s.SerializedBytes, s.SerializedBytesSize)
	s.SerializedLayoutDeleter.Call(s.SerializedLayout)
	return text
}

// taken is layoutText for a layout that the caller must destroy.
func taken(t *check.T, l *capi.LayoutsMemoryLayout, what string) string {
	text := layoutText(t, l, what)
	check.Call(t, capi.LayoutsMemoryLayoutDestroyArgs{Layout: l})
	return text
}

// describes fails the check unless a text is a layout of an array of some rank as XLA writes it:
// the dimensions from minor to major, and what a tiled layout adds behind a colon. JAX reads no
// other.
func describes(t *check.T, text string, rank int, what string) {
	body, opened := strings.CutPrefix(text, "{")
	body, closed := strings.CutSuffix(body, "}")
	order, added, _ := strings.Cut(body, ":")
	seen := map[string]bool{}
	if order != "" {
		for d := range strings.SplitSeq(order, ",") {
			seen[d] = true
		}
	}
	each := len(seen) == rank && strings.Count(order, ",") == max(0, rank-1)
	for d := range rank {
		each = each && seen[strconv.Itoa(d)]
	}
	if !opened || !closed || !each || strings.Count(added, "(") != strings.Count(added, ")") {
		t.Errorf("%s: expected each of %d dimensions once in XLA's notation, such as \"{1,0}\" or \"{1,0:T(8,128)}\", got %q", what, rank, text)
	}
}

// clientLayout returns the client's default layout of an array.
func clientLayout(t *check.T, kind capi.BufferType, dims ...int64) string {
	args := capi.LayoutsClientGetDefaultLayoutArgs{Client: t.Client().Handle, Type: kind}
	args.Dims, args.NumDims = check.First(dims)
	what := fmt.Sprintf("the client's default layout of %v%v", kind, dims)
	text := taken(t, check.Call(t, args).Layout, what)
	describes(t, text, len(dims), what)
	return text
}

// topologyLayout returns a topology's default layout of an array.
func topologyLayout(t *check.T, topology *capi.TopologyDescription, kind capi.BufferType, dims ...int64) string {
	what := fmt.Sprintf("the topology's default layout of %v%v", kind, dims)
	text := taken(t, makeTopologyLayout(t, topology, kind, dims...), what)
	describes(t, text, len(dims), what)
	return text
}

func makeTopologyLayout(t *check.T, topology *capi.TopologyDescription, kind capi.BufferType, dims ...int64) *capi.LayoutsMemoryLayout {
	args := capi.LayoutsTopologyGetDefaultLayoutArgs{TopologyDescription: topology, Type: kind}
	args.Dims, args.NumDims = check.First(dims)
	return check.Call(t, args).Layout
}

// defaultLayout returns the default layout of an array for the client or the topology.
func defaultLayout(t *check.T, kind capi.BufferType, dims ...int64) string {
	if noClient(t) {
		return topologyLayout(t, t.Topology(), kind, dims...)
	}
	return clientLayout(t, kind, dims...)
}

// bufferLayout returns the layout of a buffer.
func bufferLayout(t *check.T, b *capi.Buffer, what string) string {
	return taken(t, check.Call(t, capi.LayoutsBufferMemoryLayoutArgs{Buffer: b}).Layout, what)
}

// someTypes are types that most platforms have.
var someTypes = []capi.BufferType{
	capi.BufferTypePred, capi.BufferTypeS8, capi.BufferTypeS32, capi.BufferTypeS64, capi.BufferTypeU8, capi.BufferTypeU32,
	capi.BufferTypeF16, capi.BufferTypeBF16, capi.BufferTypeF32, capi.BufferTypeF64, capi.BufferTypeC64,
}

// listOf returns the layouts in an array that the executable owns.
func listOf(t *check.T, p **capi.LayoutsMemoryLayout, n uintptr, what string) []string {
	if n > 0 && p == nil {
		t.Fatalf("%s: %d layouts in a null array", what, n)
	}
	var list []string
	for i, l := range capi.Slice(p, n) {
		list = append(list, layoutText(t, l, fmt.Sprintf("%s %d", what, i)))
	}
	return list
}

func outputLayouts(t *check.T, e *capi.Executable) []string {
	return outputLayoutsOf(t, check.Call(t, capi.LayoutsExecutableGetOutputLayoutsArgs{Executable: e}))
}

func parameterLayouts(t *check.T, e *capi.Executable) []string {
	return parameterLayoutsOf(t, check.Call(t, capi.LayoutsExecutableGetParameterLayoutsArgs{Executable: e}))
}

func outputLayoutsOf(t *check.T, out capi.LayoutsExecutableGetOutputLayoutsArgs) []string {
	return listOf(t, out.Layouts, out.NumOutputs, "output layout")
}

func parameterLayoutsOf(t *check.T, out capi.LayoutsExecutableGetParameterLayoutsArgs) []string {
	return listOf(t, out.Layouts, out.NumParameters, "parameter layout")
}

// steadyLayouts asks for the layouts of an executable of two arguments and two results, and for
// those of another one, which has one of each, again and again.
func steadyLayouts[A any](t *check.T, layoutsOf func(t *check.T, out A) []string, two *capi.Executable) {
	one := compiled(t, check.AddOne, check.Devices(1, 1))
	check.Steady(t, "executable", []*capi.Executable{two, one}, func(out A) any { return layoutsOf(t, out) })
	check.Equal(t, 1, len(layoutsOf(t, check.Call(t, check.About[A](one)))),
		"number of layouts of a program with one argument and one result")
}

// layoutsOfSeveral compiles a program that returns five arguments of other ranks, and fails the
// check unless each of its layouts is one for its rank, also when it is asked in turn with another
// program.
func layoutsOfSeveral(t *check.T, layouts func(*check.T, *capi.Executable) []string, what string, two *capi.Executable) {
	list := make([]check.HostArray, 5)
	for i := range list {
		list[i] = check.HostArray{Type: dtype.F32, Dims: check.Shapes[len(check.Shapes)-1-i]}
	}
	e := compiled(t, check.Returning(list), check.Devices(1, 1))
	for range 2 {
		check.Equal(t, 2, len(layouts(t, two)), "number of %s layouts of a program with two", what)
		got := layouts(t, e)
		if !check.Equal(t, len(list), len(got), "number of %s layouts of a program that returns its arguments", what) {
			return
		}
		for i, a := range list {
			describes(t, got[i], len(a.Dims), fmt.Sprintf("layout of %s %d of %d, %v", what, i, len(got), a))
		}
	}
}

// pair returns its two arguments.
const pair = `module @long {
  func.func @main(%a: tensor<2x3xi32>, %b: tensor<f32>) -> (tensor<2x3xi32>, tensor<f32>) {
    return %a, %b : tensor<2x3xi32>, tensor<f32>
  }
}`

// columnMajor is a program whose argument and result have the first dimension as the minor
// one, which attributes of main request.
const columnMajor = `module @long {
  func.func @main(%a: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}, %b: tensor<2x3xf32> {mhlo.layout_mode = "default"}) -> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}, tensor<2x3xf32> {mhlo.layout_mode = "default"}) {
    return %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
  }
}`

var layoutChecks = []check.Check{
	{Rule: "XLAY-01", Run: func(t *check.T) {
		dims := []int64{2, 3, 4, 5, 6}
		for _, kind := range someTypes {
			for rank := range len(dims) + 1 {
				clientLayout(t, kind, dims[:rank]...)
			}
		}
	}},
	{Rule: "XLAY-02", Library: true, Run: func(t *check.T) {
		var l *capi.LayoutsMemoryLayout
		if noClient(t) {
			l = makeTopologyLayout(t, t.Topology(), capi.BufferTypeF32, 4, 8)
		} else {
			args := capi.LayoutsClientGetDefaultLayoutArgs{Client: t.Client().Handle, Type: capi.BufferTypeF32}
			args.Dims, args.NumDims = check.First([]int64{4, 8})
			l = check.Call(t, args).Layout
		}
		first := check.Call(t, capi.LayoutsMemoryLayoutSerializeArgs{Layout: l})
		before := capi.String(first.SerializedBytes, first.SerializedBytesSize)
		other := defaultLayout(t, capi.BufferTypeF32) // its bytes are others, and must have their own memory
		a := capi.String(first.SerializedBytes, first.SerializedBytesSize)
		second := check.Call(t, capi.LayoutsMemoryLayoutSerializeArgs{Layout: l})
		b := capi.String(second.SerializedBytes, second.SerializedBytesSize)
		check.Equal(t, before, a, "the bytes of a layout, after others were serialized")
		if a == "" || a == other {
			t.Errorf("expected bytes of a layout, and others than a scalar's, %q, got %q", other, a)
		}
		check.Equal(t, a, b, "the bytes of a layout that is serialized a second time")
		first.SerializedLayoutDeleter.Call(first.SerializedLayout)
		check.Equal(t, b, capi.String(second.SerializedBytes, second.SerializedBytesSize),
			"the second bytes after the deleter of the first ones")
		check.Call(t, capi.LayoutsMemoryLayoutDestroyArgs{Layout: l})
		check.Equal(t, b, capi.String(second.SerializedBytes, second.SerializedBytesSize),
			"the bytes after the layout was destroyed")
		second.SerializedLayoutDeleter.Call(second.SerializedLayout)
	}},
	{Rule: "XLAY-03", Library: true, Hostile: true, Run: func(t *check.T) {
		check.Call(t, capi.LayoutsMemoryLayoutDestroyArgs{})
	}},
	{Rule: "XLAY-04", Run: func(t *check.T) {
		c := t.Client()
		b := check.Upload(t, c, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
		plain := bufferLayout(t, b, "the layout of a buffer")
		check.Equal(t, clientLayout(t, capi.BufferTypeF32, 2, 3), plain, "the layout of a plain upload, next to the default")
		scalar := check.Upload(t, c, []float32{1}, []int64{}...)
		if bufferLayout(t, scalar, "the layout of a scalar") == plain {
			t.Errorf("a matrix and a vector both have the layout %q", plain)
		}
		for _, dims := range check.Each(t, check.Shapes) {
			b := check.Upload(t, c, make([]float32, check.Elements(dims...)), dims...)
			check.Equal(t, clientLayout(t, capi.BufferTypeF32, dims...), bufferLayout(t, b, "the layout of a buffer"),
				"the layout of a plain upload of f32%v, next to the default", dims)
		}
		args := check.HostArgs(c, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
		args.DeviceLayout = check.TiledLayout([]int64{0, 1})
		columns, err := t.TryUpload(args)
		if err != nil {
			t.Notef("a column-major device layout is refused: %v", err)
			return
		}
		if got := bufferLayout(t, columns, "the layout of a column-major buffer"); got == plain {
			t.Errorf("an upload with a column-major device layout succeeded, but the buffer has the default layout %q", got)
		}
	}},
	{Rule: "XLAY-05", Run: func(t *check.T) {
		topology := t.Topology()
		for _, kind := range someTypes {
			for _, dims := range append([][]int64{nil, {7}, {2, 3}, {256, 128}, {2, 3, 4, 5}}, check.Shapes...) {
				check.Equal(t, clientLayout(t, kind, dims...), topologyLayout(t, topology, kind, dims...),
					"the topology's default layout of %v%v, next to the client's", kind, dims)
			}
		}
	}},
	{Rule: "XLAY-06", Library: true, Run: func(t *check.T) {
		if noClient(t) {
			e := compiled(t, pair, check.Devices(1, 1))
			steadyLayouts(t, outputLayoutsOf, e)
			check.Equal(t, 2, len(outputLayouts(t, e)), "number of output layouts")
			return
		}
		c := t.Client()
		loaded := t.Compile(c, pair)
		e := t.Executable(loaded)
		steadyLayouts(t, outputLayoutsOf, e)
		mine := check.Call(t, capi.LayoutsExecutableGetOutputLayoutsArgs{Executable: e}) // valid as long as the executable
		got := listOf(t, mine.Layouts, mine.NumOutputs, "output layout")
		if !check.Equal(t, 2, len(got), "number of output layouts") {
			return
		}
		check.Equal(t, fmt.Sprint(got), fmt.Sprint(outputLayouts(t, e)), "output layouts that are asked for again")
		out := t.Run(loaded, 2, check.Upload(t, c, []int32{1, 2, 3, 4, 5, 6}, 2, 3), check.Upload(t, c, []float32{3}, []int64{}...))
		for i, b := range out {
			check.Equal(t, bufferLayout(t, b, "the layout of a result"), got[i], "layout of output %d, next to that of a result", i)
		}
		check.Equal(t, fmt.Sprint(got), fmt.Sprint(listOf(t, mine.Layouts, mine.NumOutputs, "output layout")),
			"the layouts of the first call, at the end")
		layoutsOfSeveral(t, outputLayouts, "output", e)
	}},
	{Rule: "XLAY-07", Library: true, Run: func(t *check.T) {
		e := compiled(t, pair, check.Devices(1, 1))
		steadyLayouts(t, parameterLayoutsOf, e)
		got := parameterLayouts(t, e)
		if check.Equal(t, 2, len(got), "number of parameter layouts") {
			check.Equal(t, defaultLayout(t, capi.BufferTypeS32, 2, 3), got[0], "layout of the first parameter, next to the default")
			check.Equal(t, defaultLayout(t, capi.BufferTypeF32), got[1], "layout of the second parameter, next to the default")
		}
		if !noClient(t) { // compilers for topologies are slower
			layoutsOfSeveral(t, parameterLayouts, "parameter", e)
		}
	}},
	{Rule: "XLAY-08", Library: true, Run: func(t *check.T) {
		e := compiled(t, columnMajor, check.Devices(1, 1))
		plain := defaultLayout(t, capi.BufferTypeF32, 2, 3)
		for what, list := range map[string]func(*check.T, *capi.Executable) []string{"output": outputLayouts,
			"parameter": parameterLayouts} {
			if what == "parameter" && t.Table().Lacks(check.FunctionOf[capi.LayoutsExecutableGetParameterLayoutsArgs]()) != nil {
				continue
			}
			got := list(t, e)
			if !check.Equal(t, 2, len(got), "number of %s layouts", what) {
				continue
			}
			if len(got[0]) < 4 || got[0][:4] != "{0,1" {
				t.Errorf("%s with the mode {0,1}: got the layout %q", what, got[0])
			}
			check.Equal(t, plain, got[1], "%s with the mode default", what)
		}
	}},
}

// memoriesOf returns the kinds and ids of the memories of a device description.
func memoriesOf(t *check.T, d *capi.DeviceDescription) map[string]int32 {
	out := check.Call(t, capi.DeviceDescriptionMemoryDescriptionsArgs{DeviceDescription: d})
	if out.NumMemoryDescriptions > 0 && out.MemoryDescriptions == nil {
		t.Fatalf("%d memory descriptions in a null array", out.NumMemoryDescriptions)
	}
	if i := out.DefaultMemoryIndex; i != ^uintptr(0) && i >= out.NumMemoryDescriptions && (i != 0 || out.NumMemoryDescriptions != 0) {
		t.Errorf("default_memory_index: expected -1 or less than %d, got %d", out.NumMemoryDescriptions, i)
	}
	kinds := make(map[string]int32)
	for i, m := range capi.Slice(out.MemoryDescriptions, out.NumMemoryDescriptions) {
		if m == nil {
			t.Fatalf("memory description %d of %d is null", i, out.NumMemoryDescriptions)
		}
		k := check.Call(t, capi.MemoryDescriptionKindArgs{MemoryDescription: m})
		kind := capi.String(k.Kind, k.KindSize)
		if kind == "" {
			t.Errorf("memory description %d has no kind", i)
		}
		if _, twice := kinds[kind]; twice {
			t.Errorf("there are two memory descriptions of the kind %q", kind)
		}
		kinds[kind] = k.KindID
	}
	return kinds
}

// describedMemories fails the check if descriptions are inconsistent, and skips it if there
// are none.
func describedMemories(t *check.T, list []*capi.DeviceDescription) {
	check.Steady(t, "device description", list, func(out capi.DeviceDescriptionMemoryDescriptionsArgs) any {
		return []any{out.DefaultMemoryIndex, capi.Slice(out.MemoryDescriptions, out.NumMemoryDescriptions)}
	})
	n := 0
	for _, d := range list {
		n += len(memoriesOf(t, d))
	}
	if n == 0 && !t.Failed() {
		t.SkipUnimplf("the descriptions of %d devices have no memories", len(list))
	}
}

var memoryDescriptionChecks = []check.Check{
	{Rule: "XMEMD-01", Library: true, Run: func(t *check.T) { describedMemories(t, descriptions(t)) }},
	{Rule: "XMEMD-02", Run: func(t *check.T) {
		var all []*capi.MemoryDescription
		for _, d := range descriptions(t) {
			all = append(all, check.List[capi.DeviceDescriptionMemoryDescriptionsArgs, *capi.MemoryDescription](t, d)...)
		}
		check.Steady(t, "memory description", all, func(out capi.MemoryDescriptionKindArgs) any {
			return []any{capi.String(out.Kind, out.KindSize), out.KindID}
		})
		looked := 0
		for i, d := range descriptions(t) {
			kinds := memoriesOf(t, d)
			m := check.Optional(t, capi.DeviceAddressableMemoriesArgs{Device: t.Client().Devices[i]})
			for _, memory := range capi.Slice(m.Memories, m.NumMemories) {
				k := check.Optional(t, capi.MemoryKindArgs{Memory: memory})
				if id, described := kinds[capi.String(k.Kind, k.KindSize)]; described {
					looked++
					check.Equal(t, check.Optional(t, capi.MemoryKindIDArgs{Memory: memory}).KindID, id,
						"kind_id of the described memory %q of device %d", capi.String(k.Kind, k.KindSize), i)
				}
			}
			list := check.Call(t, capi.DeviceDescriptionMemoryDescriptionsArgs{DeviceDescription: d})
			home := check.Optional(t, capi.DeviceDefaultMemoryArgs{Device: t.Client().Devices[i]}).Memory
			if at := int(list.DefaultMemoryIndex); 0 <= at && at < int(list.NumMemoryDescriptions) && home != nil {
				described := capi.Slice(list.MemoryDescriptions, list.NumMemoryDescriptions)[at]
				check.Equal(t, check.Text[capi.MemoryKindArgs](t, home), check.Text[capi.MemoryDescriptionKindArgs](t, described),
					"kind of the described default memory of device %d", i)
			}
		}
		if looked == 0 && !t.Failed() {
			t.SkipUnimplf("no device has any of the described memories")
		}
	}},
	{Rule: "XMEMD-03", Library: true, Run: func(t *check.T) { describedMemories(t, topologyDescriptions(t)) }},
}
