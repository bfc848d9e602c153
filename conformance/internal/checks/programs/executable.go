// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

var executableChecks = slices.Concat(
	[]check.Check{
		{Rule: "EXE-01", Run: func(t *check.T) {
			c := t.Client()
			exe := t.Compile(c, check.Pair)
			var list []*capi.Executable
			for range 3 {
				list = append(list, t.Executable(exe))
			}
			name := executableName(t, list[0])
			for _, i := range []int{1, 0, 2} {
				for j, e := range list {
					if e != nil {
						check.Equal(t, name, executableName(t, e), "name by executable %d of 3 of one program", j)
					}
				}
				check.Destroy(t, list[i])
				list[i] = nil
			}
			check.Equal(t, 2, t.NumOutputs(exe), "number of outputs after three executables of the program were destroyed")
		}},
		{Rule: "EXE-02", Hostile: true, Run: func(t *check.T) {
			exe := t.Compile(t.Client(), check.Pair)
			e := t.Executable(exe)
			name := executableName(t, e)
			check.Destroy(t, exe)
			check.Equal(t, name, executableName(t, e), "name after the loaded executable was destroyed")
			check.Equal(t, 2, numOutputs(t, e), "number of outputs after the loaded executable was destroyed")
		}},
		{Rule: "EXE-03", Library: true, Hostile: true, Run: func(t *check.T) {
			_, err := check.Try(t, capi.ExecutableDestroyArgs{})
			destroyedNull(t, err)
		}},
	},
	both(check.Check{Rule: "EXE-04"}, func(t *check.T, k compiler) {
		e := k.text(t, check.Pair, options{})
		name := executableName(t, e.executable)
		if name == "" {
			t.Errorf("PJRT_Executable_Name: expected a name, got none")
		}
		if strings.Contains(name, "\x00") {
			t.Errorf("PJRT_Executable_Name: expected a name without zero bytes, got %q", name)
		}
		if name != "pair" {
			t.Notef("the executable of module @pair is called %q", name)
		}
		defer namesOfEachLength(t, k, name == "pair")
		first := check.Call(t, capi.ExecutableNameArgs{Executable: e.executable})
		other := k.text(t, check.Add, options{})
		otherName := executableName(t, other.executable)
		check.Equal(t, name, capi.String(first.ExecutableName, first.ExecutableNameSize),
			"the bytes of the first name after that of another executable was requested")
		check.Equal(t, name, executableName(t, e.executable), "name from a second call, after another program was compiled")
		other.drop(t)
		if otherName == name {
			t.Notef("modules @pair and @add have the same name %q", name)
		}
	}),
	both(check.Check{Rule: "EXE-05"}, func(t *check.T, k compiler) {
		counts(t, k, func(e *capi.Executable, replicas, partitions int) {
			check.Steady[capi.ExecutableNumReplicasArgs](t, "executable", []*capi.Executable{e}, nil)
			check.Equal(t, replicas, int(check.Call(t, capi.ExecutableNumReplicasArgs{Executable: e}).NumReplicas),
				"PJRT_Executable_NumReplicas of a program for %d x %d devices", replicas, partitions)
		})
	}),
	both(check.Check{Rule: "EXE-06"}, func(t *check.T, k compiler) {
		counts(t, k, func(e *capi.Executable, replicas, partitions int) {
			check.Steady[capi.ExecutableNumPartitionsArgs](t, "executable", []*capi.Executable{e}, nil)
			check.Equal(t, partitions, int(check.Call(t, capi.ExecutableNumPartitionsArgs{Executable: e}).NumPartitions),
				"PJRT_Executable_NumPartitions of a program for %d x %d devices", replicas, partitions)
		})
	}),
	both(check.Check{Rule: "EXE-07"}, func(t *check.T, k compiler) {
		for _, p := range []struct {
			code string
			want int
		}{
			{program("none", "(%a: tensor<4xf32>)", "return"), 0}, {check.AddOne, 1}, {check.Pair, 2},
			{mixed(everydayTypes), len(everydayTypes)},
		} {
			check.Equal(t, p.want, numOutputs(t, k.text(t, p.code, options{}).executable),
				"PJRT_Executable_NumOutputs of a program with %d results", p.want)
		}
		for e, list := range returning(t, k) {
			check.Equal(t, len(list), numOutputs(t, e.executable), "PJRT_Executable_NumOutputs of a program with %d results", len(list))
		}
	}),
	both(check.Check{Rule: "EXE-08"}, func(t *check.T, k compiler) {
		e := k.text(t, check.AddOne, options{}).executable
		n := check.Optional(t, capi.ExecutableSizeOfGeneratedCodeInBytesArgs{Executable: e}).SizeInBytes
		if n < -1 || n > 1<<30 {
			t.Errorf("PJRT_Executable_SizeOfGeneratedCodeInBytes of a small program: expected -1, 0 or a size, got %d", n)
		}
		for range 3 {
			check.Equal(t, n, check.Call(t, capi.ExecutableSizeOfGeneratedCodeInBytesArgs{Executable: e}).SizeInBytes,
				"PJRT_Executable_SizeOfGeneratedCodeInBytes of a program when it is asked for again")
		}
	}),
	both(check.Check{Rule: "EXE-09"}, func(t *check.T, k compiler) {
		hasTypes(t, k.text(t, mixed(everydayTypes), options{}).executable, everydayTypes)
		e, err := k.tryText(t, mixed(unusualTypes), options{})
		if err != nil {
			t.Notef("a program with results of unusual types is refused: %s", firstLine(err.Error()))
			return
		}
		hasTypes(t, e.executable, unusualTypes)
		for e, list := range returning(t, k) {
			types := make([]element, len(list))
			for i, a := range list {
				types[i] = element{fmt.Sprintf("%v of %d", a, len(list)), capi.BufferType(a.Type)}
			}
			hasTypes(t, e.executable, types)
		}
	}),
	both(check.Check{Rule: "EXE-10"}, func(t *check.T, k compiler) {
		e := k.text(t, shapes, options{}).executable
		sizes, dims := outputDimensions(t, e)
		check.Equal(t, "[0 1 2 0 2 1]", fmt.Sprint(sizes), "dim_sizes of outputs [], [3], [2,3], [], [0,4], [5]")
		check.Equal(t, "[3 2 3 0 4 5]", fmt.Sprint(dims), "dims of outputs [], [3], [2,3], [], [0,4], [5]")
		for e, list := range returning(t, k) {
			sizes, dims := outputDimensions(t, e.executable)
			if !check.Equal(t, len(list), len(sizes), "number of dim_sizes of a program with %d results", len(list)) {
				return
			}
			for i, a := range list {
				n := int(sizes[i])
				if got := dims[:n]; !slices.Equal(got, a.Dims) {
					t.Errorf("dimensions of output %d of %d: expected %v, got %v", i, len(list), a.Dims, got)
					return
				}
				dims = dims[n:]
			}
		}
	}),
	both(check.Check{Rule: "EXE-11"}, outputCountsAgree),
	both(check.Check{Rule: "EXE-12"}, func(t *check.T, k compiler) {
		e := k.text(t, shapes, options{}).executable
		types := check.Call(t, capi.ExecutableOutputElementTypesArgs{Executable: e})
		dims := check.Call(t, capi.ExecutableOutputDimensionsArgs{Executable: e})
		read := func(types capi.ExecutableOutputElementTypesArgs, dims capi.ExecutableOutputDimensionsArgs) string {
			sizes := capi.Slice(dims.DimSizes, dims.NumOutputs)
			n := uintptr(0)
			for _, s := range sizes {
				n += s
			}
			return fmt.Sprint(capi.Slice(types.OutputTypes, types.NumOutputTypes), sizes, capi.Slice(dims.Dims, n))
		}
		want := read(types, dims)
		for range 3 {
			again := read(check.Call(t, capi.ExecutableOutputElementTypesArgs{Executable: e}),
				check.Call(t, capi.ExecutableOutputDimensionsArgs{Executable: e}))
			check.Equal(t, want, again, "types and dimensions of the outputs from a second call")
		}
		other := k.text(t, check.Pair, options{})
		check.Call(t, capi.ExecutableOutputElementTypesArgs{Executable: other.executable})
		check.Call(t, capi.ExecutableOutputDimensionsArgs{Executable: other.executable})
		check.Equal(t, want, read(types, dims), "the arrays of the first answer after more calls")
	}),
	[]check.Check{{Rule: "EXE-13", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, check.Pair)
		kinds := memoryKinds(t, t.Executable(exe))
		if !check.Equal(t, 2, len(kinds), "number of output memory kinds of a program with two results") {
			return
		}
		known := clientKinds(t, c)
		for e, list := range returning(t, onClient) {
			check.Steady(t, "executable", []*capi.Executable{e.executable}, func(out capi.ExecutableOutputMemoryKindsArgs) any {
				return check.Texts(out.MemoryKinds, out.MemoryKindSizes, out.NumOutputs)
			})
			all := memoryKinds(t, e.executable)
			check.Equal(t, fmt.Sprint(slices.Repeat(kinds[:1], len(list))), fmt.Sprint(all),
				"memory kinds of %d outputs, compared with those of another program", len(list))
		}
		kindsInTurn(t, onClient, "output", memoryKinds)
		for i, b := range runPair(t, c, exe) {
			real := memoryKind(t, check.Optional(t, capi.BufferMemoryArgs{Buffer: b}).Memory)
			check.Equal(t, real, kinds[i], "memory kind of output %d, by the buffer and by PJRT_Executable_OutputMemoryKinds", i)
			if !slices.Contains(known, kinds[i]) {
				t.Errorf("memory kind of output %d: expected one of the client's %q, got %q", i, known, kinds[i])
			}
		}
	}}},
	both(check.Check{Rule: "EXE-14"}, func(t *check.T, k compiler) {
		e := k.text(t, check.Pair, options{}).executable
		kinds := parameterKinds(t, e)
		check.Equal(t, 2, len(kinds), "number of parameter memory kinds of a program with two parameters")
		for e, list := range returning(t, k) {
			check.Steady(t, "executable", []*capi.Executable{e.executable}, func(out capi.ExecutableParameterMemoryKindsArgs) any {
				return check.Texts(out.MemoryKinds, out.MemoryKindSizes, out.NumParameters)
			})
			all := parameterKinds(t, e.executable)
			check.Equal(t, len(list), len(all), "number of parameter memory kinds of a program with %d parameters", len(list))
			kinds = append(kinds, all...)
		}
		kindsInTurn(t, k, "parameter", parameterKinds)
		for i, kind := range kinds {
			if k.topology == nil && !slices.Contains(clientKinds(t, t.Client()), kind) {
				t.Errorf("memory kind of parameter %d: expected one of the client's %q, got %q", i, clientKinds(t, t.Client()), kind)
			} else if kind == "" {
				t.Errorf("memory kind of parameter %d: expected a name, got none", i)
			}
		}
	}),
	both(check.Check{Rule: "EXE-15"}, func(t *check.T, k compiler) {
		out := check.Optional(t, capi.ExecutableGetCostAnalysisArgs{Executable: k.text(t, check.Pair, options{}).executable})
		if out.NumProperties > 0 && out.Properties == nil {
			t.Fatalf("PJRT_Executable_GetCostAnalysis: expected %d properties, got null", out.NumProperties)
		}
		if out.NumProperties > 10000 {
			t.Fatalf("PJRT_Executable_GetCostAnalysis: expected a few properties, got %d", out.NumProperties)
		}
		if !t.WellFormed(out.Properties, out.NumProperties, "PJRT_Executable_GetCostAnalysis") {
			return
		}
		seen := make(map[string]bool)
		for i, v := range capi.Slice(out.Properties, out.NumProperties) {
			if v.Type > capi.NamedValueBool || v.Type < capi.NamedValueString {
				t.Errorf("property %d: expected a type of PJRT_NamedValue_Type, got %d", i, v.Type)
				return
			}
			name := capi.String(v.Name, v.NameSize)
			if name == "" {
				t.Errorf("property %d: expected a name, got none", i)
			}
			if seen[name] {
				t.Errorf("property %d: the name %q occurs twice", i, name)
			}
			seen[name] = true
		}
		other := k.text(t, check.Pair, options{})
		for e, list := range returning(t, k) {
			again := k.text(t, check.Returning(list), options{})
			costsStay(t, e.executable, again.executable, other.executable)
			again.drop(t)
		}
	}),
	both(check.Check{Rule: "EXE-16"}, func(t *check.T, k compiler) {
		const n = 128
		// Costs of others were asked for before.
		for _, other := range []string{check.AddOne, check.Pair} {
			check.Optional(t, capi.ExecutableGetCostAnalysisArgs{Executable: k.text(t, other, options{}).executable})
		}
		e := k.text(t, matmul(n), options{}).executable
		out := check.Optional(t, capi.ExecutableGetCostAnalysisArgs{Executable: e})
		for _, a := range capi.Attributes(out.Properties, out.NumProperties) {
			if a.Name != "flops" {
				continue
			}
			var flops float64
			switch v := a.Value.(type) {
			case float32:
				flops = float64(v)
			case int64:
				flops = float64(v)
			default:
				t.Errorf("property flops: expected a number, got %T", a.Value)
				return
			}
			if want := 2.0 * n * n * n; !(flops >= want/2 && flops <= want*2) {
				t.Errorf("flops of a product of matrices of %d x %d: expected about %v, got %v", n, n, want, flops)
			}
			return
		}
		t.SkipUnimplf("the plugin reports no flops")
	}),
	both(check.Check{Rule: "EXE-25"}, func(t *check.T, k compiler) {
		e, twin := k.text(t, check.Pair, options{}).executable, k.text(t, check.Pair, options{}).executable
		check.Optional(t, capi.ExecutableFingerprintArgs{Executable: k.text(t, check.Add, options{}).executable})
		check.Steady(t, "executable", []*capi.Executable{twin, k.text(t, check.AddOne, options{}).executable, e},
			check.Listed[capi.ExecutableFingerprintArgs, byte])
		check.Equal(t, fingerprint(t, e), fingerprint(t, twin), "fingerprint of a program compiled twice")
	}),
	both(check.Check{Rule: "EXE-26"}, func(t *check.T, k compiler) {
		subtract := strings.ReplaceAll(check.Add, "stablehlo.add", "stablehlo.subtract")
		a := fingerprint(t, k.text(t, check.Add, options{}).executable)
		if b := fingerprint(t, k.text(t, subtract, options{}).executable); a == b {
			t.Errorf("fingerprints of a program that adds and of one that subtracts: expected different ones, got %q for both", a)
		}
		// A cache must distinguish numbers, types, shapes and names of operations.
		seen := map[string]string{}
		for _, p := range []struct{ what, code string }{
			{"that adds 1", check.AddOne}, {"that adds 2", strings.ReplaceAll(check.AddOne, "dense<1.0>", "dense<2.0>")},
			{"that adds 1.0000001", strings.ReplaceAll(check.AddOne, "dense<1.0>", "dense<1.0000001>")},
			{"of 5 elements", strings.ReplaceAll(check.AddOne, "4xf32", "5xf32")},
			{"of another type", strings.NewReplacer("4xf32", "4xi32", "dense<1.0>", "dense<1>").Replace(check.AddOne)},
			{"that donates", strings.Replace(check.AddOne, "%a: tensor<4xf32>", "%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}", 1)},
		} {
			f := fingerprint(t, k.text(t, p.code, options{}).executable)
			if other, ok := seen[f]; ok {
				t.Errorf("fingerprints of a program %s and of one %s: expected different ones, got %q for both", other, p.what, f)
			}
			seen[f] = p.what
		}
		printsDiffer(t, k)
		one := fingerprint(t, k.text(t, check.AddOne, options{}).executable)
		if e, err := k.tryText(t, check.AddOne, options{replicas: 2}); err == nil && fingerprint(t, e.executable) == one {
			// The header says when two fingerprints are equal, but not whether options
			// count.
			t.Notef("open: a program has the same fingerprint for one replica and for two")
		}
		if k.topology == nil && len(t.Client().Devices) > 1 {
			ids := deviceIDs(t, t.Client())
			a = fingerprint(t, k.text(t, check.Add, options{assignment: [][]int{{ids[0]}}}).executable)
			if b := fingerprint(t, k.text(t, check.Add, options{assignment: [][]int{{ids[1]}}}).executable); a == b {
				t.Notef("a program has the same fingerprint for devices %d and %d", ids[0], ids[1])
			}
		}
	}),
	both(check.Check{Rule: "EXE-27"}, func(t *check.T, k compiler) {
		e := k.text(t, check.Add, options{}).executable
		out := check.Optional(t, capi.ExecutableFingerprintArgs{Executable: e})
		first := capi.String(out.ExecutableFingerprint, out.ExecutableFingerprintSize)
		if first == "" {
			t.Errorf("PJRT_Executable_Fingerprint: expected bytes, got none")
		}
		fingerprint(t, k.text(t, check.Pair, options{}).executable)
		check.Equal(t, first, capi.String(out.ExecutableFingerprint, out.ExecutableFingerprintSize),
			"the bytes of a fingerprint after that of another executable was requested")
		check.Equal(t, first, fingerprint(t, e), "fingerprint when asked again")
		check.Equal(t, first, capi.String(out.ExecutableFingerprint, out.ExecutableFingerprintSize),
			"the bytes of the first answer after more calls")
	}),
	[]check.Check{
		{Rule: "EXE-26", Variant: "constants", Run: printsOfConstants},
		{Rule: "EXE-27", Variant: "no-arguments", Run: func(t *check.T) {
			text := program("no_arguments", "() -> tensor<4xf32>",
				"%0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>", "return %0 : tensor<4xf32>")
			if fingerprint(t, t.Executable(t.Compile(t.Client(), text))) == "" {
				t.Errorf("PJRT_Executable_Fingerprint of a program without arguments: expected bytes, got none")
			}
		}},
		{Rule: "EXE-28", Run: func(t *check.T) {
			exe := t.Compile(t.Client(), check.Add)
			out, err := check.Try(t, capi.LoadedExecutableFingerprintArgs{Executable: exe})
			var e *capi.Error
			switch {
			case errors.As(err, &e) && e.Missing:
				t.Errorf("PJRT_LoadedExecutable_Fingerprint: expected an answer or UNIMPLEMENTED, but there is no function: %v", err)
			case err != nil:
				t.ErrorCode(err, "PJRT_LoadedExecutable_Fingerprint", capi.ErrorCodeUnimplemented)
			case out.ExecutableFingerprintSize == 0:
				t.Errorf("PJRT_LoadedExecutable_Fingerprint: expected bytes, got none")
			default:
				twin, other := t.Compile(t.Client(), check.Add), t.Compile(t.Client(), check.AddOne)
				check.Steady(t, "executable", []*capi.LoadedExecutable{twin, other, exe},
					check.Listed[capi.LoadedExecutableFingerprintArgs, byte])
				of := func(exe *capi.LoadedExecutable) string {
					return check.Text[capi.LoadedExecutableFingerprintArgs](t, exe)
				}
				check.Equal(t, of(exe), of(twin), "PJRT_LoadedExecutable_Fingerprint of a program that was compiled twice")
				if of(exe) == of(other) {
					t.Errorf("PJRT_LoadedExecutable_Fingerprint of two programs: expected different ones, got %q for both", of(exe))
				}
			}
		}},
		{Rule: "EXE-29", Run: func(t *check.T) {
			for range 8 {
				metadataTogether(t)
			}
		}},
	},
)

// executableName returns a copy of the name.
func executableName(t *check.T, e *capi.Executable) string {
	out := check.Call(t, capi.ExecutableNameArgs{Executable: e})
	return capi.String(out.ExecutableName, out.ExecutableNameSize)
}

// counts compiles for one device and, if there are two, for two replicas and for two
// partitions.
func counts(t *check.T, k compiler, look func(e *capi.Executable, replicas, partitions int)) {
	look(k.text(t, check.AddOne, options{}).executable, 1, 1)
	if k.topology == nil && len(t.Client().Devices) < 2 {
		t.Notef("there is one device, so only one replica and one partition were checked")
		return
	}
	shapes := [][2]int{{2, 1}, {1, 2}}
	if k.topology == nil && len(t.Client().Devices) > 3 {
		shapes = append(shapes, [2]int{1, 4}, [2]int{2, 2})
	}
	for _, n := range shapes {
		e, err := k.tryText(t, check.AddOne, options{replicas: n[0], partitions: n[1]})
		if err != nil {
			t.Notef("a program for %d x %d devices is refused: %s", n[0], n[1], firstLine(err.Error()))
			continue
		}
		look(e.executable, n[0], n[1])
	}
}

// returning compiles programs that return their arguments: each number of Several, of every rank
// and of types of every width. If the plugin does not compile such, they are all of f32. It ends
// when the check has failed.
func returning(t *check.T, k compiler) iter.Seq2[*compiled, []check.HostArray] {
	return func(yield func(*compiled, []check.HostArray) bool) {
		plain := false
		for _, n := range check.Each(t, check.Several) {
			list := check.Various(n)
			e, err := k.tryText(t, check.Returning(list), options{})
			if err != nil {
				if !plain {
					t.Notef("a program with arguments of many types is refused: %s", firstLine(err.Error()))
				}
				plain = true
				for i, a := range list {
					list[i] = check.HostArrayOf(dtype.F32, uint64(i), a.Dims...)
				}
				e = k.text(t, check.Returning(list), options{})
			}
			more := yield(e, list)
			if e.drop(t); !more {
				return
			}
		}
	}
}

// named is a small program with a name.
func named(name string) string {
	return program(name, "(%a: tensor<4xf32>) -> tensor<4xf32>", "return %a : tensor<4xf32>")
}

// namesOfEachLength compiles modules with names of each length of Names: a plugin that names one
// module as its text does names all of them so.
func namesOfEachLength(t *check.T, k compiler, kept bool) {
	for _, n := range check.Each(t, check.Names) {
		want := check.Words(n, n)
		e := k.text(t, named(want), options{})
		switch got := executableName(t, e.executable); {
		case got == "":
			t.Errorf("PJRT_Executable_Name of a module with a name of %d bytes: expected a name, got none", n)
		case kept:
			check.Equal(t, want, got, "PJRT_Executable_Name of a module with a name of %d bytes, as that of @pair is %q", n, "pair")
		}
		e.drop(t)
	}
}

// costsStay fails the check unless the cost of an executable is well-formed, and the same when it
// is asked for again, after that of another, and of the same program that was compiled again.
func costsStay(t *check.T, e, again, other *capi.Executable) {
	read := func(e *capi.Executable) capi.ExecutableGetCostAnalysisArgs {
		out := check.Call(t, capi.ExecutableGetCostAnalysisArgs{Executable: e})
		t.WellFormed(out.Properties, out.NumProperties, "PJRT_Executable_GetCostAnalysis")
		return out
	}
	first := read(e)
	if t.Failed() {
		return
	}
	want := costText(first)
	read(other)
	check.Equal(t, want, costText(first), "the properties of an executable, once those of another were asked for")
	check.Equal(t, want, costText(read(again)), "properties of one program that was compiled twice")
	for range 2 {
		check.Equal(t, want, costText(read(e)), "properties of an executable when they are asked for again")
	}
}

// costText formats properties by name, since their order is not promised.
func costText(out capi.ExecutableGetCostAnalysisArgs) string {
	list := capi.Attributes(out.Properties, out.NumProperties)
	slices.SortFunc(list, func(a, b capi.Attribute) int { return strings.Compare(a.Name, b.Name) })
	return check.Written(list)
}

// printsDiffer compares the fingerprints of programs that differ at the end alone: in the last of
// several arrays.
func printsDiffer(t *check.T, k compiler) {
	for _, n := range check.Each(t, []int{2, 3, 17}) {
		list := check.Various(n)
		for i := range list {
			list[i].Type = dtype.F32
		}
		longer, other := slices.Clone(list), slices.Clone(list)
		longer[n-1].Dims = append(slices.Clone(list[n-1].Dims), 2)
		other[n-1].Type = dtype.S32
		seen := map[string]string{}
		for _, p := range []struct{ what, code string }{
			{"as it is", check.Returning(list)}, {"with a last array of one dimension more", check.Returning(longer)},
			{"with a last array of another type", check.Returning(other)},
		} {
			e := k.text(t, p.code, options{})
			f := fingerprint(t, e.executable)
			if same, ok := seen[f]; ok {
				t.Errorf("fingerprints of a program with %d arrays %s and of one %s: expected different ones, got %q for both", n, same, p.what, f)
			}
			seen[f] = p.what
			e.drop(t)
		}
	}
}

// printsOfConstants compares the fingerprints of programs whose constants differ in the last byte.
func printsOfConstants(t *check.T) {
	for _, n := range check.Each(t, check.Several) {
		a := check.HostArray{Type: dtype.F32, Dims: []int64{int64(n)}, Data: check.Plain(dtype.F32, n, 1)}
		b := a
		b.Data = slices.Clone(a.Data)
		b.Data[len(b.Data)-1] ^= 1
		var prints [2]string
		for i, x := range []check.HostArray{a, b} {
			e := onClient.text(t, constantArrays([]check.HostArray{x}), options{})
			prints[i] = fingerprint(t, e.executable)
			e.drop(t)
		}
		if prints[0] == prints[1] {
			t.Errorf("fingerprints of programs whose constants of %d elements differ in the last byte: expected different ones, got one for both", n)
		}
	}
}

// constantArrays is a program that returns constants, and has an argument.
func constantArrays(list []check.HostArray) string {
	var lines, names, types []string
	for i, a := range list {
		names, types = append(names, fmt.Sprintf("%%c%d", i)), append(types, check.Tensor(a.Type, a.Dims))
		lines = append(lines, fmt.Sprintf("%s = stablehlo.constant dense<\"0x%X\"> : %s", names[i], a.Data, types[i]))
	}
	results := strings.Join(types, ", ")
	return program("constant_arrays", "(%a: tensor<4xf32>) -> ("+results+")",
		append(lines, "return "+strings.Join(names, ", ")+" : "+results)...)
}

// kindsInTurn compiles programs that return their arguments, whose parameters or outputs are to be
// in the kinds of memory of the first device, in turn. What the plugin makes of a kind is its own
// affair, but it is the same for all of them.
func kindsInTurn(t *check.T, k compiler, what string, read func(*check.T, *capi.Executable) []string) {
	if k.topology != nil {
		return // it does not say which kinds there are
	}
	kinds := clientKinds(t, t.Client())
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	as := make(map[string]string)
	for _, n := range check.Each(t, check.Several) {
		var parameters, results, names, types []string
		for i := range n {
			array := fmt.Sprintf("tensor<%dxf32>", i+2)
			marked := fmt.Sprintf("%s {mhlo.memory_kind = %q}", array, kinds[i%len(kinds)])
			names, types = append(names, fmt.Sprintf("%%a%d", i)), append(types, array)
			if what == "parameter" {
				parameters, results = append(parameters, names[i]+": "+marked), append(results, array)
			} else {
				parameters, results = append(parameters, names[i]+": "+array), append(results, marked)
			}
		}
		list := func(l []string) string { return strings.Join(l, ", ") }
		e, err := k.tryText(t, replaced(program("in_kinds", "("+list(parameters)+") -> ("+list(results)+")",
			"return "+list(names)+" : "+list(types)), "func.func @main", "func.func public @main"), options{})
		if err != nil {
			t.Notef("a program with annotations of memory is refused: %s", firstLine(err.Error()))
			return
		}
		got := read(t, e.executable)
		e.drop(t)
		if !check.Equal(t, n, len(got), "number of memory kinds of a program with %d annotated %ss", n, what) {
			return
		}
		for i, kind := range got {
			asked := kinds[i%len(kinds)]
			if _, seen := as[asked]; !seen {
				as[asked] = kind
			}
			check.Equal(t, as[asked], kind, "memory kind of %s %d of %d, which is to be in %s, compared with that of others", what, i, n,
				asked)
		}
	}
}

// element is an element type in StableHLO and in the C API.
type element struct {
	text string
	kind capi.BufferType
}

var (
	everydayTypes = []element{{"i32", capi.BufferTypeS32}, {"f32", capi.BufferTypeF32}, {"i1", capi.BufferTypePred},
		{"i8", capi.BufferTypeS8}, {"bf16", capi.BufferTypeBF16}, {"ui32", capi.BufferTypeU32}}
	unusualTypes = []element{
		{"i4", capi.BufferTypeS4}, {"f64", capi.BufferTypeF64}, {"f8E5M2", capi.BufferTypeF8E5M2}, {"ui64", capi.BufferTypeU64}, {"f16", capi.BufferTypeF16},
		{"f8E4M3FN", capi.BufferTypeF8E4M3FN}, {"ui4", capi.BufferTypeU4}, {"i16", capi.BufferTypeS16}, {"ui8", capi.BufferTypeU8}, {"i64", capi.BufferTypeS64}, {"ui16", capi.BufferTypeU16},
	}
)

// mixed converts its argument, tensor<4xf32>, to each of the types.
func mixed(types []element) string {
	var names, list, lines []string
	for i, e := range types {
		lines = append(lines, fmt.Sprintf("%%%d = stablehlo.convert %%a : (tensor<4xf32>) -> tensor<4x%s>", i, e.text))
		names = append(names, fmt.Sprintf("%%%d", i))
		list = append(list, fmt.Sprintf("tensor<4x%s>", e.text))
	}
	results := strings.Join(list, ", ")
	return program("mixed", "(%a: tensor<4xf32>) -> ("+results+")", append(lines, "return "+strings.Join(names, ", ")+" : "+results)...)
}

// shapes returns arrays of the shapes [], [3], [2,3], [], [0,4] and [5].
const shapes = `module @shapes {
  func.func @main(%a: tensor<2x3xf32>) -> (tensor<f32>, tensor<3xi32>, tensor<2x3xf32>, tensor<i32>, tensor<0x4xf32>, tensor<5xi32>) {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.iota dim = 0 : tensor<3xi32>
    %2 = stablehlo.add %a, %a : tensor<2x3xf32>
    %3 = stablehlo.constant dense<7> : tensor<i32>
    %4 = stablehlo.constant dense<0.0> : tensor<0x4xf32>
    %5 = stablehlo.iota dim = 0 : tensor<5xi32>
    return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<3xi32>, tensor<2x3xf32>, tensor<i32>, tensor<0x4xf32>, tensor<5xi32>
  }
}`

// matmul multiplies two n x n matrices.
func matmul(n int) string {
	m := fmt.Sprintf("tensor<%dx%dxf32>", n, n)
	return program("matmul", fmt.Sprintf("(%%a: %[1]s, %%b: %[1]s) -> %[1]s", m),
		fmt.Sprintf("%%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0] : (%[1]s, %[1]s) -> %[1]s", m), "return %0 : "+m)
}

// hasTypes compares the element types of the outputs.
func hasTypes(t *check.T, e *capi.Executable, want []element) {
	out := check.Call(t, capi.ExecutableOutputElementTypesArgs{Executable: e})
	if !check.Equal(t, len(want), int(out.NumOutputTypes), "number of output element types") {
		return
	}
	for i, got := range capi.Slice(out.OutputTypes, out.NumOutputTypes) {
		check.Equal(t, want[i].kind, got, "element type of output %d, %s", i, want[i].text)
	}
}

// outputDimensions returns what PJRT_Executable_OutputDimensions says.
func outputDimensions(t *check.T, e *capi.Executable) (sizes []uintptr, dims []int64) {
	out := check.Call(t, capi.ExecutableOutputDimensionsArgs{Executable: e})
	n := uintptr(0)
	for _, s := range capi.Slice(out.DimSizes, out.NumOutputs) {
		if s > 64 {
			t.Fatalf("PJRT_Executable_OutputDimensions: an output has %d dimensions", s)
		}
		n += s
	}
	return capi.Slice(out.DimSizes, out.NumOutputs), capi.Slice(out.Dims, n)
}

// outputCountsAgree compares everything that says how many outputs a program has.
func outputCountsAgree(t *check.T, k compiler) {
	for _, p := range []struct {
		name, code string
		want       int
		arguments  []int64
	}{
		{"no result", program("none", "(%a: tensor<4xf32>)", "return"), 0, []int64{4}},
		{"one result", check.AddOne, 1, []int64{4}},
		{"six results", shapes, 6, []int64{2, 3}},
	} {
		e := k.text(t, p.code, options{})
		check.Equal(t, p.want, numOutputs(t, e.executable), "PJRT_Executable_NumOutputs with %s", p.name)
		types := check.Call(t, capi.ExecutableOutputElementTypesArgs{Executable: e.executable})
		check.Equal(t, p.want, int(types.NumOutputTypes), "PJRT_Executable_OutputElementTypes with %s", p.name)
		sizes, _ := outputDimensions(t, e.executable)
		check.Equal(t, p.want, len(sizes), "PJRT_Executable_OutputDimensions with %s", p.name)
		if out, err := check.Try(t, capi.ExecutableOutputMemoryKindsArgs{Executable: e.executable}); err == nil {
			check.Equal(t, p.want, int(out.NumOutputs), "PJRT_Executable_OutputMemoryKinds with %s", p.name)
		}
		if e.loaded == nil {
			continue
		}
		// One slot more than the plugin must fill.
		elements := int64(1)
		for _, d := range p.arguments {
			elements *= d
		}
		in := check.Upload(t, t.Client(), make([]float32, elements), p.arguments...)
		x := check.NewExecution(e.loaded, p.want+1, []*capi.Buffer{in})
		if !t.NoError(x.Execute(t), "executing a program with "+p.name) {
			continue
		}
		x.Own(t)
		t.NoError(finish(t, x), "the execution of a program with "+p.name)
		filled := 0
		for i, b := range x.Outputs[0] {
			if b != nil {
				filled++
			}
			if i >= p.want {
				check.Disown(t, b) // whatever that is
			}
		}
		check.Equal(t, p.want, filled, "number of buffers that an execution with %s makes", p.name)
	}
	for e, list := range returning(t, k) {
		n := len(list)
		counts := []int{numOutputs(t, e.executable)}
		types := check.Call(t, capi.ExecutableOutputElementTypesArgs{Executable: e.executable})
		sizes, _ := outputDimensions(t, e.executable)
		counts = append(counts, int(types.NumOutputTypes), len(sizes))
		if out, err := check.Try(t, capi.ExecutableOutputMemoryKindsArgs{Executable: e.executable}); err == nil {
			counts = append(counts, int(out.NumOutputs))
		}
		check.Equal(t, fmt.Sprint(slices.Repeat([]int{n}, len(counts))), fmt.Sprint(counts),
			"number of outputs, of their types, of their dimensions and of their memory kinds")
	}
}

// memoryKinds returns the memory kinds of the outputs.
func memoryKinds(t *check.T, e *capi.Executable) []string {
	out := check.Optional(t, capi.ExecutableOutputMemoryKindsArgs{Executable: e})
	return check.Texts(out.MemoryKinds, out.MemoryKindSizes, out.NumOutputs)
}

// parameterKinds returns the memory kinds of the parameters.
func parameterKinds(t *check.T, e *capi.Executable) []string {
	out := check.Optional(t, capi.ExecutableParameterMemoryKindsArgs{Executable: e})
	return check.Texts(out.MemoryKinds, out.MemoryKindSizes, out.NumParameters)
}

// clientKinds returns the kinds of the client's memories.
func clientKinds(t *check.T, c *check.Client) []string {
	var kinds []string
	for _, m := range c.Memories {
		kinds = append(kinds, memoryKind(t, m))
	}
	return kinds
}

func memoryKind(t *check.T, m *capi.Memory) string {
	out := check.Call(t, capi.MemoryKindArgs{Memory: m})
	return capi.String(out.Kind, out.KindSize)
}

// runPair executes check.Pair.
func runPair(t *check.T, c *check.Client, exe *capi.LoadedExecutable) []*capi.Buffer {
	return t.Run(exe, 2, check.Upload(t, c, fill(6, int32(1), 1), 2, 3), check.Upload(t, c, []float32{3}, []int64{}...))
}

// metadataTogether reads all properties of a new executable from several goroutines.
func metadataTogether(t *check.T) {
	exe := t.Compile(t.Client(), shapes)
	e := t.Executable(exe)
	answers := make([]string, 8)
	together(t, len(answers), func(i int) error {
		name, err1 := check.Try(t, capi.ExecutableNameArgs{Executable: e})
		types, err2 := check.Try(t, capi.ExecutableOutputElementTypesArgs{Executable: e})
		dims, err3 := check.Try(t, capi.ExecutableOutputDimensionsArgs{Executable: e})
		outputs, err4 := check.Try(t, capi.ExecutableNumOutputsArgs{Executable: e})
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return err
		}
		// Properties that a plugin may lack are read only for the race.
		print, err := check.Try(t, capi.ExecutableFingerprintArgs{Executable: e})
		fingerprint := ""
		if err == nil {
			fingerprint = capi.String(print.ExecutableFingerprint, print.ExecutableFingerprintSize)
		}
		_, _ = check.Try(t, capi.ExecutableOutputMemoryKindsArgs{Executable: e})
		_, _ = check.Try(t, capi.ExecutableGetCostAnalysisArgs{Executable: e})
		n := uintptr(0)
		for _, s := range capi.Slice(dims.DimSizes, dims.NumOutputs) {
			n += min(s, math.MaxInt8)
		}
		answers[i] = fmt.Sprint(capi.String(name.ExecutableName, name.ExecutableNameSize),
			capi.Slice(types.OutputTypes, types.NumOutputTypes),
			capi.Slice(dims.DimSizes, dims.NumOutputs), capi.Slice(dims.Dims, n), outputs.NumOutputs, fingerprint)
		return nil
	})
	for i, a := range answers[1:] {
		if !check.Equal(t, answers[0], a, "properties of an executable for thread %d of %d that ask at once", i+1, len(answers)) {
			return
		}
	}
	check.Destroy(t, e)
	check.Destroy(t, exe)
}
