// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package kvtest checks that a key-value store implements the contract of kv.Store.
package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/pjrt/kv"
)

// TestStore checks the stores that newStore returns. Each store must be empty, and newStore uses
// t.Cleanup to release it. The subtests are independent of each other. In all they take a few
// seconds if a call of the store takes milliseconds.
func TestStore(t *testing.T, newStore func(t *testing.T) kv.Store) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &store{newStore(t), t}
			test.run(s)
		})
	}
}

var tests = []struct {
	name string
	run  func(s *store)
}{
	{"AValueComesBack", aValueComesBack},
	{"AKeyWithoutAValueIsNotFound", aKeyWithoutAValueIsNotFound},
	{"PutReplaces", putReplaces},
	{"ValuesAreCopied", valuesAreCopied},
	{"TheEmptyKeyIsRefused", theEmptyKeyIsRefused},
	{"GetWaitsForItsKeyOnly", getWaitsForItsKeyOnly},
	{"OnePutWakesAllWhoWait", onePutWakesAllWhoWait},
	{"NoPutIsMissed", noPutIsMissed},
	{"AWaitEndsWithItsContext", aWaitEndsWithItsContext},
	{"AnEndedContextIsRefused", anEndedContextIsRefused},
	{"ManyGoroutinesShareAStore", manyGoroutinesShareAStore},
	{"ValuesAreNeverMixed", valuesAreNeverMixed},
}

// patience limits the time of a call that has nothing to wait for.
const patience = 30 * time.Second

// pause is usually long enough for a call in another goroutine to start waiting. If it is not, a
// test checks less, but does not fail.
const pause = 20 * time.Millisecond

// store wraps a store, and reports calls that fail or take too long.
type store struct {
	kv.Store
	t *testing.T
}

func (s *store) get(key string) []byte {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	v, err := s.Get(ctx, key)
	if err != nil {
		s.t.Errorf("Get(%q): %v", key, err)
	}
	return v
}

func (s *store) tryGet(key string) []byte {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	v, err := s.TryGet(ctx, key)
	if err != nil {
		s.t.Errorf("TryGet(%q): %v", key, err)
	}
	return v
}

func (s *store) put(key string, value []byte) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Put(ctx, key, value); err != nil {
		s.t.Errorf("Put(%q): %v", key, err)
	}
}

func (s *store) want(call, key string, got, want []byte) {
	s.t.Helper()
	if !bytes.Equal(got, want) {
		s.t.Errorf("%s(%q) = %q, want %q", call, key, got, want)
	}
}

func aValueComesBack(s *store) {
	values := map[string][]byte{
		"a":            []byte("value of a"),
		"ab":           []byte("value of ab"),
		"a\x00":        []byte("value of a and zero"),
		"a/b/c":        []byte("value of a path"),
		"a/b/":         []byte("value of a folder"),
		"\xff\xfe":     []byte("value of a key that is not UTF-8"),
		" spaces and ": []byte("\x00\x01\x00 zeros, and what is not UTF-8: \xff\xfe"),
		"empty":        {},
		"nil":          nil,
		"big":          bytes.Repeat([]byte("0123456789abcdef"), 64<<10/16),
	}
	for key, value := range values {
		s.put(key, value)
	}
	for key, value := range values {
		s.want("TryGet", key, s.tryGet(key), value)
	}
	if s.t.Failed() {
		return // Get would wait forever
	}
	for key, value := range values {
		s.want("Get", key, s.get(key), value)
	}
}

func aKeyWithoutAValueIsNotFound(s *store) {
	s.put("there/too", []byte("x"))
	for _, key := range []string{"absent", "there", "there/", "there/too/"} {
		v, err := s.TryGet(context.Background(), key)
		if !errors.Is(err, kv.ErrNotFound) {
			s.t.Errorf("TryGet(%q) = %q, %v; want ErrNotFound", key, v, err)
		}
	}
}

func putReplaces(s *store) {
	for _, value := range []string{"first", "second, and longer", "", "3"} {
		s.put("key", []byte(value))
		s.want("TryGet", "key", s.tryGet("key"), []byte(value))
		s.want("Get", "key", s.get("key"), []byte(value))
	}
}

func valuesAreCopied(s *store) {
	value := []byte("value")
	s.put("key", value)
	copy(value, "?????")
	got := s.get("key")
	s.want("Get", "key", got, []byte("value"))
	copy(got, "YYYYY")
	got = s.tryGet("key")
	s.want("TryGet", "key", got, []byte("value"))
	copy(got, "ZZZZZ")
	s.want("Get", "key", s.get("key"), []byte("value"))

	// Several Gets of one value must not share its memory.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got := s.get("late")
			s.want("Get", "late", got, []byte("value"))
			copy(got, "?????")
		})
	}
	time.Sleep(pause)
	s.put("late", []byte("value"))
	wg.Wait()
	s.want("Get", "late", s.get("late"), []byte("value"))
}

func theEmptyKeyIsRefused(s *store) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, get := s.Get(ctx, "")
	_, tryGet := s.TryGet(ctx, "")
	put := s.Put(ctx, "", []byte("x"))
	for call, err := range map[string]error{"Get": get, "TryGet": tryGet, "Put": put} {
		if !errors.Is(err, kv.ErrEmptyKey) {
			s.t.Errorf("%s of the empty key: error %v; want ErrEmptyKey", call, err)
		}
	}
}

func getWaitsForItsKeyOnly(s *store) {
	done := make(chan []byte, 1)
	go func() { done <- s.get("key") }()
	time.Sleep(pause)
	for _, key := range []string{"other", "ke", "key/", "key\x00"} {
		s.put(key, []byte("value of another key"))
	}
	time.Sleep(pause)
	select {
	case v := <-done:
		s.t.Fatalf("Get of a key without a value returned %q", v)
	default:
	}
	s.put("key", []byte("value"))
	s.want("Get", "key", <-done, []byte("value"))
}

func onePutWakesAllWhoWait(s *store) {
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { s.want("Get", "key", s.get("key"), []byte("value")) })
	}
	time.Sleep(pause)
	s.put("key", []byte("value"))
	wg.Wait()
}

// noPutIsMissed runs Get and Put at the same moment many times. A Put between Get's first look and
// its wait must not be missed.
func noPutIsMissed(s *store) {
	var wg sync.WaitGroup
	for i := range 60 {
		key := fmt.Sprintf("key%d", i)
		start := make(chan struct{})
		wg.Go(func() {
			<-start
			s.want("Get", key, s.get(key), []byte(key))
		})
		wg.Go(func() {
			<-start
			time.Sleep(time.Duration(i%20) * 100 * time.Microsecond)
			s.put(key, []byte(key))
		})
		close(start)
	}
	wg.Wait()
}

func aWaitEndsWithItsContext(s *store) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*pause)
	defer cancel()
	begin := time.Now()
	_, err := s.Get(ctx, "key")
	if !errors.Is(err, context.DeadlineExceeded) {
		s.t.Errorf("Get past its deadline: error %v; want context.DeadlineExceeded", err)
	}
	if d := time.Since(begin); d < 5*pause || d > patience {
		s.t.Errorf("Get with a deadline of %v took %v", 5*pause, d)
	}

	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(pause, cancel)
	if _, err = s.Get(ctx, "key"); !errors.Is(err, context.Canceled) {
		s.t.Errorf("canceled Get: error %v; want context.Canceled", err)
	}

	// A Get that stops waiting must not affect the others.
	done := make(chan []byte, 1)
	go func() { done <- s.get("key") }()
	ctx, cancel = context.WithTimeout(context.Background(), pause)
	defer cancel()
	if _, err = s.Get(ctx, "key"); err == nil {
		s.t.Error("Get of a key without a value succeeded")
	}
	s.put("key", []byte("value"))
	s.want("Get", "key", <-done, []byte("value"))
}

func anEndedContextIsRefused(s *store) {
	s.put("key", []byte("value"))
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	for _, ctx := range []context.Context{canceled, late} {
		_, get := s.Get(ctx, "key")
		_, tryGet := s.TryGet(ctx, "key")
		put := s.Put(ctx, "key", []byte("other"))
		for call, err := range map[string]error{"Get": get, "TryGet": tryGet, "Put": put} {
			if !errors.Is(err, ctx.Err()) {
				s.t.Errorf("%s with a context that has ended: error %v; want %v", call, err, ctx.Err())
			}
		}
	}
	s.want("TryGet", "key", s.tryGet("key"), []byte("value"))
}

func manyGoroutinesShareAStore(s *store) {
	const writers, rounds = 8, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for r := range rounds {
				s.put(fmt.Sprintf("%d/%d", w, r), fmt.Appendf(nil, "%d in round %d", w, r))
			}
		})
		wg.Go(func() {
			for r := range rounds {
				for from := range writers {
					key := fmt.Sprintf("%d/%d", from, r)
					s.want("Get", key, s.get(key), fmt.Appendf(nil, "%d in round %d", from, r))
				}
			}
		})
	}
	wg.Wait()
}

func valuesAreNeverMixed(s *store) {
	done := make(chan struct{})
	var writers, readers sync.WaitGroup
	for w := range 2 {
		value := bytes.Repeat([]byte{byte('a' + w)}, 1000*(w+1))
		writers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					s.put("key", value)
				}
			}
		})
	}
	read := func(call string, get func(key string) []byte) {
		for range 30 {
			v := get("key")
			if len(v) == 0 || len(v) != 1000*int(v[0]-'a'+1) || bytes.Count(v, v[:1]) != len(v) {
				s.t.Errorf("%s mixed the values of two Puts", call)
			}
		}
	}
	s.get("key")
	readers.Go(func() { read("Get", s.get) })
	readers.Go(func() { read("TryGet", s.tryGet) })
	readers.Wait()
	close(done)
	writers.Wait()
}
