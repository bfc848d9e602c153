// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Executable is a compiled program without devices to run on: one that was
// compiled for a topology, or what a [LoadedExecutable] says of itself. Its
// methods may be called from any goroutine.
type Executable struct {
	table *capi.Table
	ref   *lifetime.Ref[capi.Executable]

	name                                   string
	numReplicas, numPartitions, numOutputs int

	codeless   bool    // what Serialize would write could not run
	text       []Shape // parameters by the text of the program; nil when not known
	parameters func() ([]Shape, error)
	outputs    func() ([]Shape, error)
	layouts    func() []*Layout // of the parameters
}

// newExecutable takes over an executable of the plugin. It lives no longer than
// parent, which may be nil. The parameters are those that the text of the program
// states, nil when they are not known.
func newExecutable(table *capi.Table, h *capi.Executable, parent lifetime.Parent, parameters []Shape) (*Executable, error) {
	if h == nil {
		return nil, &Error{Code: ErrInternal, Message: "the plugin reports success and gives no executable"}
	}
	e := &Executable{table: table, text: parameters}
	e.ref = lifetime.New("compiled program", h, parent, func(h *capi.Executable) {
		var d capi.Call[capi.ExecutableDestroyArgs]
		d.Args.Executable = h
		_ = d.Do(table) // there is nobody to tell
	})
	e.parameters = sync.OnceValues(e.readParameters)
	e.outputs = sync.OnceValues(e.readOutputs)
	e.layouts = sync.OnceValue(e.readArgumentLayouts)
	if err := e.describe(h); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// describe asks for what never fails and never changes.
func (e *Executable) describe(h *capi.Executable) error {
	var name capi.Call[capi.ExecutableNameArgs]
	name.Args.Executable = h
	if err := name.Do(e.table); err != nil {
		return err
	}
	var replicas capi.Call[capi.ExecutableNumReplicasArgs]
	replicas.Args.Executable = h
	if err := replicas.Do(e.table); err != nil {
		return err
	}
	var partitions capi.Call[capi.ExecutableNumPartitionsArgs]
	partitions.Args.Executable = h
	if err := partitions.Do(e.table); err != nil {
		return err
	}
	var outputs capi.Call[capi.ExecutableNumOutputsArgs]
	outputs.Args.Executable = h
	if err := outputs.Do(e.table); err != nil {
		return err
	}
	e.name = capi.String(name.Args.ExecutableName, name.Args.ExecutableNameSize)
	e.numReplicas, e.numPartitions = int(replicas.Args.NumReplicas), int(partitions.Args.NumPartitions)
	e.numOutputs = int(outputs.Args.NumOutputs)
	return nil
}

// Close gives the executable up (PJRT_Executable_Destroy). Its name and counts
// stay readable.
func (e *Executable) Close() error { return e.ref.Close() }

// Name returns the name of the program, that of its MLIR module.
func (e *Executable) Name() string { return e.name }

// NumReplicas returns the number of copies of the program that run on different
// data.
func (e *Executable) NumReplicas() int { return e.numReplicas }

// NumPartitions returns the number of devices that share the work of each
// replica.
func (e *Executable) NumPartitions() int { return e.numPartitions }

// NumOutputs returns the number of results of an execution on one device.
func (e *Executable) NumOutputs() int { return e.numOutputs }

// Parameters returns the shapes of the arguments of an execution on one device.
// They are read on first use: from the optimized program, or else from the text
// of the program if that was compiled and no partitioning has changed them. The
// error is ErrUnimplemented when neither tells.
func (e *Executable) Parameters() ([]Shape, error) {
	shapes, err := e.parameters()
	return cloneShapes(shapes), err
}

func (e *Executable) readParameters() ([]Shape, error) {
	shapes, err := e.optimizedParameters()
	if err != nil && e.text != nil && e.numPartitions == 1 && !errors.Is(err, ErrClosed) {
		return e.text, nil
	}
	return shapes, err
}

func (e *Executable) optimizedParameters() ([]Shape, error) {
	program, err := e.OptimizedProgram()
	if err != nil {
		return nil, err
	}
	code := program.Code
	switch program.Format {
	case FormatHLO:
	case FormatHLOWithConfig:
		if code, err = wireMessage(code, fieldHLOModule); err != nil {
			return nil, err
		}
	default:
		return nil, &Error{Code: ErrUnimplemented, Message: fmt.Sprintf("the optimized program has the format %q, of which the parameters cannot be read", string(program.Format))}
	}
	return parameterShapes(code)
}

// Outputs returns the shapes of the results of an execution on one device
// (PJRT_Executable_OutputElementTypes, PJRT_Executable_OutputDimensions).
func (e *Executable) Outputs() ([]Shape, error) {
	shapes, err := e.outputs()
	return cloneShapes(shapes), err
}

func cloneShapes(shapes []Shape) []Shape {
	list := slices.Clone(shapes)
	for i := range list {
		list[i].Dims = slices.Clone(list[i].Dims)
	}
	return list
}

func (e *Executable) readOutputs() ([]Shape, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var types capi.Call[capi.ExecutableOutputElementTypesArgs]
	types.Args.Executable = h
	if err := types.Do(e.table); err != nil {
		return nil, err
	}
	var dims capi.Call[capi.ExecutableOutputDimensionsArgs]
	dims.Args.Executable = h
	if err := dims.Do(e.table); err != nil {
		return nil, err
	}
	if n := types.Args.NumOutputTypes; n != dims.Args.NumOutputs {
		return nil, &Error{Code: ErrInternal, Message: fmt.Sprintf("the plugin tells the types of %d outputs and the dimensions of %d", n, dims.Args.NumOutputs)}
	}
	// The dimensions of all outputs are in one list.
	ranks := capi.Slice(dims.Args.DimSizes, dims.Args.NumOutputs)
	total := uintptr(0)
	for _, rank := range ranks {
		total += rank
	}
	flat := capi.Slice(dims.Args.Dims, total)
	shapes := make([]Shape, len(ranks))
	for i, t := range capi.Slice(types.Args.OutputTypes, types.Args.NumOutputTypes) {
		n := int(ranks[i])
		shapes[i] = Shape{dtype.Type(t), flat[:n:n]}
		flat = flat[n:]
	}
	return shapes, nil
}

// OptimizedProgram returns what the compiler made of the program
// (PJRT_Executable_OptimizedProgram), as a rule in the format hlo_with_config. It
// is for reading: a compiler that gets what it has optimized already may refuse
// it, and XLA's CPU compiler ends the process over some such programs.
func (e *Executable) OptimizedProgram() (Program, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return Program{}, err
	}
	defer e.ref.Release()
	// Called twice: the first time with no room, which tells the size.
	program := &capi.Program{StructSize: capi.ProgramSize}
	var c capi.Call[capi.ExecutableOptimizedProgramArgs]
	c.Args.Executable, c.Args.Program = h, program
	if err := c.Do(e.table); err != nil {
		return Program{}, err
	}
	size := program.CodeSize
	code := make([]byte, size+1) // never empty: without an address it would tell the size again
	program.Code, _ = capi.BytesData(code)
	c.Args.Program = program
	if err := c.Do(e.table); err != nil {
		return Program{}, err
	}
	if program.CodeSize > size {
		return Program{}, &Error{Code: ErrInternal, Message: fmt.Sprintf("the optimized program has %d bytes, and %d when asked again", size, program.CodeSize)}
	}
	format := Format(capi.String(program.Format, program.FormatSize))
	runtime.KeepAlive(code)
	return Program{Code: code[:program.CodeSize:program.CodeSize], Format: format}, nil
}

// Serialize returns the executable as bytes that DeserializeAndLoad of a client
// of the same version of the same plugin reads (PJRT_Executable_Serialize). They
// need not be the same each time.
//
// XLA's CPU plugin leaves the code out of what it writes of an executable that
// was loaded from bytes itself, so that is an error: keep those bytes.
//
// It cannot be called off: when ctx ends first, Serialize returns its error.
func (e *Executable) Serialize(ctx context.Context) ([]byte, error) {
	if e == nil || e.ref == nil {
		return nil, invalid("the executable is nil")
	}
	if e.codeless {
		return nil, failed(ErrFailedPrecondition, "the executable was loaded from bytes, and XLA's CPU plugin would write it without its code; keep those bytes")
	}
	return abandonable(ctx, func() ([]byte, error) {
		h, err := e.ref.Acquire()
		if err != nil {
			return nil, err
		}
		defer e.ref.Release()
		var c capi.Call[capi.ExecutableSerializeArgs]
		c.Args.Executable = h
		if err := c.Do(e.table); err != nil {
			return nil, err
		}
		defer c.Args.SerializedExecutableDeleter.Call(c.Args.SerializedExecutable)
		return capi.Bytes(c.Args.SerializedBytes, c.Args.SerializedBytesSize), nil
	}, func([]byte) error { return nil })
}

// Fingerprint returns bytes that are equal for equal programs compiled with
// equal options by equal compilers, in any process
// (PJRT_Executable_Fingerprint). They need not be text. Not all plugins have it.
func (e *Executable) Fingerprint() ([]byte, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.ExecutableFingerprintArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return nil, err
	}
	return capi.Bytes(c.Args.ExecutableFingerprint, c.Args.ExecutableFingerprintSize), nil
}

// CompileOptions returns the options that the program was compiled with, as the
// plugin has completed them (PJRT_Executable_GetCompileOptions, API 0.87).
func (e *Executable) CompileOptions() (*CompileOptions, error) {
	b, err := e.compileOptions()
	if err != nil {
		return nil, err
	}
	return DecodeCompileOptions(b)
}

func (e *Executable) compileOptions() ([]byte, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.ExecutableGetCompileOptionsArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return nil, err
	}
	defer c.Args.SerializedCompileOptionsDeleter.Call(c.Args.SerializedCompileOptions)
	return capi.Bytes(c.Args.SerializedBytes, c.Args.SerializedBytesSize), nil
}
