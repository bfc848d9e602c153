// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// mesh says how many partitions a program has along each axis. The partitions are numbered
// with the last axis fastest.
type mesh []int64

var axisNames = []string{"x", "y"}

func (m mesh) size() int { return volume(m) }

// place returns the coordinates of a partition.
func (m mesh) place(partition int) []int64 {
	at := make([]int64, len(m))
	for i := len(m) - 1; i >= 0; i-- {
		at[i] = int64(partition) % m[i]
		partition /= int(m[i])
	}
	return at
}

// sharding says for each dimension of an array along which axis it is split; -1 means none.
type sharding []int

// notation is a way to write shardings.
type notation struct {
	name      string
	shardy    bool
	attribute func(m mesh, s sharding) string // of an argument or a result
	module    func(m mesh) string             // what the module begins with
	constrain func(m mesh, s sharding, to, from, text string) string
}

var notations = []notation{
	{
		name: "mhlo",
		attribute: func(m mesh, s sharding) string {
			return fmt.Sprintf("mhlo.sharding = %q", s.tiles(m))
		},
		module: func(mesh) string { return "" },
		constrain: func(m mesh, s sharding, to, from, text string) string {
			return fmt.Sprintf("%s = stablehlo.custom_call @Sharding(%s) {mhlo.sharding = %q} : (%s) -> %[4]s", to, from, s.tiles(m), text)
		},
	},
	{
		name: "sdy", shardy: true,
		attribute: func(_ mesh, s sharding) string { return "sdy.sharding = #sdy.sharding<@mesh, " + s.axes() + ">" },
		module: func(m mesh) string {
			var axes []string
			for i, n := range m {
				axes = append(axes, fmt.Sprintf("%q=%d", axisNames[i], n))
			}
			return "  sdy.mesh @mesh = <[" + strings.Join(axes, ", ") + "]>\n"
		},
		constrain: func(_ mesh, s sharding, to, from, text string) string {
			return fmt.Sprintf("%s = sdy.sharding_constraint %s <@mesh, %s> : %s", to, from, s.axes(), text)
		},
	},
}

// axes returns the sharding in terms of names of axes.
func (s sharding) axes() string {
	dims := make([]string, len(s))
	for i, axis := range s {
		dims[i] = "{}"
		if axis >= 0 {
			dims[i] = fmt.Sprintf("{%q}", axisNames[axis])
		}
	}
	return "[" + strings.Join(dims, ", ") + "]"
}

// tiles returns the sharding in terms of numbers of tiles.
func (s sharding) tiles(m mesh) string {
	var tiles, order []string
	used := make([]bool, len(m))
	for _, axis := range s {
		if axis < 0 {
			tiles = append(tiles, "1")
			continue
		}
		used[axis] = true
		tiles, order = append(tiles, fmt.Sprint(m[axis])), append(order, fmt.Sprint(axis))
	}
	if len(order) == 0 {
		return "{replicated}"
	}
	rest, last := int64(1), ""
	for axis, n := range m {
		if !used[axis] {
			rest *= n
			order = append(order, fmt.Sprint(axis))
			last = " last_tile_dim_replicate"
		}
	}
	if last != "" {
		tiles = append(tiles, fmt.Sprint(rest))
	}
	devices := fmt.Sprintf("[%d]", m.size())
	if !slices.IsSorted(order) {
		// The devices are numbered along the axes in another order.
		sizes := strings.Join(strings.Fields(fmt.Sprint([]int64(m))), ",")
		devices = sizes + "T(" + strings.Join(order, ",") + ")"
	}
	return fmt.Sprintf("{devices=[%s]<=%s%s}", strings.Join(tiles, ","), devices, last)
}

// part returns the part of an array that a partition has.
func (s sharding) part(m mesh, partition int, a numbers) numbers {
	at, dims, first := m.place(partition), slices.Clone(a.dims), make([]int64, len(a.dims))
	for i, axis := range s {
		if axis >= 0 {
			dims[i] /= m[axis]
			first[i] = at[axis] * dims[i]
		}
	}
	out := numbers{of: a.of, dims: dims, v: make([]int64, volume(dims))}
	index := make([]int64, len(dims))
	for i := range out.v {
		rest := i
		for d := len(dims) - 1; d >= 0; d-- {
			index[d] = int64(rest) % dims[d]
			rest /= int(dims[d])
		}
		from := int64(0)
		for d := range dims {
			from = from*a.dims[d] + first[d] + index[d]
		}
		out.v[i] = a.v[from]
	}
	return out
}

// sharded is an array and how it is split.
type sharded struct {
	dims []int64
	by   sharding
}

// partitionedModel is a small program of f32 whose arguments and result are split.
type partitionedModel struct {
	name      string
	mesh      mesh
	arguments []sharded
	result    sharded
	// body computes %r of %a0, %a1 and so on. A line that begins with "constrain"
	// splits a value: constrain %to %from tensor<...> followed by the axes.
	body []string
	// want is the result, of whole arguments.
	want func(a []numbers) []int64
}

// argument returns a whole argument: small numbers that differ.
func (p *partitionedModel) argument(i int) numbers {
	a := numbers{of: dtype.F32, dims: p.arguments[i].dims}
	a.v = make([]int64, volume(a.dims))
	for k := range a.v {
		a.v[k] = int64((k*7+3*i+k/5)%11) - 4
	}
	return a
}

// text returns the program; with a nil notation it does not say how arrays are split.
func (p *partitionedModel) text(n *notation) string {
	mark := func(s sharding) string {
		if n == nil {
			return ""
		}
		return " {" + n.attribute(p.mesh, s) + "}"
	}
	var arguments []string
	for i, a := range p.arguments {
		arguments = append(arguments, fmt.Sprintf("%%a%d: %s%s", i, check.Tensor(dtype.F32, a.dims), mark(a.by)))
	}
	result := check.Tensor(dtype.F32, p.result.dims)
	lines := make([]string, 0, len(p.body)+1)
	for _, line := range p.body {
		if rest, ok := strings.CutPrefix(line, "constrain "); ok {
			line = p.constraint(n, strings.Fields(rest))
		}
		lines = append(lines, line)
	}
	text := program("partitioned", "("+strings.Join(arguments, ", ")+") -> ("+result+mark(p.result.by)+")",
		append(lines, "return %r : "+result)...)
	if n == nil {
		return text
	}
	return replaced(text, "module @partitioned {\n", fmt.Sprintf("module @partitioned attributes {mhlo.num_partitions = %d : i32, mhlo.num_replicas = 1 : i32} {\n%s", p.mesh.size(), n.module(p.mesh)))
}

// constraint returns a line of the body that splits a value.
func (p *partitionedModel) constraint(n *notation, words []string) string {
	to, from, text := words[0], words[1], words[2]
	if n == nil {
		return fmt.Sprintf("%s = stablehlo.optimization_barrier %s : %s", to, from, text)
	}
	var s sharding
	for _, axis := range words[3:] {
		s = append(s, slices.Index(axisNames, axis))
	}
	return n.constrain(p.mesh, s, to, from, text)
}

// compile compiles the program for its partitions. It skips the check if the plugin does
// not partition programs.
func (p *partitionedModel) compile(t *check.T, n *notation) (*capi.LoadedExecutable, []*capi.Device) {
	c := t.Client()
	rows, order := grid(t, c, 1, p.mesh.size())
	exe := compileOrSkip(t, c, p.text(n), options{partitions: p.mesh.size(), assignment: rows, shardy: n.shardy},
		fmt.Sprintf("the plugin does not partition %s, written with %s", p.name, n.name))
	return exe, order
}

// run executes the program on all its partitions, and compares each result with the
// partition's part of the whole result.
func (p *partitionedModel) run(t *check.T, n *notation) {
	c := t.Client()
	exe, order := p.compile(t, n)
	devices := devicesOf(t, exe)
	if !check.Equal(t, p.mesh.size(), len(devices), "number of addressable devices of %s in %d partitions", p.name, p.mesh.size()) {
		return
	}
	whole := make([]numbers, len(p.arguments))
	for i := range whole {
		whole[i] = p.argument(i)
	}
	result := numbers{of: dtype.F32, dims: p.result.dims, v: p.want(whole)}
	lists := make([][]*capi.Buffer, len(devices))
	for i, d := range devices {
		at := slices.Index(order, d)
		if at < 0 {
			t.Errorf("%s: addressable device %d is not in the assignment", p.name, i)
			return
		}
		for k := range whole {
			lists[i] = append(lists[i], p.arguments[k].by.part(p.mesh, at, whole[k]).upload(t, c, d))
		}
	}
	for i, out := range t.RunOn(exe, 1, lists...) {
		at := slices.Index(order, devices[i])
		p.result.by.part(p.mesh, at, result).expect(t, out[0],
			fmt.Sprintf("%s in %d partitions (%s), partition %d", p.name, p.mesh.size(), n.name, at))
	}
}

// shardingChecks returns a check of every model in every notation.
func shardingChecks() []check.Check {
	var list []check.Check
	for i := range partitionedModels {
		p := &partitionedModels[i]
		profile := check.Core
		if slices.Contains([]string{"inner-product", "rows-and-columns", "uneven"}, p.name) {
			profile = check.Quick
		}
		for j := range notations {
			n := &notations[j]
			list = append(list, check.Check{Rule: "MULTI-08", Variant: p.name + "/" + n.name, Profile: profile, Devices: p.mesh.size(),
				Run: func(t *check.T) { p.run(t, n) }})
		}
		// When a launch fails, its devices may be left waiting.
		list = append(list, check.Check{Rule: "DIFF-04", Variant: p.name, Profile: check.Core, Devices: p.mesh.size(), Hostile: true,
			Run: p.invariant})
	}
	return list
}
