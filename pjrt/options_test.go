// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// allOptions returns options with every field set, as decoding returns them.
func allOptions() *pjrt.CompileOptions {
	ordinal := int64(3)
	f32 := pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 3}}
	return &pjrt.CompileOptions{
		Replicas: 2, Partitions: 2, DeviceIDs: [][]int{{0, 1}, {2, 3}}, Portable: true,
		SPMD: true, Shardy: true, AutoSharding: true, MeshShape: []int64{2, 2}, MeshIDs: []int64{3, 2, 1, 0},
		PropagateToParameters: []bool{true, false}, PropagateToResults: []bool{false, true, false},
		Flags:        map[string]any{"xla_dump_to": "/x", "xla_cpu_enable_fast_math": true, "xla_backend_optimization_level": int64(-1), "xla_gpu_autotune_gemm_rtol": 0.25},
		DebugOptions: []byte{0x08, 0x01},
		ArgumentLayouts: []pjrt.ShapeLayout{
			{Shape: f32, Layout: &pjrt.Layout{MinorToMajor: []int{0, 1}, Tiles: [][]int64{{8, 128}, {2, 1}}}, MemorySpace: 5, ElementBits: 16, TailPadding: 4},
			{Shape: pjrt.Shape{Type: dtype.S4, Dims: []int64{7}}, Dynamic: []bool{true}},
			{Shape: pjrt.Shape{Type: dtype.Token}},
			{Tuple: []pjrt.ShapeLayout{{Shape: pjrt.Shape{Type: dtype.BF16}}, {Tuple: []pjrt.ShapeLayout{}}}},
		},
		ResultLayout:    &pjrt.ShapeLayout{Tuple: []pjrt.ShapeLayout{{Shape: f32, Layout: &pjrt.Layout{MinorToMajor: []int{1, 0}}}}},
		TupledArguments: true, AliasPassthrough: true, IndividuallyDefinedResults: []int32{0, 2},
		Optimization: "O2", MemoryFitting: "O0", OperandPrecision: "highest",
		Deduplicate: true, BackendOnly: true, DeviceMemory: 1 << 40, AllowInPlaceMLIR: true, CompilerVariant: "a",
		DeviceOrdinal: &ordinal, ProcessIndex: 1, ProcessCount: 4, ProfileVersion: -7,
		Profile: []byte("p"), MultiSlice: []byte("m"), TargetConfig: []byte("t"), GPUTopology: []byte("g"), Environments: []byte("e"),
		Extra: []byte{0x9a, 0x06, 0x01, 0x78}, // field 99
	}
}

func TestOptionsRoundTrip(t *testing.T) {
	t.Parallel()
	o := allOptions()
	// allOptions must set every field, or this test would miss some.
	v := reflect.ValueOf(*o)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; !slices.Contains([]string{"Devices", "AllowUnknownFlags", "Compiler"}, name) {
			assert.False(t, v.Field(i).IsZero(), name)
		}
	}
	b, err := pjrt.EncodeOptions(o)
	require.NoError(t, err)
	got, err := pjrt.DecodeCompileOptions(b)
	require.NoError(t, err)
	assert.Equal(t, o, got)
}

func TestAnySubsetOfOptionsRoundTrips(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		o := allOptions()
		v := reflect.ValueOf(o).Elem()
		for i := range v.NumField() {
			if random.IntN(2) == 0 {
				v.Field(i).SetZero()
			}
		}
		// Clear the options that need another that was cleared.
		if o.Replicas != 2 || o.Partitions != 2 {
			o.DeviceIDs = nil
		}
		if !o.SPMD {
			o.AutoSharding = false
		}
		if o.MeshShape == nil {
			o.MeshIDs = nil
		}
		if o.ProcessCount == 0 {
			o.ProcessIndex = 0
		}
		b, err := pjrt.EncodeOptions(o)
		require.NoError(t, err)
		got, err := pjrt.DecodeCompileOptions(b)
		require.NoError(t, err)
		o.Replicas, o.Partitions, o.ProcessCount = max(o.Replicas, 1), max(o.Partitions, 1), max(o.ProcessCount, 1)
		o.MemoryFitting = cmp.Or(o.MemoryFitting, "O2")
		require.Equal(t, o, got)
	}
}

// The files were written by XLA's own library.
func TestOptionsThatXLAWroteAreRead(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/options-full.pb")
	require.NoError(t, err)
	got, err := pjrt.DecodeCompileOptions(b)
	require.NoError(t, err)
	f32 := pjrt.ShapeLayout{Shape: pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 3}}, Layout: &pjrt.Layout{MinorToMajor: []int{0, 1}}}
	assert.Len(t, got.DebugOptions, 807)
	got.DebugOptions = nil
	assert.Equal(t, &pjrt.CompileOptions{
		Replicas: 2, Partitions: 2, DeviceIDs: [][]int{{0, 1}, {2, 3}}, Portable: true, TupledArguments: true, ProfileVersion: 7,
		ArgumentLayouts:       []pjrt.ShapeLayout{f32, {Shape: pjrt.Shape{Type: dtype.S8}, Layout: &pjrt.Layout{}}},
		ResultLayout:          &pjrt.ShapeLayout{Tuple: []pjrt.ShapeLayout{f32}},
		Flags:                 map[string]any{"xla_a": true, "xla_b": int64(3), "xla_c": 0.5, "xla_d": "x"},
		PropagateToParameters: []bool{false}, PropagateToResults: []bool{true, false},
		MeshShape: []int64{2, 2}, MeshIDs: []int64{0, 1, 2, 3}, Profile: []byte("abc"), Shardy: true,
		Optimization: "O1", ProcessCount: 1,
	}, got)

	b, err = os.ReadFile("testdata/options-default.pb")
	require.NoError(t, err)
	got, err = pjrt.DecodeCompileOptions(b)
	require.NoError(t, err)
	assert.NotEmpty(t, got.DebugOptions)
	got.DebugOptions = nil
	assert.Equal(t, &pjrt.CompileOptions{
		Replicas: 1, Partitions: 1, PropagateToParameters: []bool{false}, PropagateToResults: []bool{false}, ProcessCount: 1,
	}, got)
}

func TestTheCountsAreAlwaysWritten(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*pjrt.CompileOptions{"nil": nil, "zero": {}} {
		b, err := pjrt.EncodeOptions(o)
		require.NoError(t, err, name)
		// The ordinal -1, one replica, one partition, one process, and memory fitting O2.
		assert.Equal(t, []byte("\x1a\x15\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x01\x28\x01\xb8\x01\x01\xc8\x01\x1d"), b, name)
	}
}

func TestDamagedOptionsAreAnError(t *testing.T) {
	t.Parallel()
	whole, err := pjrt.EncodeOptions(allOptions())
	require.NoError(t, err)
	for n := range len(whole) {
		o, err := pjrt.DecodeCompileOptions(whole[:n])
		if err != nil {
			assert.Nil(t, o)
		}
	}
	for name, b := range map[string]string{
		"cut off":                     "\x1a\x09",
		"no field":                    "\x00",
		"assignment without size":     "\x1a\x02\x4a\x00",
		"assignment of one too few":   "\x1a\x08\x4a\x06\x08\x01\x10\x02\x1a\x00",
		"assignment of negative size": "\x1a\x18\x4a\x16\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"packed list cut off":         "\x62\x01\xff",
	} {
		_, err := pjrt.DecodeCompileOptions([]byte(b))
		assert.ErrorContains(t, err, "compile options: ", name)
	}
}

func TestExtraIsMergedAndChecked(t *testing.T) {
	t.Parallel()
	build := func(fields ...byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), fields)
	}
	b, err := pjrt.EncodeOptions(&pjrt.CompileOptions{Replicas: 2, Portable: true, Extra: append(build(0x20, 3, 0x30, 1), 0x20, 0)})
	require.NoError(t, err)
	got, err := pjrt.DecodeCompileOptions(b)
	require.NoError(t, err)
	assert.Equal(t, 3, got.Replicas)
	assert.Equal(t, 1, got.Partitions)
	assert.True(t, got.SPMD)
	assert.False(t, got.Portable)
	for want, extra := range map[string][]byte{
		"malformed protobuf message":                                           {0xff},
		"0 replicas and 1 partitions":                                          build(0x20, 0),
		"1 replicas and 0 partitions":                                          build(0x28, 0),
		"the topology has 4 devices":                                           build(0x20, 5),
		"have 0 processes":                                                     build(0xb8, 0x01, 0),
		"the device assignment has device":                                     build(0x4a, 0x09, 0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 77),
		"the unknown operand precision 9: the known ones are \"\"":             {0x50, 9},
		"the unknown optimization effort 7":                                    build(0xc0, 0x01, 7),
		"the unknown memory fitting effort 7":                                  build(0xc8, 0x01, 7),
		"have a device assignment that cannot be checked":                      build(0x4a, 0x0b, 0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 0, 0x20, 1),
		"argument layout 0: the extra fields of the compile options set parts": {0x0a, 0x02, 0x18, 0x02},
		"AutoSharding, which needs SPMD":                                       build(0x38, 1),
		"lists 0 partitions":                                                   build(0x4a, 0x04, 0x08, 1, 0x10, 1),
		"result layout: the extra fields of the compile options set parts":     build(0x12, 0x02, 0x18, 0x02),
		"argument layout 1: shape f32[-1]":                                     {0x0a, 0x04, 0x10, 0x0b, 0x18, 0x7f, 0x0a, 0x0d, 0x10, 0x0b, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
	} {
		_, err := pjrt.EncodeOptions(&pjrt.CompileOptions{Extra: extra})
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		assert.ErrorContains(t, err, want)
	}
}

// What has no field in CompileOptions is not lost when options are read and used
// again.
func TestOptionsWithoutAFieldStayInExtra(t *testing.T) {
	t.Parallel()
	build := func(fields string) string { return string(protowire.AppendBytes([]byte{0x1a}, []byte(fields))) }
	for name, message := range map[string]string{
		"a field":                           "\x9a\x06\x01x",
		"a field of the build options":      build("\x9a\x06\x01x"),
		"a precision":                       "\x50\x03",
		"an effort":                         build("\xc0\x01\x07"),
		"an effort for memory":              build("\xc8\x01\x07"),
		"a shape":                           "\x0a\x05\x10\x0b\x9a\x06\x00",
		"a layout":                          "\x0a\x07\x10\x0b\x2a\x03\x9a\x06\x00",
		"a tile":                            "\x0a\x09\x10\x0b\x2a\x05\x32\x03\x9a\x06\x00",
		"an element of a tuple":             "\x0a\x09\x10\x0d\x22\x05\x10\x0b\x9a\x06\x00",
		"the result":                        build("\x12\x05\x10\x0b\x9a\x06\x00"),
		"a device assignment":               build("\x4a\x0c\x08\x01\x10\x01\x1a\x03\x0a\x01\x00\x9a\x06\x00"),
		"the devices of a partition":        build("\x4a\x0c\x08\x01\x10\x01\x1a\x06\x0a\x01\x00\x9a\x06\x00"),
		"a flag of another type":            "\x3a\x08\x0a\x01a\x12\x03\x9a\x06\x00",
		"a flag with more than its value":   "\x3a\x0a\x0a\x01a\x12\x05\x10\x01\x9a\x06\x00",
		"a field of another type than ours": "\x55\x01\x02\x03\x04",
	} {
		o, err := pjrt.DecodeCompileOptions([]byte(message))
		require.NoError(t, err, name)
		assert.Equal(t, message, string(o.Extra), name)
	}
}

func TestMisuseOfCompileOptionsIsRefused(t *testing.T) {
	t.Parallel()
	negative, large := int64(-1), int64(math.MaxUint32)
	layout := func(l pjrt.ShapeLayout) *pjrt.CompileOptions {
		return &pjrt.CompileOptions{ArgumentLayouts: []pjrt.ShapeLayout{l}}
	}
	f32 := pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 3}}
	deep := pjrt.ShapeLayout{Shape: f32}
	for range 100 {
		deep = pjrt.ShapeLayout{Tuple: []pjrt.ShapeLayout{deep}}
	}
	for want, o := range map[string]*pjrt.CompileOptions{
		"neither can be negative":                                 {Partitions: -1},
		"the topology has 4 devices":                              {Replicas: 3, Partitions: 2},
		"the device assignment has length 2: it needs a row":      {DeviceIDs: [][]int{{0}, {1}}},
		"has device 9, which does not exist":                      {DeviceIDs: [][]int{{9}}},
		"has device -1, which does not exist":                     {DeviceIDs: [][]int{{-1}}},
		"has device 1 twice":                                      {Replicas: 2, DeviceIDs: [][]int{{1}, {1}}},
		"both Devices and DeviceIDs; set one of them":             {Devices: [][]*pjrt.Device{}, DeviceIDs: [][]int{}},
		"has no device for partition 0 of replica 0":              {Devices: [][]*pjrt.Device{{nil}}},
		"AutoSharding, which needs SPMD":                          {AutoSharding: true},
		"MeshIDs without a MeshShape":                             {SPMD: true, AutoSharding: true, MeshIDs: []int64{1}},
		"the mesh shape [0]":                                      {MeshShape: []int64{0}},
		"the mesh shape [65536 65536]":                            {MeshShape: []int64{1 << 16, 1 << 16}},
		"2 mesh ids for a mesh of 4 devices":                      {MeshShape: []int64{4}, MeshIDs: []int64{0, 1}},
		"-1 bytes of device memory":                               {DeviceMemory: -1},
		"process 1 of 1: processes":                               {ProcessIndex: 1},
		"process -1 of 2":                                         {ProcessIndex: -1, ProcessCount: 2},
		"process 0 of -2":                                         {ProcessCount: -2},
		"device ordinal -1":                                       {DeviceOrdinal: &negative},
		"device ordinal 4294967295":                               {DeviceOrdinal: &large},
		"4294967296 processes":                                    {ProcessCount: 1 << 32},
		`the Optimization "O4"; use "", "O0", "O1", "O2" or "O3"`: {Optimization: "O4"},
		`the MemoryFitting "o1"; use "", "O0",`:                   {MemoryFitting: "o1"},
		`the OperandPrecision "low"; use "", "high" or "highest"`: {OperandPrecision: "low"},
		"individually defined result -1":                          {IndividuallyDefinedResults: []int32{-1}},
		"argument layout 0: layout {0} orders 1 dimensions":       layout(pjrt.ShapeLayout{Shape: f32, Layout: &pjrt.Layout{MinorToMajor: []int{0}}}),
		"must list each of the dimensions 0 to 1 once":            layout(pjrt.ShapeLayout{Shape: f32, Layout: &pjrt.Layout{MinorToMajor: []int{0, 0}}}),
		"has strides: a compiler takes an order":                  layout(pjrt.ShapeLayout{Shape: f32, Layout: &pjrt.Layout{Strides: []int64{4, 8}}}),
		"a tile with the dimension 0":                             layout(pjrt.ShapeLayout{Shape: f32, Layout: &pjrt.Layout{MinorToMajor: []int{0, 1}, Tiles: [][]int64{{0}}}}),
		"Dynamic has 1 elements for the 2 dimensions":             layout(pjrt.ShapeLayout{Shape: f32, Dynamic: []bool{true}}),
		"the memory space -1":                                     layout(pjrt.ShapeLayout{Shape: f32, MemorySpace: -1}),
		"the compiler chooses the layout":                         layout(pjrt.ShapeLayout{Shape: f32, MemorySpace: 1}),
		"have no host form":                                       layout(pjrt.ShapeLayout{}),
		"has a negative dimension":                                layout(pjrt.ShapeLayout{Shape: pjrt.Shape{Type: dtype.F32, Dims: []int64{-1}}}),
		"a tuple has the shape":                                   layout(pjrt.ShapeLayout{Shape: f32, Tuple: []pjrt.ShapeLayout{}}),
		"nested more than 64 deep":                                layout(deep),
		"result layout: ":                                         {ResultLayout: &pjrt.ShapeLayout{}},
	} {
		_, err := pjrt.EncodeOptions(o)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		assert.ErrorContains(t, err, want)
	}
	_, err := pjrt.EncodeOptionsAnywhere(&pjrt.CompileOptions{Replicas: math.MaxInt, Partitions: math.MaxInt})
	require.ErrorContains(t, err, "for which no system has enough devices")
}

func TestOptionsByDeviceAndByNumberPlaceAProgram(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	devices := client.Devices()
	for name, o := range map[string]*pjrt.CompileOptions{
		"by device":    {Replicas: 2, Devices: [][]*pjrt.Device{{devices[3]}, {devices[1]}}},
		"by number":    {Replicas: 2, DeviceIDs: [][]int{{3}, {1}}},
		"by partition": {Partitions: 2, SPMD: true, DeviceIDs: [][]int{{3, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, o)
			require.NoError(t, err)
			defer exe.Close()
			ids, err := exe.DeviceAssignment()
			require.NoError(t, err)
			places, err := sharding.LogicalIDs(exe)
			require.NoError(t, err)
			assert.ElementsMatch(t, []*pjrt.Device{devices[1], devices[3]}, exe.Devices())
			require.Len(t, places, 2)
			if o.Partitions == 2 {
				assert.Equal(t, [][]int{{3, 1}}, ids)
				assert.Equal(t, 2, exe.NumPartitions())
			} else {
				assert.Equal(t, [][]int{{3}, {1}}, ids)
				assert.Equal(t, 2, exe.NumReplicas())
			}
			for i, d := range exe.Devices() {
				assert.Equal(t, d.ID(), ids[places[i].Replica][places[i].Partition])
			}
		})
	}
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, &pjrt.CompileOptions{Portable: true})
	require.NoError(t, err)
	defer exe.Close()
	ids, err := exe.DeviceAssignment()
	require.NoError(t, err)
	assert.Nil(t, ids)
	places, err := sharding.LogicalIDs(exe)
	require.NoError(t, err)
	assert.Empty(t, places)
}

func TestThePluginTakesEveryOption(t *testing.T) {
	client := newClient(t)
	f32 := pjrt.ShapeLayout{Shape: pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 2}}, Layout: pjrt.RowMajor(2)}
	for name, o := range map[string]*pjrt.CompileOptions{
		"layouts":      {ArgumentLayouts: []pjrt.ShapeLayout{f32, f32}, ResultLayout: &f32},
		"efforts":      {Optimization: "O3", MemoryFitting: "O1"},
		"switches":     {AliasPassthrough: true, Deduplicate: true, AllowInPlaceMLIR: true, Shardy: true},
		"propagation":  {SPMD: true, PropagateToParameters: []bool{true}, PropagateToResults: []bool{true}},
		"profile":      {ProfileVersion: 3, Profile: []byte("not one")},
		"memory":       {DeviceMemory: 1 << 30},
		"precision":    {OperandPrecision: "highest", CompilerVariant: "x", IndividuallyDefinedResults: []int32{0}},
		"processes":    {ProcessIndex: 1, ProcessCount: 2},
		"ordinal":      {DeviceOrdinal: new(int64)},
		"unknown":      {Extra: []byte{0x9a, 0x06, 0x01, 0x78}},
		"spmd":         {SPMD: true, Shardy: true},
		"flags of env": {Flags: map[string]any{"xla_cpu_enable_fast_math": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(add)}, o)
			require.NoError(t, err)
			defer exe.Close()
			runAdd(t, exe)
		})
	}
}

// XLA ends the process on lists whose length is neither 1 nor the program's.
func TestPropagationListsMustFitTheProgram(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	optimized, err := compile(t, client, add).OptimizedProgram()
	require.NoError(t, err)
	text, hlo := pjrt.Program{Code: []byte(mixed)}, pjrt.Program{Code: hloModule(t, optimized)}
	list := func(n int) []bool { return make([]bool, n) }
	for _, c := range []struct {
		program             pjrt.Program
		parameters, results int
		want                string
	}{
		{text, 2, 5, ""},
		{text, 1, 1, ""},
		{text, 0, 0, ""},
		{hlo, 2, 1, ""},
		{text, 3, 1, "3 values in PropagateToParameters, and the program has 2 arguments"},
		{text, 1, 4, "4 values in PropagateToResults, and the program has 5 results"},
		{hlo, 3, 1, "3 values in PropagateToParameters, and the program has 2 arguments"},
		{hlo, 2, 2, "2 values in PropagateToResults, and the program has 1 results"},
		{pjrt.Program{Code: artifact(t)}, 2, 1, ""},
		{pjrt.Program{Code: artifact(t)}, 3, 1, "3 values in PropagateToParameters, and the program has 2 arguments"},
		{pjrt.Program{Code: artifact(t)}, 1, 1, ""},
		{pjrt.Program{Code: []byte("ML\xefR"), Format: pjrt.FormatMLIR}, 2, 1, "cannot be read from a program of this form"},
	} {
		o := &pjrt.CompileOptions{Partitions: 2, SPMD: true, PropagateToParameters: list(c.parameters), PropagateToResults: list(c.results)}
		_, err := client.CompileKey(c.program, o) // does not compile
		if c.want != "" {
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
			_, err = client.Compile(ctx, c.program, o)
			assert.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		if pjrt.DetectFormat(c.program.Code) == pjrt.FormatMLIR {
			exe, err := client.Compile(ctx, c.program, o)
			require.NoError(t, err)
			exe.Close()
		}
	}
	// The same in Extra: field 18 of the build options, three times.
	_, err = client.Compile(ctx, text, &pjrt.CompileOptions{Extra: []byte("\x1a\x06\x92\x01\x03\x00\x00\x00")})
	require.ErrorContains(t, err, "3 values in PropagateToParameters")
	// XLA would end the process on this flag too.
	_, err = client.Compile(ctx, text, &pjrt.CompileOptions{Extra: []byte("\x3a\x2d\x0a\x24xla_cpu_parallel_codegen_split_count\x12\x05\x18\x80\x80\x80\x08")})
	require.ErrorContains(t, err, "takes 1 to 65536, not 16777216")
}

// The CPU compiler ends the process on some of these.
func TestDebugOptionsInExtraAreChecked(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	split := func(n int64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, 323, protowire.VarintType), uint64(n))
	}
	for name, c := range map[string]struct {
		message []byte
		want    string
	}{
		"negative":             {split(-1), "xla_cpu_parallel_codegen_split_count at -1; it takes 1 to 65536"},
		"too many":             {split(1 << 30), "at 1073741824"},
		"the last one":         {append(split(4), split(1<<20)...), "at 1048576"},
		"beyond the type":      {split(1<<32 - 7), "at -7"},
		"no message":           {[]byte{0xff}, "are not a serialized message"},
		"cut off":              {split(300)[:3], "are not a serialized message"},
		"one that works":       {split(2), ""},
		"in the extra options": {nil, "at 99999999"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &pjrt.CompileOptions{DebugOptions: c.message}
			if c.message == nil {
				build := protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), split(99999999))
				o.Extra = protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), build)
			}
			exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, o)
			if c.want == "" {
				require.NoError(t, err)
				exe.Close()
				return
			}
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func FuzzDecodeCompileOptions(f *testing.F) {
	whole, err := pjrt.EncodeOptions(allOptions())
	require.NoError(f, err)
	f.Add(whole)
	f.Add([]byte("\x1a\x08\x4a\x06\x08\x01\x10\x02\x1a\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := pjrt.DecodeCompileOptions(b)
		if err != nil {
			return
		}
		// Options that were read are refused, or are the same when written and read again.
		first, err := pjrt.EncodeOptions(o)
		if err != nil {
			return
		}
		again, err := pjrt.DecodeCompileOptions(first)
		require.NoError(t, err)
		second, err := pjrt.EncodeOptions(again)
		require.NoError(t, err)
		third, err := pjrt.DecodeCompileOptions(second)
		require.NoError(t, err)
		require.Equal(t, again, third)
	})
}
