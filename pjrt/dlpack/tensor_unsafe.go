// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dlpack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// managedTensor is DLManagedTensor.
type managedTensor struct {
	data       uintptr
	deviceType int32
	deviceID   int32
	ndim       int32
	code       uint8
	bits       uint8
	lanes      uint16
	shape      *int64
	strides    *int64 // in elements; nil means row-major
	byteOffset uint64
	context    uintptr
	deleter    uintptr
}

// exported holds the tensors that are not released yet.
var exported struct {
	mu      sync.Mutex
	tensors map[*managedTensor]*Tensor // guarded by mu
}

// Tensor is a buffer as a DLManagedTensor. It holds the memory of the buffer until it is released,
// either by Close or by the other library, which calls its deleter.
type Tensor struct {
	managed   *managedTensor
	dims      []int64
	strides   []int64
	reference *pjrt.Reference
	taken     bool // by Import or Copy; guarded by exported.mu
}

// deleter is the C function that other libraries call. All tensors share one, because purego never
// frees a callback.
var deleter = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(m *managedTensor) uintptr {
		// Do not call the plugin on a thread of the other library.
		go release(m)
		return 0
	})
})

func release(m *managedTensor) {
	exported.mu.Lock()
	t := exported.tensors[m]
	delete(exported.tensors, m)
	if t != nil {
		m.data = 0 // so that nobody takes it
	}
	exported.mu.Unlock()
	if t != nil {
		t.reference.Close()
	}
}

// Export waits until the buffer is ready and returns it as a tensor. The memory stays valid until
// the tensor is released, even if the buffer is closed or deleted, and until then no execution
// consumes it. Each side sees what the other writes.
//
// Export returns an error for buffers that DLPack cannot describe: those in the memory of a TPU,
// with tiled layouts, or with elements narrower than a byte.
func Export(ctx context.Context, b *pjrt.Buffer) (*Tensor, error) {
	if b == nil {
		return nil, errors.New("dlpack: the buffer is nil")
	}
	return abandon.Call(ctx, func() (*Tensor, error) { return export(ctx, b) }, (*Tensor).Close)
}

// export is Export on a goroutine that may block in C.
func export(ctx context.Context, b *pjrt.Buffer) (*Tensor, error) {
	shape := b.Shape()
	d, ok := toDLPack[shape.Type]
	if !ok {
		return nil, fmt.Errorf("dlpack: DLPack cannot describe elements of type %v", shape.Type)
	}
	device, err := b.Device()
	if err != nil {
		return nil, err
	}
	kind, id, err := deviceOf(b, device)
	if err != nil {
		return nil, err
	}
	layout, err := b.Layout()
	if err != nil {
		return nil, err
	}
	strides, err := stridesOf(shape, layout)
	if err != nil {
		return nil, err
	}
	reference, err := b.Reference(ctx)
	if err != nil {
		return nil, err
	}
	address, err := reference.Address()
	if err != nil {
		reference.Close()
		return nil, err
	}
	t := &Tensor{dims: shape.Dims, strides: strides, reference: reference}
	t.managed = &managedTensor{
		data: address, deviceType: kind, deviceID: id, ndim: int32(len(shape.Dims)),
		code: d.code, bits: d.bits, lanes: 1,
		shape: unsafe.SliceData(t.dims), strides: unsafe.SliceData(t.strides), deleter: deleter(),
	}
	exported.mu.Lock()
	defer exported.mu.Unlock()
	if exported.tensors == nil {
		exported.tensors = make(map[*managedTensor]*Tensor)
	}
	exported.tensors[t.managed] = t
	return t, nil
}

// Address returns the address of the DLManagedTensor. A library that takes it owns the tensor. The
// address is valid until the tensor is released.
func (t *Tensor) Address() uintptr {
	if t == nil {
		return 0
	}
	return uintptr(unsafe.Pointer(t.managed))
}

// Close releases a tensor that no library has taken. Closing a released tensor does nothing, nor
// does closing one that [Import] or [Copy] took. Do not close a tensor that another library took:
// it would lose the memory that it uses.
func (t *Tensor) Close() error {
	if t == nil {
		return nil
	}
	exported.mu.Lock()
	taken := t.taken
	exported.mu.Unlock()
	if !taken {
		release(t.managed)
	}
	return nil
}

// take notes that a tensor, if it is of this package, has an owner, who calls its deleter. undo
// gives it back.
func take(m *managedTensor) (undo func(), err error) {
	exported.mu.Lock()
	defer exported.mu.Unlock()
	t := exported.tensors[m]
	if t == nil {
		return func() {}, nil
	}
	if t.taken {
		return nil, errors.New("dlpack: the tensor is taken already: export the buffer again")
	}
	t.taken = true
	return func() {
		exported.mu.Lock()
		defer exported.mu.Unlock()
		t.taken = false
	}, nil
}

// Import makes a buffer from another library's DLManagedTensor. The buffer is on the client's
// device with the tensor's number, and uses the tensor's memory. On success the buffer owns the
// tensor, and calls its deleter when the plugin no longer uses the memory. If sharing the memory is
// impossible, Import returns an error, and the caller still owns the tensor: CPU plugins want it
// aligned to 64 bytes, which NumPy's arrays are not. Copy takes them.
//
// Import trusts that address points to a DLManagedTensor. The contents must be complete: DLPack has
// no way to report pending writes.
func Import(ctx context.Context, client *pjrt.Client, address uintptr) (*pjrt.Buffer, error) {
	m, shape, err := tensorAt(client, address)
	if err != nil {
		return nil, err
	}
	if shape.Type.IsSubByte() {
		return nil, fmt.Errorf("dlpack: the elements of %v are packed in another way: use Copy", shape)
	}
	kind, id := m.deviceType, m.deviceID
	device, err := abandon.Call(ctx, func() (*pjrt.Device, error) { return findDevice(client, kind, id) },
		func(*pjrt.Device) error { return nil })
	if err != nil {
		return nil, err
	}
	layout, err := layoutOf(shape, m.stridesOf())
	if err != nil {
		return nil, err
	}
	undo, err := take(m)
	if err != nil {
		return nil, err
	}
	b, err := raw.ViewOfDeviceMemory(ctx, client, m.data+uintptr(m.byteOffset), shape, &pjrt.ViewOptions{
		Device: device, Layout: layout,
		OnDelete: func() {
			if m.deleter != 0 {
				purego.SyscallN(m.deleter, address)
			}
		},
	})
	if err != nil {
		undo()
	}
	return b, err
}

// Copy makes a buffer with a copy of a tensor that is in the memory of the host, on the client's
// first device. The memory may lie anywhere and have gaps, and the elements may be integers of 4
// bits, packed in pairs with the first one in the low bits. On success Copy has called the
// tensor's deleter; after an error the caller still owns the tensor. Otherwise it is like Import.
func Copy(ctx context.Context, client *pjrt.Client, address uintptr) (*pjrt.Buffer, error) {
	m, shape, err := tensorAt(client, address)
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]int32{deviceCPU, deviceCUDAHost, deviceROCmHost}, m.deviceType) {
		return nil, fmt.Errorf("dlpack: the tensor is on a device of type %d, which the host may be unable to read: use Import",
			m.deviceType)
	}
	undo, err := take(m)
	if err != nil {
		return nil, err
	}
	data, err := m.gather(shape)
	if err != nil {
		undo()
		return nil, err
	}
	b, err := client.BufferFromHost(ctx, pjrt.HostArray{Type: shape.Type, Dims: shape.Dims, Data: data}, nil)
	if err != nil {
		undo()
		return nil, err
	}
	if m.deleter != 0 {
		purego.SyscallN(m.deleter, address)
	}
	return b, nil
}

// tensorAt returns the tensor at an address, and its shape.
func tensorAt(client *pjrt.Client, address uintptr) (*managedTensor, pjrt.Shape, error) {
	var none pjrt.Shape
	if client == nil {
		return nil, none, errors.New("dlpack: the client is nil")
	}
	if address == 0 || address%unsafe.Alignof(managedTensor{}) != 0 {
		return nil, none, fmt.Errorf("dlpack: %#x is not the address of a tensor", address)
	}
	m := *(**managedTensor)(unsafe.Pointer(&address))
	if m.ndim < 0 || m.ndim > maxRank || m.ndim > 0 && m.shape == nil {
		return nil, none, fmt.Errorf("dlpack: the tensor has %d dimensions", m.ndim)
	}
	t, ok := fromDLPack[element{m.code, m.bits}]
	if !ok || m.lanes != 1 {
		return nil, none, fmt.Errorf("dlpack: PJRT has no type for %d lanes of type code %d with %d bits", m.lanes, m.code, m.bits)
	}
	shape := pjrt.Shape{Type: t, Dims: slices.Clone(unsafe.Slice(m.shape, m.ndim))}
	size, err := shape.HostSize()
	if err != nil {
		return nil, none, fmt.Errorf("dlpack: %w", err)
	}
	if m.data == 0 && size > 0 {
		return nil, none, errors.New("dlpack: the tensor has no data")
	}
	return m, shape, nil
}

// stridesOf returns the distances between elements, in elements; nil means row-major.
func (m *managedTensor) stridesOf() []int64 {
	if m.strides == nil {
		return nil
	}
	return unsafe.Slice(m.strides, m.ndim)
}

// gather copies the elements of a tensor in the memory of the host, in the form of HostArray.Data.
func (m *managedTensor) gather(shape pjrt.Shape) ([]byte, error) {
	n, err := shape.Len()
	if err != nil || n == 0 {
		return nil, err
	}
	start := m.data + uintptr(m.byteOffset)
	first := *(*unsafe.Pointer)(unsafe.Pointer(&start))
	strides := m.stridesOf()
	if layout, err := layoutOf(shape, strides); err == nil && layout == nil {
		strides = nil // row-major
	}
	if shape.Type.IsSubByte() {
		if strides != nil {
			return nil, fmt.Errorf("dlpack: packed elements with the strides %v have no defined place: copy the array on the other side", strides)
		}
		data := make([]byte, n)
		for i, b := range unsafe.Slice((*byte)(first), (n+1)/2) {
			data[2*i] = b & 0xf
			if 2*i+1 < n {
				data[2*i+1] = b >> 4
			}
		}
		return data, nil
	}
	size := shape.Type.Size()
	data := make([]byte, n*size)
	if strides == nil {
		copy(data, unsafe.Slice((*byte)(first), len(data)))
		return data, nil
	}
	index, at := make([]int64, len(shape.Dims)), int64(0)
	for to := data; len(to) > 0; to = to[size:] {
		copy(to[:size], unsafe.Slice((*byte)(unsafe.Add(first, at*int64(size))), size))
		// Increment the last index. An index that reaches its dimension goes back to 0 and carries.
		for d := len(index) - 1; d >= 0; d-- {
			index[d]++
			at += strides[d]
			if index[d] < shape.Dims[d] {
				break
			}
			at -= strides[d] * index[d]
			index[d] = 0
		}
	}
	return data, nil
}
