// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

// CompileOptions are the options of Compile: XLA's CompileOptionsProto and the
// ExecutableBuildOptionsProto in it. The zero value compiles for one device.
//
// Plugins that are not built on XLA read what they have a use for.
type CompileOptions struct {
	// Replicas is the number of copies of the program that run on different
	// data; 0 means 1.
	Replicas int
	// Partitions is the number of devices that share the work of each replica;
	// 0 means 1.
	Partitions int
	// Devices is the device assignment: Devices[r][p] runs partition p of
	// replica r. Nil leaves the choice to the plugin.
	Devices [][]*Device
	// DeviceIDs is the device assignment by the numbers of devices, for a
	// topology whose devices are elsewhere. Give it or Devices, not both.
	DeviceIDs [][]int
	// Portable compiles a program for one device that may be chosen at each
	// execution.
	Portable bool

	// SPMD lets the compiler split a program annotated with shardings over the
	// partitions.
	SPMD bool
	// Shardy has Shardy propagate the shardings, rather than GSPMD.
	Shardy bool
	// AutoSharding lets the compiler choose the shardings too. It needs SPMD.
	AutoSharding bool
	// MeshShape and MeshIDs are the mesh of AutoSharding: the extents of its axes
	// and, if not in the order of their numbers, the devices in it.
	MeshShape, MeshIDs []int64
	// PropagateToParameters and PropagateToResults allow the compiler to choose
	// the shardings of parameters and results: one value for each, or one for
	// all.
	PropagateToParameters, PropagateToResults []bool

	// Flags are XLA flags by their names without dashes, for this compilation
	// only. A value is a bool, an integer, a float or a string, as the flag wants
	// it; a string may spell any of them, as in XLA_FLAGS. Enum values go by
	// their names. [LookupFlag] knows the type.
	//
	// The flags of the environment variable XLA_DEBUG_OPTIONS, DebugOptions in
	// protobuf's text format, are added to them.
	Flags map[string]any
	// AllowUnknownFlags passes flags on that no known version of XLA has. Without
	// it they are an error, unless the platform is one with flags of its own,
	// such as tpu.
	AllowUnknownFlags bool
	// DebugOptions is a serialized DebugOptions message. It takes the place of
	// all of XLA's defaults and of XLA_FLAGS, so Flags serve most uses better. Its
	// values are not checked, and the process can end over one that makes no sense.
	DebugOptions []byte

	// ArgumentLayouts are the shapes and memory layouts of all arguments. Nil
	// leaves the layouts to the program. Plugins do not compare them with those of
	// the buffers that come, and read a buffer of another layout wrongly.
	ArgumentLayouts []ShapeLayout
	// ResultLayout is the shape and memory layout of the result, a tuple when the
	// program has several.
	ResultLayout *ShapeLayout
	// TupledArguments says that the program takes its arguments as one tuple.
	TupledArguments bool
	// AliasPassthrough lets results that are unchanged arguments share their
	// memory.
	AliasPassthrough bool
	// IndividuallyDefinedResults are the numbers of the results that become ready
	// one by one, rather than all at the end.
	IndividuallyDefinedResults []int32

	// Optimization and MemoryFitting say how hard the compiler tries for speed
	// and for little memory.
	Optimization, MemoryFitting Effort
	// OperandPrecision is the precision of the operands of matrix units.
	OperandPrecision Precision
	// Deduplicate lets the compiler emit equal pieces of the program once.
	Deduplicate bool
	// BackendOnly says that the program is optimized already.
	BackendOnly bool
	// DeviceMemory is the memory of a device in bytes that the compiler plans
	// for; 0 means that of the device.
	DeviceMemory int64
	// AllowInPlaceMLIR lets the compiler change the MLIR module it was given,
	// which saves a copy. It means nothing for serialized programs.
	AllowInPlaceMLIR bool
	// CompilerVariant names one of several compilers that a plugin may have.
	CompilerVariant string
	// DeviceOrdinal is the device that the program is compiled for; nil leaves it
	// to the plugin.
	DeviceOrdinal *int64

	// ProcessIndex and ProcessCount say which of how many processes compiles; 0
	// processes means 1.
	ProcessIndex, ProcessCount int64

	// ProfileVersion tells programs of different profiles apart.
	ProfileVersion int64
	// Profile is a profile for the compiler to be guided by.
	Profile []byte
	// MultiSlice is a serialized configuration of a program on several slices.
	MultiSlice []byte
	// TargetConfig is a serialized GpuTargetConfigProto, the GPU to compile for.
	TargetConfig []byte
	// GPUTopology is a serialized GpuTopologyProto.
	GPUTopology []byte
	// Environments is a serialized CompilationEnvironmentsProto.
	Environments []byte

	// Extra are further fields of CompileOptionsProto in their wire form. They
	// are merged into the others the way protobuf merges messages: a single value
	// in Extra wins, lists are joined.
	Extra []byte
}

// ShapeLayout is the shape of an argument or result together with its layout
// in the memory of the device, or a tuple of such.
type ShapeLayout struct {
	Shape
	// Layout is the order of the dimensions, and tiles. Nil leaves them to the
	// compiler.
	Layout *Layout
	// Dynamic tells for each dimension whether its extent is only a bound. Nil
	// means that none is.
	Dynamic []bool
	// MemorySpace is the platform's number of a memory; 0 means the default.
	MemorySpace int64
	// ElementBits is the size of an element in memory, when it is not that of
	// the type.
	ElementBits int64
	// TailPadding is what the size is rounded up to, in elements; 0 means 1.
	TailPadding int64
	// Tuple holds the elements of a tuple; Shape and the rest mean nothing then.
	Tuple []ShapeLayout
}

// Effort is how hard a compiler tries, XLA's EffortLevel.
type Effort int32

// The levels of effort.
const (
	EffortDefault Effort = 0
	EffortO0      Effort = 9
	EffortO1      Effort = 19
	EffortO2      Effort = 29
	EffortO3      Effort = 39
)

// Precision is XLA's PrecisionConfig.Precision.
type Precision int32

// The precisions.
const (
	PrecisionDefault Precision = 0
	PrecisionHigh    Precision = 1
	PrecisionHighest Precision = 2
)

// compileTarget is what options are checked against.
type compileTarget struct {
	platform string
	client   *Client // nil for a topology
	ids      []int   // of all devices; nil when they are not known
}

func (c *Client) target() compileTarget {
	t := compileTarget{platform: c.platformName, client: c, ids: make([]int, len(c.devices))}
	for i, d := range c.devices {
		t.ids[i] = d.id
	}
	return t
}

// assignment returns the numbers of the devices that Devices or DeviceIDs name,
// nil when neither does.
func (o *CompileOptions) assignment(t compileTarget) ([][]int, error) {
	if o.Devices == nil {
		return o.DeviceIDs, nil
	}
	if o.DeviceIDs != nil {
		return nil, invalid("compile options have Devices and DeviceIDs; give one of them")
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
			ids[r][p] = d.id
		}
	}
	return ids, nil
}

// checkAssignment compares a device assignment with the counts and with the
// devices that there are.
func (t compileTarget) checkAssignment(ids [][]int, replicas, partitions int) error {
	if len(ids) != replicas {
		return invalid("the device assignment has %d replicas, the options have %d", len(ids), replicas)
	}
	known := make(map[int]bool, len(t.ids))
	for _, id := range t.ids {
		known[id] = true
	}
	seen := make(map[int]bool)
	for r, row := range ids {
		if len(row) != partitions {
			return invalid("replica %d of the device assignment has %d partitions, the options have %d", r, len(row), partitions)
		}
		for _, id := range row {
			switch {
			case t.ids != nil && !known[id]:
				return invalid("the device assignment has device %d, which does not exist", id)
			case id < 0:
				return invalid("the device assignment has the device %d", id)
			case seen[id]:
				return invalid("the device assignment has device %d twice", id)
			}
			seen[id] = true
		}
	}
	return nil
}

// checkCounts refuses counts that plugins end the process on, or that the target
// is too small for.
func (t compileTarget) checkCounts(replicas, partitions int64) error {
	if replicas < 1 || partitions < 1 {
		return invalid("compile options ask for %d replicas and %d partitions; neither can be less than 1", replicas, partitions)
	}
	if n := int64(len(t.ids)); t.ids != nil && (replicas > n || partitions > n/replicas) {
		what := "topology"
		if t.client != nil {
			what = "client"
		}
		return invalid("compile options ask for %d replicas of %d partitions; the %s has %d devices", replicas, partitions, what, n)
	}
	const most = 1 << 20 // devices, far more than any system has
	if replicas > most || partitions > most/replicas {
		return invalid("compile options ask for %d replicas of %d partitions, which no system has the devices for", replicas, partitions)
	}
	return nil
}
