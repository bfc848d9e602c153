// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var optionChecks = slices.Concat(
	both(check.Check{Rule: "COPT-01"}, func(t *check.T, k compiler) {
		sizes := [][2]int{{1, 1}}
		if k.topology != nil || len(t.Client().Devices) > 1 {
			sizes = append(sizes, [2]int{2, 1}, [2]int{1, 2})
		}
		for _, n := range sizes {
			what := fmt.Sprintf("compiled for %d replicas and %d partitions", n[0], n[1])
			e, err := k.tryText(t, check.AddOne, options{replicas: n[0], partitions: n[1]})
			if err != nil {
				if n == [2]int{1, 1} || k.topology == nil && n == [2]int{2, 1} {
					t.Errorf("a program %s: expected success, got %v", what, err)
				} else {
					t.Notef("a program %s is refused: %s", what, firstLine(err.Error()))
				}
				continue
			}
			got := [2]int{
				int(check.Call(t, capi.ExecutableNumReplicasArgs{Executable: e.executable}).NumReplicas),
				int(check.Call(t, capi.ExecutableNumPartitionsArgs{Executable: e.executable}).NumPartitions),
			}
			check.Equal(t, n, got, "replicas and partitions of a program %s", what)
			if e.loaded != nil {
				check.Equal(t, n[0]*n[1], len(devicesOf(t, e.loaded)), "number of addressable devices of a program %s", what)
			}
		}
	}),
	[]check.Check{
		{Rule: "COPT-02", Devices: 2, Run: func(t *check.T) {
			c := t.Client()
			ids := deviceIDs(t, c)
			for i := range c.Devices {
				exe := compileFor(t, c, check.AddOne, options{assignment: [][]int{{ids[i]}}})
				got := devicesOf(t, exe)
				if len(got) != 1 || int(t.DeviceID(got[0])) != ids[i] {
					t.Errorf("addressable devices of a program that is assigned to device %d: expected that device, got %v", ids[i],
						idsOf(t, got))
					continue
				}
				out, err := attempt(t, exe, 1, check.UploadTo(t, c, c.Devices[i], []float32{1, 2, 3, 4}))
				if !t.NoError(err, fmt.Sprintf("executing a program that is assigned to device %d, with an argument there", ids[i])) {
					continue
				}
				if on := check.Call(t, capi.BufferDeviceArgs{Buffer: out[0]}).Device; on != c.Devices[i] {
					t.Errorf("device of the result of a program that is assigned to device %d: got device %d", ids[i], t.DeviceID(on))
				}
				check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "result of a program that is assigned to one device")
			}
			exe := compileFor(t, c, check.AddOne, options{replicas: 2, assignment: [][]int{{ids[len(ids)-1]}, {ids[0]}}})
			got := idsOf(t, devicesOf(t, exe))
			slices.Sort(got)
			want := []int{ids[len(ids)-1], ids[0]}
			slices.Sort(want)
			check.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "ids of the addressable devices of a program that is assigned to two devices")
		}},
		{Rule: "COPT-03", Hostile: true, Run: func(t *check.T) {
			c := t.Client()
			first := deviceIDs(t, c)[0]
			for _, a := range [][][]int{{{99999}}, {{-1}}, {{first}, {99999}}, {{first}, {first}}} {
				_, err := tryCompile(t, c, check.AddOne, options{replicas: len(a), assignment: a})
				t.ErrorCode(err, fmt.Sprintf("compiling for the devices %v, of a client with device %d", a, first))
			}
			compilesStill(t, c)
		}},
		{Rule: "COPT-04", Hostile: true, Run: func(t *check.T) {
			c := t.Client()
			ids := deviceIDs(t, c)
			first, last := ids[0], ids[len(ids)-1]
			for _, o := range []options{
				{assignment: [][]int{{first}, {last}}},
				{assignment: [][]int{{first, last}}},
				{replicas: 2, assignment: [][]int{{first}}},
				{replicas: 2, partitions: 1, assignment: [][]int{{first, last}}},
				// Counts of one, but no lists.
				{build: message(nil, 9, number(number(nil, 1, 1), 2, 1))},
				// A list of two although the counts say one.
				{build: message(nil, 9, message(number(number(nil, 1, 1), 2, 1), 3, message(nil, 1, []byte{byte(first), byte(last)})))},
			} {
				_, err := tryCompile(t, c, check.AddOne, o)
				t.ErrorCode(err, fmt.Sprintf("compiling %d x %d with a device assignment of another shape, %v%x", max(o.replicas, 1),
					max(o.partitions, 1), o.assignment, o.build))
			}
			compilesStill(t, c)
		}},
		{Rule: "COPT-05", Run: func(t *check.T) {
			c := t.Client()
			exe := portable(t, c, check.AddOne)
			for i, d := range c.Devices {
				x := check.NewExecution(exe, 1, []*capi.Buffer{check.UploadTo(t, c, d, []float32{1, 2, 3, 4})})
				x.Args.ExecuteDevice = d
				if !t.NoError(x.Start(t), fmt.Sprintf("executing a portable executable on device %d", i)) {
					continue
				}
				t.NoError(finish(t, x), "the execution")
				check.ExpectBuffer(t, x.Outputs[0][0], []float32{2, 3, 4, 5}, fmt.Sprintf("a portable executable on device %d", i))
			}
		}},
		{Rule: "COPT-06", Run: layoutsAreHonoured},
	},
	both(check.Check{Rule: "COPT-07"}, func(t *check.T, k compiler) {
		boolean := number(nil, 2, 1)
		e, err := k.tryText(t, check.AddOne, options{flag: "xla_embed_ir_in_executable", value: boolean})
		if err != nil {
			t.SkipUnimplf("the plugin does not know xla_embed_ir_in_executable: %s", firstLine(err.Error()))
		}
		if e.loaded != nil {
			runsAddOne(t, t.Client(), e.loaded, "a program compiled with a flag")
		}
		_, err = k.tryText(t, check.AddOne, options{flag: "no_such_flag_of_the_suite", value: boolean})
		t.ErrorCode(err, "compiling with the flag no_such_flag_of_the_suite")
		if !t.Failed() {
			refusesEachFlag(t, k, boolean)
		}
	}),
	both(check.Check{Rule: "COPT-08"}, func(t *check.T, k compiler) {
		unknown := number(message(nil, 9999, []byte("newer")), 9998, 7)
		e, err := k.tryText(t, check.AddOne, options{extra: unknown, build: unknown})
		if t.NoError(err, "compiling with options that have fields 9998 and 9999") && e.loaded != nil {
			runsAddOne(t, t.Client(), e.loaded, "a program compiled with unknown fields")
		}
		inAnyOrder(t, k)
	}),
	both(check.Check{Rule: "COPT-09"}, func(t *check.T, k compiler) {
		t.Require(check.FunctionOf[capi.ExecutableGetCompileOptionsArgs]())
		e := k.text(t, check.AddOne, options{portable: k.topology == nil, optimization: 2})
		for call := range 3 { // each has the options whole
			expectCompileOptions(t, e.executable, k.topology == nil)
			if t.Failed() {
				t.Notef("of calls of PJRT_Executable_GetCompileOptions, number %d is wrong", call+1)
				return
			}
		}
		if k.topology == nil && len(t.Client().Devices) < 2 {
			return
		}
		if e, err := k.tryText(t, check.AddOne, options{replicas: 2}); err == nil {
			out := compileOptions(t, e.executable)
			o, _ := readOptions(capi.Bytes(out.SerializedBytes, out.SerializedBytesSize))
			out.SerializedCompileOptionsDeleter.Call(out.SerializedCompileOptions)
			check.Equal(t, 2, o.replicas, "num_replicas of PJRT_Executable_GetCompileOptions of a program for two replicas")
		}
		expectCompileOptions(t, e.executable, k.topology == nil)
		if t.Failed() {
			t.Notef("the options of an executable were requested again, when another one had been compiled")
			return
		}
		optionsOfSeveral(t, k)
	}),
	both(check.Check{Rule: "COPT-10"}, func(t *check.T, k compiler) {
		t.Require(check.FunctionOf[capi.ExecutableGetCompileOptionsArgs]())
		e, other := k.text(t, check.AddOne, options{}), k.text(t, check.AddOne, options{optimization: 2})
		keptApart(t, "PJRT_Executable_GetCompileOptions", func(i int) ownedBytes {
			out := compileOptions(t, []*compiled{e, other}[i/2].executable)
			return ownedBytes{out.SerializedBytes, out.SerializedBytesSize,
				func() { out.SerializedCompileOptionsDeleter.Call(out.SerializedCompileOptions) }}
		}, func() { e.drop(t); other.drop(t) })
	}),
	both(check.Check{Rule: "COPT-11"}, func(t *check.T, k compiler) {
		for level := range 5 {
			for _, o := range []options{{optimization: level}, {memoryFitting: level}} {
				e, err := k.tryText(t, check.AddOne, o)
				if t.NoError(err, fmt.Sprintf("compiling with optimization_level %d and memory_fitting_level %d", o.optimization,
					o.memoryFitting)) {
					e.drop(t)
				}
			}
		}
	}),
	both(check.Check{Rule: "COPT-12"}, func(t *check.T, k compiler) {
		for _, o := range jaxOptions {
			e, err := k.try(t, t.Program("mlir", check.AddOne), o.bytes)
			if t.NoError(err, "compiling with the options of "+o.name) && e.loaded != nil {
				runsAddOne(t, t.Client(), e.loaded, "a program compiled with the options of "+o.name)
			}
		}
	}),
)

// jaxOptions have the fields that versions of JAX set for one device.
var jaxOptions = []struct {
	name  string
	bytes []byte
}{
	// device_ordinal -1, one replica, one partition, assignment of device 0,
	// allow_spmd_sharding_propagation_to_output false, profile version, no
	// overrides.
	{"JAX with an assignment to device 0", options{assignment: [][]int{{0}}, build: join(number(nil, 1, -1), message(nil, 12, []byte{0}))}.bytes()},
	{"JAX with SPMD partitioning on", options{assignment: [][]int{{0}}, build: join(number(nil, 1, -1), number(nil, 6, 1), number(nil, 10, 0), message(nil, 12, []byte{0}), message(nil, 18, []byte{0}), number(nil, 23, 1))}.bytes()},
	{"JAX with Shardy", options{assignment: [][]int{{0}}, shardy: true, build: join(number(nil, 1, -1), number(nil, 6, 1), message(nil, 12, []byte{0}), number(nil, 23, 1)), extra: number(nil, 5, 0)}.bytes()},
}

// inAnyOrder compiles for two replicas with the fields of the options in the order that protocol
// buffers allow as well: from the last to the first, and a part of a message, or a number, for the
// second time.
func inAnyOrder(t *check.T, k compiler) {
	if k.topology == nil && len(t.Client().Devices) < 2 {
		t.Notef("there is one device, so the fields of the options came in one order")
		return
	}
	if _, err := k.tryText(t, check.AddOne, options{replicas: 2}); err != nil {
		t.Notef("a program for two replicas is refused: %s", firstLine(err.Error()))
		return
	}
	build := join(number(nil, 5, 1), number(nil, 4, 2))
	for _, o := range []struct {
		what  string
		bytes []byte
	}{
		{"their fields from the last to the first", join(number(nil, 4, 0), message(nil, 3, build), number(nil, 2, 0))},
		{"executable_build_options in two parts", join(message(nil, 3, number(nil, 4, 2)), message(nil, 3, number(nil, 5, 1)))},
		{"num_replicas twice, first 1 and then 2", message(nil, 3, join(number(nil, 4, 1), number(nil, 5, 1), number(nil, 4, 2)))},
	} {
		e, err := k.try(t, t.Program("mlir", check.AddOne), o.bytes)
		if t.NoError(err, "compiling with options that have "+o.what) {
			n := check.Call(t, capi.ExecutableNumReplicasArgs{Executable: e.executable}).NumReplicas
			check.Equal(t, 2, int(n), "PJRT_Executable_NumReplicas of a program whose options have %s", o.what)
			e.drop(t)
		}
	}
}

// ownedBytes are bytes from the plugin, and what deletes them.
type ownedBytes struct {
	at      *byte
	size    uintptr
	deletes func()
}

// keptApart asks four times for bytes, the last two times about another executable, and deletes
// them in another order than it got them in. All must stay as they were until then, also when gone
// has destroyed the executables.
func keptApart(t *check.T, function string, ask func(i int) ownedBytes, gone func()) {
	var list [4]ownedBytes
	var was [4]string
	for i := range list {
		list[i] = ask(i)
		if was[i] = capi.String(list[i].at, list[i].size); was[i] == "" {
			t.Fatalf("%s, call %d: expected bytes, got none", function, i+1)
		}
	}
	deleted := [4]bool{}
	expect := func(when string) {
		for i, b := range list {
			if !deleted[i] && capi.String(b.at, b.size) != was[i] {
				t.Errorf("the bytes of call %d of 4 of %s changed %s", i+1, function, when)
			}
		}
	}
	expect("when later ones were requested, also about another executable")
	gone()
	expect("when the executables were destroyed")
	for _, i := range []int{2, 0, 3, 1} {
		list[i].deletes()
		deleted[i] = true
		expect(fmt.Sprintf("when those of call %d were deleted", i+1))
	}
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// refusesEachFlag compiles with several flags, of which one is unknown: at each place among the
// others, and with names that are nearly one of theirs, or long.
func refusesEachFlag(t *check.T, k compiler, value []byte) {
	flags := func(names []string) options {
		var list []byte
		for _, name := range names {
			list = message(list, 7, message(message(nil, 1, []byte(name)), 2, value))
		}
		return options{extra: list}
	}
	known := []string{"xla_embed_ir_in_executable", "xla_llvm_disable_expensive_passes", "xla_cpu_enable_fast_math"}
	known = slices.DeleteFunc(known, func(name string) bool {
		e, err := k.tryText(t, check.AddOne, flags([]string{name}))
		if err == nil {
			e.drop(t)
		}
		return err != nil
	})
	e, err := k.tryText(t, check.AddOne, flags(known))
	if !t.NoError(err, fmt.Sprintf("compiling with the flags %q, with each of which alone it compiles", known)) {
		return
	}
	e.drop(t)
	first, last := known[0], known[len(known)-1]
	near := []string{first + "s", first[:len(first)-1], last + "s", last[:len(last)-1]}
	for i, unknown := range append(near, check.Words(33, 1), check.Words(257, 2)) {
		for at := range len(known) + 1 {
			if t.Failed() || i > 0 && at != i%(len(known)+1) {
				continue
			}
			names := slices.Insert(slices.Clone(known), at, unknown)
			_, err := k.tryText(t, check.AddOne, flags(names))
			t.ErrorCode(err, fmt.Sprintf("compiling with the flags %q, of which %q is unknown", names, unknown))
		}
	}
}

// expectCompileOptions reads the compile options of the program of COPT-09.
func expectCompileOptions(t *check.T, e *capi.Executable, portable bool) {
	out := compileOptions(t, e)
	o, err := readOptions(capi.Bytes(out.SerializedBytes, out.SerializedBytesSize))
	out.SerializedCompileOptionsDeleter.Call(out.SerializedCompileOptions)
	if !t.NoError(err, "reading the CompileOptionsProto of PJRT_Executable_GetCompileOptions") {
		return
	}
	if portable {
		check.Equal(t, true, o.portable, "compile_portable_executable of PJRT_Executable_GetCompileOptions")
	}
	check.Equal(t, 1, o.replicas, "num_replicas of PJRT_Executable_GetCompileOptions")
	check.Equal(t, 1, o.partitions, "num_partitions of PJRT_Executable_GetCompileOptions")
	check.Equal(t, 2, o.optimization, "optimization_level of PJRT_Executable_GetCompileOptions")
}

// optionsOfSeveral compiles a program with options of which each sets other fields, and asks for
// those of each executable while the others are there: from the first to the last, and back.
func optionsOfSeveral(t *check.T, k compiler) {
	list := []options{
		{optimization: 1, memoryFitting: 3, tupled: true, argumentLayouts: []string{string(shape(protoF32, []int{0}, 4))}}, {partitions: 2},
	}
	if k.topology == nil && len(t.Client().Devices) > 1 {
		ids := deviceIDs(t, t.Client())
		list[1].assignment = [][]int{{ids[1], ids[0]}}
	}
	var executables []*compiled
	list = slices.DeleteFunc(list, func(o options) bool {
		e, err := k.tryText(t, check.AddOne, o)
		if err == nil {
			executables = append(executables, e)
		}
		return err != nil
	})
	order := make([]int, 0, 2*len(list))
	for i := range list {
		order = append(order, i)
	}
	for i := range slices.Backward(list) {
		order = append(order, i)
	}
	for _, i := range check.Each(t, order) {
		out := compileOptions(t, executables[i].executable)
		got := capi.Bytes(out.SerializedBytes, out.SerializedBytesSize)
		out.SerializedCompileOptionsDeleter.Call(out.SerializedCompileOptions)
		what := fmt.Sprintf("PJRT_Executable_GetCompileOptions of executable %d of %d with different options", i+1, len(list))
		hasOptions(t, list[i].filled(), got, what)
	}
	for _, e := range executables {
		e.drop(t)
	}
}

// hasOptions fails the check unless options that came back have what the client set: each number,
// the device assignment, and as many layouts.
func hasOptions(t *check.T, want options, b []byte, what string) {
	got, err := readOptions(b)
	if !t.NoError(err, "reading the CompileOptionsProto of "+what) {
		return
	}
	check.Equal(t, want.tupled, got.tupled, "parameter_is_tupled_arguments of %s", what)
	check.Equal(t, want.portable, got.portable, "compile_portable_executable of %s", what)
	check.Equal(t, want.replicas, got.replicas, "num_replicas of %s", what)
	check.Equal(t, want.partitions, got.partitions, "num_partitions of %s", what)
	check.Equal(t, want.spmd, got.spmd, "use_spmd_partitioning of %s", what)
	check.Equal(t, want.optimization, got.optimization, "optimization_level of %s", what)
	check.Equal(t, want.memoryFitting, got.memoryFitting, "memory_fitting_level of %s", what)
	if want.argumentLayouts != nil {
		check.Equal(t, len(want.argumentLayouts), len(got.argumentLayouts), "number of argument_layouts of %s", what)
	}
	if want.assignment != nil {
		check.Equal(t, fmt.Sprint(want.assignment), fmt.Sprint(got.assignment), "device_assignment of %s", what)
	}
}

// compileOptions returns the executable's compile options. The caller deletes them.
func compileOptions(t *check.T, e *capi.Executable) capi.ExecutableGetCompileOptionsArgs {
	out := check.Optional(t, capi.ExecutableGetCompileOptionsArgs{Executable: e})
	if out.SerializedCompileOptionsDeleter == 0 {
		t.Fatalf("PJRT_Executable_GetCompileOptions: expected a deleter, got null")
	}
	return out
}

func idsOf(t *check.T, devices []*capi.Device) []int {
	ids := make([]int, len(devices))
	for i, d := range devices {
		ids[i] = int(t.DeviceID(d))
	}
	return ids
}

// compilesStill fails the check unless the client compiles and runs a program.
func compilesStill(t *check.T, c *check.Client) {
	exe, err := tryCompile(t, c, check.AddOne, options{})
	if t.NoError(err, "compiling with good options after bad ones") {
		runsAddOne(t, c, exe, "a program compiled with good options after bad ones")
	}
}

// layoutsAreHonoured asks for column-major arguments and results. The values must be right
// whatever the layouts are; the layout that the plugin reports for the result must be the
// requested one.
func layoutsAreHonoured(t *check.T) {
	c := t.Client()
	column := shape(protoF32, []int{0, 1}, 2, 3)
	text := program("layouts", "(%a: tensor<2x3xf32>) -> tensor<2x3xf32>", "%0 = stablehlo.add %a, %a : tensor<2x3xf32>",
		"return %0 : tensor<2x3xf32>")
	for _, o := range []struct {
		name string
		options
	}{
		{"argument_layouts", options{argumentLayouts: []string{string(column)}}},
		{"result_layout", options{resultLayout: column}},
	} {
		exe, err := tryCompile(t, c, text, o.options)
		if err != nil {
			t.Notef("column-major %s are refused: %s", o.name, firstLine(err.Error()))
			continue
		}
		args := check.HostArgs(c, six, 2, 3)
		if o.argumentLayouts != nil {
			args.DeviceLayout = check.TiledLayout([]int64{0, 1})
		}
		made, err := check.Try(t, args)
		if err != nil {
			t.Notef("uploading to a column-major layout: %v", err)
			continue
		}
		check.Own(t, made.DoneWithHostBuffer)
		in := check.Own(t, made.Buffer)
		t.NoError(t.Await(made.DoneWithHostBuffer), "uploading")
		out, err := attempt(t, exe, 1, in)
		if !t.NoError(err, "executing a program compiled with column-major "+o.name) {
			continue
		}
		check.ExpectBuffer(t, out[0], []float32{2, 4, 6, 8, 10, 12}, "a program compiled with column-major "+o.name)
		if o.resultLayout == nil {
			continue
		}
		l, err := check.Try(t, capi.BufferGetMemoryLayoutArgs{Buffer: out[0]})
		if err != nil || l.Layout.Type != capi.BufferMemoryLayoutTypeTiled {
			t.Notef("the layout of the result is not known: %v", err)
			continue
		}
		tiled := l.Layout.Tiled()
		check.Equal(t, "[0 1]", fmt.Sprint(capi.Slice(tiled.MinorToMajor, tiled.MinorToMajorSize)),
			"minor_to_major of a result that should be column-major")
	}
}
