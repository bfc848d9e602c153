// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// Options are options of one execution for the custom calls of its program
// (PJRT_ExecuteOptions.custom_options, API 0.116). They go into ExecuteOptions.Extensions.
// Handlers in Go read them with Call.Options. The values are copied, so executions may
// share Options. On an older plugin the execution fails with pjrt.ErrUnimplemented.
type Options []pjrt.Attribute

var _ pjrt.ExecuteExtension = Options(nil)

// Repeatable reports that a second attempt at an execution can use the same options: see
// [pjrt.ExecuteExtension].
func (o Options) Repeatable() bool { return true }

// ExtendExecute implements [pjrt.ExecuteExtension].
func (o Options) ExtendExecute(_ *pjrt.Client, _ []*pjrt.Device, options *capi.ExecuteOptions) (done func(), err error) {
	switch {
	case options == nil:
		return nil, pjrt.ErrInvalidArgument.Errorf("the options of the execution are nil")
	case options.CustomOptions != nil:
		return nil, pjrt.ErrInvalidArgument.Errorf("the execution already has custom options: put all into one ffi.Options")
	}
	seen := make(map[string]bool, len(o))
	for _, a := range o {
		if seen[a.Name] {
			return nil, pjrt.ErrInvalidArgument.Errorf("the custom option %q is given twice", a.Name)
		}
		seen[a.Name] = true
	}
	values, err := capi.NewNamedValues(o)
	if err != nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("custom options: %v", err)
	}
	options.CustomOptions, options.NumCustomOptions = values.Data()
	return func() { runtime.KeepAlive(values) }, nil
}
