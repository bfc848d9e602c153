// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestTheTopologyOfAClientDescribesItsDevices(t *testing.T) {
	client := newClient(t)
	topology, err := client.Topology()
	require.NoError(t, err)
	again, err := client.Topology()
	require.NoError(t, err)
	assert.Same(t, topology, again)
	assert.Same(t, client, topology.Client())
	assert.Same(t, client.Plugin(), topology.Plugin())
	assert.Equal(t, client.PlatformName(), topology.PlatformName())
	assert.Equal(t, client.PlatformVersion(), topology.PlatformVersion())
	assert.Empty(t, topology.Attributes())
	devices, err := topology.Devices()
	require.NoError(t, err)
	require.Len(t, devices, 4)
	for i, d := range devices {
		assert.Equal(t, client.Devices()[i].ID(), d.ID())
		assert.Equal(t, client.Devices()[i].Kind(), d.Kind())
		assert.Equal(t, client.Devices()[i].ProcessIndex(), d.ProcessIndex())
	}
	data, err := topology.Serialize()
	require.NoError(t, err)
	assert.NotEmpty(t, data)
	_, err = client.Plugin().NewTopology(context.Background(), "", nil)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	fingerprint, err := topology.Fingerprint()
	if plugintest.Age(t) >= 106 {
		require.NoError(t, err)
		assert.NotZero(t, fingerprint)
	} else {
		require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	}
	kinds, err := topology.MemoryKindIDs()
	copied, copyErr := client.Plugin().DeserializeTopology(context.Background(), data)
	if plugintest.Age(t) >= 115 {
		require.NoError(t, err)
		assert.Len(t, kinds, 3)
		require.NoError(t, copyErr)
		devices, err := copied.Devices()
		require.NoError(t, err)
		assert.Len(t, devices, 4)
		require.NoError(t, copied.Close())
	} else {
		require.ErrorIs(t, err, pjrt.ErrUnimplemented)
		require.ErrorIs(t, copyErr, pjrt.ErrNotFound)
	}

	require.NoError(t, topology.Close(), "it stays the client's")
	_, err = topology.Serialize()
	require.NoError(t, err)
	client.Close()
	_, err = topology.Serialize()
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = topology.Devices()
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = client.Topology()
	require.ErrorIs(t, err, pjrt.ErrClosed)
	assert.Equal(t, "cpu", topology.PlatformName(), "what is known stays readable")
}

func TestAClientsTopologyIsNeverDestroyed(t *testing.T) {
	s := pjrttest.New(t, pjrttest.Options{})
	client := s.Client()
	topology, err := client.Topology()
	require.NoError(t, err)
	topology.Close()
	client.Close()
	assert.Empty(t, s.Live(), "the topology does not keep the client")
	assert.Zero(t, s.Calls("PJRT_TopologyDescription_Destroy"))
}

// anyTopology makes a stand-in accept the names and options of all topologies. It calls
// asked with them.
func anyTopology(asked func(name string, create []pjrt.Attribute)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *capi.TopologyDescriptionCreateArgs) {
		asked(capi.String(a.TopologyName, a.TopologyNameSize), capi.Attributes(a.CreateOptions, a.NumOptions))
		a.TopologyNameSize, a.NumOptions = 0, 0
		c.Forward()
	})
}

func TestTopologiesAreMadeByNameAndFromBytes(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := pjrttest.New(t, pjrttest.Options{Devices: 2, Processes: 2})
	var made []string
	kindIDs := []int32{3, 5}
	p := hooked(t, s,
		anyTopology(func(name string, create []pjrt.Attribute) { made = append(made, fmt.Sprint(name, create)) }),
		serve.Around(func(_ *serve.Invocation, a *capi.TopologyDescriptionFingerprintArgs) { a.Fingerprint = 1<<63 + 3 }),
		serve.Around(func(_ *serve.Invocation, a *capi.TopologyDescriptionGetMemorySpaceKindIDsArgs) {
			a.MemorySpaceKindIDs, a.NumMemorySpaceKindIDs = &kindIDs[0], 2
		}))
	topology, err := p.NewTopology(ctx, "big", &pjrt.TopologyOptions{Create: []pjrt.Attribute{{Name: "n", Value: 2}}})
	require.NoError(t, err)
	assert.Nil(t, topology.Client())
	assert.Equal(t, []pjrt.Attribute{{Name: "device_count", Value: int64(4)}, {Name: "process_count", Value: int64(2)}}, topology.Attributes())
	devices, err := topology.Devices()
	require.NoError(t, err)
	require.Len(t, devices, 4)
	assert.Equal(t, "PJRTTEST_2", devices[2].String())
	assert.Equal(t, 1, devices[2].ProcessIndex())
	fingerprint, err := topology.Fingerprint()
	require.NoError(t, err)
	assert.EqualValues(t, uint64(1<<63+3), fingerprint)
	kinds, err := topology.MemoryKindIDs()
	require.NoError(t, err)
	assert.Equal(t, []int{3, 5}, kinds)
	var data []byte
	assert.Empty(t, logged(t, func() { data, err = topology.Serialize() }), "a deleter that is called twice logs that")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"PJRT_TopologyDescription": 1}, s.Live(), "the plugin's copy of the data is freed")
	copied, err := p.DeserializeTopology(ctx, data)
	require.NoError(t, err)
	assert.Equal(t, topology.Attributes(), copied.Attributes())
	require.NoError(t, topology.Close())
	require.NoError(t, topology.Close())
	_, err = topology.Devices()
	require.ErrorIs(t, err, pjrt.ErrClosed)
	assert.Equal(t, "PJRTTEST_0", devices[0].String(), "descriptions are copies")
	require.NoError(t, copied.Close())
	assert.Equal(t, []string{"big[{n 2}]"}, made)
	assert.Equal(t, 2, s.Calls("PJRT_TopologyDescription_Destroy"))
	assert.Empty(t, s.Live())

	_, err = s.Plugin().NewTopology(ctx, "nope", nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = p.DeserializeTopology(ctx, nil)
	require.ErrorContains(t, err, "the serialized topology is empty")
	cancel()
	_, err = p.NewTopology(ctx, "big", nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.DeserializeTopology(ctx, data)
	require.ErrorIs(t, err, context.Canceled)
}

func TestManyGoroutinesUseOneTopology(t *testing.T) {
	topology, err := newClient(t).Topology()
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				devices, err := topology.Devices()
				assert.NoError(t, err)
				assert.Len(t, devices, 4)
				_, err = topology.Serialize()
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
}

// Most of these end the process when they reach the plugin: with an exception
// about the type or a negative length, or with a division by zero.
func TestMisuseOfNewTopologyIsRefused(t *testing.T) {
	gpu, tpu, unknown := newGPU(t), newTPU(t), newUnknown(t)
	cuda, libtpu, other := gpu.Plugin(), hooked(t, tpu, anyTopology(func(string, []pjrt.Attribute) {})), unknown.Plugin()
	one := func(name string, value any) []pjrt.Attribute { return []pjrt.Attribute{{Name: name, Value: value}} }
	cases := map[string]struct {
		plugin *pjrt.Plugin
		name   string
		opts   []pjrt.Attribute
		want   string
	}{
		"config type":         {cuda, "", one("target_config", 1), "target_config takes a value of type string, not int64"},
		"config type unknown": {other, "", one("target_config", 1), "target_config takes a value of type string, not int64"},
		"topology type":       {cuda, "", one("topology", []int64{1, 1, 1}), "topology takes a value of type string, not []int64"},
		"no GPU":              {cuda, "", one("target_config", ""), "target_config: gpu_device_info lacks threads_per_warp, block_dim_limit_x"},
		"half a GPU":          {cuda, "", one("target_config", "gpu_device_info { threads_per_warp: 32 }"), "gpu_device_info lacks block_dim_limit_x"},
		"negative hosts":      {cuda, "", one("topology", "1x-1x1"), `the extent "-1" is not a number`},
		"no hosts":            {cuda, "", one("topology", "1x0x1"), "has an extent of 0"},
		"two extents":         {cuda, "", one("topology", "2x2"), "has 2 extents, not 3"},
		"overflow":            {cuda, "", one("topology", "2147483647x2147483647x4"), "has more than 1048576 devices"},
		"tpu of no chips":     {libtpu, "v5e:0x2", nil, "has an extent of 0"},
		"twisted of none":     {libtpu, "v4:4x0x4_twisted", nil, "has an extent of 0"},
		"huge tpu":            {libtpu, "v5e:2147483647x2147483647", nil, "has more than 1048576 devices"},
		"no extent":           {libtpu, "v5e:2x", nil, `the extent "" is not a number`},
		"slices type":         {libtpu, "v5e:2x2", one("num_slices", "2"), "num_slices takes a value of type int64, not string"},
		"no slices":           {libtpu, "v5e:2x2", one("num_slices", 0), "num_slices is 0; there is at least 1 slice, and at most 262144 of 4 chips"},
		"many slices":         {libtpu, "v5e:2x2", one("num_slices", int64(1)<<31), "num_slices is 2147483648"},
		"bounds type":         {libtpu, "v5e:2x2", one("chips_per_host_bounds", "2x2x1"), "takes a value of type []int64, not string"},
		"twice":               {libtpu, "v5e:2x2", append(one("num_slices", 1), one("num_slices", 2)...), "num_slices is given twice"},
		"NUL":                 {other, "a\x00b", nil, "has a NUL in it"},
		"value":               {other, "x", one("a", 1.5), "topology options: named value \"a\": a float64 has no C form"},
		"no name":             {other, "x", one("", 1), "topology options: named value 0 has no name"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			topology, err := c.plugin.NewTopology(context.Background(), c.name, &pjrt.TopologyOptions{Create: c.opts})
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			require.ErrorContains(t, err, c.want)
			assert.Nil(t, topology)
		})
	}
	for _, s := range []*pjrttest.Plugin{gpu, tpu, unknown} {
		assert.Zero(t, s.Calls("PJRT_TopologyDescription_Create"), "nothing reached the plugin")
	}

	for name, opts := range map[string][]pjrt.Attribute{
		"":                   nil,
		"v5e:2x2":            one("num_slices", 2),
		"v4:2x2x1_untwisted": one("chips_per_host_bounds", []int64{2, 2, 1}),
		"TPU v5 lite:2x2":    one("any", true),
		"v9_new=4x4":         nil,
		"v5litepod-4":        nil,
	} {
		topology, err := libtpu.NewTopology(context.Background(), name, &pjrt.TopologyOptions{Create: opts})
		require.NoError(t, err, name)
		topology.Close()
	}
}

func TestAPluginWithoutTopologiesIsUnimplemented(t *testing.T) {
	s := pjrttest.New(t, pjrttest.Options{Minor: 60})
	client := startClient(t, edited(t, s, func(api *capi.API) { api.ClientTopologyDescription = 0 }))
	_, err := client.Topology()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	var none *pjrt.Topology
	_, err = none.Devices()
	require.ErrorContains(t, err, "the topology is nil")
}
