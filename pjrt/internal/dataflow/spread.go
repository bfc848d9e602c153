// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

// Spread is what a program itself says about the devices it is for.
type Spread struct {
	// Replicas and Partitions are the attributes mhlo.num_replicas and mhlo.num_partitions of an
	// MLIR module, or the extents of the device assignment of a module of HLO; 0 if it does not
	// have them.
	Replicas, Partitions int64
	// Mesh is the number of devices in the largest of Shardy's meshes, 0 if there are none.
	Mesh int64
	// Shardy says that the module has attributes or operations of Shardy.
	Shardy bool
}
