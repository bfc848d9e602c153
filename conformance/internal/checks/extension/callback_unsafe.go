// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"fmt"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// noArgs is what heard records for a call without args.
const noArgs = -1

// heard registers a callback, calls it with args, and returns the codes in the args of all
// its calls so far; later calls are added to the list.
func heard(t *check.T, kind capi.CallbackType, args unsafe.Pointer) *[]int {
	got := new([]int)
	client := t.Client().Handle
	fn, handle := capi.NewCallbackFunction(func(p unsafe.Pointer) {
		switch {
		case p == nil:
			*got = append(*got, noArgs)
		case kind == capi.CallbackTypeTPUSliceBuilder:
			*got = append(*got, int((*capi.CallbackTPUSliceBuilderArgs)(p).FailureType))
		default:
			*got = append(*got, int((*capi.CallbackPrefatalArgs)(p).ErrorCode))
		}
	})
	check.Call(t, capi.CallbackRegisterCallbackArgs{Client: client, Type: kind, Callback: fn, UserArg: uintptr(handle)})
	check.Call(t, capi.CallbackInvokeCallbackArgs{Client: client, Type: kind, Args: args})
	return got
}

var callbackChecks = []check.Check{
	{Rule: "XCB-01", Run: func(t *check.T) {
		slice := &capi.CallbackTPUSliceBuilderArgs{StructSize: capi.CallbackTPUSliceBuilderArgsSize,
			FailureType: capi.CallbackTPUSliceFailureTypeInitError}
		prefatal := &capi.CallbackPrefatalArgs{StructSize: capi.CallbackPrefatalArgsSize, ErrorCode: capi.ErrorCodeAborted}
		prefatal.ErrorMessage, prefatal.ErrorMessageSize = capi.StringData("on purpose")
		slices, fatals := heard(t, capi.CallbackTypeTPUSliceBuilder, unsafe.Pointer(slice)),
			heard(t, capi.CallbackTypePrefatal, unsafe.Pointer(prefatal))
		check.Equal(t, fmt.Sprint([]int{int(slice.FailureType)}), fmt.Sprint(*slices),
			"failure types that the callback of a slice was called with")
		check.Equal(t, fmt.Sprint([]int{int(prefatal.ErrorCode)}), fmt.Sprint(*fatals),
			"error codes that the callback before a fatal error was called with")
	}},
	{Rule: "XCB-02", Hostile: true, Run: func(t *check.T) {
		client := t.Client().Handle
		fn, handle := capi.NewCallbackFunction(func(unsafe.Pointer) {})
		_, err := check.Try(t, capi.CallbackRegisterCallbackArgs{Client: client, Type: 99, Callback: fn, UserArg: uintptr(handle)})
		t.ErrorCode(err, "registering a callback of the type 99")
		_, err = check.Try(t, capi.CallbackInvokeCallbackArgs{Client: client, Type: 99})
		t.ErrorCode(err, "calling the callbacks of the type 99")
	}},
	{Rule: "XCB-03", Hostile: true, Run: func(t *check.T) {
		message := "on purpose, and more that is not meant"
		args := &capi.CallbackPrefatalArgs{StructSize: capi.CallbackPrefatalArgsSize, ErrorCode: capi.ErrorCodeAborted}
		args.ErrorMessage, _ = capi.StringData(message)
		args.ErrorMessageSize = 10
		text, n := "", 0
		client := t.Client().Handle
		fn, handle := capi.NewCallbackFunction(func(p unsafe.Pointer) {
			n++
			a := (*capi.CallbackPrefatalArgs)(p)
			text = capi.String(a.ErrorMessage, a.ErrorMessageSize)
		})
		check.Call(t, capi.CallbackRegisterCallbackArgs{Client: client, Type: capi.CallbackTypePrefatal, Callback: fn,
			UserArg: uintptr(handle)})
		check.Call(t, capi.CallbackInvokeCallbackArgs{Client: client, Type: capi.CallbackTypePrefatal, Args: unsafe.Pointer(args)})
		check.Equal(t, 1, n, "calls of the callback")
		check.Equal(t, message[:10], text, "the message that the callback got")
	}},
}
