// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// The C library's allocator keeps for each thread what compilers have freed on it.
func TestCallsThatTakeMuchMemoryAreMadeOnOneThread(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	made := make(map[string]map[int]int) // calls, by function and by thread
	var hooks []serve.Hook
	for _, f := range []*capi.Function{
		(*capi.ClientCompileArgs)(nil).Function(), (*capi.ExecutableOptimizedProgramArgs)(nil).Function(),
		(*capi.ExecutableSerializeArgs)(nil).Function(), (*capi.ExecutableDeserializeAndLoadArgs)(nil).Function(),
		(*capi.LoadedExecutableExecuteArgs)(nil).Function(),
	} {
		hooks = append(hooks, serve.AroundFunction(f, func(c *serve.Invocation) {
			mu.Lock()
			if made[f.Name] == nil {
				made[f.Name] = make(map[int]int)
			}
			made[f.Name][syscall.Gettid()]++
			mu.Unlock()
			c.Forward()
		}))
	}
	client := startClient(t, behind(t, raw.Table(plugintest.Plugin(t)), hooks...))
	a := upload(t, client, matrix(1, 2, 3, 4))
	const rounds = 3
	work := func(ctx context.Context) error {
		exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
		if err != nil {
			return err
		}
		defer exe.Close()
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, a}, nil)
		if err != nil {
			return err
		}
		outs[0].Close()
		saved, err := exe.Serialize(ctx)
		if err != nil {
			return err
		}
		loaded, err := client.DeserializeAndLoad(ctx, saved, nil)
		if err != nil {
			return err
		}
		return loaded.Close()
	}
	for _, ctx := range []context.Context{context.Background(), t.Context()} {
		for range rounds {
			runtime.LockOSThread() // so that the other goroutine has another thread
			over := make(chan struct{})
			go func() {
				defer close(over)
				runtime.LockOSThread() // without unlocking, so that the next one has another thread too
				assert.NoError(t, work(ctx))
			}()
			<-over
			runtime.UnlockOSThread()
		}
	}
	mu.Lock()
	defer mu.Unlock()
	threads := make(map[int]bool)
	for name, by := range made {
		calls := 0
		for _, n := range by {
			calls += n
		}
		assert.GreaterOrEqual(t, calls, 2*rounds, name)
		if name == (*capi.LoadedExecutableExecuteArgs)(nil).Function().Name {
			assert.Greater(t, len(by), 1, "executions are for their callers' threads")
			continue
		}
		for id := range by {
			threads[id] = true
		}
	}
	assert.Len(t, made, len(hooks))
	assert.Len(t, threads, 1, "%v", made)
}
