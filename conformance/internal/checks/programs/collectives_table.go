// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// fold is a reduction between devices.
type fold struct {
	op    string
	takes func(dtype.Type) bool
	value func(of dtype.Type, position, i int) int64
	of    func(x, y int64) int64
}

// exactTo reports whether a type has all integers up to n, or counts modulo a power of two.
func exactTo(of dtype.Type, n int64) bool {
	if of.IsInteger() || of == dtype.Pred {
		return of != dtype.Pred
	}
	a := numbers{of: of, dims: []int64{n + 1}}
	for i := range n + 1 {
		a.v = append(a.v, i)
	}
	size, data := of.Size(), a.bytes()
	for i := size; i < len(data); i += size {
		if string(data[i-size:i]) == string(data[i:i+size]) {
			return false
		}
	}
	return true
}

func turn(position, i int) int { return (position + i) % 4 }

// folds have values from which every missing, doubled or foreign contribution shows: in
// each element, each device has a different one of four values.
var folds = []fold{
	{op: "add", takes: func(of dtype.Type) bool { return exactTo(of, 15) },
		value: func(_ dtype.Type, position, i int) int64 { return 1 << turn(position, i) },
		of:    func(x, y int64) int64 { return x + y }},
	{op: "multiply", takes: func(of dtype.Type) bool { return exactTo(of, 210) && !of.IsComplex() },
		value: func(_ dtype.Type, position, i int) int64 { return []int64{2, 3, 5, 7}[turn(position, i)] },
		of:    func(x, y int64) int64 { return x * y }},
	{op: "maximum", takes: ordered, value: extreme, of: func(x, y int64) int64 { return max(x, y) }},
	{op: "minimum", takes: ordered, value: extreme, of: func(x, y int64) int64 { return min(x, y) }},
	{op: "and", takes: bitwise, value: func(of dtype.Type, position, i int) int64 {
		if of == dtype.Pred {
			return one01(turn(position, i) != 0)
		}
		return ^(1 << turn(position, i))
	}, of: func(x, y int64) int64 { return x & y }},
	{op: "or", takes: bitwise, value: func(of dtype.Type, position, i int) int64 {
		if of == dtype.Pred {
			return one01(turn(position, i) == 0)
		}
		return 1 << turn(position, i)
	}, of: func(x, y int64) int64 { return x | y }},
}

func ordered(of dtype.Type) bool { return !of.IsComplex() && of != dtype.Pred }
func bitwise(of dtype.Type) bool { return of.IsInteger() || of == dtype.Pred }

// extreme returns 1 to 4, negated in every other element if the type has negative numbers.
func extreme(of dtype.Type, position, i int) int64 {
	v := int64(1 + turn(position, i))
	if i%2 == 1 && (of.IsFloat() || of.IsSigned()) {
		return -v
	}
	return v
}

func one01(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// mark returns a value that tells which device it comes from.
func mark(of dtype.Type, position, i int) int64 {
	if of == dtype.Pred {
		// Bits without a period.
		return int64(uint32(64*position+i+1) * 2654435761 >> 31)
	}
	return int64(4*position + i%4)
}

// regionOf returns a region of two scalars that applies an operation.
func regionOf(op string, of dtype.Type) []string {
	return []string{
		fmt.Sprintf("^bb0(%%x: tensor<%v>, %%y: tensor<%[1]v>):", of),
		fmt.Sprintf("  %%z = stablehlo.%s %%x, %%y : tensor<%v>", op, of),
		fmt.Sprintf("  stablehlo.return %%z : tensor<%v>", of),
	}
}

func fixed(dims ...int64) func(int64) []int64 { return func(int64) []int64 { return dims } }

// allReduceOf reduces over the members of a group.
func allReduceOf(f fold) *collective {
	return &collective{
		name: "all_reduce with " + f.op, in: fixed(2, 3), out: fixed(2, 3), takes: f.takes, value: f.value,
		statement: func(l *layout, of dtype.Type, in, out string) []string {
			lines := []string{`%0 = "stablehlo.all_reduce"(%a) <{` + l.attributes() + "}> ({"}
			lines = append(lines, regionOf(f.op, of)...)
			return append(lines, fmt.Sprintf("}) : (%s) -> %s", in, out))
		},
		want: func(arguments [][]int64, _ int) []int64 { return f.all(arguments) },
	}
}

// all folds the arguments element by element.
func (f fold) all(arguments [][]int64) []int64 {
	out := slices.Clone(arguments[0])
	for _, a := range arguments[1:] {
		for i := range out {
			out[i] = f.of(out[i], a[i])
		}
	}
	return out
}

// reduceScatterOf reduces over the members of a group, each of which gets its
// part of the second dimension.
func reduceScatterOf(f fold) *collective {
	return &collective{
		name: "reduce_scatter with " + f.op, in: func(n int64) []int64 { return []int64{2, 2 * n} }, out: fixed(2, 2),
		takes: func(of dtype.Type) bool { return f.takes(of) && (f.op != "add" || exactTo(of, 128)) },
		// No two members may get the same result.
		value: func(of dtype.Type, position, i int) int64 { return f.value(of, position, i) + int64(i) },
		statement: func(l *layout, of dtype.Type, in, out string) []string {
			lines := []string{`%0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 1 : i64, ` + l.attributes() + "}> ({"}
			lines = append(lines, regionOf(f.op, of)...)
			return append(lines, fmt.Sprintf("}) : (%s) -> %s", in, out))
		},
		want: func(arguments [][]int64, me int) []int64 {
			sums, n := f.all(arguments), 2*len(arguments)
			return []int64{sums[2*me], sums[2*me+1], sums[n+2*me], sums[n+2*me+1]}
		},
	}
}

// The operations that move data. Each device has a matrix.
var (
	allGather = &collective{
		name: "all_gather", in: fixed(2, 3), out: func(n int64) []int64 { return []int64{2, 3 * n} }, takes: every, value: mark,
		statement: func(l *layout, _ dtype.Type, in, out string) []string {
			return []string{fmt.Sprintf(`%%0 = "stablehlo.all_gather"(%%a) <{all_gather_dim = 1 : i64, %s}> : (%s) -> %s`,
				l.attributes(), in, out)}
		},
		want: func(arguments [][]int64, _ int) []int64 {
			var out []int64
			for row := range 2 {
				for _, a := range arguments {
					out = append(out, a[3*row:3*row+3]...)
				}
			}
			return out
		},
	}
	allToAll = &collective{
		name: "all_to_all", in: func(n int64) []int64 { return []int64{2 * n, 3} }, out: func(n int64) []int64 { return []int64{2, 3 * n} },
		takes: every, value: mark, partitioned: true,
		statement: func(l *layout, _ dtype.Type, in, out string) []string {
			return []string{fmt.Sprintf(`%%0 = "stablehlo.all_to_all"(%%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = %d : i64, %s}> : (%s) -> %s`,
				len(l.groups[0]), l.attributes(), in, out)}
		},
		want: func(arguments [][]int64, me int) []int64 {
			var out []int64
			for row := range 2 {
				for _, a := range arguments {
					at := 3 * (2*me + row)
					out = append(out, a[at:at+3]...)
				}
			}
			return out
		},
	}
	collectiveBroadcast = &collective{
		name: "collective_broadcast", in: fixed(2, 3), out: fixed(2, 3), takes: every, value: mark, partitioned: true,
		statement: func(l *layout, _ dtype.Type, in, out string) []string {
			return []string{fmt.Sprintf(`%%0 = "stablehlo.collective_broadcast"(%%a) <{%s}> : (%s) -> %s`, l.attributes(), in, out)}
		},
		want: func(arguments [][]int64, _ int) []int64 { return arguments[0] },
	}
	collectivePermute = &collective{
		name: "collective_permute", in: fixed(2, 3), out: fixed(2, 3), takes: every, value: mark, partitioned: true, pairs: true,
		statement: func(l *layout, _ dtype.Type, in, out string) []string {
			attributes := strings.Replace(l.attributes(), "replica_groups", "source_target_pairs", 1)
			return []string{fmt.Sprintf(`%%0 = "stablehlo.collective_permute"(%%a) <{%s}> : (%s) -> %s`, attributes, in, out)}
		},
	}
)

func every(dtype.Type) bool { return true }

// ofDims returns the operation on arrays of other dimensions.
func (o collective) ofDims(dims ...int64) *collective {
	o.in, o.out = fixed(dims...), fixed(dims...)
	return &o
}

// asynchronous returns the operation in the form that starts it and then waits for it.
func (o collective) asynchronous() *collective {
	inner := o.statement
	o.inner = inner
	o.name = "asynchronous " + o.name
	o.statement = func(l *layout, of dtype.Type, in, out string) []string {
		lines := []string{`%f = "stablehlo.async_start"(%a) ({`, fmt.Sprintf("^bb0(%%b: %s):", in)}
		for _, line := range inner(l, of, in, out) {
			lines = append(lines, "  "+strings.NewReplacer("(%a)", "(%b)", "%0 = ", "%c = ").Replace(line))
		}
		return append(lines, fmt.Sprintf("  stablehlo.return %%c : %s", out),
			fmt.Sprintf("}) : (%s) -> !stablehlo.future<%s>", in, out),
			fmt.Sprintf(`%%0 = "stablehlo.async_done"(%%f) : (!stablehlo.future<%s>) -> %[1]s`, out))
	}
	return &o
}

// byReplica returns layouts with one partition and all replicas in one group.
func byReplica(sizes ...int) []layout {
	var list []layout
	for _, n := range sizes {
		list = append(list, layout{replicas: n, partitions: 1, groups: [][]int{counting(n)}})
	}
	return list
}

func counting(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// cycles returns layouts for collective_permute, in which each replica sends to the next.
func cycles(sizes ...int) []layout {
	var list []layout
	for _, n := range sizes {
		l := layout{replicas: n, partitions: 1}
		for i := range n {
			l.groups = append(l.groups, []int{i, (i + 1) % n})
		}
		list = append(list, l)
	}
	return list
}

var collectiveTypes = []dtype.Type{
	dtype.F32, dtype.S32, dtype.F64, dtype.F16, dtype.BF16, dtype.S8, dtype.S16, dtype.S64, dtype.U8, dtype.U16, dtype.U32, dtype.U64,
	dtype.Pred, dtype.C64, dtype.C128, dtype.F8E5M2, dtype.F8E4M3FN, dtype.S4, dtype.U4,
}

// exchange is a check of a collective on a type and some layouts.
type exchange struct {
	rule, variant string
	profile       check.Profile
	devices       int
	o             *collective
	of            dtype.Type
	layouts       []layout
}

// exchanges returns every check of a single collective.
func exchanges() []exchange {
	return slices.Concat(collectiveFamily(), layoutFamily(), specialFamily())
}

// exchangeChecks returns the checks of the exchanges, and the one of collectives in flight.
func exchangeChecks() []check.Check {
	var list []check.Check
	for _, x := range exchanges() {
		list = append(list, check.Check{Rule: x.rule, Variant: x.variant, Profile: x.profile, Devices: x.devices,
			Run: func(t *check.T) { x.o.runAll(t, x.of, x.layouts...) }})
	}
	return append(list, check.Check{Rule: "MULTI-10", Variant: "in-flight", Devices: 2, Hostile: true, Run: inFlight})
}

// collectiveFamily returns every collective on every type.
func collectiveFamily() []exchange {
	var list []exchange
	for _, of := range collectiveTypes {
		add := func(rule, name string, quick bool, o *collective, layouts []layout) {
			profile := check.Core
			if quick && of == dtype.F32 {
				profile = check.Quick
			}
			list = append(list, exchange{
				rule: rule, variant: fmt.Sprintf("%s/%v", name, of), profile: profile, devices: 2, o: o, of: of, layouts: layouts,
			})
		}
		for _, f := range folds {
			if !f.takes(of) {
				continue
			}
			add("MULTI-03", f.op, f.op == "add", allReduceOf(f), byReplica(2, 3, 4))
			if scatter := reduceScatterOf(f); (f.op == "add" || f.op == "maximum") && scatter.takes(of) {
				add("MULTI-04", "reduce_scatter_"+f.op, f.op == "add", scatter, byReplica(2, 3, 4))
			}
		}
		for _, o := range []*collective{allGather, allToAll, collectiveBroadcast} {
			add("MULTI-04", o.name, true, o, byReplica(2, 3, 4))
		}
		add("MULTI-04", "collective_permute", true, collectivePermute, cycles(2, 3, 4))
	}
	return list
}

// someCollectives returns one of each kind; the reductions are sums.
func someCollectives() []*collective {
	return []*collective{allReduceOf(folds[0]), reduceScatterOf(folds[0]), allGather, allToAll, collectiveBroadcast}
}

// groupLayouts are replicas that are not all in one group, or not in order.
var groupLayouts = []struct {
	name string
	layout
}{
	{"pairs", layout{replicas: 4, partitions: 1, groups: [][]int{{0, 1}, {2, 3}}}},
	{"across", layout{replicas: 4, partitions: 1, groups: [][]int{{0, 3}, {1, 2}}}},
	{"turned", layout{replicas: 4, partitions: 1, groups: [][]int{{3, 1}, {2, 0}}}},
	{"backwards", layout{replicas: 4, partitions: 1, groups: [][]int{{3, 2, 1, 0}}}},
	{"alone", layout{replicas: 4, partitions: 1, groups: [][]int{{0}, {1}, {2}, {3}}}},
	{"uneven", layout{replicas: 4, partitions: 1, groups: [][]int{{0, 1, 2}, {3}}}},
	{"uneven-pair", layout{replicas: 3, partitions: 1, groups: [][]int{{2}, {1, 0}}}},
}

// channelLayouts are four devices as replicas and partitions.
var channelLayouts = []struct {
	name string
	layout
}{
	{"channel", layout{replicas: 4, partitions: 1, groups: [][]int{{0, 2}, {1, 3}}, channel: true}},
	{"replicas", layout{replicas: 2, partitions: 2, groups: [][]int{{0, 1}}}},
	{"replicas-and-channel", layout{replicas: 2, partitions: 2, groups: [][]int{{0, 1}}, channel: true}},
	{"single-replicas-and-channel", layout{replicas: 2, partitions: 2, groups: [][]int{{0}, {1}}, channel: true}},
	{"global-across", layout{replicas: 2, partitions: 2, groups: [][]int{{0, 3}, {1, 2}}, channel: true, global: true}},
	{"global-partitions", layout{replicas: 2, partitions: 2, groups: [][]int{{0, 1}, {2, 3}}, channel: true, global: true}},
	{"global-replicas", layout{replicas: 2, partitions: 2, groups: [][]int{{2, 0}, {3, 1}}, channel: true, global: true}},
	{"global-all", layout{replicas: 1, partitions: 4, groups: [][]int{{3, 1, 0, 2}}, channel: true, global: true}},
}

// permutations are pairs of sources and targets.
var permutations = []struct {
	name string
	layout
}{
	{"cycle", layout{replicas: 4, partitions: 1, groups: [][]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}}}},
	{"two-cycles", layout{replicas: 4, partitions: 1, groups: [][]int{{0, 2}, {2, 0}, {1, 3}, {3, 1}}}},
	{"missing-sources", layout{replicas: 4, partitions: 1, groups: [][]int{{0, 1}, {3, 0}}}},
	{"to-itself", layout{replicas: 4, partitions: 1, groups: [][]int{{0, 0}, {1, 2}, {2, 1}}}},
	{"one-pair", layout{replicas: 3, partitions: 1, groups: [][]int{{2, 0}}}},
	{"partitions", layout{replicas: 2, partitions: 2, groups: [][]int{{0, 1}, {1, 0}}, channel: true}},
	{"replicas", layout{replicas: 2, partitions: 2, groups: [][]int{{0, 1}}}},
}

// layoutFamily returns collectives in groups other than all replicas.
func layoutFamily() []exchange {
	var list []exchange
	add := func(rule, variant string, l layout, o *collective, quick bool) {
		profile := check.Core
		if quick {
			profile = check.Quick
		}
		list = append(list, exchange{
			rule: rule, variant: variant, profile: profile, devices: l.devices(), o: o, of: dtype.F32, layouts: []layout{l},
		})
	}
	for _, o := range someCollectives() {
		name, _, _ := strings.Cut(o.name, " ")
		for _, g := range groupLayouts {
			// Where the shape of the result depends on the size of the group, all groups
			// must be of one size.
			if g.size(o) > 0 || strings.HasPrefix(name, "all_reduce") {
				add("MULTI-05", name+"/"+g.name, g.layout, o, g.name == "across" || g.name == "uneven")
			}
		}
		for _, g := range channelLayouts {
			if o.partitioned && g.channel {
				continue // with a channel, their groups are groups of partitions
			}
			if g.name == "replicas-and-channel" && name != "all_reduce" {
				continue // there are two readings of whether replicas or partitions count first
			}
			add("MULTI-06", name+"/"+g.name, g.layout, o, g.name == "global-across" || g.name == "replicas")
		}
	}
	for _, o := range []*collective{allToAll, collectiveBroadcast} {
		l := layout{replicas: 2, partitions: 2, groups: [][]int{{1, 0}}, channel: true}
		add("MULTI-06", o.name+"/partitions", l, o, o == allToAll)
	}
	for _, g := range permutations {
		rule := "MULTI-05"
		if g.partitions > 1 {
			rule = "MULTI-06"
		}
		add(rule, "collective_permute/"+g.name, g.layout, collectivePermute, g.name == "missing-sources" || g.name == "partitions")
	}
	return list
}

// specialFamily returns collectives that are started and awaited separately, and those of
// arrays without elements.
func specialFamily() []exchange {
	var list []exchange
	add := func(o *collective, variant string, special func(*collective) *collective) {
		layouts := byReplica(2, 4)
		if o.pairs {
			layouts = cycles(2, 4)
		}
		name, _, _ := strings.Cut(o.name, " ")
		rule := "MULTI-04"
		if name == "all_reduce" {
			rule = "MULTI-03"
		}
		list = append(list, exchange{
			rule: rule, variant: name + variant, profile: check.Core, devices: 2, o: special(o), of: dtype.F32, layouts: layouts,
		})
	}
	for _, o := range append(someCollectives(), collectivePermute) {
		add(o, "/asynchronous", (*collective).asynchronous)
	}
	for _, o := range []*collective{allReduceOf(folds[0]), collectiveBroadcast, collectivePermute} {
		add(o, "/empty", func(o *collective) *collective { return o.ofDims(0, 3) })
	}
	return list
}
