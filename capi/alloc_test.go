// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package capi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// atol is a C function with one pointer argument, which returns zero for text that is not a number.
// So it can stand in for a getter that succeeds.
func TestACallAllocatesNothing(t *testing.T) {
	f := newFake(t, capi.APIMinor, 138).set(function[capi.EventIsReadyArgs](), libc(t, "atol"))
	for name, options := range map[string][]capi.TableOption{"short path": nil, "full path": {capi.Reentrant()}} {
		t.Run(name, func(t *testing.T) {
			table, err := capi.NewTable(f.api, options...)
			require.NoError(t, err)
			require.True(t, function[capi.EventIsReadyArgs]().Pure)
			c := new(capi.Call[capi.EventIsReadyArgs])
			require.NoError(t, c.Do(table))
			assert.Zero(t, testing.AllocsPerRun(1000, func() {
				if c.Do(table) != nil {
					panic("the call failed")
				}
			}))
		})
	}
}
