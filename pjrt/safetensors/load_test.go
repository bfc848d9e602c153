// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// model has arrays of every kind of place in a file: large and small, aligned or not, empty,
// scalar.
func model(t testing.TB) (name string, arrays map[string]pjrt.HostArray) {
	t.Helper()
	r := rand.NewChaCha8([32]byte{7})
	bytes := func(n int) []byte {
		b := make([]byte, n)
		_, _ = r.Read(b)
		return b
	}
	arrays = map[string]pjrt.HostArray{
		"large":    {Type: dtype.U8, Dims: []int64{9<<20 + 64}, Data: bytes(9<<20 + 64)},
		"odd":      {Type: dtype.U8, Dims: []int64{5<<20 + 3}, Data: bytes(5<<20 + 3)},
		"h.0.w":    {Type: dtype.S32, Dims: []int64{4, 8}, Data: bytes(128)},
		"h.0.bias": {Type: dtype.BF16, Dims: []int64{3}, Data: bytes(6)},
		"h.1.w":    {Type: dtype.S32, Dims: []int64{4, 8}, Data: bytes(128)},
		"h.1.bias": {Type: dtype.BF16, Dims: []int64{3}, Data: bytes(6)},
		"flags":    pjrt.ArrayOf([]bool{true, false, true}, 3),
		"empty":    {Type: dtype.F32, Dims: []int64{0, 7}, Data: []byte{}},
		"scalar":   pjrt.ScalarOf(int64(-3)),
	}
	name = filepath.Join(t.TempDir(), "model.safetensors")
	require.NoError(t, safetensors.WriteFile(name, arrays, nil))
	return name, arrays
}

func requireArrays(t testing.TB, want map[string]pjrt.HostArray, have map[string]*pjrt.Buffer) {
	t.Helper()
	require.Len(t, have, len(want))
	for name, a := range want {
		require.Equal(t, a.Shape().String(), have[name].Shape().String(), name)
		got, err := have[name].ToHost(t.Context())
		require.NoError(t, err, name)
		require.True(t, bytes.Equal(a.Data, got.Data), name)
	}
}

func closeBuffers(buffers map[string]*pjrt.Buffer) {
	for _, b := range buffers {
		b.Close()
	}
}

func TestLoadedArraysAreThoseOfTheFile(t *testing.T) {
	name, arrays := model(t)
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) {
		client := plugintest.Client(t)
		for _, mapped := range []bool{false, true} {
			f, err := safetensors.Open(name)
			require.NoError(t, err)
			var last, all, calls int64
			buffers, err := f.Load(t.Context(), client, &safetensors.LoadOptions{Map: mapped, Progress: func(done, total int64) {
				assert.Greater(t, done, last, "it advances")
				last, all, calls = done, total, calls+1
			}})
			require.NoError(t, err)
			require.NoError(t, f.Close(), "the buffers do not need the file")
			assert.Equal(t, all, last)
			assert.Greater(t, calls, int64(5))
			requireArrays(t, arrays, buffers)
			closeBuffers(buffers)
		}
	})
}

// A donated buffer may be overwritten, but the file must not be.
func TestDonatedBuffersOfAMappedFileLeaveTheFileAlone(t *testing.T) {
	name, _ := model(t)
	before, err := os.ReadFile(name)
	require.NoError(t, err)
	client := plugintest.Client(t)
	f, err := safetensors.Open(name)
	require.NoError(t, err)
	defer f.Close()
	exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(`func.func @main(%x: tensor<4x8xi32> {tf.aliasing_output = 0 : i32}) -> tensor<4x8xi32> {
  %0 = stablehlo.not %x : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}`)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	for range 2 {
		buffers, err := f.Load(t.Context(), client, &safetensors.LoadOptions{Map: true, Names: []string{"h.0.w"}})
		require.NoError(t, err)
		want, err := f.Read("h.0.w")
		require.NoError(t, err)
		for i := range want.Data {
			want.Data[i] = ^want.Data[i]
		}
		outs, err := exe.Execute(t.Context(), []*pjrt.Buffer{buffers["h.0.w"]}, nil)
		require.NoError(t, err)
		have, err := outs[0].ToHost(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want.Data, have.Data)
		outs[0].Close()
		closeBuffers(buffers)
	}
	after, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(before, after))
}

type layer struct {
	W    *pjrt.Buffer
	Bias *pjrt.Buffer
}

func TestLoadIntoFillsAStruct(t *testing.T) {
	name, arrays := model(t)
	client := plugintest.Client(t)
	f, err := safetensors.Open(name)
	require.NoError(t, err)
	defer f.Close()
	var w struct {
		Layers [2]layer `pjrt:"h"`
		Scalar *pjrt.Buffer
	}
	require.NoError(t, f.LoadInto(t.Context(), client, &w, nil))
	have := map[string]*pjrt.Buffer{"scalar": w.Scalar, "h.0.w": w.Layers[0].W, "h.0.bias": w.Layers[0].Bias, "h.1.w": w.Layers[1].W, "h.1.bias": w.Layers[1].Bias}
	want := make(map[string]pjrt.HostArray)
	for name := range have {
		want[name] = arrays[name]
	}
	requireArrays(t, want, have)
	closeBuffers(have)

	var one layer
	require.NoError(t, f.LoadInto(t.Context(), client, &one, &safetensors.LoadOptions{Prefix: "h.1."}))
	requireArrays(t, map[string]pjrt.HostArray{"w": arrays["h.1.w"], "bias": arrays["h.1.bias"]}, map[string]*pjrt.Buffer{"w": one.W, "bias": one.Bias})
	one.W.Close()
	one.Bias.Close()

	var more struct {
		Layers [3]layer `pjrt:"h"`
	}
	err = f.LoadInto(t.Context(), client, &more, nil)
	require.ErrorContains(t, err, `Layers[2].W: `+name+` has no array "h.2.w" among its 9 arrays; did you mean "h.0.w", "h.1.w"?`)
	assert.Nil(t, more.Layers[0].W, "nothing has changed")
	require.NoError(t, f.LoadInto(t.Context(), client, &one, &safetensors.LoadOptions{Prefix: "h.1.", Exact: true}))
	one.W.Close()
	one.Bias.Close()
	err = f.LoadInto(t.Context(), client, &w, &safetensors.LoadOptions{Exact: true})
	require.EqualError(t, err, name+` has 4 arrays for which the value has no place, such as "empty", "large", "flags"`)
}

func TestLoadIntoSpreadsArraysOverAMesh(t *testing.T) {
	name, arrays := model(t)
	client := plugintest.Client(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(2)})
	f, err := safetensors.Open(name)
	require.NoError(t, err)
	defer f.Close()
	mesh, err := sharding.NewMesh(client.AddressableDevices(), sharding.Axis{Name: "x", Size: 2})
	require.NoError(t, err)
	var w struct {
		Layers [2]struct{ W *sharding.Array } `pjrt:"h"`
		Flags  *pjrt.Buffer
	}
	err = f.LoadInto(t.Context(), client, &w, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.ErrorContains(t, err, "Layers[0].W is a sharding.Array: set the option Mesh")
	require.NoError(t, f.LoadInto(t.Context(), client, &w, &safetensors.LoadOptions{
		Mesh: mesh, Partition: func(name string, shape array.Shape) sharding.Partition {
			assert.Equal(t, []int64{4, 8}, shape.Dims, name)
			return sharding.Partition{"x"}
		},
	}))
	defer w.Flags.Close()
	for i, l := range w.Layers {
		defer l.W.Close()
		assert.Equal(t, []int64{2, 8}, l.W.PartShape().Dims)
		whole, err := l.W.Gather(t.Context())
		require.NoError(t, err)
		assert.Equal(t, arrays[fmt.Sprintf("h.%d.w", i)].Data, whole.Data)
	}
}

// A device with a memory of its own gets whole arrays, or pieces where the plugin takes them.
func TestArraysReachADeviceWithMemoryOfItsOwn(t *testing.T) {
	big := pjrt.HostArray{Type: dtype.U8, Dims: []int64{17<<20 + 5}, Data: make([]byte, 17<<20+5)}
	for i := range big.Data {
		big.Data[i] = byte(i * 7 >> 3)
	}
	name := filepath.Join(t.TempDir(), "model.safetensors")
	arrays := map[string]pjrt.HostArray{"big": big, "small": pjrt.ArrayOf([]float32{1, 2, 3}, 3), "empty": pjrt.ArrayOf([]float32{}, 0)}
	require.NoError(t, safetensors.WriteFile(name, arrays, nil))
	for _, c := range []struct {
		minor  int
		pieces bool
	}{{0, true}, {59, false}} {
		pjrttest.NoLeaks(t)
		p := pjrttest.New(t, pjrttest.Options{Minor: c.minor})
		f, err := safetensors.Open(name)
		require.NoError(t, err)
		defer f.Close()
		memory := otherMemory(t, p.Client())
		buffers, err := f.Load(t.Context(), p.Client(), &safetensors.LoadOptions{Memory: memory})
		require.NoError(t, err)
		requireArrays(t, arrays, buffers)
		for name, b := range buffers {
			m, err := b.Memory()
			require.NoError(t, err)
			assert.Equal(t, memory, m, name)
		}
		assert.Equal(t, c.pieces, p.Calls("PJRT_AsyncHostToDeviceTransferManager_TransferData") > 1, c.minor)
		closeBuffers(buffers)
	}
}

// blockingReader lets reads below an offset wait until one at the offset or above it has begun.
type blockingReader struct {
	io.ReaderAt
	from  int64
	begun chan struct{}
	once  sync.Once
}

func (r *blockingReader) ReadAt(p []byte, off int64) (int, error) {
	if off >= r.from {
		r.once.Do(func() { close(r.begun) })
	}
	<-r.begun
	return r.ReaderAt.ReadAt(p, off)
}

// An array that takes longer than all others together must not be the last to begin.
func TestTheLargestArrayReachesADeviceFirst(t *testing.T) {
	const small, large = 64, 9 << 20
	var header strings.Builder
	for i := range small {
		fmt.Fprintf(&header, `"a.%d":{"dtype":"U8","shape":[8],"data_offsets":[%d,%d]},`, i, 8*i, 8*(i+1))
	}
	fmt.Fprintf(&header, `"z":{"dtype":"U8","shape":[%d],"data_offsets":[%d,%d]}`, large, 8*small, 8*small+large)
	data := file("{"+header.String()+"}", 8*small+large)
	reader := &blockingReader{ReaderAt: bytes.NewReader(data), begun: make(chan struct{})}
	f, err := safetensors.New(reader, int64(len(data))) // reads the header, which is at 0
	require.NoError(t, err)
	reader.from, reader.begun, reader.once = int64(len(data)-large), make(chan struct{}), sync.Once{}
	p := pjrttest.New(t, pjrttest.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	buffers, err := f.Load(ctx, p.Client(), &safetensors.LoadOptions{Memory: otherMemory(t, p.Client())})
	require.NoError(t, err)
	assert.Len(t, buffers, small+1)
	closeBuffers(buffers)
}

// otherMemory returns a memory that the host cannot read.
func otherMemory(t testing.TB, c *pjrt.Client) *pjrt.Memory {
	t.Helper()
	for _, m := range c.Memories() {
		b, err := c.BufferFromHost(t.Context(), pjrt.ArrayOf([]uint8{0}), &pjrt.BufferOptions{Memory: m})
		if err != nil {
			continue
		}
		onHost, err := b.IsOnCPU()
		b.Close()
		if err == nil && !onHost {
			return m
		}
	}
	t.Fatal("the plugin has no memory that the host cannot read")
	return nil
}

func TestMistakenLoadsAreErrors(t *testing.T) {
	name, _ := model(t)
	client := plugintest.Client(t)
	f, err := safetensors.Open(name)
	require.NoError(t, err)
	defer f.Close()
	before := pjrt.Live()
	for want, load := range map[string]func() error{
		`has no array "flag"`:          func() error { return loadNames(f, client, "flags", "flag") },
		`array "flags" is named twice`: func() error { return loadNames(f, client, "flags", "flags") },
		"options Prefix, Exact, Mesh and Partition are for LoadInto": func() error {
			_, err := f.Load(t.Context(), client, &safetensors.LoadOptions{Prefix: "h."})
			return err
		},
		"leave the option Names unset": func() error {
			return f.LoadInto(t.Context(), client, &layer{}, &safetensors.LoadOptions{Names: []string{"x"}})
		},
		"give a pointer to the value": func() error { return f.LoadInto(t.Context(), client, layer{}, nil) },
		"the client is nil":           func() error { return loadNames(f, nil, "flags") },
	} {
		require.ErrorContains(t, load(), want)
	}
	assert.Equal(t, before, pjrt.Live())
}

func loadNames(f *safetensors.File, c *pjrt.Client, names ...string) error {
	buffers, err := f.Load(context.Background(), c, &safetensors.LoadOptions{Names: names})
	closeBuffers(buffers)
	return err
}

// changing is a file of which only the header can be read.
type changing struct {
	header []byte
	read   func(p []byte) (int, error)
}

func (c changing) ReadAt(p []byte, at int64) (int, error) {
	if at < int64(len(c.header)) {
		return copy(p, c.header[at:]), nil
	}
	return c.read(p)
}

func changingFile(t testing.TB, read func([]byte) (int, error)) *safetensors.File {
	t.Helper()
	text := fmt.Sprintf(`{"a":{"dtype":"U8","shape":[%d],"data_offsets":[0,%[1]d]},"b":{"dtype":"U8","shape":[8],"data_offsets":[%[1]d,%d]}}`, 64<<20, 64<<20+8)
	header := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	f, err := safetensors.New(changing{header, read}, int64(len(header))+64<<20+8)
	require.NoError(t, err)
	return f
}

func TestLoadAsksOnceWhetherTheDeviceUsesTheMemoryOfTheHost(t *testing.T) {
	p := pjrttest.New(t, pjrttest.Options{HostDevices: true})
	name := filepath.Join(t.TempDir(), "model.safetensors")
	arrays := map[string]pjrt.HostArray{"a": pjrt.ArrayOf([]float32{1, 2}, 2), "b": pjrt.ArrayOf([]float32{3}, 1)}
	require.NoError(t, safetensors.WriteFile(name, arrays, nil))
	f, err := safetensors.Open(name)
	require.NoError(t, err)
	defer f.Close()
	for range 2 {
		buffers, err := f.Load(t.Context(), p.Client(), nil)
		require.NoError(t, err)
		requireArrays(t, arrays, buffers)
		closeBuffers(buffers)
	}
	assert.Equal(t, 1, p.Calls("PJRT_Client_BufferFromHostBuffer"))
}

func TestAFileThatBecameShorterIsAnError(t *testing.T) {
	client := plugintest.Client(t)
	before := pjrt.Live()
	f := changingFile(t, func([]byte) (int, error) { return 0, io.EOF })
	_, err := f.Load(t.Context(), client, nil)
	require.ErrorContains(t, err, "the file has become shorter since it was opened")
	_, err = f.Load(t.Context(), pjrttest.New(t, pjrttest.Options{}).Client(), nil)
	require.ErrorContains(t, err, "the file has become shorter since it was opened")
	assert.Equal(t, before["buffer"], pjrt.Live()["buffer"])
}

func TestLoadReturnsWhenItsContextEnds(t *testing.T) {
	client := plugintest.Client(t)
	resume, ended := make(chan struct{}), make(chan struct{}, 64)
	var reads atomic.Int32
	f := changingFile(t, func(p []byte) (int, error) {
		reads.Add(1)
		<-resume
		ended <- struct{}{}
		return len(p), nil
	})
	before := pjrt.Live()["buffer"]
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := f.Load(ctx, client, nil)
		done <- err
	}()
	require.Eventually(t, func() bool { return reads.Load() > 0 }, time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	close(resume)
	<-ended
	require.Eventually(t, func() bool { return pjrt.Live()["buffer"] == before }, time.Minute, time.Millisecond)
	assert.LessOrEqual(t, int(reads.Load()), 16, "no further pieces are read")
}
