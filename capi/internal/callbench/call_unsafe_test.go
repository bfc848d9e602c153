// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package callbench

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// BenchmarkCall measures all ways to call a getter of the CPU plugin, PJRT_Client_ProcessIndex. The ways take turns
// within one run, so that noise affects all of them alike. The metrics are nanoseconds per call, and their ratio to
// those of cgo.
func BenchmarkCall(b *testing.B) {
	table, err := capi.Open(plugintest.Path(b, "cpu"))
	require.NoError(b, err)
	var create capi.Call[capi.ClientCreateArgs]
	require.NoError(b, create.Do(table))
	client := create.Args.Client
	fn := new(capi.Call[capi.ClientProcessIndexArgs]).Function()
	code := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(table.API()), fn.Offset))
	full, err := capi.NewTable(table.API(), capi.Reentrant()) // never takes the short path
	require.NoError(b, err)

	reused := new(capi.Call[capi.ClientProcessIndexArgs])
	reused.Args.Client = client
	cArgs := (*capi.ClientProcessIndexArgs)(cMemory(unsafe.Sizeof(capi.ClientProcessIndexArgs{})))
	*cArgs = capi.ClientProcessIndexArgs{StructSize: capi.ClientProcessIndexArgsSize, Client: client}

	ways := []struct {
		name string
		run  func(n int)
	}{
		{"C", func(n int) { inC(code, unsafe.Pointer(cArgs), n) }},
		{"cgo", func(n int) {
			for range n {
				if viaCgo(code, unsafe.Pointer(cArgs)) != nil {
					panic("the call failed")
				}
			}
		}},
		{"Do", func(n int) {
			for range n {
				if reused.Do(full) != nil {
					panic("the call failed")
				}
			}
		}},
		{"Do-getter", func(n int) {
			for range n {
				if reused.Do(table) != nil {
					panic("the call failed")
				}
			}
		}},
		{"Do-new-args", func(n int) {
			for range n {
				c := new(capi.Call[capi.ClientProcessIndexArgs])
				c.Args.Client = client
				if c.Do(full) != nil {
					panic("the call failed")
				}
			}
		}},
		{"SyscallN", func(n int) {
			for range n {
				if r, _, _ := purego.SyscallN(uintptr(code), uintptr(unsafe.Pointer(cArgs))); r != 0 {
					panic("the call failed")
				}
			}
		}},
	}
	compare(b, ways, "cgo")
}
