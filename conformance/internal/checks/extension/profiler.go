// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"errors"
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// recorded runs a profiler through its whole life and returns what it collected.
func recorded(t *check.T, during func()) []byte {
	// The options of JAX: host_tracer_level 2, device_tracer_level 1, version 1, enable_hlo_proto.
	// Without options, a plugin may record nothing.
	var create capi.ProfilerCreateArgs
	create.Options, create.OptionsSize = capi.StringData("\x10\x02\x18\x01\x28\x01\x38\x01")
	x := check.Call(t, create).Profiler
	if x == nil {
		t.Fatalf("PLUGIN_Profiler_Create: success without a profiler")
	}
	check.Call(t, capi.ProfilerStartArgs{Profiler: x})
	during()
	check.Call(t, capi.ProfilerStopArgs{Profiler: x})
	first := check.Call(t, capi.ProfilerCollectDataArgs{Profiler: x})
	size := first.BufferSizeInBytes
	data := make([]byte, size)
	switch {
	case first.Buffer != nil: // the plugin's own memory: no second call is needed
		copy(data, capi.Bytes(first.Buffer, size))
	case size > 0:
		// Raw, because other calls clear the size, which is where the plugin answers. Some
		// plugins look at the size of the memory.
		args := capi.ProfilerCollectDataArgs{StructSize: capi.ProfilerCollectDataArgsSize, Profiler: x, BufferSizeInBytes: size}
		args.Buffer, _ = check.First(data)
		if _, err := check.Raw(t, args); err != nil {
			t.Fatalf("PLUGIN_Profiler_CollectData, with memory for the data: expected success, got %v", err)
		}
	}
	check.Call(t, capi.ProfilerDestroyArgs{Profiler: x})
	if n := len(data); n > 0 && data[n-1] == 0 && malformed(data) != nil {
		data = data[:n-1] // XLA's profiler counts a zero byte after the message
	}
	return data
}

// execute runs a program if there is a client.
func execute(t *check.T) {
	if !noClient(t) {
		survived(t)
	}
}

// malformed returns what is wrong with bytes that are not a message.
func malformed(b []byte) error {
	for f, err := range wire.Fields(b) {
		if err != nil {
			return inField(f, err)
		}
	}
	return nil
}

// inField says in which field a message is malformed, if it has one there.
func inField(f wire.Field, err error) error {
	if f.Number == 0 {
		return err
	}
	return fmt.Errorf("field %d: %w", f.Number, err)
}

// isMessage fails the check when bytes are no protocol buffer message.
func isMessage(t *check.T, b []byte, what string) {
	if len(b) == 0 {
		t.Errorf("%s: expected bytes, got none", what)
	} else if err := malformed(b); err != nil {
		t.Errorf("%s: %d bytes are not a serialized message: %v", what, len(b), err)
	}
}

var profilerChecks = []check.Check{
	{Rule: "XPROF-01", Library: true, Run: func(t *check.T) {
		for _, f := range []*capi.Function{
			check.FunctionOf[capi.ProfilerCreateArgs](), check.FunctionOf[capi.ProfilerStartArgs](), check.FunctionOf[capi.ProfilerStopArgs](),
			check.FunctionOf[capi.ProfilerCollectDataArgs](), check.FunctionOf[capi.ProfilerDestroyArgs](),
		} {
			if err := t.Table().Lacks(f); err != nil {
				t.Errorf("%v", err)
			}
		}
		if !t.Failed() {
			recorded(t, func() { execute(t) })
		}
	}},
	{Rule: "XPROF-02", Library: true, Run: func(t *check.T) {
		data := recorded(t, func() { execute(t) })
		if len(data) == 0 {
			if noClient(t) {
				t.SkipEnvf("without a device there is nothing to record")
			}
			t.Fatalf("the profile of an execution: expected bytes, got none")
		}
		planes := 0
		for f, err := range wire.Fields(data) {
			if err != nil {
				t.Errorf("%d bytes of the profile are not an XSpace: %v; they begin with %x", len(data), inField(f, err),
					data[:min(len(data), 32)])
			}
			if err != nil || f.Number != 1 {
				continue
			}
			planes++
			name := ""
			for f, err := range wire.Fields(f.Bytes) {
				if err != nil {
					t.Errorf("plane %d of the profile: %v", planes, inField(f, err))
				} else if f.Number == 2 {
					name = string(f.Bytes)
				}
			}
			if name == "" {
				t.Errorf("plane %d of the profile has no name", planes)
			}
		}
		if planes == 0 && !noClient(t) {
			t.Errorf("the profile of an execution has no planes")
		}
	}},
	{Rule: "XPROF-03", Library: true, Hostile: true, Run: func(t *check.T) {
		x := check.Call(t, capi.ProfilerCreateArgs{}).Profiler
		_, err := check.Try(t, capi.ProfilerStopArgs{Profiler: x})
		var e *capi.Error
		if t.ErrorCode(err, "stopping a profiler that was not started") && errors.As(err, &e) &&
			(e.Message == "" || strings.Contains(e.Message, "\x00")) {
			t.Errorf("PLUGIN_Profiler_Error_Message of that error: expected a text without zero bytes, got %q", e.Message)
		}
		check.Call(t, capi.ProfilerDestroyArgs{Profiler: x})
		recorded(t, func() {})
	}},
	{Rule: "XPROF-04", Run: func(t *check.T) {
		c := t.Client()
		note := &capi.ProfilerExtension{TracemeContextID: 4711}
		note.Base.StructSize, note.Base.Type = capi.ProfilerExtensionSize, capi.ExtensionTypeProfiler
		args := t.CompileArgs(c, check.AddOne, check.Devices(1, 1))
		args.ExtensionStart = &note.Base
		exe := check.Own(t, check.Call(t, args).Executable)
		x := check.NewExecution(exe, 1, []*capi.Buffer{check.Upload(t, c, []float32{1, 2, 3, 4})})
		x.Args.ExtensionStart = &note.Base
		if err := x.Start(t); err != nil {
			t.Fatalf("an execution with a traceme_context_id: expected success, got %v", err)
		}
		if err := t.Await(x.Events[0]); err != nil {
			t.Fatalf("an execution with a traceme_context_id: expected success, got %v", err)
		}
		check.ExpectBuffer(t, x.Outputs[0][0], []float32{2, 3, 4, 5}, "the result with a traceme_context_id")
	}},
}

var streamChecks = []check.Check{
	{Rule: "XSTR-01", Run: func(t *check.T) {
		for i, d := range t.Client().Devices {
			first := check.Call(t, capi.GetStreamForExternalReadyEventsArgs{Device: d}).Stream
			again := check.Call(t, capi.GetStreamForExternalReadyEventsArgs{Device: d}).Stream
			if first == 0 || again == 0 {
				t.Errorf("device %d: expected a stream, got %#x and then %#x", i, first, again)
			}
			if first != again { // a device may take turns with several
				t.Notef("device %d has more than one stream", i)
			}
		}
	}},
	{Rule: "XSTR-02", Run: func(t *check.T) {
		c := t.Client()
		for round := range 2 {
			for i, d := range c.Devices {
				stream := check.Call(t, capi.GetStreamForExternalReadyEventsArgs{Device: d}).Stream
				want := []float32{1, 2, float32(i), float32(round)}
				b := check.UploadTo(t, c, d, want)
				check.Call(t, capi.WaitUntilBufferReadyOnStreamArgs{Stream: stream, Buffer: b})
				check.ExpectBuffer(t, b, want, "a buffer that a stream waited for")
			}
		}
	}},
	{Rule: "XSTR-03", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		stream := check.Call(t, capi.GetStreamForExternalReadyEventsArgs{Device: c.Devices[0]}).Stream
		b := check.Upload(t, c, []float32{1, 2, 3, 4})
		check.Optional(t, capi.BufferDeleteArgs{Buffer: b})
		_, err := check.Try(t, capi.WaitUntilBufferReadyOnStreamArgs{Stream: stream, Buffer: b})
		t.ErrorCode(err, "letting a stream wait for a deleted buffer")
	}},
}

var tritonChecks = []check.Check{
	{Rule: "XTRI-02", Library: true, Hostile: true, Run: func(t *check.T) {
		for what, module := range map[string]string{"garbage": "no module\x00\xff", "an empty module": ""} {
			args := capi.TritonCompileArgs{NumWarps: 4, NumCtas: 1, NumStages: 1}
			args.Module, args.ModuleSize = capi.StringData(module)
			args.ArchName, args.ArchNameSize = capi.StringData("no such architecture")
			_, err := check.Try(t, args)
			t.ErrorCode(err, "compiling "+what+" with Triton")
		}
	}},
}
