// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// lists returns what an execution points to: each device's arguments, and the places of its
// results. outputs is the number of results.
func lists(a *capi.LoadedExecutableExecuteArgs, outputs int) (arguments, results [][]*capi.Buffer) {
	for _, p := range capi.Slice(a.ArgumentLists, a.NumDevices) {
		arguments = append(arguments, mutant.View(p, a.NumArgs))
	}
	for _, p := range capi.Slice(a.OutputLists, a.NumDevices) {
		results = append(results, mutant.View(p, uintptr(outputs)))
	}
	return arguments, results
}

// outputsOf asks a plugin how many results a loaded executable has.
func outputsOf(t *capi.Table, exe *capi.LoadedExecutable) int {
	e, err := mutant.Try(t, capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: exe})
	if err != nil {
		return 0
	}
	out, _ := mutant.Try(t, capi.ExecutableNumOutputsArgs{Executable: e.Executable})
	mutant.Try(t, capi.ExecutableDestroyArgs{Executable: e.Executable})
	return int(out.NumOutputs)
}

// onArguments makes a fault of execution: the arguments of each device are changed.
func onArguments(check, words string, change func(list []*capi.Buffer)) mutant.Mutant {
	return mutant.Before(check, words, func(a *capi.LoadedExecutableExecuteArgs) {
		arguments, _ := lists(a, 0)
		pointers := make([]**capi.Buffer, len(arguments)+1)
		for i, list := range arguments {
			own := slices.Clone(list)
			change(own)
			if len(own) > 0 {
				pointers[i] = &own[0]
			}
		}
		a.ArgumentLists = &pointers[0]
	})
}

// onOutputs makes a fault of execution: the list of each device's results is changed.
func onOutputs(check, words string, change func(list []*capi.Buffer)) mutant.Mutant {
	return mutant.Of(check, words, func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
		if c.Forward(); c.Err() != nil {
			return
		}
		_, results := lists(a, outputsOf(c.Table(), a.Executable))
		for _, list := range results {
			change(list)
		}
	})
}

// garbles makes a fault of downloads: the n-th one returns a wrong byte.
func garbles(check string, n int64) mutant.Mutant {
	return mutant.Hooked(check, "reads a wrong byte once in a while", func() []serve.Hook {
		now := nth(n)
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.BufferToHostBufferArgs) {
			c.Forward()
			if a.Dst == nil || c.Err() != nil || !now() {
				return
			}
			mutant.Await(c.Table(), a.Event)
			flipByte(a.Dst)
		})}
	})
}
