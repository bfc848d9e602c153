// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"crypto/sha256"
	"io"
)

// The methods of embedded pointers, which Go cannot reach through a nil pointer to the struct
// around them. TestMethodsOnNilAndZeroReceiversDoNotPanic finds those that are missing.

// shared returns the embedded Client, or nil.
func (s *SharedClient) shared() *Client {
	if s == nil {
		return nil
	}
	return s.Client
}

// AddressableDevices is [Client.AddressableDevices].
func (s *SharedClient) AddressableDevices() []*Device { return s.shared().AddressableDevices() }

// BufferFromHost is [Client.BufferFromHost].
func (s *SharedClient) BufferFromHost(ctx context.Context, a HostArray, opts *BufferOptions) (*Buffer, error) {
	return s.shared().BufferFromHost(ctx, a, opts)
}

// BufferFromReader is [Client.BufferFromReader].
func (s *SharedClient) BufferFromReader(ctx context.Context, r io.Reader, shape Shape, opts *BufferOptions) (*Buffer, error) {
	return s.shared().BufferFromReader(ctx, r, shape, opts)
}

// Compile is [Client.Compile].
func (s *SharedClient) Compile(ctx context.Context, program Program, opts *CompileOptions) (*LoadedExecutable, error) {
	return s.shared().Compile(ctx, program, opts)
}

// CompileFor is [Client.CompileFor].
func (s *SharedClient) CompileFor(ctx context.Context, topology *Topology, program Program, opts *CompileOptions) (*Executable, error) {
	return s.shared().CompileFor(ctx, topology, program, opts)
}

// CompileKey is [Client.CompileKey].
func (s *SharedClient) CompileKey(program Program, opts *CompileOptions) ([sha256.Size]byte, error) {
	return s.shared().CompileKey(program, opts)
}

// DefaultDeviceAssignment is [Client.DefaultDeviceAssignment].
func (s *SharedClient) DefaultDeviceAssignment(replicas, partitions int) ([][]*Device, error) {
	return s.shared().DefaultDeviceAssignment(replicas, partitions)
}

// DeserializeAndLoad is [Client.DeserializeAndLoad].
func (s *SharedClient) DeserializeAndLoad(ctx context.Context, data []byte, opts *LoadOptions) (*LoadedExecutable, error) {
	return s.shared().DeserializeAndLoad(ctx, data, opts)
}

// Devices is [Client.Devices].
func (s *SharedClient) Devices() []*Device { return s.shared().Devices() }

// EncodeCompileOptions is [Client.EncodeCompileOptions].
func (s *SharedClient) EncodeCompileOptions(opts *CompileOptions) ([]byte, error) {
	return s.shared().EncodeCompileOptions(opts)
}

// ErrorBuffer is [Client.ErrorBuffer].
func (s *SharedClient) ErrorBuffer(ctx context.Context, shape Shape, cause error, opts *BufferOptions) (*Buffer, error) {
	return s.shared().ErrorBuffer(ctx, shape, cause, opts)
}

// InFlight is [Client.InFlight].
func (s *SharedClient) InFlight() int { return s.shared().InFlight() }

// LimitInFlight is [Client.LimitInFlight].
func (s *SharedClient) LimitInFlight(n int) { s.shared().LimitInFlight(n) }

// Load is [Client.Load].
func (s *SharedClient) Load(ctx context.Context, e *Executable, opts *CompileOptions) (*LoadedExecutable, error) {
	return s.shared().Load(ctx, e, opts)
}

// LookupAddressableDevice is [Client.LookupAddressableDevice].
func (s *SharedClient) LookupAddressableDevice(localHardwareID int) (*Device, error) {
	return s.shared().LookupAddressableDevice(localHardwareID)
}

// LookupDevice is [Client.LookupDevice].
func (s *SharedClient) LookupDevice(id int) (*Device, error) { return s.shared().LookupDevice(id) }

// Memories is [Client.Memories].
func (s *SharedClient) Memories() []*Memory { return s.shared().Memories() }

// PlatformName is [Client.PlatformName].
func (s *SharedClient) PlatformName() string { return s.shared().PlatformName() }

// PlatformVersion is [Client.PlatformVersion].
func (s *SharedClient) PlatformVersion() string { return s.shared().PlatformVersion() }

// Plugin is [Client.Plugin].
func (s *SharedClient) Plugin() *Plugin { return s.shared().Plugin() }

// ProcessIndex is [Client.ProcessIndex].
func (s *SharedClient) ProcessIndex() int { return s.shared().ProcessIndex() }

// String is [Client.String].
func (s *SharedClient) String() string { return s.shared().String() }

// Topology is [Client.Topology].
func (s *SharedClient) Topology() (*Topology, error) { return s.shared().Topology() }

// UninitializedBuffer is [Client.UninitializedBuffer].
func (s *SharedClient) UninitializedBuffer(ctx context.Context, shape Shape, opts *BufferOptions) (*Buffer, error) {
	return s.shared().UninitializedBuffer(ctx, shape, opts)
}

// ViewOfHostMemory is [Client.ViewOfHostMemory].
func (s *SharedClient) ViewOfHostMemory(ctx context.Context, a HostArray, opts *ViewOptions) (*Buffer, error) {
	return s.shared().ViewOfHostMemory(ctx, a, opts)
}
