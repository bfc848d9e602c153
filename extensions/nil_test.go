// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extensions_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/extensions/xlatransform"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/dlpack"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/inspect"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// nilObjects are the types with methods on pointers of all public packages, except pjrt, which has
// a test of its own, and pjrttest, which panics when a test misuses it.
var nilObjects = []any{
	new(cache.Cache), new(compile.Executable), new(dlpack.Tensor), new(dtype.Type),
	new(hlo.Computation), new(hlo.Instruction), new(hlo.Module), new(hlo.Shape),
	new(inspect.Instruction), new(inspect.Program), new(inspect.Report), new(inspect.Schedule),
	new(isolate.Compiler), new(isolate.Crash), new(kv.Memory), new(lifetime.Ref[int]), new(npy.Archive),
	new(plugins.HashError), new(plugins.Package), new(plugins.SearchError), new(safetensors.File),
	new(sharding.Array), new(sharding.Executable), new(sharding.Mesh),
	new(transfer.Alias), new(transfer.Dependency), new(transfer.Manager), new(transfer.Mapping), new(transfer.RawCopy), new(transfer.Stream),
	new(crosshost.Receiver), new(ffi.Call), new(ffi.Context), new(memories.Allocation),
	new(megascale.Aggregator), new(megascale.Collectives), new(megascale.Communicator), new(megascale.Config), new(megascale.Context),
	new(megascale.Digest), new(megascale.Handler),
	new(profiler.Profile), new(profiler.Profiler), new(profiler.Recording),
	new(rawbuffer.DeviceEvent), new(rawbuffer.RawBuffer), new(xlatransform.Pass),
}

// nameOf returns the folder and the name of a type without its parameters.
func nameOf(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return strings.TrimPrefix(t.PkgPath(), "github.com/purepjrt/purepjrt/") + "." + name
}

// Each exported type with a method on its pointer is in the list.
func TestAllObjectsAreTriedAsNil(t *testing.T) {
	t.Parallel()
	tried := make(map[string]bool)
	for _, object := range nilObjects {
		tried[nameOf(reflect.TypeOf(object).Elem())] = true
	}
	for _, top := range []string{"../pjrt", "../extensions"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			_, notModule := os.Stat(filepath.Join(path, "go.mod"))
			if path == "../pjrt" {
				return nil
			}
			if notModule == nil || slices.Contains([]string{"internal", "testdata", "examples", "pjrttest"}, d.Name()) {
				return filepath.SkipDir
			}
			for _, typ := range typesWithMethods(t, path) {
				name := strings.TrimPrefix(path, "../") + "." + typ
				assert.True(t, tried[name], "%s has methods: add it to nilObjects", name)
			}
			return nil
		})
		require.NoError(t, err)
	}
}

// typesWithMethods returns the exported types of a folder that have exported methods on pointers.
func typesWithMethods(t *testing.T, folder string) (names []string) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() {
				continue
			}
			star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
			if !ok {
				continue
			}
			of := star.X
			if x, ok := of.(*ast.IndexExpr); ok {
				of = x.X
			}
			if id, ok := of.(*ast.Ident); ok && id.IsExported() && !slices.Contains(names, id.Name) {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// No method of a nil or a zero object panics or waits, and those of a nil one that can fail do.
func TestMethodsOfNilAndZeroObjectsDoNotPanic(t *testing.T) {
	t.Parallel()
	for _, object := range nilObjects {
		typ := reflect.TypeOf(object)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			_, onValue := typ.Elem().MethodByName(m.Name)
			for name, receiver := range map[string]reflect.Value{"nil": reflect.Zero(typ), "zero": reflect.New(typ.Elem())} {
				if name == "nil" && onValue {
					continue // Go itself panics
				}
				if _, ok := object.(*kv.Memory); ok && name == "zero" && m.Name == "Get" {
					continue // waits for a value, as it should
				}
				t.Run(nameOf(typ.Elem())+"."+m.Name+"/"+name, func(t *testing.T) {
					t.Parallel()
					callNil(t, m, receiver, name == "nil")
				})
			}
		}
	}
}

// callNil calls a method with arguments that are nil or zero, or do nothing.
func callNil(t *testing.T, m reflect.Method, receiver reflect.Value, isNil bool) {
	dir := t.TempDir()
	done := make(chan []reflect.Value, 1)
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				t.Errorf("it panics: %v", v)
			}
		}()
		args := []reflect.Value{receiver}
		for i := 1; i < m.Type.NumIn(); i++ {
			switch in := m.Type.In(i); {
			case m.Type.IsVariadic() && i == m.Type.NumIn()-1:
			case in == reflect.TypeFor[context.Context]():
				args = append(args, reflect.ValueOf(t.Context()))
			case in.Kind() == reflect.Func:
				args = append(args, reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value {
					results := make([]reflect.Value, in.NumOut())
					for i := range results {
						results[i] = reflect.Zero(in.Out(i))
					}
					return results
				}))
			case in.Kind() == reflect.String:
				args = append(args, reflect.ValueOf(filepath.Join(dir, "name")).Convert(in)) // some write there
			case in == reflect.TypeFor[error]():
				args = append(args, reflect.ValueOf(pjrt.ErrAborted))
			default:
				args = append(args, reflect.Zero(in))
			}
		}
		done <- m.Func.Call(args)
	}()
	select {
	case results, ok := <-done:
		if !ok || !isNil || len(results) == 0 || m.Name == "Close" || m.Name == "Unwrap" {
			return
		}
		if last := results[len(results)-1]; last.Type() == reflect.TypeFor[error]() {
			assert.False(t, last.IsNil(), "there is no error")
		}
	case <-time.After(time.Minute):
		t.Error("it does not return")
	}
}
