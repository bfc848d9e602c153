// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// compiled is the result of a compilation. The check owns both handles.
type compiled struct {
	executable *capi.Executable
	loaded     *capi.LoadedExecutable // nil when it was compiled for a topology alone
}

// compiler compiles for the client, or for a topology.
type compiler struct {
	topology *capi.TopologyDescription // nil for the client
	client   *capi.Client              // passed on when compiling for a topology
}

// onClient compiles with PJRT_Client_Compile.
var onClient compiler

// try compiles a program with serialized options.
func (k compiler) try(t *check.T, p *capi.Program, o []byte) (*compiled, error) {
	if k.topology == nil {
		loaded, err := tryFormat(t, t.Client(), p, o)
		if err != nil {
			return nil, err
		}
		return &compiled{t.Executable(loaded), loaded}, nil
	}
	args := capi.CompileArgs{Topology: k.topology, Program: p, Client: k.client}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(o)
	out, err := check.Try(t, args)
	if err != nil {
		t.NeedsText(p, err)
		return nil, err
	}
	if out.Executable == nil {
		t.Fatalf("PJRT_Compile: success without an executable")
	}
	return &compiled{executable: check.Own(t, out.Executable)}, nil
}

// tryText compiles a StableHLO text.
func (k compiler) tryText(t *check.T, text string, o options) (*compiled, error) {
	return k.try(t, t.Program("mlir", text), o.bytes())
}

// text compiles a StableHLO text that must compile.
func (k compiler) text(t *check.T, text string, o options) *compiled {
	e, err := k.tryText(t, text, o)
	if err != nil {
		t.Fatalf("%s: expected success, got %v", k.function(), err)
	}
	return e
}

// function is the name of the C function that compiles.
func (k compiler) function() string {
	if k.topology == nil {
		return "PJRT_Client_Compile"
	}
	return "PJRT_Compile"
}

// drop destroys what was compiled.
func (e *compiled) drop(t *check.T) {
	check.Destroy(t, e.executable)
	if e.loaded != nil {
		check.Destroy(t, e.loaded)
	}
}

// both makes two checks out of one: on the client, and ahead of time for a topology.
func both(c check.Check, run func(*check.T, compiler)) []check.Check {
	client, ahead := c, c
	client.Run = func(t *check.T) { run(t, onClient) }
	ahead.Variant, ahead.Library = "aot", true
	if c.Variant != "" {
		ahead.Variant = c.Variant + "-aot"
	}
	ahead.Run = func(t *check.T) { run(t, aheadOfTime(t)) }
	return []check.Check{client, ahead}
}

// someTopology returns the topology of the environment or, if it has none, the client's.
func someTopology(t *check.T) *capi.TopologyDescription {
	env := t.Env()
	if env.Topology == "" && len(env.TopologyOptions) == 0 {
		if env.NoDevice != "" {
			t.SkipEnvf("there is no client (%s), and the options name no topology", env.NoDevice)
		}
		return check.Optional(t, capi.ClientTopologyDescriptionArgs{Client: t.Client().Handle}).Topology
	}
	var args capi.TopologyDescriptionCreateArgs
	args.TopologyName, args.TopologyNameSize = capi.StringData(env.Topology)
	args.CreateOptions, args.NumOptions = t.NamedValues(env.TopologyOptions...)
	topology := check.Optional(t, args).Topology
	if topology == nil {
		t.Fatalf("PJRT_TopologyDescription_Create: success without a topology")
	}
	return check.Own(t, topology)
}

// aheadOfTime returns the compiler for a topology. It skips the check when nothing compiles
// for topologies: only one check, CMP-19, reports that.
func aheadOfTime(t *check.T) compiler {
	k := compiler{topology: someTopology(t)}
	_, err := k.tryText(t, check.AddOne, options{})
	if err != nil && t.Rule().ID == "CMP-01" && t.Env().NoText != "" {
		return k // it sends text, which is what the check is about
	}
	if err != nil {
		skipWithoutCompiler(t, err)
		t.SkipEnvf("no program compiles for the topology; see CMP-19/aot: %s", firstLine(err.Error()))
	}
	return k
}

var aheadChecks = []check.Check{
	{Rule: "CMP-19", Run: func(t *check.T) {
		// This may be the topology of a device that the process has.
		c := t.Client()
		topology := check.Optional(t, capi.ClientTopologyDescriptionArgs{Client: c.Handle}).Topology
		k := compiler{topology: topology}
		e, err := k.tryText(t, check.AddOne, options{})
		// Either code says that the plugin has no compiler for topologies.
		skipWithoutCompiler(t, err)
		if !t.NoError(err, "PJRT_Compile for the topology of the client") {
			return
		}
		check.Equal(t, 1, numOutputs(t, e.executable), "PJRT_Executable_NumOutputs of a program compiled for a topology")
		runsAddOne(t, c, load(t, c, e.executable, nil), "a program compiled for a topology and loaded")
	}},
	{Rule: "CMP-19", Variant: "aot", Library: true, Run: func(t *check.T) {
		k := compiler{topology: someTopology(t)}
		e, err := k.tryText(t, check.AddOne, options{})
		if err != nil {
			skipWithoutCompiler(t, err)
			t.Fatalf("PJRT_Compile of a small program: expected success, got %v", err)
		}
		check.Equal(t, 1, numOutputs(t, e.executable), "PJRT_Executable_NumOutputs of a program compiled for a topology")
	}},
	{Rule: "CMP-20", Library: true, Hostile: true, Run: func(t *check.T) {
		k := compiler{topology: someTopology(t)}
		if _, err := k.tryText(t, check.AddOne, options{}); err == nil {
			return
		} else if t.Env().NoDevice != "" {
			skipWithoutCompiler(t, err)
			t.Errorf("PJRT_Compile with client null: expected success, got %v", err)
		} else {
			// A second attempt with a client shows whether null is the reason.
			k.client = t.Client().Handle
			if _, other := k.tryText(t, check.AddOne, options{}); other != nil {
				skipWithoutCompiler(t, other)
			}
			t.Errorf("PJRT_Compile with client null: expected success, as with a client, got %v", err)
		}
	}},
	{Rule: "CMP-21", Library: true, Hostile: true, Run: func(t *check.T) {
		k := aheadOfTime(t)
		for _, o := range []options{
			{assignment: [][]int{{54321}}},
			{replicas: 2, assignment: [][]int{{0}, {54321}}},
		} {
			_, err := k.tryText(t, check.AddOne, o)
			t.ErrorCode(err, fmt.Sprintf("PJRT_Compile with the device assignment %v, which is not in the topology", o.assignment))
		}
	}},
	{Rule: "CMP-22", Library: true, Run: func(t *check.T) {
		k := aheadOfTime(t)
		s, err := check.Try(t, capi.TopologyDescriptionSerializeArgs{Topology: k.topology})
		if err != nil {
			t.SkipUnimplf("the topology cannot be serialized: %v", err)
		}
		bytes := capi.Bytes(s.SerializedBytes, s.SerializedBytesSize)
		s.SerializedTopologyDeleter.Call(s.SerializedTopology)
		var args capi.TopologyDescriptionDeserializeArgs
		args.SerializedTopology, args.SerializedTopologySize = capi.BytesData(bytes)
		d, err := check.Try(t, args)
		if err != nil {
			t.SkipUnimplf("the topology cannot be deserialized: %v", err)
		}
		again := compiler{topology: check.Own(t, d.Topology)}
		a, b := k.text(t, check.AddOne, options{}), again.text(t, check.AddOne, options{})
		first, second := fingerprint(t, a.executable), fingerprint(t, b.executable)
		check.Equal(t, first, second, "fingerprint of a program compiled for a topology and for a copy of it that was serialized")
		check.Equal(t, numOutputs(t, a.executable), numOutputs(t, b.executable), "number of outputs of both")
	}},
}

// skipWithoutCompiler skips the check when the plugin does not compile for topologies, or
// lacks something that it needs for that on this machine.
func skipWithoutCompiler(t *check.T, err error) {
	switch capi.CodeOf(err) {
	case capi.ErrorCodeUnimplemented, capi.ErrorCodeNotFound:
		t.SkipUnimplf("the plugin does not compile for topologies: %s", firstLine(err.Error()))
	case capi.ErrorCodeUnavailable:
		t.SkipEnvf("the plugin cannot compile here: %s", firstLine(err.Error()))
	}
}

// load turns an executable into one that runs, with serialized compile options.
func load(t *check.T, c *check.Client, e *capi.Executable, o []byte) *capi.LoadedExecutable {
	args := capi.ClientLoadArgs{Client: c.Handle, Executable: e}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(o)
	exe := check.Call(t, args).LoadedExecutable
	if exe == nil {
		t.Fatalf("PJRT_Client_Load: success without an executable")
	}
	return check.Own(t, exe)
}

func numOutputs(t *check.T, e *capi.Executable) int {
	return int(check.Call(t, capi.ExecutableNumOutputsArgs{Executable: e}).NumOutputs)
}

// fingerprint returns a copy of an executable's fingerprint. It skips the check when the
// plugin makes none.
func fingerprint(t *check.T, e *capi.Executable) string {
	out := check.Optional(t, capi.ExecutableFingerprintArgs{Executable: e})
	return capi.String(out.ExecutableFingerprint, out.ExecutableFingerprintSize)
}
