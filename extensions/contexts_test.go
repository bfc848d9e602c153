// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extensions_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/extensions/phasecompile"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// call is one call of a function with a context, which returns what the caller closes.
type call = func(context.Context) ([]io.Closer, error)

var pair = pjrt.Shape{Type: dtype.F32, Dims: []int64{2}}

func pairOn(t testing.TB, p *pjrttest.Plugin) *pjrt.Buffer {
	b, err := p.Client().BufferFromHost(context.Background(), pjrt.ArrayOf([]float32{1, 2}), nil)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func rawOn(t testing.TB, p *pjrttest.Plugin) *rawbuffer.RawBuffer {
	r, err := rawbuffer.Of(context.Background(), pairOn(t, p))
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

var lastKey atomic.Int64

// withContext has, by its name, each function and method of an extension that takes a context and
// that a plugin of pjrttest can serve.
var withContext = map[string]func(testing.TB, *pjrttest.Plugin) call{
	"rawbuffer.Of": func(t testing.TB, p *pjrttest.Plugin) call {
		b := pairOn(t, p)
		return func(ctx context.Context) ([]io.Closer, error) {
			r, err := rawbuffer.Of(ctx, b)
			return []io.Closer{r}, err
		}
	},
	"rawbuffer.RawBuffer.CopyFromHost": func(t testing.TB, p *pjrttest.Plugin) call {
		r := rawOn(t, p)
		return func(ctx context.Context) ([]io.Closer, error) { return nil, r.CopyFromHost(ctx, make([]byte, 8), 0) }
	},
	"rawbuffer.RawBuffer.CopyToHost": func(t testing.TB, p *pjrttest.Plugin) call {
		r := rawOn(t, p)
		return func(ctx context.Context) ([]io.Closer, error) { return nil, r.CopyToHost(ctx, make([]byte, 8), 0) }
	},
	"phasecompile.Compile": func(t testing.TB, p *pjrttest.Plugin) call {
		p.Program("same", pjrttest.Signature{}, pjrttest.Identity)
		topology, err := p.Client().Topology()
		require.NoError(t, err)
		phases, err := phasecompile.Phases(p.Plugin())
		require.NoError(t, err)
		program := phasecompile.Program{Format: "mlir", Code: []byte(`module @same {
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    return %a : tensor<2xf32>
  }
}`)}
		return func(ctx context.Context) ([]io.Closer, error) {
			_, err := phasecompile.Compile(ctx, topology, []phasecompile.Program{program}, phases, nil)
			return nil, err
		}
	},
	"crosshost.NewReceiver": func(_ testing.TB, p *pjrttest.Plugin) call {
		return func(ctx context.Context) ([]io.Closer, error) {
			r, err := crosshost.NewReceiver(ctx, p.Client(), []pjrt.Shape{pair}, nil)
			var all []io.Closer
			if err == nil {
				err = r.Cancel(context.WithoutCancel(ctx), 0, errors.New("not needed"))
			}
			for _, b := range r.Buffers() {
				all = append(all, b)
			}
			return all, err
		}
	},
	"crosshost.Receive": func(_ testing.TB, p *pjrttest.Plugin) call {
		return func(ctx context.Context) ([]io.Closer, error) {
			c := p.Client()
			buffers, err := crosshost.Receive(ctx, c.AddressableDevices()[0],
				[]crosshost.Incoming{{From: c.Devices()[1], Key: lastKey.Add(1), Shape: pair}}, nil)
			var all []io.Closer
			for _, b := range buffers {
				all = append(all, b)
			}
			return all, err
		}
	},
	"crosshost.Send": func(t testing.TB, p *pjrttest.Plugin) call {
		b := pairOn(t, p)
		return func(ctx context.Context) ([]io.Closer, error) {
			out := crosshost.Outgoing{Buffer: b, To: p.Client().Devices()[1], Key: lastKey.Add(1)}
			events, err := crosshost.Send(ctx, p.Client(), []crosshost.Outgoing{out}, nil)
			var all []io.Closer
			for _, e := range events {
				all = append(all, e)
			}
			return all, err
		}
	},
}

// notTried has the others, with the reason.
var notTried = map[string]string{
	"crosshost.Receiver.Descriptors": "calls no function of the plugin",
	"crosshost.Receiver.Cancel":      "calls a function that the plugin gives, see crosshost",
	"crosshost.CopyToRemoteDevice":   "needs a second plugin, see crosshost",
	"rawbuffer.DeviceEvent.Wait":     "calls functions that the plugin gives, see rawbuffer",
	"megascale.Context.Start":        "is one call by raw.Abandonable",
	"megascale.Context.Unblock":      "is one call by raw.Abandonable",
	"megascale.Collectives.Join":     "is one call by raw.Abandonable",
}

func TestEachCallReturnsWhenItsContextEnds(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(withContext)) {
		t.Run(name, func(t *testing.T) {
			options := pjrttest.Options{Devices: 2, HostDevices: true, NoLeaks: true}
			if strings.HasPrefix(name, "crosshost.") { // whose transfers wait for the other process
				options = pjrttest.Options{Processes: 2, Network: new(pjrttest.Network)}
			}
			pjrttest.ContextCheck{Options: options, Prepare: withContext[name]}.Run(t)
		})
	}
}

// A new function with a context must not be forgotten here.
func TestAllFunctionsWithAContextAreTried(t *testing.T) {
	found := functionsWithContext(t)
	for _, name := range found {
		_, tried := withContext[name]
		assert.True(t, tried || notTried[name] != "", "%s: add it to withContext, or say in notTried why not", name)
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(withContext)), slices.Collect(maps.Keys(notTried))) {
		assert.True(t, slices.Contains(found, name), "%s does not exist", name)
	}
}

// functionsWithContext returns the exported functions and methods with a context.
func functionsWithContext(t *testing.T) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || !takesContext(fn) {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				star, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
				if !ok || !star.X.(*ast.Ident).IsExported() {
					continue
				}
				name = star.X.(*ast.Ident).Name + "." + name
			}
			found = append(found, filepath.ToSlash(filepath.Dir(path))+"."+name)
		}
		return nil
	}))
	return found
}

func takesContext(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(fn.Type.Params.List, func(p *ast.Field) bool {
		s, ok := p.Type.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Context" && s.X.(*ast.Ident).Name == "context"
	})
}
