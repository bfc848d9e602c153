// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Output holds the function that receives the values of one output operation of a
// running program.
type Output struct {
	// ID is the number that the operation has in the program.
	ID int64
	// Operands is the number of values that the operation emits.
	Operands int
	// Func receives each value. It runs in a goroutine of its own, and the plugin waits for it.
	// A panic or runtime.Goexit in it is logged and goes no further.
	Func func(Value)
}

// Value is a value that an output operation of a running program emits.
type Value struct {
	// Replica and Partition say which part of the program emitted the value.
	Replica, Partition int64
	// Operand is the number of the value among those of the operation.
	Operand int64
	Shape   pjrt.Shape
	// Data are the elements in row-major order. They are valid until Func returns. Data is
	// nil if the plugin passed no data, or if the size of the shape is unknown.
	Data []byte
}

// Outputs is the execute extension for the output operations of a program
// (PJRT_ExecuteOptions, since API 0.112). ExecuteOptions.Extensions takes at most one
// Outputs.
type Outputs []Output

var _ pjrt.ExecuteExtension = Outputs(nil)

// ExtendExecute fills in the callbacks of output operations. Package pjrt calls it for
// each execution.
func (outputs Outputs) ExtendExecute(_ *pjrt.Client, _ []*pjrt.Device, options *capi.ExecuteOptions) (done func(), err error) {
	if len(outputs) == 0 {
		return nil, nil
	}
	if options.NumHLOOutputCallbacks > 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("the options of the execution have two transfer.Outputs; give one")
	}
	var made callbacks
	infos := make([]capi.HLOOutputCallbackInfo, len(outputs))
	for i, o := range outputs {
		if err := o.check(); err != nil {
			made.delete()
			return nil, err
		}
		callback, handle := capi.NewHLOOutputCallback(func(v capi.HLOOutput) { o.Func(valueOf(v)) })
		made = append(made, handle)
		infos[i] = capi.HLOOutputCallbackInfo{
			UserArg: uintptr(handle), Callback: callback, CallbackID: o.ID, NumOperands: uintptr(o.Operands),
		}
	}
	options.HLOOutputCallbacks, options.NumHLOOutputCallbacks = unsafe.SliceData(infos), uintptr(len(infos))
	return made.delete, nil
}

func (o Output) check() error {
	switch {
	case o.Func == nil:
		return pjrt.ErrInvalidArgument.Errorf("Func of output operation %d is nil", o.ID)
	case o.Operands < 0:
		return pjrt.ErrInvalidArgument.Errorf("output operation %d has %d operands; the number cannot be negative", o.ID, o.Operands)
	}
	return nil
}

func valueOf(v capi.HLOOutput) Value {
	value := Value{
		Replica: v.ReplicaID, Partition: v.PartitionID, Operand: v.OperandIndex,
		Shape: pjrt.Shape{Type: dtype.Type(v.Type), Dims: v.Dims},
	}
	// Without a size there is no telling how many bytes are at v.Data.
	if n, err := value.Shape.HostSize(); err == nil && v.Data != nil {
		value.Data = unsafe.Slice((*byte)(v.Data), n)
	}
	return value
}
