// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/internal/source"
)

// Executable describes a compiled program. It cannot run: it was compiled for a topology,
// or belongs to a [LoadedExecutable], which can.
type Executable struct {
	plugin *Plugin
	table  *capi.Table
	ref    *lifetimes.Ref[capi.Executable] // nil if there are only the bytes in serialized
	system compile.System                  // of the compilation; empty if unknown

	name                                   string
	numReplicas, numPartitions, numOutputs int

	serialized []byte              // what the plugin wrote, for an executable of a compile.Compiler
	abi        *compile.ABIVersion // of serialized; nil if unknown
	codeless   bool                // the plugin would write bytes without the code
	text       []Shape             // the parameters in the program's text; nil if unknown
	entry      func() *entry
	outputs    func() ([]Shape, error)
	layouts    func() []*Layout // of the parameters
}

// newExecutable takes over an executable of the plugin. parent, which may be nil, stays alive for
// as long as the executable. An empty system means an unknown one. parameters are those in the
// program's text, nil if unknown. results is how many results the text has, for an executable that
// cannot run and whose plugin may not say it; otherwise 0, since a plugin that runs a program
// writes as many results into memory of this process as it says itself.
func newExecutable(
	p *Plugin, system compile.System, h *capi.Executable, parent lifetimes.Parent, parameters []Shape, results int,
) (*Executable, error) {
	if h == nil {
		return nil, failed(ErrInternal, "the plugin reported success and gave no executable")
	}
	table := p.table
	e := &Executable{plugin: p, table: table, system: system, text: parameters}
	e.ref = lifetimes.New("compiled program", h, parent, func(h *capi.Executable) {
		_, _ = capi.Do(table, capi.ExecutableDestroyArgs{Executable: h})
	})
	e.entry = sync.OnceValue(e.readEntry)
	e.outputs = sync.OnceValues(e.readOutputs)
	e.layouts = sync.OnceValue(e.readArgumentLayouts)
	if err := e.describe(h, results); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// describe reads the name and the counts, which never change. results is that of newExecutable.
func (e *Executable) describe(h *capi.Executable, results int) error {
	name, err := capi.Do(e.table, capi.ExecutableNameArgs{Executable: h})
	if err = optional(err); err != nil {
		return err
	}
	replicas, err := capi.Do(e.table, capi.ExecutableNumReplicasArgs{Executable: h})
	if err != nil {
		config, ok := e.optimizedConfig(err)
		if !ok {
			return err
		}
		replicas.NumReplicas = uintptr(config.Replicas)
	}
	partitions, err := capi.Do(e.table, capi.ExecutableNumPartitionsArgs{Executable: h})
	if err != nil {
		config, ok := e.optimizedConfig(err)
		if !ok {
			return err
		}
		partitions.NumPartitions = uintptr(config.Partitions)
	}
	var outputs capi.Call[capi.ExecutableNumOutputsArgs]
	outputs.Args.Executable = h
	var types capi.Call[capi.ExecutableOutputElementTypesArgs]
	types.Args.Executable = h
	typesErr := types.Do(e.table)
	if err := outputs.Do(e.table); err != nil {
		if optional(err) != nil {
			return err
		}
		outputs.Args.NumOutputs = types.Args.NumOutputTypes
		if typesErr != nil {
			shapes, ok := e.optimizedResults(typesErr)
			switch {
			case ok:
				results = len(shapes)
			case results == 0:
				return err
			}
			outputs.Args.NumOutputs = uintptr(results)
		}
	}
	e.name = capi.String(name.ExecutableName, name.ExecutableNameSize)
	e.numReplicas, e.numPartitions = int(replicas.NumReplicas), int(partitions.NumPartitions)
	e.numOutputs = int(outputs.Args.NumOutputs)
	for _, n := range []struct {
		f     *capi.Function
		count int
	}{{replicas.Function(), e.numReplicas}, {partitions.Function(), e.numPartitions}, {outputs.Function(), e.numOutputs}} {
		if n.count < 0 || n.count > maxCount {
			return misbehaved(n.f, "returned the impossible number %d", n.count)
		}
	}
	// The plugin writes that many results into memory of this process.
	if typesErr == nil && int(types.Args.NumOutputTypes) != e.numOutputs {
		return misbehaved(types.Function(), "gave the types of %d outputs of a program that has %d according to %s",
			types.Args.NumOutputTypes, e.numOutputs, outputs.Function().Name)
	}
	return nil
}

// maxCount is more replicas, partitions or outputs than any program has.
const maxCount = 1 << 24

var errNilExecutable = invalid("the executable is nil")

var errOnlyBytes = failed(ErrFailedPrecondition,
	"the executable was compiled in another process, so there is no object to ask here: load it into a client first (Client.Load)")

// missing reports whether e is nil or a zero Executable.
func (e *Executable) missing() bool { return e == nil || e.ref == nil && e.serialized == nil }

// acquire keeps the C object alive until e.ref.Release.
func (e *Executable) acquire() (*capi.Executable, error) {
	switch {
	case e.missing():
		return nil, errNilExecutable
	case e.ref == nil:
		return nil, errOnlyBytes
	}
	return e.ref.Acquire()
}

// Close destroys the executable, but keeps its name and counts (PJRT_Executable_Destroy).
func (e *Executable) Close() error {
	if e == nil {
		return nil
	}
	return e.ref.Close()
}

// String returns the name of the program and the number of its results.
func (e *Executable) String() string {
	if e.missing() {
		return "no executable"
	}
	return fmt.Sprintf("executable %q of %d results", e.name, e.numOutputs)
}

// Name returns the name of the program's MLIR module.
func (e *Executable) Name() string {
	if e == nil {
		return ""
	}
	return e.name
}

// NumReplicas returns how many copies of the program run on different data.
func (e *Executable) NumReplicas() int {
	if e == nil {
		return 0
	}
	return e.numReplicas
}

// NumPartitions returns how many devices share the work of each replica.
func (e *Executable) NumPartitions() int {
	if e == nil {
		return 0
	}
	return e.numPartitions
}

// NumOutputs returns how many results an execution has on one device.
func (e *Executable) NumOutputs() int {
	if e == nil {
		return 0
	}
	return e.numOutputs
}

// Parameters returns the shapes of the arguments on one device. They come from the
// optimized program or, if that fails and the program is not partitioned, from its text.
// If neither has them, the error is ErrUnimplemented.
func (e *Executable) Parameters() ([]Shape, error) {
	if e.missing() {
		return nil, errNilExecutable
	}
	shapes, err := e.parameters()
	return cloneShapes(shapes), err
}

// entry is what the optimized program states about its parameters.
type entry struct {
	parameters []Shape
	err        error          // of parameters
	donors     []bool         // which parameters the program may take the contents of; nil if unknown
	donates    bool           // there may be such a parameter; true if unknown
	layouts    []DeviceLayout // of the parameters; nil if unknown
	steady     bool           // each execution does the same work
}

// mayDonate reports whether the program may take the contents of the argument of parameter p.
func (e *entry) mayDonate(p int) bool {
	return e.donates && (e.donors == nil || e.donors[p])
}

// parameters is Parameters without a copy.
func (e *Executable) parameters() ([]Shape, error) {
	entry := e.entry()
	return entry.parameters, entry.err
}

func (e *Executable) readEntry() *entry {
	entry := e.optimizedEntry()
	if entry.err != nil && e.text != nil && e.numPartitions == 1 && !errors.Is(entry.err, ErrClosed) {
		entry.parameters, entry.err = e.text, nil
	}
	return entry
}

// optimizedEntry reads what it can from the optimized program.
func (e *Executable) optimizedEntry() *entry {
	known := &entry{donates: true}
	code, err := e.optimizedHLO()
	if err != nil {
		known.err = err
		return known
	}
	parameters, err := hlo.Parameters(code)
	if err != nil {
		known.err = err
		return known
	}
	known.parameters = parameters
	if layouts, err := hlo.ParameterLayouts(code); err == nil && len(layouts) == len(parameters) {
		for _, text := range layouts {
			known.layouts = append(known.layouts, parseDeviceLayout(text))
		}
	}
	if known.steady, err = hlo.Steady(code); err != nil {
		return known
	}
	if donors, err := hlo.Donors(code); err == nil && len(donors) == len(parameters) {
		known.donors, known.donates = donors, slices.Contains(donors, true)
	}
	return known
}

// optimizedHLO returns the optimized program as an HloModuleProto.
func (e *Executable) optimizedHLO() ([]byte, error) {
	program, err := e.OptimizedProgram()
	if err != nil {
		return nil, err
	}
	module, err := source.Module(program.Code, string(program.Format))
	if errors.Is(err, source.ErrNotHLO) {
		return nil, failed(ErrUnimplemented, "the parameters cannot be read from an optimized program in the format %q",
			string(program.Format))
	}
	return module, err
}

// optimizedConfig reads what the optimized program states about devices, if err says that
// the plugin lacks the function for it.
func (e *Executable) optimizedConfig(err error) (config hlo.Config, ok bool) {
	if optional(err) != nil {
		return hlo.Config{}, false
	}
	program, err := e.OptimizedProgram()
	if err != nil {
		return hlo.Config{}, false
	}
	config, err = source.Config(program.Code, string(program.Format))
	return config, err == nil
}

// optimizedResults reads the shapes of the results from the optimized program, if err says
// that the plugin lacks the functions for them.
func (e *Executable) optimizedResults(err error) (shapes []Shape, ok bool) {
	if optional(err) != nil {
		return nil, false
	}
	code, err := e.optimizedHLO()
	if err != nil {
		return nil, false
	}
	shapes, err = hlo.Results(code)
	return shapes, err == nil
}

// Outputs returns the shapes of the results on one device (PJRT_Executable_OutputElementTypes,
// PJRT_Executable_OutputDimensions), without these functions those of the optimized program.
func (e *Executable) Outputs() ([]Shape, error) {
	if e.missing() {
		return nil, errNilExecutable
	}
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
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var types capi.Call[capi.ExecutableOutputElementTypesArgs]
	types.Args.Executable = h
	var dims capi.Call[capi.ExecutableOutputDimensionsArgs]
	dims.Args.Executable = h
	err = types.Do(e.table)
	if err == nil {
		err = dims.Do(e.table)
	}
	if err != nil {
		if shapes, ok := e.optimizedResults(err); ok && len(shapes) == e.numOutputs {
			return shapes, nil
		}
		return nil, err
	}
	if n := types.Args.NumOutputTypes; n != dims.Args.NumOutputs {
		return nil, misbehaved(dims.Function(), "gave the types of %d outputs and the dimensions of %d", n, dims.Args.NumOutputs)
	}
	// The dimensions of all outputs are in one list.
	ranks := capi.Slice(dims.Args.DimSizes, dims.Args.NumOutputs)
	lists, ok := split(dims.Args.Dims, ranks)
	if !ok {
		return nil, misbehaved(dims.Function(), "says that the outputs have %d dimensions, but does not list them", ranks)
	}
	shapes := make([]Shape, len(lists))
	for i, t := range capi.Slice(types.Args.OutputTypes, types.Args.NumOutputTypes) {
		shapes[i] = Shape{Type: dtype.Type(t), Dims: lists[i]}
		if err := checkGiven(dims.Function(), shapes[i]); err != nil {
			return nil, err
		}
	}
	return shapes, nil
}

// maxProgram is more bytes than any program has.
const maxProgram = 1 << 36

// OptimizedProgram returns what the compiler made of the program
// (PJRT_Executable_OptimizedProgram), as a rule in the format hlo_with_config. It is for reading:
// compilers may refuse it, or end the process.
func (e *Executable) OptimizedProgram() (program Program, err error) {
	h, err := e.acquire()
	if err != nil {
		return Program{}, err
	}
	defer e.ref.Release()
	err = e.plugin.large.Do(func() (err error) {
		program, err = e.readOptimized(h)
		return err
	})
	return program, err
}

func (e *Executable) readOptimized(h *capi.Executable) (Program, error) {
	// The first of two calls passes no memory, and the plugin writes only the size.
	program := &capi.Program{StructSize: capi.ProgramSize}
	var c capi.Call[capi.ExecutableOptimizedProgramArgs]
	c.Args.Executable, c.Args.Program = h, program
	if err := c.Do(e.table); err != nil {
		return Program{}, err
	}
	size := program.CodeSize
	if size > maxProgram {
		return Program{}, misbehaved(c.Function(), "gave an optimized program of %d bytes", size)
	}
	code := make([]byte, size+1) // never empty: without an address the plugin writes only the size
	program.Code, _ = capi.BytesData(code)
	c.Args.Program = program
	if err := c.Do(e.table); err != nil {
		return Program{}, err
	}
	if program.CodeSize > size {
		return Program{}, misbehaved(c.Function(), "first gave an optimized program of %d bytes, and then one of %d",
			size, program.CodeSize)
	}
	format := Format(capi.String(program.Format, program.FormatSize))
	runtime.KeepAlive(code)
	return Program{Code: code[:program.CodeSize:program.CodeSize], Format: format}, nil
}

// Fingerprint returns bytes, not text, that are the same for equal programs, options and
// compilers, in any process (PJRT_Executable_Fingerprint). XLA's plugins for GPUs leave out
// constants.
func (e *Executable) Fingerprint() ([]byte, error) {
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.table, capi.ExecutableFingerprintArgs{Executable: h})
	if err != nil {
		return nil, err
	}
	if c.ExecutableFingerprintSize == 0 {
		return nil, misbehaved(c.Function(), "reported success but gave an empty fingerprint")
	}
	return capi.Bytes(c.ExecutableFingerprint, c.ExecutableFingerprintSize), nil
}

// CompileOptions returns the options of the compilation, as the plugin completed them
// (PJRT_Executable_GetCompileOptions, API 0.87).
func (e *Executable) CompileOptions() (*CompileOptions, error) {
	b, err := e.compileOptions()
	if err != nil {
		return nil, err
	}
	return DecodeCompileOptions(b)
}

func (e *Executable) compileOptions() ([]byte, error) {
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.table, capi.ExecutableGetCompileOptionsArgs{Executable: h})
	if err != nil {
		return nil, err
	}
	defer c.SerializedCompileOptionsDeleter.Call(c.SerializedCompileOptions)
	return capi.Bytes(c.SerializedBytes, c.SerializedBytesSize), nil
}
