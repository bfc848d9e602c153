// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// allReduce reduces tensor<4x...> over groups of replicas. attributes holds more of its
// attributes, each after a comma.
func allReduce(element, op, groups, attributes string) string {
	array := fmt.Sprintf("tensor<4x%s>", element)
	return program("all_reduce", fmt.Sprintf("(%%a: %[1]s) -> %[1]s", array),
		fmt.Sprintf(`%%0 = "stablehlo.all_reduce"(%%a) <{replica_groups = dense<%s> : tensor<%s>%s}> ({`, groups,
			groupShape(groups), attributes),
		fmt.Sprintf("^bb0(%%x: tensor<%[1]s>, %%y: tensor<%[1]s>):", element),
		fmt.Sprintf("  %%z = stablehlo.%s %%x, %%y : tensor<%s>", op, element),
		fmt.Sprintf("  stablehlo.return %%z : tensor<%s>", element),
		fmt.Sprintf("}) : (%[1]s) -> %[1]s", array), "return %0 : "+array)
}

// groupShape is the type of a list of lists, such as [[0, 1], [2, 3]].
func groupShape(groups string) string {
	rows, columns := -1, 1
	for i, r := range groups {
		switch {
		case r == '[':
			rows++
		case r == ',' && rows == 1 && groups[i-1] != ']':
			columns++
		}
	}
	return fmt.Sprintf("%dx%dxi64", rows, columns)
}

var collectiveChecks = []check.Check{
	{Rule: "MULTI-03", Devices: 2, Run: reducesEveryType},
	{Rule: "MULTI-04", Devices: 2, Run: movesBetweenReplicas},
	{Rule: "MULTI-05", Devices: 4, Run: func(t *check.T) {
		c := t.Client()
		for _, g := range []struct {
			groups string
			want   []float32 // by replica
		}{
			{"[[0, 1], [2, 3]]", []float32{3, 3, 12, 12}}, {"[[0, 3], [1, 2]]", []float32{9, 6, 6, 9}},
			{"[[0, 1, 2, 3]]", []float32{15, 15, 15, 15}}, {"[[0, 1, 2], [3, -1, -1]]", []float32{7, 7, 7, 8}},
		} {
			exe, err := tryCompile(t, c, allReduce("f32", "add", g.groups, ""), options{replicas: 4})
			if err != nil {
				t.Notef("replica_groups %s are refused: %s", g.groups, firstLine(err.Error()))
				continue
			}
			replicas := replicasOf(t, c, exe)
			expectEach(t, runEach(t, c, exe, func(i int) []float32 { return fill(4, float32(int(1)<<replicas[i]), 0) }),
				func(i int) []float32 { return fill(4, g.want[replicas[i]], 0) }, "all_reduce with replica_groups "+g.groups)
		}
	}},
	{Rule: "MULTI-06", Variant: "channel", Devices: 2, Run: func(t *check.T) {
		c := t.Client()
		exe := compileMany(t, c, allReduce("f32", "add", "[[0, 1]]", ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>"),
			options{replicas: 2})
		expectEach(t, runEach(t, c, exe, func(i int) []float32 { return fill(4, float32(i+1), 0) }),
			func(int) []float32 { return fill(4, float32(3), 0) }, "all_reduce over replicas with a channel")
	}},
	{Rule: "MULTI-06", Variant: "global-ids", Devices: 4, Run: func(t *check.T) {
		c := t.Client()
		// By global id, which is replica*2+partition: 0 with 3, 1 with 2.
		exe := compileMany(t, c, manual(allReduce("f32", "add", "[[0, 3], [1, 2]]",
			", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids")),
			options{replicas: 2, partitions: 2})
		positions := positionsOf(t, c, exe, 2)
		want := []float32{9, 6, 6, 9}
		expectEach(t, runEach(t, c, exe, func(i int) []float32 { return fill(4, float32(int(1)<<positions[i]), 0) }),
			func(i int) []float32 { return fill(4, want[positions[i]], 0) }, "all_reduce with use_global_device_ids")
	}},
}

// positionsOf returns replica*partitions+partition for each addressable device of an
// executable, in their order, as the executable's device assignment says.
func positionsOf(t *check.T, c *check.Client, exe *capi.LoadedExecutable, partitions int) []int {
	devices := devicesOf(t, exe)
	positions := make([]int, len(devices))
	out, err := check.Try(t, capi.LoadedExecutableGetDeviceAssignmentArgs{Executable: exe})
	if err != nil {
		for i := range positions {
			positions[i] = i
		}
		return positions
	}
	_, _, ids, err := readDeviceAssignment(capi.Bytes(out.SerializedBytes, out.SerializedBytesSize))
	out.SerializedDeviceAssignmentDeleter.Call(out.SerializedDeviceAssignment)
	t.NoError(err, "reading the device assignment of an executable")
	for i, d := range devices {
		for r, row := range ids {
			for p, id := range row {
				if id == int(t.DeviceID(d)) {
					positions[i] = r*partitions + p
				}
			}
		}
	}
	return positions
}

// replicasOf is positionsOf for a program with one partition.
func replicasOf(t *check.T, c *check.Client, exe *capi.LoadedExecutable) []int {
	return positionsOf(t, c, exe, 1)
}

// manual lets each partition of a program with one argument and one result, tensor<4xf32>,
// see its own data.
func manual(text string) string {
	const annotation = ` {mhlo.sharding = "{manual}"}`
	return strings.NewReplacer(
		"(%a: tensor<4xf32>) -> tensor<4xf32> {\n    ", "(%g: tensor<8xf32> {mhlo.sharding = \"{devices=[2]<=[2]}\"}) -> (tensor<8xf32> {mhlo.sharding = \"{devices=[2]<=[2]}\"}) {\n"+
			`    %s = stablehlo.custom_call @Sharding(%g) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>`+"\n"+
			"    %a = stablehlo.custom_call @SPMDFullToShardShape(%s)"+annotation+" : (tensor<8xf32>) -> tensor<4xf32>\n    ",
		"return %0 : tensor<4xf32>", "%m = stablehlo.custom_call @Sharding(%0)"+annotation+" : (tensor<4xf32>) -> tensor<4xf32>\n"+
			`    %w = stablehlo.custom_call @SPMDShardToFullShape(%m) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>`+"\n    return %w : tensor<8xf32>",
		"module @all_reduce", "module @all_reduce attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32}").Replace(text)
}

// reduction is an all_reduce of one type over two replicas.
type reduction struct {
	name string
	run  func(t *check.T, c *check.Client) bool
}

// reduce returns a reduction of two arrays, whose run reports whether the plugin compiles
// it.
func reduce[E dtype.Elem](element, op string, first, second, want []E) reduction {
	name := "all_reduce with " + op + " of " + element
	return reduction{name, func(t *check.T, c *check.Client) bool {
		exe, err := tryCompile(t, c, allReduce(element, op, "[[0, 1]]", ""), options{replicas: 2})
		if err != nil {
			t.Notef("%s is refused: %s", name, firstLine(err.Error()))
			return false
		}
		replicas := replicasOf(t, c, exe)
		expectEach(t, runEach(t, c, exe, func(i int) []E {
			if replicas[i] == 0 {
				return first
			}
			return second
		}), func(int) []E { return want }, name)
		return true
	}}
}

var everyReduction = []reduction{
	reduce("f32", "add", []float32{1, -2, 0.5, 1e6}, []float32{10, 2, 0.25, 1}, []float32{11, 0, 0.75, 1000001}),
	reduce("f32", "maximum", []float32{1, -2, 3, -4}, []float32{0, -1, 5, -8}, []float32{1, -1, 5, -4}),
	reduce("f32", "minimum", []float32{1, -2, 3, -4}, []float32{0, -1, 5, -8}, []float32{0, -2, 3, -8}),
	reduce("f32", "multiply", []float32{1, -2, 3, -4}, []float32{2, 2, 0.5, -1}, []float32{2, -4, 1.5, 4}),
	reduce("f64", "add", []float64{1, -2, 0.5, 1e9}, []float64{10, 2, 0.25, 1}, []float64{11, 0, 0.75, 1000000001}),
	reduce("i32", "add", []int32{1, -2, 1 << 30, 7}, []int32{10, 2, 1 << 29, -7}, []int32{11, 0, 3 << 29, 0}),
	reduce("i64", "add", []int64{1, -2, 1 << 40, 7}, []int64{10, 2, 1, -7}, []int64{11, 0, 1<<40 + 1, 0}),
	reduce("i8", "add", []int8{1, -2, 100, 7}, []int8{10, 2, 20, -7}, []int8{11, 0, 120, 0}),
	reduce("ui32", "maximum", []uint32{1, 2, 1 << 31, 7}, []uint32{10, 1, 1, 6}, []uint32{10, 2, 1 << 31, 7}),
	reduce("i32", "and", []int32{12, -1, 6, 0}, []int32{10, 5, 3, 7}, []int32{8, 5, 2, 0}),
	reduce("i32", "or", []int32{12, 0, 6, 0}, []int32{10, 5, 3, 7}, []int32{14, 5, 7, 7}),
	reduce("i1", "and", []bool{true, true, false, false}, []bool{true, false, true, false}, []bool{true, false, false, false}),
	reduce("i1", "or", []bool{true, true, false, false}, []bool{true, false, true, false}, []bool{true, true, true, false}),
	reduce("bf16", "add", []dtype.BFloat16{dtype.Round[dtype.BFloat16](1), dtype.Round[dtype.BFloat16](-2),
		dtype.Round[dtype.BFloat16](0.5), dtype.Round[dtype.BFloat16](8)},
		[]dtype.BFloat16{dtype.Round[dtype.BFloat16](3), dtype.Round[dtype.BFloat16](2), dtype.Round[dtype.BFloat16](0.25),
			dtype.Round[dtype.BFloat16](8)},
		[]dtype.BFloat16{dtype.Round[dtype.BFloat16](4), dtype.Round[dtype.BFloat16](0), dtype.Round[dtype.BFloat16](0.75),
			dtype.Round[dtype.BFloat16](16)}),
}

func reducesEveryType(t *check.T) {
	c := t.Client()
	compiled := 0
	for _, r := range everyReduction {
		if r.run(t, c) {
			compiled++
		}
	}
	if compiled == 0 {
		t.SkipUnimplf("no all_reduce compiles")
	}
}

// movesBetweenReplicas runs the other collectives over two replicas: the first has 1, 2, 3,
// 4 and the second 11, 12, 13, 14.
func movesBetweenReplicas(t *check.T) {
	c := t.Client()
	groups := "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
	compiled := 0
	for _, p := range []struct {
		name, out, line string
		want            [2][]float32
	}{
		{name: "all_gather", out: "8xf32", line: `%0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, ` + groups +
			`}> : (tensor<4xf32>) -> tensor<8xf32>`,
			want: [2][]float32{{1, 2, 3, 4, 11, 12, 13, 14}, {1, 2, 3, 4, 11, 12, 13, 14}}},
		{name: "reduce_scatter", out: "2xf32", line: `%0 = "stablehlo.reduce_scatter"(%a) <{` + groups +
			`, scatter_dimension = 0 : i64}> ` + region + ` : (tensor<4xf32>) -> tensor<2xf32>`,
			want: [2][]float32{{12, 14}, {16, 18}}},
		{name: "all_to_all", out: "4xf32", line: `%0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, ` + groups +
			`, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>`,
			want: [2][]float32{{1, 2, 11, 12}, {3, 4, 13, 14}}},
		{name: "collective_permute", out: "4xf32", line: `%0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>`,
			want: [2][]float32{{11, 12, 13, 14}, {1, 2, 3, 4}}},
		{name: "collective_permute without a source for one replica", out: "4xf32", line: `%0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>`,
			want: [2][]float32{{0, 0, 0, 0}, {1, 2, 3, 4}}},
		{name: "collective_broadcast", out: "4xf32", line: `%0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>`,
			want: [2][]float32{{11, 12, 13, 14}, {11, 12, 13, 14}}},
	} {
		exe, err := tryCompile(t, c, program("collective", "(%a: tensor<4xf32>) -> tensor<"+p.out+">", p.line,
			"return %0 : tensor<"+p.out+">"), options{replicas: 2})
		if err != nil {
			t.Notef("%s is refused: %s", p.name, firstLine(err.Error()))
			continue
		}
		compiled++
		replicas := replicasOf(t, c, exe)
		expectEach(t, runEach(t, c, exe, func(i int) []float32 { return fill(4, float32(10*replicas[i]+1), 1) }),
			func(i int) []float32 { return p.want[replicas[i]] }, p.name)
	}
	if compiled == 0 {
		t.SkipUnimplf("no collective compiles")
	}
}
