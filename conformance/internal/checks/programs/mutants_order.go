// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func orderFaults() []mutant.Mutant {
	return []mutant.Mutant{
		startsEarly("RUN-20/slow producers", "starts before the execution that makes its argument is done"),
		startsEarly("RUN-20/other threads", "waits for no argument that another thread's execution makes"),
		writesEarly("RUN-20/read, then donated"),
		inOneQueue("RUN-34"),
		readsScalars("RUN-02/scalars", "takes every scalar for 32 bits", func(dtype.Type) bool { return true }),
		readsScalars("RUN-02/complex scalars", "of a complex scalar only the real part arrives", dtype.Type.IsComplex),
	}
}

// reportedMutants returns faults that users have met.
func reportedMutants() []mutant.Mutant {
	return []mutant.Mutant{
		refusesScalars("RUN-02/complex scalars").ReportedAs("tt-xla#5622"),
		leavesReadable("DON-01", "an argument that was donated stays readable, and holds what the program wrote",
			func(int64, int, int) bool { return true }).ReportedAs("zml#748"),
		savesForItself("SER-03").ReportedAs("jax#38004"),
	}
}

// startsEarly makes a fault: a buffer that is not ready counts as zeros.
func startsEarly(check, words string) mutant.Mutant {
	return withClient(check, words, func(client *atomic.Pointer[capi.Client]) serve.Hook {
		return serve.Around(func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 0)
			forwardInstead(c, arguments[0], func(_ int, b *capi.Buffer) *capi.Buffer {
				if mutant.Unsettled(c.Table(), b) {
					return zerosLike(c.Table(), client.Load(), b)
				}
				return b
			})
		})
	})
}

// writesEarly makes a fault: an execution that a buffer is donated to writes into it while
// earlier ones still read it.
func writesEarly(check string) mutant.Mutant {
	return mutant.Hooked(check, "writes over a donated argument that earlier executions still read", func() []serve.Hook {
		var mu sync.Mutex
		readers, spoilt := make(map[*capi.Buffer][]*capi.Buffer), make(map[*capi.Buffer]bool) // results, by argument
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *execution) {
				if c.Forward(); c.Err() != nil {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				arguments, results := lists(a, 1)
				in, out := arguments[0][0], results[0][0]
				if !deleted(c.Table(), in) {
					readers[in] = append(readers[in], out)
					return
				}
				for _, b := range readers[in] {
					spoilt[b] = true
				}
			}),
			serve.Around(func(c *serve.Invocation, a *capi.BufferToHostBufferArgs) {
				c.Forward()
				mu.Lock()
				defer mu.Unlock()
				if c.Err() == nil && a.Dst != nil && spoilt[a.Src] {
					mutant.Await(c.Table(), a.Event)
					clear(mutant.BytesAt(a.Dst, a.DstSize)[:4])
				}
			}),
			serve.Around(func(c *serve.Invocation, a *capi.BufferDestroyArgs) {
				mu.Lock()
				delete(readers, a.Buffer)
				delete(spoilt, a.Buffer)
				mu.Unlock()
				c.Forward()
			}),
		}
	})
}

// inOneQueue makes a fault: executions complete in the order of their calls, whatever their
// device.
func inOneQueue(check string) mutant.Mutant {
	return mutant.Hooked(check, "has one queue for all devices", func() []serve.Hook {
		var mu sync.Mutex
		var queue []*capi.Event
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *execution) {
				if c.Forward(); c.Err() == nil && a.DeviceCompleteEvents != nil {
					mu.Lock()
					defer mu.Unlock()
					queue = append(queue, *a.DeviceCompleteEvents)
				}
			}),
			serve.Around(func(c *serve.Invocation, a *capi.EventIsReadyArgs) {
				c.Forward()
				mu.Lock()
				defer mu.Unlock()
				for _, e := range queue[:max(0, slices.Index(queue, a.Event))] {
					out, err := mutant.Try(c.Table(), capi.EventIsReadyArgs{Event: e})
					a.IsReady = a.IsReady && err == nil && out.IsReady
				}
			}),
			serve.Around(func(c *serve.Invocation, a *capi.EventDestroyArgs) {
				mu.Lock()
				queue = slices.DeleteFunc(queue, func(e *capi.Event) bool { return e == a.Event })
				mu.Unlock()
				c.Forward()
			}),
		}
	})
}

// readsScalars makes a fault: only half of a scalar's bytes are read.
func readsScalars(check, words string, which func(dtype.Type) bool) mutant.Mutant {
	return mutant.Of(check, words, func(c *serve.Invocation, a *capi.BufferToHostBufferArgs) {
		c.Forward()
		if c.Err() != nil || a.Dst == nil {
			return
		}
		e := mutant.TypeOf(c.Table(), a.Src)
		if len(mutant.DimsOf(c.Table(), a.Src)) == 0 && e.Size() > 4 && which(e) {
			mutant.Await(c.Table(), a.Event)
			data := mutant.BytesAt(a.Dst, a.DstSize)
			clear(data[len(data)/2:])
		}
	})
}

// refusesScalars makes a fault: complex numbers without dimensions are not known.
func refusesScalars(check string) mutant.Mutant {
	return mutant.Refuses(check, "takes arrays of complex numbers, and no complex scalar", capi.ErrorCodeInvalidArgument,
		func(a *capi.ClientBufferFromHostBufferArgs) bool {
			return dtype.Type(a.Type).IsComplex() && a.NumDims == 0
		})
}

// savesForItself makes a fault: what is serialized is the number of a program that only this
// process knows.
func savesForItself(check string) mutant.Mutant {
	return mutant.Hooked(check, "what one process saves, another cannot read back", func() []serve.Hook {
		var mu sync.Mutex
		var saved [][]byte
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.ExecutableSerializeArgs) {
				if c.Forward(); c.Err() != nil {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				saved = append(saved, capi.Bytes(a.SerializedBytes, a.SerializedBytesSize))
				number := fmt.Sprintf("program %d", len(saved)-1)
				a.SerializedBytesSize = uintptr(copy(mutant.View(a.SerializedBytes, a.SerializedBytesSize), number))
			}),
			serve.Around(func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
				mutant.Forward(c, a, func(a *capi.ExecutableDeserializeAndLoadArgs) {
					var i int
					mu.Lock()
					defer mu.Unlock()
					_, err := fmt.Sscanf(capi.String(a.SerializedExecutable, a.SerializedExecutableSize), "program %d", &i)
					if err == nil && i < len(saved) {
						a.SerializedExecutable, a.SerializedExecutableSize = capi.BytesData(saved[i])
					}
				})
			}),
		}
	})
}

// inPlaceMutants returns mutants in front of a plugin that compiles each product again before
// it executes it: on some processors XLA's CPU plugin itself caches second factors by their
// addresses.
func inPlaceMutants() []mutant.Mutant {
	anew := func(real *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
		return serve.Wrap(real, append(faults, compilesAnew()...)...)
	}
	var list []mutant.Mutant
	for _, check := range []string{"RUN-02/changed by donation", "RUN-02/changed by the host"} {
		list = append(list,
			mutant.Hooked(check, "keeps a packed copy of a factor for as long as its address does not change", remembersFactors).On(anew),
			mutant.Hooked(check, "gives the last result again for arguments at the same addresses", remembersResults).On(anew))
	}
	return list
}

// compilesAnew compiles programs that contain a product again for each execution.
func compilesAnew() []serve.Hook {
	var mu sync.Mutex
	programs := make(map[*capi.LoadedExecutable]func(t *capi.Table) *capi.LoadedExecutable)
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
			c.Forward()
			code := capi.String(a.Program.Code, a.Program.CodeSize)
			if c.Err() != nil || !strings.Contains(code, "dot_general") {
				return
			}
			client := a.Client
			mu.Lock()
			defer mu.Unlock()
			programs[a.Executable] = func(t *capi.Table) *capi.LoadedExecutable { return compileInstead(t, client, code) }
		}),
		serve.Around(func(c *serve.Invocation, a *execution) {
			mu.Lock()
			again := programs[a.Executable]
			mu.Unlock()
			if again == nil {
				c.Forward()
				return
			}
			own := again(c.Table())
			mutant.Forward(c, a, func(a *execution) { a.Executable = own })
			mutant.Try(c.Table(), capi.LoadedExecutableDestroyArgs{Executable: own})
		}),
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableDestroyArgs) {
			mu.Lock()
			delete(programs, a.Executable)
			mu.Unlock()
			c.Forward()
		}),
	}
}

// remembersFactors multiplies by a copy of the first second factor that a product found at an
// address.
func remembersFactors() []serve.Hook {
	type key struct {
		exe *capi.LoadedExecutable
		b   uintptr
	}
	var mu sync.Mutex
	products := make(map[*capi.LoadedExecutable]bool)
	factors := make(map[key]*capi.Buffer)
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
			c.Forward()
			mu.Lock()
			defer mu.Unlock()
			products[a.Executable] = strings.Contains(capi.String(a.Program.Code, a.Program.CodeSize), "dot_general")
		}),
		serve.Around(func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 1)
			mu.Lock()
			if products[a.Executable] {
				b := arguments[0][1]
				k := key{a.Executable, mutant.AddressOf(c.Table(), b)}
				if factors[k] == nil {
					factors[k] = copied(c.Table(), b)
				}
				arguments[0][1] = factors[k]
				defer func() { arguments[0][1] = b }()
			}
			mu.Unlock()
			c.Forward()
		}),
	}
}

// remembersResults returns a copy of the first result that a program of two arguments had for
// their addresses.
func remembersResults() []serve.Hook {
	type key struct {
		exe  *capi.LoadedExecutable
		a, b uintptr
	}
	var mu sync.Mutex
	results := make(map[key]*capi.Buffer)
	return []serve.Hook{serve.Around(func(c *serve.Invocation, a *execution) {
		arguments, outputs := lists(a, 1)
		if len(arguments[0]) != 2 {
			c.Forward()
			return
		}
		k := key{a.Executable, mutant.AddressOf(c.Table(), arguments[0][0]), mutant.AddressOf(c.Table(), arguments[0][1])}
		if c.Forward(); c.Err() != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if old := results[k]; old != nil {
			mutant.Try(c.Table(), capi.BufferDestroyArgs{Buffer: outputs[0][0]})
			outputs[0][0] = copied(c.Table(), old)
			return
		}
		results[k] = copied(c.Table(), outputs[0][0])
	})}
}
