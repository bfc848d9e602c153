// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/internal/subprocess"
	"github.com/purepjrt/purepjrt/pjrt"
	saved "github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// entered says whether this process has called Main.
var entered atomic.Bool

// Main must be the first thing that main, or TestMain, does in a program whose children compile. In
// a child it compiles until the parent is gone, and then ends the process. Otherwise it returns at
// once.
func Main() {
	entered.Store(true)
	if os.Getenv(childVariable) == "" {
		return
	}
	if err := serve(); err != nil {
		fmt.Fprintf(os.Stderr, "isolate: this process cannot compile for another one: %v\n", err)
		os.Exit(subprocess.ExitNoPipes)
	}
	os.Exit(0)
}

func serve() error {
	pipes, err := subprocess.Inherit(variables)
	if err != nil {
		return err
	}
	if text := os.Getenv(memoryVariable); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err == nil {
			err = subprocess.LimitMemory(n)
		}
		if err != nil {
			return fmt.Errorf("%s=%s: %w", memoryVariable, text, err)
		}
	}
	// Processes that the plugin starts are not children of this kind.
	_ = os.Unsetenv(childVariable)
	_ = os.Unsetenv(memoryVariable)
	queue := make(chan *request)
	go func() {
		for {
			r := new(request)
			switch err := readMessage(pipes.Requests, pipes.Key, r); {
			case err == io.EOF:
				// The parent closed its end, or is gone. The plugin may be at work, and may never
				// end by itself.
				os.Exit(subprocess.ExitOrphaned)
			case err != nil:
				fmt.Fprintf(os.Stderr, "isolate: a request cannot be read: %v\n", err)
				os.Exit(subprocess.ExitNoPipes)
			}
			queue <- r
		}
	}()
	send := func(a *answer) {
		b, err := encodeMessage(pipes.Key, a)
		if err == nil {
			_, err = pipes.Answers.Write(b)
		}
		if err != nil {
			os.Exit(subprocess.ExitOrphaned)
		}
	}
	send(&answer{Hello: protocol})
	var s server
	for r := range queue {
		a := new(answer)
		if err := s.answer(r, a); err != nil {
			a.Error = portable(err)
		}
		send(a)
	}
	return nil
}

// portable returns the error as one that can be sent.
func portable(err error) *capi.Error {
	var e *capi.Error
	if errors.As(err, &e) {
		return e
	}
	code, message := raw.ErrorParts(err)
	return &capi.Error{Code: code, Message: message}
}

// server is what a child keeps between requests.
type server struct {
	plugin       *pjrt.Plugin
	client       *pjrt.Client
	topology     *pjrt.Topology
	topologyHash [sha256.Size]byte
	registered   int
	stub         cffi.Handler
}

// answer does what the request asks for.
func (s *server) answer(r *request, a *answer) error {
	ctx := context.Background()
	var err error
	if s.plugin == nil {
		if s.plugin, err = pjrt.Open(r.Plugin); err != nil {
			return pjrt.ErrUnavailable.Errorf("the child process cannot open the plugin: %v", err)
		}
	}
	if zero := [sha256.Size]byte{}; r.File != zero && r.File != bridge.Root.FileOf(s.plugin) {
		return pjrt.ErrFailedPrecondition.Errorf("the plugin's file %s was replaced since this program opened it, "+
			"and a child process that compiles can only open the new one: restart the program", r.Plugin)
	}
	// A process never unregisters custom calls, so the list only grows.
	for ; s.registered < len(r.Registered); s.registered++ {
		if err := s.register(r.Registered[s.registered]); err != nil {
			return err
		}
	}
	if r.Client && s.client == nil {
		// The parent's client has the same options, so they were checked.
		options := &pjrt.ClientOptions{Create: r.Create, AllowUnknown: true, SlowStart: -1}
		if s.client, err = s.plugin.NewClient(ctx, options); err != nil {
			return capi.CodeOf(err).Errorf("the child process cannot make a client: %v", err)
		}
	}
	if hash := sha256.Sum256(r.Topology); !r.Client && (s.topology == nil || hash != s.topologyHash) {
		s.topology.Close()
		if s.topology, err = s.plugin.DeserializeTopology(ctx, r.Topology); err != nil {
			s.topology = nil
			return capi.CodeOf(err).Errorf("the child process cannot compile for the topology, which the plugin cannot read: %v", err)
		}
		s.topologyHash = hash
	}
	switch {
	case r.Executable != nil:
		return s.load(r)
	case r.Client:
		return s.compile(r, a)
	}
	return s.compileFor(r, a)
}

// register registers a custom call by its name.
func (s *server) register(r registration) error {
	if s.stub == 0 {
		var err error
		s.stub, err = cffi.NewHandler(func(*cffi.CallFrame) error {
			return errors.New("a process that only compiles does not have the handler of the custom call")
		}, nil)
		if err != nil {
			return err
		}
	}
	table := raw.Table(s.plugin)
	var err error
	switch r.Function {
	case (*capi.FFIRegisterHandlerArgs)(nil).Function().Name:
		var call capi.Call[capi.FFIRegisterHandlerArgs]
		call.Args.TargetName, call.Args.TargetNameSize = capi.StringData(r.Name)
		call.Args.PlatformName, call.Args.PlatformNameSize = capi.StringData(r.Platform)
		call.Args.Handler, call.Args.Traits = uintptr(s.stub), r.Traits
		err = call.Do(table)
	case (*capi.GPURegisterCustomCallArgs)(nil).Function().Name:
		var call capi.Call[capi.GPURegisterCustomCallArgs]
		call.Args.FunctionName, call.Args.FunctionNameSize = capi.StringData(r.Name)
		call.Args.APIVersion, call.Args.HandlerExecute = r.APIVersion, uintptr(s.stub)
		err = call.Do(table)
	case (*capi.RegisterBatchPartitionableArgs)(nil).Function().Name:
		var call capi.Call[capi.RegisterBatchPartitionableArgs]
		call.Args.Name, call.Args.NameSize = capi.StringData(r.Name)
		err = call.Do(table)
	}
	if err != nil {
		return capi.CodeOf(err).Errorf("the child process cannot register the custom call %q: %v", r.Name, err)
	}
	return nil
}

// program returns the C struct of the program. The parent has checked the code.
func (r *request) program() *capi.Program {
	p := &capi.Program{StructSize: capi.ProgramSize}
	// Old plugins read MLIR text up to a NUL byte: see package pjrt.
	code := append(bytes.Clone(r.Code), 0)
	p.Code, p.CodeSize = capi.BytesData(code[:len(r.Code)])
	p.Format, p.FormatSize = capi.StringData(r.Format)
	return p
}

func (s *server) compile(r *request, a *answer) error {
	h, release, err := raw.AcquireClient(s.client)
	if err != nil {
		return err
	}
	defer release()
	var call capi.Call[capi.ClientCompileArgs]
	call.Args.Client = h
	call.Args.Program = r.program()
	call.Args.CompileOptions, call.Args.CompileOptionsSize = capi.BytesData(r.Options)
	err = call.Do(raw.Table(s.plugin))
	runtime.KeepAlive(r)
	if err != nil {
		return err
	}
	exe, err := raw.AdoptLoadedExecutable(s.client, call.Args.Executable)
	if err != nil {
		return err
	}
	defer exe.Close()
	return s.describe(exe.Executable, a)
}

func (s *server) compileFor(r *request, a *answer) error {
	h, release, err := raw.AcquireTopology(s.topology)
	if err != nil {
		return err
	}
	defer release()
	var call capi.Call[capi.CompileArgs]
	call.Args.Topology = h
	call.Args.Program = r.program()
	call.Args.CompileOptions, call.Args.CompileOptionsSize = capi.BytesData(r.Options)
	err = call.Do(raw.Table(s.plugin))
	runtime.KeepAlive(r)
	if err != nil {
		return err
	}
	exe, err := raw.AdoptExecutable(s.plugin, call.Args.Executable)
	if err != nil {
		return err
	}
	defer exe.Close()
	return s.describe(exe, a)
}

// describe fills in the answer.
func (s *server) describe(exe *pjrt.Executable, a *answer) error {
	h, release, err := raw.AcquireExecutable(exe)
	if err != nil {
		return err
	}
	defer release()
	var call capi.Call[capi.ExecutableSerializeArgs]
	call.Args.Executable = h
	if err := call.Do(raw.Table(s.plugin)); err != nil {
		return err
	}
	result := &a.Result
	result.Executable = capi.Bytes(call.Args.SerializedBytes, call.Args.SerializedBytesSize)
	call.Args.SerializedExecutableDeleter.Call(call.Args.SerializedExecutable)
	if platform, proto, err := raw.Table(s.plugin).ExecutableABIVersion(h); err == nil {
		result.ABI = &saved.ABIVersion{Platform: platform, Proto: proto}
	}
	result.Name, result.Replicas, result.Partitions = exe.Name(), exe.NumReplicas(), exe.NumPartitions()
	result.Parameters, err = exe.Parameters()
	a.HasParameters = err == nil
	result.Outputs, err = exe.Outputs()
	a.HasOutputs = err == nil
	return nil
}

func (s *server) load(r *request) error {
	h, release, err := raw.AcquireClient(s.client)
	if err != nil {
		return err
	}
	defer release()
	var call capi.Call[capi.ExecutableDeserializeAndLoadArgs]
	call.Args.Client = h
	call.Args.SerializedExecutable, call.Args.SerializedExecutableSize = capi.BytesData(r.Executable)
	call.Args.OverriddenSerializedCompileOptions, call.Args.OverriddenSerializedCompileOptionsSize = capi.BytesData(r.Options)
	if len(r.Origin) > 0 {
		call.Args.LoadOptions = &capi.LoadOptions{
			StructSize: capi.LoadOptionsSize, ComputationOrigin: &r.Origin[0], ComputationOriginSize: uintptr(len(r.Origin)),
		}
	}
	err = call.Do(raw.Table(s.plugin))
	runtime.KeepAlive(r)
	if err != nil {
		return err
	}
	exe, err := raw.AdoptLoadedExecutable(s.client, call.Args.LoadedExecutable)
	if err != nil {
		return err
	}
	return exe.Close()
}
