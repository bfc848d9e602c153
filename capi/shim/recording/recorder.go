// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package recording

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

const (
	formatName    = "purepjrt session"
	formatVersion = 1
)

// Recorder writes a session. Its methods may be called from any goroutine.
type Recorder struct {
	mu    sync.Mutex
	w     io.Writer         // guarded by mu
	err   error             // guarded by mu; the first that came up
	lines int               // guarded by mu
	ids   map[handle]string // guarded by mu
	next  map[string]int    // guarded by mu; by type
}

// handle is an object of the plugin.
type handle struct {
	typ string
	at  uintptr
}

// NewRecorder begins a session with a plugin of the given API version.
func NewRecorder(w io.Writer, major, minor int) *Recorder {
	r := &Recorder{w: w, ids: make(map[handle]string), next: make(map[string]int)}
	r.write(fmt.Appendf(nil, `{"format":%q,"version":%d,"api":[%d,%d]}`, formatName, formatVersion, major, minor))
	return r
}

// Pending is a call that did not return yet.
type Pending struct{ line []byte }

// Begin takes down what goes into a call: the client may change it once the
// call returned, and the plugin may before. number is that of the call.
func (r *Recorder) Begin(number uint64, f *capi.Function, v describe.View, inner int) Pending {
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
	r.mu.Lock()
	defer r.mu.Unlock()
	e := encoder{handle: r.name, inner: inner}
	b = e.object(b, v)
	if d := describe.Destroys(f.Name); d != nil {
		// Another object may get the address before this call returns.
		delete(r.ids, handle{d.Type, uintptr(v.Word(d))})
	}
	return Pending{b}
}

// End takes down what came out of a call.
func (r *Recorder) End(p Pending, f *capi.Function, v describe.View, inner int, took time.Duration, failure *capi.Error, err *capi.ErrorHandle) {
	b := p.line
	r.mu.Lock()
	defer r.mu.Unlock()
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
	r.writeLocked(append(b, '}'))
}

const errorType = "PJRT_Error"

// name returns the name of a handle.
//
// Precondition: r.mu is held.
func (r *Recorder) name(f *describe.Field, h uintptr, _ bool) string {
	k := handle{f.Type, h}
	if id, ok := r.ids[k]; ok {
		return id
	}
	return r.fresh(k)
}

// fresh gives a handle a new name: it is that of a new object.
//
// Precondition: r.mu is held.
func (r *Recorder) fresh(k handle) string {
	r.next[k.typ]++
	id := k.typ + "#" + strconv.Itoa(r.next[k.typ])
	r.ids[k] = id
	return id
}

// Data takes down what a transfer brought, once it is known to have arrived. call
// is the number of the call that began it, and typ that of the elements.
func (r *Recorder) Data(call uint64, typ capi.BufferType, data []byte) {
	b := append([]byte(nil), `{"data":`...)
	b = strconv.AppendUint(b, call, 10)
	b = append(b, `,"type":`...)
	b = strconv.AppendInt(b, int64(typ), 10)
	b = append(b, `,"bytes":`...)
	r.write(append(appendBytes(b, data), '}'))
}

// Close ends the session; the writer stays open. The error is the first of all.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeLocked(fmt.Appendf(nil, `{"end":%d}`, r.lines))
	err := r.err
	r.err = errors.New("the session is closed")
	return err
}

func (r *Recorder) write(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeLocked(line)
}

func (r *Recorder) writeLocked(line []byte) {
	if r.err != nil {
		return
	}
	r.lines++
	_, r.err = r.w.Write(append(line, '\n'))
}
