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

// collective is an operation between devices that makes one array from one array.
type collective struct {
	name string
	// in and out are the dimensions of the argument and of the result of a device whose
	// group has that many members.
	in, out func(members int64) []int64
	// statement computes %0 of %a.
	statement func(l *layout, of dtype.Type, in, out string) []string
	// inner, if not nil, is the statement of the operation that statement starts and waits
	// for.
	inner func(l *layout, of dtype.Type, in, out string) []string
	// value is element i of the argument of the device at a position.
	value func(of dtype.Type, position, i int) int64
	// want is the result of a member of a group; arguments are those of the members, in the
	// order of the group.
	want func(arguments [][]int64, me int) []int64
	// takes reports whether the operation exists for a type.
	takes func(of dtype.Type) bool
	// partitioned says that with a channel, groups are groups of partitions. Otherwise,
	// with a channel, a group has all partitions of its replicas.
	partitioned bool
	// pairs says that the groups are pairs of a source and a target.
	pairs bool
}

// layout says where a program runs and which devices form a group.
type layout struct {
	replicas, partitions int
	groups               [][]int
	// channel means that the ids in groups are not those of replicas; global means that
	// they are replica*partitions+partition.
	channel, global bool
}

func (l *layout) devices() int { return l.replicas * l.partitions }

// String names the layout in messages.
func (l *layout) String() string {
	s := fmt.Sprintf("%d x %d devices, groups %v", l.replicas, l.partitions, l.groups)
	switch {
	case l.global:
		return s + " of global ids"
	case l.channel:
		return s + " with a channel"
	}
	return s
}

// attributes returns the replica groups and, if there is one, the channel.
func (l *layout) attributes() string {
	s := "replica_groups = " + listOfLists(l.groups)
	if l.channel {
		s += ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
	}
	if l.global {
		s += ", use_global_device_ids"
	}
	return s
}

// listOfLists returns a dense attribute. Shorter lists are filled up with -1.
func listOfLists(lists [][]int) string {
	n := 0
	for _, l := range lists {
		n = max(n, len(l))
	}
	rows := make([]string, len(lists))
	for i, l := range lists {
		row := make([]string, n)
		for j := range row {
			row[j] = "-1"
			if j < len(l) {
				row[j] = fmt.Sprint(l[j])
			}
		}
		rows[i] = "[" + strings.Join(row, ", ") + "]"
	}
	return fmt.Sprintf("dense<[%s]> : tensor<%dx%dxi64>", strings.Join(rows, ", "), len(lists), n)
}

// members returns the groups in terms of positions, which are replica*partitions+partition.
func (l *layout) members(o *collective) [][]int {
	switch {
	case l.global:
		return l.groups
	case l.channel && o.partitioned:
		var all [][]int
		for r := range l.replicas {
			for _, g := range l.groups {
				all = append(all, mapped(g, func(p int) int { return r*l.partitions + p }))
			}
		}
		return all
	case l.channel:
		var all [][]int
		for _, g := range l.groups {
			var one []int
			for p := range l.partitions {
				one = append(one, mapped(g, func(r int) int { return r*l.partitions + p })...)
			}
			all = append(all, one)
		}
		return all
	}
	var all [][]int
	for p := range l.partitions {
		for _, g := range l.groups {
			all = append(all, mapped(g, func(r int) int { return r*l.partitions + p }))
		}
	}
	return all
}

func mapped(list []int, f func(int) int) []int {
	out := make([]int, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// size returns the number of members of each group, 0 when they differ.
func (l *layout) size(o *collective) int64 {
	all := l.members(o)
	for _, g := range all {
		if len(g) != len(all[0]) {
			return 0
		}
	}
	return int64(len(all[0]))
}

// text returns the program of an operation. With several partitions, each sees its own part
// of the argument.
func (o *collective) text(l *layout, of dtype.Type) string {
	in, out := o.in(l.size(o)), o.out(l.size(o))
	inText, outText := check.Tensor(of, in), check.Tensor(of, out)
	lines := o.statement(l, of, inText, outText)
	if l.partitions == 1 {
		return program("collective", "(%a: "+inText+") -> "+outText, append(lines, "return %0 : "+outText)...)
	}
	whole := func(dims []int64) (text, sharding string) {
		tiles := slices.Repeat([]string{"1"}, len(dims))
		tiles[0] = fmt.Sprint(l.partitions)
		dims = slices.Clone(dims)
		dims[0] *= int64(l.partitions)
		return check.Tensor(of, dims), fmt.Sprintf(`mhlo.sharding = "{devices=[%s]<=[%d]}"`, strings.Join(tiles, ","), l.partitions)
	}
	const own = `mhlo.sharding = "{manual}"`
	wholeIn, inSharding := whole(in)
	wholeOut, outSharding := whole(out)
	body := []string{
		fmt.Sprintf("%%s = stablehlo.custom_call @Sharding(%%g) {%s} : (%s) -> %[2]s", inSharding, wholeIn),
		fmt.Sprintf("%%a = stablehlo.custom_call @SPMDFullToShardShape(%%s) {%s} : (%s) -> %s", own, wholeIn, inText),
	}
	body = append(body, lines...)
	body = append(body,
		fmt.Sprintf("%%m = stablehlo.custom_call @Sharding(%%0) {%s} : (%s) -> %[2]s", own, outText),
		fmt.Sprintf("%%w = stablehlo.custom_call @SPMDShardToFullShape(%%m) {%s} : (%s) -> %s", outSharding, outText, wholeOut),
		"return %w : "+wholeOut)
	return replaced(program("collective", fmt.Sprintf("(%%g: %s {%s}) -> (%s {%s})", wholeIn, inSharding, wholeOut, outSharding), body...),
		"module @collective", fmt.Sprintf("module @collective attributes {mhlo.num_partitions = %d : i32, mhlo.num_replicas = %d : i32}",
			l.partitions, l.replicas))
}

// argument returns the argument of the device at a position.
func (o *collective) argument(l *layout, of dtype.Type, position int) numbers {
	a := numbers{of: of, dims: o.in(l.size(o))}
	a.v = make([]int64, volume(a.dims))
	for i := range a.v {
		a.v[i] = o.value(of, position, i)
	}
	if !of.IsComplex() {
		// The reduction sees the numbers as the type holds them.
		_ = dtype.Convert(dtype.Bytes(a.v), dtype.S64, a.bytes(), of)
	}
	return a
}

// result returns what the device at a position must get; false when it is in no group, so
// that it may get anything.
func (o *collective) result(l *layout, of dtype.Type, position int) (numbers, bool) {
	out := numbers{of: of, dims: o.out(l.size(o))}
	all := l.members(o)
	if o.pairs {
		out.v = make([]int64, volume(out.dims)) // zeros where there is no source
		for _, pair := range all {
			if pair[1] == position {
				out.v = o.argument(l, of, pair[0]).v
			}
		}
		return out, true
	}
	for _, g := range all {
		me := slices.Index(g, position)
		if me < 0 {
			continue
		}
		var arguments [][]int64
		for _, p := range g {
			arguments = append(arguments, o.argument(l, of, p).v)
		}
		out.v = o.want(arguments, me)
		return out, true
	}
	return out, false
}

// run executes the operation and checks every result. It reports whether the plugin
// compiles it.
func (o *collective) run(t *check.T, l *layout, of dtype.Type) bool {
	c := t.Client()
	rows, order := grid(t, c, l.replicas, l.partitions)
	what := fmt.Sprintf("%s of %v on %v", o.name, of, l)
	exe, err := tryCompile(t, c, o.text(l, of), options{replicas: l.replicas, partitions: l.partitions, assignment: rows})
	if err != nil {
		t.Notef("%s is refused: %s", what, firstLine(err.Error()))
		return false
	}
	devices := devicesOf(t, exe)
	if !check.Equal(t, l.devices(), len(devices), "number of addressable devices of %s", what) {
		return true
	}
	lists, positions := make([][]*capi.Buffer, len(devices)), make([]int, len(devices))
	for i, d := range devices {
		positions[i] = slices.Index(order, d)
		if positions[i] < 0 {
			t.Errorf("%s: addressable device %d is not in the assignment", what, i)
			return true
		}
		lists[i] = []*capi.Buffer{o.argument(l, of, positions[i]).upload(t, c, d)}
	}
	out := t.RunOn(exe, 1, lists...)
	for i, p := range positions {
		if want, ok := o.result(l, of, p); ok {
			want.expect(t, out[i][0], fmt.Sprintf("%s, replica %d, partition %d", what, p/l.partitions, p%l.partitions))
		}
		check.Destroy(t, out[i][0])
		check.Destroy(t, lists[i][0])
	}
	check.Destroy(t, exe)
	return true
}

// runAll runs an operation on each layout for which the client has enough devices, and
// skips the check when the plugin compiles none of them.
func (o *collective) runAll(t *check.T, of dtype.Type, layouts ...layout) {
	tried, compiled := 0, 0
	for _, l := range layouts {
		if l.devices() > len(t.Client().Devices) {
			t.Notef("%v are more devices than the client has", &l)
			continue
		}
		tried++
		if o.run(t, &l, of) {
			compiled++
		}
	}
	if compiled == 0 {
		t.SkipUnimplf("the plugin compiles none of %d programs with %s of %v", tried, o.name, of)
	}
}
