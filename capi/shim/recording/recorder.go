// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package recording

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/internal/spin"
	"github.com/purepjrt/purepjrt/internal/outside"
)

const (
	formatName    = "purepjrt session"
	formatVersion = 1
)

// Recorder writes a session. Its methods may be called from any goroutine.
type Recorder struct {
	names spin.Mutex
	ids   map[handle]string // guarded by names
	next  map[string]int    // guarded by names; by type

	w      io.Writer
	begun  bool // each call gets a line when it begins, too
	lines  atomic.Int64
	failed atomic.Pointer[error] // the first error
	ending sync.RWMutex          // held for reading while a line is written
	ended  bool                  // guarded by ending
}

// handle is an object of the plugin.
type handle struct {
	typ string
	at  uintptr
}

// NewRecorder begins a session with a plugin of this API version. Each Write to w is a whole line,
// and several goroutines may call Write at once.
func NewRecorder(w io.Writer, major, minor int) *Recorder {
	r := &Recorder{w: outside.Writer(w), ids: make(map[handle]string), next: make(map[string]int)}
	r.write(fmt.Appendf(nil, `{"format":%q,"version":%d,"api":[%d,%d]}`, formatName, formatVersion, major, minor))
	return r
}

// RecordBegun makes Begin write the call as well, so that [Session.Begun] has those that do not
// return. Nothing may have been recorded before.
func (r *Recorder) RecordBegun() { r.begun = true }

// Pending is a call that has not returned yet.
type Pending struct{ line []byte }

// Begin records the inputs of a call, because the plugin may change them during the call, and the
// client after it. number is the call's number.
func (r *Recorder) Begin(number uint64, f *capi.Function, v describe.View, inner int) Pending {
	p := r.begin(number, f, v, inner)
	if r.begun {
		r.write(append(slices.Clone(p.line), `,"begun":true}`...))
	}
	return p
}

func (r *Recorder) begin(number uint64, f *capi.Function, v describe.View, inner int) Pending {
	b := append(make([]byte, 0, 256), `{"call":`...)
	b = strconv.AppendUint(b, number, 10)
	b = append(b, `,"function":"`...)
	b = append(b, f.Name...)
	b = append(b, '"')
	if v.Struct == nil {
		return Pending{append(b, `,"in":null`...)}
	}
	b = append(b, `,"size":`...)
	b = strconv.AppendUint(b, uint64(v.StructSize()), 10)
	b = append(b, `,"in":`...)
	e := encoder{handle: r.name, inner: inner}
	b = e.object(b, v)
	if d := describe.Destroys(f.Name); d != nil {
		// Another object may get the address before this call returns.
		r.names.Lock()
		delete(r.ids, handle{d.Type, uintptr(v.Word(d))})
		r.names.Unlock()
	}
	return Pending{b}
}

// End records the outputs of a call.
func (r *Recorder) End(p Pending, f *capi.Function, v describe.View, inner int, took time.Duration, failure *capi.Error,
	err *capi.ErrorHandle) {
	b := p.line
	switch {
	case failure != nil:
		b = append(b, `,"error":{"code":`...)
		b = strconv.AppendInt(b, int64(failure.Code), 10)
		b = append(b, `,"message":`...)
		b = describe.AppendJSONString(b, failure.Message)
		if f.Errors == capi.ErrorsPJRT {
			b = append(b, `,"handle":`...)
			b = describe.AppendJSONString(b, r.fresh(handle{errorType, describe.HandleOf(err)}))
		}
		b = append(b, '}')
	case v.Struct != nil:
		b = append(b, `,"out":`...)
		e := encoder{inner: inner, out: true, handle: func(field *describe.Field, h uintptr, _ bool) string {
			if describe.Owns(f.Name, field) {
				return r.fresh(handle{field.Type, h})
			}
			return r.name(field, h, true)
		}}
		b = e.object(b, v)
	}
	b = append(b, `,"ns":`...)
	b = strconv.AppendInt(b, int64(took), 10)
	r.write(append(b, '}'))
}

const errorType = "PJRT_Error"

// name returns the name of a handle.
func (r *Recorder) name(f *describe.Field, h uintptr, _ bool) string {
	r.names.Lock()
	defer r.names.Unlock()
	k := handle{f.Type, h}
	if id, ok := r.ids[k]; ok {
		return id
	}
	return r.freshLocked(k)
}

// fresh gives the handle of a new object a new name.
func (r *Recorder) fresh(k handle) string {
	r.names.Lock()
	defer r.names.Unlock()
	return r.freshLocked(k)
}

func (r *Recorder) freshLocked(k handle) string {
	r.next[k.typ]++
	id := k.typ + "#" + strconv.Itoa(r.next[k.typ])
	r.ids[k] = id
	return id
}

// Data records the result of a transfer that has arrived. call is the number of the call that began
// the transfer, and typ is the type of the elements.
func (r *Recorder) Data(call uint64, typ capi.BufferType, data []byte) {
	b := append([]byte(nil), `{"data":`...)
	b = strconv.AppendUint(b, call, 10)
	b = append(b, `,"type":`...)
	b = strconv.AppendInt(b, int64(typ), 10)
	b = append(b, `,"bytes":`...)
	r.write(append(appendBytes(b, data), '}'))
}

// Close ends the session, but does not close the writer. It returns the first error of the session.
// Later lines are lost.
func (r *Recorder) Close() error {
	r.ending.Lock()
	defer r.ending.Unlock()
	if !r.ended {
		r.line(fmt.Appendf(nil, `{"end":%d}`, r.lines.Load()))
		r.ended = true
	}
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (r *Recorder) write(line []byte) {
	r.ending.RLock()
	defer r.ending.RUnlock()
	if !r.ended {
		r.line(line)
	}
}

func (r *Recorder) line(line []byte) {
	r.lines.Add(1)
	if _, err := r.w.Write(append(line, '\n')); err != nil {
		r.failed.CompareAndSwap(nil, &err)
	}
}
