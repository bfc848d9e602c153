// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// takeCallbacks copies the callbacks of an execution, because the caller's lists are only
// valid during the call.
func (l *launch) takeCallbacks(o *capi.ExecuteOptions) error {
	switch {
	case o.SendCallbacks == nil && o.NumSendOps > 0:
		return invalid("the send callbacks are null, and there are %d", o.NumSendOps)
	case o.RecvCallbacks == nil && o.NumRecvOps > 0:
		return invalid("the recv callbacks are null, and there are %d", o.NumRecvOps)
	case o.HLOOutputCallbacks == nil && o.NumHLOOutputCallbacks > 0:
		return invalid("the output callbacks are null, and there are %d", o.NumHLOOutputCallbacks)
	}
	if _, err := namedValues(o.CustomOptions, o.NumCustomOptions, "custom options"); err != nil {
		return err
	}
	n := uintptr(len(l.devices))
	for d := range l.devices {
		sends, recvs := make(map[int64]capi.SendCallbackInfo), make(map[int64]capi.RecvCallbackInfo)
		if o.NumSendOps > 0 {
			for _, s := range elements(elements(o.SendCallbacks, n)[d], o.NumSendOps) {
				sends[s.ChannelID] = s
			}
		}
		if o.NumRecvOps > 0 {
			for _, r := range elements(elements(o.RecvCallbacks, n)[d], o.NumRecvOps) {
				recvs[r.ChannelID] = r
			}
		}
		l.sends, l.recvs = append(l.sends, sends), append(l.recvs, recvs)
	}
	l.outputs = append(l.outputs, elements(o.HLOOutputCallbacks, o.NumHLOOutputCallbacks)...)
	return nil
}

func (l *launch) send(device int, channel int64, data []byte) error {
	s, ok := l.sends[device][channel]
	if !ok || s.SendCallback == 0 {
		return capi.ErrorCodeFailedPrecondition.Errorf("the execution has no function for data that device %d sends on channel %d",
			l.devices[device].id, channel)
	}
	own := append(make([]byte, 0, len(data)+1), data...)
	// The callback owns the chunk, and the data until it calls the deleter.
	deleter, h := capi.NewChunkDeleter(func() { runtime.KeepAlive(own) })
	chunk := &capi.Chunk{
		Data: unsafe.Pointer(unsafe.SliceData(own)), Size: uintptr(len(data)), Deleter: deleter, DeleterArg: uintptr(h),
	}
	answer := s.SendCallback.Call(chunk, callbackError(), uintptr(len(data)), true, s.UserArg)
	runtime.KeepAlive(chunk)
	return takeCallbackError(answer)
}

// stream is one PJRT_CopyToDeviceStream: the data that a recv operation waits for.
type stream struct {
	total int64
	over  *future // over when all data has arrived, or never will

	mu   sync.Mutex
	data []byte // guarded by mu
	all  bool   // guarded by mu
}

// granule divides the size of every chunk of a stream.
const granule = 1

func (l *launch) recv(device int, channel int64, size int) ([]byte, error) {
	r, ok := l.recvs[device][channel]
	if !ok || r.RecvCallback == 0 {
		return nil, capi.ErrorCodeFailedPrecondition.Errorf("the execution has no function for data that device %d receives on channel %d",
			l.devices[device].id, channel)
	}
	s := &stream{total: int64(size), over: newFuture()}
	r.RecvCallback.Call(makeHandle[capi.CopyToDeviceStream](l.p, s, true), r.UserArg)
	<-s.over.done
	err, _ := s.over.result()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data, err
}

func (p *Plugin) streamDestroy(a *capi.CopyToDeviceStreamDestroyArgs) error {
	return destroy(p, a.Stream, func(s *stream) {
		s.mu.Lock()
		n := len(s.data)
		s.mu.Unlock()
		s.over.complete(capi.ErrorCodeCancelled.Errorf("the stream was destroyed when it had %d of %d bytes", n, s.total))
	})
}

func (p *Plugin) streamAddChunk(a *capi.CopyToDeviceStreamAddChunkArgs) error {
	s, err := find[*stream](p, a.Stream)
	if err != nil {
		return err
	}
	if a.Chunk == nil {
		return invalid("the chunk is null")
	}
	chunk := *a.Chunk
	// From here on the plugin owns the chunk, even if the call fails.
	defer chunk.Deleter.Call(chunk.Data, chunk.DeleterArg)
	result := s.add(hostBytes(chunk.Data, int64(chunk.Size)), int64(chunk.Size))
	a.TransferComplete = p.newEvent(readyFuture(result))
	return nil
}

func (s *stream) add(data []byte, size int64) error {
	s.mu.Lock()
	have := int64(len(s.data))
	switch {
	case s.all:
		s.mu.Unlock()
		return capi.ErrorCodeFailedPrecondition.Errorf("the stream already has all its %d bytes", s.total)
	case size > s.total-have:
		s.mu.Unlock()
		return invalid("a chunk of %d bytes is too large: the stream already has %d of its %d bytes", size, have, s.total)
	case int64(len(data)) != size:
		s.mu.Unlock()
		return invalid("the data of a chunk of %d bytes is null", size)
	}
	s.data = append(s.data, data...)
	s.all = int64(len(s.data)) == s.total
	all := s.all
	s.mu.Unlock()
	if all {
		s.over.complete(nil)
	}
	return nil
}

func (p *Plugin) streamTotalBytes(a *capi.CopyToDeviceStreamTotalBytesArgs) error {
	return with(p, a.Stream, func(s *stream) { a.TotalBytes = s.total })
}

func (p *Plugin) streamGranuleSize(a *capi.CopyToDeviceStreamGranuleSizeArgs) error {
	return with(p, a.Stream, func(*stream) { a.GranuleSizeInBytes = granule })
}

func (p *Plugin) streamCurrentBytes(a *capi.CopyToDeviceStreamCurrentBytesArgs) error {
	return with(p, a.Stream, func(s *stream) {
		s.mu.Lock()
		a.CurrentBytes = int64(len(s.data))
		s.mu.Unlock()
	})
}

func (l *launch) output(device int, id int64, operands []pjrt.HostArray) bool {
	at := l.ids[device]
	wanted := false
	for _, o := range l.outputs {
		if o.CallbackID != id || o.Callback == 0 {
			continue
		}
		wanted = true
		for i := range o.NumOperands {
			if i >= uintptr(len(operands)) {
				o.Callback.Call(int64(at.Replica), int64(at.Partition), nil, nil, 0, capi.BufferTypeInvalid, int64(i), o.UserArg)
				continue
			}
			x := operands[i]
			dims, n := list(x.Dims)
			o.Callback.Call(int64(at.Replica), int64(at.Partition), unsafe.Pointer(unsafe.SliceData(x.Data)), dims, n,
				capi.BufferType(x.Type), int64(i), o.UserArg)
			runtime.KeepAlive(x)
		}
	}
	return wanted
}
