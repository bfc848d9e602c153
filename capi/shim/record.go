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

// Write makes a writer an io.Writer.
func (w *writer) Write(b []byte) (int, error) {
	w.write(b)
	return len(b), nil
}

// record opens the file of a plugin. Those of a second one, and of more, have a
// number at their end.
func (s *Shim) record(x *session) (*recorder, error) {
	name := s.config.Record
	if n := s.records.Add(1); n > 1 {
		name += fmt.Sprint(".", n)
	}
	if strings.HasSuffix(name, ".gz") {
		return nil, fmt.Errorf("shim: %s: sessions are written as they are; compress the file when the session is over", name)
	}
	file, err := openWriter(name)
	if err != nil {
		return nil, fmt.Errorf("shim: %w", err)
	}
	major, minor := x.real.Version()
	return &recorder{s: x, file: file, r: recording.NewRecorder(file, major, minor)}, nil
}

// before takes down what goes into a call.
func (r *recorder) before(k *call) {
	k.pending = r.r.Begin(k.number, k.function, k.view, k.inner)
}

// after takes down what came out of it.
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

// await has what a transfer brings taken down when it arrived.
func (r *recorder) await(k *call) {
	var src *capi.Buffer
	var size uintptr
	switch k.args.Name {
	case "PJRT_Buffer_ToHostBuffer_Args":
		src, size = describe.PointerOf[capi.Buffer](uintptr(k.view.WordOf("src"))), uintptr(k.view.WordOf("dst_size"))
	case "PJRT_Buffer_CopyRawToHost_Args":
		src, size = describe.PointerOf[capi.Buffer](uintptr(k.view.WordOf("buffer"))), uintptr(k.view.WordOf("transfer_size"))
	default:
		return
	}
	dst, event := uintptr(k.view.WordOf("dst")), uintptr(k.view.WordOf("event"))
	if dst == 0 || event == 0 {
		return
	}
	var typ capi.Call[capi.BufferElementTypeArgs]
	typ.Args.Buffer = src
	_ = typ.Do(r.s.real) // without it the bytes are compared as such
	number := k.number
	r.s.events.add(event, func(failed bool) {
		if !failed && !r.s.closed.Load() {
			r.r.Data(number, typ.Args.Type, describe.Memory(dst, size))
		}
	})
}

// finish ends the session.
func (r *recorder) finish() error {
	err := r.r.Close()
	if e := r.file.finish(); err == nil {
		err = e
	}
	return err
}
