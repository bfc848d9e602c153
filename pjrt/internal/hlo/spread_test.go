// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
)

func TestWhatAModuleSaysAboutItsDevices(t *testing.T) {
	t.Parallel()
	plain := module(arrayOf(1))
	assert.Equal(t, dataflow.Spread{}, hlo.ReadSpread(plain))
	// DeviceAssignmentProto of 1 replica on devices 1 and 0.
	assigned := wire.AppendBytes(plain, 15, "\x08\x01\x10\x02\x1a\x03\x0a\x01\x01\x1a\x03\x0a\x01\x00")
	assert.Equal(t, dataflow.Spread{Replicas: 1, Partitions: 2}, hlo.ReadSpread(assigned))
	shardy := wire.AppendBytes(assigned, 19, "\x0a\x13\x0a\x0exla.sdy.meshes\x12\x01x")
	assert.Equal(t, dataflow.Spread{Replicas: 1, Partitions: 2, Shardy: true}, hlo.ReadSpread(shardy))
	assert.Equal(t, dataflow.Spread{}, hlo.ReadSpread(wire.AppendBytes(plain, 15, "\x08\x01\x10\x02")), "a damaged assignment")
	assert.Equal(t, dataflow.Spread{}, hlo.ReadSpread([]byte("\xff")))
}

func TestShardingsOfAModule(t *testing.T) {
	t.Parallel()
	replicated, tiled := "", "\x08\x03\x1a\x01\x02J\x01\x02"
	m := wire.AppendBytes(wire.AppendBytes(module(arrayOf(1)), 14, tiled), 14, replicated)
	parameters, err := hlo.ParameterShardings(m)
	require.NoError(t, err)
	assert.Equal(t, [][]byte{[]byte(tiled), {}}, parameters)
	outputs, err := hlo.OutputShardings(m)
	require.NoError(t, err)
	assert.Nil(t, outputs)
	outputs, err = hlo.OutputShardings(wire.AppendBytes(m, 12, tiled))
	require.NoError(t, err)
	assert.Equal(t, [][]byte{[]byte(tiled)}, outputs)
	outputs, err = hlo.OutputShardings(wire.AppendBytes(m, 12, "\x08\x02\x2a\x00\x2a\x08"+tiled))
	require.NoError(t, err)
	assert.Equal(t, [][]byte{{}, []byte(tiled)}, outputs)
	_, err = hlo.OutputShardings([]byte("\x62\x7f"))
	require.Error(t, err)
}
