// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// cTables are the arrays that the functions of an executable hand out.
type cTables struct {
	types      []capi.BufferType
	dims       []int64
	ranks      []uintptr
	kinds      []*byte
	kindSizes  []uintptr
	inputKinds []*byte
	inputSizes []uintptr
	cost       *capi.NamedValues

	layouts                     sync.Once
	outputLayouts, inputLayouts []*capi.LayoutsMemoryLayout // made by layouts
}

// fill makes the arrays. They are never empty, because some callers need an address.
func (t *cTables) fill(e *executable) error {
	t.dims, t.ranks, t.types = make([]int64, 0, 1), make([]uintptr, 0, 1), make([]capi.BufferType, 0, 1)
	for _, s := range e.results {
		t.types = append(t.types, capi.BufferType(s.Type))
		t.dims = append(t.dims, s.Dims...)
		t.ranks = append(t.ranks, uintptr(len(s.Dims)))
	}
	for _, k := range e.resultKinds {
		p, n := text(k)
		t.kinds, t.kindSizes = append(t.kinds, p), append(t.kindSizes, n)
	}
	for _, k := range e.parameterKinds {
		p, n := text(k)
		t.inputKinds, t.inputSizes = append(t.inputKinds, p), append(t.inputSizes, n)
	}
	in, out, _ := e.sizes()
	var err error
	t.cost, err = capi.NewNamedValues(merge([]capi.Attribute{{Name: "bytes accessed", Value: float32(in + out)}}, e.program.Cost))
	if err != nil {
		return invalid("the cost of the program: %v", err)
	}
	return nil
}

// sizes returns the bytes of the arguments and of the results on one device, and how many
// bytes the results take over from arguments.
func (e *executable) sizes() (in, out, aliased int64) {
	for i, s := range e.parameters {
		in += deviceSize(s)
		if c, ok := e.consumed[i]; ok && c.result >= 0 {
			aliased += min(deviceSize(s), deviceSize(e.results[c.result]))
		}
	}
	for _, s := range e.results {
		out += deviceSize(s)
	}
	return in, out, aliased
}

// handle makes a handle for an executable.
func (e *executable) handle() *capi.Executable {
	e.handles.Add(1)
	return makeHandle[capi.Executable](e.p, e, true)
}

// drop notes the end of a handle.
func (e *executable) drop() {
	if e.handles.Add(-1) == 0 {
		e.dropLayouts()
	}
}

func (p *Plugin) executableDestroy(a *capi.ExecutableDestroyArgs) error {
	return destroy(p, a.Executable, (*executable).drop)
}

func (p *Plugin) executableName(a *capi.ExecutableNameArgs) error {
	return with(p, a.Executable, func(e *executable) { a.ExecutableName, a.ExecutableNameSize = text(e.name) })
}

func (p *Plugin) executableNumReplicas(a *capi.ExecutableNumReplicasArgs) error {
	return with(p, a.Executable, func(e *executable) { a.NumReplicas = uintptr(e.replicas) })
}

func (p *Plugin) executableNumPartitions(a *capi.ExecutableNumPartitionsArgs) error {
	return with(p, a.Executable, func(e *executable) { a.NumPartitions = uintptr(e.partitions) })
}

func (p *Plugin) executableNumOutputs(a *capi.ExecutableNumOutputsArgs) error {
	return with(p, a.Executable, func(e *executable) { a.NumOutputs = uintptr(len(e.results)) })
}

func (p *Plugin) executableSizeOfGeneratedCodeInBytes(a *capi.ExecutableSizeOfGeneratedCodeInBytesArgs) error {
	return with(p, a.Executable, func(e *executable) { a.SizeInBytes = int64(len(e.code)) })
}

func (p *Plugin) executableFingerprint(a *capi.ExecutableFingerprintArgs) error {
	return with(p, a.Executable, func(e *executable) {
		a.ExecutableFingerprint, a.ExecutableFingerprintSize = text(e.fingerprint)
	})
}

func (p *Plugin) executableGetCostAnalysis(a *capi.ExecutableGetCostAnalysisArgs) error {
	return with(p, a.Executable, func(e *executable) { a.Properties, a.NumProperties = e.tables.cost.Data() })
}

func (p *Plugin) executableGetCompiledMemoryStats(a *capi.ExecutableGetCompiledMemoryStatsArgs) error {
	e, err := find[*executable](p, a.Executable)
	if err != nil {
		return err
	}
	in, out, aliased := e.sizes()
	usual := e.p.opts.Memories[0].Kind
	var hostIn, hostOut int64
	for i, k := range e.resultKinds {
		if k != usual {
			hostOut += deviceSize(e.results[i])
		}
	}
	for i, k := range e.parameterKinds {
		if k != usual {
			hostIn += deviceSize(e.parameters[i])
		}
	}
	total := in + out - aliased
	device := total - hostIn - hostOut
	*a = capi.ExecutableGetCompiledMemoryStatsArgs{
		StructSize: a.StructSize, ExtensionStart: a.ExtensionStart, Executable: a.Executable,
		GeneratedCodeSizeInBytes: int64(len(e.code)),
		ArgumentSizeInBytes:      in - hostIn,
		OutputSizeInBytes:        out - hostOut,
		AliasSizeInBytes:         aliased,
		HostArgumentSizeInBytes:  hostIn,
		HostOutputSizeInBytes:    hostOut,
		PeakMemoryInBytes:        device,
		TotalSizeInBytes:         total,
		TotalAllocationBytes:     total,
		PeakUnpaddedHeapBytes:    device,
	}
	return nil
}

func (p *Plugin) executableOutputElementTypes(a *capi.ExecutableOutputElementTypesArgs) error {
	return with(p, a.Executable, func(e *executable) {
		a.OutputTypes, a.NumOutputTypes = first(e.tables.types), uintptr(len(e.results))
	})
}

func (p *Plugin) executableOutputDimensions(a *capi.ExecutableOutputDimensionsArgs) error {
	return with(p, a.Executable, func(e *executable) {
		a.NumOutputs = uintptr(len(e.results))
		a.Dims, a.DimSizes = first(e.tables.dims), first(e.tables.ranks)
	})
}

// first returns the address of the array's memory, even if the array is empty.
func first[T any](s []T) *T { return &s[:1][0] }

func (p *Plugin) executableOutputMemoryKinds(a *capi.ExecutableOutputMemoryKindsArgs) error {
	return with(p, a.Executable, func(e *executable) {
		a.MemoryKinds, a.NumOutputs = list(e.tables.kinds)
		a.MemoryKindSizes, _ = list(e.tables.kindSizes)
	})
}

func (p *Plugin) executableParameterMemoryKinds(a *capi.ExecutableParameterMemoryKindsArgs) error {
	return with(p, a.Executable, func(e *executable) {
		a.MemoryKinds, a.NumParameters = list(e.tables.inputKinds)
		a.MemoryKindSizes, _ = list(e.tables.inputSizes)
	})
}

func (p *Plugin) executableOptimizedProgram(a *capi.ExecutableOptimizedProgramArgs) error {
	e, err := find[*executable](p, a.Executable)
	if err != nil {
		return err
	}
	if _, err := read(a.Program, "PJRT_Program", capi.ProgramSize); err != nil {
		return err
	}
	given := a.Program
	if given.Code != nil {
		if given.CodeSize < uintptr(len(e.code)) {
			return invalid("the program has %d bytes, but there is room for %d", len(e.code), given.CodeSize)
		}
		copy(elements(given.Code, given.CodeSize), e.code)
	}
	given.CodeSize = uintptr(len(e.code))
	given.Format, given.FormatSize = text(string(e.format))
	return nil
}

func (p *Plugin) executableGetCompileOptions(a *capi.ExecutableGetCompileOptionsArgs) error {
	e, err := find[*executable](p, a.Executable)
	if err != nil {
		return err
	}
	b := slices.Clone(e.options)
	a.SerializedBytes, a.SerializedBytesSize = list(b)
	a.SerializedCompileOptions = makeHandle[capi.SerializedCompileOptions](p, b, true)
	a.SerializedCompileOptionsDeleter = capi.ExecutableGetCompileOptionsArgsSerializedCompileOptionsDeleter(deleter())
	return nil
}

// executableForm is the contents of a serialized executable.
type executableForm struct {
	Platform, Version string
	Format            string
	Code, Options     []byte
}

func (p *Plugin) executableSerialize(a *capi.ExecutableSerializeArgs) error {
	e, err := find[*executable](p, a.Executable)
	if err != nil {
		return err
	}
	b := seal(executableMagic, executableForm{p.opts.PlatformName, p.opts.PlatformVersion, string(e.format), e.code, e.options})
	a.SerializedBytes, a.SerializedBytesSize = list(b)
	a.SerializedExecutable = makeHandle[capi.SerializedExecutable](p, b, true)
	a.SerializedExecutableDeleter = capi.ExecutableSerializeArgsSerializedExecutableDeleter(deleter())
	return nil
}
