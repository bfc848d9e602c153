// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "context"

// The methods of embedded pointers, which Go cannot reach through a nil pointer to the struct
// around them. TestMethodsOnNilAndZeroReceiversDoNotPanic finds those that are missing.

// program returns the embedded Executable, or nil.
func (e *LoadedExecutable) program() *Executable {
	if e == nil {
		return nil
	}
	return e.Executable
}

// CompileOptions is [Executable.CompileOptions].
func (e *LoadedExecutable) CompileOptions() (*CompileOptions, error) {
	return e.program().CompileOptions()
}

// CostAnalysis is [Executable.CostAnalysis].
func (e *LoadedExecutable) CostAnalysis() ([]Attribute, error) { return e.program().CostAnalysis() }

// Fingerprint is [Executable.Fingerprint].
func (e *LoadedExecutable) Fingerprint() ([]byte, error) { return e.program().Fingerprint() }

// GeneratedCodeSize is [Executable.GeneratedCodeSize].
func (e *LoadedExecutable) GeneratedCodeSize() (int64, error) { return e.program().GeneratedCodeSize() }

// MemoryStats is [Executable.MemoryStats].
func (e *LoadedExecutable) MemoryStats() (CompiledMemoryStats, error) {
	return e.program().MemoryStats()
}

// Name is [Executable.Name].
func (e *LoadedExecutable) Name() string { return e.program().Name() }

// NumOutputs is [Executable.NumOutputs].
func (e *LoadedExecutable) NumOutputs() int { return e.program().NumOutputs() }

// NumPartitions is [Executable.NumPartitions].
func (e *LoadedExecutable) NumPartitions() int { return e.program().NumPartitions() }

// NumReplicas is [Executable.NumReplicas].
func (e *LoadedExecutable) NumReplicas() int { return e.program().NumReplicas() }

// OptimizedProgram is [Executable.OptimizedProgram].
func (e *LoadedExecutable) OptimizedProgram() (Program, error) { return e.program().OptimizedProgram() }

// OutputLayouts is [Executable.OutputLayouts].
func (e *LoadedExecutable) OutputLayouts() ([]DeviceLayout, error) {
	return e.program().OutputLayouts()
}

// OutputMemoryKinds is [Executable.OutputMemoryKinds].
func (e *LoadedExecutable) OutputMemoryKinds() ([]string, error) {
	return e.program().OutputMemoryKinds()
}

// OutputShardings is [Executable.OutputShardings].
func (e *LoadedExecutable) OutputShardings() ([]Sharding, error) {
	return e.program().OutputShardings()
}

// Outputs is [Executable.Outputs].
func (e *LoadedExecutable) Outputs() ([]Shape, error) { return e.program().Outputs() }

// ParameterLayouts is [Executable.ParameterLayouts].
func (e *LoadedExecutable) ParameterLayouts() ([]DeviceLayout, error) {
	return e.program().ParameterLayouts()
}

// ParameterMemoryKinds is [Executable.ParameterMemoryKinds].
func (e *LoadedExecutable) ParameterMemoryKinds() ([]string, error) {
	return e.program().ParameterMemoryKinds()
}

// ParameterShardings is [Executable.ParameterShardings].
func (e *LoadedExecutable) ParameterShardings() ([]Sharding, error) {
	return e.program().ParameterShardings()
}

// Parameters is [Executable.Parameters].
func (e *LoadedExecutable) Parameters() ([]Shape, error) { return e.program().Parameters() }

// Serialize is [Executable.Serialize].
func (e *LoadedExecutable) Serialize(ctx context.Context) ([]byte, error) {
	return e.program().Serialize(ctx)
}
