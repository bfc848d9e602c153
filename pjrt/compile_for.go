// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"maps"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

// CompileFor compiles a program ahead of time for the devices of a topology (PJRT_Compile), which
// can take long. It needs no devices. A client whose devices are like those of the topology can
// load the executable. opts may be nil; they assign devices through DeviceIDs.
// libtpu compiles for the topologies of [Plugin.NewTopology] on any machine. XLA's plugins for GPUs
// do too if they find their vendors' libraries, but that for CUDA may fail if it must measure on a
// GPU. Its CPU plugin returns ErrNotFound.
// Beyond what [Program] lists, CompileFor refuses MLIR on which libtpu ends the process: unbounded
// dimensions (? without #stablehlo.bounds), and collective permutes between devices that do not
// exist.
// Of an executable that CompileOptions.Compiler made, only Client.Load, Serialize and the methods
// that return its name, counts and shapes work.
func (p *Plugin) CompileFor(ctx context.Context, topology *Topology, program Program, opts *CompileOptions) (*Executable, error) {
	return compileFor(ctx, p, nil, topology, program, opts)
}

// CompileFor is [Plugin.CompileFor], but lets the compiler measure on the devices of the
// client, which must be like those of the topology. A Compiler in the options compiles
// without the client.
func (c *Client) CompileFor(ctx context.Context, topology *Topology, program Program, opts *CompileOptions) (*Executable, error) {
	if c == nil || c.ref == nil {
		return nil, errNilClient
	}
	return compileFor(ctx, c.plugin, c, topology, program, opts)
}

func compileFor(
	ctx context.Context, p *Plugin, client *Client, topology *Topology, program Program, opts *CompileOptions,
) (exe *Executable, end error) {
	op := begin(ctx, OperationCompile, subject{plugin: p, client: client, bytes: len(program.Code)})
	defer op.endAhead(&exe, &end)
	target, err := abandon.CallOn(ctx, sizeOf(program), topology.target, func(optionsTarget) error { return nil })
	if err != nil {
		return nil, err
	}
	if topology.plugin != p {
		return nil, invalid("the topology belongs to another plugin")
	}
	if client == nil {
		maps.Copy(target.flags, p.quirks().deviceless)
	}
	in, err := newCompilation(ctx, p, program, opts, target)
	if err != nil {
		return nil, err
	}
	if compiler := opts.compilerOf(client); compiler != nil {
		var result *compile.Result
		err := in.send(ctx, func() (err error) {
			job := in.job(p.elsewhere())
			job.Topology = topology.Serialize
			result, err = compiler.Compile(ctx, job)
			return err
		})
		if err != nil {
			return nil, in.explain(p, in.failedElsewhere(err))
		}
		return newSerializedExecutable(p, topology.system(), result, in.parameters)
	}
	return abandon.CallOn(ctx, sizeOf(program), func() (*Executable, error) {
		var call capi.Call[capi.CompileArgs]
		h, release, err := topology.acquire()
		if err != nil {
			return nil, err
		}
		defer release()
		call.Args.Topology = h
		if client != nil {
			if call.Args.Client, err = client.ref.Acquire(); err != nil {
				return nil, err
			}
			defer client.ref.Release()
		}
		call.Args.CompileOptions, call.Args.CompileOptionsSize = capi.BytesData(in.options)
		err = in.send(ctx, func() error {
			call.Args.Program = in.program()
			return doLarge(p, &call)
		})
		runtime.KeepAlive(in)
		if err != nil {
			in.saveFailed(err)
			return nil, in.explain(p, err)
		}
		e, err := newExecutable(p, topology.system(), call.Args.Executable, topology.owner(), in.parameters, in.results)
		if err == nil {
			if err = in.obeyed(e); err != nil {
				e.Close()
				return nil, err
			}
		}
		return e, err
	}, (*Executable).Close)
}

// target returns what compile options for the topology are checked against.
func (t *Topology) target() (optionsTarget, error) {
	h, release, err := t.acquire()
	if err != nil {
		return optionsTarget{}, err
	}
	defer release()
	list, err := capi.Do(t.plugin.table, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: h})
	if err != nil {
		return optionsTarget{}, err
	}
	target := optionsTarget{
		platform: t.platformName, flags: t.plugin.quirks().flags, client: t.client, rowMajor: t.plugin.rowMajor(),
		ids: make([]int, 0, list.NumDescriptions),
	}
	var id capi.Call[capi.DeviceDescriptionIDArgs]
	for _, d := range capi.Slice(list.Descriptions, list.NumDescriptions) {
		id.Args.DeviceDescription = d
		if err := id.Do(t.plugin.table); err != nil {
			return optionsTarget{}, err
		}
		target.ids = append(target.ids, int(id.Args.ID))
	}
	return target, nil
}

// owner returns the object whose lifetime keeps the topology's C object alive.
func (t *Topology) owner() lifetimes.Parent {
	if t.ref == nil {
		return t.client.ref
	}
	return t.ref
}
