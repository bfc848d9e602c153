// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package tpu

import (
	"bytes"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// System describes how a system of TPUs is built.
type System struct {
	Chips, Cores, Devices int // in all
	Processes             int

	ChipsPerProcess, CoresPerProcess, DevicesPerProcess int
	CoresPerChip, DevicesPerChip                        int

	Bounds                []int // chips along each dimension
	ProcessBounds         []int // processes along each dimension
	ChipsPerProcessBounds []int // chips of a process along each dimension

	// Part says that the system is part of another one, such as Subslice returns.
	Part bool
	// EnhancedBarrier says that the chips have a faster barrier.
	EnhancedBarrier bool
	// LimitedICI says that the chips are not all connected to each other; see Reachable.
	LimitedICI bool
	// Routing is the name of the routing between chips, such as mesh. It is empty on plugins
	// before API 0.90.
	Routing string
}

// maxDims is more dimensions than any system has.
const maxDims = 8

// SystemOf returns how a system of TPUs is built.
func SystemOf(t *pjrt.Topology) (System, error) {
	var s System
	var err error
	number := func(to *int, count func(*pjrt.Topology) (int, error)) {
		if err == nil {
			*to, err = count(t)
		}
	}
	number(&s.Chips, Chips)
	number(&s.Processes, Processes)
	number(&s.ChipsPerProcess, ChipsPerProcess)
	number(&s.CoresPerChip, CoresPerChip)
	number(&s.Cores, cores)
	number(&s.Devices, devices)
	number(&s.CoresPerProcess, coresPerProcess)
	number(&s.DevicesPerProcess, devicesPerProcess)
	number(&s.DevicesPerChip, devicesPerChip)
	list := func(to *[]int, bounds func(*pjrt.Topology) ([]int, error)) {
		if err == nil {
			*to, err = bounds(t)
		}
	}
	list(&s.Bounds, chipBounds)
	list(&s.ProcessBounds, processBounds)
	list(&s.ChipsPerProcessBounds, chipsPerProcessBounds)
	if err != nil {
		return System{}, err
	}
	var part capi.Call[capi.TPUTopologyIsSubsliceTopologyArgs]
	var barrier capi.Call[capi.TPUTopologyIsEnhancedBarrierEnabledArgs]
	var limited capi.Call[capi.TPUTopologyHasLimitedICIConnectivityArgs]
	if err := ask(t, &part, &part.Args.Topology); err != nil {
		return System{}, err
	}
	if err := ask(t, &barrier, &barrier.Args.Topology); err != nil {
		return System{}, err
	}
	if err := ask(t, &limited, &limited.Args.Topology); err != nil {
		return System{}, err
	}
	s.Part, s.EnhancedBarrier = part.Args.IsSubsliceTopology, barrier.Args.IsEnhancedBarrierEnabled
	s.LimitedICI = limited.Args.HasLimitedICIConnectivity
	s.Routing, err = routing(t)
	return s, err
}

func cores(t *pjrt.Topology) (int, error) {
	var c capi.Call[capi.TPUTopologyCoreCountArgs]
	err := ask(t, &c, &c.Args.Topology)
	return int(c.Args.CoreCountOfDefaultType), err
}

func devices(t *pjrt.Topology) (int, error) {
	var c capi.Call[capi.TPUTopologyLogiDeviceCountArgs]
	err := ask(t, &c, &c.Args.Topology)
	return int(c.Args.LogicalDeviceCountOfDefaultType), err
}

func coresPerProcess(t *pjrt.Topology) (int, error) {
	var c capi.Call[capi.TPUTopologyCoreCountPerProcessArgs]
	err := ask(t, &c, &c.Args.Topology)
	return int(c.Args.CoreCountOfDefaultTypePerProcess), err
}

func devicesPerProcess(t *pjrt.Topology) (int, error) {
	var c capi.Call[capi.TPUTopologyLogiDeviceCountPerProcessArgs]
	err := ask(t, &c, &c.Args.Topology)
	return int(c.Args.LogicalDeviceCountOfDefaultTypePerProcess), err
}

func devicesPerChip(t *pjrt.Topology) (int, error) {
	var c capi.Call[capi.TPUTopologyLogiDeviceCountPerChipArgs]
	err := ask(t, &c, &c.Args.Topology)
	return int(c.Args.LogicalDeviceCountOfDefaultTypePerChip), err
}

func chipBounds(t *pjrt.Topology) ([]int, error) {
	var c capi.Call[capi.TPUTopologyChipBoundsArgs]
	room := make([]int32, maxDims)
	c.Args.ChipBounds, c.Args.ChipBoundsMaxDims = unsafe.SliceData(room), maxDims
	err := ask(t, &c, &c.Args.Topology)
	return filled(room, c.Args.ChipBoundsNumDims, err)
}

func processBounds(t *pjrt.Topology) ([]int, error) {
	var c capi.Call[capi.TPUTopologyProcessBoundsArgs]
	room := make([]int32, maxDims)
	c.Args.ProcessBounds, c.Args.ProcessBoundsMaxDims = unsafe.SliceData(room), maxDims
	err := ask(t, &c, &c.Args.Topology)
	return filled(room, c.Args.ProcessBoundsNumDims, err)
}

func chipsPerProcessBounds(t *pjrt.Topology) ([]int, error) {
	var c capi.Call[capi.TPUTopologyChipsPerProcessBoundsArgs]
	room := make([]int32, maxDims)
	c.Args.ChipPerProcessBounds, c.Args.ChipPerProcessBoundsMaxDims = unsafe.SliceData(room), maxDims
	err := ask(t, &c, &c.Args.Topology)
	return filled(room, c.Args.ChipPerProcessBoundsNumDims, err)
}

// routing returns the name of the routing strategy, or "" if the plugin is too old to report it.
func routing(t *pjrt.Topology) (string, error) {
	var c capi.Call[capi.TPUTopologyGetRoutingStrategyArgs]
	if !table(t).Has(c.Function()) {
		return "", nil
	}
	room := make([]byte, 256)
	c.Args.RoutingStrategy, c.Args.RoutingStrategyLen = unsafe.SliceData(room), uintptr(len(room))
	if err := ask(t, &c, &c.Args.Topology); err != nil {
		return "", err
	}
	name, _, _ := bytes.Cut(room[:min(c.Args.RoutingStrategyLen, uintptr(len(room)))], []byte{0})
	return string(name), nil
}

// filled returns the n numbers that a plugin has written into room.
func filled(room []int32, n uintptr, err error) ([]int, error) {
	if err != nil {
		return nil, err
	}
	list := make([]int, min(n, uintptr(len(room))))
	for i := range list {
		list[i] = int(room[i])
	}
	return list, nil
}
