// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// Store is the key-value store through which the processes of one program find
// each other, with a record of what the plugin did with it. Any thread may use
// it.
type Store struct {
	t *T
	// WithoutTryGet leaves kv_try_get_callback null.
	WithoutTryGet bool
	// NotYet is how many times try_get says NOT_FOUND even if there is a value.
	NotYet int

	mu      sync.Mutex
	changed *sync.Cond
	values  map[string]string // guarded by mu
	calls   []StoreCall       // guarded by mu
	failure *capi.Error       // guarded by mu; what callbacks answer
	failing string            // guarded by mu; the kind of callback that fails, empty for all
	only    int               // guarded by mu; which call of that kind fails, 0 for all
	seen    int               // guarded by mu; calls of that kind
	closed  bool              // guarded by mu
	late    int               // guarded by mu; calls after Close
	live    map[*byte][]byte  // guarded by mu; values that the plugin has
	deleted map[*byte]int     // guarded by mu; deleter calls of each value
	handles []capi.Handle
}

// StoreCall is one call that the plugin made.
type StoreCall struct {
	Node       int
	Kind       string // get, try_get or put
	Key, Value string
	StructSize uintptr
	WantSize   uintptr
	Timeout    int32
	NoError    bool // callback_error was null
	WrongArg   bool // user_arg was another callback's
	Failed     bool // as Fail or FailOnly says
}

// Overwritten is what the memory of a message holds once its call is over.
const Overwritten = "@@@@@@@@"

// NewStore makes an empty store. Its handles end with the check.
func NewStore(t *T) *Store {
	s := &Store{t: t, values: map[string]string{}, live: map[*byte][]byte{}, deleted: map[*byte]int{}}
	s.changed = sync.NewCond(&s.mu)
	t.Cleanup(func() {
		for _, h := range s.handles {
			h.Delete()
		}
	})
	return s
}

// Fail makes a kind of callback, get, try_get or put, answer with an error; the
// empty kind means all.
func (s *Store) Fail(kind string, code capi.ErrorCode, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure, s.failing = &capi.Error{Code: code, Message: message}, kind
}

// FailOnly makes one call of a kind of callback answer with an error, the first one if n is 1. From
// then on nobody waits long for a value, since it may never come.
func (s *Store) FailOnly(kind string, n int, code capi.ErrorCode, message string) {
	s.Fail(kind, code, message)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.only = n
}

// briefly is how long a call waits for a value after one of FailOnly.
const briefly = 300 * time.Millisecond

// Calls returns the plugin's calls so far.
func (s *Store) Calls() []StoreCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]StoreCall(nil), s.calls...)
}

// Called reports whether the plugin used the store.
func (s *Store) Called() bool { return len(s.Calls()) > 0 }

// Close makes all later calls count as late.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.changed.Broadcast()
}

// Late returns how many calls came after Close.
func (s *Store) Late() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late
}

// Deletes returns how many values the plugin got, how many of them it deleted once, and
// how many more than once.
func (s *Store) Deletes() (given, once, more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.live {
		switch s.deleted[p] {
		case 0:
		case 1:
			once++
		default:
			more++
		}
	}
	return len(s.live), once, more
}

// endpoint is one callback of one node.
type endpoint struct {
	store *Store
	node  int
	kind  string
}

// CreateClient makes the client of one of several nodes, with the options that plugins
// for clusters take. The check does not own it.
func (s *Store) CreateClient(node, nodes int) (*capi.Client, error) {
	options := append(append([]capi.Attribute(nil), s.t.env.Options...),
		capi.Attribute{Name: "node_id", Value: int64(node)}, capi.Attribute{Name: "num_nodes", Value: int64(nodes)})
	s.t.NeedsDevice()
	values, err := capi.NewNamedValues(options)
	if err != nil {
		return nil, err
	}
	var args capi.ClientCreateArgs
	args.CreateOptions, args.NumOptions = values.Data()
	s.Attach(&args, node)
	out, err := Try(s.t, args)
	runtime.KeepAlive(values)
	return out.Client, err
}

// Attach sets the callbacks of args to a node's.
func (s *Store) Attach(args *capi.ClientCreateArgs, node int) {
	arg := func(kind string) uintptr {
		h := capi.NewHandle(&endpoint{s, node, kind})
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handles = append(s.handles, h)
		return uintptr(h)
	}
	args.KVGetCallback, args.KVGetUserArg = capi.KeyValueGetCallback(storeGet()), arg("get")
	args.KVPutCallback, args.KVPutUserArg = capi.KeyValuePutCallback(storePut()), arg("put")
	if _, minor := s.t.env.Table.Version(); minor >= 61 && !s.WithoutTryGet {
		args.KVTryGetCallback, args.KVTryGetUserArg = capi.KeyValueTryGetCallback(storeTryGet()), arg("try_get")
	}
}

// endpointOf finds the endpoint of a user_arg, and says whether it belongs to a
// callback of that kind.
func endpointOf(arg uintptr, kind string) (e *endpoint, right bool) {
	v, _ := capi.Handle(arg).Value()
	e, ok := v.(*endpoint)
	return e, ok && e.kind == kind
}

var (
	storeGet = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(a *capi.KeyValueGetCallbackArgs) *capi.ErrorHandle {
			e, right := endpointOf(a.UserArg, "get")
			if e == nil {
				return nil
			}
			key := capi.String(a.Key, a.KeySize)
			value, err := e.store.answer(e, StoreCall{
				Kind: "get", Key: key, StructSize: a.StructSize, WantSize: capi.KeyValueGetCallbackArgsSize,
				Timeout: a.TimeoutInMs, NoError: a.CallbackError == nil, WrongArg: !right,
			}, time.Duration(a.TimeoutInMs)*time.Millisecond)
			if err == nil {
				a.Value, a.ValueSize = e.store.give(value)
				a.ValueDeleterCallback = capi.KeyValueGetCallbackValueDeleter(storeDeleter())
			}
			return callbackError(a.CallbackError, err)
		})
	})
	storeTryGet = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(a *capi.KeyValueTryGetCallbackArgs) *capi.ErrorHandle {
			e, right := endpointOf(a.UserArg, "try_get")
			if e == nil {
				return nil
			}
			value, err := e.store.answer(e, StoreCall{
				Kind: "try_get", Key: capi.String(a.Key, a.KeySize), StructSize: a.StructSize, WantSize: capi.KeyValueTryGetCallbackArgsSize,
				NoError: a.CallbackError == nil, WrongArg: !right,
			}, 0)
			if err == nil {
				a.Value, a.ValueSize = e.store.give(value)
				a.ValueDeleterCallback = capi.KeyValueTryGetCallbackValueDeleter(storeDeleter())
			}
			return callbackError(a.CallbackError, err)
		})
	})
	storePut = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(a *capi.KeyValuePutCallbackArgs) *capi.ErrorHandle {
			e, right := endpointOf(a.UserArg, "put")
			if e == nil {
				return nil
			}
			_, err := e.store.answer(e, StoreCall{
				Kind: "put", Key: capi.String(a.Key, a.KeySize), Value: capi.String(a.Value, a.ValueSize), StructSize: a.StructSize,
				WantSize: capi.KeyValuePutCallbackArgsSize, NoError: a.CallbackError == nil, WrongArg: !right,
			}, 0)
			return callbackError(a.CallbackError, err)
		})
	})
	storeDeleter = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(p *byte) (word uintptr) {
			stores.Range(func(k, _ any) bool { return !k.(*Store).release(p) })
			return
		})
	})
	// stores are the stores that gave values to the plugin.
	stores sync.Map
)

// answer records a call and carries it out.
func (s *Store) answer(e *endpoint, c StoreCall, timeout time.Duration) (string, *capi.Error) {
	began := time.Now()
	deadline := began.Add(min(timeout, 10*time.Second))
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Node = e.node
	s.calls = append(s.calls, c)
	if s.closed {
		s.late++
	}
	if s.failure != nil && (s.failing == "" || s.failing == c.Kind) {
		if s.seen++; s.only == 0 || s.only == s.seen {
			s.calls[len(s.calls)-1].Failed = true
			return "", s.failure
		}
	}
	if c.Kind == "put" {
		s.values[c.Key] = c.Value
		s.changed.Broadcast()
		return "", nil
	}
	if c.Kind == "try_get" && s.NotYet > 0 {
		s.NotYet--
		return "", &capi.Error{Code: capi.ErrorCodeNotFound, Message: "no value yet"}
	}
	for {
		if v, ok := s.values[c.Key]; ok {
			return v, nil
		}
		if c.Kind == "try_get" {
			return "", &capi.Error{Code: capi.ErrorCodeNotFound, Message: "no value"}
		}
		left := time.Until(deadline)
		if s.only > 0 && s.seen >= s.only {
			left = min(left, briefly-time.Since(began))
		}
		if left <= 0 || s.closed {
			return "", &capi.Error{Code: capi.ErrorCodeDeadlineExceeded, Message: "no value within the timeout"}
		}
		wake := time.AfterFunc(min(left, 100*time.Millisecond), s.changed.Broadcast)
		s.changed.Wait()
		wake.Stop()
	}
}

// give copies a value to memory that the plugin owns until it deletes the value. No zero ends it.
func (s *Store) give(value string) (*byte, uintptr) {
	b := []byte(value + Overwritten)
	s.mu.Lock()
	defer s.mu.Unlock()
	stores.Store(s, nil)
	s.live[&b[0]] = b
	return &b[0], uintptr(len(value))
}

// release is the deleter of a value. The memory stays, poisoned, so that a second call
// is noticed.
func (s *Store) release(p *byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.live[p]
	if !ok {
		return false
	}
	s.deleted[p]++
	for i := range b {
		b[i] = Overwritten[0]
	}
	return true
}

// callbackError makes an error with the plugin's callback_error, and overwrites the
// message at once. No zero ends the message.
func callbackError(f *capi.CallbackError, err *capi.Error) *capi.ErrorHandle {
	if err == nil || f == nil {
		return nil
	}
	text := []byte(err.Message + Overwritten)
	h := f.Call(err.Code, &text[0], uintptr(len(err.Message)))
	copy(text, strings.Repeat(Overwritten, len(text)/len(Overwritten)+1))
	return h
}
