// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/xlaflags"
)

// executable is a compiled program. Several handles may stand for it.
type executable struct {
	p       *Plugin
	program *Program
	handles atomic.Int32 // how many exist, including those of loaded executables

	name    string
	code    []byte
	format  pjrt.Format
	options []byte // serialized

	replicas, partitions int
	portable             bool
	assignment           [][]int // device ids by replica and partition; nil if portable
	devices              int     // of the topology

	parameters, results []pjrt.Shape
	parameterOrders     []order
	resultOrders        []order
	consumed            map[int]consumption
	parameterKinds      []string // of memory
	resultKinds         []string
	fingerprint         string

	tables cTables
}

// target is what a program is compiled for.
type target struct {
	ids []int // of all devices, in the order in which they are used by default
	// where says whose devices they are, for messages: client or topology
	where string
}

func (c *client) target() target {
	t := target{where: "client"}
	for _, d := range c.defaultDevices(len(c.addressable)) {
		t.ids = append(t.ids, d.id)
	}
	for _, d := range c.devices {
		if !slices.Contains(t.ids, d.id) {
			t.ids = append(t.ids, d.id)
		}
	}
	return t
}

func (t *topology) target() target {
	x := target{where: "topology"}
	for _, d := range t.devices {
		x.ids = append(x.ids, d.id)
	}
	return x
}

func (p *Plugin) clientCompile(a *capi.ClientCompileArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	e, err := p.compile(a.Program, a.CompileOptions, a.CompileOptionsSize, c.target())
	if err != nil {
		return err
	}
	l, err := c.load(e)
	if err != nil {
		return err
	}
	a.Executable = l
	return nil
}

// compileAhead is PJRT_Compile.
func (p *Plugin) compileAhead(a *capi.CompileArgs) error {
	t, err := find[*topology](p, a.Topology)
	if err != nil {
		return err
	}
	if a.Client != nil {
		if _, err := find[*client](p, a.Client); err != nil {
			return err
		}
	}
	e, err := p.compile(a.Program, a.CompileOptions, a.CompileOptionsSize, t.target())
	if err != nil {
		return err
	}
	a.Executable = e.handle()
	return nil
}

func (p *Plugin) compile(program *capi.Program, options *byte, size uintptr, t target) (*executable, error) {
	given, err := read(program, "PJRT_Program", capi.ProgramSize)
	if err != nil {
		return nil, err
	}
	if given.Code == nil || given.CodeSize == 0 {
		return nil, invalid("the program is empty")
	}
	if options == nil && size > 0 {
		return nil, invalid("the compile options are null and have %d bytes", size)
	}
	format := pjrt.Format(capi.String(given.Format, given.FormatSize))
	switch format {
	case pjrt.FormatMLIR, pjrt.FormatHLO, pjrt.FormatHLOWithConfig:
	default:
		return nil, invalid("programs in the format %q are not supported; use %q, %q or %q",
			string(format), pjrt.FormatMLIR, pjrt.FormatHLO, pjrt.FormatHLOWithConfig)
	}
	return p.newExecutable(capi.Bytes(given.Code, given.CodeSize), format, capi.Bytes(options, size), t)
}

// newExecutable compiles a program. It keeps code and options.
func (p *Plugin) newExecutable(code []byte, format pjrt.Format, options []byte, t target) (*executable, error) {
	program, err := p.program(code, format)
	if err != nil {
		return nil, err
	}
	e := &executable{p: p, program: program, code: code, format: format, options: options, devices: len(t.ids)}
	if e.parameters, e.results, err = program.shapes(code, format); err != nil {
		return nil, err
	}
	if e.consumed, err = program.consumed(code, format, len(e.parameters), len(e.results)); err != nil {
		return nil, err
	}
	if err := e.configure(options, t); err != nil {
		return nil, err
	}
	e.name = program.Name
	if e.name == "" {
		e.name = moduleName(code, format)
	}
	orDefault(&e.name, "main")
	if err := e.memoryKinds(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(seal(string(format)+"\n"+fmt.Sprint(e.assignment, e.replicas, e.partitions)+"\n", [][]byte{code, options}))
	e.fingerprint = hex.EncodeToString(sum[:])
	return e, e.tables.fill(e)
}

// memoryKinds sets the memory kinds of the parameters and results: those with which the
// program was registered, or those that its text asks for with mhlo.memory_kind.
func (e *executable) memoryKinds() error {
	var parameters, results []string
	if e.format == pjrt.FormatMLIR {
		parameters, results = mainTexts(string(e.code))
	}
	usual := e.p.opts.Memories[0].Kind
	e.parameterKinds = slices.Repeat([]string{usual}, len(e.parameters))
	e.resultKinds = slices.Repeat([]string{usual}, len(e.results))
	for i, text := range parameters {
		if k, ok := attribute(text, "mhlo.memory_kind"); ok && i < len(e.parameterKinds) {
			e.parameterKinds[i] = k
		}
	}
	for i, text := range results {
		if k, ok := attribute(text, "mhlo.memory_kind"); ok && i < len(e.resultKinds) {
			e.resultKinds[i] = k
		}
	}
	if given := e.program.MemoryKinds; given != nil {
		if len(given) != len(e.resultKinds) {
			return invalid("the program was registered with %d kinds of memory for %d results", len(given), len(e.resultKinds))
		}
		for i, k := range given {
			if k != "" {
				e.resultKinds[i] = k
			}
		}
	}
	for _, k := range slices.Concat(e.parameterKinds, e.resultKinds) {
		if !slices.ContainsFunc(e.p.opts.Memories, func(m MemoryOptions) bool { return m.Kind == k }) {
			return invalid("the program asks for the memory %q, which the devices do not have", k)
		}
	}
	return nil
}

// configure reads the compile options.
func (e *executable) configure(options []byte, t target) error {
	o, err := pjrt.DecodeCompileOptions(options)
	if err != nil {
		return invalid("%v", err)
	}
	for name := range o.Flags {
		if _, ok := xlaflags.Lookup(name); !ok {
			return invalid("the compile options have the flag %q, which XLA does not have", name)
		}
	}
	if o.Replicas < 0 || o.Partitions < 0 {
		return invalid("the compile options ask for %d replicas of %d partitions", o.Replicas, o.Partitions)
	}
	if e.p.offers(capi.ExtensionTypeMultiSlice) {
		if err := checkSlices(o.MultiSlice); err != nil {
			return err
		}
	}
	e.replicas, e.partitions, e.portable = max(o.Replicas, 1), max(o.Partitions, 1), o.Portable
	if err := e.layouts(o); err != nil {
		return err
	}
	if e.portable {
		if e.replicas*e.partitions > 1 {
			return invalid("a portable program cannot have %d replicas of %d partitions", e.replicas, e.partitions)
		}
		return nil
	}
	ids := o.DeviceIDs
	if ids == nil {
		if e.replicas > len(t.ids)/e.partitions {
			return invalid("the compile options ask for %d replicas of %d partitions, but the %s has %d devices",
				e.replicas, e.partitions, t.where, len(t.ids))
		}
		for r := range e.replicas {
			ids = append(ids, t.ids[r*e.partitions:(r+1)*e.partitions])
		}
	}
	if len(ids) != e.replicas {
		return invalid("the device assignment has %d replicas, but the compile options have %d", len(ids), e.replicas)
	}
	seen := make(map[int]bool)
	for _, row := range ids {
		if len(row) != e.partitions {
			return invalid("the device assignment has %d partitions, but the compile options have %d", len(row), e.partitions)
		}
		for _, id := range row {
			if !slices.Contains(t.ids, id) {
				return invalid("the device assignment has device %d, which the %s does not have", id, t.where)
			}
			if seen[id] {
				return invalid("the device assignment has device %d twice", id)
			}
			seen[id] = true
		}
	}
	for _, row := range ids {
		e.assignment = append(e.assignment, slices.Clone(row))
	}
	return nil
}

// layouts sets the layouts that the program and the options ask for.
func (e *executable) layouts(o *pjrt.CompileOptions) error {
	var parameters, results []string
	if e.format == pjrt.FormatMLIR {
		parameters, results = mainTexts(string(e.code))
	}
	var err error
	if e.parameterOrders, err = layoutModes(parameters, e.parameters); err != nil {
		return err
	}
	if e.resultOrders, err = layoutModes(results, e.results); err != nil {
		return err
	}
	if o.ArgumentLayouts != nil {
		if err := override(e.parameterOrders, o.ArgumentLayouts, e.parameters, "parameter"); err != nil {
			return err
		}
	}
	if l := o.ResultLayout; l != nil {
		list := l.Tuple
		if list == nil {
			list = []pjrt.ShapeLayout{*l}
		}
		if err := override(e.resultOrders, list, e.results, "result"); err != nil {
			return err
		}
	}
	orDefaults(e.parameterOrders, e.parameters)
	orDefaults(e.resultOrders, e.results)
	return nil
}

// orDefaults replaces missing orders by the default.
func orDefaults(orders []order, shapes []pjrt.Shape) {
	for i, s := range shapes {
		if orders[i] == nil {
			orders[i] = rowMajor(len(s.Dims))
		}
	}
}

// override replaces orders by the layouts of compile options.
func override(orders []order, list []pjrt.ShapeLayout, shapes []pjrt.Shape, what string) error {
	if len(list) != len(shapes) {
		return invalid("the compile options have layouts for %d %ss, but the program has %d", len(list), what, len(shapes))
	}
	for i, l := range list {
		if !l.Shape.Equal(shapes[i]) {
			return invalid("the compile options have a layout for %s %d of shape %v, but its shape is %v", what, i, l.Shape, shapes[i])
		}
		if l.Layout == nil {
			continue
		}
		if len(l.Layout.Tiles) > 0 {
			return capi.ErrorCodeUnimplemented.Errorf("the layout of %s %d is tiled, which is not supported", what, i)
		}
		o := make(order, len(l.Layout.MinorToMajor))
		for j, d := range l.Layout.MinorToMajor {
			o[j] = int64(d)
		}
		if err := o.check(len(shapes[i].Dims)); err != nil {
			return err
		}
		orders[i] = o
	}
	return nil
}

// assignmentProto returns the device assignment as a DeviceAssignmentProto.
func (e *executable) assignmentProto() []byte {
	b := wire.AppendInt(wire.AppendInt(nil, 1, e.replicas), 2, e.partitions)
	for p := range e.partitions {
		ids := make([]int, e.replicas)
		for r := range ids {
			ids[r] = e.assignment[r][p]
		}
		b = wire.AppendBytes(b, 3, wire.AppendInts(nil, 1, ids))
	}
	return b
}
