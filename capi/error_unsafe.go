// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"fmt"
	"strings"
	"unsafe"
)

// Error is the error of a PJRT function.
//
// Its code is an error too, so errors.Is(err, ErrorCodeNotFound) is true for every *Error with that
// code.
type Error struct {
	Code ErrorCode
	// Message is the plugin's; the middle of one longer than 64 KiB is left out.
	Message string
	// Func is the C name of the function that failed. It is empty for the error of an event.
	Func string
	// Payloads are the plugin's attachments (API 0.109 and later), in its order.
	Payloads []Payload
	// Missing says that the plugin does not have the function, the extension or the field. This
	// package made the error, and did not call C.
	Missing bool
}

// Payload is a named piece of data in an Error. By the convention of Abseil the
// key is the type URL of a protobuf message and the value its serialized form.
type Payload struct {
	Key   string
	Value []byte
}

// Error returns the function, the code and the message, in one line if the plugin's message is one
// line.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Func != "" {
		b.WriteString(e.Func)
		b.WriteString(": ")
	}
	b.WriteString(e.Code.String())
	if e.Message != "" {
		b.WriteString(": ")
		b.WriteString(strings.TrimRight(e.Message, "\n"))
	}
	return b.String()
}

// The beginning and the end of a message that is longer than both are kept: a compiler may put the
// whole program between them.
const (
	messageBegin = 48 << 10
	messageEnd   = 16 << 10
)

// messageOf copies the message of an error.
func messageOf(p *byte, n uintptr) string {
	if p == nil || n <= messageBegin+messageEnd || !plausible(n, 1) {
		return String(p, n)
	}
	end := (*byte)(unsafe.Add(unsafe.Pointer(p), n-messageEnd))
	return strings.ToValidUTF8(String(p, messageBegin), "") + fmt.Sprintf(" ... (%d bytes) ... ", n-messageBegin-messageEnd) +
		strings.ToValidUTF8(String(end, messageEnd), "")
}

// Unwrap returns the code.
func (e *Error) Unwrap() error { return e.Code }

// Error returns the name of the code, such as NOT_FOUND.
func (c ErrorCode) Error() string { return c.String() }

// Errorf returns an *Error with the code and a formatted message, as it is made for a mistake that
// is found before a plugin is called.
func (c ErrorCode) Errorf(format string, args ...any) error {
	return &Error{Code: c, Message: fmt.Sprintf(format, args...)}
}

// TakeError turns a PJRT_Error into an *Error and destroys it. It returns nil
// for nil. It is for errors that did not come from Do: those of Raw and those
// given to callbacks.
func (t *Table) TakeError(h *ErrorHandle) error {
	if h == nil {
		return nil
	}
	return t.takePJRTError("", h)
}

// takeError turns the error that f returned into an *Error and destroys it.
func (t *Table) takeError(f *Function, p unsafe.Pointer) error {
	switch f.Errors {
	case ErrorsProfiler:
		return t.takeProfilerError(f.Name, (*ProfilerErrorHandle)(p))
	case ErrorsFFI:
		return t.takeForeign(f, p)
	default:
		return t.takePJRTError(f.Name, (*ErrorHandle)(p))
	}
}

func (t *Table) takePJRTError(name string, h *ErrorHandle) error {
	e := &Error{Code: ErrorCodeUnknown, Func: name}
	// These calls are raw, because reading an error of reading an error could go on forever.
	var code Call[ErrorGetCodeArgs]
	code.Args = ErrorGetCodeArgs{StructSize: ErrorGetCodeArgsSize, Error: h}
	if inner, err := code.Raw(t); err == nil {
		if inner == nil {
			if code.Args.Code != ErrorCodeOK { // an error that exists is not OK
				e.Code = code.Args.Code
			}
		} else {
			t.destroyError(inner)
		}
	}
	var msg Call[ErrorMessageArgs]
	msg.Args = ErrorMessageArgs{StructSize: ErrorMessageArgsSize, Error: h}
	if _, err := msg.Raw(t); err == nil {
		e.Message = messageOf(msg.Args.Message, msg.Args.MessageSize)
	}
	e.Payloads = t.payloads(h)
	t.destroyError(h)
	return e
}

// payloads returns the payloads of h, if the plugin can report them.
func (t *Table) payloads(h *ErrorHandle) []Payload {
	if !t.Has((*ErrorForEachPayloadArgs)(nil).Function()) {
		return nil
	}
	var list []Payload
	visitor, handle := NewErrorPayloadVisitor(func(key string, value []byte) {
		list = append(list, Payload{key, value})
	})
	defer handle.Delete()
	var c Call[ErrorForEachPayloadArgs]
	c.Args = ErrorForEachPayloadArgs{StructSize: ErrorForEachPayloadArgsSize, Error: h, Visitor: visitor, UserArg: uintptr(handle)}
	if inner, err := c.Raw(t); err == nil && inner != nil {
		t.destroyError(inner)
	}
	return list
}

func (t *Table) destroyError(h *ErrorHandle) {
	var c Call[ErrorDestroyArgs]
	c.Args = ErrorDestroyArgs{StructSize: ErrorDestroyArgsSize, Error: h}
	// Without PJRT_Error_Destroy the plugin leaks the error.
	_, _ = c.Raw(t)
}

func (t *Table) takeProfilerError(name string, h *ProfilerErrorHandle) error {
	e := &Error{Code: ErrorCodeUnknown, Func: name}
	var code Call[ProfilerErrorGetCodeArgs]
	code.Args = ProfilerErrorGetCodeArgs{StructSize: ProfilerErrorGetCodeArgsSize, Error: h}
	if inner, err := code.Raw(t); err == nil && inner == nil && code.Args.Code != 0 {
		e.Code = ErrorCode(code.Args.Code)
	}
	var msg Call[ProfilerErrorMessageArgs]
	msg.Args = ProfilerErrorMessageArgs{StructSize: ProfilerErrorMessageArgsSize, Error: h}
	if _, err := msg.Raw(t); err == nil {
		e.Message = messageOf(msg.Args.Message, msg.Args.MessageSize)
	}
	var d Call[ProfilerErrorDestroyArgs]
	d.Args = ProfilerErrorDestroyArgs{StructSize: ProfilerErrorDestroyArgsSize, Error: h}
	_, _ = d.Raw(t)
	return e
}

// takeForeign passes an error of another API to the function that the table was made with.
func (t *Table) takeForeign(f *Function, p unsafe.Pointer) error {
	if t.foreignError == nil {
		return &Error{Code: ErrorCodeUnknown, Func: f.Name, Message: "the function failed, and the table cannot read its errors"}
	}
	return t.foreignError(t, f, p)
}
