// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"log"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/platform"
)

// A parameter without buffers stays open, wherever it is.
func ExampleArgument() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, scaled, nil)
	defer exe.Close()
	w := numbers(ctx, client, nil, 2, 3, 4)
	defer w.Close()
	bound, err := exe.Bind(ctx, pjrt.Argument{Name: "x"}, pjrt.Argument{Name: "weights", Buffers: []*pjrt.Buffer{w}})
	if err != nil {
		log.Fatal(err)
	}
	defer bound.Close()
	fmt.Println(bound.OpenParameters())
	// Output: [0]
}

// scaled is a program that multiplies its arguments.
const scaled = `func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %x, %w : tensor<3xf32>
  return %0 : tensor<3xf32>
}`

// A Bound can be bound further, for example to what is the same for all requests of a user.
func ExampleBound() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, scaled, nil)
	defer exe.Close()
	x, w := numbers(ctx, client, nil, 1, 2, 3), numbers(ctx, client, nil, 10, 10, 10)
	defer x.Close()
	defer w.Close()
	var model, all *pjrt.Bound
	model, err := exe.Bind(ctx, pjrt.Argument{}, pjrt.Argument{Buffers: []*pjrt.Buffer{w}})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	if all, err = model.Bind(ctx, pjrt.Argument{Buffers: []*pjrt.Buffer{x}}); err != nil {
		log.Fatal(err)
	}
	defer all.Close()
	outs, err := exe.Execute(ctx, nil, &pjrt.ExecuteOptions{Bound: all})
	if err != nil {
		log.Fatal(err)
	}
	defer outs[0].Close()
	show(ctx, outs[0])
	// Output: [10 20 30]
}

// A program that does not fit is known before it runs.
func ExampleCompiledMemoryStats() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, scaled, nil)
	defer exe.Close()
	fits := func(stats pjrt.CompiledMemoryStats, free int64) bool { return stats.Required() <= free }
	stats, err := exe.MemoryStats()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Arguments, stats.Outputs, fits(stats, 1<<20), fits(stats, 16))
	// Output: 24 12 true false
}

// A description outlives its client.
func ExampleDeviceDescription() {
	ctx := context.Background()
	client := cpuClient(ctx)
	var d *pjrt.DeviceDescription = client.Devices()[0].Description()
	client.Close()
	fmt.Println(d.ID(), d.Kind(), d.ProcessIndex())
	// Output: 0 cpu 0
}

// The compiler decides how arguments and results lie in the memory of the device.
func ExampleDeviceLayout() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, `func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}`, nil)
	defer exe.Close()
	layouts, err := exe.ParameterLayouts()
	if err != nil {
		log.Fatal(err)
	}
	isRowMajor := func(l pjrt.DeviceLayout) bool {
		return l.Layout != nil && l.Layout.String() == pjrt.RowMajor(2).String()
	}
	fmt.Println(layouts[0].Text, isRowMajor(layouts[0]))
	// Output: {1,0} true
}

// An error names the function of the plugin that failed, and its code is one for errors.Is.
func ExampleError() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	_, err := client.LookupDevice(1000)
	var e *pjrt.Error
	if errors.As(err, &e) {
		fmt.Println(e.Func, errors.Is(err, e.Code))
	}
	// Output: PJRT_Client_LookupDevice true
}

// launched is an extension of executions that counts them.
type launched struct{ begun, over *int }

func (l launched) ExtendExecute(*pjrt.Client, []*pjrt.Device, *capi.ExecuteOptions) (done func(), err error) {
	*l.begun++
	return func() { *l.over++ }, nil
}

// An extension sets what ExecuteOptions has no field for, and knows when the execution is over.
func ExampleExecuteExtension() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, doubled, nil)
	defer exe.Close()
	x := numbers(ctx, client, nil, 1, 2, 3)
	defer x.Close()
	var begun, over int
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, &pjrt.ExecuteOptions{
		Extensions: []pjrt.ExecuteExtension{launched{&begun, &over}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer outs[0].Close()
	fmt.Println(begun, over)
	// Output: 1 1
}

// The plugin may read the memory until the copy is done, and then it is the program's again.
func ExampleHostBufferSemantics() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	upload := func(x []float32, semantics pjrt.HostBufferSemantics) *pjrt.Buffer {
		b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(x, int64(len(x))), &pjrt.BufferOptions{Semantics: semantics})
		if err != nil {
			log.Fatal(err)
		}
		return b
	}
	x := []float32{1, 2, 3}
	b := upload(x, pjrt.UntilTransferCompletes)
	defer b.Close()
	if err := b.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	x[0] = 100
	show(ctx, b)
	// Output: [1 2 3]
}

// Memories say which devices can address them.
func ExampleMemory() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	var m *pjrt.Memory = client.Devices()[0].DefaultMemory()
	fmt.Println(m.Devices()[0] == client.Devices()[0], m.Client() == client)
	// Output: true true
}

// What a plugin does not count is nil.
func ExampleMemoryStats() {
	free := func(s pjrt.MemoryStats) string {
		if s.Limit == nil {
			return "nobody knows how much is free"
		}
		return fmt.Sprintf("%d bytes are free", *s.Limit-s.InUse)
	}
	limit := int64(100)
	fmt.Println(free(pjrt.MemoryStats{InUse: 10}))
	fmt.Println(free(pjrt.MemoryStats{InUse: 10, Limit: &limit}))
	// Output:
	// nobody knows how much is free
	// 90 bytes are free
}

// counter counts what begins and ends.
type counter struct{ begun, ended map[pjrt.OperationKind]int }

func (c counter) Start(ctx context.Context, op pjrt.Operation) context.Context {
	c.begun[op.Kind]++
	return ctx
}

func (c counter) End(_ context.Context, op pjrt.Operation) { c.ended[op.Kind]++ }

// An observer that needs only the ends is an ObserverFunc.
func ExampleObserver() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	c := counter{map[pjrt.OperationKind]int{}, map[pjrt.OperationKind]int{}}
	var o pjrt.Observer = c
	defer pjrt.Observe(o)()
	compileIdentity(ctx, client).Close()
	numbers(ctx, client, nil, 1, 2).Close()
	fmt.Println(c.begun[pjrt.OperationCompile], c.ended[pjrt.OperationUpload])
	// Output: 1 1
}

// Programs that tell kinds of operations apart must expect kinds that are new.
func ExampleOperationKind() {
	moves := func(kind pjrt.OperationKind) bool {
		switch kind {
		case pjrt.OperationUpload, pjrt.OperationDownload, pjrt.OperationCopy:
			return true
		default:
			return false
		}
	}
	fmt.Println(moves(pjrt.OperationUpload), moves(pjrt.OperationCompile), moves("a newer kind"))
	// Output: true false false
}

// vendor has the options of a plugin that package platform does not know.
type vendor struct{ cores int64 }

func (vendor) Family() string { return "vendor" }

func (v vendor) CreateOptions() ([]pjrt.Attribute, error) {
	return []pjrt.Attribute{{Name: "num_cores", Value: v.cores}}, nil
}

// A vendor's package gives its plugin's options names and types.
func ExamplePlatformOptions() {
	ctx := context.Background()
	var options pjrt.PlatformOptions = vendor{cores: 4}
	_, err := cpuPlugin(ctx).NewClient(ctx, &pjrt.ClientOptions{Platform: options})
	fmt.Println(err)
	// Output: INVALID_ARGUMENT: the options are for vendor plugins; this is the cpu plugin
}

// A promise that is forgotten fails its event, so nobody waits for ever.
func ExamplePromise() {
	ctx := context.Background()
	plugin := cpuPlugin(ctx)
	event, promise, err := plugin.NewEvent()
	if errors.Is(err, pjrt.ErrUnimplemented) {
		fmt.Println("true, and the plugin is too old to show it")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer event.Close()
	give := func(p *pjrt.Promise) { p.Close() }
	give(promise)
	fmt.Println(errors.Is(event.Wait(ctx), pjrt.ErrCancelled))
	// Output: true
}

// A reference keeps the memory where it is, whatever becomes of the buffer.
func ExampleReference() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	b := numbers(ctx, client, nil, 1, 2, 3)
	var r *pjrt.Reference
	r, err := b.Reference(ctx)
	if err != nil {
		log.Fatal(err)
	}
	before, err := r.Address()
	if err != nil {
		log.Fatal(err)
	}
	b.Close()
	after, err := r.Address()
	fmt.Println(before == after, err, r.Close())
	// Output: true <nil> <nil>
}

// The layouts that a program is compiled for: the argument lies column by column.
func ExampleShapeLayout() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	columns := pjrt.ShapeLayout{
		Shape:  pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 3}},
		Layout: &pjrt.Layout{MinorToMajor: []int{0, 1}},
	}
	exe := program(ctx, client, `func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}`, &pjrt.CompileOptions{ArgumentLayouts: []pjrt.ShapeLayout{columns}})
	defer exe.Close()
	layouts, err := exe.ParameterLayouts()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(layouts[0].Text)
	// Output: {0,1}
}

// The compiler tells how each argument is cut. Package sharding reads that, and cuts arrays.
func ExampleSharding() {
	ctx := context.Background()
	client, err := cpuPlugin(ctx).NewClient(ctx, &pjrt.ClientOptions{Platform: platform.CPU{DeviceCount: 2}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	exe := program(ctx, client, `module @cut attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
    return %x : tensor<4xf32>
  }
}`, &pjrt.CompileOptions{Partitions: 2})
	defer exe.Close()
	var cuts []pjrt.Sharding
	if cuts, err = exe.ParameterShardings(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(cuts[0])
	// Output: {devices=[2]0,1}
}

// The parts of a program share one client, which lives until the last of them closes its reference.
func ExampleSharedClient() {
	ctx := context.Background()
	plugin := cpuPlugin(ctx)
	var parts []*pjrt.SharedClient
	for range 2 {
		s, err := plugin.SharedClient(ctx, nil)
		if err != nil {
			log.Fatal(err)
		}
		parts = append(parts, s)
	}
	parts[0].Close()
	show(ctx, numbers(ctx, parts[1].Client, nil, 1, 2))
	parts[1].Close()
	// Output: [1 2]
}

// Plugins have options of their own for topologies, which are checked.
func ExampleTopologyOptions() {
	ctx := context.Background()
	_, err := cpuPlugin(ctx).NewTopology(ctx, "", &pjrt.TopologyOptions{
		Create: []pjrt.Attribute{{Name: "target_config", Value: "…"}},
	})
	fmt.Println(errors.Is(err, pjrt.ErrUnimplemented))
	// Output: true
}

func TestEachExportedTypeHasAnExample(t *testing.T) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	fset := token.NewFileSet()
	var library []*ast.File
	shown := make(map[string]bool)
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		require.NoError(t, err)
		if !strings.HasSuffix(name, "_test.go") {
			library = append(library, f)
			continue
		}
		for _, e := range doc.Examples(f) {
			of, _, _ := strings.Cut(e.Name, "_")
			shown[of] = true
			ast.Inspect(e.Code, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "pjrt" {
						shown[s.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	p, err := doc.NewFromFiles(fset, library, "github.com/purepjrt/purepjrt/pjrt")
	require.NoError(t, err)
	require.NotEmpty(t, p.Types)
	for _, typ := range p.Types {
		has := shown[typ.Name]
		for _, f := range typ.Funcs { // such as ObserverFunc's
			has = has || shown[f.Name]
		}
		assert.True(t, has, "no example shows pjrt.%s", typ.Name)
	}
}
