// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package custompartitioner splits custom calls over several devices: while a program is compiled
// for the partitions of a mesh, the compiler asks Go functions how a custom call is split. It uses
// the extension Custom_Partitioner, which came with API 0.47; XLA's plugins for GPUs have it.
//
//	err := custompartitioner.Register(plugin, "my_op", custompartitioner.Partitioner{
//		Partition: func(c custompartitioner.Call) (custompartitioner.Parts, error) {
//			... // the program of one part, and the shardings it needs
//		},
//	})
//
// A custom call that treats every element of its leading dimensions independently needs no
// functions: [RegisterBatch] is enough. A custom call that is not registered gets whole arrays on
// every device.
package custompartitioner

import (
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// Array is an operand or the result of a custom call.
type Array struct {
	Shape hlo.Shape
	// Sharding says how the array is spread over the devices; nil if unknown.
	Sharding *sharding.Spec
}

// Call is a custom call of a program, with whole arrays.
type Call struct {
	// Operands are the operands, nil in a call of Propagate.
	Operands []Array
	Result   Array
	// Config is the backend_config of the custom call in the program.
	Config []byte
}

// Parts says how a custom call is split.
type Parts struct {
	// Module is a program in MLIR whose function main computes one part of the result from the
	// parts of the operands.
	Module []byte
	// Operands are the shardings that the operands must have, one for each. Where the program has
	// other shardings, the compiler moves data between the devices.
	Operands []sharding.Spec
	Result   sharding.Spec
}

// Partitioner has the functions that the compiler calls, each in a goroutine of its own, for
// several compilations at once. An error, a panic or runtime.Goexit in one ends the compilation
// with an error.
type Partitioner struct {
	// Partition splits a custom call. If it is nil, a program whose call must be split does not
	// compile.
	Partition func(Call) (Parts, error)
	// Infer returns the sharding of the result from those of the operands, or nil if unknown. A nil
	// Infer means that it is never known.
	Infer func(Call) (*sharding.Spec, error)
	// Propagate returns the sharding that the result gets when its users ask for the one in
	// c.Result, or nil for that one. A nil Propagate accepts what is asked for.
	Propagate func(c Call) (*sharding.Spec, error)
	// ReplicateSideEffects says that a call with side effects may run on every device with whole
	// arrays.
	ReplicateSideEffects bool
}

// Register lets x split the custom calls of a target in all of the plugin's compilations that begin
// later, until the process ends (PJRT_Register_Custom_Partitioner). If this process has already
// registered the target, the error is pjrt.ErrAlreadyExists. Register may be called from any
// goroutine.
func Register(p *pjrt.Plugin, target string, x Partitioner) error {
	return register(p, target, func() error {
		var c capi.Call[capi.RegisterCustomPartitionerArgs]
		c.Args.Name, c.Args.NameSize = capi.StringData(target)
		c.Args.Callbacks = capi.NewCustomCallPartitioner(x.forC())
		err := c.Do(raw.Table(p))
		if err != nil {
			c.Args.Callbacks.Dtor.Call(c.Args.Callbacks)
		}
		return err
	})
}

// RegisterBatch says that the custom calls of a target treat every element of their leading
// dimensions independently, so that the compiler can split them there
// (PJRT_Register_Batch_Partitionable, API 0.67). It takes effect and fails as [Register] does.
//
// Each call gives the number of those dimensions in the attribute
//
//	mhlo.frontend_attributes = {num_batch_dims = "1"}
//
// and must give the layouts of its operands and results, as Target.Line of package extensions/ffi
// does: a call without layouts makes XLA end the process.
func RegisterBatch(p *pjrt.Plugin, target string) error {
	return register(p, target, func() error {
		var c capi.Call[capi.RegisterBatchPartitionableArgs]
		c.Args.Name, c.Args.NameSize = capi.StringData(target)
		return c.Do(raw.Table(p))
	})
}

// registering is held while a target is registered, so that the second of two with the same name
// finds the first.
var registering sync.Mutex

// register calls do if a target can be registered with the plugin.
func register(p *pjrt.Plugin, target string, do func() error) error {
	switch {
	case p == nil:
		return pjrt.ErrInvalidArgument.Errorf("the plugin is nil")
	case target == "" || strings.IndexByte(target, 0) >= 0:
		return pjrt.ErrInvalidArgument.Errorf("the target %q of the custom call is empty or contains a zero byte", target)
	}
	registering.Lock()
	defer registering.Unlock()
	if err := isFree(p, target); err != nil {
		return err
	}
	return do()
}

// isFree returns an error if the target was registered with the plugin.
func isFree(p *pjrt.Plugin, target string) error {
	for _, r := range raw.Table(p).Registrations() {
		switch r.Function {
		case (*capi.RegisterCustomPartitionerArgs)(nil).Function(), (*capi.RegisterBatchPartitionableArgs)(nil).Function():
			if r.Name == target {
				return pjrt.ErrAlreadyExists.Errorf("a partitioner of the custom call %s is already registered, and stays until the "+
					"process ends: choose another name", target)
			}
		}
	}
	return nil
}

// forC returns the partitioner in the form that works on serialized messages.
func (x Partitioner) forC() capi.CustomCallPartitioner {
	c := capi.CustomCallPartitioner{ReplicateSideEffects: x.ReplicateSideEffects}
	if x.Partition != nil {
		c.Partition = func(of capi.CustomCallPartition) (capi.PartitionedCustomCall, error) {
			call, err := newCall(of.Operands, of.Result, of.BackendConfig)
			if err != nil {
				return capi.PartitionedCustomCall{}, err
			}
			parts, err := x.Partition(call)
			if err != nil {
				return capi.PartitionedCustomCall{}, err
			}
			if len(parts.Operands) != len(call.Operands) {
				return capi.PartitionedCustomCall{}, pjrt.ErrInvalidArgument.Errorf("the function that splits the custom call returned "+
					"%d shardings for %d operands",
					len(parts.Operands), len(call.Operands))
			}
			out := capi.PartitionedCustomCall{Module: parts.Module, Result: parts.Result.Encode().Proto}
			for _, s := range parts.Operands {
				out.Operands = append(out.Operands, s.Encode().Proto)
			}
			return out, nil
		}
	}
	if x.Infer != nil {
		c.Infer = func(of capi.CustomCallInference) ([]byte, error) {
			return answer(x.Infer, of.Operands, capi.CustomCallArray{Shape: of.ResultShape}, of.BackendConfig)
		}
	}
	if x.Propagate != nil {
		c.Propagate = func(of capi.CustomCallPropagation) ([]byte, error) {
			result := capi.CustomCallArray{Shape: of.ResultShape, Sharding: of.ResultSharding, Sharded: true}
			return answer(x.Propagate, nil, result, of.BackendConfig)
		}
	}
	return c
}

// answer asks a function for a sharding.
func answer(
	fn func(Call) (*sharding.Spec, error), operands []capi.CustomCallArray, result capi.CustomCallArray, config []byte,
) ([]byte, error) {
	call, err := newCall(operands, result, config)
	if err != nil {
		return nil, err
	}
	s, err := fn(call)
	if err != nil || s == nil {
		return nil, err
	}
	if b := s.Encode().Proto; b != nil {
		return b, nil
	}
	return []byte{}, nil // a replicated sharding: an empty message, as opposed to none
}

func newCall(operands []capi.CustomCallArray, result capi.CustomCallArray, config []byte) (c Call, err error) {
	c.Config = config
	if c.Result, err = newArray(result); err != nil {
		return Call{}, err
	}
	for _, o := range operands {
		a, err := newArray(o)
		if err != nil {
			return Call{}, err
		}
		c.Operands = append(c.Operands, a)
	}
	return c, nil
}

func newArray(a capi.CustomCallArray) (Array, error) {
	shape, err := hlo.DecodeShape(a.Shape)
	if err != nil {
		return Array{}, pjrt.ErrInternal.Errorf("the plugin passed a shape that cannot be read: %v", err)
	}
	x := Array{Shape: shape}
	if a.Sharded {
		s, err := sharding.Decode(pjrt.Sharding{Proto: a.Sharding})
		if err != nil {
			return Array{}, err
		}
		x.Sharding = &s
	}
	return x, nil
}
