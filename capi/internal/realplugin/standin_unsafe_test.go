// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// standIn is a PJRT_Api of Go functions, which stand in for functions that no plugin can run
// without its hardware.
type standIn struct {
	*plugin
	api *capi.API
}

// newStandIn makes a table of the newest API without functions.
func newStandIn(t testing.TB) *standIn {
	t.Helper()
	api := &capi.API{StructSize: capi.APISize}
	api.PJRTAPIVersion = capi.APIVersion{StructSize: capi.APIVersionSize, MajorVersion: capi.APIMajor, MinorVersion: capi.APIMinor}
	table, err := capi.NewTable(api, capi.Reentrant())
	require.NoError(t, err)
	return &standIn{newPlugin(table), api}
}

// slot returns the table's slot for the function of the args struct a. It finds the slot by name,
// not by the function's descriptor, which is under test.
func (s *standIn) slot(t testing.TB, a reflect.Type) *uintptr {
	t.Helper()
	name, ok := strings.CutSuffix(a.Name(), "Args")
	require.True(t, ok, a.Name())
	f, ok := reflect.TypeFor[capi.API]().FieldByName(name)
	require.True(t, ok, "the table has no field %s", name)
	return (*uintptr)(unsafe.Add(unsafe.Pointer(s.api), f.Offset))
}

// provide puts a function into the table, for this stand-in only.
func provide[A any](t testing.TB, s *standIn, entry uintptr) {
	t.Helper()
	*s.slot(t, reflect.TypeFor[A]()) = entry
}

// entryOf makes a C function from a Go function with an args struct, once, because a process has a
// limited number of them.
func entryOf[A any](fn func(args *A) uintptr) func() uintptr {
	return sync.OnceValue(func() uintptr { return purego.NewCallback(fn) })
}

// echo calls a function of a stand-in with every field set, and checks what the function gets and
// what it returns.
type echo struct {
	function *capi.Function
	args     reflect.Type
	run      func(t *testing.T, s *standIn)
	// probe calls the function with an empty struct, whose struct_size is 0.
	probe func(p *plugin) error
	// set calls the function with only the first byte of a field set. The field is in the struct
	// itself if nested is nil, and otherwise in the struct that nested points to.
	set func(p *plugin, g capi.Gate, nested *capi.Nest) error
}

func echoOf[A any]() echo {
	var arrived, left A
	var filler counter
	function := new(capi.Call[A]).Function()
	entry := entryOf(func(a *A) uintptr {
		arrived = *a
		filler.fill(reflect.ValueOf(a).Elem(), 0, function.Zero)
		left = *a
		if function.Void {
			return 0xdeadbeef // a void function leaves garbage there
		}
		return 0
	})
	run := func(t *testing.T, s *standIn) {
		provide[A](t, s, entry())
		// Set everything, including the size and the results of an earlier call.
		var sent A
		filler.fill(reflect.ValueOf(&sent).Elem(), 0, []capi.Span{{Offset: 0, Size: unsafe.Sizeof(sent)}})
		want := sent
		*(*uintptr)(unsafe.Pointer(&want)) = function.Size
		for _, z := range function.Zero {
			clear(bytesOf(&want)[z.Offset : z.Offset+z.Size])
		}
		got := do(t, s.plugin, sent)
		assert.Equal(t, leaves(&want), leaves(&arrived), "what the function got")
		assert.Equal(t, leaves(&left), leaves(got), "what it left")
		for name, v := range leaves(got) {
			assert.NotZero(t, v, name)
			if f, ok := reflect.TypeFor[A]().FieldByName(name); ok && within(f.Offset, function.Zero) {
				assert.Zero(t, leaves(&arrived)[name], name)
			}
		}
	}
	probe := func(p *plugin) error {
		h, err := new(capi.Call[A]).Raw(p.table)
		if err != nil {
			return err
		}
		return p.table.TakeError(h)
	}
	set := func(p *plugin, g capi.Gate, nested *capi.Nest) error {
		c := new(capi.Call[A])
		base := unsafe.Pointer(&c.Args)
		if nested != nil {
			inner := unsafe.Pointer(new([64]uint64))
			*(*unsafe.Pointer)(unsafe.Add(base, nested.Offset)) = inner
			base = inner
		}
		*(*byte)(unsafe.Add(base, g.Offset)) = 1
		return c.Do(p.table)
	}
	return echo{function, reflect.TypeFor[A](), run, probe, set}
}

// bytesOf is the memory of a.
func bytesOf[A any](a *A) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(a)), unsafe.Sizeof(*a)) }

// leaves returns the fields of a struct and of the structs in it, by name: numbers, and addresses
// in pointers. It leaves out padding.
func leaves[A any](a *A) map[string]uint64 {
	m := make(map[string]uint64)
	var walk func(name string, v reflect.Value)
	walk = func(name string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					walk(strings.TrimPrefix(name+"."+f.Name, "."), v.Field(i))
				}
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", name, i), v.Index(i))
			}
		case reflect.Bool:
			m[name] = 0
			if v.Bool() {
				m[name] = 1
			}
		case reflect.Int, reflect.Int32, reflect.Int64:
			m[name] = uint64(v.Int())
		case reflect.Uint64, reflect.Uintptr:
			m[name] = v.Uint()
		default:
			m[name] = uint64(v.Pointer())
		}
	}
	walk("", reflect.ValueOf(a).Elem())
	return m
}

func within(offset uintptr, spans []capi.Span) bool {
	for _, s := range spans {
		if offset >= s.Offset && offset < s.Offset+s.Size {
			return true
		}
	}
	return false
}

// counter fills in a different number each time.
type counter struct{ n uint64 }

// fill sets the fields of a struct at offset that lie in the spans.
func (c *counter) fill(v reflect.Value, offset uintptr, spans []capi.Span) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				c.fill(v.Field(i), offset+f.Offset, spans)
			}
		}
		return
	case reflect.Array:
		for i := range v.Len() {
			c.fill(v.Index(i), offset+uintptr(i)*v.Type().Elem().Size(), spans)
		}
		return
	}
	if !within(offset, spans) {
		return
	}
	c.n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(c.n))
	case reflect.Uint64, reflect.Uintptr:
		v.SetUint(c.n)
	case reflect.Pointer, reflect.UnsafePointer:
		// Use real memory, because the garbage collector follows the pointer. Handles have no size
		// in Go, and would all have the same address. Nested structs stay zero.
		*(*unsafe.Pointer)(v.Addr().UnsafePointer()) = unsafe.Pointer(new([32]uint64))
	default:
		panic("no value for a " + v.Type().String())
	}
}

// echoes has a row for every function of the core table.
var echoes = []echo{
	echoOf[capi.ErrorDestroyArgs](),
	echoOf[capi.ErrorMessageArgs](),
	echoOf[capi.ErrorGetCodeArgs](),
	echoOf[capi.PluginInitializeArgs](),
	echoOf[capi.PluginAttributesArgs](),
	echoOf[capi.EventDestroyArgs](),
	echoOf[capi.EventIsReadyArgs](),
	echoOf[capi.EventErrorArgs](),
	echoOf[capi.EventAwaitArgs](),
	echoOf[capi.EventOnReadyArgs](),
	echoOf[capi.ClientCreateArgs](),
	echoOf[capi.ClientDestroyArgs](),
	echoOf[capi.ClientPlatformNameArgs](),
	echoOf[capi.ClientProcessIndexArgs](),
	echoOf[capi.ClientPlatformVersionArgs](),
	echoOf[capi.ClientDevicesArgs](),
	echoOf[capi.ClientAddressableDevicesArgs](),
	echoOf[capi.ClientLookupDeviceArgs](),
	echoOf[capi.ClientLookupAddressableDeviceArgs](),
	echoOf[capi.ClientAddressableMemoriesArgs](),
	echoOf[capi.ClientCompileArgs](),
	echoOf[capi.ClientDefaultDeviceAssignmentArgs](),
	echoOf[capi.ClientBufferFromHostBufferArgs](),
	echoOf[capi.DeviceDescriptionIDArgs](),
	echoOf[capi.DeviceDescriptionProcessIndexArgs](),
	echoOf[capi.DeviceDescriptionAttributesArgs](),
	echoOf[capi.DeviceDescriptionKindArgs](),
	echoOf[capi.DeviceDescriptionDebugStringArgs](),
	echoOf[capi.DeviceDescriptionToStringArgs](),
	echoOf[capi.DeviceGetDescriptionArgs](),
	echoOf[capi.DeviceIsAddressableArgs](),
	echoOf[capi.DeviceLocalHardwareIDArgs](),
	echoOf[capi.DeviceAddressableMemoriesArgs](),
	echoOf[capi.DeviceDefaultMemoryArgs](),
	echoOf[capi.DeviceMemoryStatsArgs](),
	echoOf[capi.MemoryIDArgs](),
	echoOf[capi.MemoryKindArgs](),
	echoOf[capi.MemoryDebugStringArgs](),
	echoOf[capi.MemoryToStringArgs](),
	echoOf[capi.MemoryAddressableByDevicesArgs](),
	echoOf[capi.ExecutableDestroyArgs](),
	echoOf[capi.ExecutableNameArgs](),
	echoOf[capi.ExecutableNumReplicasArgs](),
	echoOf[capi.ExecutableNumPartitionsArgs](),
	echoOf[capi.ExecutableNumOutputsArgs](),
	echoOf[capi.ExecutableSizeOfGeneratedCodeInBytesArgs](),
	echoOf[capi.ExecutableGetCostAnalysisArgs](),
	echoOf[capi.ExecutableOutputMemoryKindsArgs](),
	echoOf[capi.ExecutableOptimizedProgramArgs](),
	echoOf[capi.ExecutableSerializeArgs](),
	echoOf[capi.LoadedExecutableDestroyArgs](),
	echoOf[capi.LoadedExecutableGetExecutableArgs](),
	echoOf[capi.LoadedExecutableAddressableDevicesArgs](),
	echoOf[capi.LoadedExecutableDeleteArgs](),
	echoOf[capi.LoadedExecutableIsDeletedArgs](),
	echoOf[capi.LoadedExecutableExecuteArgs](),
	echoOf[capi.ExecutableDeserializeAndLoadArgs](),
	echoOf[capi.LoadedExecutableFingerprintArgs](),
	echoOf[capi.BufferDestroyArgs](),
	echoOf[capi.BufferElementTypeArgs](),
	echoOf[capi.BufferDimensionsArgs](),
	echoOf[capi.BufferUnpaddedDimensionsArgs](),
	echoOf[capi.BufferDynamicDimensionIndicesArgs](),
	echoOf[capi.BufferGetMemoryLayoutArgs](),
	echoOf[capi.BufferOnDeviceSizeInBytesArgs](),
	echoOf[capi.BufferDeviceArgs](),
	echoOf[capi.BufferMemoryArgs](),
	echoOf[capi.BufferDeleteArgs](),
	echoOf[capi.BufferIsDeletedArgs](),
	echoOf[capi.BufferCopyToDeviceArgs](),
	echoOf[capi.BufferToHostBufferArgs](),
	echoOf[capi.BufferIsOnCPUArgs](),
	echoOf[capi.BufferReadyEventArgs](),
	echoOf[capi.BufferUnsafePointerArgs](),
	echoOf[capi.BufferIncreaseExternalReferenceCountArgs](),
	echoOf[capi.BufferDecreaseExternalReferenceCountArgs](),
	echoOf[capi.BufferOpaqueDeviceMemoryDataPointerArgs](),
	echoOf[capi.CopyToDeviceStreamDestroyArgs](),
	echoOf[capi.CopyToDeviceStreamAddChunkArgs](),
	echoOf[capi.CopyToDeviceStreamTotalBytesArgs](),
	echoOf[capi.CopyToDeviceStreamGranuleSizeArgs](),
	echoOf[capi.CopyToDeviceStreamCurrentBytesArgs](),
	echoOf[capi.TopologyDescriptionCreateArgs](),
	echoOf[capi.TopologyDescriptionDestroyArgs](),
	echoOf[capi.TopologyDescriptionPlatformNameArgs](),
	echoOf[capi.TopologyDescriptionPlatformVersionArgs](),
	echoOf[capi.TopologyDescriptionGetDeviceDescriptionsArgs](),
	echoOf[capi.TopologyDescriptionSerializeArgs](),
	echoOf[capi.TopologyDescriptionAttributesArgs](),
	echoOf[capi.CompileArgs](),
	echoOf[capi.ExecutableOutputElementTypesArgs](),
	echoOf[capi.ExecutableOutputDimensionsArgs](),
	echoOf[capi.BufferCopyToMemoryArgs](),
	echoOf[capi.ClientCreateViewOfDeviceBufferArgs](),
	echoOf[capi.ExecutableFingerprintArgs](),
	echoOf[capi.ClientTopologyDescriptionArgs](),
	echoOf[capi.ExecutableGetCompiledMemoryStatsArgs](),
	echoOf[capi.MemoryKindIDArgs](),
	echoOf[capi.ExecuteContextCreateArgs](),
	echoOf[capi.ExecuteContextDestroyArgs](),
	echoOf[capi.BufferCopyRawToHostArgs](),
	echoOf[capi.AsyncHostToDeviceTransferManagerDestroyArgs](),
	echoOf[capi.AsyncHostToDeviceTransferManagerTransferDataArgs](),
	echoOf[capi.ClientCreateBuffersForAsyncHostToDeviceArgs](),
	echoOf[capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs](),
	echoOf[capi.AsyncHostToDeviceTransferManagerDeviceArgs](),
	echoOf[capi.AsyncHostToDeviceTransferManagerBufferCountArgs](),
	echoOf[capi.AsyncHostToDeviceTransferManagerBufferSizeArgs](),
	echoOf[capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs](),
	echoOf[capi.AsyncHostToDeviceTransferManagerAddMetadataArgs](),
	echoOf[capi.ClientDMAMapArgs](),
	echoOf[capi.ClientDMAUnmapArgs](),
	echoOf[capi.ClientCreateUninitializedBufferArgs](),
	echoOf[capi.ClientUpdateGlobalProcessInfoArgs](),
	echoOf[capi.TopologyDescriptionDeserializeArgs](),
	echoOf[capi.ClientCreateAliasBufferArgs](),
	echoOf[capi.ClientFulfillAliasBufferArgs](),
	echoOf[capi.LoadedExecutableGetDeviceAssignmentArgs](),
	echoOf[capi.ClientCreateErrorBufferArgs](),
	echoOf[capi.AsyncHostToDeviceTransferManagerTransferLiteralArgs](),
	echoOf[capi.BufferCopyRawToHostFutureArgs](),
	echoOf[capi.DevicePoisonExecutionArgs](),
	echoOf[capi.DeviceCreateAsyncTrackingEventArgs](),
	echoOf[capi.AsyncTrackingEventDestroyArgs](),
	echoOf[capi.ExecutableGetCompileOptionsArgs](),
	echoOf[capi.BufferDonateWithControlDependencyArgs](),
	echoOf[capi.EventCreateArgs](),
	echoOf[capi.EventSetArgs](),
	echoOf[capi.DeviceGetAttributesArgs](),
	echoOf[capi.ClientLoadArgs](),
	echoOf[capi.LoadedExecutableAddressableDeviceLogicalIDsArgs](),
	echoOf[capi.BufferBitcastArgs](),
	echoOf[capi.ErrorForEachPayloadArgs](),
	echoOf[capi.TopologyDescriptionFingerprintArgs](),
	echoOf[capi.ExecutableParameterMemoryKindsArgs](),
	echoOf[capi.DeviceClearMemoryStatsArgs](),
	echoOf[capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs](),
	echoOf[capi.TopologyDescriptionGetMemorySpaceKindIDsArgs](),
}
