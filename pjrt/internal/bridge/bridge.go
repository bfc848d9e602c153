// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package bridge connects package pjrt with packages that it cannot import because they import it.
// It gives package pjrt/raw access to unexported parts of package pjrt: pjrt sets Root when it is
// initialized, and raw wraps each function with its real types. Objects of package pjrt are passed
// as any. And it lets package pjrt/trace stand between pjrt and its plugins, with [Interpose].
package bridge

import (
	"context"
	"crypto/sha256"
	"log/slog"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// Functions has the functions of package pjrt for package raw, which documents them.
type Functions struct {
	Table    func(plugin any) *capi.Table
	Plugin   func(table *capi.Table) (plugin any, err error)
	Register func(name string, table *capi.Table) (plugin any, err error)

	// FileOf identifies the plugin's library, as compile.Target.File does.
	FileOf func(plugin any) [sha256.Size]byte
	// WarnOfOthers logs a warning if another user could replace code that is about to be loaded or
	// started.
	WarnOfOthers func(what, path string)
	// ShareClient returns a reference to the plugin's shared client. If join is set, a client that
	// exists suits the caller whatever its options.
	ShareClient func(ctx context.Context, plugin, options any, join bool) (shared any, err error)

	// TableOf returns the table of an object's plugin, or nil for a nil object.
	TableOf func(object any) *capi.Table

	// Acquire returns the C handle of an object, as a pointer of the handle's type.
	Acquire func(object any) (handle any, release func(), err error)
	// Parent returns the reference that keeps the C object alive, or nil for a nil object.
	Parent   func(object any) lifetimes.Parent
	Contents func(ctx context.Context, buffer any) (h *capi.Buffer, release func(), err error)
	Consume  func(buffer any) (h *capi.Buffer, release func(), err error)

	AdoptBuffer           func(client any, h *capi.Buffer) (buffer any, err error)
	AdoptBufferOf         func(client any, h *capi.Buffer, shape any) (buffer any, err error)
	AdoptEvent            func(owner any, h *capi.Event, done func()) (event any)
	AdoptExecutable       func(plugin any, h *capi.Executable) (executable any, err error)
	AdoptLoadedExecutable func(client any, h *capi.LoadedExecutable) (executable any, err error)
	AdoptTopology         func(plugin any, h *capi.TopologyDescription) (topology any, err error)
	// DeviceOf and MemoryOf find the object of a handle that belongs to the client.
	DeviceOf func(client any, h *capi.Device) (device any, err error)
	MemoryOf func(client any, h *capi.Memory) (memory any, err error)

	EncodeLayout func(layout, shape any) (c *capi.BufferMemoryLayout, keep any, err error)
	// EncodeDeviceLayout is EncodeLayout for an array in the memory of a device. If stated is set,
	// a nil layout is row-major.
	EncodeDeviceLayout func(layout, shape any, stated bool) (c *capi.BufferMemoryLayout, keep any, err error)

	DecodeLayout func(*capi.BufferMemoryLayout) (layout any, err error)
	// ParseDeviceLayout parses XLA's notation of layouts.
	ParseDeviceLayout func(text string) (layout any)

	// ErrorParts returns the code and the message to pass to the plugin for an error.
	ErrorParts func(err error) (capi.ErrorCode, string)
	// ReadError reads an error that still belongs to the plugin.
	ReadError func(table *capi.Table, h *capi.ErrorHandle) error

	// Incarnations returns the incarnations of processes as lists for C.
	Incarnations func(of map[int]int64) (tasks []int32, ids []int64, err error)

	CheckShape           func(client, shape any) error
	Retry                func(ctx context.Context, call func() error) error
	Place                func(client, device, memory any) (*capi.Device, *capi.Memory, error)
	DefaultMemory        func(client, device, memory any) (*capi.Memory, error)
	CheckProgram         func(plugin, program, options any) error
	EncodeCompileOptions func(topology, options any) ([]byte, error)
	OptionsForProgram    func(topology, program, options any) (any, error)

	ViewOfDeviceMemory func(ctx context.Context, client any, address uintptr, shape, options any) (buffer any, err error)
	// OnHost reports whether the host can read the memory, or the device's default memory.
	OnHost func(ctx context.Context, client, device, memory any) (bool, error)
	// References returns the number of open external references to a buffer.
	References func(buffer any) int
	// Waits is the place of what the contents of a buffer wait for, which must not change once
	// someone else has the buffer.
	Waits func(buffer any) **standin.Set
	// ObserveDownload tells observers that bytes are about to be copied from a device of the client
	// to the host. The caller then calls end with the address of the copy's error.
	ObserveDownload func(ctx context.Context, client any, bytes int) (end func(err *error))
	// FollowExecutions makes the plugin's executions known to handlers of custom calls.
	FollowExecutions func(plugin any)
	// OnCompileError asks hint about the errors of programs that do not compile or load.
	OnCompileError func(hint func(*capi.Error) string)
	// OnOpen calls fn for each plugin of the process.
	OnOpen func(fn func(plugin any) error)
	// Logger returns the logger for problems that package pjrt cannot return as errors.
	Logger func() *slog.Logger
}

// Root is set by package pjrt.
var Root Functions
