// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"bytes"
	"context"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
)

// Compile compiles a program for the client's devices (PJRT_Client_Compile) and
// loads it. It can take long, and cannot be called off: when ctx ends first,
// Compile returns its error, and the executable is closed once it exists. opts
// may be nil. The error of a program that is wrong carries the plugin's
// diagnostics.
func (c *Client) Compile(ctx context.Context, program Program, opts *CompileOptions) (exe *LoadedExecutable, err error) {
	op := begin(ctx, OperationCompile, subject{client: c, bytes: len(program.Code)})
	defer op.endProgram(&exe, &err)
	in, err := newCompilation(c.plugin, program, opts, c.target())
	if err != nil {
		return nil, err
	}
	return abandonable(ctx, func() (*LoadedExecutable, error) {
		h, err := c.ref.Acquire()
		if err != nil {
			return nil, err
		}
		defer c.ref.Release()
		var call capi.Call[capi.ClientCompileArgs]
		call.Args.Client = h
		call.Args.Program = in.program()
		call.Args.CompileOptions, call.Args.CompileOptionsSize = capi.BytesData(in.options)
		err = call.Do(c.table)
		runtime.KeepAlive(in)
		if err != nil {
			in.saveFailed(err)
			return nil, err
		}
		return newLoadedExecutable(c, call.Args.Executable, in.parameters)
	}, (*LoadedExecutable).Close)
}

// Load loads an executable that was compiled for a topology like the client's
// onto the client's devices (PJRT_Client_Load, API 0.95). The executable stays
// the caller's, who may load it again. opts may be nil, which means the options
// that it was compiled with; plugins may do no more than check others.
func (c *Client) Load(ctx context.Context, e *Executable, opts *CompileOptions) (exe *LoadedExecutable, end error) {
	op := begin(ctx, OperationLoad, subject{client: c})
	defer op.endProgram(&exe, &end)
	switch {
	case e == nil || e.ref == nil:
		return nil, invalid("the executable is nil")
	case e.table != c.table:
		return nil, invalid("the executable was compiled by another plugin")
	}
	var options []byte
	var err error
	if opts == nil {
		// Plugins end the process on options without counts.
		if options, err = e.compileOptions(); err != nil || len(options) == 0 {
			opts = &CompileOptions{Replicas: e.numReplicas, Partitions: e.numPartitions}
		}
	}
	if opts != nil {
		if options, err = opts.encode(c.target()); err != nil {
			return nil, err
		}
	}
	return abandonable(ctx, func() (*LoadedExecutable, error) {
		var call capi.Call[capi.ClientLoadArgs]
		if call.Args.Client, err = c.ref.Acquire(); err != nil {
			return nil, err
		}
		defer c.ref.Release()
		if call.Args.Executable, err = e.ref.Acquire(); err != nil {
			return nil, err
		}
		defer e.ref.Release()
		call.Args.CompileOptions, call.Args.CompileOptionsSize = capi.BytesData(options)
		err := call.Do(c.table)
		runtime.KeepAlive(options)
		if err != nil {
			return nil, err
		}
		return newLoadedExecutable(c, call.Args.LoadedExecutable, e.text)
	}, (*LoadedExecutable).Close)
}

// LoadOptions are the options of DeserializeAndLoad. The zero value loads the
// executable as it was compiled.
type LoadOptions struct {
	// Compile overrides the options that the executable was compiled with, such
	// as its devices (API 0.71). Nil keeps those.
	Compile *CompileOptions
	// ComputationOrigin are the coordinates of the first device, on platforms
	// whose devices have coordinates (API 0.111). Nil leaves the choice to the
	// plugin.
	ComputationOrigin []int32
	// Source is the program that was compiled, if at hand. Its text tells the
	// parameters where the plugin does not.
	Source Program
}

// DeserializeAndLoad loads an executable that Serialize wrote
// (PJRT_Executable_DeserializeAndLoad). It must come from the same version of
// the same plugin: plugins refuse most foreign bytes, but take damaged ones for
// what they are not, which may end the process or give wrong numbers. Package
// cache keeps executables with checksums. opts may be nil.
//
// It cannot be called off: when ctx ends first, DeserializeAndLoad returns its
// error, and the executable is closed once it exists.
func (c *Client) DeserializeAndLoad(ctx context.Context, data []byte, opts *LoadOptions) (exe *LoadedExecutable, end error) {
	op := begin(ctx, OperationLoad, subject{client: c, bytes: len(data)})
	defer op.endProgram(&exe, &end)
	if len(data) == 0 {
		return nil, invalid("the serialized executable is empty")
	}
	if opts == nil {
		opts = &LoadOptions{}
	}
	source := opts.Source
	if source.Format == "" {
		source.Format = DetectFormat(source.Code)
	}
	parameters := source.parameters()
	var options []byte
	if opts.Compile != nil {
		var err error
		if options, err = opts.Compile.encode(c.target()); err != nil {
			return nil, err
		}
	}
	if ctx.Done() != nil {
		data = bytes.Clone(data) // the plugin may still read it when this has returned
	}
	var origin *capi.LoadOptions
	if len(opts.ComputationOrigin) > 0 {
		o := append([]int32(nil), opts.ComputationOrigin...)
		origin = &capi.LoadOptions{StructSize: capi.LoadOptionsSize, ComputationOrigin: &o[0], ComputationOriginSize: uintptr(len(o))}
	}
	return abandonable(ctx, func() (*LoadedExecutable, error) {
		h, err := c.ref.Acquire()
		if err != nil {
			return nil, err
		}
		defer c.ref.Release()
		var call capi.Call[capi.ExecutableDeserializeAndLoadArgs]
		call.Args.Client = h
		call.Args.SerializedExecutable, call.Args.SerializedExecutableSize = capi.BytesData(data)
		call.Args.OverriddenSerializedCompileOptions, call.Args.OverriddenSerializedCompileOptionsSize = capi.BytesData(options)
		call.Args.LoadOptions = origin
		err = call.Do(c.table)
		runtime.KeepAlive(data)
		runtime.KeepAlive(options)
		if err != nil {
			return nil, err
		}
		e, err := newLoadedExecutable(c, call.Args.LoadedExecutable, parameters)
		if err == nil {
			e.codeless = c.plugin.kind == KindCPU
		}
		return e, err
	}, (*LoadedExecutable).Close)
}
