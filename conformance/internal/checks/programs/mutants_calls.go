// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"runtime/debug"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// hoard keeps memory for ever.
type hoard struct {
	mu   sync.Mutex
	kept [][]byte
}

// newHoard makes one that is empty. Memory that the program has and does not use
// would hide what it takes, so that goes back to the system first.
func newHoard() *hoard {
	debug.FreeOSMemory()
	return new(hoard)
}

// add keeps n bytes more, which are written to: memory that nobody touched is
// not there.
func (h *hoard) add(n int) {
	b := make([]byte, n)
	for i := 0; i < n; i += 1024 {
		b[i] = 1
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, b)
}

// counted reads the counts and the device assignment of compile options; nil
// when there is none, or none that makes sense.
func counted(o []byte) (replicas, partitions int, assignment [][]int) {
	_ = fields(o, func(n protowire.Number, _ uint64, build []byte) error {
		if n != 3 {
			return nil
		}
		return fields(build, func(n protowire.Number, value uint64, b []byte) error {
			switch n {
			case 4:
				replicas = int(value)
			case 5:
				partitions = int(value)
			case 9:
				_, _, ids, err := readDeviceAssignment(b)
				if err == nil {
					assignment = ids
				}
			}
			return nil
		})
	})
	return replicas, partitions, assignment
}

// lists returns what an execution points to: the arguments and the places of the
// results of each device. outputs is the number of results.
func lists(a *capi.LoadedExecutableExecuteArgs, outputs int) (arguments, results [][]*capi.Buffer) {
	for _, p := range capi.Slice(a.ArgumentLists, a.NumDevices) {
		arguments = append(arguments, view(p, a.NumArgs))
	}
	for _, p := range capi.Slice(a.OutputLists, a.NumDevices) {
		results = append(results, view(p, uintptr(outputs)))
	}
	return arguments, results
}

// outputsOf asks a plugin how many results a loaded executable has.
func outputsOf(t *capi.Table, exe *capi.LoadedExecutable) int {
	g := &capi.Call[capi.LoadedExecutableGetExecutableArgs]{Args: capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: exe}}
	if g.Do(t) != nil {
		return 0
	}
	n := &capi.Call[capi.ExecutableNumOutputsArgs]{Args: capi.ExecutableNumOutputsArgs{Executable: g.Args.Executable}}
	_ = n.Do(t)
	destroyed(t, capi.ExecutableDestroyArgs{Executable: g.Args.Executable})
	return int(n.Args.NumOutputs)
}

// onArguments makes a fault of execution that changes the arguments of each
// device.
func onArguments(check, words string, change func(list []*capi.Buffer)) fault {
	return of(check, words, func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
		kept := a.ArgumentLists
		arguments, _ := lists(a, 0)
		pointers := make([]**capi.Buffer, len(arguments)+1)
		for i, list := range arguments {
			own := append([]*capi.Buffer(nil), list...)
			change(own)
			if len(own) > 0 {
				pointers[i] = &own[0]
			}
		}
		a.ArgumentLists = &pointers[0]
		c.Forward()
		a.ArgumentLists = kept
	})
}

// onOutputs makes a fault of execution that changes the list of the results of
// each device.
func onOutputs(check, words string, change func(list []*capi.Buffer)) fault {
	return of(check, words, func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
		if c.Forward(); c.Err() != nil {
			return
		}
		_, results := lists(a, outputsOf(c.Table(), a.Executable))
		for _, list := range results {
			change(list)
		}
	})
}

// garbles makes a fault of downloads: the n-th gives a wrong byte.
func garbles(check string, n int64) fault {
	return fault{check, "reads a wrong byte once in a while", func() []serve.Hook {
		now := nth(n)
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.BufferToHostBufferArgs) {
			c.Forward()
			if a.Dst == nil || c.Err() != nil || !now() {
				return
			}
			e := &capi.Call[capi.EventAwaitArgs]{Args: capi.EventAwaitArgs{Event: a.Event}}
			_ = e.Do(c.Table())
			flipByte(a.Dst)
		})}
	}, false}
}

// endsWith makes a fault: once the function that takes A was called, events are
// errors.
func endsWith[A any](check, words string) fault {
	return fault{check, words, func() []serve.Hook {
		var ended sync.Map
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, _ *A) {
				ended.Store(0, true)
				c.Forward()
			}),
			serve.Around(func(c *serve.Invocation, _ *capi.EventAwaitArgs) {
				c.Forward()
				if _, ok := ended.Load(0); ok {
					c.Fail(capi.ErrorCodeCancelled, "what it needs is gone")
				}
			}),
		}
	}, false}
}
