// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// wellKnown are the kinds of memory that programs know by name.
var wellKnown = map[string]bool{"device": true, "pinned_host": true, "unpinned_host": true}

var memoryChecks = []check.Check{
	{Rule: "MEM-01", Run: func(t *check.T) {
		check.Steady[capi.MemoryIDArgs](t, "memory", memories(t, t.Client()), nil)
		seen := make(check.FirstOf[int32])
		for i, m := range memories(t, t.Client()) {
			n := check.Call(t, capi.MemoryIDArgs{Memory: m}).ID
			if first, again := seen.Add(n, i); again {
				t.Errorf("memories %d and %d both have the id %d", first, i, n)
			}
		}
	}},
	{Rule: "MEM-02", Run: func(t *check.T) {
		allMemories.Stay(memoryKind)(t)
		for i, d := range t.Client().Devices {
			seen := make(map[string]bool)
			for _, m := range memoriesOf(t, d) {
				k := memoryKind.Of(t, m)
				if seen[k] {
					t.Errorf("device %d has two memories of the kind %q", i, k)
				}
				seen[k] = true
			}
		}
	}},
	{Rule: "MEM-03", Run: func(t *check.T) {
		check.Steady[capi.MemoryKindIDArgs](t, "memory", memories(t, t.Client()), nil)
		ids, kinds := make(map[string]int32), make(map[int32]string)
		for i, m := range memories(t, t.Client()) {
			k, n := memoryKind.Of(t, m), check.Call(t, capi.MemoryKindIDArgs{Memory: m}).KindID
			if other, ok := ids[k]; ok && other != n {
				t.Errorf("memory %d: the kind %q has the ids %d and %d", i, k, other, n)
			}
			if other, ok := kinds[n]; ok && other != k {
				t.Errorf("memory %d: the kinds %q and %q have the id %d", i, other, k, n)
			}
			ids[k], kinds[n] = n, k
		}
	}},
	{Rule: "MEM-04", Run: func(t *check.T) {
		for i, m := range memories(t, t.Client()) {
			if k := memoryKind.Of(t, m); !wellKnown[k] {
				t.Errorf("memory %d: %q is not a kind that programs know", i, k)
			}
		}
	}},
	{Rule: "MEM-02", Variant: "of several memories", Run: allMemories.OwnMemory(memoryKind, memoryText, memoryDebug)},
	{Rule: "MEM-05", Run: func(t *check.T) {
		allMemories.Stay(memoryDebug)(t)
		allMemories.TellApart(memoryDebug)(t)
	}},
	{Rule: "MEM-06", Run: func(t *check.T) {
		allMemories.Stay(memoryText)(t)
		for i, m := range memories(t, t.Client()) {
			if s := memoryText.Read(t, m); len(s.Elements()) == 0 {
				t.Errorf("PJRT_Memory_ToString of memory %d: expected a text, got %d bytes at %v", i, s.N, s.First)
			}
		}
	}},
	{Rule: "MEM-07", Run: func(t *check.T) {
		c := t.Client()
		check.Steady(t, "memory", memories(t, c), check.Listed[capi.MemoryAddressableByDevicesArgs, *capi.Device])
		devices := make(map[*capi.Memory][]*capi.Device)
		for _, m := range memories(t, c) {
			devices[m] = check.List[capi.MemoryAddressableByDevicesArgs, *capi.Device](t, m)
		}
		all := t.AllDevices(c)
		for m, list := range devices {
			distinct(t, list, fmt.Sprintf("PJRT_Memory_AddressableByDevices of memory %p", m))
			for _, d := range list {
				if !slices.Contains(all, d) {
					t.Errorf("memory %p lists the device %p, which is not one of the client's %v", m, d, all)
				}
			}
		}
		for i, d := range c.Devices {
			for m, list := range devices {
				if forth, back := slices.Contains(memoriesOf(t, d), m), slices.Contains(list, d); forth != back {
					t.Errorf("device %d and memory %p: the device lists the memory: %v; the memory lists the device: %v", i, m, forth, back)
				}
			}
		}
	}},
	{Rule: "MEM-08", Run: func(t *check.T) {
		c := t.Client()
		all := memories(t, c)
		known := func(m *capi.Memory, where string, args ...any) {
			if !slices.Contains(all, m) {
				t.Errorf("%s: %p is not one of the client's memories %v", fmt.Sprintf(where, args...), m, all)
			}
		}
		for i, d := range c.Devices {
			for _, m := range memoriesOf(t, d) {
				known(m, "a memory of device %d", i)
			}
			if out, err := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: d}); err == nil {
				known(out.Memory, "default memory of device %d", i)
			}
			known(t.MemoryOf(check.UploadTo(t, c, d, []float32{1})),
				"memory of a buffer on device %d", i)
		}
	}},
	{Rule: "MEM-09", Hostile: true, Run: func(t *check.T) {
		needVtable(t)
		for i, m := range memories(t, t.Client()) {
			v := m.Vtable
			switch {
			case v == nil:
				t.Errorf("memory %d: the first word is null", i)
			case v.StructSize < capi.MemoryFunctionTableSize || v.InstanceStructSize < capi.MemorySize:
				t.Errorf("memory %d: expected a struct_size of at least %d and an instance_struct_size of at least %d, got %d and %d",
					i, capi.MemoryFunctionTableSize, capi.MemorySize, v.StructSize, v.InstanceStructSize)
			case v.GetUserData == 0 || v.SetUserData == 0:
				t.Errorf("memory %d: expected two functions, got get_user_data %#x and set_user_data %#x", i, v.GetUserData, v.SetUserData)
			}
		}
	}},
	{Rule: "MEM-10", Hostile: true, Run: func(t *check.T) {
		needVtable(t)
		m := memories(t, t.Client())[0]
		v := m.Vtable
		keys := make([]byte, 3)
		key := func(i int) uintptr { return addressOf(&keys[i]) }
		for i := range keys {
			check.Equal(t, 0, v.GetUserData.Call(m, key(i)), "user data under a key that was not set")
		}
		for i := range keys {
			v.SetUserData.Call(m, key(i), uintptr(100+i), 0)
		}
		for i := range keys {
			check.Equal(t, uintptr(100+i), v.GetUserData.Call(m, key(i)), "user data under key %d of 3", i)
		}
	}},
	{Rule: "MEM-11", Library: true, Hostile: true, Run: func(t *check.T) {
		needVtable(t)
		c := t.NewClient()
		m := memories(t, c)[0]
		v := m.Vtable
		key := addressOf(new(byte))
		var first, second released
		for _, r := range []*released{&first, &second} {
			handle := capi.NewHandle(r)
			t.Cleanup(handle.Delete)
			v.SetUserData.Call(m, key, uintptr(handle), capi.MemoryFunctionTableSetUserDataDtor(countRelease()))
		}
		check.Equal(t, 1, first.times.Load(), "destructor calls of user data that was overwritten")
		check.Equal(t, 0, second.times.Load(), "destructor calls of user data that is in place")
		check.Destroy(t, c.Handle)
		check.Equal(t, 1, first.times.Load(), "destructor calls of overwritten user data after the client was destroyed")
		check.Equal(t, 1, second.times.Load(), "destructor calls of user data after the client was destroyed")
	}},
	{Rule: "MEM-12", Run: func(t *check.T) {
		c := t.Client()
		lacks := func(err error) {
			var e *capi.Error
			if errors.As(err, &e) && e.Code == capi.ErrorCodeUnimplemented {
				t.Errorf("JAX and others cannot make arrays without this: %v", err)
			}
		}
		_, err := check.Try(t, capi.ClientAddressableMemoriesArgs{Client: c.Handle})
		lacks(err)
		_, err = check.Try(t, capi.DeviceAddressableMemoriesArgs{Device: c.Devices[0]})
		lacks(err)
		out, err := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: c.Devices[0]})
		lacks(err)
		if err != nil || out.Memory == nil {
			return
		}
		_, err = check.Try(t, capi.MemoryKindArgs{Memory: out.Memory})
		lacks(err)
		_, err = check.Try(t, capi.MemoryKindIDArgs{Memory: out.Memory})
		lacks(err)
		_, err = check.Try(t, capi.MemoryAddressableByDevicesArgs{Memory: out.Memory})
		lacks(err)
	}},
}

// released counts how many times a value was released.
type released struct{ times atomic.Int32 }

// countRelease is a destructor for handles of released. The handle stays, so that a
// second call is counted.
var countRelease = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(h uintptr) (word uintptr) {
		if v, ok := capi.Handle(h).Value(); ok {
			v.(*released).times.Add(1)
		}
		return
	})
})

// memories returns a client's memories, or skips the check if there are none.
func memories(t *check.T, c *check.Client) []*capi.Memory {
	if len(c.Memories) == 0 {
		t.SkipUnimplf("the client has no memories")
	}
	return c.Memories
}

func needVtable(t *check.T) {
	const since = 105
	if t.Minor() < since {
		t.SkipAbsentf("memories have a function table since API 0.%d, but the plugin has 0.%d", since, t.Minor())
	}
}
