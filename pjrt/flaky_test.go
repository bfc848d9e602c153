// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// TestPluginsThatFailAtRandom makes each call of a plugin fail with some probability, while
// several goroutines do what programs do: nothing may crash or hang, what succeeds must have
// the right values, and nothing may be left alive.
func TestPluginsThatFailAtRandom(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"stand-in": "", "CPU": plugintest.Path(t, "cpu")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Positive(t, runFaulty(t, "flaky", path))
		})
	}
}

// mayFail reports whether a function may fail without lasting harm: objects that cannot be
// destroyed stay, and events that cannot be set are never ready.
func mayFail(f *capi.Function) bool {
	return !f.Void && !neverReady[f.Name] && !strings.Contains(f.Name, "Destroy") && !strings.Contains(f.Name, "_Error_")
}

func flakyChild(t *testing.T, real *capi.Table, first int) {
	honest(t, real)
	seeds := 250
	switch {
	case testing.Short():
		seeds = 15
	case os.Getenv(faultyPlugin) != "":
		seeds = 80 // the stand-in takes a tenth of the time
	}
	failures, values := 0, 0
	for seed := first + 1; seed <= seeds; seed++ {
		odds := []float64{0.003, 0.02, 0.1}[seed%3]
		fmt.Println("case seed", seed, "with calls that fail with probability", odds)
		var mu sync.Mutex
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		on := true
		var failed []string // calls, in their order
		wrapped, err := serve.Wrap(real, serve.AroundAll(func(c *serve.Invocation) {
			mu.Lock()
			fail := on && mayFail(c.Function()) && random.Float64() < odds
			code := capi.ErrorCode(1 + random.IntN(16))
			if fail {
				failures++
				failed = append(failed, fmt.Sprintf("%s: %v", c.Function().Name, code))
			}
			mu.Unlock()
			if fail {
				c.Fail(code, "by chance")
				return
			}
			c.Forward()
		}))
		require.NoError(t, err)
		before := pjrt.Live()
		end := watch(fmt.Sprint("seed ", seed))
		var wait sync.WaitGroup
		for range 3 {
			x := &tour{table: wrapped.Capi(), patience: 10 * time.Second, cacheDir: t.TempDir()}
			wait.Go(func() {
				x.run(nil)
				mu.Lock()
				defer mu.Unlock()
				for _, c := range x.calls {
					if errors.Is(c.err, errPanic) || errors.Is(c.err, errValue) {
						finding("%s/%s: %v; these calls failed by chance:\n%s", c.step, c.name, c.err, strings.Join(failed, "\n"))
					}
					if c.err == nil {
						values++
					}
				}
			})
		}
		wait.Wait()
		end()
		if left := settled(before); left != nil {
			finding("%v were alive before, and %v are alive now", before, left)
		}
		mu.Lock()
		on = false
		mu.Unlock()
		wrapped.Close()
	}
	if failures == 0 || values == 0 {
		finding("%d plugin calls failed by chance, and %d calls of the tours succeeded", failures, values)
	}
	fmt.Println("note", failures, "plugin calls failed, and", values, "calls of the tours succeeded")
}
