// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package callbench

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// BenchmarkServe measures the same getter as BenchmarkCall with Go on the other side of the table: a plugin in Go, and
// the CPU plugin behind hooks, each called from Go and from C. The metrics are nanoseconds per call, and their ratio to
// those of a direct call from Go to the plugin.
func BenchmarkServe(b *testing.B) {
	real, err := capi.Open(plugintest.Path(b, "cpu"))
	require.NoError(b, err)
	var create capi.Call[capi.ClientCreateArgs]
	require.NoError(b, create.Do(real))
	client := create.Args.Client
	direct, err := capi.NewTable(real.API(), capi.Reentrant()) // never takes the short path
	require.NoError(b, err)

	table := func(t *serve.Table, err error) *capi.Table {
		b.Helper()
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, t.Close()) })
		return t.Capi()
	}
	served := table((&serve.Plugin{ClientProcessIndex: func(a *capi.ClientProcessIndexArgs) error {
		a.ProcessIndex = 0
		return nil
	}}).Serve())
	pass := serve.AroundAll(func(c *serve.Invocation) { c.Forward() })
	typed := serve.Around(func(c *serve.Invocation, _ *capi.ClientProcessIndexArgs) { c.Forward() })
	elsewhere := serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) { c.Forward() })

	fn := new(capi.Call[capi.ClientProcessIndexArgs]).Function()
	cArgs := (*capi.ClientProcessIndexArgs)(cMemory(unsafe.Sizeof(capi.ClientProcessIndexArgs{})))
	*cArgs = capi.ClientProcessIndexArgs{StructSize: capi.ClientProcessIndexArgsSize, Client: client}
	reused := new(capi.Call[capi.ClientProcessIndexArgs])
	reused.Args.Client = client

	type way = struct {
		name string
		run  func(n int)
	}
	fromGo := func(name string, t *capi.Table) way {
		return way{name, func(n int) {
			for range n {
				if reused.Do(t) != nil {
					panic("the call failed")
				}
			}
		}}
	}
	fromC := func(name string, t *capi.Table) way {
		code := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(t.API()), fn.Offset))
		return way{name, func(n int) { inC(code, unsafe.Pointer(cArgs), n) }}
	}
	one := table(serve.Wrap(direct, pass))
	compare(b, []way{
		fromGo("direct", direct),
		fromC("direct-from-C", direct),
		fromGo("served", served),
		fromC("served-from-C", served),
		fromGo("wrapped-1-hook", one),
		fromC("wrapped-1-hook-from-C", one),
		fromGo("wrapped-typed-hook", table(serve.Wrap(direct, typed))),
		fromGo("wrapped-3-hooks", table(serve.Wrap(direct, pass, typed, pass))),
		fromGo("wrapped-no-hook-here", table(serve.Wrap(direct, elsewhere))),
	}, "direct")
}
