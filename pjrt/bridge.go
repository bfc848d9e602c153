// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

func init() {
	bridge.Root = bridge.Functions{
		Table: func(p any) *capi.Table {
			if p := p.(*Plugin); p != nil {
				return p.table
			}
			return nil
		},
		Plugin:   func(table *capi.Table) (any, error) { return fromTable(table) },
		Register: func(name string, table *capi.Table) (any, error) { return register(name, table) },

		FileOf:       func(p any) [sha256.Size]byte { return p.(*Plugin).fileKey() },
		WarnOfOthers: warnOfOthers,
		ShareClient: func(ctx context.Context, p, opts any, join bool) (any, error) {
			return p.(*Plugin).share(ctx, opts.(*ClientOptions), join)
		},

		TableOf: tableOf,
		Acquire: acquire,
		Parent:  parentOf,
		Contents: func(ctx context.Context, b any) (*capi.Buffer, func(), error) {
			return b.(*Buffer).acquireContents(ctx)
		},
		Consume: func(b any) (*capi.Buffer, func(), error) { return b.(*Buffer).acquireToConsume() },

		AdoptBuffer: func(c any, h *capi.Buffer) (any, error) {
			b, err := c.(*Client).adoptBuffer(h)
			if err == nil {
				b.client.permuted.Store(true)
				b.references.doubtful.Store(true)
			}
			return b, err
		},
		AdoptBufferOf: func(c any, h *capi.Buffer, shape any) (any, error) {
			if h == nil {
				return nil, errNoBuffer
			}
			b := c.(*Client).newBuffer(h, shape.(Shape))
			b.client.permuted.Store(true)
			b.references.doubtful.Store(true)
			return b, nil
		},
		AdoptEvent: adoptEvent,
		AdoptExecutable: func(p any, h *capi.Executable) (any, error) {
			return newExecutable(p.(*Plugin), compile.System{}, h, nil, nil, 0)
		},
		AdoptLoadedExecutable: func(c any, h *capi.LoadedExecutable) (any, error) {
			return newLoadedExecutable(c.(*Client), h, nil)
		},
		AdoptTopology: func(p any, h *capi.TopologyDescription) (any, error) { return newTopology(p.(*Plugin), h) },
		DeviceOf:      func(c any, h *capi.Device) (any, error) { return c.(*Client).deviceOf(h) },
		MemoryOf:      func(c any, h *capi.Memory) (any, error) { return c.(*Client).memoryOf(h) },

		EncodeLayout: func(l, shape any) (*capi.BufferMemoryLayout, any, error) {
			return encodedLayout(l.(*Layout).encode(shape.(Shape)))
		},
		EncodeDeviceLayout: func(l, shape any, stated bool) (*capi.BufferMemoryLayout, any, error) {
			if stated {
				return encodedLayout(l.(*Layout).encodeStated(shape.(Shape)))
			}
			return encodedLayout(l.(*Layout).encodeOnDevice(shape.(Shape)))
		},
		DecodeLayout:      func(c *capi.BufferMemoryLayout) (any, error) { return decodeLayout(c) },
		ParseDeviceLayout: func(text string) any { return parseDeviceLayout(text) },

		ErrorParts: failure,
		ReadError:  readError,

		Incarnations: incarnations,
		CheckShape:   func(c, shape any) error { return c.(*Client).checkShape(shape.(Shape)) },
		Retry:        retryAllocation,
		Place: func(c, d, m any) (*capi.Device, *capi.Memory, error) {
			p, err := c.(*Client).place(d.(*Device), m.(*Memory))
			return p.device, p.memory, err
		},
		DefaultMemory: func(c, d, m any) (*capi.Memory, error) {
			return c.(*Client).placeInMemory(d.(*Device), m.(*Memory))
		},
		CheckProgram: func(p, program, opts any) error {
			src, err := program.(Program).parse()
			if err != nil {
				return err
			}
			if err := p.(*Plugin).readAll(context.Background(), src); err != nil {
				return err
			}
			return checkDangers(src, opts.(*CompileOptions).devices())
		},
		EncodeCompileOptions: func(t, opts any) ([]byte, error) {
			target, err := t.(*Topology).target()
			if err != nil {
				return nil, err
			}
			return opts.(*CompileOptions).encode(target)
		},
		OptionsForProgram: func(t, program, opts any) (any, error) {
			target, err := t.(*Topology).target()
			if err != nil {
				return (*CompileOptions)(nil), err
			}
			src, err := program.(Program).parse()
			if err != nil {
				return (*CompileOptions)(nil), err
			}
			filled, err := opts.(*CompileOptions).forProgram(src, target)
			if err == nil {
				_, err = filled.encodeFor(src, target) // for its checks
			}
			return filled, err
		},

		ViewOfDeviceMemory: func(ctx context.Context, c any, address uintptr, shape, opts any) (any, error) {
			return c.(*Client).viewOfDeviceMemory(ctx, address, shape.(Shape), opts.(*ViewOptions))
		},
		OnHost: func(ctx context.Context, c, d, m any) (bool, error) {
			return c.(*Client).onHost(ctx, d.(*Device), m.(*Memory))
		},
		Waits:      func(b any) **standin.Set { return &b.(*Buffer).waits },
		References: func(b any) int { return b.(*Buffer).openReferences() },
		ObserveDownload: func(ctx context.Context, c any, bytes int) func(*error) {
			return begin(ctx, OperationDownload, subject{client: c.(*Client), bytes: bytes}).end
		},
		FollowExecutions: func(p any) {
			if p := p.(*Plugin); p != nil {
				p.follows.Store(true)
			}
		},
		OnCompileError: func(h func(*Error) string) { addHint(h) },
		OnOpen:         func(fn func(p any) error) { onOpen(func(p *Plugin) error { return fn(p) }) },
		Logger:         notices,
	}
}

// encodedLayout returns the C form in c, and what keeps it alive.
func encodedLayout(c *cLayout, err error) (*capi.BufferMemoryLayout, any, error) {
	if err != nil {
		return nil, nil, err
	}
	return c.layout, c, nil
}

// acquire returns the C handle of an object of this package, valid until release.
func acquire(object any) (handle any, release func(), err error) {
	switch o := object.(type) {
	case *Client:
		h, err := o.acquire()
		return acquired(h, func() { o.ref.Release() }, err)
	case *Device:
		return acquired(o.acquire())
	case *Memory:
		return acquired(o.acquire())
	case *Topology:
		return acquired(o.acquire())
	case *Executable:
		h, err := o.acquire()
		return acquired(h, func() { o.ref.Release() }, err)
	case *LoadedExecutable:
		h, err := o.acquire()
		return acquired(h, func() { o.ref.Release() }, err)
	case *Buffer:
		h, err := o.acquire()
		if err == nil {
			o.references.doubtful.Store(true)
		}
		return acquired(h, func() { o.ref.Release() }, err)
	case *Event:
		h, err := o.acquire()
		if err == nil && h == nil {
			err = failed(ErrFailedPrecondition,
				"the event has no C object: the program made it, or its work was over when the call returned")
		}
		return acquired(h, func() { o.release() }, err)
	}
	return nil, nil, invalid("a %T has no C handle", object)
}

// acquired returns its arguments, the handle as an any.
func acquired[T any](h *T, release func(), err error) (any, func(), error) {
	if err != nil {
		return nil, nil, err
	}
	return h, release, nil
}

// tableOf returns the table of the plugin that an object belongs to.
func tableOf(object any) *capi.Table {
	switch o := object.(type) {
	case *Client:
		if o != nil {
			return o.table
		}
	case *Topology:
		if o != nil && o.plugin != nil {
			return o.plugin.table
		}
	case *Executable:
		if o != nil {
			return o.table
		}
	case *LoadedExecutable:
		if o != nil && o.client != nil {
			return o.client.table
		}
	case *Buffer:
		if o != nil && o.client != nil {
			return o.client.table
		}
	default:
		panic(fmt.Sprintf("pjrt: a %T belongs to no plugin", object))
	}
	return nil
}

func parentOf(object any) lifetimes.Parent {
	switch o := object.(type) {
	case *Client:
		if o != nil {
			return o.ref
		}
	case *Topology:
		if o != nil {
			return o.owner()
		}
	case *Executable:
		if o != nil {
			return o.ref
		}
	case *LoadedExecutable:
		if o != nil {
			return o.ref
		}
	case *Buffer:
		if o != nil {
			return &o.ref
		}
	default:
		panic(fmt.Sprintf("pjrt: a %T has no lifetime of its own", object))
	}
	return nil
}

// acquireContents waits for the contents of the buffer and returns its handle. Until
// release, nothing donates or deletes the buffer.
func (b *Buffer) acquireContents(ctx context.Context) (*capi.Buffer, func(), error) {
	h, err := b.acquire()
	if err != nil {
		return nil, nil, err
	}
	err = b.hasElements()
	if err == nil {
		err = b.wait(ctx, h)
	}
	if err != nil {
		b.ref.Release()
		return nil, nil, err
	}
	if err := b.beginTurn(ctx, turnReference); err != nil {
		b.ref.Release()
		return nil, nil, err
	}
	release := func() {
		b.endTurn(turnReference, h)
		b.ref.Release()
	}
	if err := b.alive(h); err != nil {
		release()
		return nil, nil, err
	}
	b.references.doubtful.Store(true)
	return h, release, nil
}

// adoptEvent makes an Event that owns h, which belongs to the client or plugin owner. It
// calls done, which may be nil, after the event is ready.
func adoptEvent(owner any, h *capi.Event, done func()) any {
	var e *Event
	switch o := owner.(type) {
	case *Client:
		e = newEvent(o.table, h, o.events)
	case *Plugin:
		e = newEvent(o.table, h, newEventFamily(o.table, nil))
	default:
		panic(fmt.Sprintf("pjrt: a %T owns no events", owner))
	}
	if done != nil {
		e.after(done)
	}
	return e
}

// checkShape returns an error if the plugin cannot have arrays of the shape.
func (c *Client) checkShape(s Shape) error {
	if _, err := hostSize(s); err != nil {
		return err
	}
	return knowsType(c.table, s.Type)
}
