// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// callbackErrors holds the errors that callbackError made, by the addresses that C uses
// as their handles.
var callbackErrors sync.Map // of *pjrt.Error

// callbackError makes the errors of callbacks, as plugins do.
var callbackError = sync.OnceValue(func() *capi.CallbackError {
	f := capi.CallbackError(purego.NewCallback(func(code int32, message *byte, size uintptr) uintptr {
		e := &pjrt.Error{Code: capi.ErrorCode(code), Message: capi.String(message, size)}
		callbackErrors.Store(uintptr(unsafe.Pointer(e)), e)
		return uintptr(unsafe.Pointer(e))
	}))
	return &f
})

// freedChunks counts the calls of the deleter of newChunk.
var freedChunks atomic.Int32

var chunkDeleter = sync.OnceValue(func() capi.ChunkDeleter {
	return capi.ChunkDeleter(purego.NewCallback(func(data *byte, _ uintptr) {
		freedChunks.Add(1)
		if data != nil {
			*data = 0xff // freed memory changes
		}
	}))
})

func newChunk(data ...byte) *capi.Chunk {
	return &capi.Chunk{Data: unsafe.Pointer(unsafe.SliceData(data)), Size: uintptr(len(data)), Deleter: chunkDeleter(), DeleterArg: 1}
}

// captureLog returns what is logged until the end of the test.
func captureLog(t testing.TB) *bytes.Buffer {
	var out bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })
	return &out
}

// extend calls ExtendExecute for all devices of the client, calls the program with the
// options, and checks that no callback is left afterwards.
func extend(t *testing.T, client *pjrt.Client, x pjrt.ExecuteExtension, program func(o *capi.ExecuteOptions)) {
	t.Helper()
	handles := capi.LiveHandles()
	o := capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}
	done, err := x.ExtendExecute(client, client.AddressableDevices(), &o)
	require.NoError(t, err)
	program(&o)
	if done != nil {
		done()
	}
	assert.Equal(t, handles, capi.LiveHandles(), "callbacks are left")
	assert.Zero(t, pjrt.Live()["stream"])
}

func TestAProgramSendsToTheHost(t *testing.T) {
	captureLog(t)
	client := pjrttest.New(t, pjrttest.Options{}).Client()
	type sent struct {
		data  string
		total int
		done  bool
	}
	var got []sent
	hosts := transfer.Hosts{{Send: map[int64]transfer.SendFunc{
		9: func(chunk []byte, total int, done bool) error {
			got = append(got, sent{string(chunk), total, done})
			return nil
		},
		2: func([]byte, int, bool) error { return &pjrt.Error{Code: pjrt.ErrOutOfRange, Message: "no more"} },
		5: func([]byte, int, bool) error { return errors.New("full") },
		7: func([]byte, int, bool) error { panic("oops") },
		8: func([]byte, int, bool) error { runtime.Goexit(); return nil },
	}}}
	extend(t, client, hosts, func(o *capi.ExecuteOptions) {
		assert.True(t, o.UseMajorToMinorDataLayoutForCallbacks)
		require.EqualValues(t, 5, o.NumSendOps)
		assert.Zero(t, o.NumRecvOps)
		send := map[int64]capi.SendCallbackInfo{}
		for _, i := range unsafe.Slice(*o.SendCallbacks, 5) {
			send[i.ChannelID] = i
		}
		freedChunks.Store(0)
		call := func(channel int64, c *capi.Chunk, done bool) *pjrt.Error {
			h := send[channel].SendCallback.Call(c, callbackError(), 6, done, send[channel].UserArg)
			if h == nil {
				return nil
			}
			e, ok := callbackErrors.LoadAndDelete(uintptr(unsafe.Pointer(h)))
			require.True(t, ok)
			return e.(*pjrt.Error)
		}
		assert.Nil(t, call(9, newChunk(1, 2, 3), false))
		assert.Nil(t, call(9, newChunk(4, 5, 6), true))
		assert.Nil(t, call(9, newChunk(), true))
		assert.Equal(t, []sent{{"\x01\x02\x03", 6, false}, {"\x04\x05\x06", 6, true}, {"", 6, true}}, got)
		assert.Equal(t, &pjrt.Error{Code: pjrt.ErrOutOfRange, Message: "no more"}, call(2, newChunk(1), true))
		assert.Equal(t, &pjrt.Error{Code: pjrt.ErrUnknown, Message: "full"}, call(5, newChunk(1), true))
		panicked := call(7, newChunk(1), true)
		require.NotNil(t, panicked)
		assert.Equal(t, pjrt.ErrInternal, panicked.Code)
		assert.Contains(t, panicked.Message, "oops")
		ended := call(8, newChunk(1), true)
		require.NotNil(t, ended)
		assert.Equal(t, pjrt.ErrAborted, ended.Code)
		missing := call(9, nil, true)
		require.NotNil(t, missing)
		assert.Equal(t, "the plugin called a SendFunc without a chunk", missing.Message)
		assert.EqualValues(t, 7, freedChunks.Load(), "each chunk is freed once")
	})
}

// sink is a stream of granularClient's plugin.
type sink struct {
	total, granule int64

	mu     sync.Mutex
	data   []byte // guarded by mu
	closed chan struct{}
}

func newSink(total, granule int64) (*sink, *capi.CopyToDeviceStream) {
	s := &sink{total: total, granule: granule, closed: make(chan struct{})}
	return s, (*capi.CopyToDeviceStream)(unsafe.Pointer(s))
}

func sinkOf(h *capi.CopyToDeviceStream) *sink { return (*sink)(unsafe.Pointer(h)) }

// setFunction puts a Go function into the slot of the function that takes an A.
func setFunction[A any](api *capi.API, fn func(*A)) {
	slot := unsafe.Add(unsafe.Pointer(api), new(capi.Call[A]).Function().Offset)
	*(*uintptr)(slot) = purego.NewCallback(func(a *A) uintptr { fn(a); return 0 })
}

// granularClient makes a client of a plugin whose streams are sinks. Each sink has the
// granule that the test gives it.
func granularClient(t testing.TB) *pjrt.Client {
	t.Helper()
	api := *pjrttest.New(t, pjrttest.Options{}).Table().API()
	setFunction(&api, func(a *capi.CopyToDeviceStreamTotalBytesArgs) { a.TotalBytes = sinkOf(a.Stream).total })
	setFunction(&api, func(a *capi.CopyToDeviceStreamGranuleSizeArgs) { a.GranuleSizeInBytes = sinkOf(a.Stream).granule })
	setFunction(&api, func(a *capi.CopyToDeviceStreamCurrentBytesArgs) {
		s := sinkOf(a.Stream)
		s.mu.Lock()
		defer s.mu.Unlock()
		a.CurrentBytes = int64(len(s.data))
	})
	setFunction(&api, func(a *capi.CopyToDeviceStreamAddChunkArgs) {
		s, c := sinkOf(a.Stream), *a.Chunk
		s.mu.Lock()
		s.data = append(s.data, unsafe.Slice((*byte)(c.Data), c.Size)...)
		s.mu.Unlock()
		c.Deleter.Call(c.Data, c.DeleterArg)
	})
	setFunction(&api, func(a *capi.CopyToDeviceStreamDestroyArgs) { close(sinkOf(a.Stream).closed) })
	table, err := capi.NewTable(&api, capi.Reentrant())
	require.NoError(t, err)
	plugin, err := raw.Plugin(table)
	require.NoError(t, err)
	client, err := plugin.NewClient(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

func TestAProgramReceivesFromTheHost(t *testing.T) {
	log := captureLog(t)
	client := granularClient(t)
	streams := make(chan *transfer.Stream, 1)
	hosts := transfer.Hosts{{Recv: map[int64]transfer.RecvFunc{
		3: func(s *transfer.Stream) { streams <- s },
		4: func(s *transfer.Stream) { panic("no data today") },
		5: func(s *transfer.Stream) { runtime.Goexit() },
	}}}
	extend(t, client, hosts, func(o *capi.ExecuteOptions) {
		require.EqualValues(t, 3, o.NumRecvOps)
		infos := unsafe.Slice(*o.RecvCallbacks, 3)
		into, h := newSink(8, 4)
		infos[0].RecvCallback.Call(h, infos[0].UserArg)
		s := <-streams
		total, err := s.TotalBytes()
		require.NoError(t, err)
		assert.EqualValues(t, 8, total)
		granule, err := s.GranuleSize()
		require.NoError(t, err)
		assert.EqualValues(t, 4, granule)
		for name, c := range map[string]struct {
			size int
			want string
		}{
			"empty":      {0, "the chunk is empty"},
			"no granule": {3, "a chunk of 3 bytes is not a multiple of the stream's granule of 4"},
			"too large":  {12, "a chunk of 12 bytes is too large: the stream already has 0 of its 8 bytes"},
		} {
			_, err = s.AddChunk(make([]byte, c.size))
			require.Error(t, err, name)
			assert.ErrorContains(t, err, c.want, name)
		}
		for i := range 2 {
			e, err := s.AddChunk([]byte{byte(i), 1, 2, 3})
			require.NoError(t, err)
			require.NoError(t, e.Wait(t.Context()))
			e.Close()
			current, err := s.CurrentBytes()
			require.NoError(t, err)
			assert.EqualValues(t, (i+1)*4, current)
		}
		_, err = s.AddChunk(make([]byte, 4))
		require.ErrorIs(t, err, pjrt.ErrOutOfRange)
		assert.Equal(t, []byte{0, 1, 2, 3, 1, 1, 2, 3}, into.data)
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		<-into.closed
		_, err = s.AddChunk(make([]byte, 4))
		require.ErrorIs(t, err, pjrt.ErrClosed)
		_, err = s.TotalBytes()
		require.ErrorIs(t, err, pjrt.ErrClosed)

		// If the stream stayed open, the program would wait for ever.
		for _, info := range infos[1:] {
			into, h = newSink(4, 4)
			info.RecvCallback.Call(h, info.UserArg)
			<-into.closed
		}
		infos[1].RecvCallback.Call(nil, infos[1].UserArg)
		assert.Contains(t, log.String(), "asked for data without a stream")
	})
	for _, none := range []*transfer.Stream{nil, {}} {
		require.NoError(t, none.Close())
		_, err := none.AddChunk([]byte{1})
		require.ErrorContains(t, err, "the stream is nil")
		_, err = none.CurrentBytes()
		require.ErrorContains(t, err, "the stream is nil")
	}
}

func TestAProgramOutputsValues(t *testing.T) {
	captureLog(t)
	client := pjrttest.New(t, pjrttest.Options{}).Client()
	var got []transfer.Value
	outputs := transfer.Outputs{
		{ID: 11, Operands: 2, Func: func(v transfer.Value) {
			v.Data = bytes.Clone(v.Data)
			got = append(got, v)
		}},
		{ID: 12, Func: func(transfer.Value) { panic("nothing sees this") }},
	}
	extend(t, client, outputs, func(o *capi.ExecuteOptions) {
		infos := unsafe.Slice(o.HLOOutputCallbacks, o.NumHLOOutputCallbacks)
		require.Len(t, infos, 2)
		assert.EqualValues(t, 11, infos[0].CallbackID)
		assert.EqualValues(t, 2, infos[0].NumOperands)
		data, dims := []float32{1, 2, 3, 4, 5, 6}, []int64{2, 3}
		infos[0].Callback.Call(1, 2, unsafe.Pointer(unsafe.SliceData(data)), unsafe.SliceData(dims), 2,
			capi.BufferTypeF32, 0, infos[0].UserArg)
		infos[0].Callback.Call(0, 0, nil, nil, 0, capi.BufferTypeInvalid, 1, infos[0].UserArg)
		infos[1].Callback.Call(0, 0, nil, nil, 0, capi.BufferTypeInvalid, 1, infos[1].UserArg)
		require.Len(t, got, 2)
		assert.Equal(t, transfer.Value{
			Replica: 1, Partition: 2, Shape: pjrt.Shape{Type: dtype.F32, Dims: dims}, Data: dtype.Bytes(data),
		}, got[0])
		assert.Equal(t, transfer.Value{Operand: 1, Shape: pjrt.Shape{Type: dtype.Invalid}}, got[1])
	})
	extend(t, client, transfer.Outputs(nil), func(o *capi.ExecuteOptions) { assert.Zero(t, o.NumHLOOutputCallbacks) })
}

func TestMisuseOfExtensionsIsAnErrorHere(t *testing.T) {
	client := pjrttest.New(t, pjrttest.Options{Devices: 2}).Client()
	ignore := func([]byte, int, bool) error { return nil }
	give := func(s *transfer.Stream) { s.Close() }
	sends := func(channels ...int64) transfer.Host {
		h := transfer.Host{Send: map[int64]transfer.SendFunc{}}
		for _, c := range channels {
			h.Send[c] = ignore
		}
		return h
	}
	var none capi.ExecuteOptions
	for name, c := range map[string]struct {
		client  *pjrt.Client
		x       pjrt.ExecuteExtension
		options capi.ExecuteOptions
		want    string
	}{
		"no client":         {nil, transfer.Hosts{{}, {}}, none, "the client is nil"},
		"too many":          {client, make(transfer.Hosts, 3), none, "transfer.Hosts has 3 hosts, but the program runs on 2 devices"},
		"none":              {client, transfer.Hosts(nil), none, "transfer.Hosts has 0 hosts, but the program runs on 2 devices"},
		"different":         {client, transfer.Hosts{sends(1), sends(1, 2)}, none, "has 2 channels to send and 0 to receive, but that of"},
		"nil send":          {client, transfer.Hosts{{Send: map[int64]transfer.SendFunc{1: ignore, 3: nil}}, sends(1, 3)}, none, "the SendFunc of channel 3 is nil"},
		"nil recv":          {client, transfer.Hosts{{Recv: map[int64]transfer.RecvFunc{1: give, 4: nil}}, {Recv: map[int64]transfer.RecvFunc{1: give, 4: give}}}, none, "the RecvFunc of channel 4 is nil"},
		"hosts twice":       {client, transfer.Hosts{sends(1), sends(1)}, capi.ExecuteOptions{NumRecvOps: 1}, "two transfer.Hosts"},
		"nil output":        {client, transfer.Outputs{{ID: 4, Func: func(transfer.Value) {}}, {ID: 5}}, none, "Func of output operation 5 is nil"},
		"negative operands": {client, transfer.Outputs{{ID: 5, Operands: -1, Func: func(transfer.Value) {}}}, none, "output operation 5 has -1 operands"},
		"outputs twice":     {client, transfer.Outputs{{Func: func(transfer.Value) {}}}, capi.ExecuteOptions{NumHLOOutputCallbacks: 1}, "two transfer.Outputs"},
	} {
		t.Run(name, func(t *testing.T) {
			handles := capi.LiveHandles()
			done, err := c.x.ExtendExecute(c.client, client.AddressableDevices(), &c.options)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
			assert.Nil(t, done)
			assert.Equal(t, handles, capi.LiveHandles(), "callbacks are left")
		})
	}
}

// reverse is a program that sends its argument to the host on channel 1, receives as
// much on channel 2, outputs that, and returns it.
func reverse(t testing.TB, opts pjrttest.Options) (exe *pjrt.LoadedExecutable, arg *pjrt.Buffer) {
	t.Helper()
	pjrttest.NoLeaks(t)
	p := pjrttest.New(t, opts)
	p.AddProgram(pjrttest.Program{Name: "reverse", Launch: func(l *pjrttest.Launch) error {
		x := l.Args[0][0]
		if err := l.Send(0, 1, x.Data); err != nil {
			return err
		}
		var err error
		if x.Data, err = l.Recv(0, 2, len(x.Data)); err != nil {
			return err
		}
		l.Output(0, 5, x)
		l.Results[0] = []pjrt.HostArray{x}
		return nil
	}})
	exe, err := p.Client().Compile(t.Context(), pjrt.Program{Code: []byte(`module @reverse {
  func.func @main(%x: tensor<4xui8>) -> tensor<4xui8> {
    return %x : tensor<4xui8>
  }
}`)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	return exe, upload(t, p.Client(), pjrt.ArrayOf([]uint8{1, 2, 3, 4}, 4))
}

func TestAnExecutionExchangesDataWithTheHost(t *testing.T) {
	exe, arg := reverse(t, pjrttest.Options{})
	handles := capi.LiveHandles()
	sent := make(chan []byte, 1)
	send := func(chunk []byte, total int, done bool) error {
		assert.True(t, done)
		assert.Len(t, chunk, total)
		sent <- bytes.Clone(chunk)
		return nil
	}
	recv := func(s *transfer.Stream) {
		go func() { // the plugin's thread must not wait
			defer s.Close()
			data := <-sent
			for i := range data {
				e, err := s.AddChunk(data[len(data)-1-i:][:1])
				if assert.NoError(t, err) {
					assert.NoError(t, e.Wait(context.Background()))
					e.Close()
				}
			}
		}()
	}
	hosts := func(send transfer.SendFunc, recv transfer.RecvFunc) transfer.Hosts {
		return transfer.Hosts{{Send: map[int64]transfer.SendFunc{1: send}, Recv: map[int64]transfer.RecvFunc{2: recv}}}
	}
	var put []byte
	outputs := transfer.Outputs{{ID: 5, Operands: 1, Func: func(v transfer.Value) { put = bytes.Clone(v.Data) }}}
	run := func(extensions ...pjrt.ExecuteExtension) ([]byte, error) {
		outs, err := exe.Execute(t.Context(), []*pjrt.Buffer{arg}, &pjrt.ExecuteOptions{Extensions: extensions})
		require.Eventually(t, func() bool { return capi.LiveHandles() == handles }, time.Minute, time.Millisecond, "callbacks are left")
		if err != nil {
			return nil, err
		}
		defer outs[0].Close()
		return pjrt.ToSlice[uint8](t.Context(), outs[0])
	}
	for range 2 {
		got, err := run(hosts(send, recv), outputs)
		require.NoError(t, err)
		assert.Equal(t, []byte{4, 3, 2, 1}, got)
		assert.Equal(t, []byte{4, 3, 2, 1}, put)
	}
	_, err := run(hosts(func([]byte, int, bool) error { return errors.New("disk full") }, recv))
	require.ErrorContains(t, err, "disk full")
	_, err = run(hosts(send, func(s *transfer.Stream) { s.Close() }))
	require.Error(t, err, "a stream that ends early fails the execution")
	<-sent
	_, err = run(hosts(send, recv), hosts(send, recv))
	require.ErrorContains(t, err, "two transfer.Hosts")
	_, err = run(outputs, outputs)
	require.ErrorContains(t, err, "two transfer.Outputs")
	_, err = run(hosts(send, recv), transfer.Outputs{{ID: 5}})
	require.ErrorContains(t, err, "Func of output operation 5 is nil")
}

func TestOutputsAreNewerThanHosts(t *testing.T) {
	exe, arg := reverse(t, pjrttest.Options{Minor: 111})
	_, err := exe.Execute(t.Context(), []*pjrt.Buffer{arg}, &pjrt.ExecuteOptions{
		Extensions: []pjrt.ExecuteExtension{transfer.Outputs{{ID: 5, Func: func(transfer.Value) {}}}},
	})
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.ErrorContains(t, err, "came with API 0.112")

	for minor, want := range map[int]bool{107: false, 108: true} {
		client := pjrttest.New(t, pjrttest.Options{Minor: minor}).Client()
		extend(t, client, transfer.Hosts{{}}, func(o *capi.ExecuteOptions) {
			assert.Equal(t, want, o.UseMajorToMinorDataLayoutForCallbacks, minor)
			assert.Zero(t, o.NumSendOps+o.NumRecvOps)
		})
	}
}
