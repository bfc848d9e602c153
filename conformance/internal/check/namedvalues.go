// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import "github.com/purepjrt/purepjrt/capi"

// NamedValues returns an array of named values as C takes it. It lives until the check ends.
func (t *T) NamedValues(list ...capi.Attribute) (*capi.NamedValue, uintptr) {
	values, err := capi.NewNamedValues(list)
	if err != nil {
		t.Fatalf("named values: %v", err)
	}
	t.Cleanup(func() { values.Data() }) // keeps them alive until then
	return values.Data()
}

// CreateArgs returns the arguments with which the check's environment makes a client.
func (t *T) CreateArgs() (args capi.ClientCreateArgs) {
	args.CreateOptions, args.NumOptions = t.NamedValues(t.Env().Options...)
	return args
}
