// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"sync/atomic"
	"syscall"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// platformMutants have faults in what they do to the process and its threads.
func platformMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Hooked("ERR-10", "keeps messages with the thread", func() []serve.Hook {
			var thread atomic.Int64
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ErrorMessageArgs) {
				c.Forward()
				thread.CompareAndSwap(0, int64(syscall.Gettid()))
				if thread.Load() != int64(syscall.Gettid()) {
					a.MessageSize = 0
				}
			})}
		}),
		mutant.Dies("LOAD-12/after=client", "changes the locale", func(*capi.ClientCreateArgs) bool {
			f := setlocale()
			return f == nil || f(allCategories, capi.CString("C.UTF-8")) == nil
		}),
		mutant.Dies("LOAD-12/after=client", "goes to another folder", func(*capi.ClientCreateArgs) bool {
			err := syscall.Chdir("/")
			return err != nil
		}),
	}
}
