// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// Compile compiles a program for the client's devices and loads it (PJRT_Client_Compile), which can
// take long. opts may be nil. For a wrong program the error has the plugin's diagnostics.
func (c *Client) Compile(ctx context.Context, program Program, opts *CompileOptions) (exe *LoadedExecutable, err error) {
	op := begin(ctx, OperationCompile, subject{client: c, bytes: len(program.Code)})
	defer op.endProgram(&exe, &err)
	target, err := c.checkedTarget()
	if err != nil {
		return nil, err
	}
	in, err := newCompilation(ctx, c.plugin, program, opts, target)
	if err != nil {
		return nil, err
	}
	if compiler := opts.compilerOf(c); compiler != nil {
		return c.compileWith(ctx, compiler, in)
	}
	return abandon.CallOn(ctx, sizeOf(program), func() (*LoadedExecutable, error) {
		h, err := c.acquire()
		if err != nil {
			return nil, err
		}
		defer c.ref.Release()
		var call capi.Call[capi.ClientCompileArgs]
		call.Args.Client = h
		call.Args.CompileOptions, call.Args.CompileOptionsSize = capi.BytesData(in.options)
		err = in.send(ctx, func() error {
			call.Args.Program = in.program()
			return doLarge(c.plugin, &call)
		})
		runtime.KeepAlive(in)
		if err != nil {
			in.saveFailed(err)
			return nil, in.explain(c.plugin, err)
		}
		e, err := newLoadedExecutable(c, call.Args.Executable, in.parameters)
		if err == nil {
			if err = in.obeyed(e.Executable); err != nil {
				e.Close()
				return nil, err
			}
		}
		return e, err
	}, (*LoadedExecutable).Close)
}

// compileWith has compiler compile the program, and loads the executable.
func (c *Client) compileWith(ctx context.Context, compiler compile.Compiler, in *compilation) (*LoadedExecutable, error) {
	if err := abandon.Err(ctx, nil, ""); err != nil {
		return nil, err
	}
	target, err := c.elsewhere()
	if err != nil {
		return nil, err
	}
	var result *compile.Result
	err = in.send(ctx, func() (err error) {
		result, err = compiler.Compile(ctx, in.job(target))
		return err
	})
	if err != nil {
		return nil, in.explain(c.plugin, in.failedElsewhere(err))
	}
	code, abi, err := ofCompiler(result, c)
	if err != nil {
		return nil, err
	}
	e, err := c.deserialize(ctx, code, nil, nil, in.parameters)
	if err != nil {
		return nil, err
	}
	if err := in.obeyed(e.Executable); err != nil {
		e.Close()
		return nil, err
	}
	if e.codeless {
		e.serialized, e.abi = code, abi // only these bytes have the code
	}
	return e, nil
}

// elsewhere describes the client to a compile.Compiler or compile.Loader.
func (c *Client) elsewhere() (compile.Target, error) {
	if c.ref.Closed() {
		_, err := c.ref.Acquire()
		return compile.Target{}, err
	}
	t := c.plugin.elsewhere()
	t.Client, t.Create, t.Peers, t.Topology = true, cloneAttributes(c.create), c.peers, c.serializedTopology
	return t, nil
}

func (p *Plugin) elsewhere() compile.Target {
	t := compile.Target{Plugin: p.name, Kind: p.Kind(), Registered: p.table.Registrations()}
	if p.path != "" {
		t.Plugin = p.path
	}
	if p.path != "" || p.inLibrary() {
		t.File = p.fileKey()
	}
	return t
}

// job returns the compilation for a compile.Compiler.
func (c *compilation) job(target compile.Target) *compile.Job {
	return &compile.Job{Target: target, Code: c.code, Format: c.format, Options: c.options}
}

// Load loads an executable that was compiled for a topology like the client's onto the client's
// devices (PJRT_Client_Load, API 0.95). The caller still owns e, and may load it again. Nil opts
// mean the options that e was compiled with; plugins may check others but otherwise ignore them.
func (c *Client) Load(ctx context.Context, e *Executable, opts *CompileOptions) (exe *LoadedExecutable, end error) {
	op := begin(ctx, OperationLoad, subject{client: c})
	defer op.endProgram(&exe, &end)
	switch {
	case c == nil || c.ref == nil:
		return nil, errNilClient
	case e.missing():
		return nil, errNilExecutable
	case e.table != c.table:
		return nil, invalid("the executable was compiled by another plugin")
	}
	var options []byte
	var err error
	if opts == nil && e.ref != nil {
		// Plugins end the process on options without counts.
		options, err = abandon.CallOn(ctx, e.subject(), e.compileOptions, func([]byte) error { return nil })
		if err := abandon.Err(ctx, e.subject(), ""); err != nil {
			return nil, err
		}
		if err != nil || len(options) == 0 {
			opts = &CompileOptions{Replicas: e.numReplicas, Partitions: e.numPartitions}
		}
	}
	if opts != nil {
		if options, err = opts.encodeToLoad(c.target(), e.numReplicas, e.numPartitions); err != nil {
			return nil, err
		}
	}
	if e.ref == nil {
		return c.deserialize(ctx, e.serialized, options, nil, e.text)
	}
	return abandon.CallOn(ctx, e.subject(), func() (*LoadedExecutable, error) {
		var call capi.Call[capi.ClientLoadArgs]
		if call.Args.Client, err = c.acquire(); err != nil {
			return nil, err
		}
		defer c.ref.Release()
		if call.Args.Executable, err = e.acquire(); err != nil {
			return nil, err
		}
		defer e.ref.Release()
		call.Args.CompileOptions, call.Args.CompileOptionsSize = capi.BytesData(options)
		err := doLarge(c.plugin, &call)
		runtime.KeepAlive(options)
		if err != nil {
			return nil, err
		}
		return newLoadedExecutable(c, call.Args.LoadedExecutable, e.text)
	}, (*LoadedExecutable).Close)
}

// LoadOptions are the options of DeserializeAndLoad; their zero value changes nothing.
type LoadOptions struct {
	// Foreign leaves it to the plugin to notice what it cannot run: bytes that Serialize did
	// not write, such as JAX's, and executables of another build of the plugin or for other
	// devices. Wrong ones can end the process, or give wrong results.
	Foreign bool
	// Compile replaces the options that the executable was compiled with (API 0.71), except for
	// Replicas and Partitions. Nil is the only choice for programs with TupledArguments.
	Compile *CompileOptions
	// ComputationOrigin are the coordinates of the first device, on platforms whose devices
	// have coordinates (API 0.111). Nil leaves the choice to the plugin.
	ComputationOrigin []int32
	Source            Program // optional; its text gives the parameters if the plugin does not report them
	// Trial loads the executable somewhere else first, such as in the child process of an
	// isolate.Compiler. If that fails, so does DeserializeAndLoad. Nil means no trial.
	Trial compile.Loader
}

// DeserializeAndLoad loads an executable that Serialize wrote (PJRT_Executable_DeserializeAndLoad).
// It is code: load only those that you trust. It needs the same build of the plugin, or one that
// runs its programs by the extension AbiVersion, and devices like those that it was compiled for.
// Before the plugin sees them, damaged bytes are ErrDataLoss, and executables that belong elsewhere
// ErrFailedPrecondition. opts may be nil.
func (c *Client) DeserializeAndLoad(ctx context.Context, data []byte, opts *LoadOptions) (exe *LoadedExecutable, end error) {
	op := begin(ctx, OperationLoad, subject{client: c, bytes: len(data)})
	defer op.endProgram(&exe, &end)
	if c == nil || c.ref == nil {
		return nil, errNilClient
	}
	if len(data) == 0 {
		return nil, invalid("the serialized executable is empty")
	}
	if opts == nil {
		opts = &LoadOptions{}
	}
	given, foreign := data, opts.Foreign
	if ctx.Done() != nil {
		given = preempt.Clone(data) // toLoad may still read it after ctx ends
	}
	saved, err := abandon.Call(ctx, func() (*compile.Executable, error) { return c.toLoad(given, foreign) },
		func(*compile.Executable) error { return nil })
	if err != nil {
		return nil, err
	}
	var parameters []Shape
	if src, err := opts.Source.parse(); err == nil {
		parameters = src.Parameters()
	}
	var options []byte
	if opts.Compile != nil {
		replicas := saved.Devices / max(1, saved.Partitions)
		if options, err = opts.Compile.encodeToLoad(c.target(), replicas, saved.Partitions); err != nil {
			return nil, err
		}
	}
	if opts.Trial != nil {
		target, err := c.elsewhere()
		if err != nil {
			return nil, err
		}
		load := compile.Load{Target: target, Executable: saved.Code, Options: options, ComputationOrigin: opts.ComputationOrigin}
		if err := opts.Trial.TryLoad(ctx, &load); err != nil {
			return nil, err
		}
	}
	return c.deserialize(ctx, saved.Code, options, opts.ComputationOrigin, parameters)
}

// deserialize loads an executable from data, which never changes. options, if not empty,
// replace the executable's own. See newExecutable for parameters.
func (c *Client) deserialize(
	ctx context.Context, data, options []byte, coordinates []int32, parameters []Shape,
) (*LoadedExecutable, error) {
	var origin *capi.LoadOptions
	if len(coordinates) > 0 {
		o := append([]int32(nil), coordinates...)
		origin = &capi.LoadOptions{StructSize: capi.LoadOptionsSize, ComputationOrigin: &o[0], ComputationOriginSize: uintptr(len(o))}
	}
	return abandon.CallOn(ctx, sizeOf(Program{Code: data}), func() (*LoadedExecutable, error) {
		h, err := c.acquire()
		if err != nil {
			return nil, err
		}
		defer c.ref.Release()
		var call capi.Call[capi.ExecutableDeserializeAndLoadArgs]
		call.Args.Client = h
		call.Args.SerializedExecutable, call.Args.SerializedExecutableSize = capi.BytesData(data)
		call.Args.OverriddenSerializedCompileOptions, call.Args.OverriddenSerializedCompileOptionsSize = capi.BytesData(options)
		call.Args.LoadOptions = origin
		err = doLarge(c.plugin, &call)
		runtime.KeepAlive(data)
		runtime.KeepAlive(options)
		if err != nil {
			return nil, withHint(err)
		}
		e, err := newLoadedExecutable(c, call.Args.LoadedExecutable, parameters)
		if err == nil {
			e.codeless = c.plugin.quirks().serializesWithoutCode
		}
		return e, err
	}, (*LoadedExecutable).Close)
}
