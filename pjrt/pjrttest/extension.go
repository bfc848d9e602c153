// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
)

// memoryLayout is one PJRT_Layouts_MemoryLayout.
type memoryLayout struct{ order order }

func (p *Plugin) newLayout(o order, owned bool) *capi.LayoutsMemoryLayout {
	return makeHandle[capi.LayoutsMemoryLayout](p, &memoryLayout{o}, owned)
}

func (p *Plugin) layoutDestroy(a *capi.LayoutsMemoryLayoutDestroyArgs) error {
	if a.Layout != nil && !isOwned(a.Layout) {
		if _, err := find[*memoryLayout](p, a.Layout); err != nil {
			return err
		}
		return invalid("the layout belongs to its executable, which destroys it")
	}
	return destroy[*memoryLayout](p, a.Layout, nil)
}

func (p *Plugin) layoutSerialize(a *capi.LayoutsMemoryLayoutSerializeArgs) error {
	l, err := find[*memoryLayout](p, a.Layout)
	if err != nil {
		return err
	}
	b := []byte(l.order.String())
	a.SerializedBytes, a.SerializedBytesSize = list(b)
	a.SerializedLayout = makeHandle[capi.LayoutsSerializedLayout](p, b, true)
	a.SerializedLayoutDeleter = capi.LayoutsMemoryLayoutSerializeArgsSerializedLayoutDeleter(deleter())
	return nil
}

func (p *Plugin) layoutOfBuffer(a *capi.LayoutsBufferMemoryLayoutArgs) error {
	return with(p, a.Buffer, func(b *buffer) { a.Layout = p.newLayout(b.order, true) })
}

func (p *Plugin) layoutDefaultOfClient(a *capi.LayoutsClientGetDefaultLayoutArgs) error {
	if _, err := find[*client](p, a.Client); err != nil {
		return err
	}
	shape, err := shapeOf(a.Type, a.Dims, a.NumDims)
	if err == nil {
		a.Layout = p.newLayout(rowMajor(len(shape.Dims)), true)
	}
	return err
}

func (p *Plugin) layoutDefaultOfTopology(a *capi.LayoutsTopologyGetDefaultLayoutArgs) error {
	if _, err := find[*topology](p, a.TopologyDescription); err != nil {
		return err
	}
	shape, err := shapeOf(a.Type, a.Dims, a.NumDims)
	if err == nil {
		a.Layout = p.newLayout(rowMajor(len(shape.Dims)), true)
	}
	return err
}

func (p *Plugin) layoutsOfOutputs(a *capi.LayoutsExecutableGetOutputLayoutsArgs) error {
	return with(p, a.Executable, func(e *executable) {
		e.makeLayouts()
		a.Layouts, a.NumOutputs = list(e.tables.outputLayouts)
	})
}

func (p *Plugin) layoutsOfParameters(a *capi.LayoutsExecutableGetParameterLayoutsArgs) error {
	return with(p, a.Executable, func(e *executable) {
		e.makeLayouts()
		a.Layouts, a.NumParameters = list(e.tables.inputLayouts)
	})
}

// makeLayouts makes the handles of an executable's layouts on the first call.
func (e *executable) makeLayouts() {
	e.tables.layouts.Do(func() {
		for _, o := range e.resultOrders {
			e.tables.outputLayouts = append(e.tables.outputLayouts, e.p.newLayout(o, false))
		}
		for _, o := range e.parameterOrders {
			e.tables.inputLayouts = append(e.tables.inputLayouts, e.p.newLayout(o, false))
		}
	})
}

// dropLayouts ends the handles of an executable's layouts.
func (e *executable) dropLayouts() {
	e.tables.layouts.Do(func() {})
	for _, l := range slices.Concat(e.tables.outputLayouts, e.tables.inputLayouts) {
		_, _ = drop[*memoryLayout](e.p, l)
	}
}

// The plugin knows no shardings; the extension allows it to say so.

func (p *Plugin) shardingsOfParameters(a *capi.ShardingsExecutableParameterShardingsArgs) error {
	return with(p, a.Executable, func(*executable) { a.NumParameters, a.Shardings, a.ShardingSizes = 0, nil, nil })
}

func (p *Plugin) shardingsOfOutputs(a *capi.ShardingsExecutableOutputShardingsArgs) error {
	return with(p, a.Executable, func(*executable) { a.NumOutputs, a.Shardings, a.ShardingSizes = 0, nil, nil })
}

func (p *Plugin) hostMemoryAllocate(a *capi.HostMemoryAllocatorAllocateArgs) error {
	if _, err := find[*client](p, a.Client); err != nil {
		return err
	}
	if a.Size == 0 {
		return invalid("an allocation must have at least 1 byte, not 0")
	}
	if a.Size > defaultMemory {
		return capi.ErrorCodeResourceExhausted.Errorf("an allocation of %d bytes is too large; the limit is %d bytes",
			a.Size, defaultMemory)
	}
	a.Ptr = share(p, "PJRT_HostMemoryAllocator allocation", aligned(int64(a.Size)))
	a.Deleter, a.DeleterArg = capi.HostMemoryAllocatorAllocateArgsDeleter(deleter()), 0
	return nil
}
