// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package tpu

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Chips returns the number of chips (PJRT_TpuTopology_ChipCount).
func Chips(t *pjrt.Topology) (int, error) {
	var c capi.Call[capi.TPUTopologyChipCountArgs]
	err := ask(t, &c, &c.Args.Topology)
	return int(c.Args.ChipCount), err
}

// Processes returns the number of processes that run a program on the whole system
// (PJRT_TpuTopology_ProcessCount).
func Processes(t *pjrt.Topology) (int, error) {
	var c capi.Call[capi.TPUTopologyProcessCountArgs]
	err := ask(t, &c, &c.Args.Topology)
	return int(c.Args.ProcessCount), err
}

// ChipsPerProcess returns the number of chips that each process uses
// (PJRT_TpuTopology_ChipsPerProcess).
func ChipsPerProcess(t *pjrt.Topology) (int, error) {
	var c capi.Call[capi.TPUTopologyChipsPerProcessArgs]
	err := ask(t, &c, &c.Args.Topology)
	return int(c.Args.ChipsPerProcess), err
}

// CoresPerChip returns the number of cores of the default type on a chip
// (PJRT_TpuTopology_CoreCountPerChip).
func CoresPerChip(t *pjrt.Topology) (int, error) {
	var c capi.Call[capi.TPUTopologyCoreCountPerChipArgs]
	err := ask(t, &c, &c.Args.Topology)
	return int(c.Args.CoreCountOfDefaultTypePerChip), err
}

// ask stores the handle of the topology in the field at, and makes the call.
func ask[A any](t *pjrt.Topology, c *capi.Call[A], at **capi.TopologyDescription) error {
	h, release, err := raw.AcquireTopology(t)
	if err != nil {
		return err
	}
	defer release()
	*at = h
	return c.Do(raw.TableOf(t))
}
