// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"math"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
)

// ProcessState is how a process of a distributed program is doing.
type ProcessState = capi.ProcessState

// The states of processes.
const (
	ProcessUnspecified   = capi.ProcessStateUnspecified   // nothing is known
	ProcessUninitialized = capi.ProcessStateUninitialized // it has not joined yet
	ProcessDisconnected  = capi.ProcessStateDisconnected  // it joined once, and left
	ProcessConnected     = capi.ProcessStateConnected     // it takes part
	ProcessFailed        = capi.ProcessStateError         // it failed
)

// ProcessInfo is the state of one process of a distributed program.
type ProcessInfo struct {
	// ID is the number of the process.
	ID int
	// Incarnation tells a process that was started again from what it was before.
	Incarnation uint64
	State       ProcessState
	// Err is what the process failed with, if State is ProcessFailed.
	Err *Error
}

// processInfoMinor is the API minor that gave PJRT_ProcessInfo its present
// layout. Two older ones have the function with another.
const processInfoMinor = 75

// UpdateGlobalProcessInfo tells the client how the processes of the program are
// doing, so that it gives up what waits for one that is gone
// (PJRT_Client_UpdateGlobalProcessInfo, API 0.75).
func (c *Client) UpdateGlobalProcessInfo(processes []ProcessInfo) error {
	infos := make([]capi.ProcessInfo, len(processes)+1) // never empty: some plugins want an address
	seen := make(map[int]bool)
	for i, p := range processes {
		switch {
		case p.ID < 0 || p.ID > math.MaxInt32:
			return invalid("process %d: the number goes from 0 to %d", p.ID, math.MaxInt32)
		case seen[p.ID]:
			return invalid("process %d is given twice", p.ID)
		case p.State < ProcessUnspecified || p.State > ProcessFailed:
			return invalid("process %d: the state %d is unknown", p.ID, int32(p.State))
		case p.State == ProcessFailed && p.Err == nil:
			return invalid("process %d failed, but Err is nil", p.ID)
		case p.State != ProcessFailed && p.Err != nil:
			return invalid("process %d has the error %q, but its state is not ProcessFailed", p.ID, p.Err)
		}
		seen[p.ID] = true
		infos[i] = capi.ProcessInfo{StructSize: capi.ProcessInfoSize, TaskID: int32(p.ID), IncarnationID: p.Incarnation, State: p.State}
		if p.Err != nil {
			if p.Err.Code < ErrCancelled || p.Err.Code > ErrUnauthenticated {
				return invalid("process %d: the error code %d is unknown", p.ID, int32(p.Err.Code))
			}
			infos[i].ErrorCode = int32(p.Err.Code)
			infos[i].ErrorMessage, infos[i].ErrorMessageSize = capi.StringData(p.Err.Message)
		}
	}
	var call capi.Call[capi.ClientUpdateGlobalProcessInfoArgs]
	if _, minor := c.table.Version(); c.table.Has(call.Function()) && minor < processInfoMinor {
		return &Error{Code: ErrUnimplemented, Func: call.Function().Name, Missing: true, Message: fmt.Sprintf(
			"the plugin has API %d.%d, whose form of the arguments was given up in %d.%d", capi.APIMajor, minor, capi.APIMajor, processInfoMinor)}
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return err
	}
	defer c.ref.Release()
	call.Args.Client = h
	call.Args.ProcessInfos, call.Args.NumProcessInfos = &infos[0], uintptr(len(processes))
	err = call.Do(c.table)
	runtime.KeepAlive(infos)
	return err
}
