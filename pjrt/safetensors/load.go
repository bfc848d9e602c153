// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// LoadOptions are the options of [File.Load] and [File.LoadInto].
type LoadOptions struct {
	// Names are the arrays to load; nil means all. LoadInto loads those that have a place, and
	// takes no Names.
	Names []string
	// Device and Memory say where the buffers are, as in pjrt.BufferOptions.
	Device *pjrt.Device
	Memory *pjrt.Memory
	// Map makes buffers on a CPU device of the mapped file, without reading it, where the data
	// lies at a multiple of pjrt.HostAlignment in the file; Write makes such files. Pages are read
	// when a program first uses them, and processes that map the same file share them. A program
	// that writes to a buffer which was donated to it writes to a copy of the page. The file must
	// not change while the buffers are open: if it becomes shorter, or if its disk fails, the
	// operating system ends the process. Replacing the file by renaming another one is safe. Map
	// has no effect on other devices, on Windows, and on arrays that need another alignment.
	Map bool
	// Prefix is put before each name that LoadInto looks for, such as "model.".
	Prefix string
	// Exact makes it an error if an array whose name begins with Prefix has no place.
	Exact bool
	// Partition says how the axes of Mesh cut an array that goes into a *sharding.Array. Nil
	// means that each device gets a copy.
	Mesh      *sharding.Mesh
	Partition func(name string, shape array.Shape) sharding.Partition
	// Progress is called after each piece with the number of bytes so far, and of all. Calls do
	// not overlap. It must not block.
	Progress func(done, all int64)
}

// Load makes a buffer of each array. The caller closes the buffers, which do not need the File.
//
// Several goroutines read. On a CPU device they read in the order of the data, into the memory that
// becomes the buffers, which is given back to the operating system as buffers are closed. For other
// devices, the largest arrays come first, and at most 64 MiB are on their way, in memory that is
// mapped for direct access where the plugin can do it (PJRT_Client_DmaMap), if the plugin takes an
// array in pieces (PJRT_AsyncHostToDeviceTransferManager_TransferData) or the array has at most
// 8 MiB.
//
// After an error no buffer is left. If ctx ends, Load returns at once, and reads that are under way
// end later. opts may be nil.
func (f *File) Load(ctx context.Context, client *pjrt.Client, opts *LoadOptions) (map[string]*pjrt.Buffer, error) {
	if f == nil {
		return nil, errNil
	}
	var o LoadOptions
	if opts != nil {
		o = *opts
	}
	if o.Prefix != "" || o.Exact || o.Mesh != nil || o.Partition != nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("options Prefix, Exact, Mesh and Partition are for LoadInto: leave them unset")
	}
	names := o.Names
	if names == nil {
		names = f.Names()
	}
	buffers := make(map[string]*pjrt.Buffer, len(names))
	jobs := make([]*job, 0, len(names))
	for _, name := range names {
		a, err := f.find(name)
		if err != nil {
			return nil, err
		}
		if _, ok := buffers[name]; ok {
			return nil, pjrt.ErrInvalidArgument.Errorf("array %q is named twice", excerpt.Of(name))
		}
		buffers[name] = nil
		jobs = append(jobs, &job{name: name, section: a})
	}
	done, err := load(ctx, client, jobs, &o)
	if err != nil {
		return nil, err
	}
	for _, j := range done {
		buffers[j.name] = j.buffer
	}
	return buffers, nil
}

// LoadInto makes a buffer, or a *sharding.Array on opts.Mesh, of each array that has a place in a
// value, which into points to: params.Places says which names the places have. Each place must
// have an array. Places that were set before are overwritten, not closed. After an error the value
// has not changed. Otherwise LoadInto is like [File.Load].
func (f *File) LoadInto(ctx context.Context, client *pjrt.Client, into any, opts *LoadOptions) error {
	if f == nil {
		return errNil
	}
	var o LoadOptions
	if opts != nil {
		o = *opts
	}
	if o.Names != nil {
		return pjrt.ErrInvalidArgument.Errorf("LoadInto loads the arrays that have a place: leave the option Names unset")
	}
	places, err := params.Places(into)
	if err != nil {
		return err
	}
	jobs := make([]*job, len(places))
	for i, p := range places {
		a, err := f.find(o.Prefix + p.Name)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Field, err)
		}
		if p.Array != nil && o.Mesh == nil {
			return pjrt.ErrInvalidArgument.Errorf("%s is a sharding.Array: set the option Mesh", p.Field)
		}
		jobs[i] = &job{name: o.Prefix + p.Name, section: a, sharded: p.Array != nil}
	}
	if o.Exact {
		if err := f.withoutPlace(jobs, o.Prefix); err != nil {
			return err
		}
	}
	done, err := load(ctx, client, jobs, &o)
	if err != nil {
		return err
	}
	for i, p := range places {
		if p.Array != nil {
			*p.Array = done[i].spread
		} else {
			*p.Buffer = done[i].buffer
		}
	}
	return nil
}

// withoutPlace returns an error for the arrays for which there is no job.
func (f *File) withoutPlace(jobs []*job, prefix string) error {
	has := make(map[string]bool, len(jobs))
	for _, j := range jobs {
		has[j.name] = true
	}
	var names []string
	for _, name := range f.names {
		if strings.HasPrefix(name, prefix) && !has[name] {
			names = append(names, strconv.Quote(excerpt.Of(name)))
		}
	}
	const most = 3
	switch n := len(names); {
	case n == 0:
		return nil
	case n > most:
		return fmt.Errorf("%s has %d arrays for which the value has no place, such as %s", f.source, n, strings.Join(names[:most], ", "))
	default:
		return fmt.Errorf("%s has arrays for which the value has no place: %s", f.source, strings.Join(names, ", "))
	}
}

// job is one array to load, and what became of it.
type job struct {
	name string
	section
	sharded bool
	buffer  *pjrt.Buffer
	spread  *sharding.Array
}

func (j *job) close() {
	j.buffer.Close()
	j.spread.Close()
}

func (j *job) failed(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file has become shorter since it was opened")
	}
	return fmt.Errorf("array %q: %w", excerpt.Of(j.name), err)
}

// load does the jobs, and returns them in the order in which it got them.
func load(ctx context.Context, client *pjrt.Client, jobs []*job, o *LoadOptions) ([]*job, error) {
	return raw.Abandonable(ctx, func() ([]*job, error) {
		l := &loader{ctx: ctx, client: client, opts: o}
		for _, j := range jobs {
			l.all += j.size
		}
		if err := l.do(jobs); err != nil {
			closeAll(jobs)
			return nil, err
		}
		return jobs, nil
	}, closeAll)
}

func closeAll(jobs []*job) error {
	for _, j := range jobs {
		j.close()
	}
	return nil
}

// inOrder returns the jobs in the order of the data, which disks like.
func inOrder(jobs []*job) []*job {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(x, y *job) int {
		return cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(x.section.offset, y.section.offset))
	})
	return jobs
}

// loader loads the arrays of one call.
type loader struct {
	ctx    context.Context
	client *pjrt.Client
	opts   *LoadOptions

	progress  sync.Mutex
	done, all int64
}

// advance tells the caller about n more bytes.
func (l *loader) advance(n int) {
	if l.opts.Progress == nil || n == 0 {
		return
	}
	l.progress.Lock()
	defer l.progress.Unlock()
	l.done += int64(n)
	l.opts.Progress(l.done, l.all)
}

func (l *loader) do(jobs []*job) error {
	var whole, parts, packed []*job
	for _, j := range inOrder(jobs) {
		switch {
		case j.sharded:
			parts = append(parts, j)
		case j.packed > 0:
			packed = append(packed, j)
		default:
			whole = append(whole, j)
		}
	}
	if len(whole) > 0 {
		onHost, err := bridge.Root.OnHost(l.ctx, l.client, l.opts.Device, l.opts.Memory)
		if err != nil {
			return err
		}
		if onHost {
			err = l.loadOnHost(whole)
		} else {
			err = l.loadOnDevice(whole)
		}
		if err != nil {
			return err
		}
	}
	if err := inParallel(packed, runtime.GOMAXPROCS(0), func(_ int, j *job) error { return l.loadPacked(j) }); err != nil {
		return err
	}
	return l.loadParts(parts)
}

// loadPacked loads an array whose elements the file packs.
func (l *loader) loadPacked(j *job) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	a, err := j.array()
	if err == nil {
		j.buffer, err = l.client.BufferFromHost(l.ctx, a, &pjrt.BufferOptions{
			Device: l.opts.Device, Memory: l.opts.Memory, Semantics: pjrt.UntilTransferCompletes,
		})
	}
	if err != nil {
		return j.failed(err)
	}
	l.advance(int(j.size))
	return nil
}

// loadParts loads the arrays that are spread over a mesh, one after the other, since each device
// gets its part while the whole array is in the host's memory.
func (l *loader) loadParts(jobs []*job) error {
	for _, j := range jobs {
		var p sharding.Partition
		if l.opts.Partition != nil {
			p = l.opts.Partition(j.name, array.Shape{Type: j.shape.Type, Dims: j.shape.Dims})
		}
		a, err := l.whole(j)
		if err == nil {
			j.spread, err = l.opts.Mesh.Scatter(l.ctx, a, p)
		}
		if err != nil {
			return j.failed(err)
		}
	}
	return nil
}

// whole reads an array into the host's memory.
func (l *loader) whole(j *job) (pjrt.HostArray, error) {
	if j.packed > 0 {
		a, err := j.array()
		l.advance(int(j.size))
		return a, err
	}
	data := pjrt.AlignedSlice[uint8](int(j.size))
	err := inParallel(pieces([]*job{j}, pieceSize), runtime.GOMAXPROCS(0), func(_ int, p piece) error {
		return l.read(p, data[p.offset:p.offset+int64(p.size)])
	})
	return pjrt.HostArray{Type: j.shape.Type, Dims: j.shape.Dims, Data: data}, err
}

// pieceSize is how many bytes are read to the host at a time: enough for a disk, and few enough
// that a context that ends is seen soon.
const pieceSize = 4 << 20

// piece is a part of an array.
type piece struct {
	*job
	offset int64 // in the array
	size   int
}

// pieces divides arrays into parts of at most so many bytes.
func pieces(jobs []*job, most int) []piece {
	var list []piece
	for _, j := range jobs {
		for at := int64(0); at == 0 || at < j.size; at += int64(most) {
			list = append(list, piece{j, at, int(min(int64(most), j.size-at))})
		}
	}
	return list
}

// read reads a piece.
func (l *loader) read(p piece, into []byte) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if n, err := p.r.ReadAt(into, p.section.offset+p.offset); n < len(into) {
		return p.failed(err)
	}
	l.advance(len(into))
	return nil
}

// inParallel calls do for each item, in order, on n goroutines, which have the numbers from 0 to
// n-1. After an error it begins no others.
func inParallel[T any](items []T, n int, do func(worker int, item T) error) error {
	var (
		wait  sync.WaitGroup
		mu    sync.Mutex
		next  int
		first error
	)
	take := func() (item T, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if first != nil || next == len(items) {
			return item, false
		}
		next++
		return items[next-1], true
	}
	for worker := range min(n, len(items)) {
		wait.Go(func() {
			for {
				item, ok := take()
				if !ok {
					return
				}
				if err := do(worker, item); err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	return first
}
