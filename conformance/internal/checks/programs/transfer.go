// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Channels of sendProgram and recvProgram.
const (
	sendChannel = 7
	recvChannel = 8
)

// transfer is an execution with callbacks for what the program sends to the
// host and receives from it.
type transfer struct {
	*check.Execution
	t     *check.T
	sends [][]capi.SendCallbackInfo // per device
	recvs [][]capi.RecvCallbackInfo // per device
}

// sender and receiver are a callback for a channel.
type sender struct {
	channel int64
	fn      func(chunk *capi.Chunk, total uintptr, done bool) error
}

type receiver struct {
	channel int64
	fn      func(stream *capi.CopyToDeviceStream)
}

// newTransfer prepares an execution whose callbacks are the same on each device.
func newTransfer(t *check.T, exe *capi.LoadedExecutable, outputs int, sends []sender, recvs []receiver,
	arguments ...[]*capi.Buffer) *transfer {
	x := &transfer{Execution: check.NewExecution(exe, outputs, arguments...), t: t}
	for range arguments {
		var s []capi.SendCallbackInfo
		for _, e := range sends {
			callback, handle := capi.NewSendCallback(e.fn)
			t.Cleanup(handle.Delete)
			s = append(s, capi.SendCallbackInfo{ChannelID: e.channel, UserArg: uintptr(handle), SendCallback: callback})
		}
		var r []capi.RecvCallbackInfo
		for _, e := range recvs {
			callback, handle := capi.NewRecvCallback(e.fn)
			t.Cleanup(handle.Delete)
			r = append(r, capi.RecvCallbackInfo{ChannelID: e.channel, UserArg: uintptr(handle), RecvCallback: callback})
		}
		x.sends, x.recvs = append(x.sends, s), append(x.recvs, r)
	}
	if len(sends) > 0 {
		lists := make([]*capi.SendCallbackInfo, len(x.sends))
		for i := range lists {
			lists[i] = &x.sends[i][0]
		}
		x.Options.SendCallbacks, x.Options.NumSendOps = &lists[0], uintptr(len(sends))
	}
	if len(recvs) > 0 {
		lists := make([]*capi.RecvCallbackInfo, len(x.recvs))
		for i := range lists {
			lists[i] = &x.recvs[i][0]
		}
		x.Options.RecvCallbacks, x.Options.NumRecvOps = &lists[0], uintptr(len(recvs))
	}
	x.Options.UseMajorToMinorDataLayoutForCallbacks = t.Minor() >= 108
	return x
}

// begin starts the execution. A plugin may run it to its end within the call, so another
// goroutine makes the call; ended waits for it and for the complete events.
func (x *transfer) begin() (ended func() error) {
	called := make(chan error, 1)
	go func() {
		called <- x.Execute(x.t)
	}()
	return func() error {
		var err error
		select {
		case err = <-called:
		case <-x.t.Context().Done():
			x.t.Stuck("PJRT_LoadedExecutable_Execute with callbacks did not return before the check's time was up")
		}
		if err != nil {
			return err
		}
		for i := range x.Outputs {
			for _, b := range x.Outputs[i] {
				check.Own(x.t, b)
			}
			check.Own(x.t, x.Events[i])
		}
		return finish(x.t, x.Execution)
	}
}

// compileTransfer compiles a program with host transfers. It skips the check if the plugin
// has none.
func compileTransfer(t *check.T, text string, o options) *capi.LoadedExecutable {
	return compileOrSkip(t, t.Client(), text, o, "a program that sends to the host or receives from it is refused")
}

// six holds the data that the programs send and receive.
var six = []float32{1, 2, 3, 4, 5, 6}

func uploadSix(t *check.T) *capi.Buffer { return check.Upload(t, t.Client(), six, 2, 3) }

// sent collects what a program sends.
type sent struct {
	mu     sync.Mutex
	data   []byte
	totals []uintptr
	done   []bool
}

// take copies a chunk and deletes it.
func (s *sent) take(chunk *capi.Chunk, total uintptr, done bool) error {
	b := capi.Bytes((*byte)(chunk.Data), chunk.Size)
	deleteChunk(chunk)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data, s.totals, s.done = append(s.data, b...), append(s.totals, total), append(s.done, done)
	return nil
}

func deleteChunk(chunk *capi.Chunk) {
	if chunk.Deleter != 0 {
		chunk.Deleter.Call(chunk.Data, chunk.DeleterArg)
	}
}

// is compares the data that were sent.
func (s *sent) is(t *check.T, want []float32, what string) { s.has(t, dtype.Bytes(want), what) }

// has is like is, for bytes.
func (s *sent) has(t *check.T, want []byte, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch at := check.DiffersAt(want, s.data); {
	case at >= 0 && len(want) > 64:
		t.Errorf("%s: expected %d bytes, got %d, of which the one at %d is the first that differs", what, len(want), len(s.data), at)
	case at >= 0:
		t.Errorf("%s: expected the bytes % x, got % x", what, want, s.data)
	}
	for i, total := range s.totals {
		check.Equal(t, uintptr(len(want)), total, "%s: total_size_in_bytes of chunk %d of %d", what, i+1, len(s.totals))
		check.Equal(t, i == len(s.totals)-1, s.done[i], "%s: done of chunk %d of %d", what, i+1, len(s.totals))
	}
}

// ignore returns a callback for a channel that the program does not have.
func ignore(t *check.T) func(*capi.Chunk, uintptr, bool) error {
	return func(chunk *capi.Chunk, _ uintptr, _ bool) error {
		deleteChunk(chunk)
		t.Errorf("the send callback of a channel that the program does not have was called")
		return nil
	}
}

var callbackChecks = []check.Check{
	{Rule: "XOPT-08", Hostile: true, Run: func(t *check.T) {
		got := new(sent)
		sendSix(t, []sender{{sendChannel, got.take}})
		got.is(t, six, "what the program sent")
		var list []check.HostArray
		for i, n := range []int64{1, 3, 31, 65, 1025, 4097, 100003} {
			list = append(list, check.HostArrayOf([]dtype.Type{dtype.U8, dtype.F32, dtype.S16, dtype.S64}[i%4], uint64(i), n))
		}
		talks(t, list)
	}},
	{Rule: "XOPT-09", Hostile: true, Run: func(t *check.T) {
		var mu sync.Mutex
		var chunks [][]byte
		var late sync.WaitGroup
		t.Cleanup(late.Wait)
		sendSix(t, []sender{{sendChannel, func(chunk *capi.Chunk, _ uintptr, _ bool) error {
			own := *chunk
			mu.Lock()
			defer mu.Unlock()
			i := len(chunks)
			chunks = append(chunks, nil)
			late.Add(1)
			go func() {
				defer late.Done()
				time.Sleep(30 * time.Millisecond)
				b := capi.Bytes((*byte)(own.Data), own.Size)
				deleteChunk(&own)
				mu.Lock()
				defer mu.Unlock()
				chunks[i] = b
			}()
			return nil
		}}})
		late.Wait()
		data := bytes.Join(chunks, nil)
		if string(data) != string(dtype.Bytes(six)) {
			t.Errorf("data of chunks that were read 30 ms after the callback and deleted then: expected % x, got % x",
				dtype.Bytes(six), data)
		}
	}},
	{Rule: "XOPT-10", Hostile: true, Run: func(t *check.T) {
		const message = "the suite's send callback failed"
		exe := compileTransfer(t, sendProgram, options{})
		err := newTransfer(t, exe, 1, []sender{{sendChannel, func(chunk *capi.Chunk, _ uintptr, _ bool) error {
			deleteChunk(chunk)
			return &capi.Error{Code: capi.ErrorCodeDataLoss, Message: message}
		}}}, nil, []*capi.Buffer{uploadSix(t)}).begin()()
		t.ErrorCode(err, "an execution whose send callback fails")
	}},
	{Rule: "XOPT-11", Hostile: true, Run: func(t *check.T) {
		for _, order := range [][]int64{{sendChannel, 99}, {99, sendChannel}} {
			got := new(sent)
			var list []sender
			for _, channel := range order {
				if channel == sendChannel {
					list = append(list, sender{channel, got.take})
				} else {
					list = append(list, sender{channel, ignore(t)})
				}
			}
			sendSix(t, list)
			got.is(t, six, fmt.Sprintf("what the program sent with callbacks for the channels %v", order))
		}
		talks(t, someArrays())
		exe, err := tryCompile(t, t.Client(), recvProgram, options{})
		if err != nil {
			t.Notef("a program that receives is refused: %s", firstLine(err.Error()))
			return
		}
		for _, order := range [][]int64{{recvChannel, 99}, {99, recvChannel}} {
			receives(t, exe, order, [][]float32{six})
		}
	}},
	{Rule: "XOPT-12", Hostile: true, Run: func(t *check.T) {
		receiveSix(t, func(s *stream) {
			s.add(dtype.Bytes(six))
			s.destroy()
		})
		exe := compileTransfer(t, recvProgram, options{})
		for run := range 3 { // each has callbacks of its own
			receives(t, exe, []int64{recvChannel}, [][]float32{fill(6, float32(100*run), 1)})
		}
	}},
	{Rule: "XOPT-13", Hostile: true, Run: func(t *check.T) {
		// The stream must not be used after the client is gone.
		var late sync.WaitGroup
		t.Cleanup(late.Wait)
		receiveSix(t, func(s *stream) {
			late.Add(1)
			go func() {
				defer late.Done()
				time.Sleep(20 * time.Millisecond)
				s.add(dtype.Bytes(six))
				s.destroy()
			}()
		})
		late.Wait() // before what the stream uses is freed
	}},
	{Rule: "XOPT-14", Hostile: true, Run: func(t *check.T) {
		exe := compileTransfer(t, recvProgram, options{})
		for _, half := range []bool{false, true} {
			what := "an execution whose stream was destroyed without data"
			if half {
				what = "an execution whose stream was destroyed with half of its data"
			}
			err := newTransfer(t, exe, 1, nil, []receiver{{recvChannel, func(h *capi.CopyToDeviceStream) {
				s := &stream{t: t, h: h}
				if g := s.granule(); half && g > 0 && 12%g == 0 {
					s.add(dtype.Bytes(six)[:12])
				}
				s.destroy()
			}}}, nil).begin()()
			t.ErrorCode(err, what)
		}
	}},
	{Rule: "XOPT-15", Hostile: true, Run: func(t *check.T) {
		exe := compileTransfer(t, sendProgram, options{})
		got := new(sent)
		x := newTransfer(t, exe, 1, []sender{{sendChannel, got.take}}, nil, []*capi.Buffer{uploadSix(t)})
		called := make(chan error, 1)
		go func() {
			err := x.Execute(t)
			// The lists may be freed as soon as the call returns.
			for i := range x.sends {
				clear(x.sends[i])
			}
			*x.Options = capi.ExecuteOptions{}
			called <- err
		}()
		if !t.NoError(<-called, "PJRT_LoadedExecutable_Execute with a send callback") {
			return
		}
		check.Own(t, x.Outputs[0][0])
		check.Own(t, x.Events[0])
		t.NoError(finish(t, x.Execution), "an execution whose callback lists were overwritten")
		got.is(t, six, "what the program sent after its callback lists were overwritten")
	}},
	{Rule: "XOPT-16", Devices: 2, Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe := compileTransfer(t, sendProgram, options{replicas: 2})
		devices := devicesOf(t, exe)
		got := []*sent{new(sent), new(sent)}
		lists := make([][]float32, 2)
		var arguments [][]*capi.Buffer
		for i, d := range devices {
			lists[i] = fill(6, float32(100*i), 1)
			arguments = append(arguments, []*capi.Buffer{check.UploadTo(t, c, d, lists[i], 2, 3)})
		}
		x := newTransfer(t, exe, 1, []sender{{sendChannel, got[0].take}}, nil, arguments...)
		callback, handle := capi.NewSendCallback(got[1].take)
		t.Cleanup(handle.Delete)
		x.sends[1][0].SendCallback, x.sends[1][0].UserArg = callback, uintptr(handle)
		if t.NoError(x.begin()(), "an execution on two devices that send") {
			for i := range got {
				got[i].is(t, lists[i], fmt.Sprintf("what device %d of 2 sent", i))
			}
		}
		receiver, err := tryCompile(t, c, recvProgram, options{replicas: 2})
		if err != nil {
			t.Notef("a program that receives on two devices is refused: %s", firstLine(err.Error()))
			return
		}
		receives(t, receiver, []int64{recvChannel}, lists)
	}},
	{Rule: "XOPT-17", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe := compileTransfer(t, sendProgram, options{portable: true})
		got := new(sent)
		x := newTransfer(t, exe, 1, []sender{{sendChannel, got.take}}, nil, []*capi.Buffer{uploadSix(t)})
		x.Args.ExecuteDevice = c.Devices[0]
		if err := x.begin()(); err != nil {
			t.ErrorCode(err, "executing with execute_device and callbacks", capi.ErrorCodeUnimplemented)
			t.Notef("callbacks with execute_device are refused: %v", err)
			return
		}
		got.is(t, six, "what the program sent when executed with execute_device")
	}},
	{Rule: "XOPT-18", Hostile: true, Run: func(t *check.T) {
		// The compiler may turn the transposition into a change of layout.
		exe := compileTransfer(t, sendTransposed, options{})
		want := []float32{1, 4, 2, 5, 3, 6}
		for _, older := range []bool{false, true} {
			got := new(sent)
			x := newTransfer(t, exe, 1, []sender{{sendChannel, got.take}}, nil, []*capi.Buffer{uploadSix(t)})
			what := "what the program sent with use_major_to_minor_data_layout_for_callbacks"
			if older {
				x.Options.StructSize, x.Options.UseMajorToMinorDataLayoutForCallbacks = optionsSizeAt97, false
				what = "what the program sent for a caller older than use_major_to_minor_data_layout_for_callbacks"
			}
			if err := x.begin()(); err != nil && older {
				t.Notef("options of API 0.97 are refused: %v", err)
			} else if t.NoError(err, "an execution that sends") {
				got.is(t, want, what)
			}
		}
	}},
}

// optionsSizeAt97 is the size of PJRT_ExecuteOptions without the fields added after API
// 0.97.
const optionsSizeAt97 = 120

// sendTransposed sends its argument, transposed, on channel 7.
const sendTransposed = `module @send_transposed {
  func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %b = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %0 = "stablehlo.send"(%b, %t) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 2>, is_host_transfer = true}> {mhlo.frontend_attributes = {_xla_host_transfer_rendezvous = "suite_send"}} : (tensor<3x2xf32>, !stablehlo.token) -> !stablehlo.token
    return %a : tensor<2x3xf32>
  }
}`

// sendSix executes sendProgram with callbacks.
func sendSix(t *check.T, list []sender) {
	exe := compileTransfer(t, sendProgram, options{})
	x := newTransfer(t, exe, 1, list, nil, []*capi.Buffer{uploadSix(t)})
	if t.NoError(x.begin()(), "an execution that sends") {
		check.ExpectBuffer(t, x.Outputs[0][0], six, "the result of a program that sends its argument")
	}
}

// receives executes recvProgram on the devices of exe, each of which must receive its data. There
// are callbacks for the channels in their order; the program has recvChannel alone.
func receives(t *check.T, exe *capi.LoadedExecutable, channels []int64, data [][]float32) {
	var entries []receiver
	for _, channel := range channels {
		entries = append(entries, receiver{channel, func(h *capi.CopyToDeviceStream) {
			t.Errorf("the recv callback of another channel, device or execution was called")
			(&stream{t: t, h: h}).destroy()
		}})
	}
	x := newTransfer(t, exe, 1, nil, entries, make([][]*capi.Buffer, len(data))...)
	for d, list := range x.recvs {
		at := slices.Index(channels, recvChannel)
		callback, handle := capi.NewRecvCallback(func(h *capi.CopyToDeviceStream) {
			s := &stream{t: t, h: h}
			s.add(dtype.Bytes(data[d]))
			s.destroy()
		})
		t.Cleanup(handle.Delete)
		list[at].RecvCallback, list[at].UserArg = callback, uintptr(handle)
	}
	if t.NoError(x.begin()(), "an execution that receives") {
		for d, want := range data {
			check.ExpectBuffer(t, x.Outputs[d][0], want,
				fmt.Sprintf("what device %d of %d received with callbacks for the channels %v", d, len(data), channels))
		}
	}
}

// chunkDeleter is the deleter of all chunks. It takes a handle of what to call, which may be called
// more than once.
var chunkDeleter = sync.OnceValue(func() capi.ChunkDeleter {
	return capi.ChunkDeleter(purego.NewCallback(func(_, arg uintptr) (none uintptr) {
		if v, ok := capi.Handle(arg).Value(); ok {
			v.(func())()
		}
		return
	}))
})

// receiveSix executes recvProgram, whose callback passes the stream to feed, and expects
// that the program receives six.
func receiveSix(t *check.T, feed func(*stream)) {
	exe := compileTransfer(t, recvProgram, options{})
	var calls atomic.Int32
	x := newTransfer(t, exe, 1, nil, []receiver{{recvChannel, func(h *capi.CopyToDeviceStream) {
		calls.Add(1)
		if h == nil {
			t.Errorf("the recv callback: expected a stream, got null")
			return
		}
		feed(&stream{t: t, h: h})
	}}}, nil)
	if t.NoError(x.begin()(), "an execution that receives") {
		check.Equal(t, int32(1), calls.Load(), "number of calls of the recv callback")
		check.ExpectBuffer(t, x.Outputs[0][0], six, "the result of a program that returns what it receives")
	}
}

// stream is the host's end of a recv operation. Its methods may be called from any
// goroutine.
type stream struct {
	t *check.T
	h *capi.CopyToDeviceStream
}

// addChunk adds a copy of data. deleted counts the calls of the deleter.
func (s *stream) addChunk(data []byte) (event *capi.Event, deleted *atomic.Int32, err error) {
	own := slices.Clone(data)
	deleted = new(atomic.Int32)
	handle := capi.NewHandle(func() {
		deleted.Add(1)
		for i := range own {
			own[i] = 0xa5 // freed memory no longer holds what it did
		}
	})
	s.t.Cleanup(handle.Delete)
	chunk := &capi.Chunk{Data: check.Pointer(own), Size: uintptr(len(own)), Deleter: chunkDeleter(), DeleterArg: uintptr(handle)}
	out, err := check.Try(s.t, capi.CopyToDeviceStreamAddChunkArgs{Stream: s.h, Chunk: chunk})
	*chunk = capi.Chunk{} // XLA's client has it on its stack
	if err != nil {
		return nil, deleted, err
	}
	return check.Own(s.t, out.TransferComplete), deleted, nil
}

// add adds a copy of data, waits for the transfer and checks the deleter.
func (s *stream) add(data []byte) {
	event, deleted, err := s.addChunk(data)
	if !s.t.NoError(err, "PJRT_CopyToDeviceStream_AddChunk") {
		return
	}
	if event == nil {
		s.t.Errorf("PJRT_CopyToDeviceStream_AddChunk: expected an event, got null")
		return
	}
	_, err = check.Try(s.t, capi.EventAwaitArgs{Event: event})
	s.t.NoError(err, "the transfer_complete event of a chunk")
	s.deletedOnce(deleted, "a chunk whose transfer is complete")
}

// deletedOnce gives the deleter a moment after the transfer.
func (s *stream) deletedOnce(deleted *atomic.Int32, what string) {
	s.t.Soon(time.Second, func() bool { return deleted.Load() != 0 })
	check.Equal(s.t, int32(1), deleted.Load(), "number of calls of the deleter of %s", what)
}

// refused expects that a chunk fails the call or its event, and that its deleter is called.
func (s *stream) refused(data []byte, what string, looksAtDeleter bool) {
	event, deleted, err := s.addChunk(data)
	if err == nil && event != nil {
		_, err = check.Try(s.t, capi.EventAwaitArgs{Event: event})
	}
	s.t.ErrorCode(err, "the transfer_complete event of "+what)
	if looksAtDeleter {
		s.deletedOnce(deleted, what)
	}
}

func (s *stream) destroy() {
	_, err := check.Try(s.t, capi.CopyToDeviceStreamDestroyArgs{Stream: s.h})
	s.t.NoError(err, "PJRT_CopyToDeviceStream_Destroy")
}

// total, granule and current read the properties of the stream.
func (s *stream) total() int64 {
	out, err := check.Try(s.t, capi.CopyToDeviceStreamTotalBytesArgs{Stream: s.h})
	s.t.NoError(err, "PJRT_CopyToDeviceStream_TotalBytes")
	return out.TotalBytes
}

func (s *stream) granule() int64 {
	out, err := check.Try(s.t, capi.CopyToDeviceStreamGranuleSizeArgs{Stream: s.h})
	s.t.NoError(err, "PJRT_CopyToDeviceStream_GranuleSize")
	return out.GranuleSizeInBytes
}

func (s *stream) current() int64 {
	out, err := check.Try(s.t, capi.CopyToDeviceStreamCurrentBytesArgs{Stream: s.h})
	s.t.NoError(err, "PJRT_CopyToDeviceStream_CurrentBytes")
	return out.CurrentBytes
}

var streamChecks = []check.Check{
	{Rule: "CDS-01", Hostile: true, Run: func(t *check.T) {
		receiveSix(t, func(s *stream) {
			for range 2 {
				check.Equal(t, int64(24), s.total(), "PJRT_CopyToDeviceStream_TotalBytes of a recv of tensor<2x3xf32>")
			}
			s.inChunks(func(added int64) {
				check.Equal(t, int64(24), s.total(), "PJRT_CopyToDeviceStream_TotalBytes after %d bytes", added)
			})
			s.destroy()
		})
		talks(t, []check.HostArray{check.HostArrayOf(dtype.F32, 1, 4), check.HostArrayOf(dtype.F32, 2, 6, 4)})
	}},
	{Rule: "CDS-02", Hostile: true, Run: func(t *check.T) {
		receiveSix(t, func(s *stream) {
			g := s.granule()
			switch {
			case g <= 0:
				t.Errorf("PJRT_CopyToDeviceStream_GranuleSize: expected more than 0, got %d", g)
			case s.total()%g != 0:
				t.Notef("the granule of %d bytes does not divide the total of %d", g, s.total())
			}
			check.Equal(t, g, s.granule(), "PJRT_CopyToDeviceStream_GranuleSize, asked again")
			s.add(dtype.Bytes(six))
			s.destroy()
		})
	}},
	{Rule: "CDS-03", Hostile: true, Run: func(t *check.T) {
		receiveSix(t, func(s *stream) {
			check.Equal(t, int64(0), s.current(), "PJRT_CopyToDeviceStream_CurrentBytes of a new stream")
			s.inChunks(func(added int64) {
				check.Equal(t, added, s.current(), "PJRT_CopyToDeviceStream_CurrentBytes after %d bytes", added)
			})
			s.destroy()
		})
		talks(t, []check.HostArray{
			check.HostArrayOf(dtype.F32, 1, 5), check.HostArrayOf(dtype.F32, 2, 2050), check.HostArrayOf(dtype.F32, 3, 17000),
		})
	}},
	{Rule: "CDS-04", Hostile: true, Run: func(t *check.T) {
		receiveSix(t, func(s *stream) {
			s.inChunks(func(int64) {})
			s.destroy()
		})
	}},
	{Rule: "CDS-05", Hostile: true, Run: func(t *check.T) {
		receiveSix(t, func(s *stream) {
			event, _, err := s.addChunk(dtype.Bytes(six))
			if t.NoError(err, "PJRT_CopyToDeviceStream_AddChunk") {
				if event == nil {
					t.Errorf("PJRT_CopyToDeviceStream_AddChunk: expected an event, got null")
				} else {
					_, err := check.Try(t, capi.EventAwaitArgs{Event: event})
					t.NoError(err, "the transfer_complete event of a chunk")
				}
			}
			s.destroy()
		})
	}},
	{Rule: "CDS-06", Hostile: true, Run: func(t *check.T) {
		badStream(t, func(s *stream) {
			s.refused(make([]byte, s.total()+max(s.granule(), 1)), "a chunk that is larger than the stream", false)
		})
	}},
	{Rule: "CDS-07", Hostile: true, Run: func(t *check.T) {
		badStream(t, func(s *stream) {
			if s.granule() < 2 {
				t.Notef("the granule is %d, so every chunk is a multiple of it", s.granule())
				return
			}
			s.refused(make([]byte, s.granule()+1), "a chunk that is no multiple of the granule", false)
		})
	}},
	{Rule: "CDS-08", Hostile: true, Run: func(t *check.T) {
		badStream(t, func(s *stream) {
			s.add(dtype.Bytes(six))
			s.refused(make([]byte, max(s.granule(), 1)), "a chunk after the last", false)
		})
	}},
	{Rule: "CDS-09", Library: true, Hostile: true, Run: func(t *check.T) {
		check.Optional(t, capi.CopyToDeviceStreamDestroyArgs{})
	}},
	{Rule: "CDS-10", Hostile: true, Run: func(t *check.T) {
		badStream(t, func(s *stream) {
			s.refused(make([]byte, s.total()+max(s.granule(), 1)), "a chunk that was refused", true)
		})
	}},
}

// inChunks adds six in three uneven chunks, or in two, or in one, as the granule allows.
func (s *stream) inChunks(after func(added int64)) {
	data := dtype.Bytes(six)
	ends := []int{4, 16, 24}
	if g := s.granule(); g <= 0 || 12%g != 0 {
		ends = []int{24}
	} else if 4%g != 0 {
		ends = []int{12, 24}
	}
	at := 0
	for _, end := range ends {
		s.add(data[at:end])
		after(int64(end))
		at = end
	}
}

// badStream executes recvProgram with a callback that breaks the rules. The execution may
// end in any way.
func badStream(t *check.T, misuse func(*stream)) {
	exe := compileTransfer(t, recvProgram, options{})
	var calls atomic.Int32
	x := newTransfer(t, exe, 1, nil, []receiver{{recvChannel, func(h *capi.CopyToDeviceStream) {
		calls.Add(1)
		s := &stream{t: t, h: h}
		misuse(s)
		s.destroy()
	}}}, nil)
	if err := x.begin()(); err != nil {
		t.Notef("the execution: %v", err)
	}
	check.Equal(t, int32(1), calls.Load(), "number of calls of the recv callback")
}
