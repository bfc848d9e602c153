// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"errors"
	"log/slog"
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
)

// callbackError makes the errors of callbacks.
var callbackError = sync.OnceValue(func() *capi.CallbackError {
	f := capi.CallbackError(purego.NewCallback(func(code int32, message *byte, size uintptr) uintptr {
		return failWith(capi.ErrorCode(code), capi.String(message, size))
	}))
	return &f
})

// freedChunks counts the calls of the deleter of newChunk.
var freedChunks atomic.Int32

var chunkDeleter = sync.OnceValue(func() capi.ChunkDeleter {
	return capi.ChunkDeleter(purego.NewCallback(func(data *byte, _ uintptr) {
		freedChunks.Add(1)
		if data != nil {
			*data = 0xff // what is freed is not what it was
		}
	}))
})

func newChunk(data ...byte) *capi.Chunk {
	return &capi.Chunk{Data: unsafe.Pointer(unsafe.SliceData(data)), Size: uintptr(len(data)), Deleter: chunkDeleter(), DeleterArg: 1}
}

// transferring runs add on the stand-in and, before it ends, what the program
// would do with its callbacks.
func transferring(t *testing.T, opts *pjrt.ExecuteOptions, program func(o *capi.ExecuteOptions)) {
	t.Helper()
	// Panics in callbacks that cannot fail are logged.
	log := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(log) })
	client := standInClient(t, 1)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	event := delayExecutions(t)
	var options capi.ExecuteOptions
	delay := standInHook[capi.LoadedExecutableExecuteArgs]()
	on(t, func(a *capi.LoadedExecutableExecuteArgs, next func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
		options = *a.Options
		plain := *a
		plain.Options = &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}
		return delay(&plain, next)
	})
	handles := capi.LiveHandles()
	x, err := exe.Start(t.Context(), []*pjrt.Buffer{a, a}, opts)
	require.NoError(t, err)
	defer x.Close()
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, x.Outputs()[0]))
	program(&options)
	event().set(capi.ErrorCodeOK, "")
	require.NoError(t, x.Wait(t.Context()))
	require.Eventually(t, func() bool { return capi.LiveHandles() == handles }, 5*time.Second, time.Millisecond, "callbacks are left")
	require.Eventually(t, func() bool { return pjrt.Live()["stream"] == 0 }, 5*time.Second, time.Millisecond)
}

func TestAProgramSendsToTheHost(t *testing.T) {
	type sent struct {
		data  string
		total int
		done  bool
	}
	var got []sent
	opts := &pjrt.ExecuteOptions{Transfers: []pjrt.HostTransfers{{Send: map[int64]pjrt.SendFunc{
		9: func(chunk []byte, total int, done bool) error {
			got = append(got, sent{string(chunk), total, done})
			return nil
		},
		2: func([]byte, int, bool) error { return &pjrt.Error{Code: pjrt.ErrOutOfRange, Message: "no more"} },
		5: func([]byte, int, bool) error { return errors.New("full") },
		7: func([]byte, int, bool) error { panic("oops") },
	}}}}
	transferring(t, opts, func(o *capi.ExecuteOptions) {
		assert.True(t, o.UseMajorToMinorDataLayoutForCallbacks)
		require.EqualValues(t, 4, o.NumSendOps)
		assert.Zero(t, o.NumRecvOps)
		infos := unsafe.Slice(*o.SendCallbacks, 4)
		send := map[int64]capi.SendCallbackInfo{}
		for _, i := range infos {
			send[i.ChannelID] = i
		}
		freedChunks.Store(0)
		call := func(channel int64, c *capi.Chunk, done bool) *pjrt.Error {
			h := send[channel].SendCallback.Call(c, callbackError(), 6, done, send[channel].UserArg)
			return standInError(h)
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
		missing := call(9, nil, true)
		require.NotNil(t, missing)
		assert.Equal(t, "the plugin sent no chunk", missing.Message)
		assert.EqualValues(t, 6, freedChunks.Load(), "each chunk is freed once")
	})
	clearStandInErrors()
}

func TestAProgramReceivesFromTheHost(t *testing.T) {
	streams := make(chan *pjrt.CopyToDeviceStream, 1)
	opts := &pjrt.ExecuteOptions{Transfers: []pjrt.HostTransfers{{Recv: map[int64]pjrt.RecvFunc{
		3: func(s *pjrt.CopyToDeviceStream) { streams <- s },
		4: func(s *pjrt.CopyToDeviceStream) { panic("no data today") },
	}}}}
	transferring(t, opts, func(o *capi.ExecuteOptions) {
		require.EqualValues(t, 2, o.NumRecvOps)
		infos := unsafe.Slice(*o.RecvCallbacks, 2)
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
			"empty":     {0, "the chunk is empty"},
			"no granul": {3, "a chunk of 3 bytes is no multiple of the 4"},
			"too large": {12, "a chunk of 12 bytes is too large for a stream that has 0 of its 8 bytes"},
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

		// A panic ends the stream, or the program would wait for ever.
		into, h = newSink(4, 4)
		infos[1].RecvCallback.Call(h, infos[1].UserArg)
		<-into.closed
		infos[1].RecvCallback.Call(nil, infos[1].UserArg)
	})
	var none *pjrt.CopyToDeviceStream
	require.NoError(t, none.Close())
	_, err := none.AddChunk([]byte{1})
	require.ErrorContains(t, err, "the stream is nil")
	_, err = new(pjrt.CopyToDeviceStream).CurrentBytes()
	require.ErrorContains(t, err, "the stream is nil")
}

func TestTransfersAreAsManyOnEachDevice(t *testing.T) {
	client := standInClient(t, 2)
	exe := compileWith(t, client, allReduce(2), &pjrt.CompileOptions{Replicas: 2})
	args := [][]*pjrt.Buffer{{uploadTo(t, client.Devices()[0], floats(1, 2, 3))}, {uploadTo(t, client.Devices()[1], floats(1, 2, 3))}}
	ignore := func([]byte, int, bool) error { return nil }
	handles := capi.LiveHandles()
	_, err := exe.ExecuteAll(t.Context(), args, &pjrt.ExecuteOptions{Transfers: []pjrt.HostTransfers{
		{Send: map[int64]pjrt.SendFunc{1: ignore}}, {Send: map[int64]pjrt.SendFunc{1: ignore, 2: ignore}},
	}})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "are not as many as those of")
	assert.Equal(t, handles, capi.LiveHandles())
}

func TestAProgramPutsValuesOut(t *testing.T) {
	var got []pjrt.HLOValue
	opts := &pjrt.ExecuteOptions{HLOOutputs: []pjrt.HLOOutput{
		{ID: 11, Operands: 2, Func: func(v pjrt.HLOValue) {
			v.Data = append([]byte(nil), v.Data...)
			got = append(got, v)
		}},
		{ID: 12, Func: func(pjrt.HLOValue) { panic("nothing sees this") }},
	}}
	transferring(t, opts, func(o *capi.ExecuteOptions) {
		infos := unsafe.Slice(o.HLOOutputCallbacks, o.NumHLOOutputCallbacks)
		require.Len(t, infos, 2)
		assert.EqualValues(t, 11, infos[0].CallbackID)
		assert.EqualValues(t, 2, infos[0].NumOperands)
		data, dims := []float32{1, 2, 3, 4, 5, 6}, []int64{2, 3}
		infos[0].Callback.Call(1, 2, unsafe.Pointer(unsafe.SliceData(data)), unsafe.SliceData(dims), 2, capi.BufferTypeF32, 0, infos[0].UserArg)
		infos[0].Callback.Call(0, 0, nil, nil, 0, capi.BufferTypeInvalid, 1, infos[0].UserArg)
		infos[1].Callback.Call(0, 0, nil, nil, 0, capi.BufferTypeInvalid, 1, infos[1].UserArg)
		require.Len(t, got, 2)
		assert.Equal(t, pjrt.HLOValue{
			Replica: 1, Partition: 2, Shape: pjrt.Shape{Type: dtype.F32, Dims: dims}, Data: dtype.Bytes(data),
		}, got[0])
		assert.Equal(t, pjrt.HLOValue{Operand: 1, Shape: pjrt.Shape{Type: dtype.Invalid}}, got[1])
	})
}
