// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// breaks returns a fault that spoils state: from the n-th call on all fail.
func breaks[A any](name, fault string, n int64) mutant.Mutant {
	return mutant.OfEach(name, fault, func(c *serve.Invocation, _ *A, call int64) {
		mutant.FailIf(c, call >= n, capi.ErrorCodeInternal, "%s", fault)
	})
}

// slow makes a fault in which each call takes longer.
func slow[A any](name, fault string, d time.Duration) mutant.Mutant {
	return mutant.Before(name, fault, func(_ *A) { time.Sleep(d) })
}

type (
	download = capi.BufferToHostBufferArgs
	execute  = capi.LoadedExecutableExecuteArgs
	compile  = capi.ClientCompileArgs
	upload   = capi.ClientBufferFromHostBufferArgs
	onReady  = capi.EventOnReadyArgs
)

// unheard is a plugin that forgets callbacks.
func unheard(name string) mutant.Mutant {
	return mutant.Of(name, "the callback of an event is forgotten", func(*serve.Invocation, *onReady) {}).Waiting()
}

// longerMutants returns the faults of checks that have longer forms, for each form.
func longerMutants() []mutant.Mutant {
	var ms []mutant.Mutant
	for _, variant := range []string{"", "/5s", "/60s"} {
		ms = append(ms,
			breaks[download]("THR-01"+variant, "downloads get into each other's way", 20),
			breaks[compile]("THR-03"+variant, "a compile fails while programs run", 3),
			breaks[upload]("THR-07"+variant, "a call that a signal interrupts fails", 20),
		)
	}
	for _, variant := range []string{"", "/many"} {
		ms = append(ms,
			breaks[download]("THR-02"+variant, "a buffer belongs to the thread that made it", 1),
			unheard("THR-04"+variant),
			breaks[upload]("THR-05"+variant, "what a thread holds is not freed when it ends", 100),
			unheard("THR-08"+variant),
			mutant.Leaks[capi.ClientLookupDeviceArgs]("LEAK-01"+variant, "the message of an error is never freed", 256),
			mutant.Leaks[capi.BufferReadyEventArgs]("LEAK-02"+variant, "an event is never freed", 256),
			mutant.Leaks[upload]("LEAK-03"+variant, "the staging memory of an upload is never freed", 16<<10),
			mutant.Leaks[execute]("LEAK-04"+variant, "the temporary memory of an execution is never freed", 16<<10),
			mutant.Leaks[upload]("LEAK-03"+variant, "a kilobyte of each upload is never freed", 1<<10),
			mutant.Leaks[execute]("LEAK-04"+variant, "a kilobyte of each execution is never freed", 1<<10),
			mutant.Leaks[capi.ExecutableSerializeArgs]("LEAK-07"+variant, "the bytes of a serialized program are never freed", 64<<10),
			mutant.Leaks[onReady]("LEAK-08"+variant, "what a callback was registered with is never freed", 2048),
			mutant.Leaks[capi.ClientCreateArgs]("LEAK-06"+variant, "the pool of a client is never freed", 16<<20),
			breaks[compile]("FUZZ-02"+variant, "a damaged program spoils those that follow", 5),
			mutant.After("FUZZ-04"+variant, "a deleted buffer does not say so", func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = false }),
		)
	}
	return ms
}

// onceMutants returns the faults of checks that have one form.
func onceMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Of("THR-06", "a program that was compiled on a small stack is lost", func(c *serve.Invocation, a *compile) {
			c.Forward()
			if a.Executable != nil && c.Err() == nil {
				mutant.Try(c.Table(), capi.LoadedExecutableDestroyArgs{Executable: a.Executable})
				a.Executable = nil
			}
		}),
		breaks[download]("THR-09", "a fork leaves a lock held", 2),
		mutant.Leaks[compile]("LEAK-05", "the code of a program is never freed", 1<<20),
		mutant.After("LEAK-09", "byte_strides are changed in the caller's array", func(a *upload) {
			if a.NumByteStrides > 0 {
				*a.ByteStrides = 0
			}
		}),
		unheard("FAULT-02"),
		mutant.Of("FAULT-04", "a client without files is said to be there", func(c *serve.Invocation, a *capi.ClientCreateArgs) {
			if c.Forward(); !filesLeft() {
				a.Client = nil
				c.SetErr(nil)
			}
		}),
		mutant.Before("FUZZ-02/options", "options are not read", func(a *compile) { a.CompileOptions, a.CompileOptionsSize = capi.BytesData(check.Devices(1, 1)) }),
		mutant.Hooked("FUZZ-03", "what is missing from an executable is taken from the last one", whole),
		breaks[capi.ExecutableDeserializeAndLoadArgs]("FUZZ-03/changed bytes", "a damaged executable spoils those that follow", 3),
		slow[execute]("PERF-01", "an execution waits for a timer", 5*time.Millisecond),
		slow[upload]("PERF-02", "an upload waits for a timer", 60*time.Millisecond),
		mutant.Before("PERF-03", "large programs take much longer", func(a *compile) {
			if a.Program.CodeSize > 8000 {
				time.Sleep(6 * time.Second)
			}
		}),
		mutant.After("PERF-04", "waiting polls with a pause", func(_ *capi.EventAwaitArgs) { time.Sleep(5 * time.Millisecond) }),
		breaks[execute]("PERF-05", "an execution fails while another runs", 3),
		mutant.Leaks[upload]("PERF-06", "each buffer takes a block of 64 KiB", 64<<10),
		mutant.Hooked("PERF-07", "threads wait for each other in turns", func() []serve.Hook {
			// A mutex would not do: its holder would get it again before others wake.
			var tickets, turn atomic.Int64
			return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *execute) {
				for ticket := tickets.Add(1) - 1; turn.Load() != ticket; {
					time.Sleep(4 * time.Millisecond)
				}
				defer turn.Add(1)
				c.Forward()
			})}
		}),
		slow[capi.ClientLookupDeviceArgs]("PERF-08", "a lookup copies the map of devices", 2*time.Millisecond),
		mutant.Before("PERF-09", "a product is a sum", func(a *compile) {
			a.Program = check.Program("mlir", replaceProduct(capi.String(a.Program.Code, a.Program.CodeSize)))
		}),
	}
}

// whole makes a plugin that loads the last executable that it serialized, whatever
// bytes it is given.
func whole() []serve.Hook {
	var mu sync.Mutex
	var last []byte
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.ExecutableSerializeArgs) {
			c.Forward()
			mu.Lock()
			defer mu.Unlock()
			last = capi.Bytes(a.SerializedBytes, a.SerializedBytesSize)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
			mu.Lock()
			data := last
			mu.Unlock()
			mutant.Forward(c, a, func(a *capi.ExecutableDeserializeAndLoadArgs) {
				a.SerializedExecutable, a.SerializedExecutableSize = capi.BytesData(data)
			})
		}),
	}
}

// replaceProduct makes the program of matmul add instead of multiplying.
func replaceProduct(code string) string {
	lines := strings.Split(code, "\n")
	for i, l := range lines {
		if strings.Contains(l, "dot_general") {
			typ := l[strings.LastIndex(l, "tensor<"):]
			lines[i] = "  %0 = stablehlo.add %a, %a : " + typ
		}
	}
	return strings.Join(lines, "\n")
}
