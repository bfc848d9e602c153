// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// ExecuteOptions are the options of Execute.
type ExecuteOptions struct {
	// LaunchID numbers the executions of a program of several processes; all of
	// them pass the same. 0 means none.
	LaunchID int
}

// Execute runs the program on its one device (PJRT_LoadedExecutable_Execute) and
// waits until it is done. The arguments stay the caller's, and so do the
// results. Their number, shapes and client are checked first; plugins themselves
// would take an argument of another type of the same size for what it is not.
// opts may be nil.
//
// When ctx ends first, Execute returns its error and the execution goes on, its
// results unseen.
func (e *LoadedExecutable) Execute(ctx context.Context, args []*Buffer, opts *ExecuteOptions) (_ []*Buffer, err error) {
	op := begin(ctx, OperationExecute, subject{client: e.client, program: e.name, devices: e.devices})
	defer op.end(&err)
	if opts == nil {
		opts = &ExecuteOptions{}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(e.devices) != 1 {
		return nil, invalid("the program runs on %d devices of this process; Execute runs programs for one", len(e.devices))
	}
	if err := e.checkArguments(args); err != nil {
		return nil, err
	}
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	held := make([]*Buffer, 0, len(args))
	release := func() {
		for _, b := range held {
			b.ref.Release()
		}
		e.ref.Release()
	}
	handles := make([]*capi.Buffer, len(args)+1) // never empty: some plugins want an address
	for i, b := range args {
		if handles[i], err = b.ref.Acquire(); err != nil {
			release()
			return nil, invalid("argument %d: %v", i, err)
		}
		held = append(held, b)
	}
	outputs := make([]*capi.Buffer, e.numOutputs+1)
	argumentLists := []**capi.Buffer{unsafe.SliceData(handles)}
	outputLists := []**capi.Buffer{unsafe.SliceData(outputs)}
	events := make([]*capi.Event, 1)

	var call capi.Call[capi.LoadedExecutableExecuteArgs]
	call.Args.Executable = h
	call.Args.Options = &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize, LaunchID: int32(opts.LaunchID)}
	call.Args.ArgumentLists = unsafe.SliceData(argumentLists)
	call.Args.NumDevices = 1
	call.Args.NumArgs = uintptr(len(args))
	call.Args.OutputLists = unsafe.SliceData(outputLists)
	call.Args.DeviceCompleteEvents = unsafe.SliceData(events)
	err = call.Do(e.client.table)
	runtime.KeepAlive(handles)
	if err != nil {
		release()
		return nil, err
	}
	results := make([]*Buffer, 0, e.numOutputs)
	closeResults := func() {
		for _, b := range results {
			b.Close()
		}
	}
	for _, o := range outputs[:e.numOutputs] {
		b, aerr := e.client.adoptBuffer(o)
		if aerr != nil {
			err = aerr
			continue // every output must be owned by something
		}
		results = append(results, b)
	}
	if werr := waitAndClose(ctx, e.client.table, events[0], e.client.ref, release); werr != nil {
		err = werr
	}
	if err != nil {
		closeResults()
		return nil, err
	}
	return results, nil
}

// checkArguments compares the arguments with the program's parameters, as far
// as the plugin tells what these are.
func (e *LoadedExecutable) checkArguments(args []*Buffer) error {
	for i, b := range args {
		switch {
		case b == nil:
			return invalid("argument %d is nil", i)
		case b.client != e.client:
			return invalid("argument %d belongs to another client", i)
		}
	}
	shapes, err := e.parameters()
	if err != nil {
		return nil // the plugin does not tell
	}
	if len(args) != len(shapes) {
		return invalid("the program takes %d arguments, not %d", len(shapes), len(args))
	}
	for i, b := range args {
		if !b.shape.Equal(shapes[i]) {
			return invalid("argument %d is %v, the program takes %v", i, b.shape, shapes[i])
		}
	}
	return nil
}
