// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// soakFor is the environment variable that says how long TestSoak runs: make soak sets it.
const soakFor = "PJRT_SOAK"

const soakGoroutines = 16

// Sixteen goroutines do everything that TestRandomSequencesOfCalls does, for any length of
// time. Values must be right, memory must not grow, and in the end nothing may be left.
func TestSoak(t *testing.T) {
	if testing.Short() && os.Getenv(soakFor) == "" {
		t.Skip("does what TestRandomSequencesOfCalls does, for longer: make test-all, make soak")
	}
	plugin := plugintest.Path(t, "cpu")
	duration := 3 * time.Second
	if s := os.Getenv(soakFor); s != "" {
		var err error
		duration, err = time.ParseDuration(s)
		require.NoError(t, err, soakFor)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := self(t.Context())
	cmd.Env = append(os.Environ(), soakFor+"="+duration.String(), fuzzTrace+"="+trace, fuzzPlugin+"="+plugin)
	var failures bytes.Buffer
	cmd.Stdout, cmd.Stderr = os.Stdout, &failures
	require.NoError(t, cmd.Start())
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	var err error
	select {
	case err = <-over:
	case <-time.After(duration + 10*time.Minute):
		_ = cmd.Process.Kill()
		err = fmt.Errorf("stuck: %w", <-over)
	}
	if err != nil {
		t.Errorf("%v\n%s\n...\n%s\nthe last steps were\n%s", err, firstLines(failures.String(), 60), lastLines(failures.String(), 300),
			lastLines(readTrace(trace), 60))
	}
}

// soakMain runs the child process of TestSoak and returns its exit code.
func soakMain() int {
	duration, err := time.ParseDuration(os.Getenv(soakFor))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	trace, err := os.Create(os.Getenv(fuzzTrace))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer trace.Close()
	f := &fuzzer{trace: trace}
	if f.plugin, err = pjrt.Open(os.Getenv(fuzzPlugin)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	begin := time.Now()
	end := begin.Add(duration)
	goroutines := runtime.NumGoroutine()
	seed := uint64(begin.UnixNano())
	fmt.Printf("seed %d\n", seed)
	var steps atomic.Int64
	var workers sync.WaitGroup
	for i := range soakGoroutines {
		workers.Go(func() {
			w := &fuzzWorker{fuzzer: f, number: i, Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
			for time.Now().Before(end) && f.failures.Load() < 10 {
				w.step()
				steps.Add(1)
			}
		})
	}
	stopped := make(chan struct{})
	go func() { workers.Wait(); close(stopped) }()
	var sizes []int64
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for working := true; working; {
		select {
		case <-tick.C:
			u := measureUsage()
			sizes = append(sizes, u.resident)
			fmt.Printf("%4.0f minutes: %d calls, %d failures, %v\n", time.Since(begin).Minutes(), steps.Load(), f.failures.Load(), u)
		case <-stopped:
			working = false
		}
	}
	f.closeAll()
	f.checkLeft(goroutines)
	debug.FreeOSMemory()
	u := measureUsage()
	if grown := growth(sizes); grown > 1.2 {
		f.fail("memory grew to %.2f times what it was: %v MiB each minute", grown, sizes)
	}
	if u.threads > maxSoakThreads {
		f.fail("%d threads are left", u.threads)
	}
	verdict := "nothing failed"
	if n := f.failures.Load(); n > 0 {
		verdict = fmt.Sprintf("%d failures", n)
	}
	fmt.Printf("%v: %d calls, %s; in the end %v\n", time.Since(begin).Round(time.Second), steps.Load(), verdict, u)
	if f.failures.Load() > 0 {
		return 1
	}
	return 0
}

// maxSoakThreads bounds the threads of a process that has closed everything. Go keeps the
// threads of its goroutines that were in C at the same time.
const maxSoakThreads = 200

// growth compares the memory of the last third of a run with that of the second. It is 1
// for a run that is too short to tell.
func growth(sizes []int64) float64 {
	if len(sizes) < 6 {
		return 1
	}
	third := len(sizes) / 3
	median := func(list []int64) float64 {
		list = slices.Sorted(slices.Values(list))
		return float64(list[len(list)/2])
	}
	return median(sizes[2*third:]) / median(sizes[third:2*third])
}

// consumption is what the process uses.
type consumption struct {
	resident            int64 // MiB, 0 where the system does not say
	threads, goroutines int
	live                int // objects in the plugin
}

func (u consumption) String() string {
	return fmt.Sprintf("%d MiB, threads: %d, goroutines: %d, objects: %d", u.resident, u.threads, u.goroutines, u.live)
}

func measureUsage() consumption {
	u := consumption{goroutines: runtime.NumGoroutine()}
	for _, n := range lifetimes.Live() {
		u.live += n
	}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if kib, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			_, _ = fmt.Sscan(kib, &u.resident)
			u.resident /= 1024
		}
		if n, ok := strings.CutPrefix(line, "Threads:"); ok {
			_, _ = fmt.Sscan(n, &u.threads)
		}
	}
	return u
}
