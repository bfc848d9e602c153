// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// handles returns the user_args of the node's callbacks.
func (n *node) handles() []capi.Handle {
	return []capi.Handle{capi.Handle(n.getArg), capi.Handle(n.putArg), capi.Handle(n.tryGetArg)}
}

// live counts the callbacks of the node that are not freed.
func (n *node) live() int {
	live := 0
	for _, h := range n.handles() {
		if _, ok := h.Value(); ok {
			live++
		}
	}
	return live
}

func TestNodesFindEachOtherThroughTheStore(t *testing.T) {
	const count = 3
	var mu sync.Mutex
	var made []*node
	plugin := openNodes(t, 81, func(n *node) *nodeError {
		mu.Lock()
		made = append(made, n)
		mu.Unlock()
		id := n.options["node_id"].(int64)
		if _, err := n.TryGet("nobody"); assert.NotNil(t, err) {
			assert.Equal(t, capi.ErrorCodeNotFound, err.code)
			assert.Contains(t, err.message, `"job/nobody"`)
			err.drop()
		}
		time.Sleep(time.Duration(id) * 20 * time.Millisecond)
		if err := n.Put(fmt.Sprint("node/", id), fmt.Sprintf("\x00devices of %d\xff", id)); err != nil {
			return err
		}
		for peer := range n.options["num_nodes"].(int64) {
			key, want := fmt.Sprint("node/", peer), fmt.Sprintf("\x00devices of %d\xff", peer)
			got, err := n.Get(key, 30_000)
			if err != nil {
				return err
			}
			assert.Equal(t, want, got)
			got, err = n.TryGet(key)
			if err != nil {
				return err
			}
			assert.Equal(t, want, got)
		}
		return nil
	})
	all := kv.NewMemory()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	create := []pjrt.Attribute{{Name: "mock_gpu_topology", Value: "1x3x1"}}
	var wg sync.WaitGroup
	clients := make([]*pjrt.Client, count)
	for i := range count {
		wg.Go(func() {
			var err error
			clients[i], err = plugin.NewClient(ctx, &pjrt.ClientOptions{
				Create: create, KeyValueStore: kv.Prefix(all, "job/"), NodeID: i, NumNodes: count,
			})
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	require.Len(t, made, count)
	assert.Len(t, create, 1, "the caller's options are not appended to")

	// The context of the creation does not limit the client.
	cancel()
	for i, n := range made {
		assert.Equal(t, map[string]any{"mock_gpu_topology": "1x3x1", "node_id": n.options["node_id"], "num_nodes": int64(count)}, n.options)
		got, err := n.Get("node/1", 30_000)
		require.Nil(t, err)
		assert.Equal(t, "\x00devices of 1\xff", got)
		assert.Equal(t, i, clients[i].ProcessIndex())
		assert.Equal(t, 3, n.live())
	}
	for _, c := range clients {
		require.NoError(t, c.Close())
	}
	for _, n := range made {
		assert.Zero(t, n.live(), "callbacks outlive their client")
		_, err := n.Get("node/1", 1)
		require.NotNil(t, err)
		assert.Equal(t, capi.ErrorCodeFailedPrecondition, err.code)
		err.drop()
	}
}

func TestTheStoreServesAClientUntilItIsDestroyed(t *testing.T) {
	store := kv.NewMemory()
	var n *node
	plugin := openNodes(t, 81, func(made *node) *nodeError { n = made; return nil })
	nodes.destroy = func(n *node) { assert.Nil(t, n.Put("goodbye", "from the plugin")) }
	client, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{KeyValueStore: store})
	require.NoError(t, err)
	assert.Empty(t, n.options, "no node options without nodes")
	require.NoError(t, client.Close())
	v, err := store.TryGet(context.Background(), "goodbye")
	require.NoError(t, err)
	assert.Equal(t, "from the plugin", string(v))
	assert.Zero(t, n.live())
}

// scriptedStore answers as a test says.
type scriptedStore struct {
	get    func(ctx context.Context, key string) ([]byte, error)
	tryGet func(ctx context.Context, key string) ([]byte, error)
	put    func(ctx context.Context, key string, value []byte) error
}

func (s scriptedStore) Get(ctx context.Context, key string) ([]byte, error) { return s.get(ctx, key) }
func (s scriptedStore) TryGet(ctx context.Context, key string) ([]byte, error) {
	return s.tryGet(ctx, key)
}
func (s scriptedStore) Put(ctx context.Context, key string, value []byte) error {
	return s.put(ctx, key, value)
}

func TestErrorsOfTheStoreReachThePluginAndTheCaller(t *testing.T) {
	cases := map[string]struct {
		fail    func() error
		code    pjrt.Error
		message string
	}{
		"any error":  {func() error { return errors.New("disk full") }, pjrt.Error{Code: pjrt.ErrUnknown}, "disk full"},
		"not found":  {func() error { return fmt.Errorf("%w: %q", kv.ErrNotFound, "k") }, pjrt.Error{Code: pjrt.ErrNotFound}, `key not found: "k"`},
		"empty key":  {func() error { return kv.ErrEmptyKey }, pjrt.Error{Code: pjrt.ErrInvalidArgument}, "the key is empty: a key has at least one byte"},
		"deadline":   {func() error { return fmt.Errorf("key k: %w", context.DeadlineExceeded) }, pjrt.Error{Code: pjrt.ErrDeadlineExceeded}, "key k: context deadline exceeded"},
		"cancelled":  {func() error { return context.Canceled }, pjrt.Error{Code: pjrt.ErrCancelled}, "context canceled"},
		"pjrt error": {func() error { return &pjrt.Error{Code: pjrt.ErrUnavailable, Message: "try again"} }, pjrt.Error{Code: pjrt.ErrUnavailable}, "try again"},
		"panic":      {func() error { panic("no such shelf") }, pjrt.Error{Code: pjrt.ErrInternal}, "no such shelf"},
		"exit":       {func() error { runtime.Goexit(); return nil }, pjrt.Error{Code: pjrt.ErrAborted}, "ended its goroutine"},
	}
	calls := map[string]func(n *node) *nodeError{
		"get":              func(n *node) *nodeError { _, err := n.Get("k", 1000); return err },
		"get without time": func(n *node) *nodeError { _, err := n.Get("k", -1); return err },
		"try_get":          func(n *node) *nodeError { _, err := n.TryGet("k"); return err },
		"put":              func(n *node) *nodeError { return n.Put("k", "v") },
	}
	for name, c := range cases {
		for call, do := range calls {
			t.Run(name+"/"+call, func(t *testing.T) {
				var n *node
				plugin := openNodes(t, 81, func(made *node) *nodeError { n = made; return do(n) })
				read := func(context.Context, string) ([]byte, error) { return nil, c.fail() }
				_, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{KeyValueStore: scriptedStore{
					read, read, func(context.Context, string, []byte) error { return c.fail() },
				}})
				var e *pjrt.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, c.code.Code, e.Code)
				if name == "panic" || name == "exit" {
					assert.Contains(t, e.Message, c.message)
					assert.Contains(t, e.Message, "PJRT_KeyValue")
				} else {
					assert.Equal(t, c.message, e.Message)
				}
				assert.Zero(t, n.live(), "callbacks outlive a client that was never made")
			})
		}
	}
	t.Run("nil store in an interface", func(t *testing.T) {
		plugin := openNodes(t, 81, func(n *node) *nodeError { return n.Put("k", "v") })
		_, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{KeyValueStore: (*kv.Memory)(nil)})
		require.ErrorContains(t, err, "kv: the store is nil")
	})
}

func TestTimeoutsBecomeDeadlines(t *testing.T) {
	var left time.Duration // until the deadline; 0 for none
	var called string
	note := func(name string, ctx context.Context) {
		called, left = name, 0
		if d, ok := ctx.Deadline(); ok {
			left = time.Until(d)
		}
	}
	store := scriptedStore{
		func(ctx context.Context, _ string) ([]byte, error) { note("get", ctx); return []byte("v"), nil },
		func(ctx context.Context, _ string) ([]byte, error) { note("try_get", ctx); return []byte("v"), nil },
		func(ctx context.Context, _ string, _ []byte) error { note("put", ctx); return nil },
	}
	var n *node
	plugin := openNodes(t, 81, func(made *node) *nodeError { n = made; return nil })
	client, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{KeyValueStore: store})
	require.NoError(t, err)
	defer client.Close()
	get := func(timeout int32) func() *nodeError {
		return func() *nodeError {
			v, err := n.Get("k", timeout)
			assert.Equal(t, "v", v)
			return err
		}
	}
	for name, c := range map[string]struct {
		do     func() *nodeError
		called string
		want   time.Duration
	}{
		"get with a minute":   {get(60_000), "get", time.Minute},
		"get with the most":   {get(1<<31 - 1), "get", (1<<31 - 1) * time.Millisecond},
		"get for ever":        {get(-1), "get", 0},
		"get without waiting": {get(0), "try_get", 2 * time.Minute},
		"try_get":             {func() *nodeError { _, err := n.TryGet("k"); return err }, "try_get", 2 * time.Minute},
		"put":                 {func() *nodeError { return n.Put("k", "v") }, "put", 2 * time.Minute},
	} {
		require.Nil(t, c.do(), name)
		assert.Equal(t, c.called, called, name)
		assert.LessOrEqual(t, left, c.want, name)
		assert.GreaterOrEqual(t, left, c.want-30*time.Second, name)
	}

	memory, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{KeyValueStore: kv.NewMemory()})
	require.NoError(t, err)
	defer memory.Close()
	for _, timeout := range []int32{0, 20} {
		_, e := n.Get("k", timeout)
		require.NotNil(t, e)
		assert.Equal(t, capi.ErrorCodeDeadlineExceeded, e.code, "timeout %d", timeout)
		assert.True(t, strings.HasPrefix(e.message, `no value for key "k"`), e.message)
		e.drop()
	}
}

// leaving is a store whose caller leaves once a value is waited for.
type leaving struct {
	kv.Store
	leave func()
}

func (s *leaving) Get(ctx context.Context, key string) ([]byte, error) {
	s.leave()
	return s.Store.Get(ctx, key)
}

func TestCreatingAClientReturnsWhenItsContextEnds(t *testing.T) {
	created := make(chan *node, 1)
	plugin := openNodes(t, 81, func(n *node) *nodeError {
		_, err := n.Get("a peer that is gone", -1)
		created <- n
		return err
	})
	ctx, cancel := context.WithCancel(context.Background())
	store := &leaving{Store: kv.NewMemory(), leave: cancel}
	_, err := plugin.NewClient(ctx, &pjrt.ClientOptions{KeyValueStore: store, NodeID: 1, NumNodes: 2})
	require.ErrorIs(t, err, context.Canceled)
	// The plugin returns, although it waits without a time limit.
	select {
	case n := <-created:
		require.Eventually(t, func() bool { return n.live() == 0 }, time.Minute, time.Millisecond)
	case <-time.After(patience):
		t.Fatal("the plugin waits for ever")
	}
	require.Eventually(t, func() bool {
		nodes.mu.Lock()
		defer nodes.mu.Unlock()
		return len(nodes.errors) == 0
	}, patience, time.Millisecond)
}

func TestAClientMadeAfterItsContextEndedIsClosed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var n *node
	plugin := openNodes(t, 81, func(made *node) *nodeError { n = made; cancel(); return nil })
	_, err := plugin.NewClient(ctx, &pjrt.ClientOptions{KeyValueStore: kv.NewMemory()})
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { return n.live() == 0 && pjrt.Live()["client"] == 0 }, time.Minute, time.Millisecond)
}

func TestAPluginWithoutTryGetGetsTheOtherCallbacks(t *testing.T) {
	for minor, want := range map[int]int{60: 2, 61: 3} {
		var n *node
		plugin := openNodes(t, minor, func(made *node) *nodeError { n = made; return n.Put("k", "v") })
		client, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{KeyValueStore: kv.NewMemory()})
		require.NoError(t, err)
		assert.Equal(t, want, n.live())
		assert.Equal(t, want == 3, n.tryGet != 0)
		v, e := n.Get("k", 1000)
		require.Nil(t, e)
		assert.Equal(t, "v", v)
		require.NoError(t, client.Close())
		assert.Zero(t, n.live())
	}
}

func TestWithoutAStoreThereAreNoCallbacks(t *testing.T) {
	var n *node
	plugin := openNodes(t, 81, func(made *node) *nodeError { n = made; return nil })
	client, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{NumNodes: 1})
	require.NoError(t, err)
	defer client.Close()
	assert.Zero(t, n.get)
	assert.Zero(t, n.put)
	assert.Zero(t, n.tryGet)
	assert.Equal(t, []capi.Handle{0, 0, 0}, n.handles())
	assert.Empty(t, n.options, "one process is the default")
}

func TestNodeOptionsThatMakeNoSenseAreRefused(t *testing.T) {
	plugin := openNodes(t, 81, func(*node) *nodeError {
		t.Error("the plugin saw them")
		return nil
	})
	store := kv.NewMemory()
	for want, o := range map[string]pjrt.ClientOptions{
		"NumNodes is -1; it cannot be negative":                                       {NumNodes: -1},
		"NodeID is 3 without NumNodes; set both":                                      {NodeID: 3},
		"NodeID is -1 without NumNodes; set both":                                     {NodeID: -1},
		"NodeID is 2; with 2 nodes it is between 0 and 1":                             {NodeID: 2, NumNodes: 2, KeyValueStore: store},
		"NodeID is -1; with 2 nodes it is between 0 and 1":                            {NodeID: -1, NumNodes: 2, KeyValueStore: store},
		"2 nodes cannot find each other without a KeyValueStore":                      {NumNodes: 2},
		"create option node_id is set twice: in Create, and by NodeID and NumNodes":   {NumNodes: 2, KeyValueStore: store, Create: []pjrt.Attribute{{Name: "node_id", Value: int64(0)}}},
		"create option num_nodes is set twice: in Create, and by NodeID and NumNodes": {NumNodes: 2, KeyValueStore: store, Create: []pjrt.Attribute{{Name: "num_nodes", Value: int64(2)}}},
	} {
		_, err := plugin.NewClient(context.Background(), &o)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorContains(t, err, want)
	}
}

func TestAPluginThatIgnoresItsNodeIDIsAnError(t *testing.T) {
	plugin := plugintest.Plugin(t)
	nothingAlive(t)
	live := pjrt.Live()["client"]
	_, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{KeyValueStore: kv.NewMemory(), NodeID: 1, NumNodes: 2})
	if plugintest.Age(t) <= 106 {
		require.ErrorIs(t, err, pjrt.ErrUnimplemented)
		require.ErrorContains(t, err, "numbered node 1 as process 0: it does not seem to know node_id and num_nodes")
	} else { // newer plugins refuse what they do not know
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorContains(t, err, "Unexpected option name passed to PJRT_Client_Create: n") // num_nodes or node_id
	}
	assert.Equal(t, live, pjrt.Live()["client"])
}

func TestTheCPUPluginTakesAStore(t *testing.T) {
	plugin := plugintest.Plugin(t)
	nothingAlive(t)
	handles := capi.LiveHandles()
	client, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{KeyValueStore: kv.NewMemory()})
	require.NoError(t, err)
	assert.Equal(t, handles+3, capi.LiveHandles())
	assert.NotEmpty(t, client.Devices())
	require.NoError(t, client.Close())
	assert.Equal(t, handles, capi.LiveHandles())
}
