// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	structs "github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// Environment variables through which the tests of faulty plugins talk to their child
// processes.
const (
	faultyTest   = "PJRT_FAULTY_TEST"   // the function of the child
	faultyPlugin = "PJRT_FAULTY_PLUGIN" // the path of the plugin, or "" for the stand-in
	faultyFirst  = "PJRT_FAULTY_FIRST"  // the case to begin with
)

// neverReady has the functions that make something ready, or tell the caller that it is. If
// they only claim success, everything that waits for it stays alive, and ends with its
// context at the earliest.
var neverReady = map[string]bool{
	"PJRT_AsyncHostToDeviceTransferManager_SetBufferError": true,
	"PJRT_Buffer_Destroy":            true, // it ends the use of host memory
	"PJRT_Client_FulfillAliasBuffer": true,
	"PJRT_Event_OnReady":             true,
	"PJRT_Event_Set":                 true,
}

// plausibleLies are results that an honest plugin could also have. A call that fails because
// of them reports what it found, and cannot name the function that lied.
var plausibleLies = map[string]string{
	"PJRT_AsyncHostToDeviceTransferManager_BufferSize": "a size",
	"PJRT_Buffer_Dimensions":                           "the dimensions of a scalar, or large ones",
	"PJRT_Buffer_ElementType":                          "a type that is newer than this package",
	"PJRT_Buffer_IsOnCpu":                              "no",
	"PJRT_Buffer_OnDeviceSizeInBytes":                  "a size",
	"PJRT_Client_DmaMap":                               "nothing",
	"PJRT_DeviceDescription_Id":                        "a number",
	"PJRT_Device_LocalHardwareId":                      "a number",
	"PJRT_Executable_NumPartitions":                    "a number",
	"PJRT_LoadedExecutable_AddressableDevices":         "no devices, as for a portable program",
	"PJRT_RawBuffer_GetOnDeviceSizeInBytes":            "a size",
	"PJRT_TopologyDescription_GetDeviceDescriptions":   "no devices",
	"PJRT_TopologyDescription_GetMemorySpaceKindIds":   "no kinds of memory, or others",
	"PLUGIN_Profiler_Start":                            "nothing",
	"PLUGIN_Profiler_Stop":                             "nothing",
}

// The short tests try one in shortLies lies.
const shortLies = 16

// TestPluginsThatReportSuccessWithoutResults has each function of a plugin lie in turn: it reports
// success, but its results are null or, of the stand-in, incomplete or absurd. What programs do
// with such a plugin must neither crash nor hang, must name the function that lied if it fails, and
// must leave nothing alive.
func TestPluginsThatReportSuccessWithoutResults(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"stand-in": "", "CPU": plugintest.Path(t, "cpu")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cases := runFaulty(t, "liars", path)
			assert.Greater(t, cases, 100/shortLies, "functions were found at all")
		})
	}
}

// quickCompiler returns the variable that has XLA's plugin for CPUs compile small programs in
// less time: without optimizing and, where the plugin knows the flag, without the MLIR emitters. An
// unknown flag ends the process. Compiling is most of what a tour costs.
func quickCompiler(t testing.TB) string {
	flags := "XLA_FLAGS=--xla_backend_optimization_level=0"
	if plugintest.Age(t) < 115 {
		flags += " --xla_cpu_use_fusion_emitters=false"
	}
	return flags
}

// runFaulty runs the cases of a child process, in a new process after each crash, and
// returns how many there were.
func runFaulty(t *testing.T, test, path string, env ...string) (cases int) {
	t.Helper()
	for crashes := 0; crashes < 5; crashes++ {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		cmd := self(ctx, "-test.run=^TestFaultyChild$", "-test.timeout=9m")
		cmd.Env = append(append(os.Environ(), env...), quickCompiler(t),
			faultyTest+"="+test, faultyPlugin+"="+path, fmt.Sprintf("%s=%d", faultyFirst, cases),
			"TMPDIR="+t.TempDir()) // a child that ends early leaves its files behind
		if testing.Short() {
			cmd.Args = append(cmd.Args, "-test.short")
		}
		var failures bytes.Buffer
		cmd.Stderr = &failures
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		last, ended := "the beginning", false
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			kind, text, _ := strings.Cut(lines.Text(), " ")
			switch kind {
			case "case":
				last = text
				cases++
			case "finding":
				t.Errorf("%s: %s", last, strings.ReplaceAll(text, " | ", "\n"))
			case "note":
				t.Log(text)
			case "end":
				ended = true
			}
		}
		err = cmd.Wait()
		cancel()
		if ended && err == nil {
			return cases
		}
		t.Errorf("%s: the process ended: %v\n%s", last, err, firstLines(failures.String(), 60))
		if last == "the beginning" {
			break
		}
	}
	return cases
}

// compilesOnce returns a table that compiles each program once, and has all clients load the
// executable from its bytes, the first one too. Compiling is most of what a tour costs.
func compilesOnce(real *capi.Table) (*serve.Table, error) {
	var mu sync.Mutex
	saved := make(map[string][]byte)
	return serve.Wrap(real, serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
		mu.Lock()
		defer mu.Unlock()
		program := fmt.Sprintf("%s\x00%s", capi.Bytes(a.Program.Code, a.Program.CodeSize), capi.Bytes(a.CompileOptions, a.CompileOptionsSize))
		data, ok := saved[program]
		if !ok {
			if c.Forward(); c.Err() != nil {
				return
			}
			var err error
			if data, err = serialized(real, a.Executable); err != nil {
				return
			}
			saved[program] = data
		}
		var load capi.Call[capi.ExecutableDeserializeAndLoadArgs]
		load.Args.Client = a.Client
		load.Args.SerializedExecutable, load.Args.SerializedExecutableSize = capi.BytesData(data)
		if err := load.Do(real); err != nil {
			c.FailWith(err)
			return
		}
		runtime.KeepAlive(data)
		a.Executable = load.Args.LoadedExecutable
	}))
}

// serialized destroys an executable and returns its bytes.
func serialized(real *capi.Table, exe *capi.LoadedExecutable) ([]byte, error) {
	var of capi.Call[capi.LoadedExecutableGetExecutableArgs]
	of.Args.LoadedExecutable = exe
	if err := of.Do(real); err != nil {
		return nil, err
	}
	var s capi.Call[capi.ExecutableSerializeArgs]
	s.Args.Executable = of.Args.Executable
	err := s.Do(real)
	data := bytes.Clone(capi.Bytes(s.Args.SerializedBytes, s.Args.SerializedBytesSize))
	if err == nil {
		s.Args.SerializedExecutableDeleter.Call(s.Args.SerializedExecutable)
		var destroy capi.Call[capi.LoadedExecutableDestroyArgs]
		destroy.Args.Executable = exe
		err = destroy.Do(real)
	}
	var destroy capi.Call[capi.ExecutableDestroyArgs]
	destroy.Args.Executable = of.Args.Executable
	return data, errors.Join(err, destroy.Do(real))
}

// finding reports to the parent what is wrong.
func finding(format string, args ...any) {
	fmt.Println("finding", strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " | "))
}

func TestFaultyChild(t *testing.T) {
	test, ok := os.LookupEnv(faultyTest)
	if !ok {
		return // it only runs as the child of other tests
	}
	first := 0
	_, err := fmt.Sscan(os.Getenv(faultyFirst), &first)
	require.NoError(t, err)
	real, err := honestTable(os.Getenv(faultyPlugin))
	require.NoError(t, err)
	if os.Getenv(faultyPlugin) != "" {
		served, err := compilesOnce(real)
		require.NoError(t, err)
		real = served.Capi()
	}
	run := map[string]func(*testing.T, *capi.Table, int){"liars": liarsChild, "absent": absentChild, "flaky": flakyChild}[test]
	run(t, real, first)
	fmt.Println("end")
	os.Exit(0) // what lies leave behind is no concern of TestMain
}

// honest takes the tour with a plugin that works, and returns the calls that fail.
func honest(t *testing.T, real *capi.Table) map[string]bool {
	t.Helper()
	x := &tour{table: real, patience: patience, cacheDir: t.TempDir()}
	x.run(nil)
	failed := make(map[string]bool)
	for _, c := range x.calls {
		if c.err != nil {
			failed[c.step+"/"+c.name] = true
		}
	}
	if left := settled(nil); left != nil {
		t.Fatalf("an honest plugin leaves %v alive", left)
	}
	return failed
}

// settled waits until no more objects live than before, and returns what lives if there
// still are more.
func settled(before map[string]int) (left map[string]int) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		left = nil
		for kind, n := range pjrt.Live() {
			if n > before[kind] {
				left = pjrt.Live()
			}
		}
		if left == nil || time.Now().After(end) {
			return left
		}
	}
}

// watch ends the process, with the stacks of all goroutines, if the case does not end.
func watch(what string) (end func() bool) {
	return time.AfterFunc(time.Minute, func() { panic(what + " hangs") }).Stop
}

func liarsChild(t *testing.T, real *capi.Table, first int) {
	fails := honest(t, real)
	n, all := 0, 0
	for i, lie := range lies {
		if os.Getenv(faultyPlugin) != "" && lie.name != "nothing" {
			break // only callers see the others, which the stand-in tells in less time
		}
		for _, f := range wrappable(real) {
			if !lie.can(structs.Of(f)) {
				continue
			}
			if all++; testing.Short() && all%shortLies != 0 {
				continue
			}
			if n++; n <= first {
				continue
			}
			fmt.Println("case", f.Name, "with", lie.name)
			table, err := liar(real, f, i)
			require.NoError(t, err)
			before := pjrt.Live()
			// A context ends early where a call can end only with it.
			x := &tour{table: table.Capi(), patience: patience / 3, cacheDir: t.TempDir()}
			if neverReady[f.Name] {
				x.patience = 100 * time.Millisecond
			}
			end := watch(f.Name)
			x.run(nil)
			end()
			x.judge(f, fails)
			if !neverReady[f.Name] {
				if left := settled(before); left != nil {
					finding("%v were alive before, and %v are alive now", before, left)
				}
			}
			table.Close()
		}
	}
}

// judge reports what went wrong because the function f lied. fails are the calls that fail
// with honest plugins.
func (x *tour) judge(f *capi.Function, fails map[string]bool) {
	var first *tourCall
	named := false
	for i := range x.calls {
		c := &x.calls[i]
		switch {
		case errors.Is(c.err, errPanic) || errors.Is(c.err, errValue):
			finding("%s/%s: %v", c.step, c.name, c.err)
		case c.err == nil || fails[c.step+"/"+c.name]:
			continue
		case first == nil:
			first = c
		}
		named = named || strings.Contains(c.err.Error(), f.Name)
	}
	if first != nil && !named && plausibleLies[f.Name] == "" && !(neverReady[f.Name] && errors.Is(first.err, context.DeadlineExceeded)) {
		finding("%s/%s does not name the function: %v", first.step, first.name, first.err)
	}
}
