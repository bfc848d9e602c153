// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package trace_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// BenchmarkCall measures calls of a getter that does almost nothing, so that the result is the cost
// of watching.
func BenchmarkCall(b *testing.B) {
	real, err := capi.Open(plugintest.Path(b, "cpu"))
	require.NoError(b, err)
	loop := func(table *capi.Table) func(b *testing.B) {
		return func(b *testing.B) {
			create := &capi.Call[capi.ClientCreateArgs]{}
			require.NoError(b, create.Do(table))
			c := &capi.Call[capi.ClientProcessIndexArgs]{}
			c.Args.Client = create.Args.Client
			b.ResetTimer()
			for b.Loop() {
				if err := c.Do(table); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			require.NoError(b, (&capi.Call[capi.ClientDestroyArgs]{Args: capi.ClientDestroyArgs{Client: create.Args.Client}}).Do(table))
		}
	}
	// The same table without the fast path for getters, which a table implemented in Go cannot use.
	plain, err := capi.NewTable(real.API(), capi.Reentrant())
	require.NoError(b, err)
	b.Run("direct", loop(plain))
	forward, err := serve.Wrap(real, serve.AroundAll(func(c *serve.Invocation) { c.Forward() }))
	require.NoError(b, err)
	defer forward.Close()
	b.Run("forward", loop(forward.Capi()))
	dir := b.TempDir()
	for _, m := range []struct {
		name   string
		config shim.Config
	}{
		{"summary", shim.Config{Summary: filepath.Join(dir, "summary")}},
		{"validate", shim.Config{Validate: filepath.Join(dir, "findings")}},
		{"trace text", shim.Config{Trace: filepath.Join(dir, "trace.txt")}},
		{"trace json", shim.Config{Trace: filepath.Join(dir, "trace.jsonl")}},
		{"trace chrome", shim.Config{Trace: filepath.Join(dir, "trace.json")}},
		{"record", shim.Config{Record: filepath.Join(dir, "session.jsonl")}},
		{"idle", shim.Config{}},
	} {
		s, err := shim.New(m.config)
		require.NoError(b, err)
		table, err := s.Wrap(real)
		require.NoError(b, err)
		b.Run(m.name, loop(table.Capi()))
		require.NoError(b, s.Close())
		require.NoError(b, table.Close())
	}
}
