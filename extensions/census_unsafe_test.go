// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extensions_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions/abiversion"
	"github.com/purepjrt/purepjrt/extensions/callback"
	"github.com/purepjrt/purepjrt/extensions/collectives"
	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/extensions/custompartitioner"
	"github.com/purepjrt/purepjrt/extensions/executablemetadata"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/extensions/gpu"
	"github.com/purepjrt/purepjrt/extensions/hostallocator"
	"github.com/purepjrt/purepjrt/extensions/layouts"
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/extensions/memorydescriptions"
	"github.com/purepjrt/purepjrt/extensions/multislice"
	"github.com/purepjrt/purepjrt/extensions/phasecompile"
	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/extensions/shardings"
	"github.com/purepjrt/purepjrt/extensions/stream"
	"github.com/purepjrt/purepjrt/extensions/tpuexecutable"
	"github.com/purepjrt/purepjrt/extensions/tputopology"
	"github.com/purepjrt/purepjrt/extensions/xlatransform"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// census sees which functions of a plugin's extensions are called.
type census struct {
	mu     sync.Mutex
	called map[string]bool // by C name; guarded by mu
}

// tables are the sections of all extensions.
func tables() []capi.Section {
	return slices.DeleteFunc(capi.Sections(), func(s capi.Section) bool { return s == capi.SectionCore })
}

// watch returns the plugin behind a table that counts calls.
func watch(t testing.TB, real *capi.Table) (*pjrt.Plugin, *census) {
	t.Helper()
	c := &census{called: make(map[string]bool)}
	var hooks []serve.Hook
	for _, s := range tables() {
		for _, f := range capi.Functions(s) {
			hooks = append(hooks, serve.AroundFunction(f, func(call *serve.Invocation) {
				c.mu.Lock()
				c.called[f.Name] = true
				c.mu.Unlock()
				call.Forward()
			}))
		}
	}
	table, err := serve.Wrap(real, hooks...)
	require.NoError(t, err)
	t.Cleanup(func() { table.Close() })
	p, err := raw.Plugin(table.Capi())
	require.NoError(t, err)
	return p, c
}

// settle waits for a call that another goroutine makes.
func (c *census) settle(p *pjrt.Plugin, function string) {
	if !p.Supports(function) {
		return
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		c.mu.Lock()
		called := c.called[function]
		c.mu.Unlock()
		if called {
			return
		}
	}
}

// missing returns the functions of a section that the plugin has and that were not called, and how
// many it has.
func (c *census) missing(p *pjrt.Plugin, s capi.Section) (list []string, offered int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range capi.Functions(s) {
		if !raw.Table(p).Has(f) {
			continue
		}
		if offered++; !c.called[f.Name] {
			list = append(list, f.Name)
		}
	}
	return list, offered
}

// subject has the objects that calls of extensions need. Ahead of time there are neither clients nor
// buffers, and what needs one fails before it reaches the plugin.
type subject struct {
	objects
	*census
	ctx        context.Context
	plugin     *pjrt.Plugin
	other      *pjrt.Device // of another process
	serialized []byte       // the executable
	problems   []string
}

// try notes an error for the case that a function is not called.
func (s *subject) try(err error) {
	if err != nil {
		s.problems = append(s.problems, err.Error())
	}
}

// config returns the configuration of a job for two slices.
func (s *subject) config() (*multislice.Config, error) {
	if raw.Table(s.plugin).HasSection(capi.SectionExtension(capi.ExtensionTypeMegascale)) {
		return megascale.AOTConfig(s.topology, 2)
	}
	return multislice.Adopt(s.plugin, nil, nil)
}

// address is where libtpu listens to other processes, of which there are none.
var address = "localhost:1"

var names atomic.Int64

// fresh returns a name that was not registered before.
func fresh() string { return fmt.Sprintf("census_%d", names.Add(1)) }

// nothing is a C function that does nothing.
var nothing = purego.NewCallback(func() uintptr { return 0 })

// drives call every function of each package, on a stand-in or on a real plugin.
var drives = map[string]func(*subject){
	"abiversion": func(s *subject) {
		_, err := abiversion.OfClient(s.client)
		s.try(err)
		v, err := abiversion.OfExecutable(s.exe)
		s.try(err)
		s.try(abiversion.Runs(s.plugin, v, v))
		s.try(abiversion.Replaces(s.plugin, v, v))
	},
	"callback": func(s *subject) {
		s.try(callback.OnFatal(s.client, func(error) {}))
		s.try(callback.InvokeFatal(s.client, errors.New("x")))
	},
	"collectives": func(s *subject) {
		x, err := megascale.NewContext(s.plugin)
		s.try(err)
		defer x.Close()
		s.try(x.Start(s.ctx))
		c, err := x.Collectives(megascale.Processes{Addresses: []string{address}, Slices: []int{0}, Places: []int{0}, Devices: 1}, nil)
		s.try(err)
		defer c.Close()
		list, err := c.Join(s.ctx, collectives.Clique{Devices: []int{0}, IDs: [][]byte{{1}}, Ranks: []int{0}})
		s.try(err)
		a, b := []float32{1}, []float32{0}
		op := &collectives.Operation{Devices: []int{0}, Local: 1, Timeout: time.Minute}
		for _, m := range list {
			for _, start := range []func() (*pjrt.Event, error){
				func() (*pjrt.Event, error) { return collectives.AllReduce(m, b, a, collectives.Sum, op) },
				func() (*pjrt.Event, error) { return collectives.ReduceScatter(m, b, a, collectives.Sum, op) },
				func() (*pjrt.Event, error) { return collectives.AllGather(m, b, a, op) },
				func() (*pjrt.Event, error) { return collectives.Permute(m, b, a, 0, []int{0}, op) },
				func() (*pjrt.Event, error) {
					return collectives.AllToAll(m, [][]float32{b}, [][]float32{a}, op)
				},
			} {
				done, err := start()
				s.try(err)
				s.try(done.Wait(s.ctx))
			}
			_, err = m.Describe()
			s.try(err)
			m.Close()
		}
	},
	"crosshost": func(s *subject) {
		ctx, stop := context.WithTimeout(s.ctx, 10*time.Millisecond) // nobody is at the other end
		defer stop()
		_, err := crosshost.Send(ctx, s.client, []crosshost.Outgoing{{Buffer: s.buffer, To: s.other}}, nil)
		s.try(err)
		_, err = crosshost.Receive(s.ctx, s.device, []crosshost.Incoming{{Shape: matrix, From: s.other}}, nil)
		s.try(err)
		_, err = crosshost.NewReceiver(s.ctx, s.client, []pjrt.Shape{matrix}, nil)
		s.try(err)
		_, err = crosshost.CopyToRemoteDevice(ctx, s.buffer, []byte("x"))
		s.try(err)
	},
	"custompartitioner": func(s *subject) {
		s.try(custompartitioner.Register(s.plugin, fresh(), custompartitioner.Partitioner{}))
		s.try(custompartitioner.RegisterBatch(s.plugin, fresh()))
	},
	// The functions of device events are in a table of their own: see the tests of the package.
	"deviceevent": func(*subject) {},
	"example": func(s *subject) {
		table := raw.Table(s.plugin)
		var create capi.Call[capi.ExampleExtensionCreateExampleExtensionCPPArgs]
		s.try(create.Do(table))
		var call capi.Call[capi.ExampleExtensionExampleMethodArgs]
		s.try(call.Do(table))
		var destroy capi.Call[capi.ExampleExtensionDestroyExampleExtensionCPPArgs]
		s.try(destroy.Do(table))
	},
	"executablemetadata": func(s *subject) { s.try(second(executablemetadata.Of(s.exe))) },
	"ffi": func(s *subject) {
		s.try(ffi.Register(s.plugin, fresh(), func(*ffi.Call, *struct{}) error { return nil }))
		id, err := ffi.RegisterType(s.plugin, fresh())
		s.try(err)
		x, err := ffi.NewContext(s.plugin)
		s.try(err)
		s.try(x.AddUserData(id, 1))
		x.Close()
	},
	"gpu": func(s *subject) { s.try(gpu.Register(s.plugin, gpu.CustomCall{Target: fresh(), Untyped: nothing})) },
	"hostallocator": func(s *subject) {
		m, err := hostallocator.Allocate(s.client, 8, nil)
		s.try(err)
		m.Close()
	},
	"layouts": func(s *subject) {
		s.try(second(layouts.OfBuffer(s.buffer)))
		s.try(second(layouts.Default(s.client, matrix)))
		s.try(second(layouts.DefaultFor(s.topology, matrix)))
		s.try(second(s.exe.ParameterLayouts()))
		s.try(second(s.exe.OutputLayouts()))
	},
	"megascale": func(s *subject) {
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
	},
	"memorydescriptions": func(s *subject) {
		s.try(second(memorydescriptions.OfDevice(s.device)))
		s.try(second(memorydescriptions.OfTopology(s.topology)))
	},
	"multislice": func(s *subject) {
		c, err := s.config()
		s.try(err)
		s.try(second(c.NumSlices()))
		s.try(second(c.SliceID()))
		s.try(second(c.DevicesPerSlice()))
		s.try(second(c.Serialize()))
		s.try(c.Close())
	},
	"phasecompile": func(s *subject) {
		phases, err := phasecompile.Phases(s.plugin)
		s.try(err)
		if err == nil {
			program := phasecompile.Program{Code: []byte(negate), Format: "mlir", Consumers: phases[:1], Version: "1.0"}
			s.try(second(phasecompile.Compile(s.ctx, s.topology, []phasecompile.Program{program}, phases[:1], nil)))
		}
	},
	"profiler": func(s *subject) {
		x, err := profiler.New(s.plugin, nil)
		s.try(err)
		s.try(x.Start())
		s.try(x.Stop())
		s.try(second(x.Data()))
		s.try(second(x.Take()))
		x.Close()
		// Args without a size are an error on any plugin.
		table := raw.Table(s.plugin)
		var create capi.Call[capi.ProfilerCreateArgs]
		h, err := create.Raw(table)
		s.try(err)
		if h == nil { // those of TPUs and GPUs do not look
			var destroy capi.Call[capi.ProfilerDestroyArgs]
			destroy.Args.Profiler = create.Args.Profiler
			s.try(destroy.Do(table))
			return
		}
		failure := (*capi.ProfilerErrorHandle)(unsafe.Pointer(h))
		var code capi.Call[capi.ProfilerErrorGetCodeArgs]
		code.Args.Error = failure
		s.try(code.Do(table))
		var message capi.Call[capi.ProfilerErrorMessageArgs]
		message.Args.Error = failure
		s.try(message.Do(table))
		s.try(errors.New(capi.String(message.Args.Message, message.Args.MessageSize)))
		var destroy capi.Call[capi.ProfilerErrorDestroyArgs]
		destroy.Args.Error = failure
		s.try(destroy.Do(table))
	},
	"rawbuffer": func(s *subject) {
		r, err := rawbuffer.Of(s.ctx, s.buffer)
		s.try(err)
		b := make([]byte, 4)
		s.try(r.CopyFromHost(s.ctx, b, 0))
		s.try(r.CopyToHost(s.ctx, b, 0))
		s.try(second(r.Memory()))
		s.try(second(r.HostAddress()))
		r.Close()
	},
	"shardings": func(s *subject) {
		s.try(second(shardings.Parameters(s.exe)))
		s.try(second(shardings.Results(s.exe)))
	},
	"stream": func(s *subject) {
		x, err := stream.OfDevice(s.device)
		s.try(err)
		s.try(stream.Wait(x, s.buffer))
	},
	"tpuexecutable": func(s *subject) {
		target, err := tpuexecutable.TargetArguments(s.plugin, s.serialized)
		s.try(err)
		program, err := tpuexecutable.Program(s.plugin, s.serialized)
		s.try(err)
		if len(program.Code) == 0 {
			target, program = []byte{1}, pjrt.Program{Format: "hlo_with_config", Code: []byte{0}} // of the stand-in
		}
		s.try(second(tpuexecutable.MemoryStats(s.plugin, s.serialized)))
		s.try(second(tpuexecutable.CostAnalysis(s.plugin, target, program)))
		env, err := tpuexecutable.CompilationEnvironments(s.plugin, nil)
		s.try(err)
		s.try(second(tpuexecutable.Setting(s.plugin, env, "xla_tpu_enable_async_collective_fusion")))
		s.try(second(tpuexecutable.IsPredetermined(s.plugin, nil)))
		s.try(second(tpuexecutable.IsCancellationPlaceholder(s.plugin, nil)))
	},
	"tputopology": func(s *subject) {
		x := s.topology
		s.try(second(tputopology.Of(x)))
		s.try(second(tputopology.ProcessIDs(x)))
		s.try(second(tputopology.DevicesOf(x, 0)))
		s.try(second(tputopology.PlaceOfChip(x, 0)))
		s.try(second(tputopology.PlaceOfDevice(x, 0)))
		s.try(second(tputopology.ProcessAt(x, 0)))
		s.try(second(tputopology.Reachable(x, 0, 0)))
		at, index, err := tputopology.ChipOf(x, 0)
		s.try(err)
		s.try(second(tputopology.ChipAt(x, at)))
		s.try(second(tputopology.DeviceAt(x, at, index)))
		ones := slices.Repeat([]int{1}, len(at))
		part, err := tputopology.Subslice(x, ones, ones)
		s.try(err)
		s.try(second(tputopology.DeviceInSubslice(x, part, at, 0)))
		s.try(second(tputopology.WithHosts(x, ones)))
		// These have no face, since no plugin is known to answer them.
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
	},
	"triton": func(s *subject) {
		var c capi.Call[capi.TritonCompileArgs]
		c.Args.Module, c.Args.ModuleSize = capi.StringData("module {}")
		s.try(c.Do(raw.Table(s.plugin)))
	},
	"xlatransform": func(s *subject) {
		x, err := xlatransform.Register(s.plugin, fresh(), func(*hlo.Module) (bool, error) { return false, nil }, nil)
		s.try(err)
		s.try(second(xlatransform.Trace(s.plugin, module())))
		s.try(x.Close())
	},
}

// sections returns the sections of a package's extension.
func sections(pkg string) []capi.Section {
	switch pkg {
	case "deviceevent":
		return nil
	case "profiler":
		return []capi.Section{capi.SectionProfiler}
	}
	return []capi.Section{capi.SectionExtension(packages[pkg].of)}
}

const negate = `module @negate { func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = stablehlo.negate %a : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
} }`

// run drives all packages, and returns for each how many functions of its extension were called, of how
// many that the plugin has, as the table in the documentation has it.
func (s *subject) run(t *testing.T) (counts map[string]string, missing []string) {
	t.Helper()
	counts = make(map[string]string)
	for pkg, drive := range drives {
		s.problems = nil
		drive(s)
		for _, section := range sections(pkg) {
			list, offered := s.missing(s.plugin, section)
			if len(list) > 0 {
				t.Logf("%s: %v\n%s", pkg, list, strings.Join(s.problems, "\n"))
			}
			missing = append(missing, list...)
			counts[pkg] = "-"
			if raw.Table(s.plugin).HasSection(section) {
				counts[pkg] = fmt.Sprintf("%d/%d", offered-len(list), offered)
			}
		}
	}
	slices.Sort(missing)
	return counts, missing
}

// Every function of every extension is called through the package for it.
func TestEveryFunctionOfEveryExtensionIsCalled(t *testing.T) {
	for pkg := range packages {
		assert.Contains(t, drives, pkg)
	}
	var covered []capi.Section
	for pkg := range drives {
		covered = append(covered, sections(pkg)...)
	}
	assert.ElementsMatch(t, tables(), covered)

	s := onStandIn(t)
	counts, missing := s.run(t)
	assert.Empty(t, missing)
	for pkg, row := range documented(t) {
		if pkg != "deviceevent" {
			assert.Equal(t, row.standIn+"/"+row.standIn, counts[pkg], pkg)
		}
	}
}

// onStandIn returns a subject whose plugin has every function of every extension.
func onStandIn(t *testing.T) *subject {
	t.Helper()
	answering := new(serve.Plugin)
	fields := reflect.ValueOf(answering).Elem()
	var table *capi.Table    // of the stand-in, which makes events and topologies
	own := new(serve.Plugin) // what pjrttest has itself
	own.Layouts, own.Shardings = new(serve.LayoutsExtension), new(serve.ShardingsExtension)
	own.MemoryDescriptions = new(serve.MemoryDescriptionsExtension)
	own.RawBuffer, own.HostMemoryAllocator = new(serve.RawBufferExtension), new(serve.HostMemoryAllocatorExtension)
	own.Profiler, own.PhaseCompile = new(serve.ProfilerAPI), new(serve.PhaseCompileExtension)
	for i := range fields.NumField() {
		f := fields.Field(i)
		if f.Kind() == reflect.Pointer && strings.HasPrefix(f.Type().Elem().PkgPath(), "github.com/purepjrt/purepjrt/capi/serve") &&
			reflect.ValueOf(own).Elem().Field(i).IsNil() {
			f.Set(answers(f.Type().Elem(), &table))
		}
	}
	stand := withExtensions(t, answering, pjrttest.Options{Processes: 2})
	stand.Program("negate", pjrttest.Signature{}, pjrttest.Identity)
	table = raw.Table(stand.Plugin())
	s := &subject{ctx: t.Context()}
	s.plugin, s.census = watch(t, table)
	s.open(t)
	return s
}

// open makes a client, and what is made with one.
func (s *subject) open(t *testing.T) {
	t.Helper()
	client, err := s.plugin.NewClient(s.ctx, nil)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	s.client, s.device = client, client.AddressableDevices()[0]
	s.other = client.Devices()[len(client.Devices())-1]
	s.topology, err = client.Topology()
	require.NoError(t, err)
	exe, err := client.Compile(s.ctx, pjrt.Program{Code: []byte(negate)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	s.exe = exe.Executable
	s.buffer, err = pjrt.FromSlice(s.ctx, client, make([]float32, 8*128), 8, 128)
	require.NoError(t, err)
	t.Cleanup(func() { s.buffer.Close() })
	s.serialized = []byte("an executable")
}

// answers returns an extension of a stand-in whose functions succeed: handles are not null, numbers
// are 1, and lists are as short as they may be.
func answers(of reflect.Type, table **capi.Table) reflect.Value {
	x := reflect.New(of)
	for i := range of.NumField() {
		fn := of.Field(i).Type
		if fn.Kind() != reflect.Func {
			continue
		}
		x.Elem().Field(i).Set(reflect.MakeFunc(fn, func(in []reflect.Value) []reflect.Value {
			answer(in[0], *table)
			if fn.NumOut() == 0 {
				return nil
			}
			return []reflect.Value{reflect.Zero(fn.Out(0))}
		}))
	}
	return x
}

// objectsOfC is memory that handles of the stand-in refer to.
var objectsOfC [64]uintptr

func answer(args reflect.Value, table *capi.Table) {
	f := args.Interface().(capi.Arguments).Function()
	base := args.UnsafePointer()
	for _, r := range f.Results {
		if r.Count.Size == 0 {
			*(*unsafe.Pointer)(unsafe.Add(base, r.Offset)) = unsafe.Pointer(&objectsOfC)
		}
	}
	v := args.Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !slices.ContainsFunc(f.Zero, func(z capi.Span) bool { return field.Offset >= z.Offset && field.Offset < z.Offset+z.Size }) {
			continue
		}
		at := v.Field(i)
		switch p := at.Addr().Interface().(type) {
		case **capi.Event:
			var c capi.Call[capi.EventCreateArgs]
			if c.Do(table) == nil {
				var set capi.Call[capi.EventSetArgs]
				set.Args.Event, *p = c.Args.Event, c.Args.Event
				_ = set.Do(table)
			}
		case **capi.TopologyDescription:
			var c capi.Call[capi.TopologyDescriptionCreateArgs]
			if c.Do(table) == nil {
				*p = c.Args.Topology
			}
		}
		switch at.Kind() {
		case reflect.Int32, reflect.Int64:
			if !strings.Contains(field.Name, "Index") {
				at.SetInt(1)
			}
		case reflect.Uintptr:
			// Coordinates go into memory of the caller.
			if room, ok := strings.CutSuffix(field.Name, "NumDims"); ok {
				if p, ok := v.FieldByName(room).Interface().(*int32); ok && p != nil {
					*p = 0
					if strings.HasSuffix(room, "Bounds") {
						*p = 1
					}
					at.SetUint(1)
				}
			}
		}
	}
	if a, ok := args.Interface().(*capi.CollectivesCreateCommunicatorsArgs); ok {
		list := []*capi.CollectivesCommunicator{(*capi.CollectivesCommunicator)(unsafe.Pointer(&objectsOfC))}
		a.Communicators, a.NumCommunicators = unsafe.SliceData(list), 1
	}
}

// What XLA's plugin for CPUs offers is called on it.
func TestEveryFunctionThatThePluginForCPUsOffersIsCalled(t *testing.T) {
	p, err := pjrt.Open(plugintest.Path(t, "cpu"))
	require.NoError(t, err)
	s := &subject{ctx: t.Context()}
	s.plugin, s.census = watch(t, raw.Table(p))
	s.open(t)
	counts, missing := s.run(t)
	assert.Equal(t, []string{
		"PJRT_MemoryDescription_Kind",                                                                            // it describes no memory
		"PJRT_PhaseCompile_C_Buffers_Destroy", "PJRT_PhaseCompile_Get_PhaseNames", "PJRT_PhaseCompile_Run_Phase", // it makes no compiler
	}, missing)
	for pkg, row := range documented(t) {
		if pkg != "deviceevent" {
			assert.Equal(t, row.plugins["cpu"], counts[pkg], pkg)
		}
	}

}
