// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package raw

import (
	"context"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Table returns the function table of the plugin, for [capi.Call.Do]. It is nil for a
// nil plugin.
func Table(p *pjrt.Plugin) *capi.Table { return bridge.Root.Table(p) }

// TableOf returns the function table of the plugin that o is an object of. It is nil
// for a nil o.
func TableOf[T Object](o T) *capi.Table { return bridge.Root.TableOf(o) }

// Plugin returns the Plugin of a table that is already in the process, such as that of a
// plugin written in Go. The first call for a table initializes the plugin. Tables of the
// same PJRT_Api share a Plugin.
func Plugin(table *capi.Table) (*pjrt.Plugin, error) {
	return as[*pjrt.Plugin](bridge.Root.Plugin(table))
}

// WarnOfOthers logs a warning, as opening a plugin does, if another user could replace the library
// or the program at path, which is about to be loaded or started: because the file, or a folder
// above it, belongs to that user or can be written by all. what says what it is, such as
// "a library of custom calls". A name without a folder, which others search for, is not checked.
func WarnOfOthers(what, path string) { bridge.Root.WarnOfOthers(what, path) }

// AcquireClient returns the C handle of the client, valid until release is called.
func AcquireClient(c *pjrt.Client) (h *capi.Client, release func(), err error) {
	return acquire[capi.Client](c)
}

// AcquireDevice returns the C handle of the device, valid until release is called. It returns an
// error for a device of another process, which C cannot use from here.
func AcquireDevice(d *pjrt.Device) (h *capi.Device, release func(), err error) {
	return acquire[capi.Device](d)
}

// AcquireMemory returns the C handle of the memory, valid until release is called.
func AcquireMemory(m *pjrt.Memory) (h *capi.Memory, release func(), err error) {
	return acquire[capi.Memory](m)
}

// AcquireTopology returns the C handle of the topology, valid until release is called.
func AcquireTopology(t *pjrt.Topology) (h *capi.TopologyDescription, release func(), err error) {
	return acquire[capi.TopologyDescription](t)
}

// AcquireExecutable returns the C handle of the executable, valid until release is called.
func AcquireExecutable(e *pjrt.Executable) (h *capi.Executable, release func(), err error) {
	return acquire[capi.Executable](e)
}

// AcquireLoadedExecutable returns the C handle of the executable, valid until release
// is called.
func AcquireLoadedExecutable(e *pjrt.LoadedExecutable) (h *capi.LoadedExecutable, release func(), err error) {
	return acquire[capi.LoadedExecutable](e)
}

// AcquireBuffer returns the C handle of the buffer, valid until release is called. The
// buffer may not have its contents yet, and may lose them before release.
func AcquireBuffer(b *pjrt.Buffer) (h *capi.Buffer, release func(), err error) {
	return acquire[capi.Buffer](b)
}

// AcquireContents waits until the buffer has its contents and returns its C handle.
// Until release is called, calls in this process that donate or delete the buffer wait,
// so release it soon.
func AcquireContents(ctx context.Context, b *pjrt.Buffer) (h *capi.Buffer, release func(), err error) {
	type contents struct {
		h       *capi.Buffer
		release func()
	}
	c, err := abandon.Call(ctx, func() (c contents, err error) {
		c.h, c.release, err = bridge.Root.Contents(ctx, b)
		return c, err
	}, func(c contents) error {
		c.release()
		return nil
	})
	return c.h, c.release, err
}

// AcquireToConsume returns the C handle of a buffer for a call that takes its contents
// away. It returns an error if they are gone already, or if something in this process uses
// them: an execution that begins, another consumer, an open external reference. Until
// release is called, nothing in this process can use the contents.
func AcquireToConsume(b *pjrt.Buffer) (h *capi.Buffer, release func(), err error) {
	return bridge.Root.Consume(b)
}

// References returns how many external references to the buffer this process holds:
// those of [pjrt.Buffer.Reference], and those of reads in place that are under way. It
// returns 0 for a nil buffer.
func References(b *pjrt.Buffer) int { return bridge.Root.References(b) }

// ViewOfDeviceMemory makes a buffer of memory that something else allocated, without a
// copy (PJRT_Client_CreateViewOfDeviceBuffer). The address is in the device's address space,
// and memory for the whole array must stay there until opts.OnDelete: nothing can check
// that, and a wrong address ends the process. In host memory the address must be a multiple
// of pjrt.HostAlignment, otherwise of the element size. A computation to which the view is
// donated overwrites the memory. opts may be nil.
//
// [pjrt.Client.ViewOfHostMemory] does the same safely for memory of the Go program.
func ViewOfDeviceMemory(
	ctx context.Context, c *pjrt.Client, address uintptr, shape pjrt.Shape, opts *pjrt.ViewOptions,
) (*pjrt.Buffer, error) {
	return as[*pjrt.Buffer](bridge.Root.ViewOfDeviceMemory(ctx, c, address, shape, opts))
}

// UnsafePointer waits until the buffer has its contents and returns the address of its
// memory (PJRT_Buffer_UnsafePointer). Nothing keeps the memory alive, so the address only
// serves to tell whether two buffers share memory. [pjrt.Buffer.Reference] returns an
// address that can be used.
func UnsafePointer(ctx context.Context, b *pjrt.Buffer) (uintptr, error) {
	return abandon.Call(ctx, func() (uintptr, error) {
		h, release, err := bridge.Root.Contents(ctx, b)
		if err != nil {
			return 0, err
		}
		defer release()
		var c capi.Call[capi.BufferUnsafePointerArgs]
		c.Args.Buffer = h
		err = c.Do(Table(b.Client().Plugin()))
		return c.Args.BufferPointer, err
	}, func(uintptr) error { return nil })
}

// AcquireEvent returns the C handle of the event, valid until release is called. It returns
// an error for an event without a C handle, such as one whose work was over when its call
// returned.
func AcquireEvent(e *pjrt.Event) (h *capi.Event, release func(), err error) {
	return acquire[capi.Event](e)
}

func acquire[T any](object any) (*T, func(), error) {
	h, release, err := bridge.Root.Acquire(object)
	if err != nil {
		return nil, nil, err
	}
	return h.(*T), release, nil
}

// Object is an object of package pjrt from which C makes others.
type Object interface {
	*pjrt.Client | *pjrt.Topology | *pjrt.Executable | *pjrt.LoadedExecutable | *pjrt.Buffer
}

// Parent returns the parent that [lifetime.New] takes for a C object that was made from
// o. The C object of o is then destroyed only after the child's.
func Parent[T Object](o T) lifetime.Parent { return bridge.Root.Parent(o) }

// AdoptBuffer makes a Buffer of a C handle that the caller owns, and asks the plugin for
// its shape. AdoptBuffer takes ownership of the handle, and destroys it if it returns an
// error.
func AdoptBuffer(c *pjrt.Client, h *capi.Buffer) (*pjrt.Buffer, error) {
	return as[*pjrt.Buffer](bridge.Root.AdoptBuffer(c, h))
}

// AdoptBufferOf is like [AdoptBuffer] for a buffer whose shape the caller knows, which
// saves two calls. The only error is for a nil h.
func AdoptBufferOf(c *pjrt.Client, h *capi.Buffer, shape pjrt.Shape) (*pjrt.Buffer, error) {
	return as[*pjrt.Buffer](bridge.Root.AdoptBufferOf(c, h, shape))
}

// EventOwner is what an event can come from.
type EventOwner interface{ *pjrt.Client | *pjrt.Plugin }

// AdoptEvent makes an Event of a C handle that the caller owns; a nil handle makes one
// that is ready. done is called once, when the event is ready, even if the Event was
// closed or forgotten by then, so it can release what C uses until that time. done may be
// nil. It runs before AdoptEvent returns, or in its own goroutine.
func AdoptEvent[O EventOwner](owner O, h *capi.Event, done func()) *pjrt.Event {
	return bridge.Root.AdoptEvent(owner, h, done).(*pjrt.Event)
}

// AdoptExecutable makes an Executable of a C handle that the caller owns.
func AdoptExecutable(p *pjrt.Plugin, h *capi.Executable) (*pjrt.Executable, error) {
	return as[*pjrt.Executable](bridge.Root.AdoptExecutable(p, h))
}

// AdoptLoadedExecutable makes a LoadedExecutable of a C handle that the caller owns.
func AdoptLoadedExecutable(c *pjrt.Client, h *capi.LoadedExecutable) (*pjrt.LoadedExecutable, error) {
	return as[*pjrt.LoadedExecutable](bridge.Root.AdoptLoadedExecutable(c, h))
}

// AdoptTopology makes a Topology of a C handle that the caller owns.
func AdoptTopology(p *pjrt.Plugin, h *capi.TopologyDescription) (*pjrt.Topology, error) {
	return as[*pjrt.Topology](bridge.Root.AdoptTopology(p, h))
}

// DeviceOf returns the device of the client with the handle h. It returns an error,
// pjrt.ErrInternal, if the client has no such device.
func DeviceOf(c *pjrt.Client, h *capi.Device) (*pjrt.Device, error) {
	return as[*pjrt.Device](bridge.Root.DeviceOf(c, h))
}

// MemoryOf returns the memory of the client with the handle h. It returns an error,
// pjrt.ErrInternal, if the client has no such memory.
func MemoryOf(c *pjrt.Client, h *capi.Memory) (*pjrt.Memory, error) {
	return as[*pjrt.Memory](bridge.Root.MemoryOf(c, h))
}

// as asserts the type of an object that the bridge returned.
func as[T any](object any, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return object.(T), nil
}

// Layout is the C form of a [pjrt.Layout]. It has pointers that the garbage collector
// does not see, so the caller must keep it alive until the C call has returned
// (runtime.KeepAlive).
type Layout struct {
	// C is nil for a nil pjrt.Layout: the plugin then chooses the layout.
	C    *capi.BufferMemoryLayout
	keep any
}

// EncodeLayout checks that the layout suits arrays of the shape, and returns its C form.
func EncodeLayout(l *pjrt.Layout, shape pjrt.Shape) (*Layout, error) {
	c, keep, err := bridge.Root.EncodeLayout(l, shape)
	if err != nil {
		return nil, err
	}
	return &Layout{c, keep}, nil
}

// EncodeDeviceLayout is EncodeLayout for an array in the memory of a device, where types narrower
// than a byte are packed. A C layout cannot say so, and the result for a row-major array of such a
// type has none: plugins pack it then. If stated is set, a nil layout means row-major, as for
// functions that XLA's own client always gives a layout: plugins fail or end the process without.
func EncodeDeviceLayout(l *pjrt.Layout, shape pjrt.Shape, stated bool) (*Layout, error) {
	c, keep, err := bridge.Root.EncodeDeviceLayout(l, shape, stated)
	if err != nil {
		return nil, err
	}
	return &Layout{c, keep}, nil
}

// DecodeLayout copies a layout from its C form.
func DecodeLayout(c *capi.BufferMemoryLayout) (*pjrt.Layout, error) {
	return as[*pjrt.Layout](bridge.Root.DecodeLayout(c))
}

// ParseDeviceLayout reads a layout in XLA's notation, such as {1,0:T(8,128)}, which is
// what PJRT_Layouts_MemoryLayout_Serialize returns. For a text in another notation, the
// result has only the text.
func ParseDeviceLayout(text string) pjrt.DeviceLayout {
	return bridge.Root.ParseDeviceLayout(text).(pjrt.DeviceLayout)
}

// ErrorParts returns a code and a message with which to report an error to a plugin: those
// of a *pjrt.Error, or for other errors the nearest code and the text. The code is never OK.
func ErrorParts(err error) (code capi.ErrorCode, message string) { return bridge.Root.ErrorParts(err) }

// ReadError reads an error that C lends, for instance to a callback, and does not destroy
// it. It returns nil for a nil handle. For an error that the caller owns, use
// [capi.Table.TakeError].
func ReadError(table *capi.Table, h *capi.ErrorHandle) error { return bridge.Root.ReadError(table, h) }

// Incarnations returns the process numbers in of, in ascending order, and the incarnation ID
// of each, as the fields task_ids and incarnation_ids of C's structs take them. A process
// number outside 0 to 2^31-1 is an error.
func Incarnations(of map[int]int64) (tasks []int32, ids []int64, err error) {
	return bridge.Root.Incarnations(of)
}

// CheckShape returns an error unless the client's plugin can hold arrays of the shape: a
// plugin of its version knows the type, no dimension is negative, and the size does not
// overflow. Plugins end the process over other shapes.
func CheckShape(c *pjrt.Client, shape pjrt.Shape) error { return bridge.Root.CheckShape(c, shape) }

// Retry makes a call that takes device memory. If the device is out of memory, Retry
// collects the buffers that the program forgot and makes the call once more.
func Retry(ctx context.Context, call func() error) error { return bridge.Root.Retry(ctx, call) }

// Place returns the handle of the device or of the memory in which to make a new buffer;
// the other handle is nil. It is the handle of d or of m, at most one of which may be
// given, or of the client's first device if both are nil. The client must stay acquired
// while the handle is used.
func Place(c *pjrt.Client, d *pjrt.Device, m *pjrt.Memory) (*capi.Device, *capi.Memory, error) {
	return bridge.Root.Place(c, d, m)
}

// PlaceInMemory is like [Place] for C functions that only take a memory: for a device it
// returns the default memory. The client must be acquired.
func PlaceInMemory(c *pjrt.Client, d *pjrt.Device, m *pjrt.Memory) (*capi.Memory, error) {
	return bridge.Root.DefaultMemory(c, d, m)
}

// CheckProgram returns an error if the plugin's compiler is known to end the process over
// the program. opts may be nil.
func CheckProgram(p *pjrt.Plugin, program pjrt.Program, opts *pjrt.CompileOptions) error {
	return bridge.Root.CheckProgram(p, program, opts)
}

// EncodeCompileOptions checks compile options for the devices of a topology and returns
// the serialized CompileOptionsProto. opts may be nil.
func EncodeCompileOptions(t *pjrt.Topology, opts *pjrt.CompileOptions) ([]byte, error) {
	return bridge.Root.EncodeCompileOptions(t, opts)
}

// OptionsForProgram returns compile options as [pjrt.Plugin.CompileFor] uses them: where
// opts do not set them, they have the numbers of replicas and partitions that the program
// itself states, and Shardy if it uses Shardy. Options that contradict the program, and
// those with which the compiler is known to end the process, are an error. opts may be nil,
// and is not changed.
func OptionsForProgram(t *pjrt.Topology, program pjrt.Program, opts *pjrt.CompileOptions) (*pjrt.CompileOptions, error) {
	filled, err := bridge.Root.OptionsForProgram(t, program, opts)
	if err != nil {
		return nil, err
	}
	return filled.(*pjrt.CompileOptions), nil
}

// Abandonable makes a C call, which cannot be interrupted, and returns its result. When ctx
// ends first, Abandonable returns ctx's error. The call then goes on in another goroutine,
// and Abandonable passes its result to close.
func Abandonable[T any](ctx context.Context, call func() (T, error), close func(T) error) (T, error) {
	return abandon.Call(ctx, call, close)
}
