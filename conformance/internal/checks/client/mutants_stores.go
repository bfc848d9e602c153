// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// meeting is a plugin whose clients find each other through the key-value store, with
// faults that can be switched on. Each node puts its address and gets the other's.
// Without callbacks it does nothing.
type meeting struct {
	needsStore      bool // follows null callbacks
	alone           bool // does not look for the other node
	noSize          bool // leaves struct_size 0
	keepsValues     bool // never calls the deleter
	deletesAfterAll bool // calls a deleter although get failed
	swallows        bool // turns every error into INTERNAL
	noTimeout       bool
	cutsValues      bool // puts values up to their first zero
	ignoresPut      bool
	impatient       bool // takes NOT_FOUND from try_get as final
	mixesArgs       bool // gives every callback the user_arg of get
	tornKeys        bool
	sharedKey       bool // both nodes put the same key
	late            bool // calls back after the client is gone
	needsTryGet     bool // follows a null try_get
	deletesFirst    bool // reads values after deleting them
	deletesTwice    bool
	noPutSize       bool // leaves struct_size of put's args 0
	noTrySize       bool // leaves struct_size of try_get's args 0
	noPutError      bool // has no callback_error for put
	dropsMessage    bool // keeps only the code of the store's errors
	forever         bool // waits longer than any check
	mixesTry        bool // gives try_get the user_arg of get
	later           bool // calls back a second after the client was destroyed
	aloneWithoutTry bool // does not look for the other node without try_get
	cutsGotten      bool // takes what it gets for C strings
	cutsMessages    int  // keeps that many bytes of the store's messages
	oneOther        bool // looks for one other node alone
	firstKey        bool // gets the first key for all
	formats         bool // takes the store's messages for formats
	firstArgs       bool // gives the callbacks of all clients the user_args of the first
	swallowsGet     bool // takes an error of get for an empty value
	rewordsGet      bool // has a message of its own for errors of get
	putsMore        bool // puts a second value, and goes on when that fails
	givesUp         bool // looks for a value eight times

	tries atomic.Int64 // calls of try_get

	first *capi.ClientCreateArgs // guarded by mu; of firstArgs

	mu     sync.Mutex
	others map[*capi.Client]int // devices of other nodes, by client; guarded by mu
	node   map[*capi.Client]int32
	get    func()
}

// meet makes a mutant of a meeting with a fault.
func meet(name, fault string, set func(m *meeting)) mutant.Mutant {
	return mutant.Mutant{
		Check: name, Fault: fault, Base: mutant.Memory,
		Wrap: func(base *capi.Table) (*serve.Table, error) {
			m := &meeting{}
			set(m)
			return serve.Wrap(base, m.hooks()...)
		},
		Sound: func(base *capi.Table, _ ...serve.Hook) (*serve.Table, error) {
			return serve.Wrap(base, (&meeting{}).hooks()...)
		},
	}
}

func (m *meeting) hooks() []serve.Hook {
	m.others, m.node = map[*capi.Client]int{}, map[*capi.Client]int32{}
	return []serve.Hook{
		serve.Around(m.create),
		mutant.Then(func(*capi.ClientDestroyArgs) {
			if m.late && m.get != nil {
				wait := 100 * time.Millisecond
				if m.later {
					wait = time.Second
				}
				time.AfterFunc(wait, m.get)
			}
		}),
		mutant.Then(func(a *capi.ClientDevicesArgs) {
			m.mu.Lock()
			defer m.mu.Unlock()
			list := capi.Slice(a.Devices, a.NumDevices)
			for range m.others[a.Client] * len(list) {
				list = append(list, list[0])
			}
			a.Devices, a.NumDevices = mutant.LastingArray(list)
		}),
		mutant.Then(func(a *capi.ClientProcessIndexArgs) {
			m.mu.Lock()
			defer m.mu.Unlock()
			a.ProcessIndex = m.node[a.Client]
		}),
	}
}

// take reads and destroys an error from a callback.
func take(h *capi.ErrorHandle) error {
	if h == nil {
		return nil
	}
	err := serve.ReadError(h)
	serve.DestroyError(h)
	return err
}

func (m *meeting) create(c *serve.Invocation, a *capi.ClientCreateArgs) {
	if a.KVGetCallback == 0 || a.KVPutCallback == 0 {
		if m.needsStore {
			mutant.Die()
		}
		c.Forward()
		return
	}
	var node, nodes int64
	for _, o := range capi.Attributes(a.CreateOptions, a.NumOptions) {
		switch o.Name {
		case "node_id":
			node, _ = o.Value.(int64)
		case "num_nodes":
			nodes, _ = o.Value.(int64)
		}
	}
	// The plugin behind this one must not see the store.
	whole := *a
	defer func() {
		whole.Client = a.Client
		*a = whole
	}()
	alone := func() {
		a.KVGetCallback, a.KVPutCallback, a.KVTryGetCallback = 0, 0, 0
		for n, o := range capi.Attributes(a.CreateOptions, a.NumOptions) {
			if o.Name == "node_id" || o.Name == "num_nodes" {
				a.NumOptions = uintptr(n)
				break
			}
		}
		c.Forward()
	}
	if m.alone || m.aloneWithoutTry && a.KVTryGetCallback == 0 {
		_ = m.put(a, "unused", "nothing")
		alone()
		return
	}
	if a.KVTryGetCallback == 0 && m.needsTryGet {
		mutant.Die()
	}
	if m.firstArgs {
		m.mu.Lock()
		if m.first == nil {
			m.first = &whole
		}
		a.KVGetUserArg, a.KVPutUserArg, a.KVTryGetUserArg = m.first.KVGetUserArg, m.first.KVPutUserArg, m.first.KVTryGetUserArg
		m.mu.Unlock()
	}
	found, err := m.find(a, node, nodes)
	if err != nil {
		if e, ok := err.(*capi.Error); ok && m.formats {
			text, _, _ := strings.Cut(e.Message, "%") // what follows is no message any more
			c.Fail(e.Code, "%s", text)
		} else if ok && m.cutsMessages > 0 {
			c.Fail(e.Code, "%s", e.Message[:min(len(e.Message), m.cutsMessages)])
		} else if m.swallows {
			c.Fail(capi.ErrorCodeInternal, "the store failed")
		} else if m.dropsMessage {
			c.Fail(capi.CodeOf(err), "the store failed")
		} else {
			c.FailWith(err)
		}
		return
	}
	args := *a
	alone()
	if c.Err() != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.others[a.Client] = found
	m.node[a.Client] = int32(node)
	m.get = func() { _, _ = m.fetch(&args, "late") }
}

// find puts this node's address and gets those of the others. It returns how many there are.
func (m *meeting) find(a *capi.ClientCreateArgs, node, nodes int64) (int, error) {
	key := func(n int64) string { return fmt.Sprintf("address/%d", n) }
	own := key(node)
	if m.sharedKey {
		own = "address"
		key = func(int64) string { return "address" }
	}
	if m.tornKeys {
		own = ""
	}
	if err := m.put(a, own, fmt.Sprintf("node\x00%d%s", node, check.Words(257, int(node)))); err != nil && !m.ignoresPut {
		return 0, err
	} else if err != nil {
		return 1, nil
	}
	if a.KVTryGetCallback != 0 {
		if err := m.poll(a, key(node)); err != nil {
			return 0, err
		}
	}
	found := make(map[string]bool)
	last := ""
	for n := range nodes {
		if n == node || m.oneOther && len(found) == 1 {
			continue
		}
		if last == "" || !m.firstKey {
			last = key(n)
		}
		value, err := m.fetch(a, last)
		if err == nil && !strings.Contains(value, "\x00") && !m.noTimeout {
			err = &capi.Error{Code: capi.ErrorCodeInternal, Message: fmt.Sprintf("no address: %q", value)}
		}
		if err != nil {
			return 0, err
		}
		found[value] = true
	}
	return len(found), nil
}

func (m *meeting) size(n uintptr) uintptr {
	if m.noSize {
		return 0
	}
	return n
}

func (m *meeting) put(a *capi.ClientCreateArgs, key, value string) error {
	if i := strings.IndexByte(value, 0); i >= 0 && m.cutsValues {
		value = value[:i]
	}
	args := &capi.KeyValuePutCallbackArgs{StructSize: m.size(capi.KeyValuePutCallbackArgsSize), CallbackError: mutant.CallbackError(),
		UserArg: a.KVPutUserArg}
	if m.mixesArgs {
		args.UserArg = a.KVGetUserArg
	}
	if m.noPutSize {
		args.StructSize = 0
	}
	if m.noPutError {
		args.CallbackError = nil
	}
	args.Key, args.KeySize = capi.StringData(key)
	args.Value, args.ValueSize = capi.StringData(value)
	err := take(a.KVPutCallback.Call(args))
	if err == nil && m.putsMore {
		args.Key, args.KeySize = capi.StringData(key + "/more")
		_ = take(a.KVPutCallback.Call(args))
	}
	return err
}

func (m *meeting) fetch(a *capi.ClientCreateArgs, key string) (string, error) {
	args := &capi.KeyValueGetCallbackArgs{
		StructSize: m.size(capi.KeyValueGetCallbackArgsSize), CallbackError: mutant.CallbackError(), UserArg: a.KVGetUserArg,
		TimeoutInMs: 5000,
	}
	if m.noTimeout {
		args.TimeoutInMs = 0
	}
	if m.forever {
		args.TimeoutInMs = math.MaxInt32
	}
	args.Key, args.KeySize = capi.StringData(key)
	err := take(a.KVGetCallback.Call(args))
	switch {
	case err != nil && m.swallowsGet:
		return "\x00", nil
	case err != nil && m.rewordsGet:
		err = &capi.Error{Code: capi.CodeOf(err), Message: "there is no such value"}
	}
	if err != nil {
		if m.deletesAfterAll && args.ValueDeleterCallback == 0 {
			mutant.Die() // it jumps to null
		}
		if m.noTimeout {
			return "", nil
		}
		return "", err
	}
	if m.deletesFirst {
		args.ValueDeleterCallback.Call(args.Value)
		return capi.String(args.Value, args.ValueSize), nil
	}
	value := capi.String(args.Value, args.ValueSize)
	if m.cutsGotten {
		value, _, _ = strings.Cut(value, "\x00")
	}
	if !m.keepsValues {
		args.ValueDeleterCallback.Call(args.Value)
	}
	if m.deletesTwice {
		args.ValueDeleterCallback.Call(args.Value)
	}
	return value, nil
}

// poll waits for a key with try_get.
func (m *meeting) poll(a *capi.ClientCreateArgs, key string) error {
	for {
		args := &capi.KeyValueTryGetCallbackArgs{
			StructSize: m.size(capi.KeyValueTryGetCallbackArgsSize), CallbackError: mutant.CallbackError(), UserArg: a.KVTryGetUserArg,
		}
		if m.noTrySize {
			args.StructSize = 0
		}
		if m.mixesTry {
			args.UserArg = a.KVGetUserArg
		}
		args.Key, args.KeySize = capi.StringData(key)
		err := take(a.KVTryGetCallback.Call(args))
		if err == nil {
			if !m.keepsValues {
				args.ValueDeleterCallback.Call(args.Value)
			}
			return nil
		}
		if m.tornKeys || m.impatient || m.givesUp && m.tries.Add(1) > 8 || capi.CodeOf(err) != capi.ErrorCodeNotFound {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

func storeMutants() []mutant.Mutant {
	return []mutant.Mutant{
		meet("KV-01", "follows null callbacks", func(m *meeting) { m.needsStore = true }),
		meet("KV-02", "does not look for others", func(m *meeting) { m.alone = true }),
		meet("KV-03", "leaves struct_size as it is", func(m *meeting) { m.noSize = true }),
		meet("KV-04", "keeps the values", func(m *meeting) { m.keepsValues = true }),
		meet("KV-05", "calls the deleter after an error", func(m *meeting) { m.deletesAfterAll = true }),
		meet("KV-06", "says INTERNAL of every error", func(m *meeting) { m.swallows = true }),
		meet("KV-07", "gives no time", func(m *meeting) { m.noTimeout = true }),
		meet("KV-08", "takes values for C strings", func(m *meeting) { m.cutsValues = true }),
		meet("KV-09", "goes on when put fails", func(m *meeting) { m.ignoresPut = true }),
		meet("KV-10", "takes \"not yet\" for never", func(m *meeting) { m.impatient = true }),
		meet("KV-11", "gives put the user_arg of get", func(m *meeting) { m.mixesArgs = true }),
		meet("KV-12", "reads keys while they change", func(m *meeting) { m.tornKeys = true }),
		meet("KV-13", "uses one key for all nodes", func(m *meeting) { m.sharedKey = true }),
		meet("KV-14", "calls back when the client is gone", func(m *meeting) { m.late = true }),
		meet("KV-15", "follows a null try_get", func(m *meeting) { m.needsTryGet = true }),
		meet("KV-02", "looks for one other node alone", func(m *meeting) { m.oneOther = true }),
		meet("KV-02", "has what it got of the first key for all", func(m *meeting) { m.firstKey = true }),
		meet("KV-06", "keeps 64 bytes of a message", func(m *meeting) { m.cutsMessages = 64 }),
		meet("KV-06", "takes a message for a format", func(m *meeting) { m.formats = true }),
		meet("KV-11", "gives the callbacks of all clients the user_args of the first", func(m *meeting) { m.firstArgs = true }),
		meet("KV-06", "takes an error of get for a value", func(m *meeting) { m.swallowsGet = true }),
		meet("KV-06", "has a message of its own when get fails", func(m *meeting) { m.rewordsGet = true }),
		meet("KV-09", "goes on when a second put fails", func(m *meeting) { m.putsMore = true }),
		meet("KV-10", "looks for a value eight times", func(m *meeting) { m.givesUp = true }),
		meet("KV-08", "takes the values that it gets for C strings", func(m *meeting) { m.cutsGotten = true }),
	}
}
