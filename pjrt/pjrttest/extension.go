// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
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
		return invalid("the layout is its executable's, and goes with it")
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
	b, err := find[*buffer](p, a.Buffer)
	if err == nil {
		a.Layout = p.newLayout(b.order, true)
	}
	return err
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
	e, err := find[*executable](p, a.Executable)
	if err == nil {
		e.makeLayouts()
		a.Layouts, a.NumOutputs = list(e.tables.outputLayouts)
	}
	return err
}

func (p *Plugin) layoutsOfParameters(a *capi.LayoutsExecutableGetParameterLayoutsArgs) error {
	e, err := find[*executable](p, a.Executable)
	if err == nil {
		e.makeLayouts()
		a.Layouts, a.NumParameters = list(e.tables.inputLayouts)
	}
	return err
}

// makeLayouts makes the handles of an executable's layouts, once.
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

// The plugin does not know of shardings: it says so, as the extension allows.

func (p *Plugin) shardingsOfParameters(a *capi.ShardingsExecutableParameterShardingsArgs) error {
	_, err := find[*executable](p, a.Executable)
	if err == nil {
		a.NumParameters, a.Shardings, a.ShardingSizes = 0, nil, nil
	}
	return err
}

func (p *Plugin) shardingsOfOutputs(a *capi.ShardingsExecutableOutputShardingsArgs) error {
	_, err := find[*executable](p, a.Executable)
	if err == nil {
		a.NumOutputs, a.Shardings, a.ShardingSizes = 0, nil, nil
	}
	return err
}

// rawBuffer is one PJRT_RawBuffer.
type rawBuffer struct {
	in       *memory
	shape    pjrt.Shape
	contents *contents
	size     int64
}

func (p *Plugin) rawBufferCreate(a *capi.RawBufferCreateRawAliasOfBufferArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	c, err := b.use()
	if err != nil {
		return err
	}
	a.RawBuffer = makeHandle[capi.RawBuffer](p, &rawBuffer{b.in, b.shape, c, b.size}, true)
	return nil
}

func (p *Plugin) rawBufferDestroy(a *capi.RawBufferDestroyArgs) error {
	return destroy(p, a.Buffer, func(r *rawBuffer) { r.contents.release() })
}

func (p *Plugin) rawBufferSize(a *capi.RawBufferGetOnDeviceSizeInBytesArgs) error {
	r, err := find[*rawBuffer](p, a.Buffer)
	if err == nil {
		a.OnDeviceSizeInBytes = uintptr(r.size)
	}
	return err
}

func (p *Plugin) rawBufferMemory(a *capi.RawBufferGetMemorySpaceArgs) error {
	r, err := find[*rawBuffer](p, a.Buffer)
	if err == nil {
		a.MemorySpace = r.in.handle
	}
	return err
}

func (p *Plugin) rawBufferHostPointer(a *capi.RawBufferGetHostPointerArgs) error {
	r, err := find[*rawBuffer](p, a.Buffer)
	if err != nil {
		return err
	}
	<-r.contents.ready.done
	if err, _ := r.contents.ready.result(); err != nil {
		return err
	}
	a.HostPointer = nil
	if r.in.host {
		a.HostPointer = r.contents.data.pointer()
	}
	return nil
}

// window checks a range of the bytes.
func (r *rawBuffer) window(offset, size int64, host bool) error {
	if offset < 0 || size < 0 || offset > r.size || size > r.size-offset {
		return invalid("%d bytes from byte %d on reach beyond the buffer's %d", size, offset, r.size)
	}
	if !host && size > 0 {
		return invalid("the host memory of %d bytes is null", size)
	}
	return nil
}

func (p *Plugin) rawBufferToDevice(a *capi.RawBufferCopyRawHostToDeviceArgs) error {
	r, err := find[*rawBuffer](p, a.Buffer)
	if err != nil {
		return err
	}
	if err := r.window(a.Offset, a.TransferSize, a.Src != nil); err != nil {
		return err
	}
	src, offset := hostBytes(a.Src, a.TransferSize), a.Offset
	a.Event = p.transfer(a.Function().Name, r.in, r.contents.use(), func() { copy(r.contents.data.bytes[offset:], src) })
	return nil
}

func (p *Plugin) rawBufferToHost(a *capi.RawBufferCopyRawDeviceToHostArgs) error {
	r, err := find[*rawBuffer](p, a.Buffer)
	if err != nil {
		return err
	}
	if err := r.window(a.Offset, a.TransferSize, a.Dst != nil); err != nil {
		return err
	}
	dst, offset := hostBytes(a.Dst, a.TransferSize), a.Offset
	a.Event = p.transfer(a.Function().Name, r.in, r.contents.use(), func() { copy(dst, r.contents.data.bytes[offset:]) })
	return nil
}

func (p *Plugin) hostMemoryAllocate(a *capi.HostMemoryAllocatorAllocateArgs) error {
	if _, err := find[*client](p, a.Client); err != nil {
		return err
	}
	if a.Size == 0 {
		return invalid("an allocation of 0 bytes")
	}
	if a.Size > defaultMemory {
		return failed(capi.ErrorCodeResourceExhausted, "an allocation of %d bytes is too large; at most %d are given", a.Size, defaultMemory)
	}
	a.Ptr = shareBytes(p, "PJRT_HostMemoryAllocator allocation", aligned(int64(a.Size)))
	a.Deleter, a.DeleterArg = capi.HostMemoryAllocatorAllocateArgsDeleter(deleter()), 0
	return nil
}
