// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"slices"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// flaw is something that the model does wrong.
type flaw int

// The flaws.
const (
	none flaw = iota
	sourceStays
	contentsLost
	readyAtOnce
	errorForgotten

	neverDone        // done is false for the last chunk
	chunkFreedEarly  // when the callback returns
	sendErrorIgnored //
	firstEntry       // is called, whatever its channel is
	listOfFirst      // device's callbacks are called for all devices
	sendsNothing     //
	executeDeviceOff // no callbacks when there is an execute_device
	deviceLayout     // data as it lies on the device
	dataDropped      //
	assumesInline    // that the stream is full when the callback returns
	missingIgnored   // bytes that never came are zero
	countsNothing    // current bytes stay 0
	neverFrees       // chunks
	refusedNotFreed  // chunks
	takesAll         // chunks of any size

	codeLost        // of the error of a dependency
	messageLost     // of the error of a dependency
	oneDependency   // the callback is always for the first one
	partTaken       // for the whole stream
	freedAtOnce     // chunks, before they are read
	lastChunkAlone  // is what the program gets
	totalOfChunk    // instead of the total of all chunks
	waitsForDevices // that later calls launch
)

// send hands the argument of each device to its callback, in two chunks.
func (m *model) send(a *capi.LoadedExecutableExecuteArgs, arguments [][]*capi.Buffer, transposed bool) error {
	if m.flaw == sendsNothing || m.flaw == executeDeviceOff && a.ExecuteDevice != nil {
		return nil
	}
	for d, list := range arguments {
		if m.flaw == listOfFirst {
			d = 0
		}
		infos := capi.Slice(capi.Slice(a.Options.SendCallbacks, uintptr(len(arguments)))[d], a.Options.NumSendOps)
		var info *capi.SendCallbackInfo
		for i := range infos {
			if infos[i].ChannelID == sendChannel || m.flaw == firstEntry {
				info = &infos[i]
				break
			}
		}
		if info == nil {
			return invalid("there is no callback for channel %d", sendChannel)
		}
		data, err := m.read(list[0])
		if err != nil {
			return err
		}
		if transposed && m.flaw != deviceLayout {
			data = []float32{data[0], data[3], data[1], data[4], data[2], data[5]}
		}
		b := dtype.Bytes(data)
		half := len(b) / 2
		for _, at := range []int{0, half} {
			if err := m.sendChunk(info, b[at:at+half], m.total(b, half), at > 0 && m.flaw != neverDone); err != nil {
				return err
			}
		}
	}
	return nil
}

// total returns the size of everything that is sent.
func (m *model) total(b []byte, half int) int {
	if m.flaw == totalOfChunk {
		return half
	}
	return len(b)
}

// sendChunk calls a callback with a copy of data.
func (m *model) sendChunk(info *capi.SendCallbackInfo, data []byte, total int, done bool) error {
	own := slices.Clone(data)
	spoil := func() {
		for i := range own {
			own[i] = 0xa5
		}
	}
	deleter, handle := capi.NewChunkDeleter(spoil)
	chunk := &capi.Chunk{Data: check.Pointer(own), Size: uintptr(len(own)), Deleter: deleter, DeleterArg: uintptr(handle)}
	h := info.SendCallback.Call(chunk, mutant.CallbackError(), uintptr(total), done, info.UserArg)
	if m.flaw == chunkFreedEarly {
		spoil()
	}
	if h == nil || m.flaw == sendErrorIgnored {
		return nil
	}
	return refuse(capi.ErrorCodeInternal, "the send callback failed")
}

// modelStream is the host's end of a recv operation.
type modelStream struct {
	mu      sync.Mutex
	data    []byte
	current int64
	closed  chan struct{}
}

// streamBytes is how many bytes recvProgram receives, and the size of a chunk is a multiple
// of streamGranule.
const (
	streamBytes   = 24
	streamGranule = 4
)

// receive asks the callback of each device for data, and executes on the data.
func (m *model) receive(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
	received := make([]*capi.Buffer, a.NumDevices)
	pointers := make([]**capi.Buffer, a.NumDevices)
	defer func() {
		for _, b := range received {
			mutant.Try(m.base, capi.BufferDestroyArgs{Buffer: b})
		}
	}()
	m.mu.Lock()
	client := m.client
	m.mu.Unlock()
	devices, err := mutant.Try(m.base, capi.LoadedExecutableAddressableDevicesArgs{Executable: a.Executable})
	for d := range received {
		if err == nil {
			received[d], err = m.receiveOne(a, client, capi.Slice(devices.AddressableDevices, devices.NumAddressableDevices)[d], d)
		}
		pointers[d] = &received[d]
	}
	if err != nil {
		answer(c, err)
		return
	}
	kept, n := a.ArgumentLists, a.NumArgs
	a.ArgumentLists, a.NumArgs = &pointers[0], 1
	c.Forward()
	a.ArgumentLists, a.NumArgs = kept, n
}

func (m *model) receiveOne(a *capi.LoadedExecutableExecuteArgs, client *capi.Client, device *capi.Device, d int) (*capi.Buffer, error) {
	s := &modelStream{closed: make(chan struct{})}
	h := streamHandle(s)
	m.mu.Lock()
	m.objects[h], m.objects[s] = true, true
	m.mu.Unlock()
	for _, info := range capi.Slice(capi.Slice(a.Options.RecvCallbacks, a.NumDevices)[d], a.Options.NumRecvOps) {
		if info.ChannelID == recvChannel {
			info.RecvCallback.Call(h, info.UserArg)
		}
	}
	if m.flaw != assumesInline {
		select {
		case <-s.closed:
		case <-time.After(5 * time.Second):
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.data) != streamBytes && m.flaw != missingIgnored && (m.flaw != partTaken || len(s.data) == 0) {
		return nil, refuse(capi.ErrorCodeAborted, "the stream got %d of %d bytes", len(s.data), streamBytes)
	}
	data := make([]float32, streamBytes/4)
	if m.flaw != dataDropped {
		copy(dtype.Bytes(data), s.data)
	}
	args := capi.ClientBufferFromHostBufferArgs{Client: client, Device: device, Type: capi.BufferTypeF32, Data: check.Pointer(data)}
	args.Dims, args.NumDims = check.First([]int64{2, 3})
	out, err := mutant.Try(m.base, args)
	if err == nil {
		err = mutant.Finish(m.base, out.DoneWithHostBuffer)
	}
	return out.Buffer, err
}

func (m *model) transferHooks() []serve.Hook {
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.CopyToDeviceStreamTotalBytesArgs) { a.TotalBytes = streamBytes }),
		serve.Around(func(c *serve.Invocation, a *capi.CopyToDeviceStreamGranuleSizeArgs) {
			a.GranuleSizeInBytes = streamGranule
		}),
		serve.Around(func(c *serve.Invocation, a *capi.CopyToDeviceStreamCurrentBytesArgs) {
			s := modelStreamOf(a.Stream)
			s.mu.Lock()
			defer s.mu.Unlock()
			a.CurrentBytes = s.current
		}),
		serve.Around(func(c *serve.Invocation, a *capi.CopyToDeviceStreamAddChunkArgs) {
			var err error
			a.TransferComplete, err = m.addChunk(modelStreamOf(a.Stream), a.Chunk)
			answer(c, err)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.CopyToDeviceStreamDestroyArgs) {
			if a.Stream == nil {
				return
			}
			close(modelStreamOf(a.Stream).closed)
		}),
	}
}

// addChunk takes a chunk, and returns the event of its transfer.
func (m *model) addChunk(s *modelStream, chunk *capi.Chunk) (*capi.Event, error) {
	if m.flaw == freedAtOnce {
		deleteChunk(chunk)
	}
	data := capi.Bytes((*byte)(chunk.Data), chunk.Size)
	s.mu.Lock()
	if m.flaw == lastChunkAlone {
		s.data = append(make([]byte, 0, streamBytes), make([]byte, len(s.data))...)
	}
	wrong := m.flaw != takesAll && (len(data)%streamGranule != 0 || len(s.data)+len(data) > streamBytes)
	if !wrong && len(s.data)+len(data) <= streamBytes {
		s.data = append(s.data, data...)
		if m.flaw != countsNothing {
			s.current += int64(len(data))
		}
	}
	s.mu.Unlock()
	if m.flaw != neverFrees && m.flaw != freedAtOnce && (!wrong || m.flaw != refusedNotFreed) {
		deleteChunk(chunk)
	}
	manager, b, err := m.pending(4)
	if err != nil {
		return nil, err
	}
	e, err := mutant.Try(m.base, capi.BufferReadyEventArgs{Buffer: b})
	d := &dependency{m: m, manager: manager, data: make([]float32, 4)}
	if wrong {
		d.resolve(capi.ErrorCodeInvalidArgument, "the chunk is too large, or no multiple of the granule")
	} else {
		d.resolve(capi.ErrorCodeOK, "")
	}
	mutant.Try(m.base, capi.BufferDestroyArgs{Buffer: b})
	return e.Event, err
}
