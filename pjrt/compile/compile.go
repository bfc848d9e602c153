// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package compile has compiled programs as bytes, and the interface of compilers that a program
// uses in place of the plugin in its own process. [Decode] reads what pjrt's Executable.Serialize
// returns, and where it belongs.
//
// Put a [Compiler] into pjrt.ClientOptions or pjrt.CompileOptions, and a [Loader] into
// pjrt.LoadOptions. Package pjrt checks programs and options as always, passes them on as a [Job],
// and loads what comes back.
//
// Package isolate has one that compiles in child processes, so that a compiler that crashes does
// not end the program.
package compile

import (
	"context"
	"crypto/sha256"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/array"
)

// Compiler compiles programs. Its methods may be called from any goroutine, many at once.
type Compiler interface {
	// Compile compiles a program with the same version of the same plugin. It must not change the
	// job, or use it after it returns. When ctx ends first, it returns an error that wraps
	// ctx.Err(). For a program that the plugin refuses, it returns the plugin's *capi.Error.
	Compile(ctx context.Context, job *Job) (*Result, error)
}

// Loader tries to load executables, which can end the process if they are damaged. Its methods may
// be called from any goroutine, many at once.
type Loader interface {
	// TryLoad loads a serialized executable somewhere else, and returns an error if that fails.
	// Otherwise the caller loads it too. The contract is the same as Compiler.Compile's.
	TryLoad(ctx context.Context, load *Load) error
}

// Target is what a program is compiled for.
type Target struct {
	Plugin string // path of the library, or the name under which it was registered
	// File identifies the library, as in Plugin.File. Another file may have taken its place since,
	// and its plugin would compile what the caller's cannot run. It is zero if it is not known.
	File [sha256.Size]byte
	Kind string // of the plugin, as in pjrt.Plugin.Kind
	// Client says that the executable is for a client of this process, whose create options are
	// Create. Otherwise it is for Topology alone.
	Client bool
	Create []capi.Attribute
	Peers  bool // other processes belong to the client
	// Topology serializes the topology, or says why the plugin cannot.
	Topology func() ([]byte, error)
	// Registered is what this process registered with the plugin, such as custom calls. A process
	// that compiles for this target must register the same.
	Registered []capi.Registration
}

// Job is a program to compile.
type Job struct {
	Target
	Code    []byte
	Format  string // of Code, such as mlir
	Options []byte // CompileOptionsProto
}

// Result is a compiled program. It belongs to the caller of Compile, which keeps Executable.
type Result struct {
	Executable []byte // as pjrt's Executable.Serialize or PJRT_Executable_Serialize wrote it
	// ABI is what the executable needs of the runtime, if Executable is the plugin's bytes and the
	// plugin reports it.
	ABI                  *ABIVersion
	Name                 string
	Replicas, Partitions int
	// Parameters and Outputs are the shapes on one device; nil if the plugin does not report them.
	Parameters, Outputs []array.Shape
}

// Load is an executable to load.
type Load struct {
	Target
	Executable        []byte  // as PJRT_Executable_Serialize wrote it
	Options           []byte  // CompileOptionsProto that replaces the executable's; empty keeps it
	ComputationOrigin []int32 // of the first device; nil leaves it to the plugin
}
