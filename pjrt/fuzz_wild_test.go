// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/extensions/phasecompile"
	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/distributed"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// wildTypes are the types whose methods the wild calls use. Objects of these types that a
// call returns are used in later ones.
var wildTypes = map[reflect.Type]bool{
	reflect.TypeFor[*pjrt.Bound]():             true,
	reflect.TypeFor[*pjrt.Buffer]():            true,
	reflect.TypeFor[*pjrt.Client]():            true,
	reflect.TypeFor[*pjrt.Device]():            true,
	reflect.TypeFor[*pjrt.DeviceDescription](): true,
	reflect.TypeFor[*pjrt.Event]():             true,
	reflect.TypeFor[*pjrt.Executable]():        true,
	reflect.TypeFor[*pjrt.LoadedExecutable]():  true,
	reflect.TypeFor[*pjrt.Memory]():            true,
	reflect.TypeFor[*pjrt.Plugin]():            true,
	reflect.TypeFor[*pjrt.Promise]():           true,
	reflect.TypeFor[*pjrt.Reference]():         true,
	reflect.TypeFor[*pjrt.SharedClient]():      true,
	reflect.TypeFor[*pjrt.Topology]():          true,

	// Those of extensions.
	reflect.TypeFor[*crosshost.Receiver]():  true,
	reflect.TypeFor[*ffi.Context]():         true,
	reflect.TypeFor[*megascale.Config]():    true,
	reflect.TypeFor[*profiler.Profiler]():   true,
	reflect.TypeFor[*rawbuffer.RawBuffer](): true,

	reflect.TypeFor[*sharding.Array](): true,
	reflect.TypeFor[*sharding.Mesh]():  true,

	reflect.TypeFor[*transfer.Alias]():      true,
	reflect.TypeFor[*transfer.Dependency](): true,
	reflect.TypeFor[*transfer.Manager]():    true,
	reflect.TypeFor[*transfer.Mapping]():    true,
	reflect.TypeFor[*transfer.RawCopy]():    true,
	reflect.TypeFor[*transfer.Stream]():     true,
}

// wildFunctions are called like the methods.
var wildFunctions = map[string]reflect.Value{
	"ArrayOf":              reflect.ValueOf(pjrt.ArrayOf[float32]),
	"DecodeCompileOptions": reflect.ValueOf(pjrt.DecodeCompileOptions),
	"DetectFormat":         reflect.ValueOf(pjrt.DetectFormat),
	"FromScalar":           reflect.ValueOf(pjrt.FromScalar[float32]),
	"ScalarOf":             reflect.ValueOf(pjrt.ScalarOf[float32]),
	"FromSlice":            reflect.ValueOf(pjrt.FromSlice[float32]),
	"Open":                 reflect.ValueOf(pjrt.Open),
	"ReadSlice":            reflect.ValueOf(pjrt.ReadSlice[float32]),
	"ToScalar":             reflect.ValueOf(pjrt.ToScalar[float32]),
	"ToSlice":              reflect.ValueOf(pjrt.ToSlice[float32]),

	// Those of extensions.
	"crosshost.CopyToRemoteDevice": reflect.ValueOf(crosshost.CopyToRemoteDevice),
	"crosshost.NewReceiver":        reflect.ValueOf(crosshost.NewReceiver),
	"crosshost.Receive":            reflect.ValueOf(crosshost.Receive),
	"crosshost.Send":               reflect.ValueOf(crosshost.Send),
	"ffi.NewContext":               reflect.ValueOf(ffi.NewContext),
	"phasecompile.Compile":         reflect.ValueOf(phasecompile.Compile),
	"phasecompile.Phases":          reflect.ValueOf(phasecompile.Phases),
	"profiler.New":                 reflect.ValueOf(profiler.New),
	"rawbuffer.Of":                 reflect.ValueOf(rawbuffer.Of),

	"distributed.PoisonExecution": reflect.ValueOf(distributed.PoisonExecution),
	"distributed.UpdateProcesses": reflect.ValueOf(distributed.UpdateProcesses),
	"params.Arguments":            reflect.ValueOf(params.Arguments),
	"params.Scan":                 reflect.ValueOf(params.Scan[*pjrt.Buffer]),
	"raw.References":              reflect.ValueOf(raw.References),
	"raw.UnsafePointer":           reflect.ValueOf(raw.UnsafePointer),

	"sharding.LogicalIDs": reflect.ValueOf(sharding.LogicalIDs),
	"sharding.NewMesh":    reflect.ValueOf(sharding.NewMesh),

	"transfer.CopyRaw":        reflect.ValueOf(transfer.CopyRaw),
	"transfer.DonateAfter":    reflect.ValueOf(transfer.DonateAfter),
	"transfer.MapDMA":         reflect.ValueOf(transfer.MapDMA),
	"transfer.NewAlias":       reflect.ValueOf(transfer.NewAlias),
	"transfer.NewManager":     reflect.ValueOf(transfer.NewManager),
	"transfer.PrepareCopyRaw": reflect.ValueOf(transfer.PrepareCopyRaw),
	"transfer.StartCopyRaw":   reflect.ValueOf(transfer.StartCopyRaw),
}

// wildNever has the methods that, by their documentation, cannot be safe with arbitrary
// arguments.
var wildNever = map[string]string{
	"ExtendExecute":      "what it returns must be called",
	"DeserializeAndLoad": "plugins misread damaged bytes",
}

// wildPool has objects in any state, including closed ones.
type wildPool struct {
	mu     sync.Mutex
	byType map[reflect.Type][]reflect.Value // guarded by mu
}

// wildEach is how many objects of one type the pool has.
const wildEach = 6

// put stores v if it is an object of a wild type, or a list of them.
func (p *wildPool) put(w *fuzzWorker, v reflect.Value) {
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			p.put(w, v.Index(i))
		}
		return
	}
	if !wildTypes[v.Type()] || v.IsNil() {
		return
	}
	p.mu.Lock()
	if p.byType == nil {
		p.byType = make(map[reflect.Type][]reflect.Value)
	}
	list := p.byType[v.Type()]
	if len(list) < wildEach {
		p.byType[v.Type()] = append(list, v)
		p.mu.Unlock()
		return
	}
	i := w.IntN(len(list))
	list[i], v = v, list[i]
	p.mu.Unlock()
	closeValue(v)
}

func closeValue(v reflect.Value) {
	if c, ok := v.Interface().(io.Closer); ok {
		c.Close()
	}
}

func (p *wildPool) pick(w *fuzzWorker, t reflect.Type) (v reflect.Value, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.byType[t]
	if len(list) == 0 {
		return v, false
	}
	return list[w.IntN(len(list))], true
}

func (p *wildPool) closeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range p.byType {
		for _, v := range list {
			closeValue(v)
		}
	}
	clear(p.byType)
}

// wildSeed makes an object for wild calls.
func (w *fuzzWorker) wildSeed() {
	ctx := context.Background()
	v, ok := w.wild.pick(w, reflect.TypeFor[*pjrt.Client]())
	if !ok || w.chance(20) {
		c, err := w.plugin.NewClient(ctx, nil)
		if err != nil {
			w.fail("%s: %v", w.name, err)
			return
		}
		w.wild.put(w, reflect.ValueOf(c))
		for _, d := range c.Devices() {
			w.wild.put(w, reflect.ValueOf(d))
		}
		for _, m := range c.Memories() {
			w.wild.put(w, reflect.ValueOf(m))
		}
		return
	}
	c := v.Interface().(*pjrt.Client)
	// The client may be closed, or have no devices.
	switch w.IntN(6) {
	case 0:
		exe, _ := c.Compile(ctx, pjrt.Program{Code: []byte(oneOf(w, fuzzPrograms...).code)}, nil)
		w.wild.put(w, reflect.ValueOf(exe))
	case 1:
		b, f, _ := transfer.NewAlias(ctx, c, f32x4, nil)
		w.wild.put(w, reflect.ValueOf(b))
		w.wild.put(w, reflect.ValueOf(f))
	case 2:
		m, _ := transfer.NewManager(ctx, c, []pjrt.Shape{f32x4, s32x4}, nil)
		w.wild.put(w, reflect.ValueOf(m))
	default:
		b, _ := pjrt.FromSlice(ctx, c, []float32{1, 2, 3, 4})
		w.wild.put(w, reflect.ValueOf(b))
	}
}

// wildCall calls any method or function with any arguments.
func (w *fuzzWorker) wildCall() {
	if name, f := w.wildFunction(); !never(name) {
		w.wildArguments(name, f)
	}
}

// never reports whether wildNever has the method.
func never(name string) bool { return wildNever[name[strings.LastIndexByte(name, '.')+1:]] != "" }

// wildArguments calls a function with any arguments.
func (w *fuzzWorker) wildArguments(name string, f reflect.Value) {
	w.name = name
	ctx, cancel := w.wildContext()
	defer cancel()
	args := w.wildList(f.Type(), ctx)
	w.note("%v", describe(args))
	outcome := "ok"
	for _, r := range callWith(f, args) {
		if err, ok := r.Interface().(error); ok && err != nil {
			outcome = "error"
		}
		w.wild.put(w, r)
	}
	w.count("wild " + name + ": " + outcome)
}

// wildContext returns a context that ends soon, or has ended.
func (w *fuzzWorker) wildContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+w.IntN(20))*time.Millisecond)
	if w.chance(8) {
		cancel()
	}
	return ctx, cancel
}

// wildList returns arguments of a function.
func (w *fuzzWorker) wildList(f reflect.Type, ctx context.Context) []reflect.Value {
	args := make([]reflect.Value, f.NumIn())
	for i := range args {
		if args[i] = w.wildValue(f.In(i), 0); f.In(i) == contextType {
			args[i] = reflect.ValueOf(ctx)
		}
	}
	return args
}

func callWith(f reflect.Value, args []reflect.Value) []reflect.Value {
	if f.Type().IsVariadic() {
		return f.CallSlice(args)
	}
	return f.Call(args)
}

var contextType = reflect.TypeFor[context.Context]()

// wildFunction returns a function, or a method bound to an object that may be
// closed, nil or zero.
func (w *fuzzWorker) wildFunction() (string, reflect.Value) {
	if w.chance(8) {
		name := oneOf(w, slices.Sorted(maps.Keys(wildFunctions))...)
		return name, wildFunctions[name]
	}
	t := oneOf(w, wildTypeList...)
	i := w.IntN(t.NumMethod())
	receiver, ok := w.wild.pick(w, t)
	if !ok || w.chance(20) {
		receiver = reflect.Zero(t)
		if w.chance(2) {
			receiver = reflect.New(t.Elem())
		}
	}
	return t.Elem().Name() + "." + t.Method(i).Name, receiver.Method(i)
}

// wildTypeList has each type as often as it has methods.
var wildTypeList = func() (list []reflect.Type) {
	for t := range wildTypes {
		for range t.NumMethod() {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b reflect.Type) int { return strings.Compare(a.String(), b.String()) })
	return list
}()

// wildMakers make values of types for which arbitrary values would be useless.
var wildMakers = map[reflect.Type]func(*fuzzWorker) any{
	reflect.TypeFor[pjrt.Program](): func(w *fuzzWorker) any {
		return pjrt.Program{Code: []byte(oneOf(w, fuzzPrograms...).code)}
	},
	reflect.TypeFor[dtype.Type](): func(w *fuzzWorker) any {
		return oneOf(w, dtype.F32, dtype.S32, dtype.BF16, dtype.Pred, dtype.S4, dtype.Type(w.IntN(40)-2))
	},
	reflect.TypeFor[pjrt.Shape](): func(w *fuzzWorker) any {
		return oneOf(w, f32x4, s32x4, pjrt.Shape{Type: dtype.Type(w.IntN(40)), Dims: []int64{w.wildDim()}}, pjrt.Shape{})
	},
	reflect.TypeFor[pjrt.HostArray](): func(w *fuzzWorker) any {
		return pjrt.HostArray{Type: oneOf(w, dtype.F32, dtype.S32), Dims: []int64{4}, Data: make([]byte, oneOf(w, 16, 16, 16, 15, 0))}
	},
	// No compiler flags, since they may do anything.
	reflect.TypeFor[map[string]any](): func(*fuzzWorker) any { return map[string]any(nil) },
	reflect.TypeFor[pjrt.Attribute](): func(w *fuzzWorker) any {
		return pjrt.Attribute{Name: oneOf(w, "cpu_device_count", "x", ""), Value: oneOf[any](w, int64(w.IntN(8)-1), "s", true, nil)}
	},
	reflect.TypeFor[pjrt.ExecuteExtension](): func(w *fuzzWorker) any {
		if v, ok := w.wild.pick(w, reflect.TypeFor[*ffi.Context]()); ok {
			return v.Interface()
		}
		return nil
	},
	reflect.TypeFor[kv.Store]():      func(*fuzzWorker) any { return kv.NewMemory() },
	reflect.TypeFor[io.Writer]():     func(*fuzzWorker) any { return io.Discard },
	reflect.TypeFor[io.Reader]():     func(w *fuzzWorker) any { return bytes.NewReader(make([]byte, w.IntN(32))) },
	reflect.TypeFor[time.Duration](): func(w *fuzzWorker) any { return time.Duration(w.IntN(1000)) },
	reflect.TypeFor[error]():         func(*fuzzWorker) any { return errors.New("wild") },
	// Random sizes rarely fit exactly.
	reflect.TypeFor[[]byte](): func(w *fuzzWorker) any { return make([]byte, oneOf(w, 0, 4, 16, 16, 17)) },
}

func init() { // it needs wildValue, which needs wildMakers
	wildMakers[reflect.TypeFor[pjrt.ExecuteExtension]()] = func(w *fuzzWorker) any {
		t := oneOf(w, reflect.TypeFor[transfer.Hosts](), reflect.TypeFor[transfer.Outputs]())
		return w.wildValue(t, 1).Interface()
	}
}

// wildValue returns an arbitrary value of type t.
func (w *fuzzWorker) wildValue(t reflect.Type, depth int) reflect.Value {
	if wildTypes[t] {
		v, ok := w.wild.pick(w, t)
		switch {
		case w.chance(40):
			return reflect.New(t.Elem())
		case !ok || w.chance(10):
			return reflect.Zero(t)
		}
		return v
	}
	v := reflect.New(t).Elem()
	if make := wildMakers[t]; make != nil {
		if x := make(w); !w.chance(20) && x != nil {
			v.Set(reflect.ValueOf(x).Convert(t))
		}
		return v
	}
	if depth > 4 || w.chance(10) {
		return v
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(w.chance(2))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(w.wildInt())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(w.wildInt()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(oneOf(w, 0, 1, -1, 0.5, math.Inf(1), math.NaN()))
	case reflect.String:
		v.SetString(oneOf(w, "", "x", "main", "a\x00b", "\xff", "device"))
	case reflect.Slice:
		n := w.IntN(4)
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			v.Index(i).Set(w.wildValue(t.Elem(), depth+1))
		}
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(w.wildValue(t.Elem(), depth+1))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range w.IntN(3) {
			v.SetMapIndex(w.wildValue(t.Key(), depth+1), w.wildValue(t.Elem(), depth+1))
		}
	case reflect.Pointer:
		if w.chance(2) {
			v.Set(reflect.New(t.Elem()))
			v.Elem().Set(w.wildValue(t.Elem(), depth+1))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			// Most options stay zero, so that some calls succeed.
			if f := v.Field(i); f.CanSet() && (depth == 0 || w.chance(4)) {
				f.Set(w.wildValue(f.Type(), depth+1))
			}
		}
	case reflect.Func:
		v.Set(reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
			out := make([]reflect.Value, t.NumOut())
			for i := range out {
				out[i] = reflect.Zero(t.Out(i))
			}
			return out
		}))
	}
	return v
}

func (w *fuzzWorker) wildInt() int64 {
	return oneOf[int64](w, 0, 1, 1, 2, 4, 4, -1, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64)
}

// wildDim is wildInt without sizes that may or may not fit into a machine's memory: filling
// it ends the process.
func (w *fuzzWorker) wildDim() int64 {
	if n := w.wildInt(); n != math.MaxInt32 {
		return n
	}
	return 1 << 16
}

// describe writes arguments for the trace.
func describe(args []reflect.Value) string {
	var b bytes.Buffer
	for _, a := range args {
		if a.Type().Implements(contextType) {
			continue
		}
		switch a.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Func:
			if a.IsNil() {
				fmt.Fprintf(&b, "%v nil, ", a.Type())
			} else if a.Kind() == reflect.Pointer && a.Elem().Kind() == reflect.Struct && !wildTypes[a.Type()] {
				fmt.Fprintf(&b, "&%+v, ", a.Elem())
			} else {
				fmt.Fprintf(&b, "%v, ", a.Type())
			}
		case reflect.Slice:
			if wildTypes[a.Type().Elem()] {
				fmt.Fprintf(&b, "%d %v, ", a.Len(), a.Type())
				continue
			}
			fallthrough
		default:
			fmt.Fprintf(&b, "%+v, ", a)
		}
	}
	return b.String()
}

// wildPlain are functions that wild calls leave out.
var wildPlain = map[string]string{
	"AlignedSlice":       "only allocates memory",
	"Flags":              "takes nothing",
	"Layout":             "a plain value",
	"Live":               "takes nothing",
	"Observe":            "for the whole process",
	"RowMajor":           "only allocates memory",
	"SaveFailedPrograms": "for the whole process",
	"SetLogger":          "for the whole process",
}

// Each exported function takes part in the wild calls, or is listed with the reason why it
// does not.
func TestWildCallsCoverThePackage(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	known := make(map[string]bool)
	for w := range wildTypes {
		if w.Elem().PkgPath() == reflect.TypeFor[pjrt.Client]().PkgPath() {
			known[w.Elem().Name()] = true
		}
	}
	missing := make(map[string]bool)
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			if f.Recv == nil {
				_, called := wildFunctions[f.Name.Name]
				if name := f.Name.Name; !called && wildPlain[name] == "" && wildNever[name] == "" {
					missing[name] = true
				}
				continue
			}
			if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
				if name := star.X.(*ast.Ident).Name; ast.IsExported(name) && !known[name] && wildPlain[name] == "" {
					missing[name] = true
				}
			}
		}
	}
	assert.Empty(t, missing)
}
