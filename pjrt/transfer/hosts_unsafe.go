// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Host holds the functions that a program on one device calls in its send and recv
// operations, by channel number.
type Host struct {
	Send map[int64]SendFunc
	Recv map[int64]RecvFunc
}

// SendFunc gets data that a running program sends to the host, in row-major order. Each
// call gets one chunk of a transfer of total bytes; done marks the last chunk. The chunk
// is valid until the function returns. An error, a panic or runtime.Goexit fails the execution.
// The function runs in a goroutine of its own, and the plugin waits for it.
type SendFunc func(chunk []byte, total int, done bool) error

// RecvFunc is called when a running program wants data from the host, with the stream
// that takes the data. The function owns the stream; it may hand the stream to a
// goroutine and return. Closing the stream before it has all its bytes fails the
// execution, and so does a function that panics or calls runtime.Goexit.
type RecvFunc func(stream *Stream)

// Hosts is the execute extension for the send and recv operations of a program. It has a
// Host for each device that runs the program, in the order of
// [pjrt.LoadedExecutable.Devices]. All of them must have the same number of channels.
// ExecuteOptions.Extensions takes at most one Hosts.
type Hosts []Host

var _ pjrt.ExecuteExtension = Hosts(nil)

// majorToMinorSince is the API minor whose ExecuteOptions have a field that asks for
// row-major data in callbacks. Older plugins always pass row-major data.
const majorToMinorSince = 108

// ExtendExecute fills in the callbacks of send and recv operations. Package pjrt calls
// it for each execution.
func (hosts Hosts) ExtendExecute(client *pjrt.Client, devices []*pjrt.Device, options *capi.ExecuteOptions) (done func(), err error) {
	switch {
	case client == nil:
		return nil, pjrt.ErrInvalidArgument.Errorf("the client is nil")
	case len(hosts) != len(devices):
		return nil, pjrt.ErrInvalidArgument.Errorf("transfer.Hosts has %d hosts, but the program runs on %d devices; give one host for "+
			"each device",
			len(hosts), len(devices))
	case options.NumSendOps > 0 || options.NumRecvOps > 0:
		return nil, pjrt.ErrInvalidArgument.Errorf("the options of the execution have two transfer.Hosts; give one")
	}
	var made callbacks
	defer func() {
		if err != nil {
			made.delete()
		}
	}()
	sends := make([]*capi.SendCallbackInfo, len(hosts))
	recvs := make([]*capi.RecvCallbackInfo, len(hosts))
	for d, h := range hosts {
		if len(h.Send) != len(hosts[0].Send) || len(h.Recv) != len(hosts[0].Recv) {
			return nil, pjrt.ErrInvalidArgument.Errorf("the host of %v has %d channels to send and %d to receive, but that of %v has %d "+
				"and %d; the numbers must be the same",
				devices[d], len(h.Send), len(h.Recv), devices[0], len(hosts[0].Send), len(hosts[0].Recv))
		}
		if sends[d], err = made.sends(h.Send); err != nil {
			return nil, err
		}
		if recvs[d], err = made.recvs(client, h.Recv); err != nil {
			return nil, err
		}
	}
	if len(hosts) > 0 {
		if n := len(hosts[0].Send); n > 0 {
			options.SendCallbacks, options.NumSendOps = unsafe.SliceData(sends), uintptr(n)
		}
		if n := len(hosts[0].Recv); n > 0 {
			options.RecvCallbacks, options.NumRecvOps = unsafe.SliceData(recvs), uintptr(n)
		}
	}
	_, minor := raw.Table(client.Plugin()).Version()
	options.UseMajorToMinorDataLayoutForCallbacks = minor >= majorToMinorSince
	return made.delete, nil
}

// callbacks are handles of Go functions that C may call until the execution is over.
type callbacks []capi.Handle

func (c *callbacks) delete() {
	for _, h := range *c {
		h.Delete()
	}
}

// sends returns the C form of the functions, in the order of their channels.
func (c *callbacks) sends(functions map[int64]SendFunc) (*capi.SendCallbackInfo, error) {
	list := make([]capi.SendCallbackInfo, 0, len(functions)+1)
	for _, channel := range slices.Sorted(maps.Keys(functions)) {
		fn := functions[channel]
		if fn == nil {
			return nil, pjrt.ErrInvalidArgument.Errorf("the SendFunc of channel %d is nil", channel)
		}
		callback, handle := capi.NewSendCallback(func(chunk *capi.Chunk, total uintptr, done bool) error {
			return takeChunk(chunk, total, done, fn)
		})
		*c = append(*c, handle)
		list = append(list, capi.SendCallbackInfo{ChannelID: channel, UserArg: uintptr(handle), SendCallback: callback})
	}
	return unsafe.SliceData(list), nil
}

// recvs returns the C form of the functions, in the order of their channels.
func (c *callbacks) recvs(client *pjrt.Client, functions map[int64]RecvFunc) (*capi.RecvCallbackInfo, error) {
	list := make([]capi.RecvCallbackInfo, 0, len(functions)+1)
	for _, channel := range slices.Sorted(maps.Keys(functions)) {
		fn := functions[channel]
		if fn == nil {
			return nil, pjrt.ErrInvalidArgument.Errorf("the RecvFunc of channel %d is nil", channel)
		}
		callback, handle := capi.NewRecvCallback(func(h *capi.CopyToDeviceStream) { giveStream(client, h, fn) })
		*c = append(*c, handle)
		list = append(list, capi.RecvCallbackInfo{ChannelID: channel, UserArg: uintptr(handle), RecvCallback: callback})
	}
	return unsafe.SliceData(list), nil
}

// takeChunk hands a chunk of the plugin to fn and frees it.
func takeChunk(chunk *capi.Chunk, total uintptr, done bool, fn SendFunc) error {
	if chunk == nil {
		return pjrt.ErrInternal.Errorf("the plugin called a SendFunc without a chunk")
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
