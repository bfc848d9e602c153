// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// system is a plugin of Go functions with devices that no machine here has, for
// what the CPU plugin does not implement. Handles are the addresses of its
// objects.
type system struct {
	api        *capi.API
	attributes []capi.Attribute
	gate       chan struct{} // clients are created after it is closed; nil for none
	client     systemClient
	devices    []*systemDevice
	memories   []*systemMemory
	topology   systemTopology // the client's

	mu      sync.Mutex
	created []capi.Attribute // guarded by mu; options of the last client
	clients int              // guarded by mu; how many exist
	made    int              // guarded by mu; how many were made
	log     []string         // guarded by mu; the calls that are recorded
	broken  bool             // guarded by mu; see initializeFails
}

type systemClient struct {
	sys     *system
	handles []*capi.Device // of all devices, then of this process's
	mine    int
}

type systemDevice struct {
	sys         *system
	id, process int
	memories    []*capi.Memory
}

type systemMemory struct {
	sys     *system
	id      int
	kind    string
	devices []*capi.Device
}

type systemTopology struct {
	sys          *system
	name         string
	descriptions []*capi.DeviceDescription
	kinds        []int32
	own          bool // made by name or from bytes
}

type systemError struct {
	code    capi.ErrorCode
	message string
}

// sysKept holds what only C, in the shape of Go functions, has the address of.
var sysKept struct {
	mu sync.Mutex
	of []any
}

func sysKeep[T any](v T) T {
	sysKept.mu.Lock()
	defer sysKept.mu.Unlock()
	sysKept.of = append(sysKept.of, v)
	return v
}

func sysHandle[H, T any](v *T) *H { return (*H)(unsafe.Pointer(v)) }

func sysFail(code capi.ErrorCode, format string, args ...any) uintptr {
	return uintptr(unsafe.Pointer(sysKeep(&systemError{code, fmt.Sprintf(format, args...)})))
}

// newSystem makes a plugin of API 0.minor. Device 0 and 1 are this process's,
// device 2 is another's.
func newSystem(t testing.TB, minor int) *system {
	t.Helper()
	s := sysKeep(new(system))
	s.client.sys, s.topology.sys = s, s
	for id := range 3 {
		s.devices = append(s.devices, &systemDevice{sys: s, id: id, process: id / 2})
	}
	for id, kind := range []string{"device", "pinned_host", "device", "pinned_host"} {
		s.memories = append(s.memories, &systemMemory{sys: s, id: id, kind: kind})
		d, m := s.devices[id/2], s.memories[id]
		d.memories = append(d.memories, sysHandle[capi.Memory](m))
		m.devices = append(m.devices, sysHandle[capi.Device](d))
	}
	for _, d := range s.devices {
		s.client.handles = append(s.client.handles, sysHandle[capi.Device](d))
		s.topology.descriptions = append(s.topology.descriptions, sysHandle[capi.DeviceDescription](d))
	}
	s.client.mine = 2
	s.topology.kinds = []int32{3, 5}
	s.api = &capi.API{StructSize: capi.APISize}
	s.api.PJRTAPIVersion = capi.APIVersion{StructSize: capi.APIVersionSize, MajorVersion: capi.APIMajor, MinorVersion: int32(minor)}
	for _, e := range systemEntries() {
		if e.function.Since <= minor {
			s.set(e.function, e.code)
		}
	}
	init := s.initializer()
	s.set(init.function, init.code)
	return s
}

// initializer is what PJRT_Plugin_Initialize does.
func (s *system) initializer() systemEntry {
	return sysEntry(func(*capi.PluginInitializeArgs) uintptr {
		s.trace("initialize")
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.broken {
			return sysFail(capi.ErrorCodeAborted, "not now")
		}
		return 0
	})
}

// initializeFails says whether PJRT_Plugin_Initialize fails.
func (s *system) initializeFails(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = yes
}

func tableAddress(p *pjrt.Plugin) uintptr { return addressOf(raw.Table(p).API()) }

func addressOf(api *capi.API) uintptr { return uintptr(unsafe.Pointer(api)) }

func (s *system) set(f *capi.Function, code uintptr) {
	*(*uintptr)(unsafe.Add(unsafe.Pointer(s.api), f.Offset)) = code
}

// sysWithout takes functions out of the table.
func sysWithout[A any](s *system) { s.set(new(capi.Call[A]).Function(), 0) }

// plugin makes the functions that have no handle to find the system by, and the
// Plugin.
func (s *system) plugin(t testing.TB) *pjrt.Plugin {
	t.Helper()
	own := []systemEntry{
		sysEntry(func(a *capi.PluginAttributesArgs) uintptr {
			v := sysMust(capi.NewNamedValues(s.attributes))
			sysKeep(v)
			a.Attributes, a.NumAttributes = v.Data()
			return 0
		}),
		sysEntry(func(a *capi.ClientCreateArgs) uintptr {
			if s.gate != nil {
				<-s.gate
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.created = capi.Attributes(a.CreateOptions, a.NumOptions)
			s.clients++
			s.made++
			a.Client = sysHandle[capi.Client](&s.client)
			return 0
		}),
		sysEntry(func(a *capi.TopologyDescriptionCreateArgs) uintptr {
			name := capi.String(a.TopologyName, a.TopologyNameSize)
			if name == "nope" {
				return sysFail(capi.ErrorCodeInvalidArgument, "no topology nope")
			}
			s.trace("create topology %s %v", name, capi.Attributes(a.CreateOptions, a.NumOptions))
			a.Topology = s.newTopology(name)
			return 0
		}),
		sysEntry(func(a *capi.TopologyDescriptionDeserializeArgs) uintptr {
			a.Topology = s.newTopology(capi.String(a.SerializedTopology, a.SerializedTopologySize))
			return 0
		}),
	}
	for _, e := range own {
		s.set(e.function, e.code)
	}
	table, err := capi.NewTable(s.api, capi.Reentrant())
	require.NoError(t, err)
	p, err := raw.Plugin(table)
	require.NoError(t, err)
	return p
}

func (s *system) newTopology(name string) *capi.TopologyDescription {
	return sysHandle[capi.TopologyDescription](sysKeep(&systemTopology{s, name, s.topology.descriptions, s.topology.kinds, true}))
}

func sysMust[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (s *system) trace(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// traces returns what was called since the last time.
func (s *system) traces() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// live returns the number of clients that exist.
func (s *system) live() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clients
}

// everMade returns the number of clients that there were.
func (s *system) everMade() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made
}

type systemEntry struct {
	function *capi.Function
	code     uintptr
}

// sysEntry makes a C function of a Go function over an args struct. A process has
// room for 2000 of them.
func sysEntry[A any](fn func(a *A) uintptr) systemEntry {
	return systemEntry{new(capi.Call[A]).Function(), purego.NewCallback(fn)}
}

func sysText(s string) (*byte, uintptr) {
	b := sysKeep([]byte(s))
	return capi.BytesData(b)
}

func sysList[T any](s []T) (*T, uintptr) { return unsafe.SliceData(s), uintptr(len(s)) }

func sysDevice[H any](h *H) *systemDevice       { return sysHandle[systemDevice](h) }
func sysMemory(h *capi.Memory) *systemMemory    { return sysHandle[systemMemory](h) }
func sysClient(h *capi.Client) *systemClient    { return sysHandle[systemClient](h) }
func sysTopology[H any](h *H) *systemTopology   { return sysHandle[systemTopology](h) }
func sysError(h *capi.ErrorHandle) *systemError { return sysHandle[systemError](h) }

var attributesDeleter = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(a *capi.DeviceAttributes) { sysDevice(a).sys.trace("delete attributes") })
})

var serializedDeleter = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(t *capi.SerializedTopology) { sysTopology(t).sys.trace("delete serialized topology") })
})

var systemEntries = sync.OnceValue(func() []systemEntry {
	return slices.Concat(sysErrorEntries(), sysClientEntries(), sysDeviceEntries(), sysMemoryEntries(), sysTopologyEntries())
})

func sysErrorEntries() []systemEntry {
	return []systemEntry{
		sysEntry(func(*capi.ErrorDestroyArgs) uintptr { return 0 }),
		sysEntry(func(a *capi.ErrorMessageArgs) uintptr {
			a.Message, a.MessageSize = sysText(sysError(a.Error).message)
			return 0
		}),
		sysEntry(func(a *capi.ErrorGetCodeArgs) uintptr { a.Code = sysError(a.Error).code; return 0 }),
	}
}

func sysClientEntries() []systemEntry {
	return []systemEntry{
		sysEntry(func(a *capi.ClientDestroyArgs) uintptr {
			s := sysClient(a.Client).sys
			s.mu.Lock()
			defer s.mu.Unlock()
			s.clients--
			return 0
		}),
		sysEntry(func(a *capi.ClientPlatformNameArgs) uintptr {
			a.PlatformName, a.PlatformNameSize = sysText("system")
			return 0
		}),
		sysEntry(func(a *capi.ClientPlatformVersionArgs) uintptr {
			a.PlatformVersion, a.PlatformVersionSize = sysText("1")
			return 0
		}),
		sysEntry(func(a *capi.ClientProcessIndexArgs) uintptr { a.ProcessIndex = 0; return 0 }),
		sysEntry(func(a *capi.ClientDevicesArgs) uintptr {
			a.Devices, a.NumDevices = sysList(sysClient(a.Client).handles)
			return 0
		}),
		sysEntry(func(a *capi.ClientAddressableDevicesArgs) uintptr {
			c := sysClient(a.Client)
			a.AddressableDevices, a.NumAddressableDevices = sysList(c.handles[:c.mine])
			return 0
		}),
		sysEntry(func(a *capi.ClientAddressableMemoriesArgs) uintptr {
			var handles []*capi.Memory
			for _, m := range sysClient(a.Client).sys.memories {
				handles = append(handles, sysHandle[capi.Memory](m))
			}
			a.AddressableMemories, a.NumAddressableMemories = sysList(sysKeep(handles))
			return 0
		}),
		sysEntry(func(a *capi.ClientLookupDeviceArgs) uintptr {
			if a.ID == 42 { // a device that the client does not list
				a.Device = sysHandle[capi.Device](sysKeep(&systemDevice{id: 42}))
				return 0
			}
			if int(a.ID) >= len(sysClient(a.Client).handles) {
				return sysFail(capi.ErrorCodeNotFound, "no device %d", a.ID)
			}
			a.Device = sysClient(a.Client).handles[a.ID]
			return 0
		}),
		sysEntry(func(a *capi.ClientDefaultDeviceAssignmentArgs) uintptr {
			for i := range unsafe.Slice(a.DefaultAssignment, a.DefaultAssignmentSize) {
				// For three devices, the answer is one more than there are.
				unsafe.Slice(a.DefaultAssignment, a.DefaultAssignmentSize)[i] = int32(i) + int32(a.DefaultAssignmentSize/3)
			}
			return 0
		}),
		sysEntry(func(a *capi.ClientTopologyDescriptionArgs) uintptr {
			a.Topology = sysHandle[capi.TopologyDescription](&sysClient(a.Client).sys.topology)
			return 0
		}),
	}
}

func sysDeviceEntries() []systemEntry {
	return []systemEntry{
		sysEntry(func(a *capi.DeviceGetDescriptionArgs) uintptr {
			a.DeviceDescription = sysHandle[capi.DeviceDescription](sysDevice(a.Device))
			return 0
		}),
		sysEntry(func(a *capi.DeviceDescriptionIDArgs) uintptr {
			a.ID = int32(sysDevice(a.DeviceDescription).id)
			return 0
		}),
		sysEntry(func(a *capi.DeviceDescriptionProcessIndexArgs) uintptr {
			a.ProcessIndex = int32(sysDevice(a.DeviceDescription).process)
			return 0
		}),
		sysEntry(func(a *capi.DeviceDescriptionKindArgs) uintptr {
			a.DeviceKind, a.DeviceKindSize = sysText("model")
			return 0
		}),
		sysEntry(func(a *capi.DeviceDescriptionToStringArgs) uintptr {
			a.ToString, a.ToStringSize = sysText(fmt.Sprintf("device%d", sysDevice(a.DeviceDescription).id))
			return 0
		}),
		sysEntry(func(*capi.DeviceDescriptionDebugStringArgs) uintptr {
			return sysFail(capi.ErrorCodeUnimplemented, "no debug string")
		}),
		sysEntry(func(a *capi.DeviceDescriptionAttributesArgs) uintptr {
			coords := []int64{int64(sysDevice(a.DeviceDescription).id), 0, 0}
			v := sysKeep(sysMust(capi.NewNamedValues([]capi.Attribute{{Name: "coords", Value: coords}})))
			a.Attributes, a.NumAttributes = v.Data()
			return 0
		}),
		sysEntry(func(a *capi.DeviceIsAddressableArgs) uintptr {
			a.IsAddressable = sysDevice(a.Device).process == 0
			return 0
		}),
		sysEntry(func(a *capi.DeviceLocalHardwareIDArgs) uintptr {
			a.LocalHardwareID = int32(sysDevice(a.Device).id) + 10
			return 0
		}),
		sysEntry(func(a *capi.DeviceAddressableMemoriesArgs) uintptr {
			a.Memories, a.NumMemories = sysList(sysDevice(a.Device).memories)
			return 0
		}),
		sysEntry(func(a *capi.DeviceDefaultMemoryArgs) uintptr { a.Memory = sysDevice(a.Device).memories[0]; return 0 }),
		sysEntry(func(a *capi.DeviceGetAttributesArgs) uintptr {
			v := sysKeep(sysMust(capi.NewNamedValues([]capi.Attribute{{Name: "temperature", Value: int64(60)}})))
			a.Attributes, a.NumAttributes = v.Data()
			a.DeviceAttributes = sysHandle[capi.DeviceAttributes](sysDevice(a.Device))
			a.AttributesDeleter = capi.DeviceGetAttributesArgsAttributesDeleter(attributesDeleter())
			return 0
		}),
		sysEntry(func(a *capi.DeviceMemoryStatsArgs) uintptr {
			a.BytesInUse, a.PeakBytesInUse, a.PeakBytesInUseIsSet = 100, 200, true
			a.NumAllocs, a.NumAllocsIsSet = 3, true
			a.LargestAllocSize, a.LargestAllocSizeIsSet = 4, true
			a.BytesLimit, a.BytesLimitIsSet = 5, true
			a.BytesReserved, a.BytesReservedIsSet = 6, true
			a.PeakBytesReserved, a.PeakBytesReservedIsSet = 7, true
			a.BytesReservableLimit, a.BytesReservableLimitIsSet = 8, true
			a.LargestFreeBlockBytes, a.LargestFreeBlockBytesIsSet = 9, true
			a.PoolBytes, a.PoolBytesIsSet = 10, true
			a.PeakPoolBytes = 11 // garbage, since its IsSet is false
			a.PeakAllocatedBytes, a.PeakAllocatedBytesIsSet = 12, true
			return 0
		}),
		sysEntry(func(a *capi.DeviceClearMemoryStatsArgs) uintptr {
			sysDevice(a.Device).sys.trace("clear stats of device %d", sysDevice(a.Device).id)
			return 0
		}),
		sysEntry(func(a *capi.DeviceCreateAsyncTrackingEventArgs) uintptr {
			if what := capi.String(a.Description, a.DescriptionSize); what != "untracked" {
				sysDevice(a.Device).sys.trace("track %s", what)
				a.Event = sysHandle[capi.AsyncTrackingEvent](sysDevice(a.Device))
			}
			return 0
		}),
		sysEntry(func(a *capi.AsyncTrackingEventDestroyArgs) uintptr {
			sysDevice(a.Event).sys.trace("end of tracking")
			return 0
		}),
	}
}

func sysMemoryEntries() []systemEntry {
	return []systemEntry{
		sysEntry(func(a *capi.MemoryIDArgs) uintptr { a.ID = int32(sysMemory(a.Memory).id); return 0 }),
		sysEntry(func(a *capi.MemoryKindArgs) uintptr { a.Kind, a.KindSize = sysText(sysMemory(a.Memory).kind); return 0 }),
		sysEntry(func(a *capi.MemoryKindIDArgs) uintptr { a.KindID = int32(len(sysMemory(a.Memory).kind)); return 0 }),
		sysEntry(func(a *capi.MemoryToStringArgs) uintptr {
			a.ToString, a.ToStringSize = sysText(fmt.Sprintf("memory%d", sysMemory(a.Memory).id))
			return 0
		}),
		sysEntry(func(a *capi.MemoryDebugStringArgs) uintptr {
			a.DebugString, a.DebugStringSize = sysText(fmt.Sprintf("memory %d in full", sysMemory(a.Memory).id))
			return 0
		}),
		sysEntry(func(a *capi.MemoryAddressableByDevicesArgs) uintptr {
			a.Devices, a.NumDevices = sysList(sysMemory(a.Memory).devices)
			return 0
		}),
	}
}

func sysTopologyEntries() []systemEntry {
	return []systemEntry{
		sysEntry(func(a *capi.TopologyDescriptionDestroyArgs) uintptr {
			t := sysTopology(a.Topology)
			t.sys.trace("destroy topology %s, own: %t", t.name, t.own)
			return 0
		}),
		sysEntry(func(a *capi.TopologyDescriptionPlatformNameArgs) uintptr {
			a.PlatformName, a.PlatformNameSize = sysText("system")
			return 0
		}),
		sysEntry(func(a *capi.TopologyDescriptionPlatformVersionArgs) uintptr {
			a.PlatformVersion, a.PlatformVersionSize = sysText("1")
			return 0
		}),
		sysEntry(func(a *capi.TopologyDescriptionAttributesArgs) uintptr {
			v := sysKeep(sysMust(capi.NewNamedValues([]capi.Attribute{{Name: "name", Value: sysTopology(a.Topology).name}})))
			a.Attributes, a.NumAttributes = v.Data()
			return 0
		}),
		sysEntry(func(a *capi.TopologyDescriptionGetDeviceDescriptionsArgs) uintptr {
			a.Descriptions, a.NumDescriptions = sysList(sysTopology(a.Topology).descriptions)
			return 0
		}),
		sysEntry(func(a *capi.TopologyDescriptionSerializeArgs) uintptr {
			a.SerializedBytes, a.SerializedBytesSize = sysText(sysTopology(a.Topology).name)
			a.SerializedTopology = sysHandle[capi.SerializedTopology](sysTopology(a.Topology))
			a.SerializedTopologyDeleter = capi.TopologyDescriptionSerializeArgsSerializedTopologyDeleter(serializedDeleter())
			return 0
		}),
		sysEntry(func(a *capi.TopologyDescriptionFingerprintArgs) uintptr {
			a.Fingerprint = uint64(len(sysTopology(a.Topology).name))
			return 0
		}),
		sysEntry(func(a *capi.TopologyDescriptionGetMemorySpaceKindIDsArgs) uintptr {
			a.MemorySpaceKindIDs, a.NumMemorySpaceKindIDs = sysList(sysTopology(a.Topology).kinds)
			return 0
		}),
	}
}
