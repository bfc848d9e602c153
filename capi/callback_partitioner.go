// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import "fmt"

// CustomCallArray is the shape of an operand or the result of a custom call, and
// how it is split over devices. The bytes are serialized messages.
type CustomCallArray struct {
	Shape    []byte // ShapeProto
	Sharding []byte // OpSharding
	Sharded  bool   // whether the sharding is known
}

// CustomCallPartition is a custom call to split.
type CustomCallPartition struct {
	Operands      []CustomCallArray
	Result        CustomCallArray
	BackendConfig []byte // as in the program
}

// PartitionedCustomCall says how to split a custom call.
type PartitionedCustomCall struct {
	// Module is the program, in MLIR, that computes one part.
	Module []byte
	// Operands are the shardings that the operands must have, serialized
	// OpSharding messages, one for each.
	Operands [][]byte
	// Result is the sharding of the result, a serialized OpSharding message.
	Result []byte
}

// CustomCallInference asks for the sharding of a result.
type CustomCallInference struct {
	Operands      []CustomCallArray
	ResultShape   []byte // ShapeProto
	BackendConfig []byte // as in the program
}

// CustomCallPropagation asks for a better sharding of a result.
type CustomCallPropagation struct {
	ResultShape    []byte // ShapeProto
	ResultSharding []byte // OpSharding that the users of the result ask for
	BackendConfig  []byte // as in the program
}

// CustomCallPartitioner has the functions for JAXCustomCallPartitionerCallbacks. The functions own
// their arguments. Compilations wait for them, and fail if they return an error.
type CustomCallPartitioner struct {
	// Partition splits a custom call. If it is nil, splitting fails.
	Partition func(CustomCallPartition) (PartitionedCustomCall, error)
	// Infer returns the sharding of the result, a serialized OpSharding message, or nil if it does
	// not know it. If Infer is nil, no sharding is known.
	Infer func(CustomCallInference) ([]byte, error)
	// Propagate returns a better sharding than the one asked for, or nil to keep that one. A nil
	// Propagate always keeps it.
	Propagate func(CustomCallPropagation) ([]byte, error)
	// ReplicateSideEffects says whether a custom call with side effects may run on every device
	// with the whole array.
	ReplicateSideEffects bool
	// Deleted is called, unless nil, when the plugin no longer needs the functions.
	Deleted func()
}

var partitioners registry[JAXCustomCallPartitionerCallbacks, CustomCallPartitioner]

// NewCustomCallPartitioner makes the callbacks of RegisterCustomPartitionerArgs. They live until
// the plugin calls their destructor. If registering fails, call it yourself (Dtor.Call).
func NewCustomCallPartitioner(p CustomCallPartitioner) *JAXCustomCallPartitionerCallbacks {
	c := &JAXCustomCallPartitionerCallbacks{
		Version:                                CustomPartitionerExtensionVersion,
		Dtor:                                   JAXCustomCallPartitionerCallbacksDtor(partitionerDtorEntry()),
		Partition:                              JAXCustomCallPartitionerCallbacksPartition(partitionEntry()),
		InferSharding:                          JAXCustomCallPartitionerCallbacksInferSharding(inferEntry()),
		PropagateUserSharding:                  JAXCustomCallPartitionerCallbacksPropagateUserSharding(propagateEntry()),
		CanSideEffectingHaveReplicatedSharding: p.ReplicateSideEffects,
	}
	partitioners.add(c, p)
	return c
}

var partitionerDtorEntry = entry(func(self uintptr) uintptr {
	if p, ok := partitioners.take(self); ok && p.Deleted != nil {
		tell("JAX_CustomCallPartitioner_Callbacks.dtor", p.Deleted)
	}
	return 0
})

func (s JAXCustomCallPartitionerString) bytes() []byte { return Bytes(s.Data, s.Size) }

func partitionerString(b []byte) (s JAXCustomCallPartitionerString) {
	s.Data, s.Size = BytesData(b)
	return s
}

func (a JAXCustomCallPartitionerAval) array() CustomCallArray {
	x := CustomCallArray{Shape: a.Shape.bytes(), Sharded: a.HasSharding}
	if a.HasSharding {
		x.Sharding = a.Sharding.bytes()
	}
	return x
}

func customCallArrays(p *JAXCustomCallPartitionerAval, n uintptr) []CustomCallArray {
	var list []CustomCallArray
	for _, a := range Slice(p, n) {
		list = append(list, a.array())
	}
	return list
}

// respond runs one function of the partitioner self and stores its error in h. results is what C
// reads after the callback. It is kept alive until C calls the cleanup function.
func (h *JAXCustomCallPartitionerVersionAndError) respond(
	name string, self uintptr, run func(CustomCallPartitioner) (results any, err error),
) uintptr {
	var keep any
	code, text, failed := answer(name, func() (err error) {
		p, ok := partitioners.value(self)
		if !ok {
			return deleted(name)
		}
		keep, err = run(p)
		return err
	})
	// Plugins call the cleanup function even if there is nothing to clean up. It does nothing for
	// handle 0.
	h.Data, h.CleanupFn, h.HasError = 0, JAXCustomCallPartitionerVersionAndErrorCleanupFn(HandleDeleter()), failed
	if failed {
		h.Code = code
		h.ErrorMsg.Data, h.ErrorMsg.Size = StringData(text)
		keep = text
	}
	if keep != nil {
		h.Data = uintptr(NewHandle(keep))
	}
	return 0
}

var partitionEntry = entry(func(self uintptr, args *JAXCustomCallPartitionerPartitionArgs) uintptr {
	const name = "JAX_CustomCallPartitioner_Callbacks.partition"
	return args.Header.respond(name, self, func(p CustomCallPartitioner) (any, error) {
		if p.Partition == nil {
			return nil, &Error{Code: ErrorCodeUnimplemented, Message: "the custom call cannot be partitioned"}
		}
		r, err := p.Partition(CustomCallPartition{
			Operands: customCallArrays(args.OpArgs, args.NumArgs), Result: args.OpResult.array(), BackendConfig: args.BackendConfig.bytes(),
		})
		if err != nil {
			return nil, err
		}
		if uintptr(len(r.Operands)) != args.NumArgs {
			return nil, &Error{Code: ErrorCodeInternal,
				Message: fmt.Sprintf("%s: %d shardings for %d operands", name, len(r.Operands), args.NumArgs)}
		}
		shardings := make([]JAXCustomCallPartitionerString, len(r.Operands)+1) // never empty
		for i, s := range r.Operands {
			shardings[i] = partitionerString(s)
		}
		args.MLIRModule = partitionerString(r.Module)
		args.ArgsSharding = &shardings[0]
		args.ResultSharding = partitionerString(r.Result)
		return [...]any{r, shardings}, nil
	})
})

var inferEntry = entry(func(self uintptr, args *JAXCustomCallPartitionerInferShardingFromOperandsArgs) uintptr {
	return args.Header.respond("JAX_CustomCallPartitioner_Callbacks.infer_sharding", self, func(p CustomCallPartitioner) (any, error) {
		args.HasResultSharding = false
		if p.Infer == nil {
			return nil, nil
		}
		s, err := p.Infer(CustomCallInference{
			Operands: customCallArrays(args.OpArgs, args.NumArgs), ResultShape: args.ResultShape.bytes(), BackendConfig: args.BackendConfig.bytes(),
		})
		if err != nil || s == nil {
			return nil, err
		}
		args.HasResultSharding, args.ResultSharding = true, partitionerString(s)
		return s, nil
	})
})

var propagateEntry = entry(func(self uintptr, args *JAXCustomCallPartitionerPropagateUserShardingArgs) uintptr {
	return args.Header.respond("JAX_CustomCallPartitioner_Callbacks.propagate_user_sharding",
		self, func(p CustomCallPartitioner) (any, error) {
			if p.Propagate == nil {
				return nil, nil
			}
			s, err := p.Propagate(CustomCallPropagation{
				ResultShape: args.ResultShape.bytes(), ResultSharding: args.ResultSharding.bytes(), BackendConfig: args.BackendConfig.bytes(),
			})
			if err != nil || s == nil {
				return nil, err
			}
			args.ResultSharding = partitionerString(s)
			return s, nil
		})
})
