// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package megascale_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
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

// address is where libtpu listens.
var address string

// libtpu reads its flags when it is loaded. It needs a port and a transport that works without a
// data center network.
func TestMain(m *testing.M) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		log.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	address = fmt.Sprintf("localhost:%d", port)
	os.Setenv("LIBTPU_INIT_ARGS", fmt.Sprintf("--megascale_port=%d --megascale_transport_type=grpc", port))
	os.Exit(m.Run())
}

// join makes the communicators of a clique of two devices, both in this process.
func join(ctx context.Context, p *pjrt.Plugin) ([]*megascale.Communicator, error) {
	job, err := megascale.NewContext(p)
	if err != nil {
		return nil, err
	}
	defer job.Close()
	if err := job.Start(ctx); err != nil {
		return nil, err
	}
	x, err := job.Collectives(megascale.Processes{Addresses: []string{address}, Slices: []int{0}, Places: []int{0}, Devices: 2}, nil)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	return x.Join(ctx, megascale.Clique{Devices: []int{0, 1}, IDs: [][]byte{[]byte("a clique")}, Ranks: []int{0, 1}})
}

func TestAheadOfTimeTwoRanksExchangeArrays(t *testing.T) {
	ctx := t.Context()
	p, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	require.True(t, extensions.Supported(p, capi.ExtensionTypeMegascale))
	ranks, err := join(ctx, p)
	require.NoError(t, err)
	require.Len(t, ranks, 2)
	text, err := ranks[1].Describe()
	require.NoError(t, err)
	assert.Contains(t, text, "rank: 1")

	sent := [][]float32{{1, 2, 3, 4}, {10, 20, 30, 50}}
	for i, c := range []struct {
		name  string
		start func(rank int, received []float32, op *megascale.Operation) (*pjrt.Event, error)
		want  [2][]float32
	}{
		{"sum", func(r int, received []float32, op *megascale.Operation) (*pjrt.Event, error) {
			return megascale.AllReduce(ranks[r], received, sent[r], megascale.Sum, op)
		}, [2][]float32{{11, 22, 33, 54}, {11, 22, 33, 54}}},
		{"max", func(r int, received []float32, op *megascale.Operation) (*pjrt.Event, error) {
			return megascale.AllReduce(ranks[r], received, sent[r], megascale.Max, op)
		}, [2][]float32{{10, 20, 30, 50}, {10, 20, 30, 50}}},
		{"reduce-scatter", func(r int, received []float32, op *megascale.Operation) (*pjrt.Event, error) {
			return megascale.ReduceScatter(ranks[r], received[:2], sent[r], megascale.Sum, op)
		}, [2][]float32{{11, 22, 0, 0}, {33, 54, 0, 0}}},
		{"all-gather", func(r int, received []float32, op *megascale.Operation) (*pjrt.Event, error) {
			return megascale.AllGather(ranks[r], received, sent[r][:2], op)
		}, [2][]float32{{1, 2, 10, 20}, {1, 2, 10, 20}}},
		{"permute", func(r int, received []float32, op *megascale.Operation) (*pjrt.Event, error) {
			return megascale.Permute(ranks[r], received, sent[r], 1-r, []int{1 - r}, op)
		}, [2][]float32{{10, 20, 30, 50}, {1, 2, 3, 4}}},
		{"all-to-all", func(r int, received []float32, op *megascale.Operation) (*pjrt.Event, error) {
			return megascale.AllToAll(ranks[r], [][]float32{received[:2], received[2:]}, [][]float32{sent[r][:2], sent[r][2:]}, op)
		}, [2][]float32{{1, 2, 10, 20}, {3, 4, 30, 50}}},
	} {
		var events [2]*pjrt.Event
		var received [2][]float32
		for r := range ranks {
			received[r] = make([]float32, 4)
			events[r], err = c.start(r, received[r], &megascale.Operation{
				Run: 1, ID: int64(i), Devices: []int{0, 1}, Local: 2, Timeout: time.Minute,
			})
			require.NoError(t, err, c.name)
		}
		for r, e := range events {
			require.NoError(t, e.Wait(ctx), c.name)
			assert.Equal(t, c.want[r], received[r], "%s, rank %d", c.name, r)
		}
	}
	for _, c := range ranks {
		require.NoError(t, c.Close())
		require.NoError(t, c.Close())
	}
	_, err = ranks[0].Describe()
	require.ErrorIs(t, err, pjrt.ErrClosed)
	_, err = megascale.AllReduce(ranks[0], sent[0], sent[0], megascale.Sum, nil)
	require.ErrorIs(t, err, pjrt.ErrClosed)
}

// Two ranks add up their arrays without a TPU: libtpu does it over the network.
func ExampleAllReduce_aheadOfTime() {
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "tpu")
	if err != nil {
		log.Fatal(err)
	}
	ranks, err := join(ctx, plugin)
	if err != nil {
		log.Fatal(err)
	}
	sums := [][]int32{make([]int32, 2), make([]int32, 2)}
	var done []*pjrt.Event
	for r, c := range ranks {
		e, err := megascale.AllReduce(c, sums[r], []int32{1, int32(10 * r)}, megascale.Sum, &megascale.Operation{
			Devices: []int{0, 1}, Local: 2, Timeout: time.Minute,
		})
		if err != nil {
			log.Fatal(err)
		}
		done = append(done, e)
	}
	for r, e := range done {
		if err := e.Wait(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Println(sums[r])
	}
	// Output:
	// [2 10]
	// [2 10]
}
