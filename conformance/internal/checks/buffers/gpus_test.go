// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// likeGPUs returns plugins that do what XLA's plugin for CUDA 0.11.2 was seen to do on an
// H100, and that for CPUs does not.
func likeGPUs() []mutant.Mutant {
	var list []mutant.Mutant
	for _, name := range []string{
		"EVT-19", "H2D-13", "BUF-17/waiting", "BUF-19/waiting", "BUF-26", "VIEW-02", "VIEW-02/deleted", "UNI-20", "AH2D-29",
	} {
		list = append(list, mutant.Of(name, "executions wait for the data of their arguments",
			func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
				for _, b := range argumentsOf(a) {
					settle(c, b)
				}
				c.Forward()
			}).Waiting())
	}
	for _, name := range []string{"VIEW-01", "VIEW-08"} {
		list = append(list, mutant.Hooked(name, "uploads have their data when they are waited for", lateUploads))
	}
	return append(list, mutant.Hooked("VIEW-06", "programs refuse an address that is not aligned, views do not", refusedLater))
}

// argumentsOf returns the arguments of an execution, on all devices.
func argumentsOf(a *capi.LoadedExecutableExecuteArgs) (all []*capi.Buffer) {
	for _, arguments := range capi.Slice(a.ArgumentLists, a.NumDevices) {
		all = append(all, capi.Slice(arguments, a.NumArgs)...)
	}
	return all
}

// refusedLater returns the hooks of a plugin that makes views of any address, but does not
// execute programs with those that are not aligned.
func refusedLater() []serve.Hook {
	var askew sync.Map // the views, by their handles
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *viewOf) {
			address := a.DeviceBufferPtr
			if address%64 == 0 {
				c.Forward()
				return
			}
			block := check.Retain(check.Aligned(16, 64, 0))
			copy(block, check.MemoryAt(address, len(block)))
			a.DeviceBufferPtr = check.Address(block)
			c.Forward()
			a.DeviceBufferPtr = address
			askew.Store(a.Buffer, true)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
			for _, b := range argumentsOf(a) {
				if _, ok := askew.Load(b); ok {
					c.Fail(capi.ErrorCodeInternal, "the address is not a multiple of 16")
					return
				}
			}
			c.Forward()
		}),
	}
}

// lateUploads returns the hooks of a plugin for an accelerator, whose uploads arrive when
// somebody asks for their ready events.
func lateUploads() []serve.Hook {
	var mu sync.Mutex
	late := make(map[*capi.Buffer][]byte) // guarded by mu
	return []serve.Hook{
		mutant.Then(func(a *capi.ClientPlatformNameArgs) { mutant.Reply(a, []byte("accelerator")) }),
		serve.Around(func(c *serve.Invocation, a *uploadArgs) {
			size := count(a) * 4
			data := append([]byte(nil), mutant.BytesAt(a.Data, uintptr(size))...)
			a.Data = check.Pointer(check.Retain(make([]byte, size)))
			if c.Forward(); c.Err() == nil {
				mu.Lock()
				defer mu.Unlock()
				late[a.Buffer] = data
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.BufferReadyEventArgs) {
			mu.Lock()
			data := late[a.Buffer]
			delete(late, a.Buffer)
			mu.Unlock()
			if data != nil {
				if out, err := mutant.Try(c.Table(), opaqueArgs{Buffer: a.Buffer}); err == nil {
					check.Poke(out.DeviceMemoryPtr, data)
				}
			}
			c.Forward()
		}),
	}
}
