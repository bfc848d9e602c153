// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	other "github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// otherCompiler compiles with its own client.
type otherCompiler struct {
	client *pjrt.Client
	jobs   []*other.Job
	loads  []*other.Load
	result *other.Result // returned in place of compiling, if not nil
	err    error
}

func (o *otherCompiler) Compile(ctx context.Context, job *other.Job) (*other.Result, error) {
	o.jobs = append(o.jobs, job)
	if o.err != nil || o.result != nil {
		return o.result, o.err
	}
	options, err := pjrt.DecodeCompileOptions(job.Options)
	if err != nil {
		return nil, err
	}
	exe, err := o.client.Compile(ctx, pjrt.Program{Code: job.Code, Format: pjrt.Format(job.Format)}, options)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	data, err := exe.Serialize(ctx)
	return &other.Result{
		Executable: data, Name: exe.Name(), Replicas: 1, Partitions: 1, Outputs: []pjrt.Shape{{Type: dtype.F32, Dims: []int64{2, 2}}},
	}, err
}

func (o *otherCompiler) TryLoad(_ context.Context, load *other.Load) error {
	o.loads = append(o.loads, load)
	return o.err
}

func adds(t *testing.T, exe *pjrt.LoadedExecutable) {
	t.Helper()
	a, b := upload(t, exe.Client(), matrix(1, 2, 3, 4)), upload(t, exe.Client(), matrix(10, 20, 30, 40))
	outs, err := exe.Execute(context.Background(), []*pjrt.Buffer{a, b}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	got, err := outs[0].ToHost(context.Background())
	require.NoError(t, err)
	assert.Equal(t, matrix(11, 22, 33, 44), got)
}

func TestACompilerStandsInForThePlugin(t *testing.T) {
	ctx := context.Background()
	ofClient, ofProgram := &otherCompiler{client: newClient(t)}, &otherCompiler{client: newClient(t)}
	create := []pjrt.Attribute{{Name: "cpu_device_count", Value: int64(2)}}
	client, err := newClient(t).Plugin().NewClient(ctx, &pjrt.ClientOptions{Create: create, Compiler: ofClient})
	require.NoError(t, err)
	defer client.Close()
	for _, opts := range []*pjrt.CompileOptions{nil, {}, {Compiler: ofProgram}} {
		exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, opts)
		require.NoError(t, err)
		adds(t, exe)
		data, err := exe.Serialize(ctx)
		require.NoError(t, err, "although it was loaded from bytes")
		data[len(data)/2] ^= 1 // the caller's copy
		data, err = exe.Serialize(ctx)
		require.NoError(t, err)
		again, err := client.DeserializeAndLoad(ctx, data, nil)
		require.NoError(t, err)
		adds(t, again)
		require.NoError(t, again.Close())
		require.NoError(t, exe.Close())
		_, err = exe.Serialize(ctx)
		require.ErrorIs(t, err, pjrt.ErrClosed)
	}
	assert.Len(t, ofClient.jobs, 2)
	require.Len(t, ofProgram.jobs, 1)
	job := ofProgram.jobs[0]
	assert.Equal(t, add, string(job.Code))
	assert.Equal(t, "mlir", job.Format)
	want, err := client.EncodeCompileOptions(nil)
	require.NoError(t, err)
	assert.Equal(t, want, job.Options)
	assert.True(t, filepath.IsAbs(job.Plugin))
	assert.Equal(t, "cpu", job.Kind)
	assert.True(t, job.Client)
	assert.False(t, job.Peers)
	assert.Equal(t, create, job.Create)
	_, err = client.Compile(ctx, pjrt.Program{Code: []byte("func.func private @main()")}, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.Len(t, ofClient.jobs, 2, "programs are checked first")
}

func TestErrorsOfACompiler(t *testing.T) {
	ctx := context.Background()
	o := &otherCompiler{client: newClient(t)}
	client := newClient(t)
	opts := &pjrt.CompileOptions{Compiler: o}
	dir := t.TempDir()
	t.Setenv("PJRT_SAVE_FAILED_PROGRAMS", dir)
	files := func() int {
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		return len(list)
	}

	_, err := client.Compile(ctx, pjrt.Program{Code: []byte("module @x {")}, opts)
	_, want := client.Compile(ctx, pjrt.Program{Code: []byte("module @x {")}, nil)
	require.Equal(t, want.Error(), err.Error(), "a plugin's error stays as it is")
	assert.Equal(t, 3, files())

	own := errors.New("broken")
	for _, c := range []struct {
		err   error
		saved bool
	}{{own, true}, {context.DeadlineExceeded, true}, {context.Canceled, false}} {
		o.err = c.err
		exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, opts)
		require.ErrorIs(t, err, c.err)
		assert.Nil(t, exe)
		before, path, ok := strings.Cut(err.Error(), "; the program was saved as ")
		assert.Equal(t, c.saved, ok)
		assert.Equal(t, c.err.Error(), before)
		if c.saved {
			code, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, add, string(code))
			require.NoError(t, os.Remove(path))
		}
	}

	o.err, o.result = nil, &other.Result{}
	_, err = client.Compile(ctx, pjrt.Program{Code: []byte(add)}, opts)
	require.ErrorIs(t, err, pjrt.ErrInternal)
	assert.ErrorContains(t, err, "gave no executable")
	o.result = &other.Result{Executable: []byte("no executable")}
	_, err = client.Compile(ctx, pjrt.Program{Code: []byte(add)}, opts)
	require.ErrorContains(t, err, "PJRT_Executable_DeserializeAndLoad")

	data, err := compile(t, newClient(t), add).Serialize(ctx)
	require.NoError(t, err)
	built, err := other.Decode(data)
	require.NoError(t, err)
	built.Plugin.File[0]++
	built.Plugin.Digest[0]++
	o.result = &other.Result{Executable: built.Encode()}
	_, err = client.Compile(ctx, pjrt.Program{Code: []byte(add)}, opts)
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	assert.ErrorContains(t, err, "what the Compiler of the options made does not belong here: it was compiled by another build of the plugin")

	n := len(o.jobs)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = client.Compile(ended, pjrt.Program{Code: []byte(add)}, opts)
	require.ErrorIs(t, err, context.Canceled)
	client.Close()
	_, err = client.Compile(ctx, pjrt.Program{Code: []byte(add)}, opts)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	assert.Len(t, o.jobs, n, "the compiler is not asked")
}

// The CPU plugin itself cannot compile for a topology.
func TestACompilerCompilesForATopology(t *testing.T) {
	ctx := context.Background()
	o := &otherCompiler{client: newClient(t)}
	client := newClient(t)
	topology, err := client.Topology()
	require.NoError(t, err)
	exe, err := client.Plugin().CompileFor(ctx, topology, pjrt.Program{Code: []byte(add)}, &pjrt.CompileOptions{Compiler: o})
	require.NoError(t, err)
	assert.False(t, o.jobs[0].Client)
	assert.Equal(t, "add", exe.Name())
	assert.Equal(t, `executable "add" of 1 results`, exe.String())
	outputs, err := exe.Outputs()
	require.NoError(t, err)
	shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 2}}
	assert.Equal(t, []pjrt.Shape{shape}, outputs)
	parameters, err := exe.Parameters()
	require.NoError(t, err)
	assert.Equal(t, []pjrt.Shape{shape, shape}, parameters, "from the text")
	_, err = exe.MemoryStats()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	assert.ErrorContains(t, err, "load it into a client first")
	data, err := exe.Serialize(ctx)
	require.NoError(t, err)
	assert.NotEmpty(t, data)
	loaded, err := client.Load(ctx, exe, nil)
	require.NoError(t, err)
	defer loaded.Close()
	adds(t, loaded)
	require.NoError(t, exe.Close())

	o.result = &other.Result{Executable: []byte("x"), Partitions: 2, Replicas: 1}
	exe, err = client.CompileFor(ctx, topology, pjrt.Program{Code: []byte(add)}, &pjrt.CompileOptions{Compiler: o})
	require.NoError(t, err)
	_, err = exe.Parameters()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = exe.Outputs()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = client.Load(ctx, exe, nil)
	require.ErrorContains(t, err, "PJRT_Executable_DeserializeAndLoad")
	o.result = &other.Result{}
	_, err = client.Plugin().CompileFor(ctx, topology, pjrt.Program{Code: []byte(add)}, &pjrt.CompileOptions{Compiler: o})
	require.ErrorContains(t, err, "gave no executable")
}

func TestATrialComesBeforeTheLoad(t *testing.T) {
	ctx := context.Background()
	old := pjrttest.New(t, pjrttest.Options{Minor: 81})
	old.Program("add", pjrttest.Signature{}, pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] }))
	client := old.Client()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	data, err := exe.Serialize(ctx)
	require.NoError(t, err)
	trial := &otherCompiler{}
	opts := &pjrt.LoadOptions{Trial: trial, Compile: &pjrt.CompileOptions{Optimization: "O1"}, ComputationOrigin: []int32{1}}
	_, err = client.DeserializeAndLoad(ctx, data, opts)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "the plugin is too old for an origin")
	require.Len(t, trial.loads, 1)
	load := trial.loads[0]
	whole, err := other.Decode(data)
	require.NoError(t, err)
	assert.Equal(t, whole.Code, load.Executable, "what the plugin wrote")
	assert.Equal(t, []int32{1}, load.ComputationOrigin)
	want, err := client.EncodeCompileOptions(opts.Compile)
	require.NoError(t, err)
	assert.Equal(t, want, load.Options)
	assert.True(t, load.Client)

	trial.err = errors.New("damaged")
	loaded, err := client.DeserializeAndLoad(ctx, data, &pjrt.LoadOptions{Trial: trial})
	require.Equal(t, trial.err, err)
	assert.Nil(t, loaded)
	trial.err = nil
	loaded, err = client.DeserializeAndLoad(ctx, data, &pjrt.LoadOptions{Trial: trial})
	require.NoError(t, err)
	defer loaded.Close()
	adds(t, loaded)
}

// uncomparable is a compiler that == cannot compare.
type uncomparable struct {
	*otherCompiler
	_ []int
}

func TestTheSharedClientHasOneCompiler(t *testing.T) {
	ctx := context.Background()
	plugin := newClient(t).Plugin()
	first, second := &otherCompiler{}, &otherCompiler{}
	for _, c := range []struct {
		first, second other.Compiler
		ok            bool
	}{
		{nil, nil, true},
		{first, first, true},
		{first, second, false},
		{nil, first, false},
		{first, nil, false},
		{uncomparable{otherCompiler: first}, uncomparable{otherCompiler: first}, false},
	} {
		a, err := plugin.SharedClient(ctx, &pjrt.ClientOptions{Compiler: c.first})
		require.NoError(t, err)
		b, err := plugin.SharedClient(ctx, &pjrt.ClientOptions{Compiler: c.second})
		if c.ok {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
		}
		any, err := plugin.SharedClient(ctx, nil)
		require.NoError(t, err)
		require.NoError(t, any.Close())
		require.NoError(t, b.Close())
		require.NoError(t, a.Close())
	}
}
