// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// With this setting a collection ends the process if a cleanup keeps the object that it is for.
func TestNoCleanupKeepsItsOwnObject(t *testing.T) {
	t.Parallel()
	if !inChild(t, "GODEBUG=checkfinalizers=1") {
		return
	}
	ctx := context.Background()
	client := newClient(t)
	exe, a := compile(t, client, copies(2)), upload(t, client, floats(1, 2, 3, 4))
	args, outs := []*pjrt.Buffer{a, a}, make([]*pjrt.Buffer, 2)
	bound := bind(t, exe, argument(a))
	runtime.GC()
	for _, opts := range []*pjrt.ExecuteOptions{nil, reuse, {Bound: bound}} {
		list := args
		if opts != nil && opts.Bound != nil {
			list = args[:1]
		}
		executeAgain(t, exe, outs, list, opts)
		runtime.GC()
		closeAll(outs)
		runtime.GC() // with memory for the next results
	}
	results, done, err := exe.Start(ctx, args, nil)
	require.NoError(t, err)
	runtime.GC()
	require.NoError(t, done.Wait(ctx))
	done.Close()
	r, err := results[0].Reference(ctx)
	require.NoError(t, err)
	closeAll(results)
	runtime.GC() // with a closed Buffer in use
	r.Close()
	runtime.GC()
	_, err = exe.Execute(ctx, args, nil) // forgotten
	require.NoError(t, err)
	runtime.GC()
	runtime.GC()
	require.NoError(t, client.Close())
	runtime.GC()
	shared, err := client.Plugin().SharedClient(ctx, nil)
	require.NoError(t, err)
	runtime.GC()
	require.NoError(t, shared.Close())
	runtime.GC()
}

// Each function collects garbage the first times that it is called, while its arguments are in use.
func TestNoCleanupOfATourKeepsItsOwnObject(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"stand-in with all extensions": "", "CPU": plugintest.Path(t, "cpu")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !inChild(t, "GODEBUG=checkfinalizers=1", quickCompiler(t)) {
				return
			}
			real, err := honestTable(path)
			require.NoError(t, err)
			var mu sync.Mutex
			calls := make(map[*capi.Function]int)
			collecting, err := counted(real, func(f *capi.Function) {
				mu.Lock()
				calls[f]++
				first := calls[f] <= 3
				mu.Unlock()
				if first {
					runtime.GC()
				}
			})
			require.NoError(t, err)
			x := &tour{table: collecting.Capi(), patience: patience, cacheDir: t.TempDir()}
			x.run(nil)
			mu.Lock()
			defer mu.Unlock()
			assert.Greater(t, len(calls), 100, "functions were called")
		})
	}
}

// copies returns a program with n results, each the sum of its two arguments and
// another number.
func copies(n int) string {
	var body strings.Builder
	types, values := make([]string, n), make([]string, n)
	for i := range n {
		fmt.Fprintf(&body, "    %%c%d = stablehlo.constant dense<%d.0> : tensor<4xf32>\n", i, i)
		fmt.Fprintf(&body, "    %%s%d = stablehlo.add %%a, %%b : tensor<4xf32>\n", i)
		fmt.Fprintf(&body, "    %%r%d = stablehlo.add %%s%d, %%c%d : tensor<4xf32>\n", i, i, i)
		types[i], values[i] = "tensor<4xf32>", fmt.Sprintf("%%r%d", i)
	}
	ret := "return"
	if n > 0 {
		ret = fmt.Sprintf("return %s : %s", strings.Join(values, ", "), strings.Join(types, ", "))
	}
	return fmt.Sprintf("module @copies {\n  func.func @main(%%a: tensor<4xf32>, %%b: tensor<4xf32>) -> (%s) {\n%s    %s\n  }\n}", strings.Join(types, ", "), body.String(), ret)
}
