// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var loadChecks = []check.Check{
	{Rule: "LOAD-01", Library: true, Hostile: true, Run: func(t *check.T) {
		api := open(t)
		check.Equal(t, false, api.API() == nil, "GetPjrtApi returned null")
	}},
	{Rule: "LOAD-02", Library: true, Run: func(t *check.T) {
		first := open(t).API()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 125 {
					api, err := capi.Open(t.Env().Path)
					if err != nil {
						t.Errorf("a repeated call of GetPjrtApi: expected success, got %v", err)
						return
					}
					if !check.Equal(t, first, api.API(), "the table that a repeated call of GetPjrtApi returns") {
						return
					}
				}
			})
		}
		wg.Wait()
	}},
	{Rule: "LOAD-03", Library: true, Hostile: true, Timeout: loadLimit + 5*time.Second, Run: func(t *check.T) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			open(t)
		}()
		select {
		case <-done:
		case <-time.After(loadLimit):
			t.Errorf("GetPjrtApi: expected an answer within %v", loadLimit)
		}
	}},
	{Rule: "LOAD-04", Library: true, Run: func(t *check.T) {
		want := tableSize(t.Minor())
		if t.Minor() >= 40 && t.Minor() <= 56 {
			// The header of that time left its newest functions out of the size.
			want = min(want, 808)
		}
		if size := t.Table().API().StructSize; size < want {
			t.Errorf("the plugin states API 0.%d, whose table has %d bytes; its struct_size is %d", t.Minor(), want, size)
		}
	}},
	{Rule: "LOAD-05", Library: true, Run: func(t *check.T) {
		size := t.Table().API().StructSize
		if size%8 != 0 || size <= headSize || size > 1<<16 {
			t.Errorf("struct_size of the table: expected a multiple of 8 above %d, got %d", headSize, size)
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
		size, looked := t.Table().API().StructSize, 0
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
				if !optional[c.fn.Name] || !c.possible(t, s) {
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
	// In a process of its own, for the first client may be what changes the table.
	{Rule: "LOAD-10", Library: true, Hostile: true, Run: func(t *check.T) {
		before := tableBytes(t.Table())
		c := t.NewClient()
		check.ExpectBuffer(t, t.Run(t.Compile(c, check.AddOne), 1, check.Upload(t, c, []float32{1, 2, 3, 4}))[0], []float32{2, 3, 4, 5}, "a plus one")
		compareTables(t, before, tableBytes(t.Table()))
	}},
	{Rule: "LOAD-11", Library: true, Hostile: true, Run: func(t *check.T) {
		if t.Env().Path == "" {
			t.SkipEnvf("the plugin was made in this process and has no file")
		}
		var missing *capi.MissingDependencyError
		if _, err := capi.Open(t.Env().Path); errors.As(err, &missing) || err != nil && strings.Contains(err.Error(), "undefined symbol") {
			t.Errorf("loading with all symbols bound and none of the program's: %v", err)
		}
	}},
	{Rule: "LOAD-12", Library: true, Hostile: true, Run: processState},
}

// loadLimit is how long GetPjrtApi may take.
var loadLimit = 10 * time.Second

// headSize is how much of the table stands in front of the functions.
const headSize = 40

// tableSize is the size of the table of a version, as far as it is known.
func tableSize(minor int) uintptr {
	size := uintptr(headSize)
	for _, f := range capi.Functions(capi.SectionCore) {
		if f.Since <= minor {
			size = max(size, f.Offset+8)
		}
	}
	return size
}

// optional are the functions that a plugin may leave to a stub, whatever it does
// otherwise.
var optional = map[string]bool{
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

// open opens the plugin's file once more, which calls GetPjrtApi.
func open(t *check.T) *capi.Table {
	if t.Env().Path == "" {
		t.SkipEnvf("the plugin was made in this process and has no file")
	}
	api, err := capi.Open(t.Env().Path)
	if err != nil {
		t.Fatalf("expected a library whose GetPjrtApi returns a table, got %v", err)
	}
	return api
}

func compareTables(t *check.T, before, after []byte) {
	if !check.Equal(t, len(before), len(after), "size of the table at the end of a session") {
		return
	}
	for i := 0; i+8 <= len(before); i += 8 {
		if !bytes.Equal(before[i:i+8], after[i:i+8]) {
			t.Errorf("the word at offset %d of the table changed from % x to % x during a session", i, before[i:i+8], after[i:i+8])
		}
	}
}

// code is that of a plugin's error, OK for none.
func code(err error) capi.ErrorCode { return capi.CodeOf(err) }
