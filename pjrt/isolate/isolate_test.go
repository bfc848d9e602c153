// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func newPlugin(t testing.TB) *pjrt.Plugin {
	t.Helper()
	return plugintest.Plugin(t)
}

func newCompiler(t testing.TB, opts isolate.Options) *isolate.Compiler {
	t.Helper()
	c, err := isolate.New(opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func newClient(t testing.TB, opts *pjrt.ClientOptions) *pjrt.Client {
	t.Helper()
	client, err := newPlugin(t).NewClient(context.Background(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// isolated returns a client that compiles in children.
func isolated(t testing.TB, opts isolate.Options) (*pjrt.Client, *isolate.Compiler) {
	t.Helper()
	c := newCompiler(t, opts)
	return newClient(t, &pjrt.ClientOptions{Compiler: c}), c
}

// withFaults are options of children whose plugin is faulty.
func withFaults() isolate.Options { return isolate.Options{Env: []string{faultsVariable + "=1"}} }

func text(code string) pjrt.Program { return pjrt.Program{Code: []byte(code)} }

// scale is a program that multiplies its argument by a number, after a comment.
func scale(by float32, comment string) pjrt.Program {
	return text(fmt.Sprintf(`// %s
module @scale {
  func.func @main(%%x: tensor<2xf32>) -> tensor<2xf32> {
    %%c = stablehlo.constant dense<%e> : tensor<2xf32>
    %%0 = stablehlo.multiply %%x, %%c : tensor<2xf32>
    return %%0 : tensor<2xf32>
  }
}`, comment, by))
}

// run executes a program of one argument and one result.
func run(t testing.TB, exe *pjrt.LoadedExecutable, values ...float32) []float32 {
	t.Helper()
	ctx := context.Background()
	x, err := pjrt.FromSlice(ctx, exe.Client(), values, int64(len(values)))
	require.NoError(t, err)
	defer x.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	result, err := pjrt.ToSlice[float32](ctx, outs[0])
	require.NoError(t, err)
	return result
}

// works proves that the client compiles and executes programs.
func works(t testing.TB, client *pjrt.Client) {
	t.Helper()
	exe, err := client.Compile(context.Background(), scale(3, "works"), nil)
	require.NoError(t, err)
	defer exe.Close()
	require.Equal(t, []float32{3, 6}, run(t, exe, 1, 2))
}

const programs = "../../tools/pjrt/testdata/programs"

// Each program gives the same bytes, and the executables describe themselves alike.
func TestIsolatedExecutablesAreTheSame(t *testing.T) {
	type program struct {
		Name, Program string
		Args          []struct{ File, Dtype string }
	}
	manifest, err := os.ReadFile(filepath.Join(programs, "manifest.json"))
	require.NoError(t, err)
	var m struct{ Programs []program }
	require.NoError(t, json.Unmarshal(manifest, &m))
	require.Greater(t, len(m.Programs), 80)
	if testing.Short() {
		m.Programs = slices.DeleteFunc(m.Programs, func(p program) bool {
			return !slices.Contains([]string{"argsort", "donated_argument", "bytecode_sort", "no_outputs", "no_arguments", "int4"}, p.Name)
		})
		require.Len(t, m.Programs, 6)
	}
	ctx := context.Background()
	client := newClient(t, nil)
	options := &pjrt.CompileOptions{Compiler: newCompiler(t, isolate.Options{})}
	for _, p := range m.Programs {
		t.Run(p.Name, func(t *testing.T) {
			code, err := os.ReadFile(filepath.Join(programs, p.Program))
			require.NoError(t, err)
			var results [2][]pjrt.HostArray
			var executables [2]*pjrt.LoadedExecutable
			for i, opts := range []*pjrt.CompileOptions{nil, options} {
				exe, err := client.Compile(ctx, pjrt.Program{Code: code}, opts)
				require.NoError(t, err)
				defer exe.Close()
				executables[i] = exe
				shapes, err := exe.Parameters()
				require.NoError(t, err)
				var args []*pjrt.Buffer
				for k, a := range p.Args {
					array, err := npy.ReadFileAs(filepath.Join(programs, a.File), shapes[k].Type)
					require.NoError(t, err)
					b, err := client.BufferFromHost(ctx, array, nil)
					require.NoError(t, err)
					defer b.Close()
					args = append(args, b)
				}
				outs, err := exe.Execute(ctx, args, nil)
				require.NoError(t, err)
				for _, o := range outs {
					a, err := o.ToHost(ctx)
					require.NoError(t, err)
					require.NoError(t, o.Close())
					results[i] = append(results[i], a)
				}
			}
			require.Equal(t, results[0], results[1])
			same(t, executables[0], executables[1])
			data, err := executables[1].Serialize(ctx)
			require.NoError(t, err, "the bytes of the child are kept")
			again, err := client.DeserializeAndLoad(ctx, data, nil)
			require.NoError(t, err)
			require.NoError(t, again.Close())
		})
	}
}

// same compares what executables say about themselves.
func same(t *testing.T, a, b *pjrt.LoadedExecutable) {
	t.Helper()
	assert.Equal(t, a.Name(), b.Name())
	assert.Equal(t, a.Devices(), b.Devices())
	assert.Equal(t, a.NumOutputs(), b.NumOutputs())
	for _, f := range []func(*pjrt.LoadedExecutable) (any, error){
		func(e *pjrt.LoadedExecutable) (any, error) { return e.Parameters() },
		func(e *pjrt.LoadedExecutable) (any, error) { return e.Outputs() },
		func(e *pjrt.LoadedExecutable) (any, error) { return e.Fingerprint() },
		func(e *pjrt.LoadedExecutable) (any, error) { return e.MemoryStats() },
		func(e *pjrt.LoadedExecutable) (any, error) { return e.DeviceAssignment() },
	} {
		x, errX := f(a)
		y, errY := f(b)
		assert.Equal(t, x, y)
		assert.Equal(t, errX, errY)
	}
}

func TestDevicesOptionsAndFormatsReachTheChild(t *testing.T) {
	ctx := context.Background()
	compiler := newCompiler(t, isolate.Options{})
	client := newClient(t, &pjrt.ClientOptions{
		Compiler: compiler, Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: int64(4)}},
	})
	opts := &pjrt.CompileOptions{Replicas: 2, DeviceIDs: [][]int{{3}, {1}}}
	exe, err := client.Compile(ctx, scale(2, ""), opts)
	require.NoError(t, err)
	defer exe.Close()
	ids, err := exe.DeviceAssignment()
	require.NoError(t, err)
	assert.Equal(t, [][]int{{3}, {1}}, ids)
	require.Len(t, exe.Devices(), 2)
	assert.Equal(t, 2, exe.NumReplicas())

	portable, err := client.Compile(ctx, scale(2, ""), &pjrt.CompileOptions{Portable: true})
	require.NoError(t, err)
	defer portable.Close()
	assert.Empty(t, portable.Devices())
	assert.Len(t, compiler.IdleProcesses(), 1, "one child does it all")

	key, err := client.CompileKey(scale(2, ""), opts)
	require.NoError(t, err)
	direct := newClient(t, &pjrt.ClientOptions{Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: int64(4)}}})
	want, err := direct.CompileKey(scale(2, ""), opts)
	require.NoError(t, err)
	assert.Equal(t, want, key, "a cache need not tell them apart")
}

func TestErrorsOfThePluginAreTheSame(t *testing.T) {
	ctx := context.Background()
	direct := newClient(t, nil)
	client, compiler := isolated(t, isolate.Options{})
	for name, p := range map[string]pjrt.Program{
		"syntax":       text("module @x {"),
		"empty":        {},
		"unknown call": text(`func.func @main(%a: tensor<f32>) -> tensor<f32> { %0 = stablehlo.custom_call @nobody(%a) {api_version = 4 : i32} : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }`),
		"refused":      text("func.func private @main()"),
	} {
		_, want := direct.Compile(ctx, p, nil)
		require.Error(t, want, name)
		_, err := client.Compile(ctx, p, nil)
		require.Error(t, err, name)
		assert.Equal(t, want.Error(), err.Error(), name)
		assert.Equal(t, capi.CodeOf(want), capi.CodeOf(err), name)
	}
	works(t, client)
	assert.Len(t, compiler.IdleProcesses(), 1, "errors do not cost a child")
}

// killers end the process when the CPU plugin compiles them, and the checks of package pjrt do not
// know them.
var killers = map[string]struct {
	code, signal, output string
	flags                map[string]any
}{
	"sharding of no mesh":     {code: divided("", onMesh), signal: "SIGABRT", output: "Check failed"},
	"alias of an empty entry": {code: aliasing("[{}]"), signal: "SIGSEGV"},
}

func TestACrashOfTheCompilerIsAnError(t *testing.T) {
	ctx := context.Background()
	client, compiler := isolated(t, isolate.Options{})
	dir := t.TempDir()
	pjrt.SaveFailedPrograms(dir)
	defer pjrt.SaveFailedPrograms("")
	for name, k := range killers {
		exe, err := client.Compile(ctx, text(k.code), &pjrt.CompileOptions{Flags: k.flags})
		require.Error(t, err, name)
		assert.Nil(t, exe)
		require.ErrorIs(t, err, pjrt.ErrInternal, name)
		var crash *isolate.Crash
		require.ErrorAs(t, err, &crash, name)
		assert.Equal(t, k.signal, crash.Signal, name)
		assert.Contains(t, crash.Output, k.output, name)
		assert.NotContains(t, crash.Output, "goroutine", name)
		assert.Contains(t, err.Error(), "died of "+k.signal, name)
		_, path, ok := strings.Cut(err.Error(), "the program was saved as ")
		require.True(t, ok, err.Error())
		saved, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, k.code, string(saved), name)
		report, err := os.ReadFile(strings.TrimSuffix(path, filepath.Ext(path)) + ".error.txt")
		require.NoError(t, err)
		assert.Contains(t, string(report), k.signal)
		assert.Empty(t, compiler.IdleProcesses(), name)
		works(t, client)
	}
}

// These end the process too. Package pjrt refuses them, so they go to the compiler without it.
// The program itself checks what it gives to a child, and must survive that.
func TestProgramsNestedAMillionDeepAreRefusedWithoutAChild(t *testing.T) {
	t.Parallel()
	client, _ := isolated(t, isolate.Options{Command: []string{"a command that does not exist"}})
	for _, part := range []string{"#a = ", "!a = ", "callee = ", "(", "{a = ", "module {", "loc(", "tensor<?x, "} {
		exe, err := client.Compile(context.Background(), text(strings.Repeat(part, 1_000_000)), nil)
		require.Nil(t, exe)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, part)
		assert.ErrorContains(t, err, "in the program are nested more than", part)
	}
}

func TestKillersThatAreKnownAreErrorsToo(t *testing.T) {
	ctx := context.Background()
	compiler := newCompiler(t, isolate.Options{})
	plugin := newPlugin(t)
	options, err := newClient(t, nil).EncodeCompileOptions(nil)
	require.NoError(t, err)
	const recursion = "func.func @main(%a: tensor<f32>) -> tensor<f32> { %0 = func.call @main(%a) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }"
	for name, job := range map[string]compile.Job{
		"recursion":   {Code: []byte(recursion), Options: options},
		"declaration": {Code: []byte("func.func private @main()"), Options: options},
		"overflow": {
			Code:    []byte("func.func @main(%a: tensor<99999999999x99999999999xf32>) -> tensor<99999999999x99999999999xf32> { return %a : tensor<99999999999x99999999999xf32> }"),
			Options: options,
		},
		"no counts": {Code: scale(1, "").Code},
	} {
		job.Target, job.Format = compile.Target{Plugin: plugin.Path(), Kind: "cpu", Client: true}, "mlir"
		_, err := compiler.Compile(ctx, &job)
		var crash *isolate.Crash
		require.ErrorAs(t, err, &crash, name)
		assert.NotEmpty(t, crash.Signal, name)
	}
}

func TestACompilerThatExitsIsAnError(t *testing.T) {
	client, _ := isolated(t, withFaults())
	for comment, want := range map[string]isolate.Crash{
		"exit":  {ExitStatus: 7, Output: "the compiler gives up"},
		"panic": {ExitStatus: 2, Output: "panic: the plugin is written in Go"},
	} {
		_, err := client.Compile(context.Background(), scale(1, comment), nil)
		var crash *isolate.Crash
		require.ErrorAs(t, err, &crash, comment)
		assert.Empty(t, crash.Signal, comment)
		assert.Equal(t, want.ExitStatus, crash.ExitStatus, comment)
		assert.Zero(t, crash.Timeout, comment)
		assert.Contains(t, crash.Output, want.Output, comment)
		require.ErrorIs(t, err, pjrt.ErrInternal, comment)
		works(t, client)
	}
}

func TestACompilerThatHangsIsAnError(t *testing.T) {
	opts := withFaults()
	for opts.Timeout = 2 * time.Second; ; opts.Timeout *= 2 {
		client, _ := isolated(t, opts)
		_, err := client.Compile(context.Background(), scale(1, "hang"), nil)
		var crash *isolate.Crash
		require.ErrorAs(t, err, &crash)
		assert.Empty(t, crash.Signal)
		assert.Zero(t, crash.ExitStatus)
		assert.Equal(t, opts.Timeout, crash.Timeout)
		require.ErrorIs(t, err, pjrt.ErrDeadlineExceeded)
		exe, err := client.Compile(context.Background(), scale(2, ""), nil)
		busy := errors.As(err, &crash) && crash.Timeout > 0 || !strings.Contains(crash.Output, "the compiler thinks")
		if busy && opts.Timeout < time.Minute {
			continue // the time was up before the child had come to the compiler
		}
		require.NoError(t, err)
		defer exe.Close()
		assert.Equal(t, []float32{2, 4}, run(t, exe, 1, 2))
		assert.Contains(t, crash.Output, "the compiler thinks")
		return
	}
}

func TestAHangEndsWithTheContext(t *testing.T) {
	client, compiler := isolated(t, withFaults())
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := client.Compile(ctx, scale(1, "hang"), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Empty(t, compiler.IdleProcesses())

	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(time.Second, cancel)
	_, err = client.Compile(ctx, scale(1, "hang"), nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = client.Compile(ctx, scale(1, ""), nil)
	require.ErrorIs(t, err, context.Canceled)
	works(t, client)
}

// A crash is not final for a program if other programs may have damaged the child.
func TestACrashInAUsedChildIsTriedAgain(t *testing.T) {
	client, compiler := isolated(t, withFaults())
	works(t, client)
	first := compiler.IdleProcesses()
	exe, err := client.Compile(context.Background(), scale(2, "twice"), nil)
	require.NoError(t, err)
	defer exe.Close()
	assert.Equal(t, []float32{2, 4}, run(t, exe, 1, 2))
	assert.NotEqual(t, first, compiler.IdleProcesses())
}

func TestChildrenAreKeptAndReplaced(t *testing.T) {
	client, compiler := isolated(t, isolate.Options{Uses: 3})
	var seen []int
	for range 4 {
		works(t, client)
		if pids := compiler.IdleProcesses(); len(pids) == 1 {
			seen = append(seen, pids[0])
		} else {
			seen = append(seen, 0)
		}
	}
	assert.Equal(t, seen[0], seen[1], "kept")
	assert.Zero(t, seen[2], "ended after its last use")
	assert.NotEqual(t, seen[0], seen[3], "replaced")

	hasty, idle := isolated(t, isolate.Options{Idle: time.Millisecond})
	works(t, hasty)
	assert.Eventually(t, func() bool { return len(idle.IdleProcesses()) == 0 }, time.Minute, time.Millisecond)
	works(t, hasty)
}

func TestManyCompilationsShareAFewChildren(t *testing.T) {
	compiler := newCompiler(t, isolate.Options{Children: 2})
	clients := []*pjrt.Client{
		newClient(t, &pjrt.ClientOptions{Compiler: compiler}),
		newClient(t, &pjrt.ClientOptions{Compiler: compiler, Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: int64(2)}}}),
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			exe, err := clients[i%2].Compile(context.Background(), scale(float32(i), ""), nil)
			if assert.NoError(t, err) {
				assert.Equal(t, []float32{float32(i), 0}, run(t, exe, 1, 0))
				exe.Close()
			}
			assert.LessOrEqual(t, len(compiler.IdleProcesses()), 2)
		})
	}
	wg.Wait()
}

func TestCloseEndsCompilations(t *testing.T) {
	compiler := newCompiler(t, withFaults())
	client := newClient(t, &pjrt.ClientOptions{Compiler: compiler})
	works(t, client)
	time.AfterFunc(time.Second, func() { compiler.Close() })
	_, err := client.Compile(context.Background(), scale(1, "hang"), nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = client.Compile(context.Background(), scale(1, ""), nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	assert.Empty(t, compiler.IdleProcesses())
	require.NoError(t, compiler.Close())

	client.Close()
	other := newCompiler(t, isolate.Options{})
	_, err = client.Compile(context.Background(), scale(1, ""), &pjrt.CompileOptions{Compiler: other})
	require.ErrorIs(t, err, pjrt.ErrClosed)
	assert.Empty(t, other.IdleProcesses(), "nothing is compiled for a closed client")
}

// triples counts the handlers of the next test, which stay registered until the process ends.
var triples atomic.Int32

func TestCustomCallsHaveStubsInTheChild(t *testing.T) {
	client, compiler := isolated(t, isolate.Options{})
	works(t, client)
	pids := compiler.IdleProcesses()
	triple, err := cffi.NewHandler(func(frame *cffi.CallFrame) error {
		in, err := frame.Args.Buffer(0)
		if err != nil {
			return err
		}
		out, err := frame.Rets.Buffer(0)
		if err != nil {
			return err
		}
		from, err := cffi.Elements[float32](in)
		if err != nil {
			return err
		}
		to, err := cffi.Elements[float32](out)
		for i := range to {
			to[i] = 3 * from[i]
		}
		return err
	}, nil)
	require.NoError(t, err)
	// The child is running already.
	name := fmt.Sprintf("isolate_triple_%d", triples.Add(1))
	require.NoError(t, ffi.RegisterC(client.Plugin(), ffi.CustomCall{Target: name, Platform: "Host", Handler: triple}))
	exe, err := client.Compile(context.Background(), text(`func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @`+name+`(%a) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}`), nil)
	require.NoError(t, err)
	defer exe.Close()
	assert.Equal(t, []float32{3, 6}, run(t, exe, 1, 2))
	assert.Equal(t, pids, compiler.IdleProcesses())
}

func TestWhatAChildCannotHaveIsAnError(t *testing.T) {
	ctx := context.Background()
	compiler := newCompiler(t, isolate.Options{})
	target := compile.Target{Plugin: newPlugin(t).Path(), Kind: "cpu", Client: true}
	with := func(change func(*compile.Job)) *compile.Job {
		j := &compile.Job{Target: target, Code: scale(1, "@mine").Code, Format: "mlir"}
		change(j)
		return j
	}
	noTopology := func() ([]byte, error) { return nil, &capi.Error{Code: pjrt.ErrUnimplemented, Message: "none"} }
	for name, c := range map[string]struct {
		job  *compile.Job
		want string
	}{
		"transformation": {with(func(j *compile.Job) {
			j.Registered = []capi.Registration{{Function: (*capi.RegisterXLATransformArgs)(nil).Function(), Name: "pass"}}
		}), `the transformation "pass" is a function of this process`},
		"partitioner": {with(func(j *compile.Job) {
			j.Registered = []capi.Registration{{Function: (*capi.RegisterCustomPartitionerArgs)(nil).Function(), Name: "mine"}}
		}), `the partitioner of the custom call "mine"`},
		"peers":          {with(func(j *compile.Job) { j.Peers = true }), "CPU client of several processes"},
		"no path":        {with(func(j *compile.Job) { j.Plugin = "" }), "part of this program"},
		"no topology":    {with(func(j *compile.Job) { j.Kind, j.Topology = "tpu", noTopology }), "which the plugin cannot serialize"},
		"ahead of time":  {with(func(j *compile.Job) { j.Client, j.Topology = false, noTopology }), "which the plugin cannot serialize"},
		"unknown plugin": {with(func(j *compile.Job) { j.Kind, j.Topology = "", noTopology }), "which the plugin cannot serialize"},
	} {
		_, err := compiler.Compile(ctx, c.job)
		require.ErrorIs(t, err, pjrt.ErrUnimplemented, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	err := compiler.TryLoad(ctx, &compile.Load{
		Target:     compile.Target{Plugin: target.Plugin, Kind: "tpu", Client: true, Topology: func() ([]byte, error) { return []byte("x"), nil }},
		Executable: []byte("x"),
	})
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.Empty(t, compiler.IdleProcesses(), "no child was started")

	_, err = compiler.Compile(ctx, with(func(j *compile.Job) { j.Plugin = "/no/such/plugin.so" }))
	require.ErrorIs(t, err, pjrt.ErrUnavailable)
	assert.ErrorContains(t, err, "cannot open the plugin")
	// A partitioner that the program does not use is no obstacle.
	options, err := newClient(t, nil).EncodeCompileOptions(nil)
	require.NoError(t, err)
	result, err := compiler.Compile(ctx, with(func(j *compile.Job) {
		j.Options = options
		j.Registered = []capi.Registration{{Function: (*capi.RegisterCustomPartitionerArgs)(nil).Function(), Name: "theirs"}}
	}))
	require.NoError(t, err)
	assert.Equal(t, "scale", result.Name)
}

// Before API 0.115, XLA's CPU plugin does not compile for topologies, and the child says so.
func TestCompilationsForATopology(t *testing.T) {
	compiler := newCompiler(t, isolate.Options{})
	client := newClient(t, nil)
	topology, err := client.Topology()
	require.NoError(t, err)
	exe, err := client.Plugin().CompileFor(context.Background(), topology, scale(1, ""), &pjrt.CompileOptions{Compiler: compiler})
	if plugintest.Age(t) >= 115 {
		require.NoError(t, err)
		require.NoError(t, exe.Close())
		return
	}
	require.ErrorIs(t, err, pjrt.ErrNotFound)
	assert.ErrorContains(t, err, "the child process cannot compile for the topology")
	assert.Len(t, compiler.IdleProcesses(), 1)
}

// bits returns executables with one bit flipped.
func bits(data []byte, n int) [][]byte {
	var list [][]byte
	for i := range n {
		at := (i*2654435761 + 12345) % (8 * len(data))
		damaged := bytes.Clone(data)
		damaged[at/8] ^= 1 << (at % 8)
		list = append(list, damaged)
	}
	return list
}

func TestADamagedExecutableIsTriedInAChild(t *testing.T) {
	ctx := context.Background()
	compiler := newCompiler(t, isolate.Options{Timeout: time.Minute})
	client := newClient(t, nil)
	exe, err := client.Compile(ctx, scale(2, ""), nil)
	require.NoError(t, err)
	defer exe.Close()
	data, err := exe.Serialize(ctx)
	require.NoError(t, err)
	whole, err := compile.Decode(data)
	require.NoError(t, err)
	data = whole.Code // without the checksum that notices the damage
	options := &pjrt.LoadOptions{Trial: compiler, Foreign: true}
	loaded, err := client.DeserializeAndLoad(ctx, data, options)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4}, run(t, loaded, 1, 2))
	require.NoError(t, loaded.Close())

	crashes, refused, tried := 0, 0, 0
	for _, damaged := range bits(data, 400) {
		if testing.Short() && crashes > 0 {
			break
		}
		tried++
		exe, err := client.DeserializeAndLoad(ctx, damaged, options)
		var crash *isolate.Crash
		switch {
		case errors.As(err, &crash):
			require.ErrorIs(t, err, pjrt.ErrDataLoss)
			assert.Contains(t, err.Error(), "tried to load the executable")
			crashes++
		case err != nil:
			refused++
		default:
			require.NoError(t, exe.Close()) // it is not run: its code may be damaged
		}
	}
	t.Logf("of %d executables with a wrong bit, %d ended the child, and %d were refused", tried, crashes, refused)
	assert.NotZero(t, crashes)
	works(t, client)
}

func TestTheCacheOfAnIsolatedClient(t *testing.T) {
	ctx := context.Background()
	client, compiler := isolated(t, isolate.Options{})
	dir := t.TempDir()
	for i := range 2 {
		c, err := cache.Open(dir, cache.Options{Trial: compiler})
		require.NoError(t, err)
		exe, hit, err := c.Compile(ctx, client, scale(2, ""), nil)
		require.NoError(t, err)
		assert.Equal(t, i == 1, hit)
		assert.Equal(t, []float32{2, 4}, run(t, exe, 1, 2))
		require.NoError(t, exe.Close())
		s := c.Stats()
		require.NoError(t, s.Err)
		assert.Equal(t, [3]int{i, 1 - i, 1}, [3]int{s.Hits, s.Misses, s.Entries})
	}
}

func TestAnotherProgramCompiles(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	var output lockedBuffer
	opts := withFaults()
	opts.Command, opts.Output = []string{self, "-ignored"}, &output
	isolate.Enter(false) // this program need not call Main then
	client, _ := isolated(t, opts)
	isolate.Enter(true)
	works(t, client)
	_, err = client.Compile(context.Background(), scale(1, "exit"), nil)
	require.Error(t, err)
	assert.Contains(t, output.String(), "the compiler gives up")
}

// lockedBuffer is written by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// The kind of the plugin is not known, so only the option says that a child may have a client.
func TestASecondClient(t *testing.T) {
	ctx := context.Background()
	options, err := newClient(t, nil).EncodeCompileOptions(nil)
	require.NoError(t, err)
	target := compile.Target{Plugin: newPlugin(t).Path(), Client: true}
	compiler := newCompiler(t, isolate.Options{SecondClient: true})
	result, err := compiler.Compile(ctx, &compile.Job{Target: target, Code: scale(1, "").Code, Format: "mlir", Options: options})
	require.NoError(t, err)
	assert.Equal(t, "scale", result.Name)
	require.NoError(t, compiler.TryLoad(ctx, &compile.Load{Target: target, Executable: result.Executable}))

	list := []capi.Attribute{{Name: "preallocate", Value: true}, {Name: "visible_devices", Value: []int64{1}}}
	assert.Equal(t, list, isolate.CreateOptions(&compile.Target{Kind: "tpu", Create: list}))
	assert.Equal(t, []capi.Attribute{{Name: "visible_devices", Value: []int64{1}}, {Name: "preallocate", Value: false}},
		isolate.CreateOptions(&compile.Target{Kind: "cuda", Create: list}))
	assert.Equal(t, true, list[0].Value)
}

func TestMessages(t *testing.T) {
	key := []byte("0123456789abcdef")
	message, err := isolate.EncodeMessage(key, &isolate.Answer{Hello: 7, Error: &capi.Error{
		Code: pjrt.ErrNotFound, Message: "m", Func: "f", Payloads: []capi.Payload{{Key: "k", Value: []byte{1}}}, Missing: true,
	}})
	require.NoError(t, err)
	var a isolate.Answer
	require.NoError(t, isolate.ReadMessage(bytes.NewReader(message), key, &a))
	assert.Equal(t, 7, a.Hello)
	assert.Equal(t, &capi.Error{
		Code: pjrt.ErrNotFound, Message: "m", Func: "f", Payloads: []capi.Payload{{Key: "k", Value: []byte{1}}}, Missing: true,
	}, a.Error)
	for i := range message {
		require.Error(t, isolate.ReadMessage(bytes.NewReader(message[:i]), key, new(isolate.Answer)), "cut at %d", i)
	}
	require.Error(t, isolate.ReadMessage(bytes.NewReader(message), []byte("another key here"), new(isolate.Answer)))
	for i := range message { // a damaged message must not panic
		damaged := bytes.Clone(message)
		damaged[i] ^= 0xff
		_ = isolate.ReadMessage(bytes.NewReader(damaged), key, new(isolate.Answer))
	}
}

func TestWrongOptions(t *testing.T) {
	for _, opts := range []isolate.Options{
		{Children: -1}, {Timeout: -1}, {Memory: -1}, {Uses: -1}, {Idle: -1}, {Command: []string{""}},
	} {
		_, err := isolate.New(opts)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, "%+v", opts)
	}
	isolate.Enter(false)
	_, err := isolate.New(isolate.Options{})
	isolate.Enter(true)
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	assert.ErrorContains(t, err, "call it at the beginning of main")

	for _, command := range []string{"true", "/no/such/program"} {
		client, _ := isolated(t, isolate.Options{Command: []string{command}})
		_, err = client.Compile(context.Background(), scale(1, ""), nil)
		require.ErrorIs(t, err, pjrt.ErrUnavailable)
	}
}

func TestNilAndZero(t *testing.T) {
	ctx := context.Background()
	for _, c := range []*isolate.Compiler{nil, new(isolate.Compiler)} {
		_, err := c.Compile(ctx, &compile.Job{})
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorIs(t, c.TryLoad(ctx, &compile.Load{}), pjrt.ErrInvalidArgument)
		require.NoError(t, c.Close())
		_, err = newClient(t, nil).Compile(ctx, scale(1, ""), &pjrt.CompileOptions{Compiler: c})
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	}
	c := newCompiler(t, isolate.Options{})
	_, err := c.Compile(ctx, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.ErrorIs(t, c.TryLoad(ctx, nil), pjrt.ErrInvalidArgument)
	var crash *isolate.Crash
	assert.Equal(t, "no crash", crash.Error())
	require.NoError(t, crash.Unwrap())
}

func TestTheEnvironmentOfAChild(t *testing.T) {
	assert.Equal(t, []string{"A=1", "XLA_FLAGS=--x", "PJRT_SAVE_FAILED_PROGRAMS=d"}, isolate.ChildEnvironment([]string{
		"A=1", "PJRT_TRACE=f", "PJRT_TRACE_ONLY=x", "XLA_FLAGS=--x", "PJRT_RECORD=r", "PJRT_VALIDATE=v", "PJRT_SUMMARY=s",
		"GOTRACEBACK=crash", "PJRT_SAVE_FAILED_PROGRAMS=d", "PJRT_ISOLATE_CHILD=1",
	}))
}

func TestCrashesAreReadFromTheLastWords(t *testing.T) {
	for _, c := range []struct {
		signal        string
		status        int
		output, trace string
		want          isolate.Crash
	}{
		{"", 3, "a\n\nb\n", "", isolate.Crash{ExitStatus: 3, Output: "a\nb"}},
		{"SIGKILL", -1, "", "", isolate.Crash{Signal: "SIGKILL"}},
		{"", 2, "F1 check failed\nSIGABRT: abort\nPC=0x1 m=0\n", "SIGABRT: abort\nPC=0x1 m=0\n",
			isolate.Crash{Signal: "SIGABRT", Output: "F1 check failed"}},
		{"", 2, "x\npanic: y\n[signal SIGSEGV: segmentation violation]\n", "panic: y\n[signal SIGSEGV: segmentation violation]\n",
			isolate.Crash{Signal: "SIGSEGV", Output: "x"}},
		{"", 2, "x\nfatal error: y\n", "fatal error: y\n", isolate.Crash{ExitStatus: 2, Output: "x\nfatal error: y"}},
		{"SIGABRT", -1, "x\nF1126 06:43:06 a.cc:1] Check failed: 0 > 0\n" + strings.Repeat("    @ frame\n", 30), "",
			isolate.Crash{Signal: "SIGABRT", Output: "F1126 06:43:06 a.cc:1] Check failed: 0 > 0" + strings.Repeat("\n    @ frame", 19)}},
		{"", 2, strings.Repeat("line\n", 100), "", isolate.Crash{ExitStatus: 2, Output: strings.TrimSuffix(strings.Repeat("line\n", 20), "\n")}},
	} {
		got := isolate.NewCrash(c.signal, c.status, c.output, c.trace)
		want := c.want
		assert.Equal(t, [3]any{want.Signal, want.ExitStatus, want.Output}, [3]any{got.Signal, got.ExitStatus, got.Output})
	}
}

// substitute is a Compiler whose jobs name another file at the place of the plugin.
type substitute struct{ *isolate.Compiler }

func (s substitute) Compile(ctx context.Context, job *compile.Job) (*compile.Result, error) {
	other := *job
	other.File[0] ^= 1
	return s.Compiler.Compile(ctx, &other)
}

func TestAPluginWhoseFileWasReplacedDoesNotCompile(t *testing.T) {
	t.Parallel()
	compiler := newCompiler(t, isolate.Options{})
	client := newClient(t, &pjrt.ClientOptions{Compiler: substitute{compiler}})
	_, err := client.Compile(t.Context(), scale(2, ""), nil)
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	assert.ErrorContains(t, err, client.Plugin().Path()+" was replaced since this program opened it")
	works(t, newClient(t, &pjrt.ClientOptions{Compiler: compiler}))
}
