// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package distributed_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/distributed"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

const negate = `module @negate {
  func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %0 = stablehlo.negate %x : tensor<1xf32>
    return %0 : tensor<1xf32>
  }
}`

// running starts an execution with the launch id 7 on the first device of the plugin,
// which holds it.
func running(t testing.TB, p *pjrttest.Plugin) *pjrt.Event {
	t.Helper()
	p.Program("negate", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return -x }))
	exe, err := p.Client().Compile(t.Context(), pjrt.Program{Code: []byte(negate)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	a, err := pjrt.FromSlice(t.Context(), p.Client(), []float32{1}, 1)
	require.NoError(t, err)
	t.Cleanup(func() { a.Close() })
	p.Hold()
	outs, x, err := exe.Start(t.Context(), []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{LaunchID: 7})
	require.NoError(t, err)
	t.Cleanup(func() {
		p.Resume()
		for _, b := range outs {
			b.Close()
		}
		x.Close()
	})
	return x
}

func TestAnExecutionIsPoisoned(t *testing.T) {
	p := start(t, 0)
	x := running(t, p)
	device := p.Client().AddressableDevices()[0]
	reason := &pjrt.Error{Code: pjrt.ErrAborted, Message: "peer lost", Payloads: []capi.Payload{{Key: "type/x", Value: []byte{0, 1}}}}
	poisoned, err := distributed.PoisonExecution(device, 424242, reason)
	require.NoError(t, err)
	assert.False(t, poisoned)
	ready, err := x.Ready()
	require.NoError(t, err)
	assert.False(t, ready)
	poisoned, err = distributed.PoisonExecution(device, 7, reason)
	require.NoError(t, err)
	assert.True(t, poisoned)
	var got *pjrt.Error
	require.ErrorAs(t, x.Wait(t.Context()), &got)
	assert.Equal(t, pjrt.ErrAborted, got.Code)
	assert.Contains(t, got.Message, "peer lost")
	assert.Equal(t, reason.Payloads, got.Payloads)
	poisoned, err = distributed.PoisonExecution(device, 7, reason)
	require.NoError(t, err)
	assert.False(t, poisoned, "the execution is over")
}

func TestOlderPluginsPoisonWithoutPayloads(t *testing.T) {
	p := start(t, 99)
	x := running(t, p)
	device := p.Client().AddressableDevices()[0]
	_, err := distributed.PoisonExecution(device, 7, &pjrt.Error{Code: pjrt.ErrAborted, Payloads: []capi.Payload{{Key: "k"}}})
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	poisoned, err := distributed.PoisonExecution(device, 7, &pjrt.Error{Code: pjrt.ErrAborted})
	require.NoError(t, err)
	assert.True(t, poisoned)
	require.ErrorIs(t, x.Wait(t.Context()), pjrt.ErrAborted)
}

func TestMisuseOfPoisonIsAnError(t *testing.T) {
	p := start(t, 0)
	client := p.Client()
	device := client.AddressableDevices()[0]
	reason := &pjrt.Error{Code: pjrt.ErrAborted}
	for want, c := range map[string]struct {
		device *pjrt.Device
		id     int
		reason *pjrt.Error
	}{
		"the device is nil":                            {nil, 7, reason},
		"belongs to process 1, and this is process 0":  {client.Devices()[2], 7, reason},
		"the reason for poisoning an execution is nil": {device, 7, nil},
		"with the error code 0":                        {device, 7, &pjrt.Error{}},
		"with the error code 17":                       {device, 7, &pjrt.Error{Code: 17}},
		"the launch id 2147483648 does not fit":        {device, math.MaxInt32 + 1, reason},
		"the launch id -2147483649 does not fit":       {device, math.MinInt32 - 1, reason},
		"payloads of the error: named value 0 has no":  {device, 7, &pjrt.Error{Code: pjrt.ErrAborted, Payloads: []capi.Payload{{}}}},
	} {
		poisoned, err := distributed.PoisonExecution(c.device, c.id, c.reason)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, want)
		require.ErrorContains(t, err, want)
		assert.False(t, poisoned)
	}
	assert.Zero(t, p.Calls("PJRT_Device_PoisonExecution"))
	require.NoError(t, client.Close())
	_, err := distributed.PoisonExecution(device, 7, reason)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	old := pjrttest.New(t, pjrttest.Options{Minor: 81}).Client()
	_, err = distributed.PoisonExecution(old.Devices()[0], 7, reason)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "newer than the plugin")
}
