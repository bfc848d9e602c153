// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package distributed lets a program of several processes continue, or stop in good order,
// when one of its processes fails.
//
// [UpdateProcesses] tells a client which processes are left, so that the client gives up
// work that waits for a lost one. [PoisonExecution] makes an execution fail while it is
// under way. The processes find each other through the key-value store in
// [pjrt.ClientOptions].
package distributed

import (
	"fmt"
	"math"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// State is the state of a process.
type State = capi.ProcessState

// The states of processes.
const (
	Unspecified   = capi.ProcessStateUnspecified   // nothing is known
	Uninitialized = capi.ProcessStateUninitialized // the process has not joined yet
	Disconnected  = capi.ProcessStateDisconnected  // the process joined and left
	Connected     = capi.ProcessStateConnected     // the process takes part
	Failed        = capi.ProcessStateError         // the process failed
)

// Process is what is known about one process of a program.
type Process struct {
	// ID is the number of the process.
	ID int
	// Incarnation distinguishes a restarted process from its predecessor.
	Incarnation uint64
	State       State
	// Err is the error of a process whose State is Failed, and nil otherwise.
	Err *pjrt.Error
}

// processMinor is the API minor that gave PJRT_ProcessInfo its present layout. In two
// earlier minors the function takes another layout.
const processMinor = 75

// UpdateProcesses tells the client the states of the program's processes, so that the
// client gives up work that waits for a lost one (PJRT_Client_UpdateGlobalProcessInfo,
// API 0.75). It may be called from any goroutine.
func UpdateProcesses(client *pjrt.Client, processes []Process) error {
	h, release, err := raw.AcquireClient(client)
	if err != nil {
		return err
	}
	defer release()
	infos, err := encode(processes)
	if err != nil {
		return err
	}
	table := raw.Table(client.Plugin())
	var call capi.Call[capi.ClientUpdateGlobalProcessInfoArgs]
	if _, minor := table.Version(); table.Has(call.Function()) && minor < processMinor {
		return &pjrt.Error{Code: pjrt.ErrUnimplemented, Func: call.Function().Name, Missing: true, Message: fmt.Sprintf(
			"the plugin has API %d.%d, whose layout of the arguments was replaced in %d.%d",
			capi.APIMajor, minor, capi.APIMajor, processMinor)}
	}
	call.Args.Client = h
	call.Args.ProcessInfos, call.Args.NumProcessInfos = &infos[0], uintptr(len(processes))
	err = call.Do(table)
	runtime.KeepAlive(infos)
	return err
}

// encode checks the processes and returns their C form. The slice has one element more
// than there are processes, because some plugins reject a null pointer even for an empty
// list.
func encode(processes []Process) ([]capi.ProcessInfo, error) {
	infos := make([]capi.ProcessInfo, len(processes)+1)
	seen := make(map[int]bool)
	for i, p := range processes {
		switch {
		case p.ID < 0 || p.ID > math.MaxInt32:
			return nil, pjrt.ErrInvalidArgument.Errorf("process %d: numbers go from 0 to %d", p.ID, math.MaxInt32)
		case seen[p.ID]:
			return nil, pjrt.ErrInvalidArgument.Errorf("process %d is listed twice", p.ID)
		case p.State < Unspecified || p.State > Failed:
			return nil, pjrt.ErrInvalidArgument.Errorf("process %d: the state %d is unknown", p.ID, int32(p.State))
		case p.State == Failed && p.Err == nil:
			return nil, pjrt.ErrInvalidArgument.Errorf("process %d failed, but its Err is nil", p.ID)
		case p.State != Failed && p.Err != nil:
			return nil, pjrt.ErrInvalidArgument.Errorf("process %d has the error %q, but its state is not Failed", p.ID, p.Err)
		}
		seen[p.ID] = true
		infos[i] = capi.ProcessInfo{StructSize: capi.ProcessInfoSize, TaskID: int32(p.ID), IncarnationID: p.Incarnation, State: p.State}
		if p.Err != nil {
			if p.Err.Code < pjrt.ErrCancelled || p.Err.Code > pjrt.ErrUnauthenticated {
				return nil, pjrt.ErrInvalidArgument.Errorf("process %d: the error code %d is unknown", p.ID, int32(p.Err.Code))
			}
			infos[i].ErrorCode = int32(p.Err.Code)
			infos[i].ErrorMessage, infos[i].ErrorMessageSize = capi.StringData(p.Err.Message)
		}
	}
	return infos, nil
}
