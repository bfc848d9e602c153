// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package tpu

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// TargetArguments returns what an executable was compiled for
// (PJRT_TpuExecutable_GetTargetArguments), a message that [CostAnalysis] takes.
func TargetArguments(p *pjrt.Plugin, executable []byte) ([]byte, error) {
	code, err := codeOf(p, executable)
	if err != nil {
		return nil, err
	}
	var c capi.Call[capi.TPUExecutableGetTargetArgumentsArgs]
	c.Args.SerializedExecutable, c.Args.SerializedExecutableSize = capi.BytesData(code)
	if err := c.Do(raw.Table(p)); err != nil {
		return nil, err
	}
	defer c.Args.TargetArgumentsDeleter.Call(c.Args.TargetArgumentsPtr)
	return capi.Bytes(c.Args.TargetArguments, c.Args.TargetArgumentsSize), nil
}

// Program returns the optimized program of an executable
// (PJRT_TpuExecutable_GetHloModuleWithConfig).
func Program(p *pjrt.Plugin, executable []byte) (pjrt.Program, error) {
	code, err := codeOf(p, executable)
	if err != nil {
		return pjrt.Program{}, err
	}
	var c capi.Call[capi.TPUExecutableGetHLOModuleWithConfigArgs]
	c.Args.SerializedExecutable, c.Args.SerializedExecutableSize = capi.BytesData(code)
	if err := c.Do(raw.Table(p)); err != nil {
		return pjrt.Program{}, err
	}
	defer c.Args.HLOModuleWithConfigDeleter.Call(c.Args.HLOModuleWithConfigPtr)
	return pjrt.Program{
		Code: capi.Bytes(c.Args.HLOModuleWithConfig, c.Args.HLOModuleWithConfigSize), Format: pjrt.FormatHLOWithConfig,
	}, nil
}

// MemoryStats returns how much memory an executable needs, a serialized
// CompiledMemoryStatsProto (PJRT_TpuExecutable_GetCompiledMemoryStats, API 0.97).
// Executable.MemoryStats of package pjrt has the same numbers for one that is not serialized.
func MemoryStats(p *pjrt.Plugin, executable []byte) ([]byte, error) {
	code, err := codeOf(p, executable)
	if err != nil {
		return nil, err
	}
	var c capi.Call[capi.TPUExecutableGetCompiledMemoryStatsArgs]
	c.Args.SerializedExecutable, c.Args.SerializedExecutableSize = capi.BytesData(code)
	if err := c.Do(raw.Table(p)); err != nil {
		return nil, err
	}
	defer c.Args.CompiledMemoryStatsDeleter.Call(c.Args.CompiledMemoryStatsPtr)
	return capi.Bytes(c.Args.CompiledMemoryStats, c.Args.CompiledMemoryStatsSize), nil
}

// CostAnalysis returns the estimated cost of programs under the plugin's names, such as flops
// (PJRT_TpuExecutable_RunHloCostAnalysis, API 0.97). target is what [TargetArguments] returns,
// and programs are what [Program] returns.
func CostAnalysis(p *pjrt.Plugin, target []byte, programs ...pjrt.Program) ([]pjrt.Attribute, error) {
	if p == nil {
		return nil, errNilPlugin
	}
	if len(target) == 0 && extensions.Supported(p, capi.ExtensionTypeTPUExecutable) {
		return nil, pjrt.ErrInvalidArgument.Errorf("the target arguments are empty: take those that TargetArguments returns")
	}
	if len(programs) == 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("there is no program to analyse")
	}
	code, sizes := make([]*byte, len(programs)), make([]uintptr, len(programs))
	for i, program := range programs {
		if program.Format != pjrt.FormatHLOWithConfig || len(program.Code) == 0 {
			return nil, pjrt.ErrInvalidArgument.Errorf("program %d has the format %q and %d bytes: take one that Program returned",
				i, program.Format, len(program.Code))
		}
		code[i], sizes[i] = capi.BytesData(program.Code)
	}
	var c capi.Call[capi.TPUExecutableRunHLOCostAnalysisArgs]
	c.Args.TargetArguments, c.Args.TargetArgumentsSize = capi.BytesData(target)
	c.Args.HLOModule, c.Args.HLOModuleSize, c.Args.NumHLOModules = &code[0], &sizes[0], uintptr(len(programs))
	if err := c.Do(raw.Table(p)); err != nil {
		return nil, err
	}
	defer c.Args.AnalysisResultsDeleter.Call(c.Args.AnalysisResultsPtr)
	return capi.Attributes(c.Args.AnalysisResults, c.Args.NumAnalysisResults), nil
}

// CompilationEnvironments completes a serialized CompilationEnvironmentsProto with the settings
// for TPUs (PJRT_TpuExecutable_SetTpuCompilationEnv, API 0.97). nil asks for the defaults.
func CompilationEnvironments(p *pjrt.Plugin, environments []byte) ([]byte, error) {
	if p == nil {
		return nil, errNilPlugin
	}
	var c capi.Call[capi.TPUExecutableSetTPUCompilationEnvArgs]
	c.Args.SerializedCompilationEnvironments, c.Args.SerializedCompilationEnvironmentsSize = capi.BytesData(environments)
	if err := c.Do(raw.Table(p)); err != nil {
		return nil, err
	}
	defer c.Args.ResultCompilationEnvironmentsDeleter.Call(c.Args.ResultCompilationEnvironmentsPtr)
	return capi.Bytes(c.Args.ResultCompilationEnvironments, c.Args.ResultCompilationEnvironmentsSize), nil
}

// Setting returns one setting of compilation environments as text
// (PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString, API 0.97).
func Setting(p *pjrt.Plugin, environments []byte, name string) (string, error) {
	if p == nil {
		return "", errNilPlugin
	}
	if name == "" {
		return "", pjrt.ErrInvalidArgument.Errorf("the setting has no name")
	}
	var c capi.Call[capi.TPUExecutableGetTPUCompilationEnvFieldAsStringArgs]
	c.Args.SerializedCompilationEnvironments, c.Args.SerializedCompilationEnvironmentsSize = capi.BytesData(environments)
	c.Args.FieldName, c.Args.FieldNameSize = capi.StringData(name)
	if err := c.Do(raw.Table(p)); err != nil {
		return "", err
	}
	defer c.Args.FieldValueDeleter.Call(c.Args.FieldValuePtr)
	return capi.String(c.Args.FieldValue, c.Args.FieldValueSize), nil
}

// IsPredetermined reports whether a serialized status stands for an error that was bound to
// happen, whatever the devices did (PJRT_TpuExecutable_IsTpuPredeterminedError, API 0.98).
func IsPredetermined(p *pjrt.Plugin, status []byte) (bool, error) {
	if p == nil {
		return false, errNilPlugin
	}
	var c capi.Call[capi.TPUExecutableIsTPUPredeterminedErrorArgs]
	c.Args.SerializedStatus, c.Args.SerializedStatusSize = capi.BytesData(status)
	err := c.Do(raw.Table(p))
	return c.Args.IsPredetermined, err
}

// IsCancellationPlaceholder reports whether a serialized status only stands in for the status
// of another worker, whose failure cancelled this one
// (PJRT_TpuExecutable_IsTpuCancellationPlaceholderError, API 0.114).
func IsCancellationPlaceholder(p *pjrt.Plugin, status []byte) (bool, error) {
	if p == nil {
		return false, errNilPlugin
	}
	var c capi.Call[capi.TPUExecutableIsTPUCancellationPlaceholderErrorArgs]
	c.Args.SerializedStatus, c.Args.SerializedStatusSize = capi.BytesData(status)
	err := c.Do(raw.Table(p))
	return c.Args.IsCancellationPlaceholder, err
}

var errNilPlugin = pjrt.ErrInvalidArgument.Errorf("the plugin is nil")

// codeOf returns the plugin's own part of a serialized executable.
func codeOf(p *pjrt.Plugin, executable []byte) ([]byte, error) {
	if p == nil {
		return nil, errNilPlugin
	}
	if compile.IsExecutable(executable) {
		e, err := compile.Decode(executable)
		if err != nil {
			return nil, pjrt.ErrInvalidArgument.Errorf("the executable cannot be read: %v", err)
		}
		executable = e.Code
	}
	if len(executable) == 0 && extensions.Supported(p, capi.ExtensionTypeTPUExecutable) {
		return nil, pjrt.ErrInvalidArgument.Errorf("the executable has no bytes")
	}
	return executable, nil
}
