// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var loadChecks = []check.Check{
	{Rule: "LOAD-01", Library: true, Hostile: true, Begins: check.Unloaded, Run: func(t *check.T) {
		check.Equal(t, false, t.Load().API() == nil, "GetPjrtApi returned null")
	}},
	// From several threads before any other call, since a table that is made by
	// the first call may be made twice then.
	{Rule: "LOAD-02", Library: true, Hostile: true, Begins: check.Unloaded, Run: func(t *check.T) {
		path := t.File()
		var first atomic.Pointer[capi.API]
		start := make(chan struct{})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				<-start
				for range 125 {
					api, err := capi.Open(path)
					if err != nil {
						t.Errorf("a repeated call of GetPjrtApi: expected success, got %v", err)
						return
					}
					first.CompareAndSwap(nil, api.API())
					if api.API() != first.Load() {
						t.Errorf("a repeated call of GetPjrtApi: expected the table at %p again, got one at %p", first.Load(), api.API())
						return
					}
				}
			})
		}
		close(start)
		wg.Wait()
	}},
	{Rule: "LOAD-03", Timeout: loadLimit + loadGrace, Library: true, Hostile: true, Begins: check.Unloaded, Run: func(t *check.T) {
		path := t.File()
		limit := loadLimit
		if deadline, ok := t.Context().Deadline(); ok {
			limit = time.Until(deadline) - loadGrace/3 // longer on slow machines
		}
		done := make(chan error, 1)
		go func() {
			_, err := capi.Open(path)
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("expected a library whose GetPjrtApi returns a table, got %v", err)
			}
		case <-time.After(limit):
			t.Errorf("GetPjrtApi of a library that was just loaded: expected an answer within %v", limit.Round(time.Second/10))
		}
	}},
	{Rule: "LOAD-04", Library: true, Run: func(t *check.T) {
		want := tableSize(t.Minor())
		if t.Minor() >= 40 && t.Minor() <= 56 {
			// The header of that version left its newest functions out of the size.
			want = min(want, 808)
		}
		if size := t.Table().API().StructSize; size < want {
			t.Errorf("the plugin states API 0.%d, whose table has %d bytes; its struct_size is %d", t.Minor(), want, size)
		}
	}},
	{Rule: "LOAD-05", Library: true, Run: func(t *check.T) {
		size := t.Table().API().StructSize
		if size%8 != 0 || size <= headSize || size > maxSize {
			t.Errorf("struct_size of the table: expected a multiple of 8 above %d, at most %d, got %d", headSize, maxSize, size)
		}
	}},
	{Rule: "LOAD-06", Library: true, Run: func(t *check.T) {
		api := t.Table().API()
		v := api.PJRTAPIVersion
		check.Equal(t, int32(capi.APIMajor), v.MajorVersion, "pjrt_api_version.major_version")
		if v.StructSize < capi.APIVersionSize {
			t.Errorf("pjrt_api_version.struct_size: expected %d or more, got %d", capi.APIVersionSize, v.StructSize)
		}
		// The table of a known version has a known size.
		if minor := int(v.MinorVersion); minor <= capi.APIMinor && api.StructSize > tableSize(minor) {
			t.Errorf("pjrt_api_version.minor_version is %d, whose table has %d bytes, but struct_size is %d: a newer table states an older version",
				minor, tableSize(minor), api.StructSize)
		}
	}},
	{Rule: "LOAD-07", Library: true, Run: func(t *check.T) {
		walkChain(t, t.Table().API().PJRTAPIVersion.ExtensionStart, "pjrt_api_version.extension_start")
	}},
	{Rule: "LOAD-08", Library: true, Run: func(t *check.T) {
		names := make(map[uintptr]string)
		for _, f := range capi.Functions(capi.SectionCore) {
			names[f.Offset] = f.Name
		}
		size, looked := sensibleSize(t.Table()), 0
		for offset := uintptr(headSize); offset+8 <= size; offset += 8 {
			looked++
			if slot(t.Table(), offset) != 0 {
				continue
			}
			name := names[offset]
			if name == "" {
				name = "a function that is newer than this suite"
			}
			t.Errorf("the slot at offset %d, %s, is null", offset, name)
		}
		if looked == 0 {
			t.SkipEnvf("the table has no slots")
		}
	}},
	{Rule: "LOAD-09", Run: func(t *check.T) {
		s, looked := newSession(t), 0
		for _, f := range families {
			for _, c := range f.calls {
				// Only the call itself tells whether memory can be mapped.
				itself := c.fn == check.FunctionOf[capi.ClientDMAMapArgs]()
				if !optional[c.fn.Name] || t.Table().Lacks(c.fn) != nil || !itself && !c.possible(t, s) {
					continue
				}
				looked++
				switch o := c.place(t, s, check.Exactly(c.fn.Size), nil); code(o.err) {
				case capi.ErrorCodeOK, capi.ErrorCodeUnimplemented:
				case capi.ErrorCodeInternal, capi.ErrorCodeUnknown:
					t.Errorf("%s with valid arguments: expected success or UNIMPLEMENTED, got %v", c.fn.Name, o.err)
				default:
					t.Notef("%s with valid arguments: %v", c.fn.Name, o.err)
				}
			}
		}
		if looked == 0 {
			t.SkipAbsentf("the plugin is older than every optional function")
		}
	}},
	// In a process of its own, since the first call may be the one that changes the
	// table.
	{Rule: "LOAD-10", Library: true, Hostile: true, Begins: check.Loaded, Run: func(t *check.T) {
		before := tableBytes(t.Table())
		_, _ = check.Try(t, capi.PluginInitializeArgs{})
		_, _ = check.Try(t, capi.PluginAttributesArgs{})
		compareTables(t, before, tableBytes(t.Table()), "initialized")
		if t.Env().NoDevice != "" {
			return
		}
		c := t.NewClient()
		check.ExpectBuffer(t, t.Run(t.Compile(c, check.AddOne), 1, check.Upload(t, c, []float32{1, 2, 3, 4}))[0], []float32{2, 3, 4, 5},
			"a plus one")
		compareTables(t, before, tableBytes(t.Table()), "used")
	}},
	{Rule: "LOAD-11", Library: true, Hostile: true, Begins: check.Unloaded, Run: func(t *check.T) {
		var missing *capi.MissingDependencyError
		if _, err := capi.Open(t.File()); errors.As(err, &missing) || err != nil && strings.Contains(err.Error(), "undefined symbol") {
			t.Errorf("loading with all symbols bound and none of the program's: %v", err)
		}
	}},
	{Rule: "LOAD-12", Variant: "after=load", Library: true, Hostile: true, Begins: check.Unloaded, Run: func(t *check.T) {
		t.File()
		keepsProcess(t, "loading the library", func() { t.Load() })
		keepsProcess(t, "PJRT_Plugin_Initialize", func() { _, _ = check.Try(t, capi.PluginInitializeArgs{}) })
	}},
	{Rule: "LOAD-12", Variant: "after=client", Library: true, Hostile: true, Run: func(t *check.T) {
		keepsProcess(t, "making a client", func() { t.NewClient() })
	}},
	{Rule: "LOAD-14", Variant: "closed", Library: true, Hostile: true, Begins: check.Unloaded, Exits: true, Run: func(t *check.T) {
		t.Load()
		if _, err := check.Try(t, capi.PluginInitializeArgs{}); err != nil {
			t.Notef("%v", err)
		}
		_, _ = check.Try(t, capi.PluginAttributesArgs{})
		if t.Env().NoDevice == "" {
			c := t.NewClient()
			b := check.Upload(t, c, []float32{1, 2, 3, 4})
			check.ExpectBuffer(t, b, []float32{1, 2, 3, 4}, "an uploaded buffer")
			check.Destroy(t, b)
			check.Destroy(t, c.Handle)
		}
		t.Doing("closes the library, and ends the process")
		t.Unload()
		// Threads that the library left behind crash before the process ends, or with
		// it.
		time.Sleep(200 * time.Millisecond)
	}},
	{Rule: "LOAD-14", Variant: "with everything alive", Library: true, Hostile: true, Begins: check.Unloaded, Exits: true,
		Run: endsAlive},
}

// endsAlive leaves objects and executions alive at the end of the process.
func endsAlive(t *check.T) {
	t.Load()
	if _, err := check.Try(t, capi.PluginInitializeArgs{}); err != nil {
		t.Notef("%v", err)
	}
	if t.Env().NoDevice == "" {
		c := t.Client()
		in := check.Disown(t, check.Upload(t, c, []float32{1, 2, 3, 4}))
		exe := check.Disown(t, t.Compile(c, busyProgram))
		for range 4 {
			x := check.NewExecution(exe, 1, []*capi.Buffer{in})
			if err := x.Start(t); err != nil {
				t.Fatalf("PJRT_LoadedExecutable_Execute: expected success, got %v", err)
			}
			for _, e := range x.Events {
				check.Disown(t, e)
			}
			for _, b := range x.Outputs[0] {
				check.Disown(t, b)
			}
		}
	}
	t.Doing("ends the process while a client, buffers and executions are alive, as programs do that fail or forget")
}

// busyProgram computes for some time.
const busyProgram = `module @busy {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<1000000> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4xf32>
     cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.cosine %x : tensor<4xf32>
      stablehlo.return %j, %y : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
}`

const (
	loadLimit = 10 * time.Second // for GetPjrtApi
	loadGrace = 3 * time.Second  // for the check to say that it took longer
)

// headSize is the size of the table before the functions.
const headSize = 40

// maxSize is larger than any table ever was.
const maxSize = 1 << 16

// sensibleSize returns the size that the plugin states, or, if LOAD-05 rejects that,
// the size of its version.
func sensibleSize(t *capi.Table) uintptr {
	if size := t.API().StructSize; size <= maxSize {
		return size
	}
	_, minor := t.Version()
	return tableSize(minor)
}

// tableSize returns the size of the table of a version, as far as it is known.
func tableSize(minor int) uintptr {
	size := uintptr(headSize)
	for _, f := range capi.Functions(capi.SectionCore) {
		if f.Since <= minor {
			size = max(size, f.Offset+8)
		}
	}
	return size
}

// optional are the functions that any plugin may leave to a stub.
var optional = map[string]bool{
	"PJRT_Client_DmaMap":              true,
	"PJRT_Client_TopologyDescription": true, "PJRT_Client_UpdateGlobalProcessInfo": true, "PJRT_Compile": true,
	"PJRT_Client_CreateUninitializedBuffer": true, "PJRT_Client_CreateErrorBuffer": true,
	"PJRT_Client_CreateBuffersForAsyncHostToDevice": true, "PJRT_Device_MemoryStats": true, "PJRT_Device_ClearMemoryStats": true,
	"PJRT_Device_PoisonExecution": true, "PJRT_Device_GetAttributes": true, "PJRT_Buffer_CopyRawToHost": true,
	"PJRT_Buffer_UnsafePointer": true, "PJRT_Buffer_IncreaseExternalReferenceCount": true,
	"PJRT_Buffer_OpaqueDeviceMemoryDataPointer": true, "PJRT_Executable_SizeOfGeneratedCodeInBytes": true,
	"PJRT_Executable_Fingerprint": true, "PJRT_Executable_GetCostAnalysis": true, "PJRT_Executable_GetCompiledMemoryStats": true,
	"PJRT_Executable_OutputMemoryKinds": true, "PJRT_Executable_Serialize": true, "PJRT_Executable_GetCompileOptions": true,
	"PJRT_Executable_DeserializeAndLoad": true, "PJRT_LoadedExecutable_Fingerprint": true,
	"PJRT_TopologyDescription_Serialize": true, "PJRT_TopologyDescription_Fingerprint": true,
	"PJRT_TopologyDescription_GetMemorySpaceKindIds": true,
}

func compareTables(t *check.T, before, after []byte, since string) {
	if !check.Equal(t, len(before), len(after), "size of the table when the plugin was %s", since) {
		return
	}
	for i := 0; i+8 <= len(before); i += 8 {
		if !bytes.Equal(before[i:i+8], after[i:i+8]) {
			t.Errorf("the word at offset %d of the table changed from % x to % x when the plugin was %s", i, before[i:i+8],
				after[i:i+8], since)
		}
	}
}

// code returns the code of a plugin's error, or OK if err is nil.
func code(err error) capi.ErrorCode { return capi.CodeOf(err) }
