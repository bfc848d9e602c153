// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// HostTransfers are the host's ends of the send and recv operations of a program
// on one device, by the numbers of their channels.
type HostTransfers struct {
	Send map[int64]SendFunc
	Recv map[int64]RecvFunc
}

// SendFunc gets data that a running program sends to the host, row-major: a chunk
// of a transfer of total bytes, the last one with done. The chunk is valid until
// the function returns. An error fails the execution. The plugin waits for the
// function, on a thread of its own.
type SendFunc func(chunk []byte, total int, done bool) error

// RecvFunc is asked for data that a running program receives from the host, and
// owns the stream that takes it. It may hand the stream to a goroutine and
// return. Closing the stream before it has all its bytes fails the execution.
type RecvFunc func(stream *CopyToDeviceStream)

// majorToMinorSince is the API minor that has a field for what older plugins do
// anyway: callbacks see row-major data.
const majorToMinorSince = 108

// fillTransfers fills in the callbacks of send and recv operations.
func (l *launch) fillTransfers(transfers []HostTransfers) error {
	if len(transfers) != len(l.devices) {
		return invalid("there are %d sets of transfers for the %d devices that run the program", len(transfers), len(l.devices))
	}
	c := l.options
	sends := make([]*capi.SendCallbackInfo, len(transfers))
	recvs := make([]*capi.RecvCallbackInfo, len(transfers))
	for d, t := range transfers {
		if len(t.Send) != len(transfers[0].Send) || len(t.Recv) != len(transfers[0].Recv) {
			return invalid("the transfers of %v are not as many as those of %v", l.devices[d], l.devices[0])
		}
		send := make([]capi.SendCallbackInfo, 0, len(t.Send)+1)
		for _, channel := range slices.Sorted(maps.Keys(t.Send)) {
			fn := t.Send[channel]
			if fn == nil {
				return invalid("the function that takes what is sent on channel %d is nil", channel)
			}
			callback, handle := capi.NewSendCallback(func(chunk *capi.Chunk, total uintptr, done bool) error {
				return takeChunk(chunk, total, done, fn)
			})
			l.callbacks = append(l.callbacks, handle)
			send = append(send, capi.SendCallbackInfo{ChannelID: channel, UserArg: uintptr(handle), SendCallback: callback})
		}
		recv := make([]capi.RecvCallbackInfo, 0, len(t.Recv)+1)
		for _, channel := range slices.Sorted(maps.Keys(t.Recv)) {
			fn := t.Recv[channel]
			if fn == nil {
				return invalid("the function that gives what is received on channel %d is nil", channel)
			}
			client := l.exe.client
			callback, handle := capi.NewRecvCallback(func(h *capi.CopyToDeviceStream) { client.giveStream(h, fn) })
			l.callbacks = append(l.callbacks, handle)
			recv = append(recv, capi.RecvCallbackInfo{ChannelID: channel, UserArg: uintptr(handle), RecvCallback: callback})
		}
		sends[d], recvs[d] = unsafe.SliceData(send), unsafe.SliceData(recv)
	}
	if n := len(transfers[0].Send); n > 0 {
		c.SendCallbacks, c.NumSendOps = unsafe.SliceData(sends), uintptr(n)
	}
	if n := len(transfers[0].Recv); n > 0 {
		c.RecvCallbacks, c.NumRecvOps = unsafe.SliceData(recvs), uintptr(n)
	}
	_, minor := l.exe.client.table.Version()
	c.UseMajorToMinorDataLayoutForCallbacks = minor >= majorToMinorSince
	return nil
}

// takeChunk hands a chunk of the plugin to fn and frees it.
func takeChunk(chunk *capi.Chunk, total uintptr, done bool, fn SendFunc) error {
	if chunk == nil {
		return &Error{Code: ErrInternal, Message: "the plugin sent no chunk"}
	}
	data, deleter, arg := chunk.Data, chunk.Deleter, chunk.DeleterArg
	if deleter != 0 {
		defer deleter.Call(data, arg)
	}
	var bytes []byte
	if data != nil {
		bytes = unsafe.Slice((*byte)(data), chunk.Size)
	}
	return fn(bytes, int(total), done)
}

// giveStream makes the stream of a recv operation and hands it to fn.
func (c *Client) giveStream(h *capi.CopyToDeviceStream, fn RecvFunc) {
	if h == nil {
		notices().Error("a PJRT plugin asked for data without a stream to take it")
		return
	}
	table := c.table
	s := &CopyToDeviceStream{client: c}
	s.ref = lifetime.New("stream", h, c.ref, func(h *capi.CopyToDeviceStream) {
		var d capi.Call[capi.CopyToDeviceStreamDestroyArgs]
		d.Args.Stream = h
		_ = d.Do(table) // there is nobody to tell
	})
	given := false
	defer func() {
		if !given {
			s.Close() // fn panicked: let the execution fail rather than hang
		}
	}()
	fn(s)
	given = true
}

// CopyToDeviceStream takes the data that a recv operation of a running program
// waits for. Its methods may be called from any goroutine; chunks arrive in the
// order of the calls.
type CopyToDeviceStream struct {
	client *Client
	ref    *lifetime.Ref[capi.CopyToDeviceStream]
	adding sync.Mutex
}

// TotalBytes returns how many bytes the stream takes in all
// (PJRT_CopyToDeviceStream_TotalBytes).
func (s *CopyToDeviceStream) TotalBytes() (int64, error) {
	var c capi.Call[capi.CopyToDeviceStreamTotalBytesArgs]
	err := s.with(func(h *capi.CopyToDeviceStream) error {
		c.Args.Stream = h
		return c.Do(s.client.table)
	})
	return c.Args.TotalBytes, err
}

// GranuleSize returns the number of bytes of which each chunk must have a
// multiple (PJRT_CopyToDeviceStream_GranuleSize).
func (s *CopyToDeviceStream) GranuleSize() (int64, error) {
	var c capi.Call[capi.CopyToDeviceStreamGranuleSizeArgs]
	err := s.with(func(h *capi.CopyToDeviceStream) error {
		c.Args.Stream = h
		return c.Do(s.client.table)
	})
	return c.Args.GranuleSizeInBytes, err
}

// CurrentBytes returns how many bytes the stream has got
// (PJRT_CopyToDeviceStream_CurrentBytes).
func (s *CopyToDeviceStream) CurrentBytes() (int64, error) {
	var c capi.Call[capi.CopyToDeviceStreamCurrentBytesArgs]
	err := s.with(func(h *capi.CopyToDeviceStream) error {
		c.Args.Stream = h
		return c.Do(s.client.table)
	})
	return c.Args.CurrentBytes, err
}

// AddChunk starts to transfer data to the device
// (PJRT_CopyToDeviceStream_AddChunk). The number of bytes must be a multiple of
// GranuleSize, and no more than the stream still takes. data belongs to the
// plugin until the event, which the caller closes, is ready, and is kept
// referenced until then.
func (s *CopyToDeviceStream) AddChunk(data []byte) (*Event, error) {
	if len(data) == 0 {
		return nil, invalid("the chunk is empty")
	}
	if s != nil {
		s.adding.Lock()
		defer s.adding.Unlock()
	}
	if err := s.checkChunk(int64(len(data))); err != nil {
		return nil, err
	}
	deleter, handle := capi.NewChunkDeleter(func() { _ = data })
	chunk := &capi.Chunk{Data: unsafe.Pointer(unsafe.SliceData(data)), Size: uintptr(len(data)), Deleter: deleter, DeleterArg: uintptr(handle)}
	var c capi.Call[capi.CopyToDeviceStreamAddChunkArgs]
	err := s.with(func(h *capi.CopyToDeviceStream) error {
		c.Args.Stream, c.Args.Chunk = h, chunk
		return c.Do(s.client.table)
	})
	if err != nil {
		// The plugin may have called the deleter, or not.
		handle.Delete()
		return nil, err
	}
	return newEvent(s.client.table, c.Args.TransferComplete, s.client.ref), nil
}

func (s *CopyToDeviceStream) checkChunk(n int64) error {
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
		return invalid("a chunk of %d bytes is no multiple of the %d that the stream takes at a time", n, granule)
	}
	if n > total-current {
		return &Error{Code: ErrOutOfRange, Message: fmt.Sprintf("a chunk of %d bytes is too large for a stream that has %d of its %d bytes", n, current, total)}
	}
	return nil
}

// Close gives the stream up (PJRT_CopyToDeviceStream_Destroy). The execution
// fails if the stream has not got all its bytes.
func (s *CopyToDeviceStream) Close() error {
	if s == nil {
		return nil
	}
	return s.ref.Close()
}

func (s *CopyToDeviceStream) with(call func(*capi.CopyToDeviceStream) error) error {
	if s == nil || s.client == nil {
		return invalid("the stream is nil")
	}
	h, err := s.ref.Acquire()
	if err != nil {
		return err
	}
	defer s.ref.Release()
	return call(h)
}

// HLOOutput is the host's end of an operation by which a program puts values out
// while it runs.
type HLOOutput struct {
	// ID is the number that the operation has in the program.
	ID int64
	// Operands is how many values the operation puts out.
	Operands int
	// Func gets each value.
	Func func(HLOValue)
}

// HLOValue is a value that a running program puts out.
type HLOValue struct {
	Replica, Partition int64 // that put it out
	Operand            int64 // number among the values of the operation
	Shape              Shape
	// Data are the elements, row-major. They are valid until the function
	// returns. Nil means that there is no value.
	Data []byte
}

// fillOutputCallbacks fills in the callbacks of output operations.
func (l *launch) fillOutputCallbacks(outputs []HLOOutput) error {
	if len(outputs) == 0 {
		return nil
	}
	infos := make([]capi.HLOOutputCallbackInfo, len(outputs))
	for i, o := range outputs {
		switch {
		case o.Func == nil:
			return invalid("the function for output operation %d is nil", o.ID)
		case o.Operands < 0:
			return invalid("output operation %d puts out %d values; that cannot be negative", o.ID, o.Operands)
		}
		callback, handle := capi.NewHLOOutputCallback(func(v capi.HLOOutput) { o.Func(hloValue(v)) })
		l.callbacks = append(l.callbacks, handle)
		infos[i] = capi.HLOOutputCallbackInfo{UserArg: uintptr(handle), Callback: callback, CallbackID: o.ID, NumOperands: uintptr(o.Operands)}
	}
	l.options.HLOOutputCallbacks, l.options.NumHLOOutputCallbacks = unsafe.SliceData(infos), uintptr(len(infos))
	return nil
}

func hloValue(v capi.HLOOutput) HLOValue {
	value := HLOValue{
		Replica: v.ReplicaID, Partition: v.PartitionID, Operand: v.OperandIndex,
		Shape: Shape{dtype.Type(v.Type), v.Dims},
	}
	// Without a size there is nothing that could be read safely.
	if n, err := value.Shape.HostSize(); err == nil && v.Data != nil {
		value.Data = unsafe.Slice((*byte)(v.Data), n)
	}
	return value
}
