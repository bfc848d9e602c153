// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package session

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// subject is what functions are tried on.
type subject struct {
	table    *capi.Table
	client   *capi.Client
	device   *capi.Device
	memory   *capi.Memory
	buffer   *capi.Buffer
	loaded   *capi.LoadedExecutable
	exe      *capi.Executable
	topology *capi.TopologyDescription
}

// client makes a client and asks it who it is.
func (s *session) client() *Client {
	start := time.Now()
	values, err := capi.NewNamedValues(s.env.Options)
	if err != nil {
		return &Client{Problem: err.Error()}
	}
	var args capi.ClientCreateArgs
	args.CreateOptions, args.NumOptions = values.Data()
	err = call(s.env.Table, &args)
	runtime.KeepAlive(values)
	c := &Client{Devices: []report.Device{}, Memories: []string{}, Took: time.Since(start)}
	switch {
	case err != nil:
		c.Problem = err.Error()
		return c
	case args.Client == nil:
		c.Problem = "PJRT_Client_Create: success without a client"
		return c
	}
	s.subject = &subject{table: s.env.Table, client: args.Client}
	began, before := time.Now(), calls.Load()
	defer func() { c.Pace = time.Since(began) / time.Duration(max(1, calls.Load()-before)) }()
	// Each question is independent: a plugin that does not answer one may answer the
	// others, and the checks find what is wrong.
	name := capi.ClientPlatformNameArgs{Client: args.Client}
	if call(s.env.Table, &name) == nil {
		c.Platform = capi.String(name.PlatformName, name.PlatformNameSize)
	}
	version := capi.ClientPlatformVersionArgs{Client: args.Client}
	if call(s.env.Table, &version) == nil {
		c.Version = capi.String(version.PlatformVersion, version.PlatformVersionSize)
	}
	index := capi.ClientProcessIndexArgs{Client: args.Client}
	if call(s.env.Table, &index) == nil {
		c.ProcessIndex = int(index.ProcessIndex)
	}
	s.devices(c)
	return c
}

func (s *session) devices(c *Client) {
	t := s.env.Table
	devices := capi.ClientDevicesArgs{Client: s.subject.client}
	if call(t, &devices) == nil {
		for _, d := range capi.Slice(devices.Devices, devices.NumDevices) {
			c.Devices = append(c.Devices, describeDevice(t, d))
		}
	}
	addressable := capi.ClientAddressableDevicesArgs{Client: s.subject.client}
	if call(t, &addressable) == nil && addressable.NumAddressableDevices > 0 {
		s.subject.device = *addressable.AddressableDevices
	}
	memories := capi.ClientAddressableMemoriesArgs{Client: s.subject.client}
	if call(t, &memories) == nil {
		for _, m := range capi.Slice(memories.AddressableMemories, memories.NumAddressableMemories) {
			kind := capi.MemoryKindArgs{Memory: m}
			if s.subject.memory == nil {
				s.subject.memory = m
			}
			if call(t, &kind) == nil {
				if k := capi.String(kind.Kind, kind.KindSize); !slices.Contains(c.Memories, k) {
					c.Memories = append(c.Memories, k)
				}
			}
		}
	}
}

func describeDevice(t *capi.Table, d *capi.Device) report.Device {
	var r report.Device
	addressable := capi.DeviceIsAddressableArgs{Device: d}
	if call(t, &addressable) == nil {
		r.Addressable = addressable.IsAddressable
	}
	description := capi.DeviceGetDescriptionArgs{Device: d}
	if call(t, &description) != nil {
		return r
	}
	id := capi.DeviceDescriptionIDArgs{DeviceDescription: description.DeviceDescription}
	if call(t, &id) == nil {
		r.ID = int(id.ID)
	}
	kind := capi.DeviceDescriptionKindArgs{DeviceDescription: description.DeviceDescription}
	if call(t, &kind) == nil {
		r.Kind = capi.String(kind.DeviceKind, kind.DeviceKindSize)
	}
	words := capi.DeviceDescriptionToStringArgs{DeviceDescription: description.DeviceDescription}
	if call(t, &words) == nil {
		r.Description = capi.String(words.ToString, words.ToStringSize)
	}
	return r
}

// typesSince are the element types that came after the oldest plugin that can
// be opened.
var typesSince = map[capi.BufferType]int{
	capi.BufferTypeS2: 53, capi.BufferTypeU2: 53, capi.BufferTypeF8E4M3: 55, capi.BufferTypeF8E3M4: 55,
	capi.BufferTypeF8E8M0FNU: 63, capi.BufferTypeF4E2M1FN: 63, capi.BufferTypeS1: 94, capi.BufferTypeU1: 94,
	capi.BufferTypeF6E2M3FN: 114, capi.BufferTypeF6E3M2FN: 114,
}

// Types returns the element types that a plugin of an API minor knows and that
// have data.
func Types(minor int) []string {
	var names []string
	for t := capi.BufferTypePred; t <= capi.BufferTypeF6E3M2FN; t++ {
		if t != capi.BufferTypeToken && typesSince[t] <= minor {
			names = append(names, t.String())
		}
	}
	return names
}

func typeByName(name string) (capi.BufferType, error) {
	for t := capi.BufferTypePred; t <= capi.BufferTypeF6E3M2FN; t++ {
		if t.String() == name {
			return t, nil
		}
	}
	return 0, fmt.Errorf("there is no element type %q", name)
}

// upload tries to make a buffer of four elements and returns what was wrong.
func (s *session) upload(name string) (string, error) {
	t, err := typeByName(name)
	if err != nil {
		return "", err
	}
	if s.subject == nil || s.subject.device == nil {
		return "there is no device", nil
	}
	data, dims := make([]byte, 64), []int64{4} // at most 16 bytes per element
	args := capi.ClientBufferFromHostBufferArgs{Client: s.subject.client, Device: s.subject.device, Type: t, Data: check.Pointer(data)}
	args.Dims, args.NumDims = check.First(dims)
	if err := call(s.env.Table, &args); err != nil {
		return err.Error(), nil
	}
	event := capi.EventAwaitArgs{Event: args.DoneWithHostBuffer}
	err = call(s.env.Table, &event)
	if err == nil {
		// The copy may fail after the host's memory is free.
		ready := capi.BufferReadyEventArgs{Buffer: args.Buffer}
		if err = call(s.env.Table, &ready); err == nil {
			err = call(s.env.Table, &capi.EventAwaitArgs{Event: ready.Event})
		}
	}
	runtime.KeepAlive(data)
	runtime.KeepAlive(dims)
	if t == capi.BufferTypeF32 && err == nil {
		s.subject.buffer = args.Buffer
		return "", nil
	}
	_ = call(s.env.Table, &capi.BufferDestroyArgs{Buffer: args.Buffer})
	return text(err), nil
}

// probed is a function that plugins often lack, and a call of it that should
// succeed.
type probed struct {
	function *capi.Function
	try      func(*subject) error
	needs    func(*subject) bool
}

// probe makes a probed of the args struct of a function.
func probe[A any](needs func(*subject) bool, args func(*subject) A) probed {
	return probed{check.FunctionOf[A](), func(s *subject) error { a := args(s); return call(s.table, &a) }, needs}
}

func hasClient(s *subject) bool   { return s.client != nil }
func hasDevice(s *subject) bool   { return s.device != nil }
func hasMemory(s *subject) bool   { return s.memory != nil }
func hasBuffer(s *subject) bool   { return s.buffer != nil }
func hasLoaded(s *subject) bool   { return s.loaded != nil }
func hasExe(s *subject) bool      { return s.exe != nil }
func hasTopology(s *subject) bool { return s.topology != nil }

// functions are tried in this order: later ones use what earlier ones made.
var functions = []probed{
	{check.FunctionOf[capi.ClientTopologyDescriptionArgs](), (*subject).describeTopology, hasClient},
	{check.FunctionOf[capi.ClientCompileArgs](), (*subject).compile, hasClient},
	probe(hasMemory, func(s *subject) capi.MemoryKindIDArgs { return capi.MemoryKindIDArgs{Memory: s.memory} }),
	probe(hasDevice, func(s *subject) capi.DeviceDefaultMemoryArgs { return capi.DeviceDefaultMemoryArgs{Device: s.device} }),
	probe(hasDevice, func(s *subject) capi.DeviceMemoryStatsArgs { return capi.DeviceMemoryStatsArgs{Device: s.device} }),
	probe(hasDevice, func(s *subject) capi.DeviceGetAttributesArgs { return capi.DeviceGetAttributesArgs{Device: s.device} }),
	probe(hasBuffer, func(s *subject) capi.BufferMemoryArgs { return capi.BufferMemoryArgs{Buffer: s.buffer} }),
	probe(hasBuffer, func(s *subject) capi.BufferOnDeviceSizeInBytesArgs {
		return capi.BufferOnDeviceSizeInBytesArgs{Buffer: s.buffer}
	}),
	probe(hasBuffer, func(s *subject) capi.BufferGetMemoryLayoutArgs {
		return capi.BufferGetMemoryLayoutArgs{Buffer: s.buffer}
	}),
	probe(hasBuffer, func(s *subject) capi.BufferUnpaddedDimensionsArgs {
		return capi.BufferUnpaddedDimensionsArgs{Buffer: s.buffer}
	}),
	probe(hasBuffer, func(s *subject) capi.BufferDynamicDimensionIndicesArgs {
		return capi.BufferDynamicDimensionIndicesArgs{Buffer: s.buffer}
	}),
	probe(hasBuffer, func(s *subject) capi.BufferUnsafePointerArgs { return capi.BufferUnsafePointerArgs{Buffer: s.buffer} }),
	probe(hasBuffer, func(s *subject) capi.BufferOpaqueDeviceMemoryDataPointerArgs {
		return capi.BufferOpaqueDeviceMemoryDataPointerArgs{Buffer: s.buffer}
	}),
	probe(hasTopology, func(s *subject) capi.TopologyDescriptionAttributesArgs {
		return capi.TopologyDescriptionAttributesArgs{Topology: s.topology}
	}),
	probe(hasTopology, func(s *subject) capi.TopologyDescriptionSerializeArgs {
		return capi.TopologyDescriptionSerializeArgs{Topology: s.topology}
	}),
	probe(hasTopology, func(s *subject) capi.TopologyDescriptionFingerprintArgs {
		return capi.TopologyDescriptionFingerprintArgs{Topology: s.topology}
	}),
	probe(hasLoaded, func(s *subject) capi.LoadedExecutableGetDeviceAssignmentArgs {
		return capi.LoadedExecutableGetDeviceAssignmentArgs{Executable: s.loaded}
	}),
	probe(hasExe, func(s *subject) capi.ExecutableFingerprintArgs {
		return capi.ExecutableFingerprintArgs{Executable: s.exe}
	}),
	probe(hasExe, func(s *subject) capi.ExecutableSizeOfGeneratedCodeInBytesArgs {
		return capi.ExecutableSizeOfGeneratedCodeInBytesArgs{Executable: s.exe}
	}),
	probe(hasExe, func(s *subject) capi.ExecutableGetCostAnalysisArgs {
		return capi.ExecutableGetCostAnalysisArgs{Executable: s.exe}
	}),
	probe(hasExe, func(s *subject) capi.ExecutableGetCompiledMemoryStatsArgs {
		return capi.ExecutableGetCompiledMemoryStatsArgs{Executable: s.exe}
	}),
	probe(hasExe, func(s *subject) capi.ExecutableOutputElementTypesArgs {
		return capi.ExecutableOutputElementTypesArgs{Executable: s.exe}
	}),
	probe(hasExe, func(s *subject) capi.ExecutableOutputDimensionsArgs {
		return capi.ExecutableOutputDimensionsArgs{Executable: s.exe}
	}),
	probe(hasExe, func(s *subject) capi.ExecutableOutputMemoryKindsArgs {
		return capi.ExecutableOutputMemoryKindsArgs{Executable: s.exe}
	}),
	probe(hasExe, func(s *subject) capi.ExecutableParameterMemoryKindsArgs {
		return capi.ExecutableParameterMemoryKindsArgs{Executable: s.exe}
	}),
	probe(hasExe, func(s *subject) capi.ExecutableSerializeArgs {
		return capi.ExecutableSerializeArgs{Executable: s.exe}
	}),
	probe(hasExe, func(s *subject) capi.ExecutableGetCompileOptionsArgs {
		return capi.ExecutableGetCompileOptionsArgs{Executable: s.exe}
	}),
	probe(hasClient, func(*subject) capi.ExecuteContextCreateArgs { return capi.ExecuteContextCreateArgs{} }),
}

// Functions returns the names of the functions that can be tried.
func Functions() []string {
	var names []string
	for _, f := range functions {
		names = append(names, f.function.Name)
	}
	return names
}

// close destroys what was made, so that the device is free for the next
// process.
func (s *subject) close() error {
	if s == nil {
		return nil
	}
	var errs []error
	if s.exe != nil {
		errs = append(errs, call(s.table, &capi.ExecutableDestroyArgs{Executable: s.exe}))
	}
	if s.loaded != nil {
		errs = append(errs, call(s.table, &capi.LoadedExecutableDestroyArgs{Executable: s.loaded}))
	}
	if s.buffer != nil {
		errs = append(errs, call(s.table, &capi.BufferDestroyArgs{Buffer: s.buffer}))
	}
	return errors.Join(append(errs, call(s.table, &capi.ClientDestroyArgs{Client: s.client}))...)
}

func (s *subject) describeTopology() error {
	args := capi.ClientTopologyDescriptionArgs{Client: s.client}
	err := call(s.table, &args)
	if err == nil {
		s.topology = args.Topology
	}
	return err
}

func (s *subject) compile() error {
	exe, err := s.compiled(check.AddOne)
	if err != nil {
		return err
	}
	s.use(exe)
	return nil
}

// use keeps the executable of check.AddOne for the functions that need one.
func (s *subject) use(exe *capi.LoadedExecutable) {
	s.loaded = exe
	get := capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: s.loaded}
	if s.loaded != nil && call(s.table, &get) == nil {
		s.exe = get.Executable
	}
}

// compiled compiles a text or an artifact for one device.
func (s *subject) compiled(code string) (*capi.LoadedExecutable, error) {
	options := check.Devices(1, 1)
	args := capi.ClientCompileArgs{Client: s.client, Program: check.Program("mlir", code)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(options)
	if err := call(s.table, &args); err != nil {
		return nil, err
	}
	return args.Executable, nil
}

// noText says why the plugin does not take StableHLO text, if it takes a portable artifact of
// any version. A plugin that compiles nothing at all has another fault. If it takes the artifact
// that stands for the text, later questions are about that.
func (s *session) noText() string {
	if s.subject == nil || s.subject.client == nil {
		return ""
	}
	exe, refused := s.subject.compiled(check.AddOne)
	if artifact, ok := check.Portable(check.AddOne); ok && exe == nil && refused != nil {
		if loaded, err := s.subject.compiled(artifact); err == nil && loaded != nil {
			s.subject.use(loaded)
			return text(refused)
		}
	}
	for _, a := range check.Artifacts {
		if exe == nil && refused != nil {
			exe, _ = s.subject.compiled(a.Code)
		}
	}
	if exe == nil {
		return ""
	}
	_ = call(s.env.Table, &capi.LoadedExecutableDestroyArgs{Executable: exe})
	return text(refused)
}

// call tries a function and returns the code of its error, or "" if it succeeds or
// cannot be tried.
func (s *session) call(name string) (string, error) {
	for _, f := range functions {
		if f.function.Name != name {
			continue
		}
		if s.subject == nil || !f.needs(s.subject) || !s.env.Table.Has(f.function) {
			return "", nil
		}
		err := f.try(s.subject)
		var e *capi.Error
		if errors.As(err, &e) {
			return e.Code.String(), nil
		}
		return text(err), nil
	}
	return "", fmt.Errorf("there is no function %q to try", name)
}
