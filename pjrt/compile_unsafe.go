// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"bytes"
	"context"
	"runtime"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// Program is a program for a client to compile.
type Program struct {
	// Code is StableHLO, as MLIR text or as bytecode (a portable artifact).
	Code []byte
}

// Compile compiles a program for the client's devices (PJRT_Client_Compile) and
// loads it. It can take long, and cannot be called off: when ctx ends first,
// Compile returns its error, and the executable is closed once it exists. opts
// may be nil. The error of a program that is wrong carries the plugin's
// diagnostics.
func (c *Client) Compile(ctx context.Context, program Program, opts *CompileOptions) (*LoadedExecutable, error) {
	if len(bytes.TrimSpace(program.Code)) == 0 {
		return nil, invalid("the program is empty")
	}
	options, err := opts.encode(c)
	if err != nil {
		return nil, err
	}
	// The plugin reads both while it compiles, which may be after this returned.
	// Plugins up to API 0.68 at least read MLIR text on to a NUL, so there is one
	// behind the code, which its size does not count.
	size := len(program.Code)
	code := make([]byte, size+1)
	copy(code, program.Code)
	return abandonable(ctx, func() (*LoadedExecutable, error) {
		h, err := c.ref.Acquire()
		if err != nil {
			return nil, err
		}
		defer c.ref.Release()
		p := &capi.Program{StructSize: capi.ProgramSize}
		p.Code, p.CodeSize = unsafe.SliceData(code), uintptr(size)
		p.Format, p.FormatSize = capi.StringData("mlir")
		var call capi.Call[capi.ClientCompileArgs]
		call.Args.Client = h
		call.Args.Program = p
		call.Args.CompileOptions, call.Args.CompileOptionsSize = unsafe.SliceData(options), uintptr(len(options))
		err = call.Do(c.table)
		runtime.KeepAlive(code)
		if err != nil {
			return nil, err
		}
		return newLoadedExecutable(c, call.Args.Executable)
	}, (*LoadedExecutable).Close)
}
