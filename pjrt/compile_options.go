// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/createoptions"
	"github.com/purepjrt/purepjrt/pjrt/internal/source"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// CompileOptions are the options of Compile: XLA's CompileOptionsProto and the
// ExecutableBuildOptionsProto in it. The zero value compiles for one device. Plugins
// that are not built on XLA read only the options that they know.
type CompileOptions struct {
	// Replicas is how many copies of the program run on different data, and Partitions how
	// many devices share the work of each copy. 0 means what the program itself states, as
	// JAX's do, or else 1. Programs state it in the module attributes mhlo.num_replicas and
	// mhlo.num_partitions, in Shardy's mesh, or in HLO's device assignment. Contradicting a
	// program that states more than 1 is an error.
	Replicas, Partitions int
	// Devices is the device assignment: Devices[r][p] runs partition p of replica r. Nil
	// leaves the choice to the plugin.
	Devices   [][]*Device
	DeviceIDs [][]int // Devices by their IDs, for a topology; set at most one of the two
	Portable  bool    // each execution chooses the one device that it runs on

	// SPMD splits a program with shardings over the partitions. Compile sets it if there are
	// several, because compilers have no other way to divide a program. Shardy propagates
	// the shardings, in place of GSPMD; Compile sets it if the program uses Shardy.
	SPMD, Shardy bool
	AutoSharding bool    // the compiler chooses the shardings; needs SPMD
	MeshShape    []int64 // extents of the mesh of AutoSharding
	MeshIDs      []int64 // IDs of the devices in that mesh; nil means in ascending order
	// PropagateToParameters and PropagateToResults let the compiler choose the shardings
	// of parameters and results: one value for each, or one for all.
	PropagateToParameters, PropagateToResults []bool

	// Flags are XLA flags for this compilation, by their names without dashes. A value is
	// a bool, an integer, a float, a string, or a string that spells one of them as in
	// XLA_FLAGS; package xlaflags knows the types. Flags that are not set here are taken
	// from the environment variable XLA_DEBUG_OPTIONS, DebugOptions in text form.
	//
	// Three have other defaults than XLA's: as in JAX, xla_cpu_enable_fast_min_max and
	// xla_gpu_enable_fast_min_max are false, since maxima and minima may otherwise drop a NaN,
	// and xla_cpu_use_xnnpack is false before API 0.106, because products of large matrices can
	// be wrong with it. A value here, in DebugOptions, in XLA_DEBUG_OPTIONS or in XLA_FLAGS wins.
	Flags map[string]any
	// AllowUnknownFlags passes on flags that no known version of XLA has, and those that
	// tell XLA to end the process rather than return an error, such as
	// xla_unsupported_crash_on_hlo_pass_noop_change. Otherwise they are errors, except for
	// unknown flags on platforms with their own, such as tpu.
	AllowUnknownFlags bool
	// DebugOptions is a serialized DebugOptions message that replaces XLA_FLAGS and all
	// defaults. Most values are not checked, so prefer Flags.
	DebugOptions []byte

	// ArgumentLayouts are the shapes and layouts of all arguments, and ResultLayout is that of the
	// result, or of the tuple of all results. Nil leaves them to the program; if only ResultLayout
	// is set, the arguments of an MLIR program are row-major. A program that the plugin compiles
	// for other layouts is an error, as is an execution with a buffer that has another layout.
	ArgumentLayouts []ShapeLayout
	ResultLayout    *ShapeLayout
	// TupledArguments says that the program takes its arguments as one tuple, which the compiler
	// makes of the parameters of an MLIR program. It is set for an HLO program with such a
	// parameter.
	TupledArguments            bool
	AliasPassthrough           bool    // results that are unchanged arguments may share their memory
	IndividuallyDefinedResults []int32 // results that become ready one by one

	// Optimization and MemoryFitting set how hard the compiler tries to make the program
	// fast and to save memory: "O0" to "O3", or "" for the default of JAX, which is the
	// compiler's own for Optimization, and "O2" for MemoryFitting.
	Optimization, MemoryFitting string
	OperandPrecision            string // of the operands of matrix units: "", "high" or "highest"
	Deduplicate                 bool   // the compiler may emit equal pieces of the program once
	BackendOnly                 bool   // the program is optimized already
	DeviceMemory                int64  // bytes that the compiler plans for; 0 means all of the device's
	AllowInPlaceMLIR            bool   // the compiler may change the MLIR module that it is given
	CompilerVariant             string // selects one of a plugin's compilers
	DeviceOrdinal               *int64 // the device to compile for; nil leaves it to the plugin
	ProcessIndex                int64  // the process, of ProcessCount, that compiles
	ProcessCount                int64  // 0 means 1

	Profile        []byte // guides the compiler
	ProfileVersion int64  // tells programs with different profiles apart
	MultiSlice     []byte // serialized configuration of a program on several slices
	TargetConfig   []byte // serialized GpuTargetConfigProto
	GPUTopology    []byte // serialized GpuTopologyProto
	Environments   []byte // serialized CompilationEnvironmentsProto

	// Compiler compiles the program in place of the plugin in this process, such as an
	// isolate.Compiler. Nil means the client's Compiler, or else the plugin itself.
	Compiler compile.Compiler

	// Extra has more fields of CompileOptionsProto in wire form, merged with the others as
	// protobuf does: a single value in Extra wins, and lists are joined.
	Extra []byte
}

// optionsTarget is the client or topology that options are checked against.
type optionsTarget struct {
	platform string
	flags    map[string]any // that the caller's take precedence over
	client   *Client        // nil for a topology
	rowMajor bool           // see Plugin.rowMajor
	ids      []int          // of all devices; nil if they are not known
}

// checkedTarget is target for a client that may be nil.
func (c *Client) checkedTarget() (optionsTarget, error) {
	if c == nil || c.ref == nil {
		return optionsTarget{}, errNilClient
	}
	return c.target(), nil
}

// what returns the word for the target in error texts.
func (t optionsTarget) what() string {
	if t.client != nil {
		return "client"
	}
	return "topology"
}

func (c *Client) target() optionsTarget {
	t := optionsTarget{
		platform: c.platformName, flags: c.plugin.quirks().flags, client: c, rowMajor: c.plugin.rowMajor(),
		ids: make([]int, len(c.devices)),
	}
	for i, d := range c.devices {
		t.ids[i] = d.ID()
	}
	return t
}

// devices returns how many devices a program runs on, or 0 if that is not certain.
func (o *CompileOptions) devices() int {
	switch {
	case o == nil:
		return 1
	case len(o.Extra) > 0 || o.Replicas < 0 || o.Partitions < 0 || o.Replicas > maxDevices || o.Partitions > maxDevices:
		return 0
	}
	return one(o.Replicas) * one(o.Partitions)
}

// forProgram returns a copy of the options, filled in from what the program itself states. o
// may be nil.
func (o *CompileOptions) forProgram(src source.Source, t optionsTarget) (*CompileOptions, error) {
	filled := CompileOptions{}
	if o != nil {
		filled = *o
	}
	spread := src.Spread()
	if spread.Partitions == 0 {
		spread.Partitions = spread.Mesh
	}
	program := stated{by: "program", replicas: spread.Replicas, partitions: spread.Partitions}
	if err := filled.spreadLike(program, t); err != nil {
		return nil, err
	}
	if err := filled.setParameterLayouts(src, t); err != nil {
		return nil, err
	}
	filled.TupledArguments = filled.TupledArguments || takesTuple(src)
	filled.Shardy = filled.Shardy || spread.Shardy
	return &filled, nil
}

// stated is what a program or an executable states that it is for; 0 states nothing.
type stated struct {
	by                   string // program or executable
	replicas, partitions int64
	exactly              bool // 1 means 1, while a program for 1 may be spread over more
}

// spreadLike sets Replicas, Partitions and SPMD, as far as they are not set, to what is stated. It
// fails if they contradict that.
func (o *CompileOptions) spreadLike(s stated, t optionsTarget) error {
	set, err := o.withExtra()
	if err != nil {
		return err
	}
	for _, n := range []struct {
		what        string
		set, stated int64
		field       *int
	}{
		{"Replicas", set.Replicas, s.replicas, &o.Replicas},
		{"Partitions", set.Partitions, s.partitions, &o.Partitions},
	} {
		what := strings.ToLower(n.what)
		switch known := int64(len(t.ids)); {
		case n.set > 0 && n.set != n.stated && (n.stated > 1 || n.stated == 1 && s.exactly):
			return invalid("the %s states that it is for %d %s, and the compile options ask for %d: leave %s unset, or set it to %d",
				s.by, n.stated, what, n.set, n.what, n.stated)
		case n.set != 0 || n.stated < 1:
		case t.ids != nil && n.stated > known:
			return invalid("the %s states that it is for %d %s, and the %s has %d devices: use one with as many devices as the %[1]s needs",
				s.by, n.stated, what, t.what(), known)
		case n.stated > maxDevices:
			return invalid("the %s states that it is for %d %s, for which no system has enough devices", s.by, n.stated, what)
		default:
			*n.field = int(n.stated)
		}
	}
	o.SPMD = o.SPMD || o.Partitions > 1 || set.Partitions > 1
	return nil
}

// takesTuple reports whether a program has its arguments in a tuple of its own. An execution cannot
// pass it as one argument, since buffers are arrays.
func takesTuple(src source.Source) bool {
	if src.MakesTuple() {
		return false
	}
	parameters, ok := src.Tuples(false)
	return ok && len(parameters) == 1 && parameters[0].IsTuple()
}

// setParameterLayouts sets ArgumentLayouts if only ResultLayout is set: without them, XLA's
// compilers ignore the layout of the result of an MLIR program. They also ignore what such a
// program states about layouts itself, next to either of the two.
func (o *CompileOptions) setParameterLayouts(src source.Source, t optionsTarget) error {
	if src.Format() != source.MLIR || o.ResultLayout == nil && o.ArgumentLayouts == nil {
		return nil
	}
	if src.StatesLayouts() {
		return invalid("the program states layouts itself, in the attributes mhlo.layout_mode, which compilers ignore if the compile options " +
			"have ArgumentLayouts or ResultLayout: leave these unset, or remove the attributes")
	}
	if o.ArgumentLayouts != nil {
		return nil
	}
	parameters := src.Parameters()
	if arguments, _, ok := src.Counts(); parameters == nil && (!ok || arguments > 0) {
		return invalid("compile options have a ResultLayout, which XLA's compilers ignore without ArgumentLayouts, and the parameters " +
			"cannot be read from a program of this form: set ArgumentLayouts too")
	}
	o.ArgumentLayouts = make([]ShapeLayout, len(parameters))
	for i, s := range parameters {
		o.ArgumentLayouts[i].Shape = s
		if t.rowMajor && s.Type != dtype.Token {
			o.ArgumentLayouts[i].Layout = RowMajor(len(s.Dims))
		}
	}
	return nil
}

// explainPartitions replaces the error of a program that is divided among devices, but was
// compiled for one, with advice on what to do.
func explainPartitions(err error) error {
	e := (*Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	hint := ""
	switch {
	case strings.Contains(e.Message, "xla.sdy."):
		hint = "the program is divided by Shardy among the devices of a mesh, and neither it nor the compile options say so in a form that " +
			"can be read here: set Partitions to the number of devices in its mesh, SPMD and Shardy"
	case strings.Contains(e.Message, "sharding-remover"), strings.Contains(e.Message, "SPMD partitioning not enabled"):
		hint = "the program is divided among several devices, and neither it nor the compile options say among how many in a form that " +
			"can be read here: set Partitions to that number, and SPMD"
	default:
		return err
	}
	explained := *e
	explained.Code, explained.Message = ErrInvalidArgument, hint
	return &explained
}

// withExtra returns the counts of replicas and partitions, and DebugOptions, with those that Extra
// sets.
func (o *CompileOptions) withExtra() (xlaproto.BuildOptions, error) {
	set := xlaproto.BuildOptions{
		Replicas: int64(o.Replicas), Partitions: int64(o.Partitions), DebugOptions: o.DebugOptions,
	}
	if len(o.Extra) == 0 {
		return set, nil
	}
	p, err := xlaproto.UnmarshalCompileOptions(o.Extra)
	if err != nil {
		return set, invalid("the extra fields of the compile options: %v", err)
	}
	if n := p.Build.Replicas; n != 0 {
		set.Replicas = n
	}
	if n := p.Build.Partitions; n != 0 {
		set.Partitions = n
	}
	if d := p.Build.DebugOptions; len(d) > 0 {
		set.DebugOptions = d
	}
	return set, nil
}

// compilerOf returns the compiler for the options, or nil if the plugin in this process
// does. client may be nil.
func (o *CompileOptions) compilerOf(client *Client) compile.Compiler {
	switch {
	case o != nil && o.Compiler != nil:
		return o.Compiler
	case client != nil:
		return client.compiler
	}
	return nil
}

// assignment returns the IDs of the devices in Devices or DeviceIDs, or nil if neither is
// set.
func (o *CompileOptions) assignment(t optionsTarget) ([][]int, error) {
	if o.Devices == nil {
		return o.DeviceIDs, nil
	}
	if o.DeviceIDs != nil {
		return nil, invalid("compile options have both Devices and DeviceIDs; set one of them")
	}
	ids := make([][]int, len(o.Devices))
	for r, row := range o.Devices {
		ids[r] = make([]int, len(row))
		for p, d := range row {
			switch {
			case d == nil:
				return nil, invalid("the device assignment has no device for partition %d of replica %d", p, r)
			case t.client == nil:
				return nil, invalid("the device assignment for a topology has device %v of a client; use DeviceIDs", d)
			case d.client != t.client:
				return nil, invalid("the device assignment has device %v of another client", d)
			}
			ids[r][p] = d.ID()
		}
	}
	return ids, nil
}

// maxDevices is more devices than any system has.
const maxDevices = createoptions.MaxDevices

// check returns an error for values on which plugins end the process, or for which the
// target is too small.
func (t optionsTarget) check(p *xlaproto.CompileOptions) error {
	if err := t.checkCounts(p.Build.Replicas, p.Build.Partitions); err != nil {
		return err
	}
	if err := p.Check(); err != nil {
		return invalid("%v", err)
	}
	if err := xlaflags.CheckDebugOptions(p.Build.DebugOptions); err != nil {
		return invalid("%v", err)
	}
	return nil
}

// checkMerged checks the values that Extra may have changed and that, without Extra, are
// checked before they become a message.
func (t optionsTarget) checkMerged(p *xlaproto.CompileOptions, strict bool) error {
	if a := p.Build.DeviceAssignment; a != nil {
		if !a.Plain() {
			return invalid("the extra fields of the compile options have a device assignment that cannot be checked, because it has unknown fields")
		}
		if err := t.checkAssignment(a.IDs(), int(p.Build.Replicas), int(p.Build.Partitions)); err != nil {
			return err
		}
	}
	for i := range p.ArgumentLayouts {
		if err := checkMergedShape(&p.ArgumentLayouts[i]); err != nil {
			return invalid("argument layout %d: %s", i, message(err))
		}
	}
	if p.Build.ResultLayout != nil {
		if err := checkMergedShape(p.Build.ResultLayout); err != nil {
			return invalid("result layout: %s", message(err))
		}
	}
	for _, v := range p.Overrides {
		if v.Value == nil {
			continue // a type of a newer XLA
		}
		if _, err := xlaflags.Value(v.Name, v.Value, strict); err != nil {
			return invalid("%v", err)
		}
	}
	return nil
}

func checkMergedShape(p *xlaproto.Shape) error {
	s, ok := newShapeLayout(p)
	if !ok {
		return invalid("the extra fields of the compile options set parts that a ShapeLayout does not have, so it cannot be checked")
	}
	return s.check()
}

// checkAssignment compares a device assignment with the counts of replicas and partitions
// and with the target's devices.
func (t optionsTarget) checkAssignment(ids [][]int, replicas, partitions int) error {
	if len(ids) != replicas {
		return invalid("the program runs with Replicas %d and Partitions %d, and the device assignment has length %d: it needs a row for each replica",
			replicas, partitions, len(ids))
	}
	known := make(map[int]bool, len(t.ids))
	for _, id := range t.ids {
		known[id] = true
	}
	seen := make(map[int]bool)
	for r, row := range ids {
		if len(row) != partitions {
			return invalid("the program runs with Replicas %d and Partitions %d, and row %d of the device assignment has length %d: it needs a device for each partition",
				replicas, partitions, r, len(row))
		}
		for _, id := range row {
			switch {
			case t.ids != nil && !known[id]:
				return invalid("the device assignment has device %d, which does not exist", id)
			case id < 0:
				return invalid("the device assignment has device %d; IDs cannot be negative", id)
			case seen[id]:
				return invalid("the device assignment has device %d twice", id)
			}
			seen[id] = true
		}
	}
	return nil
}

// checkCounts returns an error for counts on which plugins end the process, or for which
// the target is too small.
func (t optionsTarget) checkCounts(replicas, partitions int64) error {
	if replicas < 1 || partitions < 1 {
		return invalid("compile options ask for %d replicas and %d partitions; neither can be less than 1", replicas, partitions)
	}
	if n := int64(len(t.ids)); t.ids != nil && (replicas > n || partitions > n/replicas) {
		return invalid("compile options ask for %d replicas of %d partitions; the %s has %d devices", replicas, partitions, t.what(), n)
	}
	if replicas > maxDevices || partitions > maxDevices/replicas {
		return invalid("compile options ask for %d replicas of %d partitions, for which no system has enough devices", replicas, partitions)
	}
	return nil
}

// one returns n, or 1 if n is 0.
func one[T int | int64](n T) T {
	if n == 0 {
		return 1
	}
	return n
}

// message returns the text of an error without its code.
func message(err error) string {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}
