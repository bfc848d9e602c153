// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/dlpack"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/inspect"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// withContext is what a method with a context needs in a test.
type withContext struct {
	t testing.TB
	p *pjrttest.Plugin
	c *pjrt.Client
}

var vector2 = pjrt.Shape{Type: dtype.F32, Dims: []int64{2}}

func vectorOf(x ...float32) pjrt.HostArray { return pjrt.ArrayOf(x) }

func (s *withContext) buffer() *pjrt.Buffer {
	b, err := s.c.BufferFromHost(context.Background(), vectorOf(1, 2), nil)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { b.Close() })
	return b
}

const same = `module @same {
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    return %a : tensor<2xf32>
  }
}`

func (s *withContext) compile(code string) *pjrt.LoadedExecutable {
	s.p.Program("same", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return 2 * x }))
	exe, err := s.c.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, nil)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { exe.Close() })
	return exe
}

func (s *withContext) topology() *pjrt.Topology {
	o, err := s.p.Plugin().NewTopology(context.Background(), "", nil)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { o.Close() })
	return o
}

func (s *withContext) saved() []byte {
	b, err := s.compile(same).Serialize(context.Background())
	require.NoError(s.t, err)
	return b
}

func (s *withContext) sharded() (*sharding.Mesh, sharding.Partition) {
	m, err := sharding.NewMesh(s.c.AddressableDevices(), sharding.Axis{Name: "x", Size: 2})
	require.NoError(s.t, err)
	return m, sharding.Partition{"x"}
}

func (s *withContext) weights() *safetensors.File {
	var file bytes.Buffer
	require.NoError(s.t, safetensors.Write(&file, map[string]pjrt.HostArray{"w": vectorOf(1, 2)}, nil))
	f, err := safetensors.New(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(s.t, err)
	return f
}

// call is one call of a method, which returns what the caller closes.
type call = func(context.Context) ([]io.Closer, error)

// one returns the results of a method with one result.
func one[T io.Closer](v T, err error) ([]io.Closer, error) {
	if err != nil {
		return nil, err
	}
	return []io.Closer{v}, nil
}

func two[A, B io.Closer](a A, b B, err error) ([]io.Closer, error) {
	if err != nil {
		return nil, err
	}
	return []io.Closer{a, b}, nil
}

func none[T any](_ T, err error) ([]io.Closer, error) { return nil, err }

func listOf[T io.Closer](vs []T, err error) ([]io.Closer, error) {
	var all []io.Closer
	for _, v := range vs {
		all = append(all, v)
	}
	return all, err
}

func listsOf(vs [][]*pjrt.Buffer, err error) ([]io.Closer, error) {
	return listOf(slices.Concat(vs...), err)
}

// methods has, by its name, each function and method of pjrt and of the packages below it that
// takes a context and calls the plugin.
var methods = map[string]func(*withContext) call{
	"pjrt.FromSlice": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) { return one(pjrt.FromSlice(ctx, s.c, []float32{1, 2})) }
	},
	"pjrt.FromScalar": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) { return one(pjrt.FromScalar(ctx, s.c, float32(1))) }
	},
	"pjrt.ToSlice": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return none(pjrt.ToSlice[float32](ctx, b)) }
	},
	"pjrt.ToScalar": func(s *withContext) call {
		b, err := pjrt.FromScalar(context.Background(), s.c, float32(1))
		require.NoError(s.t, err)
		s.t.Cleanup(func() { b.Close() })
		return func(ctx context.Context) ([]io.Closer, error) { return none(pjrt.ToScalar[float32](ctx, b)) }
	},
	"pjrt.ReadSlice": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return none(pjrt.ReadSlice(ctx, b, make([]float32, 2)))
		}
	},
	"pjrt.Plugin.NewClient": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) { return one(s.p.Plugin().NewClient(ctx, nil)) }
	},
	"pjrt.Plugin.SharedClient": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) { return one(s.p.Plugin().SharedClient(ctx, nil)) }
	},
	"pjrt.Plugin.NewTopology": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) { return one(s.p.Plugin().NewTopology(ctx, "", nil)) }
	},
	"pjrt.Plugin.DeserializeTopology": func(s *withContext) call {
		data, err := s.topology().Serialize()
		require.NoError(s.t, err)
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(s.p.Plugin().DeserializeTopology(ctx, data))
		}
	},
	"pjrt.Plugin.CompileFor": func(s *withContext) call {
		s.compile(same)
		o := s.topology()
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(s.p.Plugin().CompileFor(ctx, o, pjrt.Program{Code: []byte(same)}, nil))
		}
	},
	"pjrt.Client.CompileFor": func(s *withContext) call {
		s.compile(same)
		o := s.topology()
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(s.c.CompileFor(ctx, o, pjrt.Program{Code: []byte(same)}, nil))
		}
	},
	"pjrt.Client.Compile": func(s *withContext) call {
		s.compile(same)
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(s.c.Compile(ctx, pjrt.Program{Code: []byte(same)}, nil))
		}
	},
	"pjrt.Client.Load": func(s *withContext) call {
		s.compile(same)
		e, err := s.p.Plugin().CompileFor(context.Background(), s.topology(), pjrt.Program{Code: []byte(same)}, nil)
		require.NoError(s.t, err)
		s.t.Cleanup(func() { e.Close() })
		return func(ctx context.Context) ([]io.Closer, error) { return one(s.c.Load(ctx, e, nil)) }
	},
	"pjrt.Client.DeserializeAndLoad": func(s *withContext) call {
		data := s.saved()
		return func(ctx context.Context) ([]io.Closer, error) { return one(s.c.DeserializeAndLoad(ctx, data, nil)) }
	},
	"pjrt.Executable.Serialize": func(s *withContext) call {
		exe := s.compile(same).Executable
		return func(ctx context.Context) ([]io.Closer, error) { return none(exe.Serialize(ctx)) }
	},
	"pjrt.Client.BufferFromHost": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(s.c.BufferFromHost(ctx, vectorOf(1, 2), nil))
		}
	},
	"pjrt.Client.BufferFromReader": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(s.c.BufferFromReader(ctx, bytes.NewReader(make([]byte, 8)), vector2, nil))
		}
	},
	"pjrt.Client.UninitializedBuffer": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) { return one(s.c.UninitializedBuffer(ctx, vector2, nil)) }
	},
	"pjrt.Client.ErrorBuffer": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(s.c.ErrorBuffer(ctx, vector2, pjrt.ErrAborted.Errorf("no"), nil))
		}
	},
	"pjrt.Client.ViewOfHostMemory": func(s *withContext) call {
		data := pjrt.AlignedSlice[float32](2)
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(s.c.ViewOfHostMemory(ctx, pjrt.ArrayOf(data), nil))
		}
	},
	"pjrt.Buffer.ToHost": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return none(b.ToHost(ctx)) }
	},
	"pjrt.Buffer.ToHostInto": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return none(b.ToHostInto(ctx, make([]byte, 8))) }
	},
	"pjrt.Buffer.ToHostStrided": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return nil, b.ToHostStrided(ctx, make([]byte, 12), []int64{8})
		}
	},
	"pjrt.Buffer.ReadInPlace": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return nil, b.ReadInPlace(ctx, func([]byte) error { return nil })
		}
	},
	"pjrt.Buffer.CopyToDevice": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(b.CopyToDevice(ctx, s.c.AddressableDevices()[1]))
		}
	},
	"pjrt.Buffer.CopyToMemory": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return one(b.CopyToMemory(ctx, s.c.Memories()[1])) }
	},
	"pjrt.Buffer.Bitcast": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(b.Bitcast(ctx, pjrt.Shape{Type: dtype.S32, Dims: []int64{2}}, nil))
		}
	},
	"pjrt.Buffer.Reference": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return one(b.Reference(ctx)) }
	},
	"pjrt.Buffer.UnpaddedDims": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return none(b.UnpaddedDims(ctx)) }
	},
	"pjrt.Buffer.Wait": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return nil, b.Wait(ctx) }
	},
	"pjrt.Event.Wait": func(s *withContext) call {
		e, err := s.buffer().ReadyEvent()
		require.NoError(s.t, err)
		s.t.Cleanup(func() { e.Close() })
		return func(ctx context.Context) ([]io.Closer, error) { return nil, e.Wait(ctx) }
	},
	"pjrt.LoadedExecutable.Bind": func(s *withContext) call {
		exe, b := s.compile(same), s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(exe.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{b}}))
		}
	},
	"pjrt.Bound.Bind": func(s *withContext) call {
		exe, b := s.compile(same), s.buffer()
		bound, err := exe.Bind(context.Background())
		require.NoError(s.t, err)
		s.t.Cleanup(func() { bound.Close() })
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(bound.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{b}}))
		}
	},
	"pjrt/params.Upload": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) {
			_, made, err := params.Upload(ctx, s.c, nil, vectorOf(1, 2))
			return listOf(made, err)
		}
	},
	"pjrt/raw.SharesHost": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return none(raw.SharesHost(ctx, b, make([]byte, 8))) }
	},
	"pjrt.LoadedExecutable.Execute": func(s *withContext) call {
		exe, b := s.compile(same), s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return listOf(exe.Execute(ctx, []*pjrt.Buffer{b}, nil))
		}
	},
	"pjrt.LoadedExecutable.Run": func(s *withContext) call {
		exe, b := s.compile(same), s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return listOf(exe.Run(ctx, b)) }
	},
	"pjrt.LoadedExecutable.ExecuteInto": func(s *withContext) call {
		exe, b, outs := s.compile(same), s.buffer(), make([]*pjrt.Buffer, 1)
		opts := &pjrt.ExecuteOptions{ReuseResults: true}
		for range 5 { // so that the execution counts as quick, and has results to reuse
			require.NoError(s.t, exe.ExecuteInto(context.Background(), outs, []*pjrt.Buffer{b}, opts))
		}
		s.t.Cleanup(func() { outs[0].Close() })
		return func(ctx context.Context) ([]io.Closer, error) {
			return nil, exe.ExecuteInto(ctx, outs, []*pjrt.Buffer{b}, opts)
		}
	},
	"pjrt.LoadedExecutable.ExecuteAll": func(s *withContext) call {
		exe, b := s.compile(same), s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return listsOf(exe.ExecuteAll(ctx, [][]*pjrt.Buffer{{b}}, nil))
		}
	},
	"pjrt.LoadedExecutable.Start": func(s *withContext) call {
		exe, b := s.compile(same), s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			outs, done, err := exe.Start(ctx, []*pjrt.Buffer{b}, nil)
			all, err := listOf(outs, err)
			return append(all, done), err
		}
	},
	"pjrt.LoadedExecutable.StartAll": func(s *withContext) call {
		exe, b := s.compile(same), s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			outs, done, err := exe.StartAll(ctx, [][]*pjrt.Buffer{{b}}, nil)
			all, err := listsOf(outs, err)
			return append(all, done), err
		}
	},
	"pjrt/raw.AcquireContents": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			_, release, err := raw.AcquireContents(ctx, b)
			if err == nil {
				release()
			}
			return nil, err
		}
	},
	"pjrt/raw.UnsafePointer": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return none(raw.UnsafePointer(ctx, b)) }
	},
	"pjrt/raw.ShareMemory": func(s *withContext) call {
		a, b := s.buffer(), s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return none(raw.ShareMemory(ctx, a, b)) }
	},
	"pjrt/raw.ViewOfDeviceMemory": func(s *withContext) call {
		b := s.buffer()
		r, err := b.Reference(context.Background())
		require.NoError(s.t, err)
		s.t.Cleanup(func() { r.Close() })
		address, err := r.Address()
		require.NoError(s.t, err)
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(raw.ViewOfDeviceMemory(ctx, s.c, address, vector2, nil))
		}
	},
	"pjrt/raw.Abandonable": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return none(raw.Abandonable(ctx, b.IsOnCPU, func(bool) error { return nil }))
		}
	},
	"pjrt/transfer.CopyRaw": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return nil, transfer.CopyRaw(ctx, b, make([]byte, 8), 0)
		}
	},
	"pjrt/transfer.StartCopyRaw": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(transfer.StartCopyRaw(ctx, b, make([]byte, 8), 0))
		}
	},
	"pjrt/transfer.PrepareCopyRaw": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return one(transfer.PrepareCopyRaw(ctx, b, 0, 8)) }
	},
	"pjrt/transfer.NewAlias": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) { return two(transfer.NewAlias(ctx, s.c, vector2, nil)) }
	},
	"pjrt/transfer.NewManager": func(s *withContext) call {
		return func(ctx context.Context) ([]io.Closer, error) {
			return one(transfer.NewManager(ctx, s.c, []pjrt.Shape{vector2}, nil))
		}
	},
	"pjrt/transfer.DonateAfter": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return two(transfer.DonateAfter(ctx, b)) }
	},
	"pjrt/dlpack.Export": func(s *withContext) call {
		b := s.buffer()
		return func(ctx context.Context) ([]io.Closer, error) { return one(dlpack.Export(ctx, b)) }
	},
	"pjrt/dlpack.Import": func(s *withContext) call {
		x, err := dlpack.Export(context.Background(), s.buffer())
		require.NoError(s.t, err)
		s.t.Cleanup(func() { x.Close() })
		return func(ctx context.Context) ([]io.Closer, error) { return one(dlpack.Import(ctx, s.c, x.Address())) }
	},
	"pjrt/dlpack.Copy": func(s *withContext) call {
		x, err := dlpack.Export(context.Background(), s.buffer())
		require.NoError(s.t, err)
		s.t.Cleanup(func() { x.Close() })
		return func(ctx context.Context) ([]io.Closer, error) { return one(dlpack.Copy(ctx, s.c, x.Address())) }
	},
	"pjrt/sharding.Mesh.Scatter": func(s *withContext) call {
		m, p := s.sharded()
		return func(ctx context.Context) ([]io.Closer, error) { return one(m.Scatter(ctx, vectorOf(1, 2), p)) }
	},
	"pjrt/sharding.Array.Gather": func(s *withContext) call {
		m, p := s.sharded()
		a, err := m.Scatter(context.Background(), vectorOf(1, 2), p)
		require.NoError(s.t, err)
		s.t.Cleanup(func() { a.Close() })
		return func(ctx context.Context) ([]io.Closer, error) { return none(a.Gather(ctx)) }
	},
	"pjrt/sharding.Array.GatherInto": func(s *withContext) call {
		m, p := s.sharded()
		a, err := m.Scatter(context.Background(), vectorOf(1, 2), p)
		require.NoError(s.t, err)
		s.t.Cleanup(func() { a.Close() })
		return func(ctx context.Context) ([]io.Closer, error) { return nil, a.GatherInto(ctx, make([]byte, 8)) }
	},
	"pjrt/safetensors.File.Load": func(s *withContext) call {
		f := s.weights()
		return func(ctx context.Context) ([]io.Closer, error) {
			buffers, err := f.Load(ctx, s.c, nil)
			return listOf(slices.Collect(maps.Values(buffers)), err)
		}
	},
	"pjrt/safetensors.File.LoadInto": func(s *withContext) call {
		f := s.weights()
		return func(ctx context.Context) ([]io.Closer, error) {
			var w struct{ W *pjrt.Buffer }
			err := f.LoadInto(ctx, s.c, &w, nil)
			return one(w.W, err)
		}
	},
	"pjrt/inspect.New": func(s *withContext) call {
		exe := s.compile(same)
		return func(ctx context.Context) ([]io.Closer, error) { return none(inspect.New(ctx, exe.Executable)) }
	},
	"pjrt/cache.Cache.Compile": func(s *withContext) call {
		s.compile(same)
		c, err := cache.Open(s.t.TempDir(), cache.Options{})
		require.NoError(s.t, err)
		return func(ctx context.Context) ([]io.Closer, error) {
			exe, _, err := c.Compile(ctx, s.c, pjrt.Program{Code: []byte(same)}, nil)
			return one(exe, err)
		}
	},
}

// named is the call with a check that the error of its context says which call ended.
func named(t testing.TB, name string, c call) call {
	return func(ctx context.Context) ([]io.Closer, error) {
		results, err := c(ctx)
		if errors.Is(err, context.Canceled) {
			assert.Contains(t, err.Error(), path.Base(name))
		}
		return results, err
	}
}

// notTried has the functions and methods with a context that call no plugin themselves, and those
// of packages that have such a test of their own.
var notTried = []string{
	"pjrt/cache.Cache.Verify", "pjrt/cache.Cache.Store", // use files
	"pjrt/cache.FromContext",                                       // does not wait
	"pjrt/kv.", "pjrt/plugins.", "pjrt/isolate.", "pjrt/pjrttest.", // wait for other processes, or for a test
	"pjrt/kv/etcd.", "pjrt/gomlx.", // are other modules
	"pjrt.LoadedExecutable.Serialize", // passes the call on to the Executable
	"pjrt/raw.Retry",                  // makes a call of its caller
	"pjrt.ObserverFunc.",              // calls a function of its caller, or nothing
	"pjrt/sharding.Executable.",       // see pjrt/sharding
}

// pluginFor returns the plugin on which a method is tried.
func pluginFor(name string) pjrttest.Options {
	if strings.HasPrefix(name, "pjrt/dlpack.") { // which needs a kind of plugin that it knows
		attributes := []pjrt.Attribute{{Name: "rocm_version", Value: int64(60000)}}
		return pjrttest.Options{Devices: 2, Attributes: attributes, HostDevices: name == "pjrt/dlpack.Copy"}
	}
	return pjrttest.Options{Devices: 2, HostDevices: true}
}

func TestEachCallReturnsWhenItsContextEnds(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		t.Run(name, func(t *testing.T) {
			options := pluginFor(name)
			options.NoLeaks = true
			pjrttest.ContextCheck{
				Options: options,
				Prepare: func(t testing.TB, p *pjrttest.Plugin) call {
					return named(t, name, methods[name](&withContext{t, p, p.Client()}))
				},
			}.Run(t)
		})
	}
}

// On a device whose memory the host cannot read, arrays take another way.
func TestEachTransferReturnsWhenItsContextEnds(t *testing.T) {
	for _, name := range []string{
		"pjrt.ToSlice", "pjrt.ReadSlice", "pjrt.Buffer.ToHost", "pjrt.Buffer.ToHostInto", "pjrt.Buffer.ToHostStrided",
		"pjrt.Buffer.ReadInPlace", "pjrt.Buffer.Reference", "pjrt.Client.BufferFromHost", "pjrt/sharding.Array.Gather",
	} {
		t.Run(name, func(t *testing.T) {
			pjrttest.ContextCheck{
				Options: pjrttest.Options{Devices: 2, NoLeaks: true},
				Prepare: func(t testing.TB, p *pjrttest.Plugin) call {
					return named(t, name, methods[name](&withContext{t, p, p.Client()}))
				},
			}.Run(t)
		})
	}
}

// What waits for work calls the plugin after the end of the context, too.
func TestEachWaitReturnsWhenItsContextEnds(t *testing.T) {
	for name, options := range map[string]pjrttest.Options{
		"pjrt.Buffer.Wait": {}, "pjrt.Event.Wait": {}, "pjrt.Buffer.ToHost": {}, "pjrt/transfer.CopyRaw": {},
		"pjrt.LoadedExecutable.Execute": {}, "pjrt.LoadedExecutable.ExecuteAll": {}, "pjrt.Buffer.ReadInPlace": {HostDevices: true},
	} {
		t.Run(name, func(t *testing.T) {
			options.NoLeaks = true
			pjrttest.ContextCheck{
				Options: options, Pending: true,
				Prepare: func(t testing.TB, p *pjrttest.Plugin) call {
					p.Client()
					p.Hold()
					return named(t, name, methods[name](&withContext{t, p, p.Client()}))
				},
			}.Run(t)
		})
	}
}

// endsWhenAsked is a context that ends when it is asked for its end the n-th time.
type endsWhenAsked struct {
	context.Context
	end context.CancelFunc
	n   atomic.Int64
}

func newEndsWhenAsked(n int64) *endsWhenAsked {
	c := &endsWhenAsked{}
	c.Context, c.end = context.WithCancel(context.Background())
	c.n.Store(n)
	return c
}

func (c *endsWhenAsked) asked() {
	if c.n.Add(-1) <= 0 {
		c.end()
	}
}

func (c *endsWhenAsked) Err() error {
	c.asked()
	return c.Context.Err()
}

func (c *endsWhenAsked) Done() <-chan struct{} {
	c.asked()
	return c.Context.Done()
}

// A context ends at whatever point of a call, also while Go code reads a program or a file.
func TestAnErrorOfAContextNamesTheCallWhereverItEnds(t *testing.T) {
	const most = 300 // questions of one call
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		t.Run(name, func(t *testing.T) {
			p := pjrttest.New(t, pluginFor(name))
			ended := 0
			for n := int64(1); ; n++ {
				require.LessOrEqual(t, n, int64(most), "the call asks for the end of its context too often")
				call := methods[name](&withContext{t, p, p.Client()})
				ctx := newEndsWhenAsked(n)
				results, err := call(ctx)
				for _, r := range results {
					_ = r.Close()
				}
				if errors.Is(err, context.Canceled) {
					ended++
					assert.Contains(t, err.Error(), path.Base(name), "it ends at question %d", n)
				}
				over := ctx.n.Load() > 0
				if ctx.end(); over {
					break
				}
			}
			assert.Positive(t, ended, "the call does not ask for the end of its context")
		})
	}
}

// A new method with a context must not be forgotten here.
func TestAllMethodsWithAContextAreTried(t *testing.T) {
	found := functionsWithContext(t, ".", "pjrt")
	require.Greater(t, len(found), 40)
	for _, name := range found {
		if !slices.ContainsFunc(notTried, func(p string) bool { return strings.HasPrefix(name, p) }) {
			_, ok := methods[name]
			assert.True(t, ok, "%s: add it to methods, or say in notTried why not", name)
		}
	}
	for name := range methods {
		assert.True(t, slices.Contains(found, name), "%s does not exist", name)
	}
	for _, p := range notTried {
		assert.True(t, slices.ContainsFunc(found, func(name string) bool { return strings.HasPrefix(name, p) }), p)
	}
}

// functionsWithContext returns the exported functions and methods with a context in the packages of
// a folder, whose own package is called by name.
func functionsWithContext(t *testing.T, folder, name string) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		switch base := filepath.Base(file); {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"internal", "examples", "testdata"}, base):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if f.Name.Name == "main" || strings.HasSuffix(f.Name.Name, "test") && f.Name.Name != "pjrttest" {
			return nil
		}
		in := name
		if rel := filepath.ToSlash(filepath.Dir(file)); rel != "." {
			in += "/" + rel
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.IsExported() && takesContext(fn) && receiverOf(fn) != "" {
				found = append(found, in+"."+strings.TrimPrefix(receiverOf(fn)+"."+fn.Name.Name, ".."))
			}
		}
		return nil
	}))
	return found
}

func takesContext(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		if s, ok := p.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Context" {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "context" {
				return true
			}
		}
	}
	return false
}

// receiverOf returns the type of the receiver of a method, "." for a function, and "" for the
// method of a type that is not exported.
func receiverOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return "."
	}
	typ := fn.Recv.List[0].Type
	if p, ok := typ.(*ast.StarExpr); ok {
		typ = p.X
	}
	if id, ok := typ.(*ast.Ident); ok && id.IsExported() {
		return id.Name
	}
	return ""
}
