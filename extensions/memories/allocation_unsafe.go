// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package memories

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Allocation is host memory that a plugin allocated. Its methods may be called from any
// goroutine.
type Allocation struct {
	size int
	ref  *lifetime.Ref[uint8]
}

// AllocateOptions are the options of [Allocate].
type AllocateOptions struct {
	// Node is the number of the NUMA node on which to allocate the memory.
	Node int
}

// maxSize is more bytes than any machine's memory has.
const maxSize = 1 << 50

// Allocate allocates size bytes of host memory near the devices of a client
// (PJRT_HostMemoryAllocator_Allocate). Their contents are undefined. The caller closes the memory.
// opts may be nil.
func Allocate(c *pjrt.Client, size int, opts *AllocateOptions) (*Allocation, error) {
	h, release, err := raw.AcquireClient(c)
	if err != nil {
		return nil, err
	}
	defer release()
	node := 0
	if opts != nil {
		node = opts.Node
	}
	if size < 1 || size > maxSize {
		return nil, pjrt.ErrInvalidArgument.Errorf("cannot allocate %d bytes", size)
	}
	if node < 0 || int(int32(node)) != node {
		return nil, pjrt.ErrInvalidArgument.Errorf("there is no NUMA node %d", node)
	}
	call, err := capi.Do(raw.TableOf(c), capi.HostMemoryAllocatorAllocateArgs{Client: h, Size: uintptr(size), NumaNode: int32(node)})
	if err != nil {
		return nil, err
	}
	if call.Ptr == nil {
		return nil, call.Function().Misbehaved("returned no memory")
	}
	deleter, arg := call.Deleter, call.DeleterArg
	return &Allocation{size, lifetime.New("host memory", call.Ptr, raw.Parent(c), func(p *uint8) {
		deleter.Call(unsafe.Pointer(p), arg)
	})}, nil
}

// Size returns the number of bytes.
func (m *Allocation) Size() int {
	if m == nil {
		return 0
	}
	return m.size
}

// Use calls fn with the memory, which stays valid until fn returns, even if it is closed
// meanwhile. fn must not keep the slice: the memory is not Go's.
func (m *Allocation) Use(fn func(b []byte) error) error {
	if m == nil || m.ref == nil {
		return pjrt.ErrInvalidArgument.Errorf("the memory is nil: allocate some")
	}
	if fn == nil {
		return pjrt.ErrInvalidArgument.Errorf("the function to use the memory is nil")
	}
	p, err := m.ref.Acquire()
	if err != nil {
		return err
	}
	defer m.ref.Release()
	return fn(unsafe.Slice(p, m.size))
}

// Close frees the memory, once nothing uses it. Closing again does nothing.
func (m *Allocation) Close() error {
	if m == nil || m.ref == nil {
		return nil
	}
	return m.ref.Close()
}
