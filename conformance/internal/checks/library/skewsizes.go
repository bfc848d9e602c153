// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// placed makes a call with a struct of a size, once in front of memory that must not
// change and once in front of memory that must not be touched.
func placed[A any](t *check.T, args A, size uintptr, after func(out A)) error {
	var last error
	for _, guard := range []bool{false, true} {
		out, spill, err := check.Place(t, args, check.Placement{Have: size, Stated: size, Guard: guard})
		if spill != "" {
			t.Errorf("struct_size %d: %s", size, spill)
		}
		if err == nil && after != nil {
			after(out)
		}
		last = err
	}
	return last
}

// needs skips the check if the plugin is older than what made a struct grow.
func needs(t *check.T, minor int, what string) {
	if t.Minor() < minor {
		t.SkipAbsentf("%s came with API 0.%d, but the plugin has 0.%d, for which callers without it are not older", what, minor, t.Minor())
	}
}

func clientCreate060(t *check.T) {
	needs(t, 61, "kv_try_get_callback")
	t.NeedsDevice()
	// If the plugin makes no client at all, its refusal proves nothing.
	check.Destroy(t, t.NewClient().Handle)
	err := placed(t, t.CreateArgs(), 72, func(out capi.ClientCreateArgs) {
		if out.Client == nil {
			t.Fatalf("PJRT_Client_Create with a struct_size of 72: success without a client")
		}
		c := t.Describe(out.Client)
		if len(c.Devices) == 0 {
			t.Errorf("PJRT_Client_Create with a struct_size of 72: expected a client with devices")
		}
		check.Call(t, capi.ClientDestroyArgs{Client: out.Client})
	})
	accepts(t, "PJRT_Client_Create", 72, err)
}

func viewSizes(t *check.T) {
	t.Require(check.FunctionOf[capi.ClientCreateViewOfDeviceBufferArgs]())
	c := t.Client()
	source := check.Upload(t, c, []float32{1, 2, 3, 4})
	address := check.Optional(t, capi.BufferUnsafePointerArgs{Buffer: source}).BufferPointer
	args := capi.ClientCreateViewOfDeviceBufferArgs{
		Client: c.Handle, Device: c.Devices[0], DeviceBufferPtr: address, ElementType: capi.BufferTypeF32, Layout: check.RowMajor(1),
	}
	args.Dims, args.NumDims = check.First([]int64{4})
	if args.OnDeleteCallback, args.OnDeleteCallbackArg = onDelete(t); args.OnDeleteCallback == 0 {
		return
	}
	destroy := func(out capi.ClientCreateViewOfDeviceBufferArgs) {
		if out.Buffer == nil {
			t.Errorf("PJRT_Client_CreateViewOfDeviceBuffer: success without a buffer")
			return
		}
		check.Call(t, capi.BufferDestroyArgs{Buffer: out.Buffer})
	}
	t.SkipFor(placed(t, args, args.Function().Size, destroy))
	if t.Minor() >= 66 {
		t.NoError(placed(t, args, 104, destroy), "PJRT_Client_CreateViewOfDeviceBuffer with a struct_size of 104, that before memory")
	}
	// The memory is of the full size, so that a plugin that does not look at the size
	// shows itself.
	out, _, err := check.Place(t, args, check.Placement{Have: args.Function().Size, Stated: 96})
	if t.ErrorCode(err, "PJRT_Client_CreateViewOfDeviceBuffer with a struct_size of 96, which has no room for the buffer",
		capi.ErrorCodeInvalidArgument); err == nil {
		destroy(out)
	}
}

// onDelete returns a callback that does nothing, however often it is called.
func onDelete(t *check.T) (capi.ClientCreateViewOfDeviceBufferArgsOnDeleteCallback, uintptr) {
	callback, handle := capi.NewOnDeleteCallback(func() {})
	t.Cleanup(handle.Delete)
	return callback, uintptr(handle)
}

func deserializeSizes(t *check.T) {
	s := newSession(t)
	args := deserializeArgs(t, s)
	name := args.Function().Name
	own := func(out capi.ExecutableDeserializeAndLoadArgs) {
		r := t.Run(check.Own(t, out.LoadedExecutable), 1, s.buf(t))
		check.ExpectBuffer(t, r[0], []float32{2, 3, 4, 5}, "a plus one, loaded again")
	}
	t.SkipFor(placed(t, args, args.Function().Size, own))
	looked := 0
	for _, g := range []size{{71, 48}, {111, 64}} {
		if t.Minor() >= g.minor {
			looked++
			accepts(t, name, g.size, placed(t, args, g.size, own))
		}
	}
	if looked == 0 {
		t.SkipAbsentf("the struct did not grow before API 0.%d", t.Minor())
	}
}

func compiledMemoryStatsSizes(t *check.T) {
	s := newSession(t)
	args := capi.ExecutableGetCompiledMemoryStatsArgs{Executable: s.prog(t)}
	name, list := args.Function().Name, grown["PJRT_Executable_GetCompiledMemoryStats"]
	t.SkipFor(placed(t, args, args.Function().Size, nil))
	looked := 0
	for i, g := range list {
		if i+1 < len(list) && list[i+1].minor > t.Minor() {
			break // the plugin's own size, or a newer one
		}
		looked++
		// Without a guard, since a plugin that writes on would end the process.
		_, spill, err := check.Place(t, args, check.Exactly(g.size))
		if spill != "" {
			t.Errorf("struct_size %d: %s", g.size, spill)
			x := skewOf(name, g.size, err)
			x.OK, x.Outcome = false, "overwrites what stands behind the struct"
			t.Skew(x)
		}
		accepts(t, name, g.size, err)
	}
	if looked == 0 {
		t.SkipAbsentf("the struct did not grow before API 0.%d", t.Minor())
	}
}

func memoryStatsSizes(t *check.T) {
	needs(t, 113, "peak_allocated_bytes")
	args := capi.DeviceMemoryStatsArgs{Device: t.Client().Devices[0]}
	t.SkipFor(placed(t, args, args.Function().Size, nil))
	t.NoError(placed(t, args, 185, nil), "PJRT_Device_MemoryStats with a struct_size of 185, that before peak_allocated_bytes")
}

func poisonSizes(t *check.T) {
	needs(t, 100, "payload")
	args := capi.DevicePoisonExecutionArgs{Device: t.Client().Devices[0], LaunchID: 424242, ErrorCode: capi.ErrorCodeAborted}
	args.ErrorMessage, args.ErrorMessageSize = capi.StringData("poisoned on purpose")
	t.SkipFor(placed(t, args, args.Function().Size, nil))
	t.NoError(placed(t, args, 49, nil), "PJRT_Device_PoisonExecution with a struct_size of 49, that of API 0.85 to 0.99")
}

func errorBufferSizes(t *check.T) {
	needs(t, 103, "payload")
	c := t.Client()
	args := capi.ClientCreateErrorBufferArgs{Client: c.Handle, Memory: t.DefaultMemory(c), ErrorCode: capi.ErrorCodeAborted,
		ShapeElementType: capi.BufferTypeF32}
	args.ErrorMessage, args.ErrorMessageSize = capi.StringData("an error on purpose")
	args.ShapeDims, args.ShapeNumDims = check.First([]int64{4})
	own := func(out capi.ClientCreateErrorBufferArgs) { check.Own(t, out.Buffer) }
	t.SkipFor(placed(t, args, args.Function().Size, own))
	for _, g := range grown["PJRT_Client_CreateErrorBuffer"] {
		if g.minor > t.Minor() || g.size == args.Function().Size {
			break
		}
		t.NoError(placed(t, args, g.size, own), "PJRT_Client_CreateErrorBuffer with a struct_size of %d, that of API 0.%d", g.size, g.minor)
	}
}

func executeOptionsSizes(t *check.T) {
	s := newSession(t)
	list := grown["PJRT_ExecuteOptions"]
	for i, g := range list {
		if g.minor > t.Minor() {
			break
		}
		for _, guard := range []bool{false, true} {
			options := check.Truncate(t, capi.ExecuteOptions{}, check.Placement{Have: g.size, Stated: g.size, Guard: guard})
			x := check.NewExecution(s.exe(t), 1, []*capi.Buffer{s.buf(t)})
			x.Args.Options = options.Struct
			// Raw, since only the plugin may read the options.
			x.Args.StructSize = x.Args.Function().Size
			_, err := check.Raw(t, x.Args)
			if err == nil {
				x.Complete(t)
				check.Own(t, x.Outputs[0][0])
				check.Own(t, x.Events[0])
				if err := t.Await(x.Events[0]); err != nil {
					t.Errorf("PJRT_ExecuteOptions of %d bytes: expected the execution to succeed, got %v", g.size, err)
				}
				check.ExpectBuffer(t, x.Outputs[0][0], []float32{2, 3, 4, 5}, "a plus one")
			}
			if spill := options.Spill(); spill != "" {
				t.Errorf("PJRT_ExecuteOptions: %s", spill)
			}
			own := i+1 == len(list) || list[i+1].minor > t.Minor()
			if own && err != nil {
				t.Errorf("PJRT_ExecuteOptions of %d bytes, the plugin's own size: expected success, got %v", g.size, err)
			}
			accepts(t, "PJRT_ExecuteOptions", g.size, err)
		}
	}
}

// callbackSizes looks at the structs that the plugin passes to the callbacks of the
// key-value store.
func callbackSizes(t *check.T) {
	store := check.NewStore(t)
	store.Fail("", capi.ErrorCodeAborted, "no store today")
	client, err := store.CreateClient(0, 2)
	if err == nil {
		check.Own(t, client)
	}
	if !store.Called() {
		t.SkipEnvf("the plugin did not call back (Client_Create: %v)", err)
	}
	for _, c := range store.Calls() {
		if c.StructSize < c.WantSize || c.StructSize > 1<<16 {
			t.Errorf("the args of kv_%s_callback: expected a struct_size of %d, got %d", c.Kind, c.WantSize, c.StructSize)
		}
	}
}
