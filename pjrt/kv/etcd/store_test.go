// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package etcd_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/kv/etcd"
	"github.com/purepjrt/purepjrt/pjrt/kv/kvtest"
)

// patience limits the time for things that should happen at once.
const patience = 30 * time.Second

// serve runs etcd in this process, with its data in dir, and returns its address, and a function
// that stops it before the test ends. With the address "127.0.0.1:0" it uses a free port.
func serve(t *testing.T, dir, address string) (at string, stop func()) {
	t.Helper()
	anyPort, client := url.URL{Scheme: "http", Host: "127.0.0.1:0"}, url.URL{Scheme: "http", Host: address}
	cfg := embed.NewConfig()
	cfg.Dir = dir
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{anyPort}, []url.URL{anyPort}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.TickMs, cfg.ElectionMs = 10, 100 // allows leases of a second
	cfg.UnsafeNoFsync = true
	cfg.LogLevel = "fatal"
	server, err := embed.StartEtcd(cfg)
	require.NoError(t, err)
	stop = sync.OnceFunc(server.Close)
	t.Cleanup(stop)
	select {
	case <-server.Server.ReadyNotify():
	case <-time.After(patience):
		t.Fatal("etcd does not start")
	}
	return server.Clients[0].Addr().String(), stop
}

func connect(t *testing.T, address string) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{address}, Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

func newStore(t *testing.T, client *clientv3.Client, opts *etcd.Options) *etcd.Store {
	t.Helper()
	s, err := etcd.New(soon(t), client, opts)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// soon returns a context that ends only if something has gone wrong.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func TestStoreOnEtcd(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, t.TempDir(), "127.0.0.1:0")
	client := connect(t, address)
	for name, ttl := range map[string]time.Duration{"keys stay": 0, "keys with a lease": time.Minute} {
		t.Run(name, func(t *testing.T) {
			kvtest.TestStore(t, func(t *testing.T) kv.Store {
				return newStore(t, client, &etcd.Options{Prefix: t.Name() + "/", TTL: ttl})
			})
		})
	}
	t.Run("no options", func(t *testing.T) {
		s := newStore(t, client, nil)
		require.NoError(t, s.Put(soon(t), "top", []byte("value")))
		r, err := client.Get(soon(t), "top")
		require.NoError(t, err)
		require.Len(t, r.Kvs, 1)
		assert.Equal(t, "value", string(r.Kvs[0].Value))
		assert.Zero(t, r.Kvs[0].Lease)
	})
	t.Run("prefixes keep runs apart", func(t *testing.T) {
		a, b := newStore(t, client, &etcd.Options{Prefix: "a/"}), newStore(t, client, &etcd.Options{Prefix: "b/"})
		require.NoError(t, a.Put(soon(t), "key", []byte("of a")))
		_, err := b.TryGet(soon(t), "key")
		require.ErrorIs(t, err, kv.ErrNotFound)
		assert.EqualError(t, err, `key not found: "b/key"`)
	})
}

// hookedKV is etcd's interface with a hook after each read.
type hookedKV struct {
	clientv3.KV
	afterGet func()
}

func (h hookedKV) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	r, err := h.KV.Get(ctx, key, opts...)
	h.afterGet()
	return r, err
}

// recordedWatcher records the contexts of all watches.
type recordedWatcher struct {
	clientv3.Watcher
	contexts *[]context.Context
}

func (r recordedWatcher) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	*r.contexts = append(*r.contexts, ctx)
	return r.Watcher.Watch(ctx, key, opts...)
}

func TestGetSeesChangesBetweenItsReadAndItsWatch(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, t.TempDir(), "127.0.0.1:0")
	other := connect(t, address)
	put := func(key string) int64 {
		r, err := other.Put(soon(t), key, "value of "+key)
		require.NoError(t, err)
		return r.Header.Revision
	}
	cases := map[string]struct {
		after   func(reads int) // what to do after that many reads
		reads   int             // that the Get needs
		watches int
	}{
		"a Put": {func(int) { put("a Put") }, 1, 1},
		"a Put and its deletion": {func(int) {
			put("a Put and its deletion")
			_, err := other.Delete(soon(t), "a Put and its deletion")
			require.NoError(t, err)
		}, 1, 1},
		// The changes that the watch asks for are gone, so Get must read again.
		"a compaction": {func(int) {
			put("something")
			put("a compaction")
			_, err := other.Compact(soon(t), put("something"))
			require.NoError(t, err)
		}, 2, 1},
		"a compaction before the Put": {func(reads int) {
			if reads == 1 {
				put("something")
				_, err := other.Compact(soon(t), put("something"))
				require.NoError(t, err)
				return
			}
			put("a compaction before the Put")
		}, 2, 2},
	}
	for key, c := range cases {
		t.Run(key, func(t *testing.T) {
			client := connect(t, address)
			reads := 0
			client.KV = hookedKV{client.KV, func() { reads++; c.after(reads) }}
			var watches []context.Context
			client.Watcher = recordedWatcher{client.Watcher, &watches}
			v, err := newStore(t, client, nil).Get(soon(t), key)
			require.NoError(t, err)
			assert.Equal(t, "value of "+key, string(v))
			assert.Equal(t, c.reads, reads)
			assert.Len(t, watches, c.watches)
			for _, ctx := range watches {
				assert.Error(t, ctx.Err(), "the watch must end with Get")
			}
		})
	}
}

func TestGetOutlastsARestartOfEtcd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	address, stop := serve(t, dir, "127.0.0.1:0")
	s := newStore(t, connect(t, address), nil)
	type result struct {
		value []byte
		err   error
	}
	done := make(chan result, 1)
	ctx := soon(t)
	go func() {
		v, err := s.Get(ctx, "key")
		done <- result{v, err}
	}()
	time.Sleep(100 * time.Millisecond) // usually long enough for it to wait
	stop()
	serve(t, dir, address)
	require.NoError(t, newStore(t, connect(t, address), nil).Put(ctx, "key", []byte("value")))
	r := <-done
	require.NoError(t, r.err)
	assert.Equal(t, "value", string(r.value))
}

func TestMethodsOfNilAndZeroStoresDoNotPanic(t *testing.T) {
	t.Parallel()
	for _, s := range []*etcd.Store{nil, {}} {
		_, err := s.Get(t.Context(), "key")
		require.ErrorContains(t, err, "the etcd store is nil")
		_, err = s.TryGet(t.Context(), "key")
		require.ErrorContains(t, err, "the etcd store is nil")
		require.ErrorContains(t, s.Put(t.Context(), "key", nil), "the etcd store is nil")
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
	}
}

func TestKeysWithATTLLiveAsLongAsTheirStore(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, t.TempDir(), "127.0.0.1:0")
	ours, theirs := connect(t, address), connect(t, address)
	ctx, cancel := context.WithCancel(context.Background())
	const ttl = 4*time.Second + time.Millisecond // etcd counts in seconds: 5
	s, err := etcd.New(ctx, ours, &etcd.Options{Prefix: "run/", TTL: ttl})
	require.NoError(t, err)
	cancel() // New's context is only for New
	require.NoError(t, s.Put(soon(t), "key", []byte("value")))
	peer := newStore(t, theirs, &etcd.Options{Prefix: "run/"})

	leases, err := theirs.Leases(soon(t))
	require.NoError(t, err)
	require.Len(t, leases.Leases, 1)
	least := int64(5)
	require.Eventually(t, func() bool {
		l, err := theirs.TimeToLive(soon(t), leases.Leases[0].ID)
		require.NoError(t, err)
		require.Positive(t, l.TTL, "the lease is not kept alive")
		renewed := l.TTL > least
		least = min(least, l.TTL)
		return renewed
	}, patience, 50*time.Millisecond, "the lease is not kept alive")
	_, err = peer.TryGet(soon(t), "key")
	require.NoError(t, err, "the lease must be kept alive")

	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err = peer.TryGet(soon(t), "key")
	require.NoError(t, err, "after Close, peers can read the key until the TTL has passed")
	require.ErrorContains(t, s.Put(soon(t), "key", nil), "the store was closed")
	require.Eventually(t, func() bool {
		_, err := peer.TryGet(soon(t), "key")
		return err != nil
	}, patience, 50*time.Millisecond, "the key must not stay forever")
}

func TestALostLeaseFailsPut(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, t.TempDir(), "127.0.0.1:0")
	client := connect(t, address)
	s := newStore(t, client, &etcd.Options{TTL: time.Minute})
	require.NoError(t, s.Put(soon(t), "key", []byte("value")))
	leases, err := client.Leases(soon(t))
	require.NoError(t, err)
	require.Len(t, leases.Leases, 1)
	_, err = client.Revoke(soon(t), leases.Leases[0].ID)
	require.NoError(t, err)
	require.ErrorContains(t, s.Put(soon(t), "key", nil), `key "key": the lease of the keys has ended`)
	_, err = s.TryGet(soon(t), "key")
	require.ErrorIs(t, err, kv.ErrNotFound)
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	ctx := soon(t)
	_, err := etcd.New(ctx, nil, nil)
	require.EqualError(t, err, "the etcd client is nil")

	address, stop := serve(t, t.TempDir(), "127.0.0.1:0")
	client := connect(t, address)
	_, err = etcd.New(ctx, client, &etcd.Options{TTL: -time.Second})
	require.EqualError(t, err, "the TTL -1s is negative: use 0 for keys that stay")

	s := newStore(t, client, nil)
	require.ErrorContains(t, s.Put(ctx, "big", make([]byte, 4<<20)), `key "big": `)

	waiting := make(chan error, 1)
	closing := connect(t, address)
	other := newStore(t, closing, nil)
	go func() {
		_, err := other.Get(ctx, "key")
		waiting <- err
	}()
	time.Sleep(100 * time.Millisecond)
	closing.Close()
	// Get says no more than that when it has not begun to wait.
	require.Regexp(t, `^(no value for )?key "key": the etcd client was closed$`, (<-waiting).Error())
	_, err = other.TryGet(ctx, "key")
	require.EqualError(t, err, `key "key": the etcd client was closed`)

	stop()
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	_, get := s.Get(short, "key")
	_, tryGet := s.TryGet(short, "key")
	_, make := etcd.New(short, client, &etcd.Options{TTL: time.Second})
	for _, err := range []error{get, tryGet, s.Put(short, "key", nil), make} {
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

const nodeVariable = "PUREPJRT_ETCD_TEST_NODE" // address,node,nodes

// TestNode is the part of TestProcessesFindEachOther that runs in each process.
func TestNode(t *testing.T) {
	v := strings.Split(os.Getenv(nodeVariable), ",")
	if len(v) != 3 {
		return
	}
	nodes, err := strconv.Atoi(v[2])
	require.NoError(t, err)
	s := newStore(t, connect(t, v[0]), &etcd.Options{Prefix: "job/", TTL: time.Minute})
	require.NoError(t, s.Put(soon(t), "node/"+v[1], []byte("devices of node "+v[1])))
	for n := range nodes {
		got, err := s.Get(soon(t), fmt.Sprint("node/", n))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("devices of node ", n), string(got))
	}
	fmt.Println("found", nodes, "nodes")
}

func TestProcessesFindEachOther(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, t.TempDir(), "127.0.0.1:0")
	const nodes = 3
	var wg sync.WaitGroup
	for n := range nodes {
		wg.Go(func() {
			time.Sleep(time.Duration(n) * 100 * time.Millisecond)
			cmd := exec.Command(os.Args[0], "-test.run=^TestNode$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s,%d,%d", nodeVariable, address, n, nodes))
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err, "%s", out)
			assert.Contains(t, string(out), "found 3 nodes")
		})
	}
	wg.Wait()
}
