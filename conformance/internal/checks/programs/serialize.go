// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// constants is a program with constants and arithmetic that rounds.
const constants = `module @constants {
  func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<3xi32>) {
    %0 = stablehlo.constant dense<[0.1, -2.5, 3.25, 1.0e-3]> : tensor<4xf32>
    %1 = stablehlo.multiply %a, %0 : tensor<4xf32>
    %2 = stablehlo.tanh %1 : tensor<4xf32>
    %3 = stablehlo.constant dense<[3, 1, 4]> : tensor<3xi32>
    return %2, %3 : tensor<4xf32>, tensor<3xi32>
  }
}`

var serializationChecks = slices.Concat(both(check.Check{Rule: "SER-01"}, func(t *check.T, k compiler) {
	e, other := k.text(t, constants, options{}), k.text(t, check.Pair, options{})
	var last string
	keptApart(t, "PJRT_Executable_Serialize", func(i int) ownedBytes {
		s := trySerialize(t, []*compiled{e, other}[i/2].executable)
		if s.SerializedExecutableDeleter == 0 {
			t.Fatalf("PJRT_Executable_Serialize, call %d: expected a deleter, got null", i+1)
		}
		text := capi.String(s.SerializedBytes, s.SerializedBytesSize)
		if i == 2 && text == last {
			t.Errorf("PJRT_Executable_Serialize of another executable: expected other bytes than those of the first, got the same")
		}
		last = text
		return ownedBytes{s.SerializedBytes, s.SerializedBytesSize, func() { s.SerializedExecutableDeleter.Call(s.SerializedExecutable) }}
	}, func() { e.drop(t); other.drop(t) })
}), []check.Check{
	{Rule: "SER-02", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, constants)
		want := runConstants(t, c, exe)
		again, err := tryDeserialize(t, c, serialized(t, exe), nil)
		if t.NoError(err, "loading what PJRT_Executable_Serialize gave") {
			check.Equal(t, want, runConstants(t, c, again),
				"bytes of the results of a program, and of the program after it was serialized and loaded")
		}
		loadedTwice(t)
	}},
	{Rule: "SER-04", Run: func(t *check.T) {
		c := t.Client()
		for _, p := range []string{constants, shapes} {
			exe := t.Compile(c, p)
			again, err := tryDeserialize(t, c, serialized(t, exe), nil)
			if t.NoError(err, "loading what PJRT_Executable_Serialize gave") {
				check.Equal(t, describe(t, t.Executable(exe)), describe(t, t.Executable(again)),
					"properties of an executable before it was serialized and after it was loaded")
			}
		}
		describedAlike(t)
		// Settings other than the defaults must not be lost: a device, and an effort.
		last := len(c.Devices) - 1
		exe := compileFor(t, c, constants, options{assignment: [][]int{{deviceIDs(t, c)[last]}}, optimization: 2})
		again, err := tryDeserialize(t, c, serialized(t, exe), nil)
		if !t.NoError(err, "loading what PJRT_Executable_Serialize gave of an executable for the last device") {
			return
		}
		if got := devicesOf(t, again); len(got) != 1 || got[0] != c.Devices[last] {
			t.Errorf("addressable devices of an executable for device %d that was serialized and loaded: expected that device, got %v", t.DeviceID(c.Devices[last]), idsOf(t, got))
		}
		sameOptions(t, t.Executable(exe), t.Executable(again))
	}},
	{Rule: "SER-05", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, constants)
		want := runConstants(t, c, exe)
		first := serialized(t, exe)
		again, err := tryDeserialize(t, c, first, nil)
		if !t.NoError(err, "loading what PJRT_Executable_Serialize gave") {
			return
		}
		second := serialized(t, again)
		if string(first) != string(second) {
			t.Notef("an executable that is serialized again has other bytes: %d and %d", len(first), len(second))
		}
		third, err := tryDeserialize(t, c, second, nil)
		if t.NoError(err, "loading what PJRT_Executable_Serialize gave of a loaded executable") {
			check.Equal(t, want, runConstants(t, c, third),
				"bytes of the results of a program, and of the program after it was serialized and loaded twice")
		}
	}},
	{Rule: "SER-06", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		b := serialized(t, t.Compile(c, constants))
		random := make([]byte, 2048)
		r := rand.New(rand.NewPCG(5, 6))
		for i := range random {
			random[i] = byte(r.Uint32())
		}
		type input struct {
			name string
			data []byte
		}
		list := []input{{"no bytes", nil}, {"one byte", []byte{0}}, {"random bytes", random}, {"text", []byte("no executable")}}
		for _, n := range []int{1, 16, len(b) / 4, len(b) / 2, len(b) * 3 / 4, len(b) - 1} {
			list = append(list, input{fmt.Sprintf("the first %d of %d bytes", n, len(b)), b[:n]})
		}
		for _, i := range list {
			_, err := tryDeserialize(t, c, i.data, nil)
			if i.name == fmt.Sprintf("the first %d of %d bytes", len(b)-1, len(b)) && err == nil {
				t.Notef("an executable that lacks its last byte is accepted")
				continue
			}
			t.ErrorCode(err, "loading "+i.name)
		}
		_, err := tryDeserialize(t, c, b, nil)
		t.NoError(err, "loading a good executable after bad ones")
	}},
	{Rule: "SER-07", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		b := serialized(t, t.Compile(c, constants))
		r := rand.New(rand.NewPCG(7, 8))
		accepted := 0
		const flips = 64
		for range flips {
			bad := slices.Clone(b)
			bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
			if exe, err := tryDeserialize(t, c, bad, nil); err == nil {
				accepted++
				check.Destroy(t, exe)
			}
		}
		t.Notef("%d of %d executables with a wrong bit are accepted", accepted, flips)
		_, err := tryDeserialize(t, c, b, nil)
		t.NoError(err, "loading a good executable after ones with a wrong bit")
	}},
	{Rule: "SER-08", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		serialized(t, t.Compile(c, check.AddOne))
		for _, i := range []struct{ name, data string }{
			{"an HLO module", string(hloAddToItself())}, {"a portable artifact", check.Artifacts[0].Code},
			{"an ELF file", "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 256)},
			{"a StableHLO text", check.AddOne},
		} {
			_, err := tryDeserialize(t, c, []byte(i.data), nil)
			if t.ErrorCode(err, "loading "+i.name) && capi.CodeOf(err) == capi.ErrorCodeOK {
				t.Errorf("loading %s: expected an error with a code, got %v", i.name, err)
			}
		}
	}},
	{Rule: "SER-09", Devices: 2, Run: func(t *check.T) {
		needsOverriddenOptions(t)
		c := t.Client()
		ids := deviceIDs(t, c)
		b := serialized(t, compileFor(t, c, check.AddOne, options{assignment: [][]int{{ids[0]}}}))
		again, err := tryDeserialize(t, c, b, options{assignment: [][]int{{ids[1]}}}.bytes())
		if !t.NoError(err, "loading an executable with overridden options") {
			return
		}
		devices := devicesOf(t, again)
		if len(devices) != 1 || devices[0] != c.Devices[1] {
			t.Errorf("addressable devices of an executable for device %d, loaded with options for device %d: expected the latter, got %v", ids[0], ids[1], devices)
			return
		}
		out, err := attempt(t, again, 1, check.UploadTo(t, c, c.Devices[1], []float32{1, 2, 3, 4}))
		if t.NoError(err, "executing on the device of the overridden options") {
			check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "an executable that was loaded for another device")
		}
	}},
	{Rule: "SER-10", Run: func(t *check.T) {
		needsOverriddenOptions(t)
		c := t.Client()
		b := serialized(t, t.Compile(c, check.AddOne))
		_, err := tryDeserialize(t, c, b, []byte("\xff\xff\xff\xff"))
		t.ErrorCode(err, "loading an executable with overridden options that are not a valid proto")
	}},
	{Rule: "SER-11", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		needsLoadOptions(t)
		b := serialized(t, t.Compile(c, check.AddOne))
		args := deserializeArgs(c, b, nil)
		out, err := check.Try(t, args)
		if t.NoError(err, "loading an executable with load_options null") {
			runsAddOne(t, c, check.Own(t, out.LoadedExecutable), "an executable that was loaded with load_options null")
		}
		args.LoadOptions = &capi.LoadOptions{}
		_, err = check.Try(t, args)
		t.ErrorCode(err, "loading an executable with load_options of struct_size 0")
		args.LoadOptions = &capi.LoadOptions{StructSize: capi.LoadOptionsSize}
		out, err = check.Try(t, args)
		if t.NoError(err, "loading an executable with empty load_options") {
			runsAddOne(t, c, check.Own(t, out.LoadedExecutable), "an executable that was loaded with empty load_options")
		}
	}},
	{Rule: "SER-12", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		needsLoadOptions(t)
		args := deserializeArgs(c, serialized(t, t.Compile(c, check.AddOne)), nil)
		// Only zeros follow this origin: it shows whether the plugin takes one at all.
		short := make([]int32, 3, 5)
		args.LoadOptions = &capi.LoadOptions{StructSize: capi.LoadOptionsSize, ComputationOrigin: &short[0], ComputationOriginSize: 3}
		first, err := check.Try(t, args)
		if err != nil {
			t.SkipUnimplf("the plugin takes no origin of three coordinates: %v", err)
		}
		check.Own(t, first.LoadedExecutable)
		// A plugin that reads too far finds coordinates that no device has.
		origin := []int32{0, 0, 0, 1 << 30, 1 << 30}
		args.LoadOptions = &capi.LoadOptions{StructSize: capi.LoadOptionsSize, ComputationOrigin: &origin[0], ComputationOriginSize: 3}
		out, err := check.Try(t, args)
		if t.NoError(err, "loading an executable at an origin of three coordinates, with others behind them") {
			runsAddOne(t, c, check.Own(t, out.LoadedExecutable), "an executable that was loaded at the origin")
		}
	}},
	{Rule: "SER-13", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, constants)
		want := runConstants(t, c, exe)
		b := serialized(t, exe)
		var o []byte
		if t.Minor() >= overriddenOptionsSince {
			o = options{}.bytes()
		}
		again, err := tryDeserialize(t, c, b, o)
		if t.NoError(err, "loading what PJRT_Executable_Serialize gave") {
			for i := range b {
				b[i] = 0xa5
			}
			clear(o)
			check.Equal(t, want, runConstants(t, c, again),
				"bytes of the results of a loaded program whose serialized form was overwritten")
			check.Equal(t, 2, t.NumOutputs(again), "number of outputs of a loaded program whose serialized form was overwritten")
		}
	}},
	{Rule: "SER-14", Devices: 2, Run: func(t *check.T) {
		c := t.Client()
		exe, err := tryCompile(t, c, allReduce("f32", "add", "[[0, 1]]", ""), options{replicas: 2})
		if err != nil {
			t.SkipUnimplf("the plugin does not compile all_reduce for two devices: %v", err)
		}
		again, err := tryDeserialize(t, c, serialized(t, exe), nil)
		if !t.NoError(err, "loading an executable for two devices") {
			return
		}
		check.Equal(t, 2, len(devicesOf(t, again)), "number of addressable devices of a loaded executable for two")
		keepsAssignment(t)
		expectEach(t, runEach(t, c, again, func(i int) []float32 { return fill(4, float32(i+1), 10) }), func(int) []float32 {
			return []float32{3, 23, 43, 63}
		}, "a loaded all_reduce over two devices")
	}},
})

// loadedTwice loads each of several programs twice from the same bytes, and executes both: programs
// that return their arguments, and one that returns constants of several sizes.
func loadedTwice(t *check.T) {
	expect := func(e *compiled, want []check.HostArray, in []*capi.Buffer) {
		b := serialized(t, e.loaded)
		for _, nth := range []string{"first", "second"} {
			exe, err := tryDeserialize(t, t.Client(), b, nil)
			if t.NoError(err, fmt.Sprintf("loading a program of %d results for the %s time", len(want), nth)) {
				returnsArrays(t, exe, want, in, "a program that was serialized and loaded for the "+nth+" time")
				check.Destroy(t, exe)
			}
		}
	}
	for e, list := range returning(t, onClient) {
		expect(e, list, uploadArrays(t, list))
	}
	var list []check.HostArray
	for i, n := range check.Several {
		e := []dtype.Type{dtype.U8, dtype.S16, dtype.F32, dtype.F64}[i%4]
		list = append(list, check.HostArray{Type: e, Dims: []int64{int64(n)}, Data: check.Plain(e, n, uint64(i))})
	}
	if !t.Failed() {
		expect(onClient.text(t, constantArrays(list), options{}), list, []*capi.Buffer{upload4(t, t.Client())})
	}
}

// describedAlike compares what executables say before they are serialized and after they are
// loaded: of several results, and with names of each length.
func describedAlike(t *check.T) {
	compare := func(e *compiled) {
		exe, err := tryDeserialize(t, t.Client(), serialized(t, e.loaded), nil)
		if t.NoError(err, "loading what PJRT_Executable_Serialize gave") {
			check.Equal(t, describe(t, e.executable), describe(t, t.Executable(exe)),
				"properties of an executable before it was serialized and after it was loaded")
			check.Destroy(t, exe)
		}
	}
	for e := range returning(t, onClient) {
		compare(e)
	}
	for _, n := range check.Each(t, check.Names) {
		e := onClient.text(t, named(check.Words(n, n)), options{})
		compare(e)
		e.drop(t)
	}
}

// sameOptions compares the compile options of two executables if the plugin reports them.
func sameOptions(t *check.T, a, b *capi.Executable) {
	var texts [2]string
	for i, e := range []*capi.Executable{a, b} {
		out, err := check.Try(t, capi.ExecutableGetCompileOptionsArgs{Executable: e})
		if err != nil {
			return
		}
		texts[i] = optionsText(capi.Bytes(out.SerializedBytes, out.SerializedBytesSize))
		out.SerializedCompileOptionsDeleter.Call(out.SerializedCompileOptions)
	}
	check.Equal(t, texts[0], texts[1], "compile options of an executable before it was serialized and after it was loaded")
}

// optionsText formats the fields of compile options that the suite sets.
func optionsText(b []byte) string {
	o, _ := readOptions(b)
	return fmt.Sprintf("%d replicas, %d partitions, devices %v, optimization_level %d", o.replicas, o.partitions, o.assignment,
		o.optimization)
}

// keepsAssignment serializes and loads a program that adds the id of its replica, compiled
// for the client's devices in another order.
func keepsAssignment(t *check.T) {
	c := t.Client()
	rows, order := grid(t, c, 2, 1)
	exe := compileMany(t, c, plusID, options{replicas: 2, assignment: rows})
	again, err := tryDeserialize(t, c, serialized(t, exe), nil)
	if !t.NoError(err, "loading an executable for two devices in another order") {
		return
	}
	devices := devicesOf(t, again)
	if want := devicesOf(t, exe); !slices.Equal(want, devices) {
		t.Errorf("addressable devices of an executable that was serialized and loaded: expected %v, got %v", idsOf(t, want),
			idsOf(t, devices))
		return
	}
	out := runEach(t, c, again, func(i int) []float32 { return fill(4, float32(100*i), 0) })
	for i, d := range devices {
		check.ExpectBuffer(t, out[i], fill(4, float32(100*i+slices.Index(order, d)), 0),
			fmt.Sprintf("the argument of addressable device %d plus the number of its replica, by a loaded executable", i))
	}
}

// trySerialize serializes an executable. The caller deletes the bytes.
func trySerialize(t *check.T, e *capi.Executable) capi.ExecutableSerializeArgs {
	return check.Optional(t, capi.ExecutableSerializeArgs{Executable: e})
}

// serialized returns a copy of the serialized executable.
//
// A check that needs bytes ends if there are none: SER-01 is about that.
func serialized(t *check.T, exe *capi.LoadedExecutable) []byte {
	e := t.Executable(exe)
	s := trySerialize(t, e)
	if s.SerializedExecutableDeleter == 0 {
		t.Fatalf("PJRT_Executable_Serialize: expected a deleter, got null")
	}
	b := check.Followed(capi.Bytes(s.SerializedBytes, s.SerializedBytesSize))
	s.SerializedExecutableDeleter.Call(s.SerializedExecutable)
	check.Destroy(t, e)
	if len(b) == 0 {
		t.BlockedBy("SER-01", "PJRT_Executable_Serialize succeeds with 0 bytes")
	}
	return b
}

func deserializeArgs(c *check.Client, b, overridden []byte) capi.ExecutableDeserializeAndLoadArgs {
	args := capi.ExecutableDeserializeAndLoadArgs{Client: c.Handle}
	args.SerializedExecutable, args.SerializedExecutableSize = capi.BytesData(b)
	args.OverriddenSerializedCompileOptions, args.OverriddenSerializedCompileOptionsSize = capi.BytesData(overridden)
	return args
}

// tryDeserialize loads a serialized executable. The check owns the result.
func tryDeserialize(t *check.T, c *check.Client, b, overridden []byte) (*capi.LoadedExecutable, error) {
	out, err := check.Try(t, deserializeArgs(c, b, overridden))
	if err != nil {
		return nil, err
	}
	if out.LoadedExecutable == nil {
		t.Fatalf("PJRT_Executable_DeserializeAndLoad: success without an executable")
	}
	return check.Own(t, out.LoadedExecutable), nil
}

// overriddenOptionsSince is the API minor version that added
// overridden_serialized_compile_options.
const overriddenOptionsSince = 71

func needsOverriddenOptions(t *check.T) {
	t.Since(overriddenOptionsSince, "overridden_serialized_compile_options")
}

func needsLoadOptions(t *check.T) {
	t.Since(111, "load_options")
}

// runConstants returns the bytes of the results of constants.
func runConstants(t *check.T, c *check.Client, exe *capi.LoadedExecutable) string {
	in := upload4(t, c)
	out := t.Run(exe, 2, in)
	return fmt.Sprintf("% x, % x", t.Download(out[0]), t.Download(out[1]))
}

// describe returns what an executable reports about itself, without properties that it may
// lack.
func describe(t *check.T, e *capi.Executable) string {
	types := check.Call(t, capi.ExecutableOutputElementTypesArgs{Executable: e})
	sizes, dims := outputDimensions(t, e)
	kinds := "unknown"
	if out, err := check.Try(t, capi.ExecutableOutputMemoryKindsArgs{Executable: e}); err == nil {
		kinds = fmt.Sprintf("%q", check.Texts(out.MemoryKinds, out.MemoryKindSizes, out.NumOutputs))
	}
	return fmt.Sprintf("name %q, %d outputs of types %v, dimensions %v of %v, memory kinds %s, %d replicas, %d partitions",
		executableName(t, e), numOutputs(t, e),
		capi.Slice(types.OutputTypes, types.NumOutputTypes), dims, sizes, kinds,
		check.Call(t, capi.ExecutableNumReplicasArgs{Executable: e}).NumReplicas,
		check.Call(t, capi.ExecutableNumPartitionsArgs{Executable: e}).NumPartitions)
}
