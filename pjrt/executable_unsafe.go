// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// LoadedExecutable is a compiled program on the devices of a client. Its methods
// may be called from any goroutine.
type LoadedExecutable struct {
	client *Client
	ref    *lifetime.Ref[capi.LoadedExecutable]
	// compiled is the executable without its devices, which most queries ask.
	compiled *lifetime.Ref[capi.Executable]

	name       string
	numOutputs int
	devices    []*Device

	parameters func() ([]Shape, error)

	executions executions
}

func newLoadedExecutable(c *Client, h *capi.LoadedExecutable) (*LoadedExecutable, error) {
	table := c.table
	e := &LoadedExecutable{client: c}
	e.ref = lifetime.New("executable", h, c.ref, func(h *capi.LoadedExecutable) {
		var d capi.Call[capi.LoadedExecutableDestroyArgs]
		d.Args.Executable = h
		_ = d.Do(table) // there is nobody to tell
	})
	e.parameters = sync.OnceValues(e.readParameters)
	if err := e.describe(h); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// describe asks for what each execution needs to know.
func (e *LoadedExecutable) describe(h *capi.LoadedExecutable) error {
	table := e.client.table
	var get capi.Call[capi.LoadedExecutableGetExecutableArgs]
	get.Args.LoadedExecutable = h
	if err := get.Do(table); err != nil {
		return err
	}
	compiled := get.Args.Executable
	e.compiled = lifetime.New("compiled program", compiled, e.ref, func(h *capi.Executable) {
		var d capi.Call[capi.ExecutableDestroyArgs]
		d.Args.Executable = h
		_ = d.Do(table) // there is nobody to tell
	})
	var name capi.Call[capi.ExecutableNameArgs]
	name.Args.Executable = compiled
	if err := name.Do(table); err != nil {
		return err
	}
	e.name = capi.String(name.Args.ExecutableName, name.Args.ExecutableNameSize)
	var outputs capi.Call[capi.ExecutableNumOutputsArgs]
	outputs.Args.Executable = compiled
	if err := outputs.Do(table); err != nil {
		return err
	}
	e.numOutputs = int(outputs.Args.NumOutputs)
	var devices capi.Call[capi.LoadedExecutableAddressableDevicesArgs]
	devices.Args.Executable = h
	if err := devices.Do(table); err != nil {
		return err
	}
	for _, d := range capi.Slice(devices.Args.AddressableDevices, devices.Args.NumAddressableDevices) {
		for _, device := range e.client.addressable {
			if device.handle == d {
				e.devices = append(e.devices, device)
			}
		}
	}
	return nil
}

// Close gives the executable up (PJRT_LoadedExecutable_Destroy). Executions
// under way go on.
func (e *LoadedExecutable) Close() error {
	e.compiled.Close()
	return e.ref.Close()
}

// Client returns the client of the executable.
func (e *LoadedExecutable) Client() *Client { return e.client }

// Name returns the name of the program, that of its MLIR module.
func (e *LoadedExecutable) Name() string { return e.name }

// NumOutputs returns the number of results of an execution on one device.
func (e *LoadedExecutable) NumOutputs() int { return e.numOutputs }

// Devices returns the devices of this process that an execution runs on. It is
// empty for a portable executable.
func (e *LoadedExecutable) Devices() []*Device { return append([]*Device(nil), e.devices...) }

// Parameters returns the shapes of the arguments of an execution on one device.
// They are read from the optimized program on first use. The error is
// ErrUnimplemented when the plugin does not tell.
func (e *LoadedExecutable) Parameters() ([]Shape, error) {
	shapes, err := e.parameters()
	return append([]Shape(nil), shapes...), err
}

func (e *LoadedExecutable) readParameters() ([]Shape, error) {
	format, code, err := e.OptimizedProgram()
	if err != nil {
		return nil, err
	}
	switch format {
	case "hlo":
	case "hlo_with_config":
		if code, err = field(code, fieldHLOModule); err != nil {
			return nil, err
		}
	default:
		return nil, &Error{Code: ErrUnimplemented, Message: "the optimized program has the format " + format + ", of which the parameters cannot be read"}
	}
	return parameterShapes(code)
}

// OptimizedProgram returns what the compiler made of the program, and its
// format: hlo or hlo_with_config, serialized HloModuleProto or
// HloModuleProtoWithConfig (PJRT_Executable_OptimizedProgram).
func (e *LoadedExecutable) OptimizedProgram() (format string, code []byte, err error) {
	h, err := e.compiled.Acquire()
	if err != nil {
		return "", nil, err
	}
	defer e.compiled.Release()
	// Called twice: the first time with no room, which tells the size.
	program := &capi.Program{StructSize: capi.ProgramSize}
	var c capi.Call[capi.ExecutableOptimizedProgramArgs]
	c.Args.Executable, c.Args.Program = h, program
	if err := c.Do(e.client.table); err != nil {
		return "", nil, err
	}
	code = make([]byte, program.CodeSize)
	program.Code = unsafe.SliceData(code)
	if err := c.Do(e.client.table); err != nil {
		return "", nil, err
	}
	runtime.KeepAlive(code)
	return capi.String(program.Format, program.FormatSize), code, nil
}
