// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package distributed_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/distributed"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// start makes a plugin with two devices of this process and two of another.
func start(t testing.TB, minor int) *pjrttest.Plugin {
	t.Helper()
	pjrttest.NoLeaks(t)
	return pjrttest.New(t, pjrttest.Options{Minor: minor, Devices: 2, Processes: 2})
}

func cpuClient(t testing.TB) *pjrt.Client {
	t.Helper()
	return plugintest.Client(t)
}

const updateFunction = "PJRT_Client_UpdateGlobalProcessInfo"

func TestProcessesReachThePlugin(t *testing.T) {
	require.NoError(t, distributed.UpdateProcesses(cpuClient(t), []distributed.Process{{State: distributed.Connected}}), "a real plugin")
	p := start(t, 0)
	client := p.Client()
	require.NoError(t, distributed.UpdateProcesses(client, nil))
	assert.Empty(t, p.Processes())
	processes := []distributed.Process{
		{ID: 0, Incarnation: math.MaxUint64, State: distributed.Connected},
		{ID: 1, State: distributed.Failed, Err: &pjrt.Error{Code: pjrt.ErrUnavailable, Message: "gone"}},
		{ID: math.MaxInt32, State: distributed.Unspecified},
	}
	require.NoError(t, distributed.UpdateProcesses(client, processes))
	assert.Equal(t, processes, p.Processes())
	assert.Equal(t, 2, p.Calls(updateFunction))

	someError := &pjrt.Error{Code: pjrt.ErrUnknown}
	for want, processes := range map[string][]distributed.Process{
		"process -1: numbers go from 0":           {{ID: -1}},
		"process 4294967296: numbers go from 0":   {{ID: 1 << 32}},
		"process 3 is listed twice":               {{ID: 3}, {ID: 3}},
		"process 0: the state 5 is unknown":       {{State: 5}},
		"process 0: the state -1 is unknown":      {{State: -1}},
		"process 0 failed, but its Err is nil":    {{State: distributed.Failed}},
		"but its state is not Failed":             {{State: distributed.Connected, Err: someError}},
		"process 0: the error code 17 is unknown": {{State: distributed.Failed, Err: &pjrt.Error{Code: 17}}},
		"process 0: the error code 0 is unknown":  {{State: distributed.Failed, Err: &pjrt.Error{}}},
		"process 0: the error code -5 is unknown": {{State: distributed.Failed, Err: &pjrt.Error{Code: -5}}},
		"process 2147483648: numbers go from 0 ":  {{ID: math.MaxInt32 + 1}},
	} {
		err := distributed.UpdateProcesses(client, processes)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorContains(t, err, want)
	}
	require.ErrorIs(t, distributed.UpdateProcesses(nil, nil), pjrt.ErrInvalidArgument)
	require.NoError(t, client.Close())
	require.ErrorIs(t, distributed.UpdateProcesses(client, nil), pjrt.ErrClosed)
	assert.Equal(t, 2, p.Calls(updateFunction), "nothing else reached the plugin")
}

// These plugins have the function, but would read other fields than those written.
func TestAnOlderLayoutOfProcessesIsRefused(t *testing.T) {
	for _, minor := range []int{72, 73, 74} {
		p := start(t, minor)
		err := distributed.UpdateProcesses(p.Client(), nil)
		require.ErrorIs(t, err, pjrt.ErrUnimplemented, minor)
		assert.Zero(t, p.Calls(updateFunction), minor)
	}
	p := start(t, 75)
	require.NoError(t, distributed.UpdateProcesses(p.Client(), nil))
}
