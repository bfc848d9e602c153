// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

// refusal is the error of a plugin that does not compile a program.
type refusal struct{ err error }

func (r *refusal) Error() string { return "the program does not compile: " + r.err.Error() }

func (r *refusal) unimplemented() bool { return capi.CodeOf(r.err) == capi.ErrorCodeUnimplemented }

// lacking reports whether the plugin says that it does not know what the program
// asks for. XLA has no code of its own for a text that it cannot parse.
func (r *refusal) lacking() bool {
	switch capi.CodeOf(r.err) {
	case capi.ErrorCodeUnimplemented, capi.ErrorCodeInvalidArgument, capi.ErrorCodeUnknown:
		return true
	}
	return false
}

// execute compiles a program and runs it on the client's first device once for
// each list of arguments, which all have the same types. It calls done with the
// results of each run. The error is a *refusal, or the plugin's when it executes.
func execute(t *check.T, code []byte, lists [][]*npy.Array, done func([]*npy.Array)) error {
	for i, a := range lists[0] {
		if a.Type.Since() > t.Minor() {
			t.SkipAbsentf("argument %d has the element type %v, which came with API 0.%d, and the plugin has API 0.%d", i, a.Type, a.Type.Since(), t.Minor())
		}
	}
	c := t.Client()
	out, err := check.Try(t, check.CompileArgs(c, string(code), check.Devices(1, 1)))
	if err != nil {
		return &refusal{err}
	}
	exe := check.Own(t, out.Executable)
	defer check.Destroy(t, exe)
	outputs := t.NumOutputs(exe)
	for _, args := range lists {
		results, err := launch(t, c, exe, outputs, args)
		if err != nil {
			return err
		}
		done(results)
	}
	return nil
}

// launch runs an executable once.
func launch(t *check.T, c *check.Client, exe *capi.LoadedExecutable, outputs int, arrays []*npy.Array) ([]*npy.Array, error) {
	var args []*capi.Buffer
	for _, a := range arrays {
		b := upload(t, c, a)
		defer check.Destroy(t, b)
		args = append(args, b)
	}
	x := check.NewExecution(exe, outputs, args)
	if err := x.Start(t); err != nil {
		return nil, fmt.Errorf("expected the program to run, got %w", err)
	}
	if err := t.Await(x.Events[0]); err != nil {
		return nil, fmt.Errorf("expected the program to run to its end, got %w", err)
	}
	check.Destroy(t, x.Events[0])
	results := []*npy.Array{}
	for i, b := range x.Outputs[0] {
		if b == nil {
			return nil, fmt.Errorf("result %d is null", i)
		}
		a := &npy.Array{
			Type: dtype.Type(check.Call(t, capi.BufferElementTypeArgs{Buffer: b}).Type),
			Dims: t.Dimensions(b), Data: t.Download(b),
		}
		check.Destroy(t, b)
		if err := a.Check(); err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
		results = append(results, a)
	}
	return results, nil
}

func upload(t *check.T, c *check.Client, a *npy.Array) *capi.Buffer {
	data, dims := slices.Clone(a.Data), slices.Clone(a.Dims)
	if a.Type.IsSubByte() && !a.Type.IsFloat() {
		mask := byte(1<<a.Type.Bits() - 1) // what the high bits hold is nobody's business
		for i := range data {
			data[i] &= mask
		}
	}
	args := capi.ClientBufferFromHostBufferArgs{
		Client: c.Handle, Device: c.Devices[0], Type: capi.BufferType(a.Type), Data: check.Pointer(data),
	}
	args.Dims, args.NumDims = check.First(dims)
	b := t.UploadArgs(args)
	runtime.KeepAlive(data)
	runtime.KeepAlive(dims)
	return b
}
