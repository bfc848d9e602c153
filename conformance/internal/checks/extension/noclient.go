// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// noClient reports whether no client can be made.
func noClient(t *check.T) bool { return t.Env().NoDevice != "" }

// compiled compiles a program for the client or, if there is none, for the topology of the
// environment. The check owns the executable.
func compiled(t *check.T, text string, options []byte) *capi.Executable {
	if !noClient(t) {
		return t.Executable(t.CompileWith(t.Client(), text, options))
	}
	args := capi.CompileArgs{Topology: t.Topology(), Program: t.Program("mlir", text)}
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

// descriptions returns the descriptions of the client's or the topology's devices.
func descriptions(t *check.T) []*capi.DeviceDescription {
	if noClient(t) {
		return topologyDescriptions(t)
	}
	var list []*capi.DeviceDescription
	for _, d := range t.Client().Devices {
		list = append(list, t.Description(d))
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
