// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// cpuDevices makes a client of n virtual devices.
func cpuDevices(t testing.TB, n int) *pjrt.Client {
	return newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(n)})
}

func floats(x ...float32) pjrt.HostArray {
	return pjrt.HostArray{Type: dtype.F32, Dims: []int64{int64(len(x))}, Data: dtype.Bytes(x)}
}

// uploadTo is upload to a device.
func uploadTo(t testing.TB, d *pjrt.Device, a pjrt.HostArray) *pjrt.Buffer {
	t.Helper()
	b, err := d.Client().BufferFromHost(context.Background(), a, &pjrt.BufferOptions{Device: d})
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func compileWith(t testing.TB, c *pjrt.Client, code string, opts *pjrt.CompileOptions) *pjrt.LoadedExecutable {
	t.Helper()
	exe, err := c.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, opts)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	return exe
}

// read returns the elements of a buffer of floats, and closes it at the end of
// the test.
func read(t testing.TB, b *pjrt.Buffer) []float32 {
	t.Helper()
	t.Cleanup(func() { b.Close() })
	a, err := b.ToHost(context.Background())
	require.NoError(t, err)
	x := make([]float32, len(a.Data)/4)
	copy(dtype.Bytes(x), a.Data)
	return x
}

// allReduce sums its argument over n replicas.
func allReduce(n int) string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	return fmt.Sprintf(`module @sum {
  func.func @main(%%x: tensor<3xf32>) -> tensor<3xf32> {
    %%0 = "stablehlo.all_reduce"(%%x) ({
      ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):
        %%s = stablehlo.add %%a, %%b : tensor<f32>
        stablehlo.return %%s : tensor<f32>
    }) {replica_groups = dense<[[%s]]> : tensor<1x%dxi64>} : (tensor<3xf32>) -> tensor<3xf32>
    return %%0 : tensor<3xf32>
  }
}`, strings.Join(ids, ","), n)
}

func TestReplicasSumTheirArguments(t *testing.T) {
	for _, n := range []int{4, 16} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			client := cpuDevices(t, n)
			exe := compileWith(t, client, allReduce(n), &pjrt.CompileOptions{Replicas: n})
			require.Len(t, exe.Devices(), n)
			args := make([][]*pjrt.Buffer, n)
			var want [3]float32
			for d, device := range exe.Devices() {
				x := []float32{float32(d), float32(d * d), 1}
				for i := range want {
					want[i] += x[i]
				}
				args[d] = []*pjrt.Buffer{uploadTo(t, device, floats(x...))}
			}
			outs, err := exe.ExecuteAll(ctx, args, nil)
			require.NoError(t, err)
			require.Len(t, outs, n)
			for d := range outs {
				require.Len(t, outs[d], 1)
				assert.Equal(t, want[:], read(t, outs[d][0]), "device %d", d)
			}

			// A second execution takes the results as arguments before they are there.
			again, x, err := exe.StartAll(ctx, outs, nil)
			require.NoError(t, err)
			defer x.Close()
			require.Len(t, again, n)
			require.NoError(t, x.Wait(ctx))
			<-x.Done()
			require.NoError(t, x.Err())
			for d := range again {
				assert.Equal(t, []float32{want[0] * float32(n), want[1] * float32(n), want[2] * float32(n)}, read(t, again[d][0]))
			}

			_, err = exe.Execute(ctx, args[0], nil)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, fmt.Sprintf("the program runs on %d devices of this process: use ExecuteAll or StartAll", n))
		})
	}
}

// The plugin allows 32 executions on each device. With more than that, each could wait for a place
// on one device while it has one on another, and for the others in a collective.
func TestManyExecutionsOnSeveralDevicesGoOn(t *testing.T) {
	t.Parallel()
	client := cpuDevices(t, 2)
	exe := compileWith(t, client, allReduce(2), &pjrt.CompileOptions{Replicas: 2})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // each takes less than a millisecond
	defer cancel()
	var group sync.WaitGroup
	for g := range 100 {
		args := make([][]*pjrt.Buffer, 2)
		for i, d := range exe.Devices() {
			args[i] = []*pjrt.Buffer{uploadTo(t, d, floats(float32(g), float32(i), 1))}
		}
		group.Go(func() {
			for range 10 {
				outs, err := exe.ExecuteAll(ctx, args, nil)
				if !assert.NoError(t, err) {
					return
				}
				for _, row := range outs {
					got, err := pjrt.ToSlice[float32](ctx, row[0])
					assert.NoError(t, err)
					assert.Equal(t, []float32{float32(2 * g), 1, 2}, got)
					row[0].Close()
				}
			}
		})
	}
	group.Wait()
}

// sharded multiplies two matrices, the first split by rows over n partitions,
// and adds up all elements of the product.
func sharded(n int) string {
	return fmt.Sprintf(`module @sharded attributes {mhlo.num_partitions = %[1]d : i32} {
  func.func @main(
      %%a: tensor<32x8xf32> {mhlo.sharding = "{devices=[%[1]d,1]<=[%[1]d]}"},
      %%b: tensor<8x4xf32> {mhlo.sharding = "{replicated}"})
      -> (tensor<32x4xf32> {mhlo.sharding = "{devices=[%[1]d,1]<=[%[1]d]}"},
          tensor<f32> {mhlo.sharding = "{replicated}"}) {
    %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0] : (tensor<32x8xf32>, tensor<8x4xf32>) -> tensor<32x4xf32>
    %%z = stablehlo.constant dense<0.0> : tensor<f32>
    %%1 = stablehlo.reduce(%%0 init: %%z) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x4xf32>, tensor<f32>) -> tensor<f32>
    return %%0, %%1 : tensor<32x4xf32>, tensor<f32>
  }
}`, n)
}

func TestPartitionsShareTheWork(t *testing.T) {
	for _, n := range []int{4, 16} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			client := cpuDevices(t, n)
			exe := compileWith(t, client, sharded(n), &pjrt.CompileOptions{Partitions: n, SPMD: true})
			require.Len(t, exe.Devices(), n)
			a, b := make([]float32, 32*8), make([]float32, 8*4)
			for i := range a {
				a[i] = float32(i%7) - 3
			}
			for i := range b {
				b[i] = float32(i%5) - 1
			}
			product, sum := make([]float32, 32*4), float32(0)
			for i := range 32 {
				for j := range 4 {
					for k := range 8 {
						product[i*4+j] += a[i*8+k] * b[k*4+j]
					}
					sum += product[i*4+j]
				}
			}
			rows := 32 / n
			args := make([][]*pjrt.Buffer, n)
			for d, device := range exe.Devices() {
				part := floats(a[d*rows*8 : (d+1)*rows*8]...)
				part.Dims = []int64{int64(rows), 8}
				whole := floats(b...)
				whole.Dims = []int64{8, 4}
				args[d] = []*pjrt.Buffer{uploadTo(t, device, part), uploadTo(t, device, whole)}
			}
			outs, err := exe.ExecuteAll(ctx, args, nil)
			require.NoError(t, err)
			for d := range outs {
				require.Len(t, outs[d], 2)
				assert.Equal(t, product[d*rows*4:(d+1)*rows*4], read(t, outs[d][0]), "device %d", d)
				assert.Equal(t, []float32{sum}, read(t, outs[d][1]), "device %d", d)
			}
		})
	}
}

func TestArgumentsMustBeWhereTheProgramRuns(t *testing.T) {
	ctx := context.Background()
	client := cpuDevices(t, 4)
	devices := client.Devices()
	exe := compileWith(t, client, allReduce(2), &pjrt.CompileOptions{Replicas: 2, Devices: [][]*pjrt.Device{{devices[3]}, {devices[1]}}})
	on := func(d int) *pjrt.Buffer { return uploadTo(t, devices[d], floats(1, 2, float32(d))) }
	one, three := on(1), on(3)
	require.Equal(t, []*pjrt.Device{devices[3], devices[1]}, exe.Devices())
	cases := map[string]struct {
		args [][]*pjrt.Buffer
		opts *pjrt.ExecuteOptions
		want string
	}{
		"swapped":          {[][]*pjrt.Buffer{{one}, {three}}, nil, fmt.Sprintf("argument 0 for %v is on %v, and the program runs on %v: copy it there, or set CopyArguments", devices[3], devices[1], devices[3])},
		"shared":           {[][]*pjrt.Buffer{{three}}, nil, fmt.Sprintf("argument 0 for %v is on %v", devices[1], devices[3])},
		"three lists":      {[][]*pjrt.Buffer{{three}, {one}, {one}}, nil, "there are 3 lists of arguments for the 2 devices that run the program"},
		"no lists":         {nil, nil, "the program takes 1 arguments, not 0"},
		"uneven":           {[][]*pjrt.Buffer{{three}, {}}, nil, fmt.Sprintf("there are 1 arguments for %v and 0 for %v", devices[3], devices[1])},
		"nil":              {[][]*pjrt.Buffer{{three}, {nil}}, nil, fmt.Sprintf("argument 0 for %v is nil", devices[1])},
		"another device":   {[][]*pjrt.Buffer{{one}}, &pjrt.ExecuteOptions{Device: devices[0]}, fmt.Sprintf("the program runs on its 2 devices together, and cannot run on %v alone", devices[0])},
		"another's device": {[][]*pjrt.Buffer{{one}}, &pjrt.ExecuteOptions{Device: newClient(t).Devices()[0]}, "belongs to another client"},
		"one device":       {[][]*pjrt.Buffer{{three}}, &pjrt.ExecuteOptions{Device: devices[3]}, fmt.Sprintf("cannot run on %v alone", devices[3])},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			outs, err := exe.ExecuteAll(ctx, c.args, c.opts)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.Nil(t, outs)
			assert.ErrorContains(t, err, c.want)
		})
	}
	for name, args := range map[string][][]*pjrt.Buffer{"shared": {{three}}, "shared by hand": {{three}, {three}}} {
		t.Run(name, func(t *testing.T) {
			outs, err := exe.ExecuteAll(ctx, args, &pjrt.ExecuteOptions{CopyArguments: true})
			require.NoError(t, err)
			for _, o := range outs {
				assert.Equal(t, []float32{2, 4, 6}, read(t, o[0]))
			}
		})
	}
	t.Run("the right places", func(t *testing.T) {
		outs, err := exe.ExecuteAll(ctx, [][]*pjrt.Buffer{{three}, {one}}, nil)
		require.NoError(t, err)
		for _, o := range outs {
			assert.Equal(t, []float32{2, 4, 4}, read(t, o[0]))
		}
	})
}

const negate = `module @negate {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.negate %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}`

func TestAPortableProgramRunsOnAnyDevice(t *testing.T) {
	ctx := context.Background()
	client := cpuDevices(t, 3)
	exe := compileWith(t, client, negate, &pjrt.CompileOptions{Portable: true})
	require.Empty(t, exe.Devices())
	for d, device := range client.Devices() {
		arg := uploadTo(t, device, floats(1, 2, float32(d)))
		for name, opts := range map[string]*pjrt.ExecuteOptions{"named": {Device: device}, "that of the argument": nil} {
			xOuts, x, err := exe.Start(ctx, []*pjrt.Buffer{arg}, opts)
			require.NoError(t, err, name)
			require.NoError(t, x.Wait(ctx), name)
			on, err := xOuts[0].Device()
			require.NoError(t, err, name)
			assert.Equal(t, device, on, name)
			assert.Equal(t, []float32{-1, -2, -float32(d)}, read(t, xOuts[0]), name)
			x.Close()
		}
	}
	arg := uploadTo(t, client.Devices()[0], floats(1, 2, 3))
	fixed := compileWith(t, client, negate, nil)
	_, err := fixed.Execute(ctx, []*pjrt.Buffer{arg}, &pjrt.ExecuteOptions{Device: client.Devices()[2], CopyArguments: true})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, fmt.Sprintf("the program was compiled for %v and cannot run on %v", client.Devices()[0], client.Devices()[2]))
	outs, err := fixed.Execute(ctx, []*pjrt.Buffer{arg}, &pjrt.ExecuteOptions{Device: client.Devices()[0]})
	require.NoError(t, err)
	assert.Equal(t, []float32{-1, -2, -3}, read(t, outs[0]))
	_, err = exe.Execute(ctx, []*pjrt.Buffer{arg}, &pjrt.ExecuteOptions{Device: client.Devices()[2]})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "copy it there, or set CopyArguments")
	outs, err = exe.Execute(ctx, []*pjrt.Buffer{arg}, &pjrt.ExecuteOptions{Device: client.Devices()[2], CopyArguments: true})
	require.NoError(t, err)
	assert.Equal(t, []float32{-1, -2, -3}, read(t, outs[0]))
}
