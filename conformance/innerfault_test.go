// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux

package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// faultVariable names what TestInnerFault builds into the CPU plugin.
const faultVariable = "PJRT_CONFORMANCE_INNER_FAULT"

// slownessVariable is how many times longer than usual the checks of TestInnerFault may take, and
// how many times more calls they make.
const slownessVariable = "PJRT_CONFORMANCE_INNER_SLOWNESS"

func init() {
	testSuites["fault"] = underFault
	testSuites["hang"] = underHang
}

// underHang returns checks for a plugin in which a function does not return: two that do not call
// it, and eight that do.
func underHang() []check.Check {
	list := []check.Check{
		{Rule: "CLI-14", Run: func(t *check.T) { t.Client() }},
		{Rule: "CLI-13", Run: func(t *check.T) { t.Client() }},
	}
	timeout := 2 * time.Second
	if os.Getenv(faultVariable) == "hang again" {
		timeout = 16 * time.Second // later checks wait as long as a few compilations take
	}
	for i := range 8 {
		list = append(list, check.Check{Rule: fmt.Sprintf("BUF-%02d", i+1), Timeout: timeout, Run: func(t *check.T) {
			b := check.Upload(t, t.Client(), []float32{1, 2})
			for range 2 {
				check.Call(t, capi.BufferElementTypeArgs{Buffer: b})
			}
		}})
	}
	return list
}

// underFault returns the checks for the faulty plugin: three that share a process, and
// two that ask for one each. The second asks for the type of a buffer, which is where
// most faults are.
func underFault() []check.Check {
	ask := func(t *check.T, times int) {
		b := check.Upload(t, t.Client(), []float32{1, 2})
		for range times {
			check.Call(t, capi.BufferElementTypeArgs{Buffer: b})
		}
	}
	timeout, slowness := time.Duration(0), 1
	if limited(os.Getenv(faultVariable)) {
		slowness, _ = strconv.Atoi(os.Getenv(slownessVariable))
		timeout = time.Duration(slowness) * time.Second
	}
	return []check.Check{
		{Rule: "CLI-14", Run: func(t *check.T) { t.Client() }},
		{Rule: "BUF-01", Timeout: timeout, Run: func(t *check.T) { ask(t, 100*slowness) }},
		{Rule: "BUF-06", Run: func(t *check.T) { t.Client() }},
		{Rule: "BUF-11", Hostile: true, Run: func(t *check.T) { t.Client() }},
		{Rule: "BUF-12", Hostile: true, Run: func(t *check.T) { t.Client() }},
	}
}

// faultyHooks returns the hooks that make a fault. They keep their state in the folder
// dir.
func faultyHooks(fault, dir string) []serve.Hook {
	asked := func(f func()) []serve.Hook {
		return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.BufferElementTypeArgs) {
			f()
			c.Forward()
		})}
	}
	created := func(f func(*serve.Invocation)) []serve.Hook {
		return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) { f(c) })}
	}
	switch fault {
	case "fork":
		return asked(func() {
			if child := mutant.LibC("fork"); child == 0 {
				mutant.LibC("sleep", 60)
				mutant.LibC("_exit", 0)
			}
			mutant.LibC("_exit", 5)
		})
	case "hang":
		return asked(func() { select {} })
	case "hang again":
		var calls atomic.Int64
		return asked(func() {
			if calls.Add(1) > 1 {
				select {}
			}
		})
	case "kill":
		return asked(func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} })
	case "stop":
		return asked(func() {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			time.Sleep(time.Hour) // the threads stop one by one
		})
	case "spin":
		return asked(func() {
			for {
			}
		})
	case "close":
		return asked(func() {
			for fd := range uintptr(256) {
				mutant.LibC("close", fd+3)
			}
		})
	case "scribble":
		words := []byte("lost\n") // too short for an eventfd
		return asked(func() {
			for fd := range uintptr(256) {
				mutant.WriteTo(fd+3, words)
			}
		})
	case "slow":
		return []serve.Hook{serve.AroundAll(func(c *serve.Invocation) {
			time.Sleep(20 * time.Millisecond)
			c.Forward()
		})}
	case "costly":
		return created(func(c *serve.Invocation) {
			f, err := os.CreateTemp(dir, "client-*")
			if err != nil {
				panic(err)
			}
			f.Close()
			time.Sleep(3100 * time.Millisecond)
			c.Forward()
		})
	case "exclusive":
		lock, err := os.OpenFile(filepath.Join(dir, "device"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			panic(err)
		}
		return created(func(c *serve.Invocation) {
			if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
				c.Fail(capi.ErrorCodeFailedPrecondition, "the device is in use")
				return
			}
			c.Forward()
		})
	}
	panic(fmt.Sprintf("there is no fault %q", fault))
}

func TestInnerFault(t *testing.T) {
	fault := os.Getenv(faultVariable)
	if !inner() || fault == "" {
		return
	}
	Test(t, func(t testing.TB) *capi.API {
		real, err := capi.Open(plugintest.Path(t, "cpu"))
		require.NoError(t, err)
		table, err := serve.Wrap(real, faultyHooks(fault, os.Getenv(innerVariable))...)
		require.NoError(t, err)
		return table.API()
	}, fakeSuite("fault"), With(func(o *Options) {
		if strings.HasPrefix(fault, "hang") {
			o.suite, o.TimeoutFactor = "hang", 0.25
		}
		o.Reports, o.NoKnownWaivers, o.NoReruns, o.Jobs = os.Getenv(innerVariable), true, true, 2
		if fault == "stop" {
			o.TimeoutFactor = 0.5
		}
	}))
}

func TestFaultsAtRunTime(t *testing.T) {
	t.Parallel()
	for fault, test := range map[string]struct {
		verdict report.Verdict // of BUF-01
		found   string
		calls   string
	}{
		"fork":     {report.Abort, "expected an answer; the process was ended by exit(5)", "PJRT_Buffer_ElementType"},
		"kill":     {report.Crash, "expected an answer; the process died of SIGKILL: the plugin killed it, or something else did, such as the system when it was out of memory", "PJRT_Buffer_ElementType"},
		"stop":     {report.Timeout, "the process was stopped, as by SIGSTOP, and was then killed", "PJRT_Buffer_ElementType"},
		"spin":     {report.Timeout, "it did not end within", "PJRT_Buffer_ElementType"},
		"close":    {report.Abort, "the process lost its pipes to the suite: the plugin closed file descriptors that are not its own", "PJRT_Buffer_ElementType"},
		"scribble": {report.Fail, `the plugin wrote 500 bytes, beginning with "lost\nlost\n`, ""},
		"slow":     {report.Pass, "", ""},
	} {
		t.Run(fault, func(t *testing.T) {
			if testing.Short() && fault != "kill" {
				t.Skip("it takes seconds: make test-all")
			}
			t.Parallel()
			for slowness := 1; ; slowness *= 2 {
				start := time.Now()
				r := runFault(t, fault, t.TempDir(), fmt.Sprint(slownessVariable, "=", slowness))
				took := time.Since(start)
				x := r.Result("BUF-01")
				found := strings.Contains(strings.Join(x.Failures[:min(len(x.Failures), 1)], ""), test.found)
				called := test.calls == "" || len(x.Calls) > 0 && x.Calls[0] == test.calls
				if limited(fault) && slowness < 8 && (x.Verdict != test.verdict || !found || !called) {
					continue // a busy machine may not have come to the fault when the time was up
				}
				assert.Equal(t, test.verdict, x.Verdict, "%q", x.Failures)
				assert.True(t, found, "%q", x.Failures)
				assert.True(t, called, "%q", x.Calls)
				for _, other := range []string{"CLI-14", "BUF-06", "BUF-11", "BUF-12"} {
					assert.Equal(t, report.Pass, r.Result(other).Verdict, "%s: %q", other, r.Result(other).Failures)
				}
				assert.Less(t, took, 55*time.Second, "the run waits for nothing that the plugin left")
				break
			}
		})
	}
}

func TestAFunctionThatHungInThreeChecksIsNotWaitedForAgain(t *testing.T) {
	for fault, says := range map[string]string{
		"hang":       `^it needs PJRT_Buffer_ElementType, which did not return in BUF-0\d, BUF-0\d, BUF-0\d, and is not called any more$`,
		"hang again": `^it needs PJRT_Buffer_ElementType, which did not return in BUF-0\d, BUF-0\d, BUF-0\d, and here not within \d`,
	} {
		t.Run(fault, func(t *testing.T) {
			if testing.Short() && fault != "hang" {
				t.Skip("waits for functions that do not return: make test-all")
			}
			t.Parallel()
			r := runFault(t, fault, t.TempDir())
			count := make(map[report.Verdict]int)
			for i := range r.Results {
				x := &r.Results[i]
				count[x.Verdict]++
				switch x.Verdict {
				case report.Timeout:
					assert.Equal(t, []string{"PJRT_Buffer_ElementType"}, x.Hung)
				case report.Blocked:
					assert.Regexp(t, says, x.Skip)
					assert.Equal(t, report.Timeout, r.Result(x.BlockedBy).Verdict)
				default:
					assert.Contains(t, []string{"CLI-14", "CLI-13"}, x.Check)
				}
			}
			// Two processes run checks at a time: the last waits may begin together.
			assert.InDelta(t, 3.5, count[report.Timeout], 0.5, "%v", count)
			assert.Equal(t, 8, count[report.Timeout]+count[report.Blocked], "%v", count)
			assert.Equal(t, 2, count[report.Pass], "%v", count)
		})
	}
}

func TestACostlyClientIsMadeOncePerProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("clients are made slowly: make test-all")
	}
	t.Parallel()
	dir := t.TempDir()
	r := runFault(t, "costly", dir)
	assert.Equal(t, report.Conformant, r.Verdict)
	clients, err := filepath.Glob(filepath.Join(dir, "client-*"))
	require.NoError(t, err)
	// The probe of the plugin makes one, the probe for a client in a second process
	// makes another, and each of the two jobs makes its own.
	assert.Len(t, clients, 4)
}

func TestADeviceForOneProcessAtATimeGetsOneJob(t *testing.T) {
	t.Parallel()
	r := runFault(t, "exclusive", t.TempDir())
	assert.Equal(t, report.Conformant, r.Verdict, "%v", verdicts(r))
	assert.Equal(t, 1, r.Run.Jobs, "although two were asked for")
	assert.Contains(t, r.Capabilities.Exclusive, "the device is in use")
}

// limited reports whether a check has little time for a fault that cannot be seen without a limit.
func limited(fault string) bool { return fault == "stop" || fault == "spin" || fault == "slow" }

// runFault runs TestInnerFault in a process of its own and reads its report.
func runFault(t *testing.T, fault, dir string, environment ...string) *Report {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run", "^TestInnerFault$", "-test.timeout=5m")
	cmd.Env = append(append(os.Environ(), environment...), innerVariable+"="+dir, faultVariable+"="+fault)
	out, _ := cmd.CombinedOutput() // it fails when the plugin does
	r, err := report.ReadFile(filepath.Join(dir, "report.json"))
	require.NoError(t, err, "%s", out)
	assert.False(t, strings.Contains(string(out), "goroutine "), "%s", out)
	return r
}
