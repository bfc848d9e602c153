// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/extensions/tpu"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// tpus are the extensions of plugins for TPUs.
var tpus = []capi.ExtensionType{
	capi.ExtensionTypeTPUTopology, capi.ExtensionTypeMultiSlice, capi.ExtensionTypeMegascale,
}

// topology returns the topology of a client, or the one with a name.
func (w *world) topology(t *testing.T, name string) *pjrt.Topology {
	t.Helper()
	if name == "" {
		topology, err := w.c.Topology()
		require.NoError(t, err)
		return topology
	}
	topology, err := w.p.Plugin().NewTopology(w.ctx, name, nil)
	require.NoError(t, err)
	t.Cleanup(func() { topology.Close() })
	return topology
}

func TestExtensionsOfOneKindOfDeviceAreOfferedOnRequest(t *testing.T) {
	t.Parallel()
	usual := start(t, pjrttest.Options{})
	assert.False(t, extensions.Supported(usual.p.Plugin(), capi.ExtensionTypeTPUTopology))
	assert.False(t, extensions.Supported(usual.p.Plugin(), capi.ExtensionTypeMultiSlice))
	assert.Empty(t, usual.p.Plugin().Kind())
	slice := start(t, pjrttest.Options{Extensions: tpus})
	assert.True(t, extensions.Supported(slice.p.Plugin(), capi.ExtensionTypeTPUTopology))
	assert.True(t, extensions.Supported(slice.p.Plugin(), capi.ExtensionTypeMultiSlice))
	assert.Equal(t, "tpu", slice.p.Plugin().Kind())
	old := start(t, pjrttest.Options{Extensions: tpus, Minor: 95})
	assert.True(t, extensions.Supported(old.p.Plugin(), capi.ExtensionTypeTPUTopology))
	assert.False(t, extensions.Supported(old.p.Plugin(), capi.ExtensionTypeMultiSlice), "it came with API 0.96")

	_, err := tpu.SystemOf(usual.topology(t, ""))
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	end := slice.p.Fail("PJRT_TpuTopology_ChipCount", pjrt.ErrUnavailable, "gone")
	_, err = tpu.Chips(slice.topology(t, ""))
	require.ErrorIs(t, err, pjrt.ErrUnavailable)
	end()
	_, err = tpu.Chips(slice.topology(t, ""))
	require.NoError(t, err)
}

func TestDevicesAreArrangedAsASystemOfTPUs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts                    pjrttest.Options
		topology                string
		bounds, hosts, per      []int
		device                  int // whose place is asked for
		at, process             []int
		onProcess, otherProcess tpu.Place // of the device, and of the last one
	}{
		"one device": {bounds: []int{1, 1, 1}, hosts: []int{1, 1, 1}, per: []int{1, 1, 1}, at: []int{0, 0, 0}, process: []int{0, 0, 0}},
		"a square": {opts: pjrttest.Options{Devices: 4}, bounds: []int{2, 2, 1}, hosts: []int{1, 1, 1}, per: []int{2, 2, 1},
			device: 1, at: []int{1, 0, 0}, process: []int{0, 0, 0}, onProcess: tpu.Place{Index: 1}, otherProcess: tpu.Place{Index: 3}},
		"a prime number": {opts: pjrttest.Options{Devices: 7}, bounds: []int{1, 7, 1}, hosts: []int{1, 1, 1}, per: []int{1, 7, 1},
			device: 4, at: []int{0, 4, 0}, process: []int{0, 0, 0}, onProcess: tpu.Place{Index: 4}, otherProcess: tpu.Place{Index: 6}},
		"three processes": {opts: pjrttest.Options{Devices: 6, Processes: 3}, bounds: []int{2, 3, 3}, hosts: []int{1, 1, 3}, per: []int{2, 3, 1},
			device: 9, at: []int{1, 1, 1}, process: []int{0, 0, 1}, onProcess: tpu.Place{Process: 1, Index: 3},
			otherProcess: tpu.Place{Process: 2, Index: 5}},
		"a named one": {topology: "4x2x2", bounds: []int{4, 2, 2}, hosts: []int{1, 1, 1}, per: []int{4, 2, 2},
			device: 14, at: []int{2, 1, 1}, process: []int{0, 0, 0}, onProcess: tpu.Place{Index: 14}, otherProcess: tpu.Place{Index: 15}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.opts.Extensions = tpus
			w := start(t, c.opts)
			x := w.topology(t, c.topology)
			devices, err := x.Devices()
			require.NoError(t, err)
			s, err := tpu.SystemOf(x)
			require.NoError(t, err)
			n, processes := len(devices), product(c.hosts)
			per := n / processes
			assert.Equal(t, tpu.System{
				Chips: n, Cores: n, Devices: n, Processes: processes,
				ChipsPerProcess: per, CoresPerProcess: per, DevicesPerProcess: per, CoresPerChip: 1, DevicesPerChip: 1,
				Bounds: c.bounds, ProcessBounds: c.hosts, ChipsPerProcessBounds: c.per, Routing: "mesh",
			}, s)
			ids, err := tpu.ProcessIDs(x)
			require.NoError(t, err)
			assert.Len(t, ids, processes)
			for _, d := range devices {
				on, err := tpu.DevicesOf(x, d.ProcessIndex())
				require.NoError(t, err)
				assert.Contains(t, on, d.ID(), "the same process as in the description of the device")
				at, index, err := tpu.ChipOf(x, d.ID())
				require.NoError(t, err)
				again, err := tpu.DeviceAt(x, at, index)
				require.NoError(t, err)
				assert.Equal(t, d.ID(), again)
				chip, err := tpu.ChipAt(x, at)
				require.NoError(t, err)
				assert.Equal(t, d.ID(), chip)
			}
			at, _, err := tpu.ChipOf(x, c.device)
			require.NoError(t, err)
			assert.Equal(t, c.at, at)
			place, err := tpu.PlaceOfDevice(x, c.device)
			require.NoError(t, err)
			assert.Equal(t, c.onProcess, place)
			place, err = tpu.PlaceOfChip(x, s.Chips-1)
			require.NoError(t, err)
			assert.Equal(t, c.otherProcess, place)
			process, err := tpu.ProcessAt(x, c.onProcess.Process)
			require.NoError(t, err)
			assert.Equal(t, c.process, process)
			reachable, err := tpu.Reachable(x, 0, s.Chips-1)
			require.NoError(t, err)
			assert.True(t, reachable)
		})
	}
}

func product(list []int) int {
	n := 1
	for _, x := range list {
		n *= x
	}
	return n
}

func TestPartsOfASystemAreTopologies(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{Devices: 4, Processes: 4, Extensions: tpus})
	x := w.topology(t, "") // 2x2x4 chips
	part, err := tpu.Subslice(x, []int{2, 1, 1}, []int{1, 1, 2})
	require.NoError(t, err)
	assert.Equal(t, 1, w.p.Live()["PJRT_TopologyDescription"])
	s, err := tpu.SystemOf(part)
	require.NoError(t, err)
	assert.True(t, s.Part)
	assert.Equal(t, []int{2, 1, 2}, s.Bounds)
	assert.Equal(t, 2, s.Processes)
	devices, err := part.Devices()
	require.NoError(t, err)
	require.Len(t, devices, 4)
	assert.Equal(t, 1, devices[2].ProcessIndex())

	// The part begins at the chip at 0, 1, 1: devices 6 and 7 of process 1, then 10 and 11.
	for want, device := range []int{6, 7, 10, 11} {
		id, err := tpu.DeviceInSubslice(x, part, []int{0, 1, 1}, device)
		require.NoError(t, err)
		assert.Equal(t, want, id)
	}

	// A part can be compiled for, written and read like any topology.
	exe, err := w.p.Plugin().CompileFor(w.ctx, part, module("identity", "() -> ()"), &pjrt.CompileOptions{Replicas: 4})
	require.NoError(t, err)
	require.NoError(t, exe.Close())
	_, err = w.p.Plugin().CompileFor(w.ctx, part, module("identity", "() -> ()"), &pjrt.CompileOptions{Replicas: 5})
	require.ErrorContains(t, err, "the topology has 4 devices")
	data, err := part.Serialize()
	require.NoError(t, err)
	read, err := w.p.Plugin().DeserializeTopology(w.ctx, data)
	require.NoError(t, err)
	again, err := tpu.SystemOf(read)
	require.NoError(t, err)
	assert.Equal(t, s, again)
	require.NoError(t, read.Close())

	more, err := tpu.WithHosts(part, []int{3, 1, 1})
	require.NoError(t, err)
	s, err = tpu.SystemOf(more)
	require.NoError(t, err)
	assert.Equal(t, []int{6, 1, 1}, s.Bounds)
	assert.Equal(t, 3, s.Processes)
	require.NoError(t, more.Close())
	require.NoError(t, part.Close())
	settled(t, w.p)
}

func TestJobsOfSeveralSlices(t *testing.T) {
	t.Parallel()
	w := start(t, pjrttest.Options{Devices: 2, Processes: 2, Extensions: tpus})
	x := w.topology(t, "")
	ahead, err := megascale.AOTConfig(x, 3)
	require.NoError(t, err)
	job, err := megascale.ContextOf(w.c)
	require.NoError(t, err)
	require.NoError(t, job.Start(w.ctx))
	running, err := job.Config(x, megascale.Job{Slices: 2, Slice: 1})
	require.NoError(t, err)
	for _, c := range []struct {
		config        *megascale.Config
		slices, slice int
		devices       map[int]int
	}{
		{ahead, 3, 0, map[int]int{0: 4, 1: 4, 2: 4}},
		{running, 2, 1, map[int]int{0: 4, 1: 4}},
	} {
		n, err := c.config.NumSlices()
		require.NoError(t, err)
		assert.Equal(t, c.slices, n)
		id, err := c.config.SliceID()
		require.NoError(t, err)
		assert.Equal(t, c.slice, id)
		devices, err := c.config.DevicesPerSlice()
		require.NoError(t, err)
		assert.Equal(t, c.devices, devices)
		serialized, err := c.config.Serialize()
		require.NoError(t, err)
		exe, err := w.c.Compile(w.ctx, module("identity", "() -> ()"), &pjrt.CompileOptions{MultiSlice: serialized})
		require.NoError(t, err, "the plugin takes what it wrote")
		_, err = exe.Execute(w.ctx, nil, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{c.config}})
		require.NoError(t, err)
		require.NoError(t, exe.Close())
		_, err = w.c.Compile(w.ctx, module("identity", "() -> ()"), &pjrt.CompileOptions{MultiSlice: serialized[:1]})
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorContains(t, err, "multi-slice configuration")
		require.NoError(t, c.config.Close())
	}
	own, err := megascale.NewContext(w.p.Plugin())
	require.NoError(t, err)
	require.NoError(t, own.Close())
	require.NoError(t, job.Close())

	for _, at := range [][2]int{{0, 0}, {0, 3}, {2, 0}, {1<<31 - 1, 1<<31 - 1}} {
		id, err := megascale.DeviceInJob(w.p.Plugin(), at[0], at[1])
		require.NoError(t, err)
		slice, device, err := megascale.DeviceInSlice(w.p.Plugin(), id)
		require.NoError(t, err)
		assert.Equal(t, at, [2]int{slice, device})
	}
	_, _, err = megascale.DeviceInSlice(w.p.Plugin(), 1<<31)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	settled(t, w.p)
}
