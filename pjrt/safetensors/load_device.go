// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// Arrays for a device with a memory of its own pass through stages, of which each of some
// goroutines has one. Many small pieces are faster than few large ones: what is read stays in the
// processor's caches until the plugin has taken it, and a plugin that copies it first needs less
// memory for that.
const (
	stages     = 8
	stagePiece = 2 << 20
	stageSize  = 4 * stagePiece
)

// stage is memory of the host that data passes through.
type stage struct {
	data    []byte
	mapping *transfer.Mapping // nil if the plugin maps no memory
}

func (l *loader) newStage() (*stage, error) {
	s := &stage{data: pjrt.AlignedSlice[uint8](stageSize)}
	var err error
	if s.mapping, err = transfer.MapDMA(l.client, s.data); err != nil && !errors.Is(err, pjrt.ErrUnimplemented) {
		return nil, err
	}
	return s, nil
}

func (s *stage) close() {
	if s != nil && s.mapping != nil {
		_ = s.mapping.Close() // the package keeps memory that the plugin does not let go
	}
}

// loadOnDevice loads arrays to a device with a memory of its own. While one goroutine reads,
// another's transfer is under way. The largest arrays come first, so that none is still on its way
// alone when all others have arrived.
func (l *loader) loadOnDevice(jobs []*job) error {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(x, y *job) int { return cmp.Compare(y.size, x.size) })
	list := make([]*stage, stages)
	defer func() {
		for _, s := range list {
			s.close()
		}
	}()
	return inParallel(jobs, stages, func(worker int, j *job) error {
		if list[worker] == nil {
			s, err := l.newStage()
			if err != nil {
				return err
			}
			list[worker] = s
		}
		err := l.pass(j, list[worker])
		if err != nil {
			return j.failed(err)
		}
		return nil
	})
}

// pass loads an array through a stage.
func (l *loader) pass(j *job, s *stage) error {
	if j.size > stageSize {
		if done, err := l.passPieces(j, s); done || err != nil {
			return err
		}
		// The plugin takes whole arrays only, so this one needs more memory.
		s = &stage{data: pjrt.AlignedSlice[uint8](int(j.size))}
	}
	for _, p := range pieces([]*job{j}, stagePiece) {
		if err := l.read(p, s.data[p.offset:][:p.size]); err != nil {
			return err
		}
	}
	a := pjrt.HostArray{Type: j.shape.Type, Dims: j.shape.Dims, Data: s.data[:j.size]}
	var err error
	j.buffer, err = l.client.BufferFromHost(l.ctx, a, &pjrt.BufferOptions{
		Device: l.opts.Device, Memory: l.opts.Memory, Semantics: pjrt.OnlyDuringCall,
	})
	return err
}

// passPieces loads an array in pieces, one of which is on its way to the device while the next is
// read. It reports false if the plugin does not take pieces of row-major arrays.
func (l *loader) passPieces(j *job, s *stage) (done bool, err error) {
	shape := pjrt.Shape{Type: j.shape.Type, Dims: j.shape.Dims}
	m, err := transfer.NewManager(l.ctx, l.client, []pjrt.Shape{shape}, &transfer.ManagerOptions{
		Device: l.opts.Device, Memory: l.opts.Memory, Layouts: []*pjrt.Layout{pjrt.RowMajor(len(shape.Dims))},
	})
	if errors.Is(err, pjrt.ErrUnimplemented) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer m.Close()
	b, err := m.Buffer(0)
	if err != nil {
		return false, err
	}
	defer func() {
		if !done || err != nil {
			b.Close()
		}
	}()
	if dense, err := isDense(m, b, j.size); err != nil || !dense {
		return false, err
	}
	var sent [stageSize / stagePiece]*pjrt.Event
	defer func() {
		// The stage must not change or go before the plugin has read it.
		for _, e := range sent {
			if e != nil {
				_ = e.Wait(context.Background()) // the buffer has the error
				e.Close()
			}
		}
	}()
	for i, p := range pieces([]*job{j}, stagePiece) {
		slot := i % len(sent)
		if e := sent[slot]; e != nil {
			sent[slot] = nil
			err := e.Wait(context.Background())
			e.Close()
			if err != nil {
				return true, err
			}
		}
		data := s.data[slot*stagePiece:][:p.size]
		if err := l.read(p, data); err != nil {
			return true, err
		}
		if sent[slot], err = m.Send(0, data, p.offset, p.offset+int64(p.size) == j.size); err != nil {
			return true, err
		}
	}
	j.buffer = b
	return true, nil
}

// isDense reports whether the array lies on the device as it lies in the file.
func isDense(m *transfer.Manager, b *pjrt.Buffer, size int64) (bool, error) {
	n, err := m.Size(0)
	if err != nil || n != size {
		return false, err
	}
	layout, err := b.Layout()
	if errors.Is(err, pjrt.ErrUnimplemented) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if len(layout.Tiles) > 0 || layout.Strides != nil {
		return false, nil
	}
	for i, d := range layout.MinorToMajor {
		if d != len(layout.MinorToMajor)-1-i {
			return false, nil
		}
	}
	return true, nil
}
