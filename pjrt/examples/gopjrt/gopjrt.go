// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package gopjrt has what a compiler's runtime, such as a backend of GX, needs of gopjrt, made of
// package pjrt: a program that imports it in place of github.com/gomlx/gopjrt/pjrt keeps its code
// and no longer needs cgo. Copy it, and add what else your program uses; pjrt/docs/from-gopjrt.md
// has all names.
//
// Here are GetPlugin, NewClient, AddressableDevices, BufferFromHost, FromRawData, ToDevice,
// Compile, WithStableHLO, Execute, Done, ToHost, Dimensions, DType and Destroy.
package gopjrt

import (
	"context"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

type (
	// Plugin is a library that compiles for devices of a kind, and runs what it compiled.
	Plugin struct{ plugin *pjrt.Plugin }
	// Client has the devices of a Plugin.
	Client struct{ client *pjrt.Client }
	// Device holds Buffers.
	Device = pjrt.Device
	// Buffer is an array on a Device.
	Buffer struct{ buffer *pjrt.Buffer }
	// LoadedExecutable is a program that can run.
	LoadedExecutable struct{ exe *pjrt.LoadedExecutable }
	// NamedValuesMap are the options of a client.
	NamedValuesMap map[string]any
)

// GetPlugin loads a plugin by its name, such as cpu or cuda, or by the path of its library.
func GetPlugin(name string) (*Plugin, error) {
	p, err := plugins.Load(context.Background(), name)
	if err != nil {
		return nil, err
	}
	return &Plugin{p}, nil
}

// NewClient makes a client.
func (p *Plugin) NewClient(options NamedValuesMap) (*Client, error) {
	var create []capi.Attribute
	for name, value := range options {
		if n, ok := value.(int); ok {
			value = int64(n)
		}
		create = append(create, capi.Attribute{Name: name, Value: value})
	}
	c, err := p.plugin.NewClient(context.Background(), &pjrt.ClientOptions{Create: create})
	if err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

// AddressableDevices returns the devices of this process.
func (c *Client) AddressableDevices() []*Device { return c.client.AddressableDevices() }

// Destroy ends the client.
func (c *Client) Destroy() error { return c.client.Close() }

// BufferFromHostConfig says what BufferFromHost copies to where.
type BufferFromHostConfig struct {
	client  *Client
	array   pjrt.HostArray
	options pjrt.BufferOptions
}

// BufferFromHost begins a copy to a device: the first one, unless ToDevice says otherwise.
func (c *Client) BufferFromHost() *BufferFromHostConfig { return &BufferFromHostConfig{client: c} }

// FromRawData copies the elements of an array, in row-major order.
func (b *BufferFromHostConfig) FromRawData(data []byte, t dtype.Type, dimensions []int) *BufferFromHostConfig {
	b.array = pjrt.HostArray{Type: t, Dims: array.Dims[int64](dimensions), Data: data}
	return b
}

// ToDevice copies to a device.
func (b *BufferFromHostConfig) ToDevice(d *Device) *BufferFromHostConfig {
	b.options.Device = d
	return b
}

// Done copies.
func (b *BufferFromHostConfig) Done() (*Buffer, error) {
	buffer, err := b.client.client.BufferFromHost(context.Background(), b.array, &b.options)
	if err != nil {
		return nil, err
	}
	return &Buffer{buffer}, nil
}

// CompileConfig says what Compile compiles.
type CompileConfig struct {
	client *Client
	code   []byte
}

// Compile begins a compilation.
func (c *Client) Compile() *CompileConfig { return &CompileConfig{client: c} }

// WithStableHLO compiles a module in StableHLO's text or bytecode.
func (c *CompileConfig) WithStableHLO(code []byte) *CompileConfig {
	c.code = code
	return c
}

// Done compiles. As with gopjrt, the program runs on the device of its arguments.
func (c *CompileConfig) Done() (*LoadedExecutable, error) {
	exe, err := c.client.client.Compile(context.Background(), pjrt.Program{Code: c.code}, &pjrt.CompileOptions{Portable: true})
	if err != nil {
		return nil, err
	}
	return &LoadedExecutable{exe}, nil
}

// Destroy ends the program.
func (e *LoadedExecutable) Destroy() error { return e.exe.Close() }

// ExecutionConfig says what Execute runs with.
type ExecutionConfig struct {
	exe    *LoadedExecutable
	inputs []*pjrt.Buffer
}

// Execute begins an execution, which keeps its arguments.
func (e *LoadedExecutable) Execute(inputs ...*Buffer) *ExecutionConfig {
	c := &ExecutionConfig{exe: e}
	for _, b := range inputs {
		if b == nil {
			b = new(Buffer) // an error of the execution
		}
		c.inputs = append(c.inputs, b.buffer)
	}
	return c
}

// Done executes, and waits for the results.
func (c *ExecutionConfig) Done() ([]*Buffer, error) {
	outs, err := c.exe.exe.Execute(context.Background(), c.inputs, &pjrt.ExecuteOptions{KeepAll: true})
	if err != nil {
		return nil, err
	}
	results := make([]*Buffer, len(outs))
	for i, b := range outs {
		results[i] = &Buffer{b}
	}
	return results, nil
}

// ToHost copies the elements to dst.
func (b *Buffer) ToHost(dst []byte) error {
	_, err := b.buffer.ToHostInto(context.Background(), dst)
	return err
}

// Dimensions returns the dimensions of the array.
func (b *Buffer) Dimensions() ([]int, error) {
	return array.Dims[int](b.buffer.Shape().Dims), nil
}

// DType returns the type of the elements.
func (b *Buffer) DType() (dtype.Type, error) { return b.buffer.Shape().Type, nil }

// Destroy frees the array.
func (b *Buffer) Destroy() error { return b.buffer.Close() }
