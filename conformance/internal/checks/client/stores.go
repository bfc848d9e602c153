// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// storeLimit is how long clients may take to find each other.
const storeLimit = 40 * time.Second

var storeChecks = []check.Check{
	{Rule: "KV-01", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		c, err := create(t, t.Env().Options...)
		if err != nil {
			t.Fatalf("PJRT_Client_Create without a key-value store: expected success, got %v", err)
		}
		check.Own(t, c)
		check.ExpectBuffer(t, check.Upload(t, t.Describe(c), []float32{1, 2}), []float32{1, 2}, "an uploaded buffer")
	}},
	{Rule: "KV-02", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		for _, n := range check.Each(t, []int{2, 3, 5}) {
			p := several(t, check.NewStore(t), n)
			if n > 2 && capi.CodeOf(errors.Join(p.errs...)) == capi.ErrorCodeResourceExhausted {
				t.Notef("there is no room for %d clients here", n)
				return
			}
			p.needClients()
			devices := 0
			for _, c := range p.clients {
				devices += len(t.Describe(c).Devices)
			}
			for node, c := range p.clients {
				if all := t.AllDevices(t.Describe(c)); len(all) < devices {
					t.Errorf("node %d of %d: expected the %d devices of all nodes, got %d", node, n, devices, len(all))
				}
				index := check.Call(t, capi.ClientProcessIndexArgs{Client: c}).ProcessIndex
				check.Equal(t, int32(node), index, "process index of node %d of %d", node, n)
				check.Destroy(t, c)
			}
		}
	}},
	{Rule: "KV-03", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		p := pair(t, check.NewStore(t))
		for _, c := range p.store.Calls() {
			if c.StructSize < c.WantSize || c.StructSize > 1<<16 {
				t.Errorf("kv_%s_callback for %q: expected a struct_size of %d, got %d", c.Kind, c.Key, c.WantSize, c.StructSize)
			}
			if c.Key == "" || c.NoError || c.WrongArg {
				t.Errorf("kv_%s_callback: expected a key, callback_error and its own user_arg, got the key %q, callback_error null: %v, another user_arg: %v", c.Kind, c.Key, c.NoError, c.WrongArg)
			}
		}
	}},
	{Rule: "KV-04", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		p := pair(t, check.NewStore(t))
		p.needClients()
		given, once, more := p.store.Deletes()
		if given == 0 {
			t.SkipEnvf("the plugin got no value")
		}
		if once != given || more > 0 {
			t.Errorf("of %d values that the plugin got, expected each to be deleted once; %d were, %d more than once, %d never", given, once, more, given-once-more)
		}
	}},
	{Rule: "KV-05", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		// The callback leaves the deleter as it was; a plugin that calls it then
		// ends the process.
		store := check.NewStore(t)
		store.Fail("get", capi.ErrorCodeNotFound, "no value, on purpose")
		if p := pair(t, store); !p.called("get") {
			t.SkipEnvf("the plugin did not call kv_get_callback")
		}
	}},
	{Rule: "KV-06", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		for _, f := range check.Each(t, []capi.Error{
			{Code: capi.ErrorCodeDeadlineExceeded, Message: "kv-test, on purpose"},
			{Code: capi.ErrorCodeUnavailable, Message: "100% %d %s, which is text and no format"},
			{Code: capi.ErrorCodeAborted, Message: check.Words(64, 1)},
			{Code: capi.ErrorCodeFailedPrecondition, Message: check.Words(1025, 2)},
		}) {
			for node, err := range failing(t, f.Code, f.Message).errs {
				if err == nil {
					t.Errorf("node %d: expected the store's error, got a client", node)
					continue
				}
				t.ErrorCode(err, "PJRT_Client_Create whose store fails", f.Code)
				if text := err.Error(); !strings.Contains(text, f.Message) {
					t.Errorf("node %d: expected an error with %q, got %v", node, f.Message, err)
				} else if strings.Contains(text, f.Message+check.Overwritten[:1]) {
					t.Errorf("node %d: expected an error with a message of %d bytes, got more that lies behind them: %v", node,
						len(f.Message), err)
				}
			}
		}
		// If get alone fails, XLA's plugins say INTERNAL and quote the message.
		message := check.Words(33, 3)
		store := check.NewStore(t)
		store.Fail("get", capi.ErrorCodeDataLoss, message)
		p := pair(t, store)
		for node, err := range p.errs {
			switch failed := p.failed(node); {
			case failed && err == nil:
				t.Errorf("node %d, whose call of kv_get_callback failed: expected the store's error, got a client", node)
			case failed && !strings.Contains(err.Error(), message):
				t.Errorf("node %d, whose call of kv_get_callback failed: expected an error with %q, got %v", node, message, err)
			}
		}
	}},
	{Rule: "KV-07", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		p := pair(t, check.NewStore(t))
		looked := 0
		for _, c := range p.store.Calls() {
			if c.Kind == "get" {
				looked++
				if c.Timeout <= 0 || time.Duration(c.Timeout)*time.Millisecond > 24*time.Hour {
					t.Errorf("kv_get_callback for %q: expected a timeout of more than 0 and less than a day, got %d ms", c.Key, c.Timeout)
				}
			}
		}
		if looked == 0 {
			t.SkipEnvf("the plugin did not call kv_get_callback")
		}
	}},
	{Rule: "KV-08", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		p := pair(t, check.NewStore(t))
		p.needClients()
		zeros := 0
		for _, c := range p.store.Calls() {
			if c.Kind == "put" && strings.Contains(c.Value, "\x00") {
				zeros++
			}
		}
		if zeros == 0 {
			t.SkipEnvf("the plugin put no value with a zero byte, so there is nothing to compare")
		}
	}},
	{Rule: "KV-09", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		store := check.NewStore(t)
		store.Fail("put", capi.ErrorCodeUnavailable, "no room, on purpose")
		p := pair(t, store)
		if !p.called("put") {
			t.SkipEnvf("the plugin put nothing")
		}
		for node, err := range p.errs {
			if err == nil {
				t.Errorf("node %d: expected an error, since put failed, got a client", node)
			}
		}
		eachPutFails(t)
	}},
	{Rule: "KV-10", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		for _, n := range check.Each(t, []int{3, 16}) {
			store := check.NewStore(t)
			store.NotYet = n
			p := pair(t, store)
			if !p.called("try_get") {
				t.SkipEnvf("the plugin did not call kv_try_get_callback")
			}
			for node, err := range p.errs {
				if err != nil {
					t.Errorf("node %d: expected NOT_FOUND of try_get to mean \"not yet\", got %v", node, err)
				}
			}
			p.destroy()
		}
	}},
	{Rule: "KV-11", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		p := pair(t, check.NewStore(t))
		calls := make([]int, len(p.clients))
		for _, c := range p.store.Calls() {
			calls[c.Node]++
			if c.WrongArg {
				t.Errorf("kv_%s_callback for %q: got the user_arg of another callback", c.Kind, c.Key)
			}
		}
		for node, n := range calls {
			if n == 0 && p.errs[node] == nil {
				t.Errorf("number of calls with the user_args of each of two clients: expected some of each, got %d", calls)
				break
			}
		}
	}},
	{Rule: "KV-12", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		p := pair(t, check.NewStore(t))
		for _, c := range p.store.Calls() {
			if c.Key == "" || strings.Contains(c.Key, check.Overwritten) {
				t.Errorf("kv_%s_callback: expected a whole key, got %q", c.Kind, c.Key)
			}
		}
	}},
	{Rule: "KV-13", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		p := pair(t, check.NewStore(t))
		p.needClients()
		first := make(map[string]check.StoreCall)
		for _, c := range p.store.Calls() {
			if c.Kind != "put" {
				continue
			}
			if before, ok := first[c.Key]; ok && before.Node != c.Node && before.Value != c.Value {
				t.Errorf("nodes %d and %d both put the key %q, with different values", before.Node, c.Node, c.Key)
			}
			first[c.Key] = c
		}
		if len(first) == 0 {
			t.SkipEnvf("the plugin put nothing")
		}
	}},
	{Rule: "KV-14", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		p := pair(t, check.NewStore(t))
		p.needClients()
		for _, c := range p.clients {
			check.Destroy(t, c)
		}
		p.store.Close()
		time.Sleep(2 * time.Second) // heartbeats are rare
		check.Equal(t, 0, p.store.Late(), "calls of the store after the clients were destroyed")
	}},
	{Rule: "KV-15", Timeout: storeLimit, Library: true, Hostile: true, Run: func(t *check.T) {
		t.Since(61, "kv_try_get_callback")
		for _, c := range pair(t, check.NewStore(t)).clients { // skips the check if the plugin does not use a whole store
			check.Destroy(t, c)
		}
		store := check.NewStore(t)
		store.WithoutTryGet = true
		p := nodesOf(t, store, 2)
		for node, err := range p.errs {
			if err != nil {
				t.Notef("node %d: %v", node, err)
				continue
			}
			d := t.Describe(p.clients[node])
			if all := t.AllDevices(d); len(all) <= len(d.Devices) {
				t.Errorf("node %d of 2, whose store has no try_get: expected an error, or more devices than the %d of its own, got %d", node, len(d.Devices), len(all))
			}
		}
	}},
}

// nodes are clients that a store connects.
type nodes struct {
	t       *check.T
	store   *check.Store
	clients []*capi.Client
	errs    []error
}

// pair makes two clients at once, as two processes of one program would. The check owns
// them. It skips the check if the plugin does not use the store.
func pair(t *check.T, store *check.Store) *nodes { return several(t, store, 2) }

// several is like pair, for n clients.
func several(t *check.T, store *check.Store, n int) *nodes {
	p := nodesOf(t, store, n)
	if !store.Called() {
		t.SkipEnvf("the plugin did not use the key-value store (PJRT_Client_Create: %v)", errors.Join(p.errs...))
	}
	return p
}

// nodesOf is like several, for a plugin that is known to use stores.
func nodesOf(t *check.T, store *check.Store, n int) *nodes {
	needDevice(t)
	p := &nodes{t: t, store: store, clients: make([]*capi.Client, n), errs: make([]error, n)}
	var wg sync.WaitGroup
	for node := range p.clients {
		wg.Go(func() { p.clients[node], p.errs[node] = store.CreateClient(node, len(p.clients)) })
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-t.Context().Done():
		t.Fatalf("%d clients that share a key-value store: they were not made within %v", n, storeLimit)
	}
	for _, c := range p.clients {
		check.Own(t, c)
	}
	return p
}

// failing returns a pair whose store answers everything with an error.
func failing(t *check.T, code capi.ErrorCode, message string) *nodes {
	store := check.NewStore(t)
	store.Fail("", code, message)
	return pair(t, store)
}

// called reports whether the plugin called a kind of callback.
func (p *nodes) called(kind string) bool {
	return slices.ContainsFunc(p.store.Calls(), func(c check.StoreCall) bool { return c.Kind == kind })
}

// failed reports whether a call of a node failed on purpose.
func (p *nodes) failed(node int) bool {
	return slices.ContainsFunc(p.store.Calls(), func(c check.StoreCall) bool { return c.Node == node && c.Failed })
}

// destroy destroys the clients.
func (p *nodes) destroy() {
	for _, c := range p.clients {
		check.Destroy(p.t, c)
	}
}

// eachPutFails lets one call of put fail, the second to the fourth: a plugin may put several
// values.
func eachPutFails(t *check.T) {
	for _, n := range check.Each(t, []int{2, 3, 4}) {
		store := check.NewStore(t)
		store.FailOnly("put", n, capi.ErrorCodeUnavailable, "no room, on purpose")
		p := pair(t, store)
		reached := false
		for node, err := range p.errs {
			failed := p.failed(node)
			if reached = reached || failed; failed && err == nil {
				t.Errorf("node %d: expected an error, since put number %d of all nodes failed, got a client", node, n)
			}
		}
		if p.destroy(); !reached {
			return
		}
	}
}

// needClients ends the check unless both clients were made.
func (p *nodes) needClients() {
	for node, err := range p.errs {
		if capi.CodeOf(err) == capi.ErrorCodeResourceExhausted {
			p.t.SkipEnvf("node %d of %d: there is no room for so many clients here: %v", node, len(p.clients), err)
		} else if err != nil {
			p.t.Fatalf("node %d of %d with a key-value store: expected a client, got %v", node, len(p.clients), err)
		}
	}
}
