// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package tpu

import (
	"runtime"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// SliceFailure says why a slice of TPUs could not be built.
type SliceFailure = capi.CallbackTPUSliceFailureType

// OnSliceFailure lets the plugin call fn when a slice of TPUs could not be built
// (PJRT_Register_Callback).
func OnSliceFailure(c *pjrt.Client, fn func(SliceFailure)) error {
	if fn == nil {
		return errNil
	}
	return register(c, capi.CallbackTypeTPUSliceBuilder, func(args unsafe.Pointer) {
		fn((*capi.CallbackTPUSliceBuilderArgs)(args).FailureType)
	})
}

// OnFatal lets the plugin call fn when an error is about to end the process
// (PJRT_Register_Callback). The process ends when fn returns.
func OnFatal(c *pjrt.Client, fn func(error)) error {
	if fn == nil {
		return errNil
	}
	return register(c, capi.CallbackTypePrefatal, func(args unsafe.Pointer) {
		a := (*capi.CallbackPrefatalArgs)(args)
		fn(a.ErrorCode.Errorf("%s", capi.String(a.ErrorMessage, a.ErrorMessageSize)))
	})
}

var errNil = pjrt.ErrInvalidArgument.Errorf("the function to call back is nil")

func register(c *pjrt.Client, of capi.CallbackType, fn func(unsafe.Pointer)) error {
	h, release, err := raw.AcquireClient(c)
	if err != nil {
		return err
	}
	defer release()
	var call capi.Call[capi.CallbackRegisterCallbackArgs]
	entry, handle := capi.NewCallbackFunction(fn)
	call.Args.Client, call.Args.Type, call.Args.Callback, call.Args.UserArg = h, of, entry, uintptr(handle)
	if err := call.Do(raw.TableOf(c)); err != nil {
		handle.Delete()
		return err
	}
	return nil
}

// InvokeSliceFailure calls the functions of [OnSliceFailure], as the plugin would, and returns
// when they have returned (PJRT_Callback_InvokeCallback). It is for testing them.
func InvokeSliceFailure(c *pjrt.Client, why SliceFailure) error {
	args := &capi.CallbackTPUSliceBuilderArgs{StructSize: capi.CallbackTPUSliceBuilderArgsSize, FailureType: why}
	err := invoke(c, capi.CallbackTypeTPUSliceBuilder, unsafe.Pointer(args))
	runtime.KeepAlive(args)
	return err
}

// InvokeFatal calls the functions of [OnFatal] as InvokeSliceFailure does those of
// OnSliceFailure. The process goes on. fatal must not be nil.
func InvokeFatal(c *pjrt.Client, fatal error) error {
	if fatal == nil {
		return pjrt.ErrInvalidArgument.Errorf("the fatal error to report is nil")
	}
	code, text := raw.ErrorParts(fatal)
	args := &capi.CallbackPrefatalArgs{StructSize: capi.CallbackPrefatalArgsSize, ErrorCode: code}
	args.ErrorMessage, args.ErrorMessageSize = capi.StringData(text)
	err := invoke(c, capi.CallbackTypePrefatal, unsafe.Pointer(args))
	runtime.KeepAlive(args)
	return err
}

func invoke(c *pjrt.Client, of capi.CallbackType, args unsafe.Pointer) error {
	h, release, err := raw.AcquireClient(c)
	if err != nil {
		return err
	}
	defer release()
	_, err = capi.Do(raw.TableOf(c), capi.CallbackInvokeCallbackArgs{Client: h, Type: of, Args: args})
	return err
}
