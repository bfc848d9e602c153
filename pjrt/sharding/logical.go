// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding

import (
	"errors"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// LogicalID is the place of a device in a program: the replica and the partition that
// it runs.
type LogicalID struct{ Replica, Partition int }

// LogicalIDs returns the places of the devices that exe.Devices returns, in the same
// order (PJRT_LoadedExecutable_AddressableDeviceLogicalIds, API 0.96). When the plugin
// does not implement that function, LogicalIDs derives them from exe.DeviceAssignment.
func LogicalIDs(exe *pjrt.LoadedExecutable) ([]LogicalID, error) {
	h, release, err := raw.AcquireLoadedExecutable(exe)
	if err != nil {
		return nil, err
	}
	defer release()
	c, err := capi.Do(raw.Table(exe.Client().Plugin()), capi.LoadedExecutableAddressableDeviceLogicalIDsArgs{Executable: h})
	if errors.Is(err, pjrt.ErrUnimplemented) {
		return assigned(exe)
	}
	if err != nil {
		return nil, err
	}
	var list []LogicalID
	for _, id := range capi.Slice(c.AddressableDeviceLogicalIDs, c.NumAddressableDeviceLogicalIDs) {
		list = append(list, LogicalID{int(id.Replica), int(id.Partition)})
	}
	return list, nil
}

// assigned looks up the devices of this process in the device assignment.
func assigned(exe *pjrt.LoadedExecutable) ([]LogicalID, error) {
	ids, err := exe.DeviceAssignment()
	if err != nil {
		return nil, err
	}
	at := make(map[int]LogicalID)
	for r, row := range ids {
		for p, id := range row {
			at[id] = LogicalID{r, p}
		}
	}
	var list []LogicalID
	for _, d := range exe.Devices() {
		if place, ok := at[d.ID()]; ok {
			list = append(list, place)
		}
	}
	return list, nil
}
