// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"

	"github.com/purepjrt/purepjrt/capi"
)

// GeneratedCodeSize returns the size of the machine code in bytes, negative if unknown
// (PJRT_Executable_SizeOfGeneratedCodeInBytes).
func (e *Executable) GeneratedCodeSize() (int64, error) {
	h, err := e.acquire()
	if err != nil {
		return 0, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.table, capi.ExecutableSizeOfGeneratedCodeInBytesArgs{Executable: h})
	if err != nil {
		return 0, err
	}
	return c.SizeInBytes, nil
}

// CostAnalysis returns the compiler's estimate of the cost of an execution, under the platform's
// names, such as flops (PJRT_Executable_GetCostAnalysis). Where the plugin counts nothing, as XLA's
// for CPUs of API 0.106 and 0.115, the error is ErrUnimplemented, and hlo.Module.Cost counts.
func (e *Executable) CostAnalysis() ([]Attribute, error) {
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.table, capi.ExecutableGetCostAnalysisArgs{Executable: h})
	if err != nil {
		return nil, withoutCosts(err)
	}
	return capi.Attributes(c.Properties, c.NumProperties), nil
}

// withoutCosts adds to the error of a plugin that counts no costs what to do instead.
func withoutCosts(err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Code != ErrUnimplemented {
		return err
	}
	return advised(e, "the plugin counts no costs; Module.Cost of package pjrt/hlo counts those of what OptimizedProgram returns")
}

// CompiledMemoryStats is the compiler's estimate of the memory for an execution, in bytes
// per device. A field that is newer than the plugin is 0.
type CompiledMemoryStats struct {
	// In the default memory of the device. Outputs include Aliased, the part of them that
	// reuses memory of arguments.
	GeneratedCode, Arguments, Outputs, Aliased, Temporary int64
	// In the memory of the host.
	HostGeneratedCode, HostArguments, HostOutputs, HostAliased, HostTemporary int64

	Peak                 int64 // highest use of device memory (API 0.72)
	Total                int64 // device memory in total (API 0.90)
	TotalAllocation      int64 // all allocations together (API 0.104)
	IndefiniteAllocation int64 // allocations that outlast the execution (API 0.104)
	PeakUnpaddedHeap     int64 // highest use of the heap, without padding (API 0.104)
}

// Required returns Arguments + Outputs + Temporary - Aliased, the device memory that an execution
// needs beside other programs. Old plugins, which have no Total, know it too.
func (s CompiledMemoryStats) Required() int64 {
	return s.Arguments + s.Outputs + s.Temporary - s.Aliased
}

// MemoryStats estimates an execution's memory (PJRT_Executable_GetCompiledMemoryStats).
func (e *Executable) MemoryStats() (CompiledMemoryStats, error) {
	h, err := e.acquire()
	if err != nil {
		return CompiledMemoryStats{}, err
	}
	defer e.ref.Release()
	a, err := capi.Do(e.table, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: h})
	if err != nil {
		return CompiledMemoryStats{}, err
	}
	return CompiledMemoryStats{
		GeneratedCode: a.GeneratedCodeSizeInBytes, Arguments: a.ArgumentSizeInBytes, Outputs: a.OutputSizeInBytes,
		Aliased: a.AliasSizeInBytes, Temporary: a.TempSizeInBytes,
		HostGeneratedCode: a.HostGeneratedCodeSizeInBytes, HostArguments: a.HostArgumentSizeInBytes, HostOutputs: a.HostOutputSizeInBytes,
		HostAliased: a.HostAliasSizeInBytes, HostTemporary: a.HostTempSizeInBytes,
		Peak: a.PeakMemoryInBytes, Total: a.TotalSizeInBytes, TotalAllocation: a.TotalAllocationBytes,
		IndefiniteAllocation: a.IndefiniteAllocations, PeakUnpaddedHeap: a.PeakUnpaddedHeapBytes,
	}, nil
}

// OutputMemoryKinds returns the Memory.Kind of each result
// (PJRT_Executable_OutputMemoryKinds).
func (e *Executable) OutputMemoryKinds() ([]string, error) {
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.table, capi.ExecutableOutputMemoryKindsArgs{Executable: h})
	if err != nil {
		return nil, err
	}
	return cStrings(c.MemoryKinds, c.MemoryKindSizes, c.NumOutputs), nil
}

// ParameterMemoryKinds returns the Memory.Kind that each argument must be in
// (PJRT_Executable_ParameterMemoryKinds, API 0.102).
func (e *Executable) ParameterMemoryKinds() ([]string, error) {
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.table, capi.ExecutableParameterMemoryKindsArgs{Executable: h})
	if err != nil {
		return nil, err
	}
	return cStrings(c.MemoryKinds, c.MemoryKindSizes, c.NumParameters), nil
}

// cStrings copies n texts into Go. It returns nil if the plugin gave no list.
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
