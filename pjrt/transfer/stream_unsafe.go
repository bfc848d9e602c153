// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Stream takes the data for which a recv operation of a running program waits. Its
// methods may be called from any goroutine; chunks arrive in the order of the calls.
type Stream struct {
	client *pjrt.Client
	table  *capi.Table
	ref    *lifetime.Ref[capi.CopyToDeviceStream]
	adding sync.Mutex // held during AddChunk
}

// giveStream makes the stream of a recv operation and hands it to fn.
func giveStream(client *pjrt.Client, h *capi.CopyToDeviceStream, fn RecvFunc) {
	if h == nil {
		bridge.Root.Logger().Error("a PJRT plugin asked for data without a stream to take it")
		return
	}
	table := raw.Table(client.Plugin())
	s := &Stream{client: client, table: table}
	s.ref = lifetime.New("stream", h, raw.Parent(client), func(h *capi.CopyToDeviceStream) {
		var d capi.Call[capi.CopyToDeviceStreamDestroyArgs]
		d.Args.Stream = h
		_ = d.Do(table)
	})
	given := false
	defer func() {
		if !given {
			s.Close() // fn panicked; without this the program would wait for ever
		}
	}()
	fn(s)
	given = true
}

// TotalBytes returns how many bytes the stream takes in all
// (PJRT_CopyToDeviceStream_TotalBytes).
func (s *Stream) TotalBytes() (int64, error) {
	var c capi.Call[capi.CopyToDeviceStreamTotalBytesArgs]
	err := s.with(func(h *capi.CopyToDeviceStream) error {
		c.Args.Stream = h
		return c.Do(s.table)
	})
	return c.Args.TotalBytes, err
}

// GranuleSize returns the granule of the stream: the size of each chunk must be a
// multiple of it (PJRT_CopyToDeviceStream_GranuleSize).
func (s *Stream) GranuleSize() (int64, error) {
	var c capi.Call[capi.CopyToDeviceStreamGranuleSizeArgs]
	err := s.with(func(h *capi.CopyToDeviceStream) error {
		c.Args.Stream = h
		return c.Do(s.table)
	})
	return c.Args.GranuleSizeInBytes, err
}

// CurrentBytes returns how many bytes the stream already has
// (PJRT_CopyToDeviceStream_CurrentBytes).
func (s *Stream) CurrentBytes() (int64, error) {
	var c capi.Call[capi.CopyToDeviceStreamCurrentBytesArgs]
	err := s.with(func(h *capi.CopyToDeviceStream) error {
		c.Args.Stream = h
		return c.Do(s.table)
	})
	return c.Args.CurrentBytes, err
}

// AddChunk starts to transfer data to the device (PJRT_CopyToDeviceStream_AddChunk). The
// number of bytes must be a multiple of GranuleSize and at most as many as the stream
// still takes. Until the event is ready, data belongs to the plugin, and the garbage
// collector does not free it. The caller closes the event.
func (s *Stream) AddChunk(data []byte) (*pjrt.Event, error) {
	if s == nil || s.ref == nil {
		return nil, errNilStream
	}
	if len(data) == 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("the chunk is empty")
	}
	s.adding.Lock()
	defer s.adding.Unlock()
	if err := s.checkChunk(int64(len(data))); err != nil {
		return nil, err
	}
	deleter, handle := capi.NewChunkDeleter(func() { _ = data })
	chunk := &capi.Chunk{
		Data: unsafe.Pointer(unsafe.SliceData(data)), Size: uintptr(len(data)),
		Deleter: deleter, DeleterArg: uintptr(handle),
	}
	var c capi.Call[capi.CopyToDeviceStreamAddChunkArgs]
	err := s.with(func(h *capi.CopyToDeviceStream) error {
		c.Args.Stream, c.Args.Chunk = h, chunk
		return c.Do(s.table)
	})
	if err != nil {
		// A plugin that failed may or may not have called the deleter. Deleting the handle
		// twice is safe.
		handle.Delete()
		return nil, err
	}
	return raw.AdoptEvent(s.client, c.Args.TransferComplete, nil), nil
}

// checkChunk returns an error unless the stream can take a chunk of n bytes next.
func (s *Stream) checkChunk(n int64) error {
	total, err := s.TotalBytes()
	if err != nil {
		return err
	}
	granule, err := s.GranuleSize()
	if err != nil {
		return err
	}
	current, err := s.CurrentBytes()
	if err != nil {
		return err
	}
	if granule > 0 && n%granule != 0 {
		return pjrt.ErrInvalidArgument.Errorf("a chunk of %d bytes is not a multiple of the stream's granule of %d bytes", n, granule)
	}
	if n > total-current {
		return pjrt.ErrOutOfRange.Errorf("a chunk of %d bytes is too large: the stream already has %d of its %d bytes", n, current, total)
	}
	return nil
}

// Close destroys the stream (PJRT_CopyToDeviceStream_Destroy). The execution fails if the
// stream does not have all its bytes yet. The error is always nil.
func (s *Stream) Close() error {
	if s == nil {
		return nil
	}
	return s.ref.Close()
}

var errNilStream = pjrt.ErrInvalidArgument.Errorf("the stream is nil")

// with calls call with the handle of the stream.
func (s *Stream) with(call func(*capi.CopyToDeviceStream) error) error {
	if s == nil || s.ref == nil {
		return errNilStream
	}
	h, err := s.ref.Acquire()
	if err != nil {
		return err
	}
	defer s.ref.Release()
	return call(h)
}
