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
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// census records which functions of a plugin's extensions are called.
type census struct {
	mu     sync.Mutex
	called map[string]bool   // by C name; guarded by mu
	after  map[string]func() // by C name, run when a call of it is over; guarded by mu
}

// tables returns the sections of all extensions.
func tables() []capi.Section {
	return slices.DeleteFunc(capi.Sections(), func(s capi.Section) bool { return s == capi.SectionCore })
}

// watch returns a plugin that forwards calls to the table real and records them.
func watch(t testing.TB, real *capi.Table) (*pjrt.Plugin, *census) {
	t.Helper()
	c := &census{called: make(map[string]bool), after: make(map[string]func())}
	var hooks []serve.Hook
	for _, s := range tables() {
		for _, f := range capi.Functions(s) {
			hooks = append(hooks, serve.AroundFunction(f, func(call *serve.Invocation) {
				c.mu.Lock()
				c.called[f.Name] = true
				after := c.after[f.Name]
				c.mu.Unlock()
				call.Forward()
				if after != nil {
					after()
				}
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
// many the plugin has.
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

// subject has the objects that calls of extensions need. Ahead of time there are neither clients
// nor buffers, and calls that need one fail before they reach the plugin.
type subject struct {
	objects
	*census
	ctx        context.Context
	plugin     *pjrt.Plugin
	other      *pjrt.Device // of another process
	serialized []byte       // the executable
	problems   []string
}

// try notes an error, to be logged if a function was not called.
func (s *subject) try(err error) {
	if err != nil {
		s.problems = append(s.problems, err.Error())
	}
}

// end makes a call that waits for what the plugin never does, so that only its context ends it.
// That happens once the plugin has got the call, since a deadline may come before. The context of a
// call that does not reach the plugin stays, because such a call returns.
func (s *subject) end(function string, call func(context.Context) error) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	s.mu.Lock()
	s.after[function] = cancel
	s.mu.Unlock()
	s.try(call(ctx))
}

// config returns the configuration of a job on two slices.
func (s *subject) config() (*megascale.Config, error) {
	if raw.Table(s.plugin).HasSection(capi.SectionExtension(capi.ExtensionTypeMegascale)) {
		return megascale.AOTConfig(s.topology, 2)
	}
	return megascale.AdoptConfig(s.plugin, nil, nil)
}

// address is where libtpu listens for other processes. There are none.
var address = "localhost:1"

var names atomic.Int64

// fresh returns a name that is not registered yet.
func fresh() string { return fmt.Sprintf("census_%d", names.Add(1)) }

// nothing is a C function that does nothing.
var nothing = purego.NewCallback(func() uintptr { return 0 })

// errorsOfProfilers calls the functions for the errors of profilers.
func (s *subject) errorsOfProfilers() {
	// Args without a size are an error on any plugin.
	table := raw.Table(s.plugin)
	var create capi.Call[capi.ProfilerCreateArgs]
	h, err := create.Raw(table)
	s.try(err)
	if h == nil { // the profilers of TPUs and GPUs do not check
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
}

// sectionOf returns the section that has the functions of an extension.
func sectionOf(x capi.ExtensionType) capi.Section {
	if x == capi.ExtensionTypeProfiler {
		return capi.SectionProfiler
	}
	return capi.SectionExtension(x)
}

const negate = `module @negate { func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = stablehlo.negate %a : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
} }`

// run drives all extensions. By the name of its row in the documentation, it returns for each how
// many of its functions were called and how many the plugin has, in the form of that table.
func (s *subject) run(t *testing.T) (counts map[string]string, missing []string) {
	t.Helper()
	counts = make(map[string]string)
	for x, d := range driven {
		s.problems = nil
		d.drive(s)
		section := sectionOf(x)
		list, offered := s.missing(s.plugin, section)
		if len(list) > 0 {
			t.Logf("%v: %v\n%s", x, list, strings.Join(s.problems, "\n"))
		}
		missing = append(missing, list...)
		counts[rowOf(x)] = "-"
		if raw.Table(s.plugin).HasSection(section) {
			counts[rowOf(x)] = fmt.Sprintf("%d/%d", offered-len(list), offered)
		}
	}
	slices.Sort(missing)
	return counts, missing
}

// Every function of every extension is called through its package, or through capi if it has none.
func TestEveryFunctionOfEveryExtensionIsCalled(t *testing.T) {
	var covered []capi.Section
	for x := range driven {
		covered = append(covered, sectionOf(x))
	}
	assert.ElementsMatch(t, tables(), covered)

	s := onStandIn(t)
	counts, missing := s.run(t)
	assert.Empty(t, missing)
	for x, row := range documented(t) {
		if x != deviceEvents {
			assert.Equal(t, row.standIn+"/"+row.standIn, counts[x], x)
		}
	}
}

// onStandIn returns a subject whose plugin has every function of every extension.
func onStandIn(t *testing.T) *subject {
	t.Helper()
	answering := new(serve.Plugin)
	fields := reflect.ValueOf(answering).Elem()
	var table *capi.Table    // the stand-in's, to make events and topologies with
	own := new(serve.Plugin) // the extensions that pjrttest itself has
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

// open makes a client, and the objects that need one.
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
// are 1, and lists are as short as possible.
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

// objectsOfC is the memory that the stand-in's handles refer to.
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
			// Coordinates go into the caller's memory.
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

// Every function that XLA's plugin for CPUs offers is called on it, except those listed.
func TestEveryFunctionThatThePluginForCPUsOffersIsCalled(t *testing.T) {
	p := plugintest.Plugin(t)
	s := &subject{ctx: t.Context()}
	s.plugin, s.census = watch(t, raw.Table(p))
	s.open(t)
	counts, missing := s.run(t)
	want := []string{
		"PJRT_MemoryDescription_Kind",                                                                            // it describes no memory
		"PJRT_PhaseCompile_C_Buffers_Destroy", "PJRT_PhaseCompile_Get_PhaseNames", "PJRT_PhaseCompile_Run_Phase", // it makes no compiler
	}
	if plugintest.Age(t) >= 115 {
		want = append(want, "PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn") // it runs no passes for a trace
	}
	assert.Equal(t, want, missing)
	age := fmt.Sprintf("0.%d", plugintest.Age(t))
	for x, row := range documented(t) {
		if x != deviceEvents {
			assert.Equal(t, row.plugins[age], counts[x], x)
		}
	}
}
