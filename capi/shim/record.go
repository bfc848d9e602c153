// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
)

// recorder records the session of one plugin.
type recorder struct {
	s    *session
	file *writer
	r    *recording.Recorder
}

func (w *writer) Write(b []byte) (int, error) {
	w.write(b)
	return len(b), nil
}

// record opens the file for a plugin. From the second plugin on, the names of the files end with a
// number.
func (s *Shim) record(x *session) (*recorder, error) {
	name := s.config.Record
	if strings.HasSuffix(name, ".gz") {
		return nil, fmt.Errorf("shim: %s: %s: sessions are written uncompressed: compress the file when the session is over",
			s.config.name("Record"), name)
	}
	if n := s.records.Add(1); n > 1 {
		name += fmt.Sprint(".", n)
	}
	file, err := s.config.openOutput("Record", name)
	if err != nil {
		return nil, fmt.Errorf("shim: %w", err)
	}
	major, minor := x.real.Version()
	r := &recorder{s: x, file: file, r: recording.NewRecorder(file, major, minor)}
	if s.config.RecordBegun {
		r.r.RecordBegun()
	}
	return r, nil
}

// before records the inputs of a call.
func (r *recorder) before(k *call) {
	k.pending = r.r.Begin(k.number, k.function, k.view, k.inner)
}

// after records the outputs of a call.
func (r *recorder) after(k *call) {
	var failure *capi.Error
	if k.err != nil {
		failure = &capi.Error{Code: k.err.code, Message: k.err.message}
	}
	r.r.End(k.pending, k.function, k.view, k.inner, k.duration, failure, k.c.Err())
	if k.err == nil && k.view.Struct != nil {
		r.await(k)
	}
}

// await records the result of a transfer when it has arrived.
func (r *recorder) await(k *call) {
	var src *capi.Buffer
	var size uintptr
	switch k.args.Name {
	case "PJRT_Buffer_ToHostBuffer_Args":
		src, size = describe.PointerOf[capi.Buffer](uintptr(k.view.WordOf("src"))), uintptr(k.view.WordOf("dst_size"))
	case "PJRT_Buffer_CopyRawToHost_Args":
		src, size = describe.PointerOf[capi.Buffer](uintptr(k.view.WordOf("buffer"))), uintptr(k.view.WordOf("transfer_size"))
	case "PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args":
		r.look(k)
		return
	default:
		return
	}
	dst, event := uintptr(k.view.WordOf("dst")), uintptr(k.view.WordOf("event"))
	if dst == 0 || event == 0 {
		return
	}
	var typ capi.Call[capi.BufferElementTypeArgs]
	typ.Args.Buffer = src
	_ = typ.Do(r.s.real) // without the type, the bytes are compared
	number := k.number
	r.s.events.add(event, func(failed bool) {
		if !failed && !r.s.closed.Load() {
			r.r.Data(number, typ.Args.Type, describe.Memory(dst, size))
		}
	})
}

// look records the contents of a buffer whose address the client gets, because a client that can
// read the memory needs no transfer.
func (r *recorder) look(k *call) {
	buffer := describe.PointerOf[capi.Buffer](uintptr(k.view.WordOf("buffer")))
	var cpu capi.Call[capi.BufferIsOnCPUArgs]
	cpu.Args.Buffer = buffer
	var size capi.Call[capi.BufferOnDeviceSizeInBytesArgs]
	size.Args.Buffer = buffer
	var typ capi.Call[capi.BufferElementTypeArgs]
	typ.Args.Buffer = buffer
	at := uintptr(k.view.WordOf("device_memory_ptr"))
	if cpu.Do(r.s.real) != nil || !cpu.Args.IsOnCPU || size.Do(r.s.real) != nil || typ.Do(r.s.real) != nil || at == 0 || !r.filled(buffer) {
		return
	}
	r.r.Data(k.number, typ.Args.Type, describe.Memory(at, size.Args.OnDeviceSizeInBytes))
}

// filled reports whether a buffer already has its contents.
func (r *recorder) filled(buffer *capi.Buffer) bool {
	var ready capi.Call[capi.BufferReadyEventArgs]
	ready.Args.Buffer = buffer
	if ready.Do(r.s.real) != nil || ready.Args.Event == nil {
		return false
	}
	var is capi.Call[capi.EventIsReadyArgs]
	is.Args.Event = ready.Args.Event
	ok := is.Do(r.s.real) == nil && is.Args.IsReady
	if ok {
		var failed capi.Call[capi.EventErrorArgs]
		failed.Args.Event = ready.Args.Event
		ok = failed.Do(r.s.real) == nil
	}
	var d capi.Call[capi.EventDestroyArgs]
	d.Args.Event = ready.Args.Event
	_ = d.Do(r.s.real)
	return ok
}

// finish ends the session.
func (r *recorder) finish() error {
	err := r.r.Close()
	if e := r.file.finish(); err == nil {
		err = e
	}
	return err
}
