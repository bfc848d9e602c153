// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// model is a plugin that does what the contract asks, built on one that does not: it adds
// functions that an older plugin lacks and host transfers, and corrects what XLA's plugins for
// CPUs do wrong. Faults that the CPU plugin cannot have are put into the
// model. It knows the programs of this package and their arguments; no others need to run
// on it.
type model struct {
	flaw flaw

	mu         sync.Mutex
	base       *capi.Table
	client     *capi.Client                             // the newest; guarded by mu
	programs   map[*capi.LoadedExecutable]*modelProgram // guarded by mu
	handles    map[*capi.Executable]*modelProgram       // guarded by mu
	gathered   map[gatheringKey]*gathering              // launches of one device at a time; guarded by mu
	dependency *dependency                              // the first one, for a flaw of the model; guarded by mu
	saved      map[string][]byte                        // compile options of serialized executables; guarded by mu
	objects    map[any]bool                             // those that the model made, until they are destroyed; guarded by mu
}

// modelProgram is what the model knows of a program.
type modelProgram struct {
	format, text string
	options      []byte
	loaded       *capi.LoadedExecutable
	serialized   []byte // what it was loaded from
	refs         int    // handles that need loaded
	doomed       bool   // loaded is destroyed with the last of refs
	deleted      bool
}

// modelTopology is a copy of a topology. It must not have the size 0.
type modelTopology struct{ _ int }

// simulate puts faults in front of the model, and the model in front of a plugin.
func simulate(real *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
	return flawed(real, none, faults...)
}

// flawed is simulate for a model with a flaw.
func flawed(real *capi.Table, f flaw, faults ...serve.Hook) (*serve.Table, error) {
	base, err := modern(real, laterFunctions()...)
	if err != nil {
		return nil, err
	}
	m := &model{
		flaw: f, base: base, programs: make(map[*capi.LoadedExecutable]*modelProgram),
		handles: make(map[*capi.Executable]*modelProgram), objects: make(map[any]bool), saved: make(map[string][]byte), gathered: make(map[gatheringKey]*gathering),
	}
	return serve.Wrap(base, slices.Concat(faults, m.hooks(), m.laterHooks(), m.transferHooks())...)
}

func (m *model) of(exe *capi.LoadedExecutable) *modelProgram {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.programs[exe]
}

func (m *model) handle(e *capi.Executable) *modelProgram {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.handles[e]
}

func refuse(code capi.ErrorCode, format string, args ...any) error {
	return &capi.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) error {
	return refuse(capi.ErrorCodeInvalidArgument, format, args...)
}

// answer ends a call with the result of one of the model's functions.
func answer(c *serve.Invocation, err error) { c.FailWith(err) }

// hooks returns the hooks of functions that the plugin has.
func (m *model) hooks() []serve.Hook {
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
			c.Forward()
			m.mu.Lock()
			defer m.mu.Unlock()
			m.client = a.Client
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) {
			p, err := m.compile(a.Client, capi.String(a.Program.Format, a.Program.FormatSize),
				capi.String(a.Program.Code, a.Program.CodeSize),
				capi.Bytes(a.CompileOptions, a.CompileOptionsSize))
			if answer(c, err); err == nil {
				a.Executable = p.loaded
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.CompileArgs) {
			m.mu.Lock()
			client := m.client
			m.mu.Unlock()
			p, err := m.compile(client, capi.String(a.Program.Format, a.Program.FormatSize),
				capi.String(a.Program.Code, a.Program.CodeSize),
				capi.Bytes(a.CompileOptions, a.CompileOptionsSize))
			if err == nil {
				a.Executable, err = m.executable(p)
				p.doomed = true
			}
			answer(c, err)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableGetExecutableArgs) {
			p := m.of(a.LoadedExecutable)
			if p == nil {
				c.Forward()
				return
			}
			var err error
			a.Executable, err = m.executable(p)
			answer(c, err)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableDestroyArgs) {
			m.mu.Lock()
			p := m.programs[a.Executable]
			if p != nil && p.refs > 0 {
				p.doomed = true
				m.mu.Unlock()
				return
			}
			delete(m.programs, a.Executable)
			m.mu.Unlock()
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ExecutableDestroyArgs) {
			m.mu.Lock()
			p := m.handles[a.Executable]
			delete(m.handles, a.Executable)
			last := false
			if p != nil {
				p.refs--
				last = p.doomed && p.refs == 0
				if last {
					delete(m.programs, p.loaded)
				}
			}
			m.mu.Unlock()
			if c.Forward(); last {
				mutant.Try(m.base, capi.LoadedExecutableDestroyArgs{Executable: p.loaded})
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableDeleteArgs) {
			if p := m.of(a.Executable); p != nil {
				m.mu.Lock()
				defer m.mu.Unlock()
				p.deleted = true
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableIsDeletedArgs) {
			if p := m.of(a.Executable); p != nil {
				m.mu.Lock()
				defer m.mu.Unlock()
				a.IsDeleted = p.deleted
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) { m.execute(c, a) }),
		serve.Around(m.serialize), serve.Around(m.deserialize),
		serve.Around(func(c *serve.Invocation, a *capi.ExecutableOutputMemoryKindsArgs) {
			p := m.handle(a.Executable)
			n, err := mutant.Try(m.base, capi.ExecutableNumOutputsArgs{Executable: a.Executable})
			kind := m.kind()
			if p != nil && p.text == hostResult {
				kind = "pinned_host"
			}
			a.NumOutputs = n.NumOutputs
			a.MemoryKinds, a.MemoryKindSizes = kindLists(kind, int(n.NumOutputs))
			answer(c, err)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ExecutableGetCompiledMemoryStatsArgs) {
			c.Forward()
			if p := m.handle(a.Executable); p != nil && p.text == hostResult {
				a.OutputSizeInBytes, a.HostOutputSizeInBytes = 0, 16
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.TopologyDescriptionDeserializeArgs) {
			t := new(modelTopology)
			a.Topology = topologyHandle(t)
			m.mu.Lock()
			defer m.mu.Unlock()
			m.objects[a.Topology], m.objects[t] = true, true
		}),
		serve.Around(func(c *serve.Invocation, a *capi.TopologyDescriptionDestroyArgs) {
			m.mu.Lock()
			own := m.objects[a.Topology]
			delete(m.objects, a.Topology)
			m.mu.Unlock()
			if !own {
				c.Forward()
			}
		}),
	}
}

// executable returns a new handle of a program, which the handle keeps alive.
func (m *model) executable(p *modelProgram) (*capi.Executable, error) {
	out, err := mutant.Try(m.base, capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: p.loaded})
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.handles[out.Executable] = p
	p.refs++
	return out.Executable, nil
}

// compile compiles what the plugin compiles correctly, refuses what the plugin should
// refuse, and compiles a substitute for what the plugin cannot compile.
func (m *model) compile(client *capi.Client, format, text string, o []byte) (*modelProgram, error) {
	if client == nil {
		return nil, refuse(capi.ErrorCodeUnimplemented, "the model compiles with a client")
	}
	if len(o) == 0 {
		o = options{}.bytes()
	}
	p := &modelProgram{format: format, text: text, options: o}
	if err := acceptable(text, o); err != nil {
		return nil, err
	}
	format, text, o = substitute(format, text, o)
	args := capi.ClientCompileArgs{Client: client, Program: check.Program(format, text)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(o)
	out, err := mutant.Try(m.base, args)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p.loaded = out.Executable
	m.programs[p.loaded] = p
	return p, nil
}

// acceptable refuses programs that crash the plugin, or that it wrongly accepts.
func acceptable(text string, o []byte) error {
	has := func(words ...string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	}
	switch {
	case has("call @main"):
		return invalid("recursion")
	case strings.HasPrefix(text, "ML\xefR") && !slices.ContainsFunc(artifactVersions, func(v [3]int64) bool { return artifact(v) == text }):
		return invalid("malformed bytecode")
	case has("bitcast_convert", "64xi1"), has("concatenate", "xi2"), has("concatenate", "xui2"), has("remainder", "complex"), has("f6E"):
		return refuse(capi.ErrorCodeUnimplemented, "the types are not supported")
	}
	replicas, partitions, assignment := counted(o)
	seen := make(map[int]bool)
	for _, row := range assignment {
		if len(assignment) != replicas || len(row) != partitions {
			return invalid("device assignment of another shape")
		}
		for _, id := range row {
			if seen[id] {
				return invalid("device %d twice", id)
			}
			seen[id] = true
		}
	}
	layouts := false
	err := fields(o, func(n protoNumber, _ uint64, b []byte) error {
		layouts = layouts || n == 1
		if n != 3 {
			return nil
		}
		return fields(b, func(n protoNumber, _ uint64, _ []byte) error {
			layouts = layouts || n == 2
			return nil
		})
	})
	if err == nil && layouts {
		return refuse(capi.ErrorCodeUnimplemented, "layouts")
	}
	return nil
}

// substitute returns a program that the plugin can compile instead of the given one.
func substitute(format, text string, o []byte) (string, string, []byte) {
	const double = "(%a: tensor<2x3xf32>) -> tensor<2x3xf32>"
	switch {
	case text == sendProgram, text == sendTransposed, text == recvProgram:
		return format, program("transfer", double, "return %a : tensor<2x3xf32>"), o
	case text == hostResult:
		return format, check.AddOne, o
	case text == boundedArgument(16):
		return format, replaced(text, "?xf32, #stablehlo.bounds<16>", "16xf32"), o
	case strings.HasPrefix(text, "module @placed"):
		return format, unplaced(text), o
	case strings.HasPrefix(text, "module @collective"):
		return format, lowered(text), o
	case strings.Contains(text, "stablehlo.add %a, %a : tensor<4xi1>"):
		return format, replaced(text, "stablehlo.add", "stablehlo.or"), o
	case strings.HasPrefix(text, "module @ids"):
		// Two replicas of two partitions become four replicas.
		second := "%p"
		if !strings.Contains(text, "partition_id") {
			second = "%r"
		}
		_, _, ids := counted(o)
		flat := make([][]int, 0, 4)
		for _, row := range ids {
			for _, id := range row {
				flat = append(flat, []int{id})
			}
		}
		return format, program("ids", "() -> (tensor<ui32>, tensor<ui32>)", "%i = stablehlo.replica_id : tensor<ui32>",
			"%c = stablehlo.constant dense<2> : tensor<ui32>",
			"%r = stablehlo.divide %i, %c : tensor<ui32>", "%p = stablehlo.remainder %i, %c : tensor<ui32>",
			"return %r, "+second+" : tensor<ui32>, tensor<ui32>"), options{replicas: 4, assignment: flat}.bytes()
	case format == "hlo_with_config":
		_ = fields([]byte(text), func(n protoNumber, _ uint64, b []byte) error {
			if n == 1 {
				format, text = "hlo", string(b)
			}
			return nil
		})
	}
	return format, text, o
}

// kind returns the kind of the default memory of the client's first device.
func (m *model) kind() string {
	m.mu.Lock()
	client := m.client
	m.mu.Unlock()
	d, err := mutant.Try(m.base, capi.ClientAddressableDevicesArgs{Client: client})
	if err != nil || d.NumAddressableDevices == 0 {
		return ""
	}
	memory, _ := mutant.Try(m.base, capi.DeviceDefaultMemoryArgs{Device: *d.AddressableDevices})
	k, _ := mutant.Try(m.base, capi.MemoryKindArgs{Memory: memory.Memory})
	return capi.String(k.Kind, k.KindSize)
}

// kindLists returns a kind n times, as the API lists kinds.
func kindLists(kind string, n int) (**byte, *uintptr) {
	data, sizes := make([]*byte, n+1), make([]uintptr, n+1)
	for i := range n {
		data[i], sizes[i] = capi.StringData(kind)
	}
	return &data[0], &sizes[0]
}

// serialize returns the plugin's bytes after a checksum, which shows whether they are
// damaged. For a loaded executable it returns the bytes that it was loaded from.
func (m *model) serialize(c *serve.Invocation, a *capi.ExecutableSerializeArgs) {
	p := m.handle(a.Executable)
	var own []byte
	if p != nil && p.serialized != nil {
		own = slices.Clone(p.serialized)
	} else {
		if c.Forward(); c.Err() != nil {
			return
		}
		b := capi.Bytes(a.SerializedBytes, a.SerializedBytesSize)
		sum := crc32.ChecksumIEEE(b)
		own = append([]byte{byte(sum), byte(sum >> 8), byte(sum >> 16), byte(sum >> 24)}, b...)
		a.SerializedExecutableDeleter.Call(a.SerializedExecutable)
	}
	if p != nil {
		m.mu.Lock()
		m.saved[string(own)] = p.options
		m.mu.Unlock()
	}
	a.SerializedBytes, a.SerializedBytesSize = capi.BytesData(own)
	a.SerializedExecutable = serializedHandle(capi.NewHandle(own))
	a.SerializedExecutableDeleter = capi.ExecutableSerializeArgsSerializedExecutableDeleter(capi.HandleDeleter())
}

// deserialize loads what serialize returned.
func (m *model) deserialize(c *serve.Invocation, a *capi.ExecutableDeserializeAndLoadArgs) {
	b := capi.Bytes(a.SerializedExecutable, a.SerializedExecutableSize)
	if len(b) < 4 || crc32.ChecksumIEEE(b[4:]) != uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24 {
		answer(c, invalid("the bytes are no executable of this plugin"))
		return
	}
	if l := a.LoadOptions; l != nil {
		origin := capi.Slice(l.ComputationOrigin, l.ComputationOriginSize)
		if l.StructSize < capi.LoadOptionsSize || slices.Max(append([]int32{0}, origin...)) > 0 {
			answer(c, invalid("the load_options are of another size, or name no device"))
			return
		}
	}
	args := *a
	args.SerializedExecutable, args.SerializedExecutableSize = capi.BytesData(b[4:])
	args.LoadOptions = nil
	out, err := mutant.Try(m.base, args)
	if answer(c, err); err != nil {
		return
	}
	a.LoadedExecutable = out.LoadedExecutable
	m.mu.Lock()
	defer m.mu.Unlock()
	m.programs[a.LoadedExecutable] = &modelProgram{loaded: a.LoadedExecutable, serialized: b, options: m.optionsOf(a, b)}
}

// optionsOf returns the compile options of a loaded executable. m.mu must be held.
func (m *model) optionsOf(a *capi.ExecutableDeserializeAndLoadArgs, b []byte) []byte {
	if a.OverriddenSerializedCompileOptionsSize > 0 {
		return capi.Bytes(a.OverriddenSerializedCompileOptions, a.OverriddenSerializedCompileOptionsSize)
	}
	return m.saved[string(b)]
}

// execute refuses what the plugin wrongly accepts, and does the host transfers.
func (m *model) execute(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
	p := m.of(a.Executable)
	if p == nil {
		c.Forward()
		return
	}
	arguments, _ := lists(a, 0)
	if err := m.refusal(p, a, arguments); err != nil {
		answer(c, err)
		return
	}
	if m.gather(c, a, arguments) {
		return
	}
	switch p.text {
	case sendProgram, sendTransposed:
		if err := m.send(a, arguments, p.text == sendTransposed); err != nil {
			answer(c, err)
			return
		}
	case recvProgram:
		m.receive(c, a)
		return
	default:
		c.Forward()
		return
	}
	// The plugin need not know the callbacks: they have been called.
	kept := a.Options
	own := *kept
	own.SendCallbacks, own.NumSendOps = nil, 0
	a.Options = &own
	c.Forward()
	a.Options = kept
}

// refusal says what is wrong with an execution.
func (m *model) refusal(p *modelProgram, a *capi.LoadedExecutableExecuteArgs, arguments [][]*capi.Buffer) error {
	m.mu.Lock()
	deleted := p.deleted
	m.mu.Unlock()
	if deleted {
		return refuse(capi.ErrorCodeFailedPrecondition, "the executable is deleted")
	}
	if p.format == "hlo" && p.text == string(aliasedHLO(mustAlias)) && a.Options.NumNonDonatableInputIndices > 0 {
		return invalid("the argument must be donated")
	}
	sizes := make(map[int]uintptr)
	for _, list := range arguments {
		for i, b := range list {
			if b == nil {
				return invalid("argument %d is null", i)
			}
			if err := m.argument(p, b, len(arguments)); err != nil {
				return err
			}
			size, err := mutant.Try(m.base, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b})
			if err != nil {
				return err
			}
			if old, ok := sizes[i]; ok && old != size.OnDeviceSizeInBytes {
				return invalid("argument %d has %d bytes on one device and %d on another", i, old, size.OnDeviceSizeInBytes)
			}
			sizes[i] = size.OnDeviceSizeInBytes
		}
	}
	return nil
}

// argument says what is wrong with an argument.
func (m *model) argument(p *modelProgram, b *capi.Buffer, devices int) error {
	if p.text == check.AddOne || p.text == check.Add {
		t, err1 := mutant.Try(m.base, capi.BufferElementTypeArgs{Buffer: b})
		d, err2 := mutant.Try(m.base, capi.BufferDimensionsArgs{Buffer: b})
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if t.Type != capi.BufferTypeF32 || !slices.Equal(capi.Slice(d.Dims, d.NumDims), []int64{4}) {
			return invalid("the argument is no tensor<4xf32>")
		}
	}
	if devices < 2 {
		return nil
	}
	e, err := mutant.Try(m.base, capi.BufferReadyEventArgs{Buffer: b})
	if err != nil {
		return err
	}
	return mutant.Finish(m.base, e.Event)
}
