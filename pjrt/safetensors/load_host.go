// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors

import (
	"context"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/pjrt"
)

// loadOnHost loads arrays to a device that uses the host's memory: it makes buffers of the memory
// into which it reads, or of mapped files.
func (l *loader) loadOnHost(jobs []*job) error {
	if l.opts.Map {
		var err error
		if jobs, err = l.mapFiles(jobs); err != nil {
			return err
		}
	}
	// One block for all arrays takes as few system calls and as many huge pages as can be.
	offsets := make(map[*job]int, len(jobs))
	size := 0
	for _, j := range jobs {
		offsets[j] = size
		size += (int(j.size) + pjrt.HostAlignment - 1) &^ (pjrt.HostAlignment - 1)
	}
	if size == 0 {
		size = 1 // no bytes have an address too
	}
	b, err := newBlock(size)
	if err != nil {
		return err
	}
	defer b.release()
	missing := make(map[*job]*atomic.Int64, len(jobs))
	list := pieces(jobs, pieceSize)
	for _, p := range list {
		if missing[p.job] == nil {
			missing[p.job] = new(atomic.Int64)
		}
		missing[p.job].Add(1)
	}
	return inParallel(list, runtime.GOMAXPROCS(0), func(_ int, p piece) error {
		at := offsets[p.job]
		if err := l.read(p, b.data[at+int(p.offset):][:p.size]); err != nil {
			return err
		}
		if missing[p.job].Add(-1) > 0 {
			return nil
		}
		return l.view(p.job, b, at)
	})
}

// view makes the buffer of an array that is at an offset in a block.
func (l *loader) view(j *job, b *block, at int) error {
	data := b.data[at:][:j.size:j.size]
	a := pjrt.HostArray{Type: j.shape.Type, Dims: j.shape.Dims, Data: data}
	b.users.Add(1)
	// With another context than this, nobody would say when the plugin has no more use for the
	// block, if the context ended at the wrong time.
	buffer, err := l.client.ViewOfHostMemory(context.Background(), a, &pjrt.ViewOptions{
		Device: l.opts.Device, Memory: l.opts.Memory,
		OnDelete: func() { b.discard(at, int(j.size)); b.release() },
	})
	if err != nil {
		b.users.Add(-1) // load has the block until it returns
		return j.failed(err)
	}
	j.buffer = buffer
	return nil
}

// mapFiles makes buffers of mapped files where the alignment allows it, and returns the other jobs.
func (l *loader) mapFiles(jobs []*job) (rest []*job, err error) {
	files := make(map[*os.File]*block)
	defer func() {
		for _, b := range files {
			if b != nil {
				b.release()
			}
		}
	}()
	for _, j := range jobs {
		file, ok := j.r.(*os.File)
		if !ok || j.section.offset%pjrt.HostAlignment != 0 || j.size == 0 {
			rest = append(rest, j)
			continue
		}
		b, ok := files[file]
		if !ok {
			if b, err = mapFile(file); err != nil {
				return nil, err
			}
			files[file] = b
		}
		if b == nil || int64(len(b.data)) < j.section.offset+j.size {
			rest = append(rest, j)
			continue
		}
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		if err := l.view(j, b, int(j.section.offset)); err != nil {
			return nil, err
		}
		l.advance(int(j.size))
	}
	return rest, nil
}
