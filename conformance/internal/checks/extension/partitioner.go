// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// splitConfig is the backend_config of the call that a partitioner splits.
const splitConfig = "of the suite's call"

// split returns a program for two partitions with a call that a partitioner splits.
func split(name string) string {
	return `module @split attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2]0,1}"}) -> (tensor<8xf32> {mhlo.sharding = "{devices=[2]0,1}"}) {
    %0 = stablehlo.custom_call @` + name + `(%a) {api_version = 2 : i32, backend_config = "` + splitConfig + `"} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}`
}

// half is the program of one partition of the call.
const half = `module @half {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`

// halved is the serialized OpSharding of an array of one dimension on two
// devices: OTHER, [2] of 0, 1.
var halved = []byte{1 << 3, 3, 3<<3 | 2, 1, 2, 4<<3 | 2, 2, 0, 1}

// registration is a registered partitioner, and what has happened to it.
type registration struct {
	name  string
	watch watch
	calls atomic.Int64 // of its function Partition
}

// registerPartitioner registers a partitioner, which fails with the error fail if it is not
// nil. The name is only valid during the call and has no NUL after it: afterwards its
// memory holds something else.
func registerPartitioner(t *check.T, fail error) *registration {
	r := &registration{name: freshName(t)}
	callbacks := watchPartitioner(&r.watch, capi.CustomCallPartitioner{
		Partition: func(p capi.CustomCallPartition) (capi.PartitionedCustomCall, error) {
			r.calls.Add(1)
			if check.Equal(t, 1, len(p.Operands), "operands of the call that is to be split") {
				isMessage(t, p.Operands[0].Shape, "the shape of the operand")
			}
			isMessage(t, p.Result.Shape, "the shape of the result")
			check.Equal(t, splitConfig, string(p.BackendConfig), "backend_config of the call that is to be split")
			if fail != nil {
				return capi.PartitionedCustomCall{}, fail
			}
			return capi.PartitionedCustomCall{Module: []byte(half), Operands: [][]byte{halved}, Result: halved}, nil
		},
		Infer: func(capi.CustomCallInference) ([]byte, error) { return halved, nil },
	})
	text := []byte(r.name + "_and_more")
	check.Call(t, capi.RegisterCustomPartitionerArgs{Name: &text[0], NameSize: uintptr(len(r.name)), Callbacks: callbacks})
	for i := range text {
		text[i] = 'x'
	}
	return r
}

// compileForTwo compiles for two partitions: for the client, or else ahead of time, in
// which case it returns no executable to run.
func compileForTwo(t *check.T, text string) (*capi.LoadedExecutable, error) {
	if !noClient(t) {
		if len(t.Client().Devices) < 2 {
			t.SkipEnvf("needs two devices")
		}
		return t.TryCompile(t.Client(), text, check.Devices(1, 2))
	}
	args := capi.CompileArgs{Topology: t.Topology(), Program: t.Program("mlir", text)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(check.Devices(1, 2))
	out, err := check.Try(t, args)
	if err == nil {
		check.Own(t, out.Executable)
	}
	return nil, err
}

// expectHalves runs a program on two devices with the two halves of 1, 2, 3 ... 8, and
// expects the results to be a multiple of them.
func expectHalves(t *check.T, exe *capi.LoadedExecutable, times float32, what string, dims ...int64) {
	if exe == nil {
		return // compiled ahead of time
	}
	c := t.Client()
	lists := [][]float32{{1, 2, 3, 4}, {5, 6, 7, 8}}
	var arguments [][]*capi.Buffer
	for i, list := range lists {
		arguments = append(arguments, []*capi.Buffer{check.UploadTo(t, c, c.Devices[i], list, dims...)})
	}
	for i, out := range t.RunOn(exe, 1, arguments...) {
		want := slices.Clone(lists[i])
		for j := range want {
			want[j] *= times
		}
		check.ExpectBuffer(t, out[0], want, what)
	}
}

var partitionerChecks = []check.Check{
	{Rule: "XCP-01", Library: true, Hostile: true, Run: func(t *check.T) {
		canCompile(t)
		live := capi.LiveHandles()
		r := registerPartitioner(t, nil)
		exe, err := compileForTwo(t, split(r.name))
		if err != nil {
			t.Fatalf("a program whose custom call a partitioner splits: expected success, got %v", err)
		}
		if r.calls.Load() == 0 {
			t.Errorf("the partitioner was not called")
		}
		r.watch.check(t, "the partitioner")
		check.Equal(t, live, capi.LiveHandles(), "results of the partitioner that were not freed")
		expectHalves(t, exe, 2, "the program that the partitioner made")
	}},
	{Rule: "XCP-02", Library: true, Hostile: true, Run: func(t *check.T) {
		canCompile(t)
		first, second := registerPartitioner(t, nil), registerPartitioner(t, nil)
		for _, r := range []*registration{first, second} {
			_, err := compileForTwo(t, split(r.name))
			if err != nil || r.calls.Load() == 0 {
				t.Errorf("the partitioner %s, whose name has other text in its memory now: expected a call of it, got %d (%v)", r.name, r.calls.Load(), err)
			}
			r.watch.check(t, "the partitioner")
			r.watch.mu.Lock()
			check.Equal(t, 0, r.watch.ended, "calls of the dtor of a partitioner that is in use")
			r.watch.mu.Unlock()
		}
	}},
	{Rule: "XCP-03", Library: true, Hostile: true, Run: batchPartitionable},
	{Rule: "XCP-04", Library: true, Hostile: true, Run: func(t *check.T) {
		canCompile(t)
		const message = "refused by the suite's partitioner"
		r := registerPartitioner(t, &capi.Error{Code: capi.ErrorCodeDataLoss, Message: message})
		_, err := compileForTwo(t, split(r.name))
		switch {
		case r.calls.Load() == 0:
			t.Errorf("the partitioner was not called: %v", err)
		case err == nil || !strings.Contains(err.Error(), message):
			t.Errorf("compiling with a partitioner that fails: expected an error with %q, got %v", message, err)
		}
		r.watch.check(t, "the partitioner")
		canCompile(t)
	}},
}

// batched returns a program for two partitions with a call that treats each row separately.
func batched(name string) string {
	return `module @batched attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<8x1xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) -> (tensor<8x1xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) {
    %0 = stablehlo.custom_call @` + name + `(%a) {api_version = 4 : i32, backend_config = {}} : (tensor<8x1xf32>) -> tensor<8x1xf32>
    return %0 : tensor<8x1xf32>
  }
}`
}

// batchPartitionable registers a handler and tells the plugin that it treats each row
// separately: each device must call it only for its own rows.
func batchPartitionable(t *check.T) {
	name := freshName(t)
	text := []byte(name + "_and_more")
	check.Call(t, capi.RegisterBatchPartitionableArgs{Name: &text[0], NameSize: uintptr(len(name))})
	for i := range text {
		text[i] = 'x'
	}
	if noClient(t) {
		t.SkipEnvf("without a device the call cannot be executed: %s", t.Env().NoDevice)
	}
	if err := t.Table().Lacks(check.FunctionOf[capi.FFIRegisterHandlerArgs]()); err != nil {
		t.SkipUnimplf("a handler of a custom call cannot be registered: %v", err)
	}
	host := t.FFIPlatform() == "Host"
	var calls, rows atomic.Int64
	check.Call(t, check.HandlerArgs(name, t.FFIPlatform(), t.NewHandler(func(f *ffi.CallFrame) error {
		in, err := f.Args.Buffer(0)
		if err != nil {
			return err
		}
		calls.Add(1)
		rows.Add(in.Dimensions()[0])
		return scale(f, 3, host)
	})))
	exe, err := compileForTwo(t, batched(name))
	if err != nil {
		t.Fatalf("a program with a call that can be split along its rows: expected success, got %v", err)
	}
	if host {
		expectHalves(t, exe, 3, "a call that is split along its rows", 4, 1)
	} else {
		arguments := make([][]*capi.Buffer, 2)
		for i := range arguments {
			arguments[i] = []*capi.Buffer{check.UploadTo(t, t.Client(), t.Client().Devices[i], []float32{1, 2, 3, 4}, 4, 1)}
		}
		t.RunOn(exe, 1, arguments...)
	}
	check.Equal(t, int64(2), calls.Load(), "calls of the handler, on two devices")
	check.Equal(t, int64(8), rows.Load(), "rows that the handler got in all calls, of 8")
}
