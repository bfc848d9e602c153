// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Every one of these ends the process, or gives wrong numbers, when it reaches
// the plugin.
func TestMisuseOfExecuteIsRefused(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	closed := upload(t, client, matrix(1, 2, 3, 4))
	closed.Close()
	foreign := upload(t, other, matrix(1, 2, 3, 4))
	ints := upload(t, client, pjrt.HostArray{Type: dtype.S32, Dims: []int64{2, 2}, Data: make([]byte, 16)})
	flat := upload(t, client, pjrt.HostArray{Type: dtype.F32, Dims: []int64{4}, Data: make([]byte, 16)})
	gone := compile(t, client, add)
	gone.Close()
	cases := map[string]struct {
		exe  *pjrt.LoadedExecutable
		args []*pjrt.Buffer
		want string
	}{
		"too few":           {exe, []*pjrt.Buffer{a}, "the program takes 2 arguments, not 1"},
		"too many":          {exe, []*pjrt.Buffer{a, a, a}, "the program takes 2 arguments, not 3"},
		"none":              {exe, nil, "the program takes 2 arguments, not 0"},
		"nil":               {exe, []*pjrt.Buffer{a, nil}, "argument 1 is nil"},
		"closed":            {exe, []*pjrt.Buffer{closed, a}, "argument 0: buffer is closed"},
		"another client's":  {exe, []*pjrt.Buffer{a, foreign}, "argument 1 belongs to another client"},
		"another type":      {exe, []*pjrt.Buffer{a, ints}, "argument 1 is i32[2,2], and the program takes f32[2,2]"},
		"another shape":     {exe, []*pjrt.Buffer{flat, a}, "argument 0 is f32[4], and the program takes f32[2,2]"},
		"closed executable": {gone, []*pjrt.Buffer{a, a}, "closed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			outs, err := c.exe.Execute(ctx, c.args, nil)
			require.Error(t, err)
			assert.Nil(t, outs)
			assert.ErrorContains(t, err, c.want)
		})
	}
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{a, a}, nil)
	require.NoError(t, err, "the program still runs")
	outs[0].Close()
}

func TestMisuseOfBufferFromHostIsRefused(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	array := func(x dtype.Type, size int, dims ...int64) pjrt.HostArray {
		return pjrt.HostArray{Type: x, Dims: dims, Data: make([]byte, size)}
	}
	cases := map[string]struct {
		array pjrt.HostArray
		opts  *pjrt.BufferOptions
		want  string
	}{
		"no type":          {array(dtype.Invalid, 4), nil, "have no host form"},
		"token":            {array(dtype.Token, 0), nil, "have no host form"},
		"unknown type":     {array(dtype.Type(99), 4), nil, "have no host form"},
		"short data":       {array(dtype.F32, 12, 2, 2), nil, "an array of shape f32[2,2] takes 16 bytes, but its data has 12"},
		"no data":          {pjrt.HostArray{Type: dtype.F32, Dims: []int64{4}}, nil, "takes 16 bytes, but its data has 0"},
		"negative":         {array(dtype.F32, 4, -1), nil, "negative dimension"},
		"overflow":         {array(dtype.F32, 4, math.MaxInt64, 8), nil, "too large"},
		"overflow to zero": {array(dtype.F32, 0, 1<<32, 1<<32), nil, "too large"},
		"another's device": {array(dtype.F32, 4, 1), &pjrt.BufferOptions{Device: other.Devices()[0]}, "belongs to another client"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b, err := client.BufferFromHost(ctx, c.array, c.opts)
			require.Error(t, err)
			assert.Nil(t, b)
			assert.ErrorContains(t, err, c.want)
		})
	}
	_, err := olderClient(t).BufferFromHost(ctx, array(dtype.F6E2M3FN, 4, 4), nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.ErrorContains(t, err, "came with API 0.114, and the plugin has API 0.81")
}

func TestMisuseOfCompileIsRefused(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	devices := client.Devices()
	cases := map[string]struct {
		code string
		opts *pjrt.CompileOptions
		want string
	}{
		"empty":                {" \n", nil, "the program is empty"},
		"garbage":              {"module @x {", nil, "PJRT_Client_Compile: "},
		"not MLIR":             {"\x00\xff\xfe binary", nil, "PJRT_Client_Compile: "},
		"no main":              {"module { func.func @f() { return } }", nil, "PJRT_Client_Compile: "},
		"type error":           {strings.Replace(add, "tensor<2x2xf32> {", "tensor<3xf32> {", 1), nil, "PJRT_Client_Compile: "},
		"negative replicas":    {add, &pjrt.CompileOptions{Replicas: -1}, "neither can be negative"},
		"too many replicas":    {add, &pjrt.CompileOptions{Replicas: 5}, "the client has 4 devices"},
		"overflowing product":  {add, &pjrt.CompileOptions{Replicas: 1 << 40, Partitions: 1 << 40}, "the client has 4 devices"},
		"assignment size":      {add, &pjrt.CompileOptions{Devices: [][]*pjrt.Device{}}, "the device assignment has length 0: it needs a row"},
		"assignment partition": {add, &pjrt.CompileOptions{Devices: [][]*pjrt.Device{{}}}, "row 0 of the device assignment has length 0: it needs a device"},
		"assignment nil":       {add, &pjrt.CompileOptions{Devices: [][]*pjrt.Device{{nil}}}, "has no device for partition 0 of replica 0"},
		"assignment foreign":   {add, &pjrt.CompileOptions{Devices: [][]*pjrt.Device{{other.Devices()[0]}}}, "of another client"},
		"assignment twice":     {add, &pjrt.CompileOptions{Replicas: 2, Devices: [][]*pjrt.Device{{devices[0]}, {devices[0]}}}, "twice"},
		"flag type":            {add, &pjrt.CompileOptions{Flags: map[string]any{"xla_x": []int{1}}}, "a value of type []int"},
		"unknown flag":         {add, &pjrt.CompileOptions{Flags: map[string]any{"xla_no_such_flag": true}}, "xla_no_such_flag"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(c.code)}, c.opts)
			require.Error(t, err)
			assert.Nil(t, exe)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestCompileOptionsReachTheCompiler(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, &pjrt.CompileOptions{
		Devices: [][]*pjrt.Device{{client.Devices()[2]}},
		Flags:   map[string]any{"xla_cpu_enable_fast_math": true, "xla_backend_optimization_level": 1},
	})
	require.NoError(t, err)
	defer exe.Close()
	assert.Equal(t, []*pjrt.Device{client.Devices()[2]}, exe.Devices())
}

func TestAClosedClientMakesNothingNew(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	b := upload(t, client, matrix(1, 2, 3, 4))
	exe := compile(t, client, add)
	require.NoError(t, client.Close())
	require.NoError(t, client.Close())
	_, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	// Objects that were made before keep the plugin's client alive, and work.
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{b, b}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	got, err := outs[0].ToHost(ctx)
	require.NoError(t, err)
	assert.Equal(t, matrix(2, 4, 6, 8), got)
	require.NoError(t, b.Close())
	_, err = b.ToHost(ctx)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestCallsWithAnEndedContextMakeNothing(t *testing.T) {
	client := newClient(t)
	exe := compile(t, client, add)
	b := upload(t, client, matrix(1, 2, 3, 4))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := client.BufferFromHost(ctx, matrix(1, 2, 3, 4), nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = client.Compile(ctx, pjrt.Program{Code: []byte(add)}, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = exe.Execute(ctx, []*pjrt.Buffer{b, b}, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = b.ToHost(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = client.Plugin().NewClient(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestClientsTakeCreateOptions(t *testing.T) {
	assert.Len(t, newClient(t).Devices(), 4, "the plugin's default")
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(2)})
	assert.Len(t, client.AddressableDevices(), 2)
	assert.Equal(t, "cpu", client.PlatformName())
	_, err := client.Plugin().NewClient(context.Background(),
		&pjrt.ClientOptions{Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: "two"}}})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "create option cpu_device_count takes a value of type int64, not string")

	// The plugin would start a thread for each device, which takes for ever.
	for _, n := range []int64{-1, 4097, 100_000, math.MaxInt32, math.MaxInt64} {
		for _, allow := range []bool{false, true} {
			_, err = client.Plugin().NewClient(context.Background(), &pjrt.ClientOptions{
				Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: n}}, AllowUnknown: allow,
			})
			assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, fmt.Sprintf("create option cpu_device_count is %d; a client has 0 to 4096 devices", n))
		}
	}

	none := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(0)})
	assert.Empty(t, none.Devices())
	_, err = none.BufferFromHost(context.Background(), matrix(1, 2, 3, 4), nil)
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	_, err = none.Compile(context.Background(), pjrt.Program{Code: []byte(add)}, nil)
	require.ErrorContains(t, err, "the client has 0 devices")
}

func TestAPluginIsOpenedOnce(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	link := filepath.Join(t.TempDir(), "link.so")
	require.NoError(t, os.Symlink(path, link))
	a, err := pjrt.Open(path)
	require.NoError(t, err)
	b, err := pjrt.Open(link)
	require.NoError(t, err)
	assert.Same(t, a, b)
	_, err = pjrt.Open(filepath.Join(t.TempDir(), "absent.so"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = raw.Plugin(nil)
	require.Error(t, err)
}

func TestAPluginDescribesItself(t *testing.T) {
	plugin := plugintest.Plugin(t)
	major, minor := plugin.Version()
	assert.Zero(t, major)
	stablehlo := map[int][]int64{81: {1, 13, 3}, 106: {1, 16, 1}, 115: {1, 20, 0}}
	require.Contains(t, stablehlo, minor)
	assert.Contains(t, plugin.Attributes(), pjrt.Attribute{Name: "stablehlo_current_version", Value: stablehlo[minor]})
}
