// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extensions_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/extensions/custompartitioner"
	"github.com/purepjrt/purepjrt/extensions/executables"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/extensions/gpu"
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/extensions/phasecompile"
	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/extensions/tpu"
	"github.com/purepjrt/purepjrt/extensions/xlatransform"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// objects has the objects that calls of extensions need.
type objects struct {
	client   *pjrt.Client
	device   *pjrt.Device
	topology *pjrt.Topology
	exe      *pjrt.Executable
	buffer   *pjrt.Buffer
}

type calls map[string]func(objects) error

func second[T any](_ T, err error) error { return err }

// driven has all extensions, each with calls that need it, and with a function that calls all of
// its functions, on a stand-in or on a real plugin.
var driven = map[capi.ExtensionType]struct {
	calls calls
	drive func(*subject)
}{
	capi.ExtensionTypeABIVersion: {calls{
		"RuntimeABIVersion": func(o objects) error { return second(executables.RuntimeABIVersion(o.client)) },
		"ABIVersionOf":      func(o objects) error { return second(executables.ABIVersionOf(o.exe)) },
		"RuntimeRuns": func(o objects) error {
			return executables.RuntimeRuns(o.client.Plugin(), executables.ABIVersion{}, executables.ABIVersion{})
		},
		"RuntimeReplaces": func(o objects) error {
			return executables.RuntimeReplaces(o.client.Plugin(), executables.ABIVersion{}, executables.ABIVersion{})
		},
	}, func(s *subject) {
		_, err := executables.RuntimeABIVersion(s.client)
		s.try(err)
		v, err := executables.ABIVersionOf(s.exe)
		s.try(err)
		s.try(executables.RuntimeRuns(s.plugin, v, v))
		s.try(executables.RuntimeReplaces(s.plugin, v, v))
	}},
	capi.ExtensionTypeCallback: {calls{
		"OnSliceFailure":     func(o objects) error { return tpu.OnSliceFailure(o.client, func(tpu.SliceFailure) {}) },
		"OnFatal":            func(o objects) error { return tpu.OnFatal(o.client, func(error) {}) },
		"InvokeSliceFailure": func(o objects) error { return tpu.InvokeSliceFailure(o.client, 1) },
		"InvokeFatal":        func(o objects) error { return tpu.InvokeFatal(o.client, pjrt.ErrInternal) },
	}, func(s *subject) {
		s.try(tpu.OnFatal(s.client, func(error) {}))
		s.try(tpu.InvokeFatal(s.client, errors.New("x")))
	}},
	capi.ExtensionTypeCollectives: {calls{
		"Adopt": func(o objects) error {
			if o.client == nil {
				return second(megascale.AdoptCollectives(nil, nil, nil))
			}
			return second(megascale.AdoptCollectives(o.client.Plugin(), handle[capi.Collectives](), nil))
		},
	}, func(s *subject) {
		x, err := megascale.NewContext(s.plugin)
		s.try(err)
		defer x.Close()
		s.try(x.Start(s.ctx))
		c, err := x.Collectives(megascale.Processes{Addresses: []string{address}, Slices: []int{0}, Places: []int{0}, Devices: 1}, nil)
		s.try(err)
		defer c.Close()
		list, err := c.Join(s.ctx, megascale.Clique{Devices: []int{0}, IDs: [][]byte{{1}}, Ranks: []int{0}})
		s.try(err)
		a, b := []float32{1}, []float32{0}
		op := &megascale.Operation{Devices: []int{0}, Local: 1, Timeout: time.Minute}
		for _, m := range list {
			for _, start := range []func() (*pjrt.Event, error){
				func() (*pjrt.Event, error) { return megascale.AllReduce(m, b, a, megascale.Sum, op) },
				func() (*pjrt.Event, error) { return megascale.ReduceScatter(m, b, a, megascale.Sum, op) },
				func() (*pjrt.Event, error) { return megascale.AllGather(m, b, a, op) },
				func() (*pjrt.Event, error) { return megascale.Permute(m, b, a, 0, []int{0}, op) },
				func() (*pjrt.Event, error) {
					return megascale.AllToAll(m, [][]float32{b}, [][]float32{a}, op)
				},
			} {
				done, err := start()
				s.try(err)
				s.try(done.Wait(s.ctx))
				done.Close()
			}
			_, err = m.Describe()
			s.try(err)
			m.Close()
			s.settle(s.plugin, "PJRT_Collectives_Communicator_Destroy")
		}
	}},
	capi.ExtensionTypeCrossHostTransfers: {calls{
		"Send": func(o objects) error {
			return second(crosshost.Send(context.Background(), o.client, []crosshost.Outgoing{{Buffer: o.buffer}}, nil))
		},
		"Receive": func(o objects) error { return second(crosshost.Receive(context.Background(), o.device, nil, nil)) },
		"NewReceiver": func(o objects) error {
			return second(crosshost.NewReceiver(context.Background(), o.client, nil, nil))
		},
		"CopyToRemoteDevice": func(o objects) error {
			return second(crosshost.CopyToRemoteDevice(context.Background(), o.buffer, []byte("x")))
		},
	}, func(s *subject) {
		_, err := crosshost.Send(s.ctx, s.client, []crosshost.Outgoing{{Buffer: s.buffer, To: s.other}}, nil)
		s.try(err)
		_, err = crosshost.Receive(s.ctx, s.device, []crosshost.Incoming{{Shape: matrix, From: s.other}}, nil)
		s.try(err)
		_, err = crosshost.NewReceiver(s.ctx, s.client, []pjrt.Shape{matrix}, nil)
		s.try(err)
		s.end("PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice", func(ctx context.Context) error {
			return second(crosshost.CopyToRemoteDevice(ctx, s.buffer, []byte("x")))
		})
	}},
	capi.ExtensionTypeCustomPartitioner: {calls{
		"Register": func(o objects) error {
			return custompartitioner.Register(o.client.Plugin(), "x", custompartitioner.Partitioner{})
		},
		"RegisterBatch": func(o objects) error { return custompartitioner.RegisterBatch(o.client.Plugin(), "x") },
	}, func(s *subject) {
		s.try(custompartitioner.Register(s.plugin, fresh(), custompartitioner.Partitioner{}))
		s.try(custompartitioner.RegisterBatch(s.plugin, fresh()))
	}},
	capi.ExtensionTypeUnknown: {nil, func(s *subject) { // the type of the example's node
		table := raw.Table(s.plugin)
		var create capi.Call[capi.ExampleExtensionCreateExampleExtensionCPPArgs]
		s.try(create.Do(table))
		var call capi.Call[capi.ExampleExtensionExampleMethodArgs]
		s.try(call.Do(table))
		var destroy capi.Call[capi.ExampleExtensionDestroyExampleExtensionCPPArgs]
		s.try(destroy.Do(table))
	}},
	capi.ExtensionTypeExecutableMetadata: {calls{
		"Metadata": func(o objects) error { return second(executables.Metadata(o.exe)) },
	}, func(s *subject) { s.try(second(executables.Metadata(s.exe))) }},
	capi.ExtensionTypeFFI: {calls{
		"Register": func(o objects) error {
			return ffi.RegisterC(o.client.Plugin(), ffi.CustomCall{Target: "x", Platform: "Host", Handler: 1})
		},
		"RegisterType": func(o objects) error { return second(ffi.RegisterType(o.client.Plugin(), "x")) },
	}, func(s *subject) {
		s.try(ffi.Register(s.plugin, fresh(), func(*ffi.Call, *struct{}) error { return nil }))
		id, err := ffi.RegisterType(s.plugin, fresh())
		s.try(err)
		x, err := ffi.NewContext(s.plugin)
		s.try(err)
		s.try(x.AddUserData(id, 1))
		x.Close()
	}},
	capi.ExtensionTypeGPUCustomCall: {calls{
		"Register": func(o objects) error {
			return gpu.Register(o.client.Plugin(), gpu.CustomCall{Target: "x", Untyped: nothing})
		},
	}, func(s *subject) { s.try(gpu.Register(s.plugin, gpu.CustomCall{Target: fresh(), Untyped: nothing})) }},
	capi.ExtensionTypeHostMemoryAllocator: {calls{
		"Allocate": func(o objects) error { return second(memories.Allocate(o.client, 8, nil)) },
	}, func(s *subject) {
		m, err := memories.Allocate(s.client, 8, nil)
		s.try(err)
		m.Close()
	}},
	capi.ExtensionTypeLayouts: {calls{
		"LayoutOf":         func(o objects) error { return second(memories.LayoutOf(o.buffer)) },
		"DefaultLayout":    func(o objects) error { return second(memories.DefaultLayout(o.client, matrix)) },
		"DefaultLayoutFor": func(o objects) error { return second(memories.DefaultLayoutFor(o.topology, matrix)) },
	}, func(s *subject) {
		s.try(second(memories.LayoutOf(s.buffer)))
		s.try(second(memories.DefaultLayout(s.client, matrix)))
		s.try(second(memories.DefaultLayoutFor(s.topology, matrix)))
		s.try(second(s.exe.ParameterLayouts()))
		s.try(second(s.exe.OutputLayouts()))
	}},
	capi.ExtensionTypeMegascale: {calls{
		"AOTConfig":     func(o objects) error { return second(megascale.AOTConfig(o.topology, 2)) },
		"NewContext":    func(o objects) error { return second(megascale.NewContext(o.client.Plugin())) },
		"ContextOf":     func(o objects) error { return second(megascale.ContextOf(o.client)) },
		"DeviceInJob":   func(o objects) error { return second(megascale.DeviceInJob(o.client.Plugin(), 0, 0)) },
		"DeviceInSlice": func(o objects) error { _, _, err := megascale.DeviceInSlice(o.client.Plugin(), 0); return err },
		"Addresses":     func(o objects) error { return second(megascale.Addresses(o.client.Plugin(), nil)) },
		"OnError":       func(o objects) error { return second(megascale.OnError(o.client.Plugin(), "x", func([]byte) {})) },
		"NewAggregator": func(o objects) error { return second(megascale.NewAggregator(o.client.Plugin(), "x")) },
		"Serialize": func(o objects) error {
			_, _, err := megascale.Failure{Err: pjrt.ErrInternal}.Serialize(o.client.Plugin())
			return err
		},
	}, func(s *subject) {
		s.try(second(s.config()))
		for _, make := range []func() (*megascale.Context, error){
			func() (*megascale.Context, error) { return megascale.NewContext(s.plugin) },
			func() (*megascale.Context, error) { return megascale.ContextOf(s.client) },
		} {
			x, err := make()
			s.try(err)
			config, err := x.Config(s.topology, megascale.Job{Slices: 2})
			s.try(err)
			config.Close()
			c, err := x.Collectives(megascale.Processes{Addresses: []string{"localhost:1"}, Devices: 1}, nil)
			s.try(err)
			c.Close()
			s.try(x.Unblock(s.ctx, 1, time.Second))
			s.try(second(x.Port()))
			s.try(x.Start(s.ctx))
			x.Close()
		}
		id, err := megascale.DeviceInJob(s.plugin, 1, 0)
		s.try(err)
		_, _, err = megascale.DeviceInSlice(s.plugin, id)
		s.try(err)
		s.try(second(megascale.Addresses(s.plugin, nil)))
		h, err := megascale.OnError(s.plugin, fresh(), func([]byte) {})
		s.try(err)
		s.try(h.Close())
		failure, _, err := megascale.Failure{Err: errors.New("x")}.Serialize(s.plugin)
		s.try(err)
		a, err := megascale.NewAggregator(s.plugin, "")
		s.try(err)
		s.try(a.Add("worker", failure))
		s.try(second(a.Len()))
		s.try(second(a.Active()))
		d, err := a.Digest()
		s.try(err)
		s.try(d.Log())
		d.Close()
		a.Close()
		s.settle(s.plugin, "PJRT_Megascale_DeleteClientContext")
	}},
	capi.ExtensionTypeMemoryDescriptions: {calls{
		"OfDevice":   func(o objects) error { return second(memories.OfDevice(o.device)) },
		"OfTopology": func(o objects) error { return second(memories.OfTopology(o.topology)) },
	}, func(s *subject) {
		s.try(second(memories.OfDevice(s.device)))
		s.try(second(memories.OfTopology(s.topology)))
	}},
	capi.ExtensionTypeMultiSlice: {calls{
		"Adopt": func(o objects) error {
			if o.client == nil {
				return second(megascale.AdoptConfig(nil, nil, nil))
			}
			return second(megascale.AdoptConfig(o.client.Plugin(), handle[capi.MultiSliceConfig](), nil))
		},
	}, func(s *subject) {
		c, err := s.config()
		s.try(err)
		s.try(second(c.NumSlices()))
		s.try(second(c.SliceID()))
		s.try(second(c.DevicesPerSlice()))
		s.try(second(c.Serialize()))
		s.try(c.Close())
	}},
	capi.ExtensionTypePhaseCompile: {calls{
		"Phases": func(o objects) error { return second(phasecompile.Phases(o.client.Plugin())) },
	}, func(s *subject) {
		phases, err := phasecompile.Phases(s.plugin)
		s.try(err)
		if err == nil {
			program := phasecompile.Program{Code: []byte(negate), Format: "mlir", Consumers: phases[:1], Version: "1.0"}
			s.try(second(phasecompile.Compile(s.ctx, s.topology, []phasecompile.Program{program}, phases[:1], nil)))
		}
	}},
	capi.ExtensionTypeProfiler: {calls{
		"New": func(o objects) error { return second(profiler.New(o.client.Plugin(), nil)) },
	}, func(s *subject) {
		x, err := profiler.New(s.plugin, nil)
		s.try(err)
		s.try(x.Start())
		s.try(x.Stop())
		s.try(second(x.Data()))
		s.try(second(x.Take()))
		x.Close()
		s.errorsOfProfilers()
	}},
	capi.ExtensionTypeRawBuffer: {calls{
		"Of": func(o objects) error { return second(rawbuffer.Of(context.Background(), o.buffer)) },
	}, func(s *subject) {
		r, err := rawbuffer.Of(s.ctx, s.buffer)
		s.try(err)
		b := make([]byte, 4)
		s.try(r.CopyFromHost(s.ctx, b, 0))
		s.try(r.CopyToHost(s.ctx, b, 0))
		s.try(second(r.Memory()))
		s.try(second(r.HostAddress()))
		r.Close()
	}},
	capi.ExtensionTypeShardings: {nil, func(s *subject) {
		s.try(second(executables.ParameterShardings(s.exe)))
		s.try(second(executables.ResultShardings(s.exe)))
	}},
	capi.ExtensionTypeStream: {calls{
		"StreamOf": func(o objects) error { return second(gpu.StreamOf(o.device)) },
		"Wait":     func(o objects) error { return gpu.Stream(1).Wait(o.buffer) },
	}, func(s *subject) {
		x, err := gpu.StreamOf(s.device)
		s.try(err)
		s.try(x.Wait(s.buffer))
	}},
	capi.ExtensionTypeTPUExecutable: {calls{
		"TargetArguments": func(o objects) error { return second(tpu.TargetArguments(o.client.Plugin(), nil)) },
		"Program":         func(o objects) error { return second(tpu.Program(o.client.Plugin(), nil)) },
		"MemoryStats":     func(o objects) error { return second(tpu.MemoryStats(o.client.Plugin(), nil)) },
		"CostAnalysis": func(o objects) error {
			return second(tpu.CostAnalysis(o.client.Plugin(), nil, pjrt.Program{Format: "hlo_with_config", Code: []byte{0}}))
		},
		"CompilationEnvironments": func(o objects) error {
			return second(tpu.CompilationEnvironments(o.client.Plugin(), nil))
		},
		"Setting":                   func(o objects) error { return second(tpu.Setting(o.client.Plugin(), nil, "x")) },
		"IsPredetermined":           func(o objects) error { return second(tpu.IsPredetermined(o.client.Plugin(), nil)) },
		"IsCancellationPlaceholder": func(o objects) error { return second(tpu.IsCancellationPlaceholder(o.client.Plugin(), nil)) },
	}, func(s *subject) {
		target, err := tpu.TargetArguments(s.plugin, s.serialized)
		s.try(err)
		program, err := tpu.Program(s.plugin, s.serialized)
		s.try(err)
		if len(program.Code) == 0 {
			target, program = []byte{1}, pjrt.Program{Format: "hlo_with_config", Code: []byte{0}} // the stand-in returns none
		}
		s.try(second(tpu.MemoryStats(s.plugin, s.serialized)))
		s.try(second(tpu.CostAnalysis(s.plugin, target, program)))
		env, err := tpu.CompilationEnvironments(s.plugin, nil)
		s.try(err)
		s.try(second(tpu.Setting(s.plugin, env, "xla_tpu_enable_async_collective_fusion")))
		s.try(second(tpu.IsPredetermined(s.plugin, nil)))
		s.try(second(tpu.IsCancellationPlaceholder(s.plugin, nil)))
	}},
	capi.ExtensionTypeTPUTopology: {calls{
		"Chips":           func(o objects) error { return second(tpu.Chips(o.topology)) },
		"Processes":       func(o objects) error { return second(tpu.Processes(o.topology)) },
		"ChipsPerProcess": func(o objects) error { return second(tpu.ChipsPerProcess(o.topology)) },
		"CoresPerChip":    func(o objects) error { return second(tpu.CoresPerChip(o.topology)) },
		"Of":              func(o objects) error { return second(tpu.SystemOf(o.topology)) },
		"ProcessIDs":      func(o objects) error { return second(tpu.ProcessIDs(o.topology)) },
		"DevicesOf":       func(o objects) error { return second(tpu.DevicesOf(o.topology, 0)) },
		"PlaceOfChip":     func(o objects) error { return second(tpu.PlaceOfChip(o.topology, 0)) },
		"PlaceOfDevice":   func(o objects) error { return second(tpu.PlaceOfDevice(o.topology, 0)) },
		"ProcessAt":       func(o objects) error { return second(tpu.ProcessAt(o.topology, 0)) },
		"ChipAt":          func(o objects) error { return second(tpu.ChipAt(o.topology, nil)) },
		"DeviceAt":        func(o objects) error { return second(tpu.DeviceAt(o.topology, nil, 0)) },
		"ChipOf":          func(o objects) error { _, _, err := tpu.ChipOf(o.topology, 0); return err },
		"Reachable":       func(o objects) error { return second(tpu.Reachable(o.topology, 0, 0)) },
		"Subslice":        func(o objects) error { return second(tpu.Subslice(o.topology, nil, nil)) },
		"WithHosts":       func(o objects) error { return second(tpu.WithHosts(o.topology, nil)) },
		"DeviceInSubslice": func(o objects) error {
			return second(tpu.DeviceInSubslice(o.topology, o.topology, nil, 0))
		},
	}, func(s *subject) {
		x := s.topology
		s.try(second(tpu.SystemOf(x)))
		s.try(second(tpu.ProcessIDs(x)))
		s.try(second(tpu.DevicesOf(x, 0)))
		s.try(second(tpu.PlaceOfChip(x, 0)))
		s.try(second(tpu.PlaceOfDevice(x, 0)))
		s.try(second(tpu.ProcessAt(x, 0)))
		s.try(second(tpu.Reachable(x, 0, 0)))
		at, index, err := tpu.ChipOf(x, 0)
		s.try(err)
		s.try(second(tpu.ChipAt(x, at)))
		s.try(second(tpu.DeviceAt(x, at, index)))
		ones := slices.Repeat([]int{1}, len(at))
		part, err := tpu.Subslice(x, ones, ones)
		s.try(err)
		s.try(second(tpu.DeviceInSubslice(x, part, at, 0)))
		s.try(second(tpu.WithHosts(x, ones)))
		// These have no Go form, since no plugin is known to answer them.
		name := []byte("v5e")
		var config capi.Call[capi.TPUTopologyGetSliceConfigArgs]
		config.Args.PlatformTypeName, config.Args.PlatformTypeNameLen = &name[0], uintptr(len(name))
		config.Args.SliceName, config.Args.SliceNameLen = &name[0], uintptr(len(name))
		config.Args.SliceConfig = new(capi.TPUTopologySliceConfig)
		s.try(config.Do(raw.Table(s.plugin)))
		var configs capi.Call[capi.TPUTopologyGetSliceConfigsArgs]
		configs.Args.SliceConfigs, configs.Args.MaxSliceConfigs = new(capi.TPUTopologySliceConfig), 1
		configs.Args.PlatformTypeName, configs.Args.PlatformTypeNameLen = &name[0], uintptr(len(name))
		s.try(configs.Do(raw.Table(s.plugin)))
		var first capi.Call[capi.TPUTopologyGetDefaultPlatformConfigArgs]
		first.Args.PlatformTypeName, first.Args.PlatformTypeNameLen = &name[0], uintptr(len(name))
		s.try(first.Do(raw.Table(s.plugin)))
	}},
	capi.ExtensionTypeTriton: {nil, func(s *subject) {
		var c capi.Call[capi.TritonCompileArgs]
		c.Args.Module, c.Args.ModuleSize = capi.StringData("module {}")
		s.try(c.Do(raw.Table(s.plugin)))
	}},
	capi.ExtensionTypeXLATransform: {calls{
		"Register": func(o objects) error {
			return second(xlatransform.Register(o.client.Plugin(), "x", func(*hlo.Module) (bool, error) { return false, nil }, nil))
		},
		"Trace": func(o objects) error { return second(xlatransform.Trace(o.client.Plugin(), module())) },
	}, func(s *subject) {
		x, err := xlatransform.Register(s.plugin, fresh(), func(*hlo.Module) (bool, error) { return false, nil }, nil)
		s.try(err)
		s.try(second(xlatransform.Trace(s.plugin, module())))
		s.try(x.Close())
	}},
}

// module returns a program that returns its argument.
func module() *hlo.Module {
	c := new(hlo.Computation)
	c.Root = c.Add(&hlo.Instruction{Opcode: "parameter", Shape: hlo.Array(dtype.F32)})
	return &hlo.Module{Name: "m", Computations: []*hlo.Computation{c}, Entry: c}
}

var matrix = pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 3}}

func cpu(t testing.TB) *pjrt.Plugin {
	t.Helper()
	return plugintest.Plugin(t)
}

// Each folder has the package of an extension, and that package has a function that a user calls.
func TestEachPackageIsOfAnExtension(t *testing.T) {
	found := make(map[string]bool)
	for _, x := range chainOf(t, servePlugin(t, everything())) {
		if x.Package != "" {
			found[path.Base(x.Package)] = true
		}
	}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	folders := make(map[string]bool)
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" {
			folders[e.Name()] = true
			assert.NotEmpty(t, functionsOf(t, e.Name()), e.Name())
		}
	}
	assert.Equal(t, folders, found, "the folders here, and those of the rows of packages in extensions.go")
}

// functionsOf returns the exported functions of a package, except methods.
func functionsOf(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var list []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() {
				list = append(list, fn.Name.Name)
			}
		}
	}
	return list
}

func chainOf(t testing.TB, p *pjrt.Plugin) []extensions.Extension {
	t.Helper()
	chain, err := extensions.All(p)
	require.NoError(t, err)
	return chain
}

func TestSupportedAgreesWithTheChain(t *testing.T) {
	for name, p := range map[string]*pjrt.Plugin{
		"CPU": cpu(t), "everything": servePlugin(t, everything()), "nothing": servePlugin(t, new(serve.Plugin)),
		"pjrttest": pjrttest.New(t, pjrttest.Options{}).Plugin(),
	} {
		offered := make(map[capi.ExtensionType]bool)
		for _, x := range chainOf(t, p) {
			offered[x.Type] = true
		}
		switch name {
		case "everything":
			assert.Len(t, offered, len(driven))
		case "nothing":
			assert.Empty(t, offered)
		}
		for x := range driven {
			assert.Equal(t, offered[x], extensions.Supported(p, x), "%s: %v", name, x)
			_, ok := extensions.Find(p, x)
			assert.Equal(t, offered[x], ok, "%s: %v", name, x)
		}
	}
	for x := range driven {
		assert.False(t, extensions.Supported(nil, x), x)
	}
}

// named returns the name of the extension that a call reports missing.
func named(x capi.ExtensionType, call string) string {
	if call == "AOTConfig" {
		x = capi.ExtensionTypeMultiSlice // configurations are its objects
	}
	return x.String()
}

func TestCallsOfAMissingExtensionAreUnimplemented(t *testing.T) {
	ctx := context.Background()
	p := pjrttest.New(t, pjrttest.Options{Extensions: []capi.ExtensionType{}, NoLeaks: true})
	p.Program("nothing", pjrttest.Signature{}, pjrttest.Identity)
	o := objects{client: p.Client(), device: p.Client().Devices()[0]}
	exe, err := o.client.Compile(ctx, pjrt.Program{Code: []byte(`module @nothing { func.func @main() { return } }`)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	o.exe = exe.Executable
	o.buffer, err = pjrt.FromSlice(ctx, o.client, []float32{1}, 1)
	require.NoError(t, err)
	defer o.buffer.Close()
	o.topology, err = o.client.Topology()
	require.NoError(t, err)
	for x, d := range driven {
		for name, call := range d.calls {
			err := call(o)
			assert.ErrorIs(t, err, pjrt.ErrUnimplemented, "%v: %s", x, name)
			assert.True(t, strings.HasSuffix(err.Error(), "does not offer the extension "+named(x, name)), "%v: %s: %v", x, name, err)
		}
	}
}

func TestWhatAPluginOffers(t *testing.T) {
	p := cpu(t)
	chain := chainOf(t, p)
	var names []string
	for _, x := range chain {
		names = append(names, x.Name)
		assert.NotNil(t, x.Node)
	}
	_, minor := p.Version()
	want := []string{"PhaseCompile", "FFI", "MemoryDescriptions", "Layouts"}
	if minor >= 106 {
		want = append([]string{"Shardings"}, want...)
	}
	if minor >= 115 {
		want = append([]string{"XlaTransform"}, want...)
	}
	assert.Equal(t, want, names)
	x := chain[len(chain)-1]
	assert.Equal(t, map[int]int{81: 72, 106: 80, 115: 80}[minor], x.Size)
	assert.Equal(t, capi.LayoutsExtensionSize, x.Known, "version 0.81 had fewer functions")
	assert.Equal(t, 51, x.Since)
	missing := 0
	for _, f := range x.Functions {
		assert.Equal(t, f.Since <= minor, f.Present, f.Name)
		if !f.Present {
			missing++
		}
	}
	assert.Equal(t, map[int]int{81: 1, 106: 0, 115: 0}[minor], missing)

	present, core := 0, 0
	for _, f := range extensions.Functions(p) {
		assert.Equal(t, f.Present, p.Supports(f.Name), f.Name)
		if f.Section != capi.SectionCore.String() {
			continue
		}
		core++
		if f.Present {
			present++
		}
		assert.Equal(t, f.Since <= minor, f.Present, f.Name)
	}
	assert.GreaterOrEqual(t, core, 138)
	assert.Equal(t, map[int]int{81: 118, 106: 136, 115: 138}[minor], present)

	profiler, ok := extensions.Find(servePlugin(t, everything()), capi.ExtensionTypeProfiler)
	require.True(t, ok)
	assert.Equal(t, "PLUGIN_Profiler_Error_Destroy", profiler.Functions[0].Name)
}

func TestChainsThatAreOddOrBroken(t *testing.T) {
	node := func(of capi.ExtensionType, size uintptr) *capi.ExtensionBase {
		return &capi.ExtensionBase{StructSize: size, Type: of}
	}
	p := servePlugin(t, &serve.Plugin{
		Triton: new(serve.TritonExtension),
		Nodes:  []*capi.ExtensionBase{node(4000, 24), node(capi.ExtensionTypeTriton, 24), node(60, 8), node(61, 24)},
	})
	chain, err := extensions.All(p)
	require.ErrorContains(t, err, "has the impossible size 8")
	require.Len(t, chain, 3, "the extensions before the break")
	assert.Len(t, chain[0].Functions, 1)
	assert.Equal(t, "ExtensionType(4000)", chain[1].Name)
	assert.Empty(t, chain[1].Package)
	assert.Zero(t, chain[1].Since)
	assert.Empty(t, chain[2].Functions, "only the first node of a type is used")
	_, ok := extensions.Find(p, 4000)
	assert.True(t, ok)
	_, ok = extensions.Find(p, 61)
	assert.False(t, ok)

	_, err = extensions.All(nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.Empty(t, extensions.Functions(nil))
	_, ok = extensions.Find(nil, 1)
	assert.False(t, ok)
}

// row is a row of the table in the documentation.
type row struct {
	since, pkg string
	// plugins has called/offered for each plugin: how many functions tests call, and how many it
	// has.
	plugins map[string]string
	// standIn is the number of functions that tests call on a stand-in.
	standIn string
}

// documented returns the rows of the table in the documentation, by extension.
func documented(t testing.TB) map[string]row {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "//\textension ")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n//\n")
	rows := make(map[string]row)
	for _, line := range strings.Split(table, "\n")[1:] {
		cells := strings.Fields(strings.TrimPrefix(line, "//\t"))
		require.Greater(t, len(cells), 9, "%s: a row ends with what the extension is for", line)
		assert.NotContains(t, rows, cells[0])
		rows[cells[0]] = row{cells[1], cells[2], map[string]string{"0.81": cells[3], "0.106": cells[4], "0.115": cells[5],
			"tpu": cells[6], "cuda13": cells[7]}, cells[8]}
	}
	return rows
}

// rowOf returns the name that the table in the documentation has for an extension.
func rowOf(x capi.ExtensionType) string {
	if x == capi.ExtensionTypeUnknown {
		return "Example" // its node has no other type
	}
	return x.String()
}

// deviceEvents is the row of the table for device events, which are not an extension of their own.
const deviceEvents = "DeviceEvent"

func TestTheTableInTheDocumentationIsRight(t *testing.T) {
	rows := documented(t)
	assert.Len(t, rows, len(driven)+1)
	all := servePlugin(t, everything())
	age := fmt.Sprintf("0.%d", plugintest.Age(t))
	for x := range driven { // all that capi has: see TestEveryFunctionOfEveryExtensionIsCalled
		row, ok := rows[rowOf(x)]
		require.True(t, ok, x)
		found, ok := extensions.Find(all, x)
		require.True(t, ok, x)
		assert.Equal(t, strconv.Itoa(found.Since), row.since, x)
		assert.Equal(t, extensions.Supported(cpu(t), x), row.plugins[age] != "-", x)
		if found.Package == "" {
			assert.Equal(t, "capi", row.pkg, "the package of %v in the table of doc.go", x)
		} else {
			assert.Equal(t, path.Base(found.Package), row.pkg, "the package of %v in the table of doc.go", x)
		}
	}
	events := 0
	for _, f := range reflect.VisibleFields(reflect.TypeFor[capi.DeviceEventFunctionTable]()) {
		if f.Type.Kind() == reflect.Uintptr && f.Name != "StructSize" {
			events++
		}
	}
	assert.Equal(t, strconv.Itoa(events), rows[deviceEvents].standIn, "the tests of its package call all of them")
}

func TestNothingInternalIsImported(t *testing.T) {
	const module = "github.com/purepjrt/purepjrt/"
	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			assert.NotContains(t, "/"+imported+"/", "/internal/", name)
			if rest, ok := strings.CutPrefix(imported, module); ok {
				room, _, _ := strings.Cut(rest, "/")
				assert.Contains(t, []string{"capi", "extensions", "pjrt"}, room, name)
			}
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, files, len(driven))
}

func TestAnExtensionMayHaveMoreThanIsKnown(t *testing.T) {
	t.Parallel()
	long := &struct {
		capi.ExtensionBase
		functions [21]uintptr
	}{ExtensionBase: capi.ExtensionBase{StructSize: 192, Type: capi.ExtensionTypePhaseCompile}}
	unknown := &capi.ExtensionBase{StructSize: capi.ExtensionBaseSize, Type: 999}
	p := pjrttest.New(t, pjrttest.Options{Nodes: []*capi.ExtensionBase{&long.ExtensionBase, unknown}})
	sizes := map[capi.ExtensionType][2]int{}
	for _, x := range chainOf(t, p.Plugin()) {
		sizes[x.Type] = [2]int{x.Size, x.Known}
	}
	assert.Equal(t, [2]int{192, capi.PhaseCompileExtensionSize}, sizes[capi.ExtensionTypePhaseCompile])
	assert.Equal(t, [2]int{capi.ExtensionBaseSize, 0}, sizes[999])
}
