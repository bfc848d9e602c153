// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

const identity = `module @identity {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}`

// For a plugin without the function, LogicalIDs uses the device assignment.
func TestPlacesOfDevices(t *testing.T) {
	const function = "PJRT_LoadedExecutable_AddressableDeviceLogicalIds"
	for name, c := range map[string]struct {
		opts       pjrttest.Options
		calls      int
		assignment int
	}{
		"newer":                {pjrttest.Options{Devices: 4}, 1, 0},
		"older":                {pjrttest.Options{Devices: 4, Minor: 95}, 0, 1},
		"without the function": {pjrttest.Options{Devices: 4, Absent: []string{function}}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			pjrttest.NoLeaks(t)
			p := pjrttest.New(t, c.opts)
			p.Program("identity", pjrttest.Signature{}, pjrttest.Identity)
			devices := p.Client().Devices()
			exe, err := p.Client().Compile(t.Context(), pjrt.Program{Code: []byte(identity)}, &pjrt.CompileOptions{
				Replicas: 1, Partitions: 2, SPMD: true, Devices: [][]*pjrt.Device{{devices[3], devices[1]}},
			})
			require.NoError(t, err)
			defer exe.Close()
			places, err := sharding.LogicalIDs(exe)
			require.NoError(t, err)
			want := make([]sharding.LogicalID, 2)
			for i, d := range exe.Devices() {
				if d == devices[1] {
					want[i].Partition = 1
				}
			}
			assert.Equal(t, want, places)
			assert.Equal(t, c.calls, p.Calls(function))
			assert.Equal(t, c.assignment, p.Calls("PJRT_LoadedExecutable_GetDeviceAssignment"))
			exe.Close()
			_, err = sharding.LogicalIDs(exe)
			require.ErrorIs(t, err, pjrt.ErrClosed)
		})
	}
	_, err := sharding.LogicalIDs(nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
}
