// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "github.com/purepjrt/purepjrt/capi"

// GeneratedCodeSize returns the size of the machine code in bytes
// (PJRT_Executable_SizeOfGeneratedCodeInBytes), negative when the plugin does
// not know it.
func (e *Executable) GeneratedCodeSize() (int64, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return 0, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.ExecutableSizeOfGeneratedCodeInBytesArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return 0, err
	}
	return c.Args.SizeInBytes, nil
}

// CostAnalysis returns the compiler's estimates of what an execution costs
// (PJRT_Executable_GetCostAnalysis), under names such as flops and bytes
// accessed that depend on the platform.
func (e *Executable) CostAnalysis() ([]Attribute, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.ExecutableGetCostAnalysisArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return nil, err
	}
	return capi.Attributes(c.Args.Properties, c.Args.NumProperties), nil
}

// CompiledMemoryStats say how much memory an execution needs according to the
// compiler, in bytes per device. A plugin that is too old for a field leaves it
// 0.
type CompiledMemoryStats struct {
	// In the default memory of the device.
	GeneratedCode, Arguments, Outputs, Aliased, Temporary int64
	// In host memory.
	HostGeneratedCode, HostArguments, HostOutputs, HostAliased, HostTemporary int64
	// Peak is the highest use of device memory (API 0.72).
	Peak int64
	// Total is the device memory in total (API 0.90).
	Total int64
	// All allocations together, those that last longer than the execution, and
	// the highest use of the heap without padding (API 0.104).
	TotalAllocation, IndefiniteAllocation, PeakUnpaddedHeap int64
}

// MemoryStats returns how much memory an execution needs
// (PJRT_Executable_GetCompiledMemoryStats). Outputs include what is Aliased: the
// part of them that takes over memory of arguments.
func (e *Executable) MemoryStats() (CompiledMemoryStats, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return CompiledMemoryStats{}, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.ExecutableGetCompiledMemoryStatsArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return CompiledMemoryStats{}, err
	}
	a := &c.Args
	return CompiledMemoryStats{
		GeneratedCode: a.GeneratedCodeSizeInBytes, Arguments: a.ArgumentSizeInBytes, Outputs: a.OutputSizeInBytes,
		Aliased: a.AliasSizeInBytes, Temporary: a.TempSizeInBytes,
		HostGeneratedCode: a.HostGeneratedCodeSizeInBytes, HostArguments: a.HostArgumentSizeInBytes, HostOutputs: a.HostOutputSizeInBytes,
		HostAliased: a.HostAliasSizeInBytes, HostTemporary: a.HostTempSizeInBytes,
		Peak: a.PeakMemoryInBytes, Total: a.TotalSizeInBytes, TotalAllocation: a.TotalAllocationBytes,
		IndefiniteAllocation: a.IndefiniteAllocations, PeakUnpaddedHeap: a.PeakUnpaddedHeapBytes,
	}, nil
}

// OutputMemoryKinds returns for each result the kind of memory that it is put
// into (PJRT_Executable_OutputMemoryKinds), as Memory.Kind names it.
func (e *Executable) OutputMemoryKinds() ([]string, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.ExecutableOutputMemoryKindsArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return nil, err
	}
	return cStrings(c.Args.MemoryKinds, c.Args.MemoryKindSizes, c.Args.NumOutputs), nil
}

// ParameterMemoryKinds returns for each argument the kind of memory that it is
// expected in (PJRT_Executable_ParameterMemoryKinds, API 0.102).
func (e *Executable) ParameterMemoryKinds() ([]string, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.ExecutableParameterMemoryKindsArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return nil, err
	}
	return cStrings(c.Args.MemoryKinds, c.Args.MemoryKindSizes, c.Args.NumParameters), nil
}

// cStrings copies n texts.
func cStrings(texts **byte, sizes *uintptr, n uintptr) []string {
	if texts == nil || sizes == nil {
		return nil
	}
	lengths := capi.Slice(sizes, n)
	list := make([]string, n)
	for i, p := range capi.Slice(texts, n) {
		list[i] = capi.String(p, lengths[i])
	}
	return list
}
