// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// session holds what the calls work on, made when it is first needed.
type session struct {
	client   *check.Client
	loaded   *capi.LoadedExecutable
	program  *capi.Executable
	buffer   *capi.Buffer
	event    *capi.Event
	topology *capi.TopologyDescription
	context  *capi.ExecuteContext // not yet destroyed
	library  bool                 // no client can be made
}

func newSession(t *check.T) *session {
	s := &session{library: t.Env().NoDevice != ""}
	if !s.library {
		s.client = t.Client()
	}
	return s
}

func (s *session) c() *capi.Client      { return s.client.Handle }
func (s *session) device() *capi.Device { return s.client.Devices[0] }

func (s *session) memory(t *check.T) *capi.Memory { return t.DefaultMemory(s.client) }

func (s *session) exe(t *check.T) *capi.LoadedExecutable {
	if s.loaded == nil {
		s.loaded = t.Compile(s.client, check.AddOne)
	}
	return s.loaded
}

func (s *session) prog(t *check.T) *capi.Executable {
	if s.program == nil {
		s.program = t.Executable(s.exe(t))
	}
	return s.program
}

func (s *session) buf(t *check.T) *capi.Buffer {
	if s.buffer == nil {
		s.buffer = s.upload(t)
	}
	return s.buffer
}

func (s *session) upload(t *check.T) *capi.Buffer {
	return check.Upload(t, s.client, []float32{1, 2, 3, 4})
}

// ready returns an event that is ready.
func (s *session) ready(t *check.T) *capi.Event {
	if s.event == nil {
		s.event = t.Ready(s.buf(t))
		if err := t.Await(s.event); err != nil {
			t.Fatalf("ready event of an uploaded buffer: expected success, got %v", err)
		}
	}
	return s.event
}

func (s *session) topo(t *check.T) *capi.TopologyDescription {
	if s.topology == nil {
		s.topology = t.Topology()
	}
	return s.topology
}

// description returns the description of the first device, or of the topology's first
// one.
func (s *session) description(t *check.T) *capi.DeviceDescription {
	if !s.library {
		return t.Description(s.device())
	}
	d := check.Call(t, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: s.topo(t)})
	list := capi.Slice(d.Descriptions, d.NumDescriptions)
	if len(list) == 0 {
		t.SkipEnvf("the topology has no devices")
	}
	return list[0]
}

// failure returns an error that the check has to destroy: the first that any of several
// bad calls returns.
func failure(t *check.T) *capi.ErrorHandle {
	for _, b := range badCalls {
		if b.client && t.Env().NoDevice != "" {
			continue
		}
		if h := b.call(t); h != nil {
			return h
		}
	}
	t.SkipEnvf("the plugin takes every bad argument that was tried, so there is no error to look at")
	return nil
}

// rawError calls a function with its right size and returns the plugin's error.
func rawError[A any](t *check.T, args A) *capi.ErrorHandle {
	_, h := rawCall(t, args)
	return h
}

// rawCall is like rawError, and also returns the args.
func rawCall[A any](t *check.T, args A) (A, *capi.ErrorHandle) {
	c := &capi.Call[A]{Args: args}
	setSize(&c.Args, c.Function().Size)
	h, err := check.RawError(t, c)
	if err != nil {
		return c.Args, nil
	}
	return c.Args, h
}

func destroyError(t *check.T, h *capi.ErrorHandle) {
	c := &capi.Call[capi.ErrorDestroyArgs]{Args: capi.ErrorDestroyArgs{Error: h}}
	if err := c.Do(t.Table()); err != nil {
		t.Errorf("PJRT_Error_Destroy: %v", err)
	}
}

func errorCode(t *check.T, h *capi.ErrorHandle) capi.ErrorCode {
	args, inner := rawCall(t, capi.ErrorGetCodeArgs{Error: h, Code: -1})
	if inner != nil {
		t.Errorf("PJRT_Error_GetCode: expected null for a valid error, got an error")
		destroyError(t, inner)
	}
	return args.Code
}

func errorText(t *check.T, h *capi.ErrorHandle) (*byte, uintptr, string) {
	const most = 1 << 24
	args, _ := rawCall(t, capi.ErrorMessageArgs{Error: h})
	if args.Message == nil && args.MessageSize > 0 || args.MessageSize > most {
		t.Fatalf("PJRT_Error_Message: expected a text, got message_size %d at the address %p", args.MessageSize, args.Message)
	}
	return args.Message, args.MessageSize, capi.String(args.Message, args.MessageSize)
}
