// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package extension checks the rules of the extensions that a plugin may have: the
// groups whose names begin with X, but for that of the chain, which package
// library looks at.
package extension

import (
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Checks returns the checks of this package, group by group.
func Checks() []check.Check {
	return slices.Concat(
		of(capi.ExtensionTypeLayouts, layoutChecks),
		of(capi.ExtensionTypeMemoryDescriptions, memoryDescriptionChecks),
		of(capi.ExtensionTypeFFI, ffiChecks),
		of(capi.ExtensionTypeGPUCustomCall, gpuChecks),
		of(capi.ExtensionTypeProfiler, profilerChecks),
		of(capi.ExtensionTypeStream, streamChecks),
		of(capi.ExtensionTypeTriton, tritonChecks),
		of(capi.ExtensionTypeRawBuffer, rawBufferChecks),
		of(capi.ExtensionTypePhaseCompile, phaseChecks),
		of(capi.ExtensionTypeCallback, callbackChecks),
		of(capi.ExtensionTypeShardings, shardingChecks),
		of(capi.ExtensionTypeABIVersion, abiChecks),
		of(capi.ExtensionTypeCrossHostTransfers, transferChecks),
		of(capi.ExtensionTypeHostMemoryAllocator, hostMemoryChecks),
		of(capi.ExtensionTypeExecutableMetadata, metadataChecks),
		of(capi.ExtensionTypeMultiSlice, sliceChecks),
		of(capi.ExtensionTypeXLATransform, transformChecks),
		of(capi.ExtensionTypeTPUTopology, topologyChecks),
		of(capi.ExtensionTypeTPUExecutable, tpuExecutableChecks),
		of(capi.ExtensionTypeMegascale, megascaleChecks),
		of(capi.ExtensionTypeCustomPartitioner, partitionerChecks),
		unregisteredChecks,
	)
}

// Unobservable are the rules of these groups that no check looks at, with the
// reason.
var Unobservable = map[string]string{
	"XXMD-02": "the args state no size, so a plugin that was built with other args cannot say so",
	"XCOL-01": "collectives are made by Megascale of a running job of several slices, which a check does not have",
	"XCOL-02": "collectives are made by Megascale of a running job of several slices, which a check does not have",
	"XCOL-03": "collectives are made by Megascale of a running job of several slices, which a check does not have",
	"XCOL-04": "collectives are made by Megascale of a running job of several slices, which a check does not have",
	"XTRI-01": "a module that a Triton compiler takes depends on the version of Triton that the plugin was built with, which nothing tells",
}

// of makes checks of an extension end early on plugins without it.
func of(x capi.ExtensionType, list []check.Check) []check.Check {
	list = slices.Clone(list)
	for i := range list {
		run := list[i].Run
		list[i].Run = func(t *check.T) {
			if t.Table().Extension(x) == nil {
				t.SkipUnimplf("the plugin does not offer the extension %v", x)
			}
			run(t)
		}
	}
	return list
}

// rule is a check of a rule that has one check.
func rule(id string, run func(*check.T)) check.Check { return check.Check{Rule: id, Run: run} }

// library is a check that needs no client: where there is none it takes the
// topology of the environment.
func library(id string, run func(*check.T)) check.Check {
	return check.Check{Rule: id, Run: run, Library: true}
}

// hostile is a check that a faulty plugin may well not survive.
func hostile(c check.Check) check.Check {
	c.Hostile = true
	return c
}

// noClient reports whether there is no client to be had.
func noClient(t *check.T) bool { return t.Env().NoDevice != "" }

// compiled compiles a program for the client, or where there is none for the
// topology of the environment. The check owns the executable.
func compiled(t *check.T, text string, options []byte) *capi.Executable {
	if !noClient(t) {
		return t.Executable(t.CompileWith(t.Client(), text, options))
	}
	args := capi.CompileArgs{Topology: t.Topology(), Program: check.Program("mlir", text)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(options)
	out, err := check.Try(t, args)
	runtime.KeepAlive(options)
	if err != nil {
		t.SkipEnvf("the program cannot be compiled without a device: %v", err)
	}
	if out.Executable == nil {
		t.Fatalf("PJRT_Compile: success without an executable")
	}
	return check.Own(t, out.Executable)
}

// descriptions are those of the devices of the client or of the topology.
func descriptions(t *check.T) []*capi.DeviceDescription {
	if noClient(t) {
		return topologyDescriptions(t)
	}
	var list []*capi.DeviceDescription
	for _, d := range t.Client().Devices {
		list = append(list, check.Call(t, capi.DeviceGetDescriptionArgs{Device: d}).DeviceDescription)
	}
	return list
}

func topologyDescriptions(t *check.T) []*capi.DeviceDescription {
	d := check.Optional(t, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: t.Topology()})
	list := capi.Slice(d.Descriptions, d.NumDescriptions)
	if len(list) == 0 {
		t.SkipEnvf("the topology has no devices")
	}
	return list
}

// texts are the bytes of an array of strings with sizes.
func texts(p **byte, sizes *uintptr, n uintptr) []string {
	var list []string
	lengths := capi.Slice(sizes, n)
	for i, s := range capi.Slice(p, n) {
		list = append(list, string(capi.Bytes(s, lengths[i])))
	}
	return list
}
