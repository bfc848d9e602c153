// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// launch is one execution from its checks to its end, with all memory that C reads for
// it. Later executions use it again.
type launch struct {
	exe   *LoadedExecutable
	entry *entry // of the executable
	opts  *ExecuteOptions
	bound *Bound // has the other arguments, or is nil

	// users are the caller, and whoever needs the launch until an event is ready. A launch
	// that is not in use has one, so that most executions need not change it.
	users     atomic.Int32
	admission admission
	inUse     bool // the executable is acquired
	inCall    bool // the plugin executes the program
	unknown   bool // the plugin failed to say whether the execution is over

	lists   [][]*Buffer // the arguments of the call, for each device
	devices []*Device   // run the program
	only    [1]*Device  // the device that the plugin is told to run on, or nil

	held     []heldArgument // are acquired until the call is over
	donated  []heldArgument // are acquired, and taken, until the execution is over
	copies   []*capi.Buffer // arguments that were copied for this execution, until it is over
	extended []func()       // from the execution's extensions, to be called at its end
	follows  following

	frame launchFrame
	calls bufferCalls
	event eventCalls
}

// heldArgument is an argument that a launch has acquired, and the turn that it takes.
type heldArgument struct {
	buffer *Buffer
	handle *capi.Buffer
	turn   turn
}

// following is what an execution must know so that no handler of a custom call waits for
// itself. The zero value is for an execution that handlers have nothing to do with.
type following struct {
	execution *inside.Execution // the execution itself, if a handler may ask for it
	arguments *standin.Set      // what the arguments wait for
	earlier   *standin.Set      // the ends of executions that the plugin may end first
}

// launchFrame is the memory that C reads and writes in PJRT_LoadedExecutable_Execute.
type launchFrame struct {
	call          capi.Call[capi.LoadedExecutableExecuteArgs]
	options       *capi.ExecuteOptions
	arguments     []*capi.Buffer
	argumentLists []**capi.Buffer
	outputs       []*capi.Buffer
	outputLists   []**capi.Buffer
	events        []*capi.Event
	keep          []int64 // parameters whose arguments are not donated
}
