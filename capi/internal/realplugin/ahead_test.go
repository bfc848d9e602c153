// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot || skew

package realplugin_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// topologyArgs returns the arguments that make a topology.
func topologyArgs(t testing.TB, name string, options ...capi.Attribute) (capi.TopologyDescriptionCreateArgs, *capi.NamedValues) {
	t.Helper()
	v, err := capi.NewNamedValues(options)
	require.NoError(t, err)
	var args capi.TopologyDescriptionCreateArgs
	args.TopologyName, args.TopologyNameSize = capi.StringData(name)
	args.CreateOptions, args.NumOptions = v.Data()
	return args, v
}

// topology makes a topology, which is destroyed at the end of the test.
func (p *plugin) topology(t testing.TB, name string, options ...capi.Attribute) *capi.TopologyDescription {
	t.Helper()
	args, v := topologyArgs(t, name, options...)
	topology := do(t, p, args).Topology
	runtime.KeepAlive(v)
	t.Cleanup(func() { do(t, p, capi.TopologyDescriptionDestroyArgs{Topology: topology}) })
	return topology
}

// compileFor returns the arguments that compile a program for a topology.
func compileFor(topology *capi.TopologyDescription, text string, options []byte) capi.CompileArgs {
	args := capi.CompileArgs{Topology: topology, Program: program(text)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(options)
	return args
}

// compileAhead compiles a program for a topology. The executable is destroyed at the end of the
// test.
func (p *plugin) compileAhead(t testing.TB, topology *capi.TopologyDescription, text string, options []byte) *capi.Executable {
	t.Helper()
	e := do(t, p, compileFor(topology, text, options)).Executable
	t.Cleanup(func() { do(t, p, capi.ExecutableDestroyArgs{Executable: e}) })
	return e
}

// serialize returns an executable as bytes.
func (p *plugin) serialize(t testing.TB, e *capi.Executable) []byte {
	t.Helper()
	s := do(t, p, capi.ExecutableSerializeArgs{Executable: e})
	defer s.SerializedExecutableDeleter.Call(s.SerializedExecutable)
	return capi.Bytes(s.SerializedBytes, s.SerializedBytesSize)
}

// optimized returns the optimized program of an executable and its format.
func (p *plugin) optimized(t testing.TB, e *capi.Executable) (code []byte, format string) {
	t.Helper()
	program := &capi.Program{StructSize: capi.ProgramSize}
	do(t, p, capi.ExecutableOptimizedProgramArgs{Executable: e, Program: program})
	code = make([]byte, program.CodeSize)
	program.Code, _ = first(code)
	do(t, p, capi.ExecutableOptimizedProgramArgs{Executable: e, Program: program})
	return code, raw(program.Format, program.FormatSize)
}
