// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// grid is the arrangement of a topology's chips, seen as a system of TPUs: the processes
// along each dimension, and the chips of a process along each dimension. A chip has one
// core, which is one device. Chips and devices have the same numbers, and those of a
// process follow one another.
type grid struct{ processes, chips []int32 }

// maxChips is the limit on the chips of a system, the same as on the devices of a topology.
const maxChips = 1 << 16

// grid returns the arrangement that the topology was made with. Without one, the chips of a
// process lie in the rectangle that is closest to a square, one process above the other.
func (t *topology) grid() (grid, error) {
	if t.form.Chips != nil {
		return grid{t.form.Hosts, t.form.Chips}, nil
	}
	n := t.form.Processes[0]
	if slices.ContainsFunc(t.form.Processes, func(other int) bool { return other != n }) {
		return grid{}, capi.ErrorCodeFailedPrecondition.Errorf("the processes have %v devices; those of a system of TPUs all have the "+
			"same number", t.form.Processes)
	}
	side := 1
	for i := 2; i*i <= n; i++ {
		if n%i == 0 {
			side = i
		}
	}
	return grid{[]int32{1, 1, int32(len(t.form.Processes))}, []int32{int32(side), int32(n / side), 1}}, nil
}

func product(list []int32) int32 {
	n := int32(1)
	for _, x := range list {
		n *= x
	}
	return n
}

// numberOf returns the number of a place within bounds; the first dimension changes fastest.
func numberOf(bounds, at []int32) int32 {
	n := int32(0)
	for d, x := range slices.Backward(at) {
		n = n*bounds[d] + x
	}
	return n
}

// placeOf is the reverse of numberOf.
func placeOf(bounds []int32, n int32) []int32 {
	at := make([]int32, len(bounds))
	for d, size := range bounds {
		at[d], n = n%size, n/size
	}
	return at
}

// bounds returns the number of chips along each dimension.
func (g grid) bounds() []int32 {
	all := slices.Clone(g.chips)
	for d, n := range g.processes {
		all[d] *= n
	}
	return all
}

func (g grid) numProcesses() int32  { return product(g.processes) }
func (g grid) numPerProcess() int32 { return product(g.chips) }
func (g grid) numChips() int32      { return g.numProcesses() * g.numPerProcess() }
func (g grid) numPerChip() int32    { return 1 }

// chip returns the number of the chip at coordinates.
func (g grid) chip(at []int32) int32 {
	process, within := make([]int32, len(at)), make([]int32, len(at))
	for d, x := range at {
		process[d], within[d] = x/g.chips[d], x%g.chips[d]
	}
	return numberOf(g.processes, process)*g.numPerProcess() + numberOf(g.chips, within)
}

// coordinates returns the place of a chip: the reverse of chip.
func (g grid) coordinates(chip int32) []int32 {
	at := placeOf(g.chips, chip%g.numPerProcess())
	for d, x := range placeOf(g.processes, chip/g.numPerProcess()) {
		at[d] += x * g.chips[d]
	}
	return at
}

// inside returns a caller's coordinates, or an error if they are not within bounds.
func inside(bounds []int32, coordinates *int32, n uintptr) ([]int32, error) {
	if coordinates == nil || n != uintptr(len(bounds)) {
		return nil, invalid("a place in a system of %v chips has %d coordinates, not %d", bounds, len(bounds), n)
	}
	at := slices.Clone(elements(coordinates, n))
	for d, x := range at {
		if x < 0 || x >= bounds[d] {
			return nil, invalid("there is no chip at %v in a system of %v chips", at, bounds)
		}
	}
	return at, nil
}

// below returns an error unless n is a number below count.
func below(what string, n, count int32) error {
	if n < 0 || n >= count {
		return invalid("there is no %s %d; the numbers are 0 to %d", what, n, count-1)
	}
	return nil
}

// sizes returns a caller's list of numbers of chips or processes, one for each dimension.
func (g grid) sizes(what string, list *int32, n uintptr) ([]int32, error) {
	if list == nil || n != uintptr(len(g.chips)) {
		return nil, invalid("the system has %d dimensions, but the %s have %d", len(g.chips), what, n)
	}
	all, total := slices.Clone(elements(list, n)), int32(1)
	for _, x := range all {
		if x < 1 || x > maxChips/total {
			return nil, invalid("%v is not a list of %s: each is at least 1, and all together are at most %d", all, what, maxChips)
		}
		total *= x
	}
	return all, nil
}

// fill stores a list in the caller's memory, which has room for some numbers.
func fill(list []int32, to *int32, room uintptr, n *uintptr) error {
	if to == nil || room < uintptr(len(list)) {
		return invalid("there is room for %d numbers, but there are %d: %v", room, len(list), list)
	}
	copy(elements(to, room), list)
	*n = uintptr(len(list))
	return nil
}

// sequence returns the n numbers from first on.
func sequence(first, n int32) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = first + int32(i)
	}
	return list
}

// gridOf returns the arrangement of a topology.
func (p *Plugin) gridOf(h *capi.TopologyDescription) (grid, error) {
	t, err := find[*topology](p, h)
	if err != nil {
		return grid{}, err
	}
	return t.grid()
}

// count32 stores a number that an arrangement has.
func (p *Plugin) count32(h *capi.TopologyDescription, to *int32, of func(grid) int32) error {
	g, err := p.gridOf(h)
	if err == nil {
		*to = of(g)
	}
	return err
}

// locate stores the process of a chip or device, and its place among those of the process.
func (p *Plugin) locate(h *capi.TopologyDescription, what string, id int32, process, index *int32) error {
	g, err := p.gridOf(h)
	if err != nil {
		return err
	}
	if err := below(what, id, g.numChips()); err != nil {
		return err
	}
	*process, *index = id/g.numPerProcess(), id%g.numPerProcess()
	return nil
}

// never answers a question about a topology with no.
func (p *Plugin) never(h *capi.TopologyDescription, answer *bool) error {
	_, err := find[*topology](p, h)
	if err == nil {
		*answer = false
	}
	return err
}

// rearranged makes a topology like t with other processes, or other chips for each process.
func (t *topology) rearranged(g grid, part bool) *capi.TopologyDescription {
	f := t.form
	f.Hosts, f.Chips, f.Part = g.processes, g.chips, part
	f.Processes = slices.Repeat([]int{int(g.numPerProcess())}, int(g.numProcesses()))
	return t.p.newTopology(f, true).handle
}

func (p *Plugin) subslice(a *capi.TPUTopologySubsliceArgs) error {
	t, err := find[*topology](p, a.Topology)
	if err != nil {
		return err
	}
	whole, err := t.grid()
	if err != nil {
		return err
	}
	var part grid
	if part.chips, err = whole.sizes("chips of a host", a.ChipsPerHostBounds, a.ChipsPerHostBoundsNumDims); err != nil {
		return err
	}
	if part.processes, err = whole.sizes("hosts", a.HostBounds, a.HostBoundsNumDims); err != nil {
		return err
	}
	bounds := whole.bounds()
	for d := range bounds {
		if part.chips[d] > bounds[d]/part.processes[d] {
			return invalid("a part of %v hosts with %v chips each does not fit into a system of %v chips",
				part.processes, part.chips, bounds)
		}
	}
	a.SubsliceTopology = t.rearranged(part, true)
	return nil
}

func (p *Plugin) isSubslice(a *capi.TPUTopologyIsSubsliceTopologyArgs) error {
	return with(p, a.Topology, func(t *topology) { a.IsSubsliceTopology = t.form.Part })
}

func (p *Plugin) subsliceDevice(a *capi.TPUTopologySubsliceDeviceIDFromFullDeviceIDArgs) error {
	whole, err := p.gridOf(a.ClientTopology)
	if err != nil {
		return err
	}
	part, err := p.gridOf(a.SubsliceTopology)
	if err != nil {
		return err
	}
	origin, err := inside(whole.bounds(), a.SubsliceOrigin, a.SubsliceOriginDimNum)
	if err != nil {
		return err
	}
	if err := below("device", a.FullDeviceID, whole.numChips()); err != nil {
		return err
	}
	at, bounds := whole.coordinates(a.FullDeviceID), part.bounds()
	if len(bounds) != len(at) {
		return invalid("a part with %d dimensions is not of a system with %d", len(bounds), len(at))
	}
	for d := range at {
		if at[d] -= origin[d]; at[d] < 0 || at[d] >= bounds[d] {
			return invalid("device %d is outside the part of %v chips at %v", a.FullDeviceID, bounds, origin)
		}
	}
	a.SubsliceDeviceID = part.chip(at)
	return nil
}

func (p *Plugin) replaceHostBounds(a *capi.TPUTopologyReplaceHostBoundsArgs) error {
	t, err := find[*topology](p, a.Topology)
	if err != nil {
		return err
	}
	g, err := t.grid()
	if err != nil {
		return err
	}
	if g.processes, err = g.sizes("hosts", a.HostBounds, a.HostBoundsDimNum); err != nil {
		return err
	}
	if g.numProcesses() > maxChips/g.numPerProcess() {
		return invalid("%v hosts with %v chips each are more than %d chips", g.processes, g.chips, maxChips)
	}
	a.NewTopology = t.rearranged(g, t.form.Part)
	return nil
}

// reachableChip says yes, because all chips are connected.
func (p *Plugin) reachableChip(a *capi.TPUTopologyIsReachableOverLimitedICIArgs) error {
	g, err := p.gridOf(a.Topology)
	for _, chip := range []int32{a.SourceChipID, a.DestChipID} {
		if err == nil {
			err = below("chip", chip, g.numChips())
		}
	}
	if err == nil {
		a.IsReachableOverLimitedICI = true
	}
	return err
}

func (p *Plugin) processIDs(a *capi.TPUTopologyProcessIDsArgs) error {
	g, err := p.gridOf(a.Topology)
	if err != nil {
		return err
	}
	return fill(sequence(0, g.numProcesses()), a.ProcessIDs, uintptr(max(a.MaxProcessIDs, 0)), &a.NumProcessIDs)
}

func (p *Plugin) devicesOfProcess(a *capi.TPUTopologyLogiDeviceIDsOnProcessArgs) error {
	g, err := p.gridOf(a.Topology)
	if err != nil {
		return err
	}
	if err := below("process", a.ProcessID, g.numProcesses()); err != nil {
		return err
	}
	n := g.numPerProcess()
	return fill(sequence(a.ProcessID*n, n), a.LogicalDeviceOfDefaultTypeIDs, uintptr(max(a.MaxLogicalDeviceIDs, 0)),
		&a.NumLogicalDeviceIDs)
}

func (p *Plugin) processCoordinates(a *capi.TPUTopologyProcessCoordFromIDArgs) error {
	g, err := p.gridOf(a.Topology)
	if err != nil {
		return err
	}
	if err := below("process", a.ProcessID, g.numProcesses()); err != nil {
		return err
	}
	return fill(placeOf(g.processes, a.ProcessID), a.Coords, a.CoordsMaxDims, &a.CoordsNumDims)
}

func (p *Plugin) chipAt(a *capi.TPUTopologyChipIDFromCoordArgs) error {
	g, err := p.gridOf(a.Topology)
	if err != nil {
		return err
	}
	at, err := inside(g.bounds(), a.Coords, a.CoordsNumDims)
	if err == nil {
		a.ChipID = g.chip(at)
	}
	return err
}

func (p *Plugin) deviceAt(a *capi.TPUTopologyLogiDeviceIDFromChipCoordAndIdxArgs) error {
	g, err := p.gridOf(a.Topology)
	if err != nil {
		return err
	}
	at, err := inside(g.bounds(), a.ChipCoords, a.ChipCoordsNumDims)
	if err != nil {
		return err
	}
	if err := below("device of a chip with the index", a.LogicalDeviceIndexOnChip, g.numPerChip()); err != nil {
		return err
	}
	a.LogicalDeviceOfDefaultTypeID = g.chip(at)
	return nil
}

func (p *Plugin) placeOfDevice(a *capi.TPUTopologyChipCoordAndIdxForLogiDeviceArgs) error {
	g, err := p.gridOf(a.Topology)
	if err != nil {
		return err
	}
	if err := below("device", a.DeviceID, g.numChips()); err != nil {
		return err
	}
	a.DeviceIndexOnChip = 0
	return fill(g.coordinates(a.DeviceID), a.ChipCoords, a.ChipCoordsMaxDims, &a.ChipCoordsNumDims)
}

// routing is the name of the routing strategy, with the zero byte that ends it.
const routing = "mesh\x00"

func (p *Plugin) routingStrategy(a *capi.TPUTopologyGetRoutingStrategyArgs) error {
	if _, err := find[*topology](p, a.Topology); err != nil {
		return err
	}
	if a.RoutingStrategy == nil || a.RoutingStrategyLen < uintptr(len(routing)) {
		return invalid("there is room for %d bytes, but the name of the routing strategy and its zero byte have %d",
			a.RoutingStrategyLen, len(routing))
	}
	a.RoutingStrategyLen = uintptr(copy(elements(a.RoutingStrategy, a.RoutingStrategyLen), routing))
	return nil
}

// tpuTopology returns the functions of the extension, except those that look up platforms
// by names, which this plugin does not have.
func (p *Plugin) tpuTopology() *serve.TPUTopologyExtension {
	return &serve.TPUTopologyExtension{
		Subslice:                         on(p, p.subslice),
		IsSubsliceTopology:               on(p, p.isSubslice),
		SubsliceDeviceIDFromFullDeviceID: on(p, p.subsliceDevice),
		ReplaceHostBounds:                on(p, p.replaceHostBounds),
		IsEnhancedBarrierEnabled: on(p, func(a *capi.TPUTopologyIsEnhancedBarrierEnabledArgs) error {
			return p.never(a.Topology, &a.IsEnhancedBarrierEnabled)
		}),
		HasLimitedICIConnectivity: on(p, func(a *capi.TPUTopologyHasLimitedICIConnectivityArgs) error {
			return p.never(a.Topology, &a.HasLimitedICIConnectivity)
		}),
		IsReachableOverLimitedICI: on(p, p.reachableChip),
		ProcessCount: on(p, func(a *capi.TPUTopologyProcessCountArgs) error {
			return p.count32(a.Topology, &a.ProcessCount, grid.numProcesses)
		}),
		ChipsPerProcess: on(p, func(a *capi.TPUTopologyChipsPerProcessArgs) error {
			return p.count32(a.Topology, &a.ChipsPerProcess, grid.numPerProcess)
		}),
		CoreCountPerChip: on(p, func(a *capi.TPUTopologyCoreCountPerChipArgs) error {
			return p.count32(a.Topology, &a.CoreCountOfDefaultTypePerChip, grid.numPerChip)
		}),
		ChipCount: on(p, func(a *capi.TPUTopologyChipCountArgs) error {
			return p.count32(a.Topology, &a.ChipCount, grid.numChips)
		}),
		CoreCount: on(p, func(a *capi.TPUTopologyCoreCountArgs) error {
			return p.count32(a.Topology, &a.CoreCountOfDefaultType, grid.numChips)
		}),
		LogicalDeviceCountPerProcess: on(p, func(a *capi.TPUTopologyLogiDeviceCountPerProcessArgs) error {
			return p.count32(a.Topology, &a.LogicalDeviceCountOfDefaultTypePerProcess, grid.numPerProcess)
		}),
		LogicalDeviceCount: on(p, func(a *capi.TPUTopologyLogiDeviceCountArgs) error {
			return p.count32(a.Topology, &a.LogicalDeviceCountOfDefaultType, grid.numChips)
		}),
		LogicalDeviceCountPerChip: on(p, func(a *capi.TPUTopologyLogiDeviceCountPerChipArgs) error {
			return p.count32(a.Topology, &a.LogicalDeviceCountOfDefaultTypePerChip, grid.numPerChip)
		}),
		CoreCountPerProcess: on(p, func(a *capi.TPUTopologyCoreCountPerProcessArgs) error {
			return p.count32(a.Topology, &a.CoreCountOfDefaultTypePerProcess, grid.numPerProcess)
		}),
		ProcessIDs:                on(p, p.processIDs),
		LogicalDeviceIDsOnProcess: on(p, p.devicesOfProcess),
		ProcIDAndIdxOnProcForChip: on(p, func(a *capi.TPUTopologyProcIDAndIdxOnProcForChipArgs) error {
			return p.locate(a.Topology, "chip", a.ChipID, &a.ProcessID, &a.IndexOnProcess)
		}),
		ProcIDAndIdxOnProcForLogiDevice: on(p, func(a *capi.TPUTopologyProcIDAndIdxOnProcForLogiDeviceArgs) error {
			return p.locate(a.Topology, "device", a.DeviceID, &a.ProcessID, &a.IndexOnProcess)
		}),
		ProcessCoordFromID:                 on(p, p.processCoordinates),
		ChipIDFromCoord:                    on(p, p.chipAt),
		LogicalDeviceIDFromChipCoordAndIdx: on(p, p.deviceAt),
		ChipCoordAndIdxForLogiDevice:       on(p, p.placeOfDevice),
		ChipsPerProcessBounds: on(p, func(a *capi.TPUTopologyChipsPerProcessBoundsArgs) error {
			return p.bounds(a.Topology, func(g grid) []int32 { return g.chips },
				a.ChipPerProcessBounds, a.ChipPerProcessBoundsMaxDims, &a.ChipPerProcessBoundsNumDims)
		}),
		ChipBounds: on(p, func(a *capi.TPUTopologyChipBoundsArgs) error {
			return p.bounds(a.Topology, grid.bounds, a.ChipBounds, a.ChipBoundsMaxDims, &a.ChipBoundsNumDims)
		}),
		ProcessBounds: on(p, func(a *capi.TPUTopologyProcessBoundsArgs) error {
			return p.bounds(a.Topology, func(g grid) []int32 { return g.processes },
				a.ProcessBounds, a.ProcessBoundsMaxDims, &a.ProcessBoundsNumDims)
		}),
		GetRoutingStrategy: on(p, p.routingStrategy),
	}
}

// bounds stores the sizes of an arrangement along each dimension.
func (p *Plugin) bounds(h *capi.TopologyDescription, of func(grid) []int32, to *int32, room uintptr, n *uintptr) error {
	g, err := p.gridOf(h)
	if err != nil {
		return err
	}
	return fill(of(g), to, room, n)
}
