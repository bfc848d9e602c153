// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// unknown returns values that an enum does not have. last is its last one.
func unknown[E ~int32](last E) []E { return []E{last + 100, 255, -1} }

// enumChecks give the plugin enum values of a newer caller.
var enumChecks = []check.Check{
	{Rule: "SKEW-18", Variant: "enum=buffer_type", Hostile: true, Run: func(t *check.T) {
		for _, v := range unknown(capi.BufferTypeF8E8M0FNU) {
			args := check.HostArgs(t.Client(), []float32{1, 2, 3, 4})
			args.Type = v
			refusesEnum(t, args, "PJRT_Client_BufferFromHostBuffer", "type", int32(v))
		}
	}},
	{Rule: "SKEW-18", Variant: "enum=host_buffer_semantics", Hostile: true, Run: func(t *check.T) {
		for _, v := range unknown(capi.HostBufferSemanticsMutableZeroCopy) {
			args := check.HostArgs(t.Client(), []float32{1, 2, 3, 4})
			args.HostBufferSemantics = v
			refusesEnum(t, args, "PJRT_Client_BufferFromHostBuffer", "host_buffer_semantics", int32(v))
		}
	}},
	{Rule: "SKEW-18", Variant: "enum=memory_layout_type", Hostile: true, Run: func(t *check.T) {
		for _, v := range unknown(capi.BufferMemoryLayoutTypeStrides) {
			args := check.HostArgs(t.Client(), []float32{1, 2, 3, 4})
			args.DeviceLayout = check.RowMajor(1)
			args.DeviceLayout.Type = v
			refusesEnum(t, args, "PJRT_Client_BufferFromHostBuffer", "device_layout.type", int32(v))
		}
	}},
	{Rule: "SKEW-18", Variant: "enum=named_value_type", Library: true, Hostile: true, Run: func(t *check.T) {
		t.NeedsDevice()
		// If the plugin makes no client at all, its refusal proves nothing.
		check.Destroy(t, t.NewClient().Handle)
		for _, v := range unknown(capi.NamedValueBool) {
			option := &capi.NamedValue{StructSize: capi.NamedValueSize, Type: v, ValueSize: 1}
			option.Name, option.NameSize = capi.StringData("conformance_suite_option")
			refusesEnum(t, capi.ClientCreateArgs{CreateOptions: option, NumOptions: 1}, "PJRT_Client_Create", "type of an option", int32(v))
		}
	}},
	{Rule: "SKEW-18", Variant: "enum=error_code", Hostile: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs]())
		for _, v := range unknown(capi.ErrorCodeUnauthenticated) {
			p := t.NewPending(t.Client(), 4)
			args := capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs{TransferManager: p.Manager, ErrorCode: v}
			args.ErrorMessage, args.ErrorMessageSize = capi.StringData("an error on purpose")
			refusesEnum(t, args, "PJRT_AsyncHostToDeviceTransferManager_SetBufferError", "error_code", int32(v))
		}
	}},
}

// refusesEnum expects a call with an unknown value to fail.
func refusesEnum[A any](t *check.T, args A, function, field string, v int32) {
	out, err := check.Try(t, args)
	t.ErrorCode(err, fmt.Sprintf("%s with the unknown value %d as %s", function, v, field), capi.ErrorCodeInvalidArgument,
		capi.ErrorCodeUnimplemented)
	if err != nil {
		return
	}
	switch out := any(out).(type) {
	case capi.ClientBufferFromHostBufferArgs:
		check.Own(t, out.Buffer)
		wait(t, out.DoneWithHostBuffer)
	case capi.ClientCreateArgs:
		check.Own(t, out.Client)
	}
}

// nestedChecks give the plugin structs inside args whose struct_size is 0. Their
// contents are right, so that a plugin that does not look at the size shows itself.
var nestedChecks = []check.Check{
	{Rule: "SKEW-13", Variant: "struct=program", Run: func(t *check.T) {
		args := t.CompileArgs(t.Client(), check.AddOne, check.Devices(1, 1))
		args.Program.StructSize = 0
		out, err := check.Try(t, args)
		refusesNested(t, err, "PJRT_Program")
		check.Own(t, out.Executable)
	}},
	{Rule: "SKEW-13", Variant: "struct=execute_options", Run: func(t *check.T) {
		s := newSession(t)
		x := check.NewExecution(s.exe(t), 1, []*capi.Buffer{s.buf(t)})
		x.Options.StructSize = 0
		refusesNested(t, x.Start(t), "PJRT_ExecuteOptions")
	}},
	{Rule: "SKEW-13", Variant: "struct=memory_layout", Run: func(t *check.T) {
		whole := check.HostArgs(t.Client(), []float32{1, 2, 3, 4})
		whole.DeviceLayout = check.RowMajor(1)
		out, err := check.Try(t, whole)
		if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
			t.SkipUnimplf("layouts of devices: %v", err)
		}
		if err == nil {
			check.Own(t, out.Buffer)
			wait(t, out.DoneWithHostBuffer)
		}
		for _, inner := range []bool{false, true} {
			layout := check.RowMajor(1)
			what := "PJRT_Buffer_MemoryLayout"
			if inner {
				layout.Tiled().StructSize = 0
				what = "PJRT_Buffer_MemoryLayout_Tiled"
			} else {
				layout.StructSize = 0
			}
			args := check.HostArgs(t.Client(), []float32{1, 2, 3, 4})
			args.DeviceLayout = layout
			out, err := check.Try(t, args)
			refusesNested(t, err, what)
			if err == nil {
				check.Own(t, out.Buffer)
				wait(t, out.DoneWithHostBuffer)
			}
		}
	}},
	{Rule: "SKEW-13", Variant: "struct=shape_spec", Run: func(t *check.T) {
		spec := capi.ShapeSpec{ElementType: capi.BufferTypeF32}
		spec.Dims, spec.NumDims = check.First([]int64{4})
		t.Require(check.FunctionOf[capi.ClientCreateBuffersForAsyncHostToDeviceArgs]())
		out, err := check.Try(t, capi.ClientCreateBuffersForAsyncHostToDeviceArgs{
			Client: t.Client().Handle, ShapeSpecs: &spec, NumShapeSpecs: 1, Memory: t.DefaultMemory(t.Client()),
		})
		t.SkipFor(err)
		refusesNested(t, err, "PJRT_ShapeSpec")
		check.Own(t, out.TransferManager)
	}},
	{Rule: "SKEW-13", Variant: "struct=named_value", Library: true, Hostile: true, Run: func(t *check.T) {
		var args capi.ClientCreateArgs
		args.CreateOptions, args.NumOptions = t.NamedValues(oneOption(t)...)
		args.CreateOptions.StructSize = 0
		out, err := check.Try(t, args)
		refusesNested(t, err, "PJRT_NamedValue")
		check.Own(t, out.Client)
	}},
}

func refusesNested(t *check.T, err error, what string) {
	t.ErrorCode(err, "a "+what+" whose struct_size is 0", capi.ErrorCodeInvalidArgument)
}

// oneOption returns an option that the plugin accepts, or skips the check if there is
// none.
func oneOption(t *check.T) []capi.Attribute {
	if len(t.Env().Options) > 0 {
		return t.Env().Options[:1]
	}
	t.NeedsDevice()
	client := check.Call(t, capi.ClientCreateArgs{}).Client
	defer check.Call(t, capi.ClientDestroyArgs{Client: client})
	platform := t.PlatformOf(client)
	switch platform {
	case "cpu":
		return []capi.Attribute{{Name: "cpu_device_count", Value: int64(2)}}
	case "pjrttest":
		return []capi.Attribute{{Name: "device_count", Value: int64(2)}}
	}
	t.SkipEnvf("the suite knows no create option of the platform %q", platform)
	return nil
}

// longerNamedValue gives the plugin an option from a caller whose named values are
// longer.
func longerNamedValue(t *check.T) {
	option := oneOption(t)
	first, _ := t.NamedValues(option...)
	want := devicesWith(t, first)
	longer := check.Truncate(t, *first, check.Exactly(capi.NamedValueSize+8))
	check.Equal(t, want, devicesWith(t, longer.Struct), "number of devices with the option %q in a longer PJRT_NamedValue", option[0].Name)
	if spill := longer.Spill(); spill != "" {
		t.Errorf("PJRT_NamedValue: %s", spill)
	}
}

// devicesWith makes a client with one option and counts its devices.
func devicesWith(t *check.T, option *capi.NamedValue) int {
	client := check.Call(t, capi.ClientCreateArgs{CreateOptions: option, NumOptions: 1}).Client
	defer check.Call(t, capi.ClientDestroyArgs{Client: client})
	return len(t.Describe(client).Devices)
}
