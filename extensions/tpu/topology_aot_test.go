// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package tpu_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/tpu"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func system(t testing.TB, name string) *pjrt.Topology {
	t.Helper()
	p, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	topology, err := p.NewTopology(context.Background(), name, nil)
	require.NoError(t, err)
	t.Cleanup(func() { topology.Close() })
	return topology
}

func TestAheadOfTimeHowASystemIsBuilt(t *testing.T) {
	s, err := tpu.SystemOf(system(t, "v4:2x2x2"))
	require.NoError(t, err)
	assert.Equal(t, tpu.System{
		Chips: 8, Cores: 16, Devices: 16, Processes: 2, ChipsPerProcess: 4, CoresPerProcess: 8, DevicesPerProcess: 8,
		CoresPerChip: 2, DevicesPerChip: 2, Bounds: []int{2, 2, 2}, ProcessBounds: []int{1, 1, 2}, ChipsPerProcessBounds: []int{2, 2, 1},
		EnhancedBarrier: s.EnhancedBarrier, LimitedICI: s.LimitedICI, Routing: "mesh",
	}, s)
	_, err = tpu.SystemOf(nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
}

func TestAheadOfTimePlaces(t *testing.T) {
	x := system(t, "v4:2x2x2")
	ids, err := tpu.ProcessIDs(x)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1}, ids)
	ids, err = tpu.DevicesOf(x, 1)
	require.NoError(t, err)
	assert.Equal(t, []int{8, 9, 10, 11, 12, 13, 14, 15}, ids)
	place, err := tpu.PlaceOfChip(x, 6)
	require.NoError(t, err)
	assert.Equal(t, tpu.Place{Process: 1, Index: 2}, place)
	place, err = tpu.PlaceOfDevice(x, 13)
	require.NoError(t, err)
	assert.Equal(t, tpu.Place{Process: 1, Index: 5}, place)
	at, err := tpu.ProcessAt(x, 1)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 0, 1}, at)
	chip, err := tpu.ChipAt(x, []int{1, 0, 1})
	require.NoError(t, err)
	assert.Equal(t, 5, chip)
	for device := range 16 {
		coords, index, err := tpu.ChipOf(x, device)
		require.NoError(t, err)
		again, err := tpu.DeviceAt(x, coords, index)
		require.NoError(t, err)
		assert.Equal(t, device, again)
	}
	reachable, err := tpu.Reachable(system(t, "v5e:4x4"), 0, 1)
	require.NoError(t, err)
	assert.True(t, reachable)
	_, err = tpu.Reachable(x, 0, 1)
	require.ErrorContains(t, err, "2d")
}

func TestAheadOfTimeParts(t *testing.T) {
	x := system(t, "v4:4x4x4")
	part, err := tpu.Subslice(x, []int{2, 2, 1}, []int{1, 1, 2})
	require.NoError(t, err)
	defer part.Close()
	s, err := tpu.SystemOf(part)
	require.NoError(t, err)
	assert.True(t, s.Part)
	assert.Equal(t, []int{2, 2, 2}, s.Bounds)
	id, err := tpu.DeviceInSubslice(x, part, []int{0, 0, 0}, 1)
	require.NoError(t, err)
	assert.Equal(t, 1, id)
	other, err := tpu.WithHosts(x, []int{1, 1, 1})
	require.NoError(t, err)
	defer other.Close()
	chips, err := tpu.Chips(other)
	require.NoError(t, err)
	assert.Equal(t, 4, chips)
}

// A process, chip or device that does not exist is an error before libtpu sees it.
func TestAheadOfTimeWhatDoesNotExist(t *testing.T) {
	x := system(t, "v4:2x2x2")
	part, err := tpu.Subslice(x, []int{2, 2, 1}, []int{1, 1, 1})
	require.NoError(t, err)
	defer part.Close()
	for want, call := range map[string]func() error{
		"no process 2":              func() error { return second(tpu.DevicesOf(x, 2)) },
		"no process -1":             func() error { return second(tpu.ProcessAt(x, -1)) },
		"no chip 8":                 func() error { return second(tpu.PlaceOfChip(x, 8)) },
		"no chip 9":                 func() error { return second(tpu.Reachable(x, 0, 9)) },
		"no device 16":              func() error { return second(tpu.PlaceOfDevice(x, 16)) },
		"no device -4294967296":     func() error { _, _, err := tpu.ChipOf(x, -1<<32); return err },
		"have 3 coordinates, not 1": func() error { return second(tpu.ChipAt(x, []int{1})) },
		"no chip at [0 0 2]":        func() error { return second(tpu.ChipAt(x, []int{0, 0, 2})) },
		"no device index 2":         func() error { return second(tpu.DeviceAt(x, []int{0, 0, 0}, 2)) },
		"has 3 dimensions: [2]":     func() error { return second(tpu.Subslice(x, []int{2}, []int{1})) },
		"does not fit into a system of [2 2 2] chips": func() error {
			return second(tpu.Subslice(x, []int{2, 2, 2}, []int{1, 1, 2}))
		},
		"fit into a system of [2 2 2]":  func() error { return second(tpu.Subslice(x, []int{0, 1, 1}, []int{1, 1, 1})) },
		"cannot be [1 1 0] hosts":       func() error { return second(tpu.WithHosts(x, []int{1, 1, 0})) },
		"1 to 1048576 chips":            func() error { return second(tpu.WithHosts(x, []int{100, 100, 100})) },
		"cannot be [1 1 1099511627776]": func() error { return second(tpu.WithHosts(x, []int{1, 1, 1 << 40})) },
		"3 dimensions, not 2":           func() error { return second(tpu.WithHosts(x, []int{1, 1})) },
		"fit into a system of [2 2 2] chips at [1 0 0]": func() error {
			return second(tpu.DeviceInSubslice(x, part, []int{1, 0, 0}, 0))
		},
		"outside the part": func() error { return second(tpu.DeviceInSubslice(x, part, []int{0, 0, 1}, 0)) },
		"kind TPU v5 lite": func() error { return second(tpu.DeviceInSubslice(x, system(t, "v5e:2x2"), []int{0, 0, 0}, 0)) },
		"topology is nil":  func() error { return second(tpu.DeviceInSubslice(x, nil, []int{0, 0, 0}, 0)) },
	} {
		err := call()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		require.ErrorContains(t, err, want)
	}
}

func second[T any](_ T, err error) error { return err }

// A program describes a system of TPUs and finds one of its devices.
func ExampleSystemOf_aheadOfTime() {
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "tpu")
	if err != nil {
		log.Fatal(err)
	}
	topology, err := plugin.NewTopology(ctx, "v4:2x2x2", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer topology.Close()
	system, err := tpu.SystemOf(topology)
	if err != nil {
		log.Fatal(err)
	}
	coords, index, err := tpu.ChipOf(topology, 13)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(system.Chips, "chips in", system.Bounds)
	fmt.Println("device 13 is number", index, "on the chip at", coords)
	// Output:
	// 8 chips in [2 2 2]
	// device 13 is number 1 on the chip at [0 1 1]
}
