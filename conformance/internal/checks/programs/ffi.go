// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// handlerNumber makes names that are new to the plugin, which never forgets one.
var handlerNumber atomic.Int64

// registered registers a Go function for custom calls on the client's platform and returns
// its name. It skips the check where there is no FFI.
func registered(t *check.T, fn ffi.HandlerFunc) string {
	t.Require(check.FunctionOf[capi.FFIRegisterHandlerArgs]())
	name := fmt.Sprintf("suite_handler_%d", handlerNumber.Add(1))
	check.Optional(t, check.HandlerArgs(name, t.FFIPlatform(), t.NewHandler(fn)))
	return name
}

// handler registers a Go function for custom calls. It returns its name and the text of a
// program that calls it with one argument and one result, both tensor<4xf32>. It skips the
// check where there is no FFI.
func handler(t *check.T, fn ffi.HandlerFunc) string {
	name := registered(t, fn)
	return program("custom", "(%a: tensor<4xf32>) -> tensor<4xf32>",
		"%0 = stablehlo.custom_call @"+name+"(%a) {api_version = 4 : i32, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>",
		"return %0 : tensor<4xf32>")
}

// faultyCall executes a custom call that fails.
func faultyCall(t *check.T) {
	c := t.Client()
	const message = "the suite's handler failed on purpose"
	exe := compileOrSkip(t, c, handler(t, func(*ffi.CallFrame) error {
		return &capi.Error{Code: capi.ErrorCodeDataLoss, Message: message}
	}), options{}, "a program with a registered custom call is refused")
	for range 3 {
		x, err := start(t, exe, 1, upload4(t, c))
		if err == nil {
			err = finish(t, x)
			if x.Outputs[0][0] != nil {
				if data, readErr := tryDownload(t, x.Outputs[0][0]); readErr == nil {
					t.Errorf("reading the result of an execution whose custom call failed: expected an error, got %v", data)
				}
			}
		}
		if t.ErrorCode(err, "executing a program whose custom call fails") && !strings.Contains(err.Error(), message) {
			t.Notef("the error does not have the text of the custom call's error: %v", err)
		}
	}
	runsAddOne(t, c, t.Compile(c, check.AddOne), "a program after one whose custom call failed")
}
