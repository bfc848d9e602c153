// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package megascale_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func tpu(t testing.TB) *pjrt.Plugin {
	t.Helper()
	p, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	require.True(t, extensions.Supported(p, capi.ExtensionTypeMegascale))
	return p
}

func slice(t testing.TB, p *pjrt.Plugin) *pjrt.Topology {
	t.Helper()
	topology, err := p.NewTopology(context.Background(), "v5e:2x2", nil)
	require.NoError(t, err)
	t.Cleanup(func() { topology.Close() })
	return topology
}

func TestAheadOfTimeNumbersOfDevices(t *testing.T) {
	p := tpu(t)
	id, err := megascale.DeviceInJob(p, 1, 3)
	require.NoError(t, err)
	first, err := megascale.DeviceInJob(p, 0, 3)
	require.NoError(t, err)
	assert.NotEqual(t, first, id)
	s, d, err := megascale.DeviceInSlice(p, id)
	require.NoError(t, err)
	assert.Equal(t, [2]int{1, 3}, [2]int{s, d})
}

func TestAheadOfTimeAddressesOfTheHost(t *testing.T) {
	list, err := megascale.Addresses(tpu(t), &megascale.AddressOptions{PortName: "port", Port: 8471, All: true, Prefixes: []string{"no_such_interface"}})
	if err == nil {
		assert.Empty(t, list)
	}
	list, err = megascale.Addresses(tpu(t), nil)
	if err != nil {
		t.Logf("this machine has no network: %v", err)
	}
	for _, a := range list {
		assert.NotEmpty(t, a)
	}
}

func TestAheadOfTimeErrorsOfWorkersAreGathered(t *testing.T) {
	p := tpu(t)
	why := 1
	failure := megascale.Failure{Err: errors.New("the link is down"), Kind: 2, Launch: 4, Began: time.Unix(1, 0), Unrecoverable: &why}
	b, first, err := failure.Serialize(p)
	require.NoError(t, err)
	assert.True(t, first)
	assert.Contains(t, string(b), "the link is down")
	_, first, err = failure.Serialize(p)
	require.NoError(t, err)
	assert.False(t, first)

	x, err := megascale.NewAggregator(p, "")
	require.NoError(t, err)
	active, err := x.Active()
	require.NoError(t, err)
	assert.True(t, active)
	require.NoError(t, x.Add("worker 0", b))
	require.Error(t, x.Add("worker 1", []byte("no message")))
	n, err := x.Len()
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	d, err := x.Digest()
	require.NoError(t, err)
	require.NoError(t, d.Log())
	active, err = x.Active()
	require.NoError(t, err)
	assert.False(t, active)
	require.NoError(t, x.Close())
	require.ErrorIs(t, d.Log(), pjrt.ErrClosed)
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())

	h, err := megascale.OnError(p, "a handler", func([]byte) {})
	require.NoError(t, err)
	_, err = megascale.OnError(p, "a handler", func([]byte) {})
	require.ErrorIs(t, err, pjrt.ErrAlreadyExists)
	require.NoError(t, h.Close())
	require.NoError(t, h.Close())
	h, err = megascale.OnError(p, "a handler", func([]byte) {})
	require.NoError(t, err)
	require.NoError(t, h.Close())
}

func TestAheadOfTimeAContextOfAJob(t *testing.T) {
	ctx, p := t.Context(), tpu(t)
	x, err := megascale.NewContext(p)
	require.NoError(t, err)
	_, err = x.Port()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition, "the context has not been started")
	require.ErrorIs(t, x.Unblock(ctx, 1, time.Second), pjrt.ErrFailedPrecondition)
	require.NoError(t, x.Start(ctx))
	_, err = x.Port()
	require.NoError(t, err)
	soon, stop := context.WithTimeout(ctx, 10*time.Millisecond)
	defer stop()
	if err := x.Unblock(soon, 1, time.Second); err != nil {
		require.ErrorIs(t, err, context.DeadlineExceeded, "it waits for the other processes of the job, which do not exist")
	}
	config, err := x.Config(slice(t, p), megascale.Job{Slices: 2, Slice: 1})
	require.NoError(t, err)
	n, err := config.NumSlices()
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	id, err := config.SliceID()
	require.NoError(t, err)
	assert.Equal(t, 1, id)
	require.NoError(t, x.Close())
	_, err = config.NumSlices()
	require.NoError(t, err, "the configuration keeps the context")
	require.NoError(t, config.Close())
	_, err = x.Port()
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

func TestAheadOfTimeAProgramForTwoSlices(t *testing.T) {
	p := tpu(t)
	config, err := megascale.AOTConfig(slice(t, p), 2)
	require.NoError(t, err)
	defer config.Close()
	n, err := config.NumSlices()
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	_, err = config.SliceID()
	require.NoError(t, err)
	devices, err := config.DevicesPerSlice()
	require.NoError(t, err)
	t.Log(devices)
	b, err := config.Serialize()
	require.NoError(t, err)
	assert.NotEmpty(t, b)
}

func TestAheadOfTimeAJobHasABoundedNumberOfSlices(t *testing.T) {
	p, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	topology, err := p.NewTopology(t.Context(), "v5e:2x2", nil)
	require.NoError(t, err)
	defer topology.Close()
	for _, n := range []int{-1, 0, 1<<18 + 1, math.MaxInt32} {
		_, err := megascale.AOTConfig(topology, n)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorContains(t, err, fmt.Sprintf("a job has from 1 to 262144 slices of 4 devices, not %d", n))
	}
	most, err := megascale.AOTConfig(topology, 1<<18)
	require.NoError(t, err)
	require.NoError(t, most.Close())
}

// The configuration for compiling a program for two slices of TPUs without having them.
func ExampleAOTConfig_aheadOfTime() {
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "tpu")
	if err != nil {
		log.Fatal(err)
	}
	topology, err := plugin.NewTopology(ctx, "v5e:2x2", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer topology.Close()
	config, err := megascale.AOTConfig(topology, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer config.Close()
	fmt.Println(config.NumSlices())
	// Output: 2 <nil>
}
