// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/go-xla/types/shardy"
)

// DistributedSPMD makes each of several devices run the program on its own data. Each
// parameter then takes an argument for each device.
func (b *Builder) DistributedSPMD(numDevices int) error {
	if err := b.open(); err != nil {
		return err
	}
	if numDevices < 1 || numDevices > b.backend.NumDevices() {
		return errorf("the program cannot run on %d devices: there are %d", numDevices, b.backend.NumDevices())
	}
	if b.devices != nil && len(b.devices) != numDevices {
		return errorf("the program is for %d devices, and %d are assigned to it", numDevices, len(b.devices))
	}
	b.spread, b.numDevices = replicas, numDevices
	return nil
}

// DistributedAutoSharding makes Shardy spread the program over the devices of the
// meshes, as the shardings of parameters and results say.
func (b *Builder) DistributedAutoSharding(meshes ...compute.Mesh) error {
	if err := b.open(); err != nil {
		return err
	}
	if len(meshes) == 0 {
		return errorf("there is no mesh to spread the program %q over", b.name)
	}
	if b.dynamic() || len(b.functions[0].parameters) > 0 {
		return errorf("the program %q already has parameters: call DistributedAutoSharding first", b.name)
	}
	numDevices := 0
	byName := make(map[string]*shardy.DeviceMesh, len(meshes))
	list := make([]*shardy.DeviceMesh, len(meshes))
	for i, m := range meshes {
		mesh, err := shardy.NewDeviceMesh(m.Name, m.AxesSizes, m.AxesNames)
		if err != nil {
			return wrapf(err, "mesh %q", m.Name)
		}
		if len(m.LogicalDeviceAssignment) > 0 {
			if err := mesh.SetLogicalDeviceAssignment(m.LogicalDeviceAssignment...); err != nil {
				return wrapf(err, "mesh %q", m.Name)
			}
		}
		if mesh.NumDevices() > b.backend.NumDevices() {
			return errorf("the mesh %q has %d devices, and there are %d", m.Name, mesh.NumDevices(), b.backend.NumDevices())
		}
		numDevices = max(numDevices, mesh.NumDevices())
		list[i], byName[m.Name] = mesh, mesh
	}
	if b.devices != nil && len(b.devices) != numDevices {
		return errorf("the program is for %d devices, and %d are assigned to it", numDevices, len(b.devices))
	}
	b.spread, b.numDevices, b.meshes = sharded, numDevices, byName
	for _, in := range b.instances {
		in.module.WithShardy(list...)
	}
	return nil
}

// DeviceAssignment says which devices the program runs on; without it, they are the first
// ones.
func (b *Builder) DeviceAssignment(devices ...compute.DeviceNum) error {
	if err := b.open(); err != nil {
		return err
	}
	if len(devices) != b.numDevices {
		return errorf("the program is for %d devices, not %d", b.numDevices, len(devices))
	}
	for i, d := range devices {
		if _, err := b.backend.device(d); err != nil {
			return err
		}
		for _, other := range devices[:i] {
			if other == d {
				return errorf("device %d is assigned to the program twice", d)
			}
		}
	}
	b.devices = append(b.devices[:0:0], devices...)
	return nil
}

// sharding returns spec in Shardy's form, or nil for nil.
func (b *Builder) sharding(spec *compute.ShardingSpec) (*shardy.ShardingSpec, error) {
	// Other programs see only a device's part, whatever it is a part of.
	if spec == nil || b.spread != sharded {
		return nil, nil
	}
	mesh := b.meshes[spec.Mesh]
	if mesh == nil {
		return nil, errorf("the program has no mesh %q", spec.Mesh)
	}
	s := shardy.NewShardingSpec(mesh)
	for _, axes := range spec.Axes {
		if len(axes) == 0 {
			s.AddReplicated()
		} else {
			s.AddShardedAxis(axes...)
		}
	}
	return s, nil
}

// AllReduce adds the combination of the operands over the devices of each group; the
// numbers of the devices are positions in the device assignment.
func (f *Function) AllReduce(operands []compute.Value, reduction compute.ReduceOpType, groups [][]int) ([]compute.Value, error) {
	const op = compute.OpTypeAllReduce
	for _, group := range groups {
		if len(group) != len(groups[0]) {
			return nil, errorf("%s: the groups %v have different sizes", op, groups)
		}
	}
	if len(groups) == 0 {
		return nil, errorf("%s: there are no groups of devices", op)
	}
	combine, err := reductionOf(reduction)
	if err != nil {
		return nil, err
	}
	groups = cloneAll(groups)
	return f.all(op, func(g *function, nodes []*node) ([]*stablehlo.Value, error) {
		// One operation takes operands of one dtype.
		byType := make(map[dtypes.DType][]int)
		var order []dtypes.DType
		for i, n := range nodes {
			if _, seen := byType[n.shape.DType]; !seen {
				order = append(order, n.shape.DType)
			}
			byType[n.shape.DType] = append(byType[n.shape.DType], i)
		}
		results := make([]*stablehlo.Value, len(nodes))
		for _, t := range order {
			fn, err := g.combiner(t, combine)
			if err != nil {
				return nil, err
			}
			var values []*stablehlo.Value
			for _, i := range byType[t] {
				values = append(values, nodes[i].value)
			}
			outs, err := stablehlo.AllReduce(values, groups, fn)
			if err != nil {
				return nil, err
			}
			for k, i := range byType[t] {
				results[i] = outs[k]
			}
		}
		return results, nil
	}, operands...)
}

// cloneAll returns a copy of lists.
func cloneAll(lists [][]int) [][]int {
	copies := make([][]int, len(lists))
	for i, list := range lists {
		copies[i] = slices.Clone(list)
	}
	return copies
}
