// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// transformArgs register a transformation of programs.
func transformArgs(name string, c *capi.XLATransformCallbacks) capi.RegisterXLATransformArgs {
	args := capi.RegisterXLATransformArgs{Stage: capi.XLATransformPipelineStagePreScheduler, Callbacks: c}
	args.Name, args.NameSize = capi.StringData(name)
	return args
}

// clearArgs take it back.
func clearArgs(name string, c *capi.XLATransformCallbacks) capi.ClearXLATransformArgs {
	args := capi.ClearXLATransformArgs{Stage: capi.XLATransformPipelineStagePreScheduler, Callbacks: c}
	args.Name, args.NameSize = capi.StringData(name)
	return args
}

// distinct is a program that the plugin has not compiled.
func distinct() string {
	return strings.Replace(check.AddOne, "dense<1.0>", fmt.Sprintf("dense<%d.0>", number.Add(1)+1), 1)
}

// transformed registers a transformation, compiles, and takes it back.
func transformed(t *check.T, f func([]byte) ([]byte, error)) (called int64, compile error) {
	t.Require(check.FunctionOf[capi.ClearXLATransformArgs]())
	var n atomic.Int64
	callbacks := capi.NewXLATransform(capi.XLATransform{Transform: func(b []byte) ([]byte, error) {
		n.Add(1)
		return f(b)
	}})
	name := freshName()
	check.Call(t, transformArgs(name, callbacks))
	compile = tryCompile(t, distinct())
	check.Equal(t, true, check.Call(t, clearArgs(name, callbacks)).Cleared, "cleared, of a transformation that was registered")
	return n.Load(), compile
}

// tryCompile compiles for the client or the topology.
func tryCompile(t *check.T, text string) error {
	if !noClient(t) {
		out, err := check.Try(t, check.CompileArgs(t.Client(), text, check.Devices(1, 1)))
		if err == nil {
			check.Own(t, out.Executable)
		}
		return err
	}
	args := capi.CompileArgs{Topology: t.Topology(), Program: check.Program("mlir", text)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(check.Devices(1, 1))
	out, err := check.Try(t, args)
	if err == nil {
		check.Own(t, out.Executable)
	}
	return err
}

// canCompile skips the check where nothing can be compiled.
func canCompile(t *check.T) {
	if err := tryCompile(t, distinct()); err != nil {
		t.SkipEnvf("a plain program cannot be compiled: %v", err)
	}
}

var transformChecks = []check.Check{
	hostile(library("XTF-01", func(t *check.T) {
		canCompile(t)
		var module []byte
		n, err := transformed(t, func(b []byte) ([]byte, error) {
			module = append([]byte(nil), b...)
			return module, nil
		})
		if err != nil {
			t.Fatalf("compiling with a transformation that gives the program back: expected success, got %v", err)
		}
		if n == 0 {
			t.Fatalf("the transformation was not called")
		}
		isMessage(t, module, "the program that a transformation got")
	})),
	hostile(library("XTF-02", func(t *check.T) {
		canCompile(t)
		t.Require(check.FunctionOf[capi.ClearXLATransformArgs]())
		var n atomic.Int64
		callbacks := capi.NewXLATransform(capi.XLATransform{Transform: func([]byte) ([]byte, error) {
			n.Add(1)
			return nil, nil
		}})
		name := freshName()
		check.Call(t, transformArgs(name, callbacks))
		check.Equal(t, true, check.Call(t, clearArgs(name, callbacks)).Cleared, "cleared, the first time")
		check.Equal(t, false, check.Call(t, clearArgs(name, callbacks)).Cleared, "cleared, the second time")
		if err := tryCompile(t, distinct()); err != nil {
			t.Errorf("compiling after a transformation was cleared: expected success, got %v", err)
		}
		check.Equal(t, int64(0), n.Load(), "calls of a transformation that was cleared")
	})),
	hostile(library("XTF-03", func(t *check.T) {
		canCompile(t)
		const message = "refused by the suite's transformation"
		n, err := transformed(t, func([]byte) ([]byte, error) {
			return nil, &capi.Error{Code: capi.ErrorCodeDataLoss, Message: message}
		})
		if n == 0 {
			t.Fatalf("the transformation was not called")
		}
		var e *capi.Error
		switch {
		case !errors.As(err, &e):
			t.Errorf("compiling with a transformation that fails: expected an error, got %v", err)
		case e.Code != capi.ErrorCodeDataLoss || !strings.Contains(e.Message, message):
			t.Errorf("the error of a failed transformation: expected DATA_LOSS with %q, got %v", message, err)
		}
		canCompile(t)
	})),
	hostile(library("XTF-04", func(t *check.T) {
		t.Require(check.FunctionOf[capi.XLATransformGetHLOPassPipelineTraceArgs]())
		canCompile(t)
		var module []byte
		if _, err := transformed(t, func(b []byte) ([]byte, error) {
			module = append([]byte(nil), b...)
			return nil, nil
		}); err != nil || module == nil {
			t.SkipUnimplf("no program came that there could be a trace of: %v", err)
		}
		var args capi.XLATransformGetHLOPassPipelineTraceArgs
		args.HLOModule.Data, args.HLOModule.Size = capi.BytesData(module)
		out := check.Call(t, args)
		isMessage(t, capi.Bytes(out.Trace.SerializedTrace, out.Trace.SerializedTraceSize), "the trace of passes")
		check.Call(t, capi.XLATransformDestroyHLOPassPipelineTraceArgs{Trace: &out.Trace})
	})),
}

// split is a program for two partitions that calls what a partitioner splits.
func split(name string) string {
	return `module @split attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2]0,1}"}) -> (tensor<8xf32> {mhlo.sharding = "{devices=[2]0,1}"}) {
    %0 = stablehlo.custom_call @` + name + `(%a) {api_version = 2 : i32} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}`
}

// half is one part of it.
const half = `module @half {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`

// partition registers a partitioner and compiles a program that needs it.
func partition(t *check.T, fail error) (calls int64, err error) {
	canCompile(t)
	var n atomic.Int64
	sharding := []byte{1 << 3, 3, 3<<3 | 2, 1, 2, 4<<3 | 2, 2, 0, 1} // OTHER, [2] of 0, 1
	args := capi.RegisterCustomPartitionerArgs{Callbacks: capi.NewCustomCallPartitioner(capi.CustomCallPartitioner{
		Partition: func(p capi.CustomCallPartition) (capi.PartitionedCustomCall, error) {
			n.Add(1)
			if fail != nil {
				return capi.PartitionedCustomCall{}, fail
			}
			return capi.PartitionedCustomCall{Module: []byte(half), Operands: [][]byte{sharding}, Result: sharding}, nil
		},
		Infer: func(capi.CustomCallInference) ([]byte, error) { return sharding, nil },
	})}
	name := freshName()
	text := []byte(name + "\x00")
	args.Name, args.NameSize = &text[0], uintptr(len(name))
	check.Call(t, args)
	clear(text) // the name is the caller's again
	if !noClient(t) {
		if len(t.Client().Devices) < 2 {
			t.SkipEnvf("needs two devices")
		}
		out, err := check.Try(t, check.CompileArgs(t.Client(), split(name), check.Devices(1, 2)))
		if err == nil {
			check.Own(t, out.Executable)
		}
		return n.Load(), err
	}
	ahead := capi.CompileArgs{Topology: t.Topology(), Program: check.Program("mlir", split(name))}
	ahead.CompileOptions, ahead.CompileOptionsSize = capi.BytesData(check.Devices(1, 2))
	out, err := check.Try(t, ahead)
	if err == nil {
		check.Own(t, out.Executable)
	}
	return n.Load(), err
}

var partitionerChecks = []check.Check{
	hostile(library("XCP-01", func(t *check.T) {
		live := capi.LiveHandles()
		n, err := partition(t, nil)
		if n == 0 {
			t.Errorf("the partitioner was not called: %v", err)
		}
		check.Equal(t, live, capi.LiveHandles(), "results of the partitioner that were not given back")
	})),
	hostile(library("XCP-02", func(t *check.T) {
		// The name is wiped out before the program is compiled.
		if n, err := partition(t, nil); n == 0 {
			t.Errorf("a partitioner whose name was freed after it was registered was not called: %v", err)
		}
	})),
	hostile(library("XCP-03", func(t *check.T) {
		var args capi.RegisterBatchPartitionableArgs
		args.Name, args.NameSize = capi.StringData(freshName())
		check.Call(t, args)
	})),
	hostile(library("XCP-04", func(t *check.T) {
		const message = "refused by the suite's partitioner"
		n, err := partition(t, &capi.Error{Code: capi.ErrorCodeDataLoss, Message: message})
		switch {
		case n == 0:
			t.Errorf("the partitioner was not called: %v", err)
		case err == nil || !strings.Contains(err.Error(), message):
			t.Errorf("compiling with a partitioner that fails: expected an error with %q, got %v", message, err)
		}
	})),
}
